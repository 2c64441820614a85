//! One row of cells as it stands on the terminal, and the bytes that turn one row into another. Knows nothing of where
//! the row is on the screen.

use super::escape::{self, Pen};
use crate::model::term::{Caps, ColorDepth};
use crate::model::text::width::cluster_width;
use ratatui::buffer::{Buffer, Cell, CellDiffOption};
use ratatui::style::{Color, Modifier};
use std::fmt::Write as _;
use std::ops::Range;

/// A link over some columns of one row of a buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkSpan {
    /// The row, counted from the buffer's first.
    pub row: u16,
    pub cols: Range<u16>,
    pub url: String,
}

/// What stands in one column: a cluster, or the rest of a wide one.
#[derive(Debug, Clone, PartialEq)]
struct Slot {
    /// Shares ratatui's small string.
    cell: Cell,
    /// Columns; 0 for the rest of a wide cluster.
    width: u8,
    /// The link's number, 0 for none.
    link: u64,
}

/// The attributes that show on a blank.
const ON_BLANKS: Modifier = Modifier::UNDERLINED.union(Modifier::REVERSED).union(Modifier::CROSSED_OUT);
/// The attributes that are written.
const WRITTEN: Modifier = ON_BLANKS.union(Modifier::BOLD).union(Modifier::DIM).union(Modifier::ITALIC);

impl Slot {
    fn is_blank(&self) -> bool {
        self.width == 1
            && self.link == 0
            && self.cell.bg == Color::Reset
            && !self.cell.modifier.intersects(ON_BLANKS)
            && self.cell.symbol() == " "
    }

    fn pen(&self) -> Pen {
        Pen { fg: self.cell.fg, bg: self.cell.bg, modifier: self.cell.modifier & WRITTEN }
    }
}

/// A row without its trailing blanks.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Row {
    slots: Vec<Slot>,
    /// The targets of its links by number.
    links: Vec<(u64, String)>,
    /// Holds a cluster whose width terminals disagree about.
    fragile: bool,
}

/// Whether terminals disagree about a cluster's width: joined, selected or flagged emoji, and scripts whose marks
/// some count as letters. A Latin letter with its accents is safe.
fn is_fragile(symbol: &str) -> bool {
    let mut chars = symbol.chars();
    let emoji = chars.next().is_some_and(|first| first >= '\u{1f000}');
    emoji || chars.any(|c| !('\u{300}'..='\u{36f}').contains(&c))
}

fn link_number(url: &str) -> u64 {
    // FNV-1a: the same link has the same number in every frame and on every row.
    let hash = url.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash >> 32).max(1)
}

impl Row {
    /// The row of a buffer, at most so many columns of it.
    pub fn of(buffer: &Buffer, y: u16, links: &[LinkSpan], cols: u16, caps: &Caps) -> Row {
        let mut row = Row::default();
        let area = buffer.area;
        let cols = usize::from(cols.min(area.width));
        let first = usize::from(y) * usize::from(area.width);
        let cells = buffer.content.get(first..first + cols).unwrap_or_default();
        let mut col = 0;
        while let Some(cell) = cells.get(col) {
            let mut slot = Slot { cell: cell.clone(), width: 1, link: 0 };
            slot.cell.set_diff_option(CellDiffOption::None);
            if slot.cell.symbol().chars().any(char::is_control) {
                slot.cell.set_symbol("\u{fffd}");
            }
            let width = cluster_width(slot.cell.symbol()).clamp(1, 2);
            if col + width > cols {
                slot.cell.set_symbol(" ");
            } else {
                slot.width = u8::try_from(width).unwrap_or(1);
            }
            row.fragile |= is_fragile(slot.cell.symbol());
            let width = usize::from(slot.width);
            row.slots.push(slot);
            row.slots.extend((1..width).map(|_| Slot { cell: Cell::default(), width: 0, link: 0 }));
            col += width;
        }
        if caps.hyperlinks {
            row.add_links(y, links);
        }
        for slot in &mut row.slots {
            if slot.is_blank() {
                slot.cell = Cell::default();
            } else if caps.colors == ColorDepth::None {
                slot.cell.set_fg(Color::Reset).set_bg(Color::Reset);
            }
        }
        let len = row.slots.iter().rposition(|slot| !slot.is_blank()).map_or(0, |last| last + 1);
        row.slots.truncate(len);
        row
    }

    fn add_links(&mut self, y: u16, links: &[LinkSpan]) {
        for link in links.iter().filter(|link| link.row == y) {
            let Some(target) = escape::link_target(&link.url) else { continue };
            let number = link_number(&target);
            for col in link.cols.clone() {
                if let Some(slot) = self.slots.get_mut(usize::from(col)) {
                    slot.link = number;
                }
            }
            self.links.push((number, target));
        }
    }

    /// Columns up to the last one that shows something.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// The row's text, for a terminal that takes nothing else.
    pub fn text(&self) -> String {
        self.slots.iter().filter(|slot| slot.width > 0).map(|slot| slot.cell.symbol()).collect()
    }

    /// The row in pieces of at most so many columns.
    pub fn split(mut self, cols: usize) -> Vec<Row> {
        let mut pieces = Vec::new();
        while self.len() > cols {
            let rest = self.slots.split_off(self.start(cols).max(1));
            let (links, fragile) = (self.links.clone(), self.fragile);
            pieces.push(std::mem::replace(&mut self, Row { slots: rest, links, fragile }));
        }
        pieces.push(self);
        pieces
    }

