//! What a change of a file is shown as: a unified diff and how many lines came and went.

use crate::model::text::diff::unified;
use crate::model::tool::{Display, Format};

/// A difference, ready to be shown.
#[derive(Debug)]
pub struct Shown {
    pub display: Display,
    /// `+2 -1`.
    pub summary: String,
}

/// The difference between two texts of a file; `None` for the text means that there is no such file.
pub fn between(name: &str, before: Option<&str>, after: Option<&str>) -> Shown {
    let text = unified(name.trim_start_matches('/'), before, after);
    // The header is over where the first hunk begins; behind it a sign is a change.
    let rows = || text.lines().skip_while(|line| !line.starts_with("@@"));
    let count = |sign| rows().filter(|line| line.starts_with(sign)).count();
    let summary = format!("+{} -{}", count('+'), count('-'));
    Shown { display: Display { text: text.into(), format: Format::Diff, cut: false }, summary }
}
