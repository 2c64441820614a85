//! Tests of the `text` area.

mod clean;
mod clip;
mod nasty;
mod row;
mod width;
mod wrap;
