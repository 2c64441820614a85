//! The view: what a model looks like. Reads the model, knows no world.

pub mod rows;
pub mod style;
