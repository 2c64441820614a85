//! The `text` room.
