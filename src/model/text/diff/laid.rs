//! A long diff at a width: its height is counted at once, its rows and the marks on their words are made when they are
//! wanted.

use std::ops::Range;

use super::paint::{How, RowColours, count, painted};
use super::{Diff, DiffRow, words};
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
