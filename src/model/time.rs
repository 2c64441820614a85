//! The `time` room.
