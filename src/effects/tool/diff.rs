//! What a change of a file is shown as: a unified diff and how many lines came and went.

use std::path::Path;
use std::time::Duration;

use similar::{ChangeTag, TextDiff};

use super::paths::escape;
use crate::model::tool::{Display, Format};

/// A long comparison settles for a coarser answer after this.
const PATIENCE: Duration = Duration::from_millis(500);

/// A difference, ready to be shown.
#[derive(Debug)]
pub struct Shown {
    pub display: Display,
    /// `+2 -1`.
    pub summary: String,
}

/// The difference between two texts of a file; `None` for the text means that there is no such file.
pub fn between(name: &str, before: Option<&str>, after: Option<&str>) -> Shown {
    let old: Vec<&str> = before.unwrap_or_default().split_inclusive('\n').collect();
    let new: Vec<&str> = after.unwrap_or_default().split_inclusive('\n').collect();
    let mut config = TextDiff::configure();
    config.timeout(PATIENCE).newline_terminated(true);
    let diff = config.diff_slices(&old, &new);
    let count = |tag| diff.iter_all_changes().filter(|change| change.tag() == tag).count();
    let summary = format!("+{} -{}", count(ChangeTag::Insert), count(ChangeTag::Delete));
    let side =
        |text: Option<&str>, letter| if text.is_some() { quoted(letter, name) } else { "/dev/null".into() };
    let text =
        diff.unified_diff().context_radius(3).header(&side(before, 'a'), &side(after, 'b')).to_string();
    Shown { display: Display { text: text.into(), format: Format::Diff }, summary }
}

/// A path as the header of a diff has it: quoted as git does when it holds what would break the line.
fn quoted(letter: char, name: &str) -> String {
    let name = Path::new(name).strip_prefix("/").map_or(name.into(), |rest| rest.to_string_lossy());
    if name.chars().any(|c| c.is_control() || c == '"') {
        format!("\"{letter}/{}\"", escape(&name.replace('\\', "\\\\").replace('"', "\\\"")))
    } else {
        format!("{letter}/{name}")
    }
}
