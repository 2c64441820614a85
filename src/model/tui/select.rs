//! A selection of the conversation made with the mouse: places in rows of blocks, and the source text between them.

use std::ops::Range;

use crate::model::id::BlockId;
use crate::model::text::row::{self, Row};

use super::block::Block;
use super::viewer::Depth;

/// A cell of the conversation. Places are in the order of the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    pub block: BlockId,
    /// Row of the block at the width and depth it is shown in, its blank row above included.
    pub row: usize,
    pub col: usize,
}

/// From the cell where the button went down to the one where it is now, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Selection {
    pub from: Spot,
    pub to: Spot,
    /// The depth of the view it was made in.
    pub depth: Depth,
    /// The pointer has moved: before that it is a click and selects nothing.
    pub dragged: bool,
}

impl Selection {
    pub fn at(spot: Spot, depth: Depth) -> Self {
        Selection { from: spot, to: spot, depth, dragged: false }
    }

    /// The selected columns of a row; nothing where it is outside.
    pub fn columns(&self, block: BlockId, row: usize) -> Option<Range<usize>> {
        let (first, last) = (self.from.min(self.to), self.from.max(self.to));
        let place = (block, row);
        if !self.dragged || place < (first.block, first.row) || place > (last.block, last.row) {
            return None;
        }
        let from = if place == (first.block, first.row) { first.col } else { 0 };
        let to = if place == (last.block, last.row) { last.col.saturating_add(1) } else { usize::MAX };
        Some(from..to)
    }

    /// The source text of what is selected: no gutters, no borders, no breaks that only wrapping made.
    pub fn text(&self, blocks: &[Block], mut rows: impl FnMut(&Block) -> Vec<Row>) -> String {
        let within = |block: &&Block| {
            (self.from.min(self.to).block..=self.from.max(self.to).block).contains(&block.id())
        };
        let mut picked = Vec::new();
        for block in blocks.iter().filter(within) {
            for (at, row) in rows(block).iter().enumerate() {
                picked.extend(self.columns(block.id(), at).map(|columns| row.within(&columns)));
            }
        }
        row::source(&picked)
    }
}
