//! The `tool` room.
