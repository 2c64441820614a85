//! The `id` room.
