//! The `front` room.
