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
use crate::model::tui::look::{self, Growth, Look, Piece};
use crate::model::tui::viewer::Depth;

/// Bytes of rows that are kept.
pub const LIMIT: usize = 8 * 1024 * 1024;

/// A block at a width and a depth; the version is in the entry, so that a block that changed replaces itself.
type Key = (BlockId, usize, bool);

/// The rows of a block, shared.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    parts: Vec<Arc<Piece>>,
    len: usize,
}

impl Rows {
    fn of(pieces: Vec<Piece>) -> Rows {
        let mut rows = Rows::default();
        pieces.into_iter().for_each(|piece| rows.push(piece));
        rows
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// The rows of a range.
    pub fn range(&self, range: Range<usize>) -> Vec<Row> {
        let mut out = Vec::new();
        let mut at = 0;
        for part in &self.parts {
            let len = part.height();
            let from = range.start.saturating_sub(at).min(len);
            let to = range.end.saturating_sub(at).min(len);
            if from < to {
                out.extend(part.rows(from..to));
            }
            at += len;
        }
        out
    }

    fn push(&mut self, piece: Piece) {
        if piece.height() > 0 {
            self.len += piece.height();
            self.parts.push(Arc::new(piece));
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
            entry.rows = Rows::of(look::pieces(block, look));
            entry.bytes = entry.rows.parts.iter().map(|piece| bytes(piece)).sum();
        }
        entry
    }

    /// Takes in what was appended to the block, where that can be done.
    fn grow(&mut self, block: &Block, look: Look<'_>) -> bool {
        let Some(more) = self.growth.as_mut().and_then(|growth| growth.advance(block, look)) else {
            return false;
        };
        let rest = self.rows.parts.iter().skip(self.settled.parts.len());
        self.bytes -= rest.map(|piece| bytes(piece)).sum::<usize>();
        let (settled, rest) = (Piece::Rows(more.settled), Piece::Rows(more.rest));
        self.bytes += bytes(&settled) + bytes(&rest);
        self.settled.push(settled);
        self.rows = self.settled.clone();
        self.rows.push(rest);
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
            return Rows::of(look::pieces(block, look));
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

/// Bytes that a part takes, about.
fn bytes(piece: &Piece) -> usize {
    match piece {
        Piece::Rows(rows) => rows.iter().map(weight).sum(),
        Piece::Diff(laid, ..) => laid.bytes(),
    }
}

/// Bytes a row takes, about.
fn weight(row: &Row) -> usize {
    size_of::<Row>() + row.spans.iter().map(|span| size_of::<Span>() + span.text.len()).sum::<usize>()
}
