//! The `fact` room.
