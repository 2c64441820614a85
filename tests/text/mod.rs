//! Tests of the `text` area.

mod clean;
mod clip;
mod fuzzy;
mod markdown;
mod nasty;
mod row;
mod template;
mod width;
mod wrap;
