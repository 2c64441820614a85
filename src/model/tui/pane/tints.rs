//! The colours of the code in a pane's diff: asked for hunk by hunk as they come into view, so that a long diff is shown
//! at once and its colours follow. It must not know how colours are found.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use crate::model::text::diff::{Diff, RowColours};
use crate::model::text::row::Token;
use crate::model::tui::code::Colours;
use crate::model::tui::shade::{Question, own, rows_of};

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tints {
    /// Questions that were asked: two for each hunk, for what was there before and for what is now.
    asked: BTreeSet<usize>,
    /// By row of the diff.
    rows: Vec<Colours>,
}

impl Tints {
    /// Those of another diff for the lines that are the same, until their own come.
    pub fn carried(&self, from: &Diff, to: &Diff) -> Tints {
        let known: BTreeMap<&str, &Colours> = from
            .rows
            .iter()
            .zip(&self.rows)
            .filter(|(_, colours)| !colours.is_empty())
            .map(|(row, colours)| (row.text.as_str(), colours))
            .collect();
        if known.is_empty() {
            return Tints::default();
        }
        let of = |text: &str| known.get(text).map(|colours| (*colours).clone()).unwrap_or_default();
        Tints { asked: BTreeSet::new(), rows: to.rows.iter().map(|row| of(row.text.as_str())).collect() }
    }

    /// What is to be looked up for rows of the diff; each question is asked once.
    pub fn ask(&mut self, diff: &Diff, rows: Range<usize>) -> Vec<Question> {
        let shown =
            diff.rows.get(rows.start.min(diff.rows.len())..rows.end.min(diff.rows.len())).unwrap_or_default();
        let hunks: BTreeSet<usize> = shown.iter().filter_map(|row| row.hunk).collect();
        let mut out = Vec::new();
        for index in hunks.into_iter().flat_map(|hunk| [hunk * 2, hunk * 2 + 1]) {
            if !self.asked.insert(index) {
                continue;
            }
            let file = diff.hunks.get(index / 2).and_then(|hunk| diff.files.get(hunk.file));
            let Some(file) = file.filter(|file| !file.name.is_empty()) else { continue };
            let rows = rows_of(diff, index);
            let lines: Vec<&str> =
                rows.iter().filter_map(|row| diff.rows.get(*row)).map(|row| row.text.as_str()).collect();
            if rows.iter().any(|row| diff.rows.get(*row).is_some_and(|row| own(row.kind, index))) {
                out.push(Question { index, language: Arc::from(file.name.as_str()), text: lines.join("\n") });
            }
        }
        out
    }

    /// Colours have come for a question.
    pub fn coloured(&mut self, diff: &Diff, index: usize, lines: Vec<Colours>) {
        self.rows.resize(diff.rows.len(), Colours::new());
        for (row, colours) in rows_of(diff, index).into_iter().zip(lines) {
            let kept = diff.rows.get(row).is_some_and(|row| own(row.kind, index));
            if let Some(place) = self.rows.get_mut(row).filter(|_| kept) {
                *place = colours;
            }
        }
    }
}

impl RowColours for Tints {
    fn row(&self, index: usize) -> Option<&[(Range<usize>, Token)]> {
        self.rows.get(index).filter(|colours| !colours.is_empty()).map(Vec::as_slice)
    }
}