    /// How many rows it becomes where a terminal re-wraps it at so many columns.
    pub fn rows_at(&self, cols: usize) -> usize {
        self.slots.len().div_ceil(cols.max(1)).max(1)
    }

    /// The first column of the cluster that stands at a column.
    fn start(&self, col: usize) -> usize {
        let rest = self.slots.get(col).is_some_and(|slot| slot.width == 0);
        if rest { col.saturating_sub(1) } else { col }
    }
}

/// The pen, the link and the column of the terminal's cursor while one frame is written.
#[derive(Debug)]
pub(super) struct Brush {
    pub bytes: String,
    pub pen: Pen,
    link: u64,
    /// Where the cursor is; nothing when only an absolute move can tell.
    pub col: Option<usize>,
    colors: ColorDepth,
    /// The terminal re-wraps rows. tmux then counts columns that were erased as still in use, and breaks the row there;
    /// only a row that was erased whole is as short as it looks.
    reflow: bool,
}

/// So many unchanged columns are cheaper to write again than to jump over.
const JUMP: usize = 4;

impl Brush {
    pub fn new(col: Option<usize>, caps: &Caps) -> Brush {
        let Caps { colors, reflow, .. } = *caps;
        Brush { bytes: String::new(), pen: Pen::PLAIN, link: 0, col, colors, reflow }
    }

    pub fn go_to_col(&mut self, col: usize) {
        if self.col == Some(col) {
            return;
        }
        if col == 0 {
            self.bytes.push('\r');
        } else {
            let _ = write!(self.bytes, "\x1b[{}G", col + 1);
        }
        self.col = Some(col);
    }

    /// No colour, no link: before erasing and scrolling, which would spread them.
    pub fn plain(&mut self) {
        escape::set_pen(&mut self.bytes, &mut self.pen, Pen::PLAIN, self.colors);
        if self.link != 0 {
            self.bytes.push_str(escape::LINK_OFF);
            self.link = 0;
        }
    }

    /// Makes the cursor's row show `new` where it showed `old`; `cols` is the screen's width.
    pub fn change(&mut self, old: &Row, new: &Row, cols: usize) {
        if self.reflow && new.len() < old.len() {
            self.go_to_col(0);
            self.bytes.push_str("\x1b[2K");
            return self.change(&Row::default(), new, cols);
        }
        let whole = old.slots.is_empty() || old.fragile || new.fragile;
        let mut col = 0;
        while col < new.len() {
            let Some(next) = (col..new.len()).find(|at| whole || old.slots.get(*at) != new.slots.get(*at))
            else {
                break;
            };
            let from = new.start(next);
            let from = if self.col.is_some_and(|at| at < from && from - at <= JUMP && at >= col) {
                self.col.unwrap_or(from)
            } else {
                from
            };
            self.go_to_col(from);
            col = from;
            while col <= next && col < new.len() {
                col = self.put(new, col, cols);
            }
        }
        if new.len() < old.len() || (old.fragile && new.len() < cols) || (new.fragile && new.len() < cols) {
            self.go_to_col(new.len());
            self.plain();
            self.bytes.push_str("\x1b[K");
        }
    }

    /// Writes the cluster at a column and gives the column behind it.
    fn put(&mut self, row: &Row, col: usize, cols: usize) -> usize {
        let Some(slot) = row.slots.get(col).filter(|slot| slot.width > 0) else { return col + 1 };
        self.go_to_col(col);
        let same = slot.is_blank() && self.pen.bg == Color::Reset && !self.pen.modifier.intersects(ON_BLANKS);
        if !same {
            escape::set_pen(&mut self.bytes, &mut self.pen, slot.pen(), self.colors);
        }
        if slot.link != self.link {
            match row.links.iter().find(|(number, _)| *number == slot.link) {
                Some((number, target)) => escape::link_on(&mut self.bytes, *number, target),
                None => self.bytes.push_str(escape::LINK_OFF),
            }
            self.link = slot.link;
        }
        let width = usize::from(slot.width);
        let symbol = slot.cell.symbol();
        let fragile = is_fragile(symbol);
        if fragile && width == 2 {
            // A terminal that thinks it narrower would leave what stood here before.
            self.bytes.push_str("  ");
            self.col = None;
            self.go_to_col(col);
        }
        self.bytes.push_str(symbol);
        let behind = col + width;
        self.col = (!fragile && behind < cols).then_some(behind);
        behind
    }
}

/// Moves between rows.
impl Brush {
    pub fn up(&mut self, rows: usize) {
        if rows > 0 {
            let _ = write!(self.bytes, "\x1b[{rows}A");
        }
    }

    /// From one row of the live part to another; rows behind its `extent` are made by line feeds, which scroll.
    pub fn move_to_row(&mut self, from: usize, to: usize, extent: usize) {
        if to < from {
            self.up(from - to);
            return;
        }
        let inside = to.min(extent.saturating_sub(1)).saturating_sub(from);
        let feeds = if inside > JUMP {
            let _ = write!(self.bytes, "\x1b[{inside}B");
            to - from - inside
        } else {
            to - from
        };
        if feeds == 0 {
            return;
        }
        // A cursor left in the last column would wrap on some terminals before it moves.
        if self.col.is_none() {
            self.go_to_col(0);
        }
        self.bytes.extend(std::iter::repeat_n('\n', feeds));
    }

    /// To a cell of the alternate screen.
    pub fn go_to_cell(&mut self, col: usize, row: usize) {
        let _ = write!(self.bytes, "\x1b[{};{}H", row + 1, col + 1);
        self.col = Some(col);
    }
}
