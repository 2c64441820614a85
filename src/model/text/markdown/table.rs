//! Tables: columns that wrap inside their cells, or records where the width does not allow that.

use pulldown_cmark::{Alignment, Tag};

use super::Options;
use crate::model::text::clean::Clean;
use crate::model::text::row::{Attrs, Row, Span, Token};
use crate::model::text::width::clusters;
use crate::model::text::wrap::{self, Wrap};

/// Columns of the line between two cells.
const GAP: usize = 3;
/// The narrowest a column gets; one that needs less takes less.
const NARROWEST: usize = 8;

#[derive(Default)]
pub(super) struct Table {
    columns: Vec<Alignment>,
    head: Vec<Row>,
    body: Vec<Vec<Row>>,
    in_head: bool,
}

impl Table {
    pub fn new(columns: Vec<Alignment>) -> Self {
        Self { columns, ..Self::default() }
    }

    pub fn open(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::TableHead => self.in_head = true,
            Tag::TableRow => {
                self.in_head = false;
                self.body.push(Vec::new());
            }
            _ => {}
        }
    }

    pub fn cell(&mut self, cell: Row) {
        match self.body.last_mut() {
            Some(row) if !self.in_head => row.push(cell),
            _ => self.head.push(cell),
        }
    }

    pub fn rows(mut self, width: usize, options: Options) -> Vec<Row> {
        for cell in &mut self.head {
            cell.spans.iter_mut().for_each(|span| span.attrs.bold = true);
        }
        match self.widths(width, options.tab) {
            Some(widths) => self.grid(&widths, options.tab),
            None => self.records(width, options),
        }
    }

    /// The widths of the columns, or `None` when they do not fit side by side.
    fn widths(&self, width: usize, tab: usize) -> Option<Vec<usize>> {
        let count = self.columns.len();
        let all =
            |at: usize| std::iter::once(&self.head).chain(&self.body).filter_map(move |row| row.get(at));
        let wanted: Vec<usize> =
            (0..count).map(|at| all(at).map(|cell| end(cell, tab)).max().unwrap_or(0).max(1)).collect();
        let room = width.checked_sub(GAP * count.saturating_sub(1))?;
        let least = |at: usize| {
            let widest =
                all(at).flat_map(|cell| cell.spans.iter()).flat_map(|span| clusters(span.text.as_str()));
            widest.map(|cluster| cluster.width).max().unwrap_or(1).max(NARROWEST)
        };
        if wanted.iter().enumerate().map(|(at, wanted)| least(at).min(*wanted)).sum::<usize>() > room {
            return None;
        }
        Some(share(&wanted, room))
    }

    fn grid(&self, widths: &[usize], tab: usize) -> Vec<Row> {
        let rule = || {
            let line = widths.iter().map(|width| "─".repeat(*width)).collect::<Vec<_>>().join("─┼─");
            Row::from(Span::decor(Clean::trusted(line), Token::BorderMuted))
        };
        let body: Vec<Vec<Row>> = self.body.iter().map(|cells| self.line(cells, widths, tab)).collect();
        let ruled = body.iter().any(|rows| rows.len() > 1);
        let mut rows = self.line(&self.head, widths, tab);
        for (at, line) in body.into_iter().enumerate() {
            if at == 0 || ruled {
                rows.push(rule());
            }
            rows.extend(line);
        }
        if self.body.is_empty() {
            rows.push(rule());
        }
        rows
    }

    /// The rows of one line of cells.
    fn line(&self, cells: &[Row], widths: &[usize], tab: usize) -> Vec<Row> {
        let wrapped: Vec<Vec<Row>> = widths
            .iter()
            .enumerate()
            .map(|(at, width)| {
                cells.get(at).map(|cell| wrap::row(cell, Wrap::words(*width).tab(tab))).unwrap_or_default()
            })
            .collect();
        let height = wrapped.iter().map(Vec::len).max().unwrap_or(0).max(1);
        (0..height).map(|row| self.across(&wrapped, widths, row)).collect()
    }

    fn across(&self, wrapped: &[Vec<Row>], widths: &[usize], row: usize) -> Row {
        let mut out = Row::empty();
        for (at, (cell, width)) in wrapped.iter().zip(widths).enumerate() {
            if at > 0 {
                out.push(Span::decor(" │ ", Token::BorderMuted));
            }
            let text = cell.get(row).cloned().unwrap_or_default();
            let free = width.saturating_sub(text.width());
            let left = match self.columns.get(at) {
                Some(Alignment::Right) => free,
                Some(Alignment::Center) => free / 2,
                _ => 0,
            };
            out.push(Span::blanks(left));
            text.spans.into_iter().for_each(|span| out.push(span));
            if at + 1 < widths.len() {
                out.push(Span::blanks(free - left));
            }
        }
        out
    }

    /// `header: value`, one below the other, a blank row between two lines of the table.
    fn records(&self, width: usize, options: Options) -> Vec<Row> {
        let how = Wrap::words(width).tab(options.tab).hanging(2);
        let mut rows = Vec::new();
        for cells in &self.body {
            if !rows.is_empty() {
                rows.push(Row::empty());
            }
            for (at, cell) in cells.iter().enumerate() {
                let mut line = self.head.get(at).cloned().unwrap_or_default();
                if !line.is_empty() {
                    line.push(Span::new(": ", options.base).attrs(Attrs::BOLD));
                }
                cell.spans.iter().cloned().for_each(|span| line.push(span));
                rows.extend(wrap::row(&line, how));
            }
        }
        if self.body.is_empty() {
            self.head.iter().for_each(|cell| rows.extend(wrap::row(cell, how)));
        }
        rows
    }
}

fn end(cell: &Row, tab: usize) -> usize {
    crate::model::text::width::end_column(&cell.plain(), 0, tab)
}

/// Shares the room: columns that want no more than an equal part get what they want, the others the rest.
fn share(wanted: &[usize], room: usize) -> Vec<usize> {
    let mut widths = vec![0; wanted.len()];
    let mut open: Vec<usize> = (0..wanted.len()).collect();
    let mut left = room;
    loop {
        let part = left / open.len().max(1);
        let (fit, wide): (Vec<usize>, Vec<usize>) = open.iter().partition(|at| wanted[**at] <= part);
        for at in &fit {
            widths[*at] = wanted[*at];
            left -= wanted[*at];
        }
        if fit.is_empty() || wide.is_empty() {
            for (at, column) in wide.iter().enumerate() {
                widths[*column] = left / wide.len() + usize::from(at < left % wide.len());
            }
            return widths;
        }
        open = wide;
    }
}
