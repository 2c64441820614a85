//! A long diff at a width: its height is counted at once, its rows and the marks on their words are made when they are
//! wanted.

use std::ops::Range;

use super::paint::{How, RowColours, count, painted};
use super::{Diff, DiffRow, Kind, words};
use crate::model::text::row::Row;

/// A diff laid out at a width.
#[derive(Debug)]
pub struct Laid {
    /// Words are marked only in what had to be compared.
    diff: Diff,
    how: How,
    /// The first painted row of each row of the diff, and the number of all.
    starts: Vec<usize>,
}

impl Laid {
    /// Lays out a diff that came of [`parse_plain`](super::parse_plain), without the rows that `skip` tells.
    pub fn new(diff: Diff, how: How, skip: impl Fn(&DiffRow) -> bool) -> Self {
        let mut starts = Vec::with_capacity(diff.rows.len() + 1);
        let mut at = 0;
        for (index, row) in diff.rows.iter().enumerate() {
            starts.push(at);
            at += if skip(row) { 0 } else { count(&diff, index, how) };
        }
        starts.push(at);
        Laid { diff, how, starts }
    }

    /// The number of painted rows.
    pub fn height(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Bytes it takes, about.
    pub fn bytes(&self) -> usize {
        self.diff.rows.iter().map(|row| size_of::<DiffRow>() + row.text.len()).sum()
    }

    /// The first painted row of a range that has the words, which are in lower case; the last one when not `next`.
    /// A line whose words stand in it but on two rows is found by the row they may begin on: its first.
    pub fn find(&self, range: Range<usize>, words: &str, next: bool) -> Option<usize> {
        let lines = 0..self.diff.rows.len();
        let found = |line: usize| self.find_in(line, &range, words, next);
        if next { lines.into_iter().find_map(found) } else { lines.rev().find_map(found) }
    }

    fn find_in(&self, line: usize, range: &Range<usize>, words: &str, next: bool) -> Option<usize> {
        let (start, end) = (*self.starts.get(line)?, *self.starts.get(line + 1)?);
        let row = self.diff.rows.get(line)?;
        if end <= range.start || start >= range.end || start == end || !may_have(&self.diff, row, words) {
            return None;
        }
        let rows = painted(&self.diff, row, None, self.how);
        let has = |by: &usize| rows.get(*by).is_some_and(|row| row.plain().to_lowercase().contains(words));
        let mut all = 0..rows.len();
        if !all.clone().any(|by| has(&by)) {
            return Some(start).filter(|at| range.contains(at));
        }
        let hit = |by: &usize| range.contains(&(start + by)) && has(by);
        let by = if next { all.find(hit) } else { all.rfind(hit) };
        by.map(|by| start + by)
    }

    /// Some of the painted rows.
    pub fn rows(&self, range: Range<usize>, colours: &dyn RowColours) -> Vec<Row> {
        let first = self.starts.partition_point(|start| *start <= range.start).saturating_sub(1);
        let end = self.starts.partition_point(|start| *start < range.end).min(self.diff.rows.len());
        let mut out = Vec::new();
        let (from, block) = words::marked(&self.diff.rows, first..end);
        for (index, row) in (from..).zip(&block).skip(first - from).take(end.saturating_sub(first)) {
            let (Some(start), Some(next)) = (self.starts.get(index), self.starts.get(index + 1)) else {
                break;
            };
            if next > start {
                let rows = painted(&self.diff, row, colours.row(index), self.how);
                out.extend((*start..).zip(rows).filter(|(at, _)| range.contains(at)).map(|(_, row)| row));
            }
        }
        out
    }
}

/// Whether the words, in lower case, stand in what a row says.
fn may_have(diff: &Diff, row: &DiffRow, words: &str) -> bool {
    let text = row.text.as_str();
    let within = |text: &str| {
        if words.is_ascii() && text.is_ascii() {
            return words.is_empty() || ascii_has(text.as_bytes(), words.as_bytes());
        }
        text.to_lowercase().contains(words)
    };
    within(text)
        || (row.kind == Kind::File
            && diff
                .files
                .get(row.file)
                .is_some_and(|file| file.notes.iter().any(|note| within(note.as_str()))))
}

/// Without regard to case, and without a copy of the text.
fn ascii_has(text: &[u8], words: &[u8]) -> bool {
    let Some((first, rest)) = words.split_first() else { return true };
    let starts = text.iter().enumerate().filter(|(_, byte)| byte.to_ascii_lowercase() == *first);
    starts
        .map(|(at, _)| text.get(at + 1..at + words.len()))
        .any(|tail| tail.is_some_and(|tail| tail.eq_ignore_ascii_case(rest)))
}
