//! The `provider` room.
