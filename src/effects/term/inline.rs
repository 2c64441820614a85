//! The live part of the main screen: rows repainted in place, with finished rows leaving above them into the terminal's
//! own scrollback.
//!
//! No question is put to the terminal. Everything is addressed from the live part's first row, so it may start on any
//! row of the screen: rows are made by line feeds, which scroll where they must, and upward moves stay inside the live
//! part, which is never taller than the screen. A row that is finished is written where it stood while it was live, so
//! the rows that go to the scrollback and the live rows below them are changed as one run of rows.

use super::escape;
use super::guard::Modes;
use super::row::{Brush, Row};
use crate::model::term::{Caps, Size};

/// Erases the cursor's row and everything below it. From the screen's first cell tmux would not erase but push
/// everything into its scrollback, so it is not done from there.
const ERASE_BELOW: &str = "\x1b[2K\x1b[2G\x1b[J\r";

/// The live part as it is believed to be.
#[derive(Debug)]
pub(super) struct Inline {
    rows: Vec<Row>,
    /// The cursor's place, the row counted from the live part's first.
    row: usize,
    col: usize,
    /// What stands there cannot be trusted: it is erased and written anew.
    stale: bool,
    /// The screen's height when it was drawn.
    height: usize,
    /// Rows of the live part that a screen made too small for it has pushed into the scrollback. Many terminals bring
    /// them back when the screen grows again. Counted only while the live part fills the screen: then nothing else
    /// can stand above it, and to look for them too far up does no harm.
    lost: usize,
    /// Blank rows of the screen below the live part, at most.
    blank: usize,
    /// Finished rows written above it since its size is what it is.
    written: usize,
}

impl Inline {
    /// Nothing yet: it will begin on the row the cursor is on.
    pub fn new() -> Inline {
        Inline {
            rows: Vec::new(),
            row: 0,
            col: 0,
            stale: true,
            height: 0,
            lost: 0,
            blank: usize::MAX,
            written: 0,
        }
    }

    /// Rows of the screen from the live part's first on, at most: its own and the blank ones below it.
    fn room(&self, size: Size, caps: &Caps) -> usize {
        let (cols, height) = (usize::from(size.cols), usize::from(size.rows));
        let rows = if caps.reflow && self.stale {
            self.rows.iter().map(|row| row.rows_at(cols)).sum()
        } else {
            self.rows.len()
        };
        let grown = height.saturating_sub(self.height);
        rows.saturating_add(self.blank).saturating_add(grown).min(height)
    }

    /// Rows of the screen that will stand above the live part for certain, once so many more are finished.
    pub fn above(&self, finished: usize, size: Size, caps: &Caps) -> usize {
        usize::from(size.rows).saturating_sub(self.room(size, caps).saturating_sub(finished))
    }

    /// Nothing is shown.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The next frame is written whole.
    pub fn distrust(&mut self) {
        self.stale = true;
    }

    /// The bytes that erase the live part; the cursor is then where it began.
    pub fn erased(&self, size: Size, caps: &Caps) -> String {
        let mut brush = Brush::new(None, caps);
        if self.rows.is_empty() {
            brush.go_to_col(0);
        } else {
            self.erase(&mut brush, size, caps.reflow);
        }
        brush.bytes
    }

    /// The terminal may have broken finished rows anew: how many rows they take is not known any more.
    pub fn forget_written(&mut self) {
        self.written = 0;
    }

    /// The bytes that erase the live part and the finished rows above it that are still on the screen.
    pub fn vanished(&self, size: Size, caps: &Caps) -> String {
        let mut bytes = self.erased(size, caps);
        let mut brush = Brush::new(None, caps);
        brush.up(self.written.min(usize::from(size.rows).saturating_sub(1)));
        brush.bytes.push_str(ERASE_BELOW);
        bytes.push_str(&brush.bytes);
        bytes
    }

    /// The bytes that leave the live part standing and take the cursor to the row below it.
    pub fn left(&self) -> String {
        format!("\r{}", "\n".repeat(self.feeds_below()))
    }

    /// Line feeds from the cursor to the first row below what shows.
    fn feeds_below(&self) -> usize {
        let empty = self.rows.iter().all(|row| row.len() == 0);
        if empty { 0 } else { self.rows.len().saturating_sub(self.row) }
    }

