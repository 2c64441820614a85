//! How many rows blocks take, as far as update has asked: a memo, so that scrolling does not lay out anew what it has
//! laid out before. It may be dropped at any time.

use std::collections::BTreeMap;

use crate::model::config::settings::Settings;
use crate::model::id::BlockId;

use super::block::{Block, Body};
use super::look::{self, Look};
use super::viewer::Depth;

/// Blocks that are remembered.
const MOST: usize = 8 * 1024;

#[derive(Debug, Clone, Default)]
pub struct Heights {
    /// Version and rows by block, columns and depth.
    known: BTreeMap<(BlockId, usize, bool), (u32, usize)>,
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
            self.settings = Some(settings.clone());
        }
    }

    /// The rows of a block.
    pub fn of(&mut self, block: &Block, look: Look<'_>) -> usize {
        // The time that a running call shows may need one row more.
        let runs = match block.body() {
            Body::Tools(tools) => tools.running(),
            Body::Shell { call, .. } => call.outcome().is_none(),
            _ => false,
        };
        if runs {
            return look::height(block, look);
        }
        let key = (block.id(), look.columns, look.depth == Depth::Whole);
        if let Some((version, rows)) = self.known.get(&key)
            && *version == block.version()
        {
            return *rows;
        }
        let rows = look::height(block, look);
        self.known.insert(key, (block.version(), rows));
        rows
    }
}
