//! What the painter remembers between frames: a pure memo of block rows and of the palette. It may be dropped at any
//! time without a visible change.

use std::collections::BTreeMap;
use std::mem::size_of;
use std::ops::Range;
use std::sync::Arc;

use super::style::Palette;
use crate::model::config::settings::Settings;
use crate::model::config::theme::Theme;
use crate::model::id::BlockId;
use crate::model::term::ColorDepth;
use crate::model::text::row::{Row, Span};
use crate::model::tui::block::{Block, Body};
use crate::model::tui::look::{self, Growth, Look};
use crate::model::tui::viewer::Depth;

/// Bytes of rows that are kept.
pub const LIMIT: usize = 8 * 1024 * 1024;

/// A block at a width and a depth; the version is in the entry, so that a block that changed replaces itself.
type Key = (BlockId, usize, bool);

/// The rows of a block, shared.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    parts: Vec<Arc<[Row]>>,
    len: usize,
}

impl Rows {
    pub fn len(&self) -> usize {
        self.len
    }

    /// The rows of a range.
    pub fn range(&self, range: Range<usize>) -> impl Iterator<Item = &Row> {
        let mut at = 0;
        self.parts.iter().flat_map(move |part| {
            let from = range.start.saturating_sub(at).min(part.len());
            let to = range.end.saturating_sub(at).min(part.len()).max(from);
            at += part.len();
            part.get(from..to).unwrap_or_default()
        })
    }

    fn push(&mut self, rows: Vec<Row>) {
        if !rows.is_empty() {
            self.len += rows.len();
            self.parts.push(rows.into());
        }
    }
}

#[derive(Debug)]
struct Entry {
    version: u32,
    /// The settled rows of a growing block, then the others.
    rows: Rows,
    settled: Rows,
    growth: Option<Growth>,
    bytes: usize,
    used: u64,
}

impl Entry {
    /// The rows of a block, made in parts where it grows in such a way.
    fn new(block: &Block, look: Look<'_>, used: u64) -> Entry {
        let (version, growth) = (block.version(), Growth::of(block));
        let mut entry =
            Entry { version, rows: Rows::default(), settled: Rows::default(), growth, bytes: 0, used };
        if !entry.grow(block, look) {
            entry.growth = None;
            let rows = look::rows(block, look);
            entry.bytes = rows.iter().map(weight).sum();
            entry.rows.push(rows);
        }
        entry
    }

    /// Takes in what was appended to the block, where that can be done.
    fn grow(&mut self, block: &Block, look: Look<'_>) -> bool {
        let Some(more) = self.growth.as_mut().and_then(|growth| growth.advance(block, look)) else {
            return false;
        };
        let rest = self.rows.range(self.settled.len()..self.rows.len());
        self.bytes -= rest.map(weight).sum::<usize>();
        self.bytes += more.settled.iter().chain(&more.rest).map(weight).sum::<usize>();
        self.settled.push(more.settled);
        self.rows = self.settled.clone();
        self.rows.push(more.rest);
        self.version = block.version();
        true
    }
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
    pub(super) fn rows(&mut self, block: &Block, look: Look<'_>) -> Rows {
        if moves_by_itself(block) {
            let mut rows = Rows::default();
            rows.push(look::rows(block, look));
            return rows;
        }
        let key = (block.id(), look.columns, look.depth == Depth::Whole);
        self.clock += 1;
        let mut known = self.forget(key);
        let fits = |entry: &mut Entry| entry.version == block.version() || entry.grow(block, look);
        let mut entry = match known.take_if(fits) {
            Some(entry) => entry,
            None => Entry::new(block, look, self.clock),
        };
        entry.used = self.clock;
        let rows = entry.rows.clone();
        self.insert(key, entry);
        rows
    }

    fn insert(&mut self, key: Key, entry: Entry) {
        self.bytes += entry.bytes;
        self.order.insert(entry.used, key);
        self.entries.insert(key, entry);
        // The newest entry stays, however big it is.
        while self.bytes > self.limit
            && self.entries.len() > 1
            && let Some((_, oldest)) = self.order.pop_first()
        {
            self.forget(oldest);
        }
    }

    fn forget(&mut self, key: Key) -> Option<Entry> {
        let entry = self.entries.remove(&key)?;
        self.order.remove(&entry.used);
        self.bytes -= entry.bytes;
        Some(entry)
    }

    /// A block has left the screen for good.
    pub(super) fn drop_block(&mut self, id: BlockId) {
        let all = (id, 0, false)..=(id, usize::MAX, true);
        let keys: Vec<Key> = self.entries.range(all).map(|(key, _)| *key).collect();
        for key in keys {
            self.forget(key);
        }
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
