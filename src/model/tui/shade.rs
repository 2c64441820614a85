//! The colours of the code in a call's diff: which of its lines are looked up together, and what has come of it. It must
//! not know how colours are found.

use std::ops::Range;
use std::sync::Arc;

use crate::model::text::diff::{self, Diff, Kind, RowColours};
use crate::model::text::row::Token;

use super::code::Colours;

/// Only so much of a diff gets colours: lines and bytes of its text, and hunks.
const LINES: usize = 2_000;
const BYTES: usize = 256 * 1024;
const HUNKS: usize = 40;

/// Questions that one diff has at most.
pub const QUESTIONS: usize = HUNKS * 2;

/// The colours of a diff's rows so far.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Shades {
    /// They were asked for.
    asked: bool,
    /// Answers that have not come.
    awaited: usize,
    /// By row of the diff.
    rows: Vec<Colours>,
}

/// Code whose colours are wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// What the answer is to be given back with, less than [`QUESTIONS`].
    pub index: usize,
    /// The file's name.
    pub language: Arc<str>,
    /// A hunk as it was before, or as it is now.
    pub text: String,
}

impl Shades {
    /// Whether nobody has asked yet.
    pub fn is_new(&self) -> bool {
        !self.asked
    }

    /// Whether answers are outstanding.
    pub fn awaiting(&self) -> bool {
        self.awaited > 0
    }

    /// What is to be looked up for a diff; asked once.
    pub fn ask(&mut self, text: &str) -> Vec<Question> {
        self.asked = true;
        let diff = parsed(text);
        let mut out = Vec::new();
        for index in 0..QUESTIONS.min(diff.hunks.len() * 2) {
            let rows = rows_of(&diff, index);
            let changes = rows.iter().any(|row| diff.rows.get(*row).is_some_and(|r| own(r.kind, index)));
            let Some(file) = diff.hunks.get(index / 2).and_then(|hunk| diff.files.get(hunk.file)) else {
                continue;
            };
            if changes && !file.name.is_empty() {
                let lines = rows.iter().filter_map(|row| diff.rows.get(*row)).map(|row| row.text.as_str());
                let text = lines.collect::<Vec<_>>().join("\n");
                out.push(Question { index, language: Arc::from(file.name.as_str()), text });
            }
        }
        self.awaited = out.len();
        out
    }

    /// Colours have come for a question about that diff; none when they cannot be had.
    pub fn coloured(&mut self, text: &str, index: usize, lines: Vec<Colours>) {
        self.awaited = self.awaited.saturating_sub(1);
        if lines.iter().all(Vec::is_empty) {
            return;
        }
        let diff = parsed(text);
        self.rows.resize(diff.rows.len(), Colours::new());
        for (row, colours) in rows_of(&diff, index).into_iter().zip(lines) {
            let kept = diff.rows.get(row).is_some_and(|r| own(r.kind, index));
            if let Some(place) = self.rows.get_mut(row).filter(|_| kept) {
                *place = colours;
            }
        }
    }
}

impl RowColours for Shades {
    fn row(&self, index: usize) -> Option<&[(Range<usize>, Token)]> {
        self.rows.get(index).filter(|colours| !colours.is_empty()).map(Vec::as_slice)
    }
}

fn parsed(text: &str) -> Diff {
    diff::parse(diff::head(text, LINES, BYTES))
}

/// The rows of a question's hunk: those of before for even ones, those of now for odd ones.
pub(super) fn rows_of(diff: &Diff, index: usize) -> Vec<usize> {
    let gone = if index.is_multiple_of(2) { Kind::Added } else { Kind::Removed };
    let fits = |row: &diff::DiffRow| {
        row.hunk == Some(index / 2)
            && row.kind != gone
            && matches!(row.kind, Kind::Context | Kind::Added | Kind::Removed)
    };
    diff.rows.iter().enumerate().filter(|(_, row)| fits(row)).map(|(at, _)| at).collect()
}

/// Whether a row takes its colours from this question: lines that stayed take them from how the file is now.
pub(super) fn own(kind: Kind, index: usize) -> bool {
    match kind {
        Kind::Removed => index.is_multiple_of(2),
        Kind::Added | Kind::Context => !index.is_multiple_of(2),
        Kind::File | Kind::Blank | Kind::Gap | Kind::NoNewline | Kind::Plain => false,
    }
}
