//! The `effect` room.