    /// How many rows above the cursor the live part begins, on a terminal that is now so many columns wide. One that
    /// re-wraps has broken rows that no longer fit, and moved the cursor with them.
    fn rows_above(&self, cols: usize, reflow: bool) -> usize {
        if !reflow {
            return self.row;
        }
        let above: usize = self.rows.iter().take(self.row).map(|row| row.rows_at(cols)).sum();
        above + self.col / cols.max(1)
    }

    /// Erases the live part and leaves the cursor where it began. Gives how many of its rows are in the scrollback.
    fn erase(&self, brush: &mut Brush, size: Size, reflow: bool) -> usize {
        let height = usize::from(size.rows);
        let above = self.rows_above(usize::from(size.cols), reflow);
        let top = height.saturating_sub(1);
        brush.go_to_col(0);
        brush.up((above + self.lost).min(top));
        brush.bytes.push_str(ERASE_BELOW);
        (self.lost + above.saturating_sub(top)).saturating_sub(height.saturating_sub(self.height))
    }

    /// The bytes that turn the live part into finished rows and the new live rows under them. `cursor` is a column and
    /// row of the live ones, of which there are no more than the screen has rows.
    pub fn show(
        &mut self,
        finished: Vec<Row>,
        live: Vec<Row>,
        cursor: Option<(usize, usize)>,
        size: Size,
        caps: &Caps,
        modes: &Modes,
    ) -> String {
        let (cols, height) = (usize::from(size.cols), usize::from(size.rows));
        let old = std::mem::replace(self, Inline::new());
        let room = old.room(size, caps);
        let mut brush = Brush::new((!old.stale).then_some(old.col), caps);
        let lost = if old.stale { old.erase(&mut brush, size, caps.reflow) } else { old.lost };
        // On the terminal there is always the row the cursor is on.
        let (at, before) = if old.stale { (0, Vec::new()) } else { (old.row, old.rows) };
        let mut rows: Vec<Row> = finished.into_iter().flat_map(|row| row.split(cols)).collect();
        let finished = rows.len();
        rows.extend(live);
        rows.resize_with(rows.len().max(finished + 1), Row::default);
        let (col, row) = cursor.unwrap_or((0, 0));
        let at = change_rows(&mut brush, at, &before, &rows, finished, cols);
        brush.move_to_row(at, finished + row, before.len().max(rows.len()));
        brush.go_to_col(col);
        rows.drain(..finished);
        let fills = finished == 0 && rows.len() >= height;
        let (lost, blank) = (if fills { lost } else { 0 }, room.saturating_sub(finished + rows.len()));
        let written = old.written + finished;
        *self = Inline { rows, row, col, stale: false, height, lost, blank, written };
        modes.set_below(self.feeds_below());
        brush.bytes
    }
}

/// Changes the rows from the live part's first on, the cursor being on row `at` of them. Gives the row it is on then;
/// all rows exist on the terminal, and nothing is left below them.
fn change_rows(
    brush: &mut Brush,
    at: usize,
    before: &[Row],
    rows: &[Row],
    finished: usize,
    cols: usize,
) -> usize {
    let none = Row::default();
    let mut at = at;
    let mut extent = before.len().max(1);
    // Finished rows may wrap, should the terminal have grown narrower by now: they are not counted on again. A live
    // row that wrapped would be in two places.
    let mut wrapping = true;
    for (index, row) in rows.iter().enumerate() {
        let was = before.get(index).unwrap_or(&none);
        if was == row && index < extent {
            continue;
        }
        brush.move_to_row(at, index, extent);
        (at, extent) = (index, extent.max(index + 1));
        if was != row {
            if wrapping && index >= finished {
                wrapping = false;
                brush.bytes.push_str(escape::WRAP_OFF);
            }
            brush.change(was, row, cols);
            brush.plain();
        }
    }
    if !wrapping {
        brush.bytes.push_str(escape::WRAP_ON);
    }
    if rows.len() < before.len() {
        brush.move_to_row(at, rows.len(), extent);
        at = rows.len();
        brush.go_to_col(0);
        brush.bytes.push_str("\x1b[J");
    }
    at
}
