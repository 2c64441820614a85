//! The `ext` room.
