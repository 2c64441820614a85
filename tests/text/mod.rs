//! Tests of the `text` area.

mod clean;
mod clip;
mod diff;
mod diff_git;
mod diff_marks;
mod diff_paint;
mod fuzzy;
mod markdown;
pub mod nasty;
mod row;
mod template;
mod width;
mod wrap;
