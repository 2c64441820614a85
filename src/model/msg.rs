//! The `msg` room.
