//! The houses of `e`, so that tests and benches can reach them.
pub mod effects;
pub mod model;
pub mod update;
pub mod view;
