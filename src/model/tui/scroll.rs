//! Where a reader stands in a column of blocks: at the tail, or at an anchor that nothing below can move.

use std::ops::Range;

use crate::model::id::BlockId;

use super::block::Block;

#[derive(Debug, Clone, PartialEq, Default)]
pub enum Scroll {
    /// Follows what is new.
    #[default]
    Tail,
    /// The top row shown is this row of this block.
    At(Anchor),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Anchor {
    pub block: BlockId,
    /// Counted in rows of the block at the present width, its blank row above included.
    pub row: usize,
    /// The same place at widths it was seen at before, so that a resize and back returns to it.
    pub seen: Vec<(u16, usize)>,
}

/// Rows of one block that are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    /// Index into the blocks.
    pub index: usize,
    pub rows: Range<usize>,
}

/// A block's place by its id; ids rise.
pub fn find(blocks: &[Block], id: BlockId) -> Option<usize> {
    blocks.binary_search_by_key(&id, Block::id).ok()
}

/// The rows a viewport shows, from the top. Walks only what is shown. `measure` gives a block's rows, the blank row
/// above it included.
pub fn window(
    blocks: &[Block],
    scroll: &Scroll,
    height: usize,
    mut measure: impl FnMut(usize, &Block) -> usize,
) -> Vec<Slice> {
    let mut out = Vec::new();
    let mut left = height;
    match scroll {
        Scroll::Tail => {
            for (index, block) in blocks.iter().enumerate().rev() {
                if left == 0 {
                    break;
                }
                let rows = measure(index, block);
                let shown = rows.min(left);
                out.push(Slice { index, rows: rows - shown..rows });
                left -= shown;
            }
            out.reverse();
        }
        Scroll::At(anchor) => {
            let Some(first) = find(blocks, anchor.block) else {
                return window(blocks, &Scroll::Tail, height, measure);
            };
            for (index, block) in blocks.iter().enumerate().skip(first) {
                if left == 0 {
                    break;
                }
                let rows = measure(index, block);
                let from = if index == first { anchor.row.min(rows.saturating_sub(1)) } else { 0 };
                let shown = (rows - from.min(rows)).min(left);
                out.push(Slice { index, rows: from..from + shown });
                left -= shown;
            }
        }
    }
    out
}

impl Scroll {
    pub fn is_tail(&self) -> bool {
        *self == Scroll::Tail
    }

    pub fn at(block: BlockId, row: usize) -> Self {
        Scroll::At(Anchor { block, row, seen: Vec::new() })
    }

    /// Moves the viewport `by` rows up; stops at the first row.
    pub fn up(
        &mut self,
        blocks: &[Block],
        by: usize,
        height: usize,
        mut measure: impl FnMut(usize, &Block) -> usize,
    ) {
        let top = window(blocks, self, height, &mut measure).into_iter().next();
        let Some(Slice { mut index, rows }) = top else { return };
        let (mut row, mut by) = (rows.start, by);
        let before = (index, row);
        while by > row && index > 0 {
            by -= row;
            index -= 1;
            row = blocks.get(index).map_or(0, |b| measure(index, b));
        }
        row = row.saturating_sub(by);
        if (index, row) != before
            && let Some(block) = blocks.get(index)
        {
            *self = Scroll::at(block.id(), row);
        }
    }

    /// Moves the viewport `by` rows down; at the end it follows again.
    pub fn down(
        &mut self,
        blocks: &[Block],
        by: usize,
        height: usize,
        mut measure: impl FnMut(usize, &Block) -> usize,
    ) {
        let Scroll::At(anchor) = self else { return };
        let Some(first) = find(blocks, anchor.block) else {
            *self = Scroll::Tail;
            return;
        };
        let (mut index, mut row) = (first, anchor.row + by);
        while let Some(block) = blocks.get(index) {
            let rows = measure(index, block);
            if row < rows {
                break;
            }
            row -= rows;
            index += 1;
        }
        *self = match blocks.get(index) {
            Some(block) => Scroll::at(block.id(), row),
            None => Scroll::Tail,
        };
        self.settle(blocks, height, measure);
    }

    /// Follows again when the last row is in view anyway.
    pub fn settle(
        &mut self,
        blocks: &[Block],
        height: usize,
        mut measure: impl FnMut(usize, &Block) -> usize,
    ) {
        let Scroll::At(anchor) = self else { return };
        let Some(first) = find(blocks, anchor.block) else {
            *self = Scroll::Tail;
            return;
        };
        let mut below = 0;
        for (index, block) in blocks.iter().enumerate().skip(first) {
            let rows = measure(index, block);
            below += if index == first { rows.saturating_sub(anchor.row) } else { rows };
            if below > height {
                return;
            }
        }
        *self = Scroll::Tail;
    }

    /// Keeps its place when the width changes: the anchored block had `before` rows and has `after` now.
    pub fn resize(&mut self, from: u16, to: u16, before: usize, after: usize) {
        let Scroll::At(anchor) = self else { return };
        if from == to {
            return;
        }
        anchor.seen.retain(|(width, _)| *width != from);
        anchor.seen.push((from, anchor.row));
        anchor.row = match anchor.seen.iter().find(|(width, _)| *width == to) {
            Some((_, row)) => *row,
            None => (anchor.row * after).checked_div(before).unwrap_or(0).min(after.saturating_sub(1)),
        };
    }
}
