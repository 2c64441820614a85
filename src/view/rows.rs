//! Rows of spans to cells: clips at the region's edge, fills grounds, expands tabs, records links.

use std::ops::Range;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use super::style::Palette;
use crate::model::text::row::{Row, Span};
use crate::model::text::width::{TAB, clusters, tab_stop};

/// A stretch of cells that leads somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub row: u16,
    /// The first cell and the one behind the last.
    pub from: u16,
    pub to: u16,
    pub target: Arc<str>,
}

/// What is painted on: cells, and the links among them.
#[derive(Debug)]
pub struct Canvas<'a> {
    pub buffer: &'a mut Buffer,
    pub palette: &'a Palette,
    pub links: &'a mut Vec<Link>,
}

impl Canvas<'_> {
    /// Paints rows from the top of `area` down; what does not fit is left out.
    pub fn rows<'r>(&mut self, area: Rect, rows: impl IntoIterator<Item = &'r Row>) {
        for (y, row) in (area.y..area.bottom()).zip(rows) {
            self.row(Rect { y, height: 1, ..area }, row);
        }
    }

    /// Turns colour and ground around in some columns of the area's row.
    pub fn reverse(&mut self, area: Rect, row: usize, columns: Range<usize>) {
        let y = area.y.saturating_add(u16::try_from(row).unwrap_or(u16::MAX));
        for x in columns {
            let at = (area.x.saturating_add(u16::try_from(x).unwrap_or(u16::MAX)), y);
            if area.intersection(self.buffer.area).contains(at.into())
                && let Some(cell) = self.buffer.cell_mut(at)
            {
                cell.modifier.insert(Modifier::REVERSED);
            }
        }
    }

    /// Paints one row into the first row of `area`.
    pub fn row(&mut self, area: Rect, row: &Row) {
        let area = area.intersection(self.buffer.area);
        if area.is_empty() {
            return;
        }
        if let Some(fill) = row.fill {
            let style = self.palette.ground(fill);
            for x in area.x..area.right() {
                self.buffer[(x, area.y)].set_style(style);
            }
        }
        let mut column = 0;
        for span in &row.spans {
            let from = column;
            column = self.span(area, column, span, row);
            if let Some(target) = &span.link
                && column > from
            {
                let (from, to) = (area.x + from as u16, area.x + column as u16);
                self.links.push(Link { row: area.y, from, to, target: target.clone() });
            }
            if column >= usize::from(area.width) {
                break;
            }
        }
    }

    /// Paints a span from `column` of the area on and gives the column behind it.
    fn span(&mut self, area: Rect, mut column: usize, span: &Span, row: &Row) -> usize {
        let style = self.palette.style(span.token, span.bg.or(row.fill), span.attrs);
        let width = usize::from(area.width);
        for cluster in clusters(span.text.as_str()) {
            let (symbol, end) = match cluster.text {
                "\t" => (" ", tab_stop(column, TAB).min(width)),
                _ => (cluster.text, column + cluster.width),
            };
            if end > width {
                // A wide cluster that does not fit leaves blanks, never half of itself.
                return width;
            }
            if end == column {
                continue;
            }
            let blank = cluster.text == "\t";
            for at in column..end {
                let cell = &mut self.buffer[(area.x + at as u16, area.y)];
                if at == column || blank {
                    cell.set_symbol(symbol);
                } else {
                    // The cells behind a wide one hold nothing of their own.
                    cell.reset();
                }
                cell.set_style(style);
            }
            column = end;
        }
        column
    }
}
