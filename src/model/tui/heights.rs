//! How many rows blocks take, as far as update has asked: a memo, so that scrolling does not lay out anew what it has
//! laid out before. It may be dropped at any time.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::config::settings::Settings;
use crate::model::id::BlockId;

use super::block::{Block, Body};
use super::look::{self, Look, Piece};
use super::viewer::Depth;

/// Blocks that are remembered.
const MOST: usize = 8 * 1024;

/// A block at a width and a depth.
type Key = (BlockId, usize, bool);

#[derive(Debug, Clone, Default)]
pub struct Heights {
    /// Version and rows by block, columns and depth.
    known: BTreeMap<Key, (u32, usize)>,
    /// The block with a long diff that was laid out last: scrolling and searching in it come back to it key by key.
    long: Option<(Key, u32, Arc<[Piece]>)>,
    /// The settings they were found under.
    settings: Option<Settings>,
}

/// A memo says nothing that the blocks do not say.
impl PartialEq for Heights {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Heights {
    /// Forgets what was found under other settings. To be called before blocks are asked about.
    pub fn settle(&mut self, settings: &Settings) {
        if self.settings.as_ref() != Some(settings) || self.known.len() > MOST {
            self.known.clear();
            self.long = None;
            self.settings = Some(settings.clone());
        }
    }

    /// The rows of a block.
    pub fn of(&mut self, block: &Block, look: Look<'_>) -> usize {
        if runs(block) {
            return look::height(block, look);
        }
        let key = (block.id(), look.columns, look.depth == Depth::Whole);
        if let Some((version, rows)) = self.known.get(&key)
            && *version == block.version()
        {
            return *rows;
        }
        let rows = self.pieces(block, look).iter().map(Piece::height).sum();
        self.known.insert(key, (block.version(), rows));
        rows
    }

    /// The rows of a block in parts.
    pub fn pieces(&mut self, block: &Block, look: Look<'_>) -> Arc<[Piece]> {
        let key = (block.id(), look.columns, look.depth == Depth::Whole);
        if let Some((known, version, pieces)) = &self.long
            && (*known, *version) == (key, block.version())
        {
            return pieces.clone();
        }
        let pieces: Arc<[Piece]> = look::pieces(block, look).into();
        if !runs(block) && pieces.iter().any(|piece| matches!(piece, Piece::Diff(..))) {
            self.long = Some((key, block.version(), pieces.clone()));
        }
        pieces
    }
}

/// Whether it shows a time that goes on: that may need one row more.
fn runs(block: &Block) -> bool {
    match block.body() {
        Body::Tools(tools) => tools.running(),
        Body::Shell { call, .. } => call.outcome().is_none(),
        _ => false,
    }
}
