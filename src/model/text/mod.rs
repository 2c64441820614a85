//! Text that may be painted: the sanitiser, widths, rows of themed spans, and what turns Markdown and diffs into rows.

pub mod clean;
pub mod clip;
pub mod diff;
pub mod fuzzy;
pub mod markdown;
pub mod row;
pub mod template;
pub mod tone;
pub mod width;
pub mod wrap;
