//! What the painter remembers between frames: a pure memo of block rows and of the palette. It may be dropped at any
//! time without a visible change.

use std::collections::BTreeMap;
use std::mem::size_of;
use std::sync::Arc;

use super::style::Palette;
use crate::model::config::settings::Settings;
use crate::model::config::theme::Theme;
use crate::model::id::BlockId;
use crate::model::term::ColorDepth;
use crate::model::text::row::{Row, Span};
use crate::model::tui::block::{Block, Body};
use crate::model::tui::look::{self, Look};
use crate::model::tui::viewer::Depth;

/// Bytes of rows that are kept.
pub const LIMIT: usize = 8 * 1024 * 1024;

/// A block at a width and a depth; the version is in the entry, so that a block that changed replaces itself.
type Key = (BlockId, usize, bool);

#[derive(Debug)]
struct Entry {
    version: u32,
    rows: Arc<[Row]>,
    bytes: usize,
    used: u64,
}

/// The painter's memory.
#[derive(Debug)]
pub struct Cache {
    entries: BTreeMap<Key, Entry>,
    /// Entries by when they were last used.
    order: BTreeMap<u64, Key>,
    bytes: usize,
    limit: usize,
    clock: u64,
    settings: Option<Settings>,
    palette: Option<(Theme, ColorDepth, Arc<Palette>)>,
}

impl Default for Cache {
    fn default() -> Self {
        Cache::with_limit(LIMIT)
    }
}

impl Cache {
    /// A cache of that many bytes of rows.
    pub fn with_limit(limit: usize) -> Self {
        Cache {
            entries: BTreeMap::new(),
            order: BTreeMap::new(),
            bytes: 0,
            limit,
            clock: 0,
            settings: None,
            palette: None,
        }
    }

    /// Bytes of rows that are kept right now, as far as they are counted.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The palette of a theme.
    pub(super) fn palette(&mut self, theme: &Theme, depth: ColorDepth) -> Arc<Palette> {
        match &self.palette {
            Some((known, at, palette)) if known == theme && *at == depth => palette.clone(),
            _ => {
                let palette = Arc::new(Palette::new(theme, depth));
                self.palette = Some((theme.clone(), depth, palette.clone()));
                palette
            }
        }
    }

    /// Rows made under other settings go. To be called once a frame.
    pub(super) fn settle(&mut self, settings: &Settings) {
        if self.settings.as_ref() != Some(settings) {
            self.entries.clear();
            self.order.clear();
            self.bytes = 0;
            self.settings = Some(settings.clone());
        }
    }

    /// The rows of a block.
    pub(super) fn rows(&mut self, block: &Block, look: Look<'_>) -> Arc<[Row]> {
        if moves_by_itself(block) {
            return look::rows(block, look).into();
        }
        let key = (block.id(), look.columns, look.depth == Depth::Whole);
        self.clock += 1;
        if let Some(entry) = self.entries.get_mut(&key)
            && entry.version == block.version()
        {
            self.order.remove(&entry.used);
            entry.used = self.clock;
            self.order.insert(self.clock, key);
            return entry.rows.clone();
        }
        let rows: Arc<[Row]> = look::rows(block, look).into();
        self.insert(key, block.version(), rows.clone());
        rows
    }

    fn insert(&mut self, key: Key, version: u32, rows: Arc<[Row]>) {
        self.forget(key);
        let bytes = rows.iter().map(weight).sum();
        self.bytes += bytes;
        self.order.insert(self.clock, key);
        self.entries.insert(key, Entry { version, rows, bytes, used: self.clock });
        // The newest entry stays, however big it is.
        while self.bytes > self.limit
            && self.entries.len() > 1
            && let Some((_, oldest)) = self.order.pop_first()
        {
            self.forget(oldest);
        }
    }

    fn forget(&mut self, key: Key) {
        if let Some(entry) = self.entries.remove(&key) {
            self.order.remove(&entry.used);
            self.bytes -= entry.bytes;
        }
    }

    /// A block has left the screen for good.
    pub(super) fn drop_block(&mut self, id: BlockId) {
        let all = (id, 0, false)..=(id, usize::MAX, true);
        let keys: Vec<Key> = self.entries.range(all).map(|(key, _)| *key).collect();
        keys.into_iter().for_each(|key| self.forget(key));
    }
}

/// Whether it shows the time that a running call has taken.
fn moves_by_itself(block: &Block) -> bool {
    match block.body() {
        Body::Tools(tools) => tools.running(),
        Body::Shell { call, .. } => call.outcome().is_none(),
        Body::Banner { .. }
        | Body::User { .. }
        | Body::Text(_)
        | Body::Thinking(_)
        | Body::Notice { .. }
        | Body::Error { .. }
        | Body::Summary { .. }
        | Body::Show { .. } => false,
    }
}

/// Bytes a row takes, about.
fn weight(row: &Row) -> usize {
    size_of::<Row>() + row.spans.iter().map(|span| size_of::<Span>() + span.text.len()).sum::<usize>()
}
