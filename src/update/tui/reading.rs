//! Reading back: scrolling the transcript and the reader, its depths and its search.

use std::ops::Range;

use super::edit::{self, Hand};
use super::route::ReaderOp;
use crate::model::text::markdown::{Options, Uncoloured, render};
use crate::model::text::row::Row;
use crate::model::tui::Tui;
use crate::model::tui::block::Block;
use crate::model::tui::look::{self, Look, Piece};
use crate::model::tui::scroll::Scroll;
use crate::model::tui::viewer::{Depth, Hit, Page, Reader, Search};
use crate::model::tui::wrapped::Frame;
use crate::update::Cx;

/// How far to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    Rows { down: bool, by: usize },
    Page { down: bool },
    Home,
    End,
}

/// Rows of the transcript's region.
fn height(tui: &Tui) -> usize {
    usize::from(tui.regions(0).transcript.height).max(1)
}

/// Moves the transcript's own view. In inline mode reading back begins by taking the alternate screen, and ends at the tail.
pub fn transcript(tui: &mut Tui, to: Move, cx: &Cx<'_>) {
    if !tui.screen.fullscreen && !tui.screen.reading {
        if matches!(to, Move::End | Move::Page { down: true } | Move::Rows { down: true, .. }) {
            return;
        }
        tui.screen.reading = true;
    }
    let height = height(tui);
    let mut scroll = std::mem::take(&mut tui.transcript.scroll);
    shift(tui, &mut scroll, to, height, look(tui, Depth::Brief, cx));
    tui.screen.reading &= !scroll.is_tail();
    tui.transcript.scroll = scroll;
}

/// Follows the conversation again.
pub fn follow(tui: &mut Tui) {
    tui.transcript.scroll = Scroll::Tail;
    tui.screen.reading = false;
}

/// How the transcript is looked at.
fn look<'a>(tui: &Tui, depth: Depth, cx: &'a Cx<'_>) -> Look<'a> {
    tui.look(depth, &cx.config.settings, cx.now)
}

/// How the reader looks at it, which has the whole screen.
fn reader_look<'a>(tui: &Tui, depth: Depth, cx: &'a Cx<'_>) -> Look<'a> {
    Look { columns: usize::from(tui.screen.size.cols).max(1), ..look(tui, depth, cx) }
}

fn shift(tui: &mut Tui, scroll: &mut Scroll, to: Move, height: usize, look: Look<'_>) {
    let heights = &mut tui.heights;
    heights.settle(look.settings);
    let measure = |_: usize, block: &Block| heights.of(block, look);
    let blocks = tui.transcript.blocks();
    // A page keeps one row of the old one.
    let page = height.saturating_sub(1).max(1);
    match to {
        Move::Rows { down: true, by } => scroll.down(blocks, by, height, measure),
        Move::Rows { down: false, by } => scroll.up(blocks, by, height, measure),
        Move::Page { down: true } => scroll.down(blocks, page, height, measure),
        Move::Page { down: false } => scroll.up(blocks, page, height, measure),
        Move::End => *scroll = Scroll::Tail,
        Move::Home => {
            if let Some(first) = blocks.first() {
                *scroll = Scroll::at(first.id(), 0);
                scroll.settle(blocks, height, measure);
            }
        }
    }
}

/// Keeps the reader's place when the size changes; `before` is the size until now.
pub fn resize(tui: &mut Tui, before: crate::model::term::Size, cx: &Cx<'_>) {
    let Some(mut reader) = tui.reader.take() else { return };
    let look = reader_look(tui, reader.depth, cx);
    keep(tui, &mut reader.scroll, before.cols, tui.screen.size.cols, look);
    tui.reader = Some(reader);
}

/// Keeps the place in the transcript when the conversation has other columns than before.
pub fn rewrap(tui: &mut Tui, cx: &Cx<'_>) {
    let now = tui.columns();
    let before = std::mem::replace(&mut tui.screen.columns, now);
    if before == now || before == 0 {
        return;
    }
    let mut scroll = std::mem::take(&mut tui.transcript.scroll);
    keep(tui, &mut scroll, before, now, look(tui, Depth::Brief, cx));
    tui.transcript.scroll = scroll;
}

fn keep(tui: &Tui, scroll: &mut Scroll, before: u16, now: u16, look: Look<'_>) {
    let Scroll::At(anchor) = &*scroll else { return };
    let Some(block) = tui.transcript.get(anchor.block) else { return };
    let rows = |columns: u16| look::height(block, Look { columns: usize::from(columns).max(1), ..look });
    scroll.resize(before, now, rows(before), rows(now));
}

/// Does what a key means in the reader; `false` when it is to be closed.
pub fn reader(tui: &mut Tui, op: ReaderOp, cx: &Cx<'_>) -> bool {
    let Some(mut reader) = tui.reader.take() else { return true };
    let open = step(tui, &mut reader, op, cx);
    tui.reader = Some(reader);
    open
}

fn step(tui: &mut Tui, reader: &mut Reader, op: ReaderOp, cx: &Cx<'_>) -> bool {
    match op {
        ReaderOp::Close => return reader.search.take().is_some(),
        ReaderOp::Rows { down } => go(tui, reader, Move::Rows { down, by: 1 }, cx),
        ReaderOp::Page { down } => go(tui, reader, Move::Page { down }, cx),
        ReaderOp::Home => go(tui, reader, Move::Home, cx),
        ReaderOp::End => go(tui, reader, Move::End, cx),
        ReaderOp::Depth { more } => {
            let depth = if more { Depth::Whole } else { Depth::Brief };
            if depth != reader.depth {
                reader.depth = depth;
                if let Some(search) = &mut reader.search {
                    search.hit = None;
                }
                // The rows of a block differ between depths: its first row is what both have.
                if let Scroll::At(anchor) = &reader.scroll {
                    reader.scroll = Scroll::at(anchor.block, 0);
                }
            }
        }
        ReaderOp::Search => reader.search = Some(Search { typing: true, ..Search::default() }),
        ReaderOp::Type(c) => {
            if let Some(search) = &mut reader.search {
                edit::insert(&mut search.draft, c.encode_utf8(&mut [0; 4]));
            }
        }
        ReaderOp::Edit { action, select } => {
            if let Some(search) = &mut reader.search {
                let frame = Frame { columns: usize::MAX / 2, tab: 1, secret: false };
                let mut hand = Hand { draft: &mut search.draft, kills: None, goal: &mut None, frame };
                edit::act(&mut hand, action, select);
            }
        }
        ReaderOp::Submit => {
            if let Some(search) = &mut reader.search {
                search.typing = false;
            }
            find(tui, reader, true, true, cx);
        }
        ReaderOp::Find { next } => find(tui, reader, next, false, cx),
        ReaderOp::Redraw | ReaderOp::Suspend => {}
        ReaderOp::Restart | ReaderOp::Disable | ReaderOp::Say(_) => {}
    }
    true
}

/// Text committed or pasted while the search is typed.
pub fn reader_text(reader: &mut Reader, text: &str) {
    if let Some(search) = reader.search.as_mut().filter(|s| s.typing) {
        edit::insert(&mut search.draft, &text.replace('\n', " "));
    }
}

/// Rows of the reader's body.
fn reader_height(tui: &Tui) -> usize {
    usize::from(tui.screen.size.rows.saturating_sub(1)).max(1)
}

/// Moves the reader's view.
pub fn go(tui: &mut Tui, reader: &mut Reader, to: Move, cx: &Cx<'_>) {
    let height = reader_height(tui);
    let depth = reader.depth;
    if let Some(search) = &mut reader.search {
        search.hit = None;
    }
    if let (Page::Extensions(page), Move::Rows { down, .. }) = (&mut reader.page, to) {
        page.step(down);
        return reveal(tui, reader);
    }
    match &reader.page {
        Page::Conversation => {
            let look = reader_look(tui, depth, cx);
            shift(tui, &mut reader.scroll, to, height, look);
        }
        Page::Text { .. } | Page::Extensions(_) => {
            let last = page_rows(tui, reader, cx).len().saturating_sub(height);
            let page = height.saturating_sub(1).max(1);
            reader.top = match to {
                Move::Rows { down: true, by } => (reader.top + by).min(last),
                Move::Rows { down: false, by } => reader.top.saturating_sub(by),
                Move::Page { down: true } => (reader.top + page).min(last),
                Move::Page { down: false } => reader.top.saturating_sub(page),
                Move::Home => 0,
                Move::End => last,
            };
        }
    }
}

/// The rows of a text page.
fn page_rows(tui: &Tui, reader: &Reader, cx: &Cx<'_>) -> Vec<Row> {
    match &reader.page {
        Page::Text { body, .. } => {
            let options = Options {
                tab: cx.config.settings.tab_width,
                urls: !tui.screen.links,
                ..Options::new(usize::from(tui.screen.size.cols).max(1))
            };
            render(body.as_str(), options, &Uncoloured)
        }
        Page::Extensions(page) => page.rows(usize::from(tui.screen.size.cols).max(1)).0,
        Page::Conversation => Vec::new(),
    }
}

/// Moves the page so that the entry under the cursor shows, its head first.
fn reveal(tui: &Tui, reader: &mut Reader) {
    let Page::Extensions(page) = &reader.page else { return };
    let height = reader_height(tui);
    let (rows, places) = page.rows(usize::from(tui.screen.size.cols).max(1));
    let Some(place) = places.get(page.cursor) else { return };
    // The first entry brings the page's title with it, the last what stands below.
    let first = if page.cursor == 0 { 0 } else { place.start };
    let end = if page.cursor + 1 == places.len() { rows.len() } else { place.end };
    let last = rows.len().saturating_sub(height);
    reader.top = reader.top.max(end.saturating_sub(height)).min(first).min(last);
}

/// Goes to the next row that has the words, from the present one on (`here`: including it).
fn find(tui: &mut Tui, reader: &mut Reader, next: bool, here: bool, cx: &Cx<'_>) {
    let Some(words) = reader.search.as_ref().map(|s| s.draft.text().to_lowercase()) else { return };
    if words.trim().is_empty() {
        reader.search = None;
        return;
    }
    let found = match &reader.page {
        Page::Text { .. } | Page::Extensions(_) => {
            let rows = page_rows(tui, reader, cx);
            let from = last_hit(reader).map_or(reader.top, |hit| hit.row);
            let row = pick(rows.len(), from, next, here, |row| has(rows.get(row), &words));
            if let Some(row) = row {
                let height = reader_height(tui);
                let last = rows.len().saturating_sub(height);
                reader.top = row.saturating_sub(height / LEAD).min(last);
                hit_at(reader, Hit { block: None, row });
            }
            row.is_some()
        }
        Page::Conversation => find_block(tui, reader, &words, next, here, cx),
    };
    if let Some(search) = &mut reader.search {
        search.missed = !found;
    }
}

/// A match comes this part of the screen below its top, so that what leads up to it is seen.
const LEAD: usize = 4;

fn last_hit(reader: &Reader) -> Option<Hit> {
    reader.search.as_ref().and_then(|search| search.hit)
}

fn hit_at(reader: &mut Reader, hit: Hit) {
    if let Some(search) = &mut reader.search {
        search.hit = Some(hit);
    }
}

fn has(row: Option<&Row>, words: &str) -> bool {
    row.is_some_and(|row| row.plain().to_lowercase().contains(words))
}

/// The nearest index with a property, in a direction, coming out at the other end.
fn pick(len: usize, from: usize, next: bool, here: bool, hit: impl Fn(usize) -> bool) -> Option<usize> {
    order(len, from, next, here).find(|index| hit(*index))
}

/// All indices from one on in a direction, coming out at the other end.
fn order(len: usize, from: usize, next: bool, here: bool) -> impl Iterator<Item = usize> {
    let skip = usize::from(!here);
    (skip..len + skip).map(move |n| if next { (from + n) % len } else { (from + len - n % len) % len })
}

/// The first row of some pieces, or the last, that has the words, among those of a range.
fn within(pieces: &[Piece], range: Range<usize>, words: &str, next: bool) -> Option<usize> {
    let mut start = 0;
    let mut starts = Vec::with_capacity(pieces.len());
    for piece in pieces {
        starts.push((start, piece));
        start += piece.height();
    }
    let find = |(start, piece): &(usize, &Piece)| {
        let part = range.start.saturating_sub(*start)..range.end.saturating_sub(*start);
        piece.find(part, words, next).map(|at| start + at)
    };
    if next { starts.iter().find_map(find) } else { starts.iter().rev().find_map(find) }
}

fn find_block(tui: &mut Tui, reader: &mut Reader, words: &str, next: bool, here: bool, cx: &Cx<'_>) -> bool {
    let look = reader_look(tui, reader.depth, cx);
    let blocks = tui.transcript.blocks();
    if blocks.is_empty() {
        return false;
    }
    let before = |block| blocks.partition_point(|b| b.id() < block);
    let hit = last_hit(reader).and_then(|hit| Some((hit.block?, hit.row)));
    let (from, row) = match (hit, &reader.scroll) {
        (Some((block, row)), _) => (before(block), row),
        (None, Scroll::At(anchor)) => (before(anchor.block), anchor.row),
        // From the tail a search goes to the newest match, or begins at the top.
        (None, Scroll::Tail) => (if next { 0 } else { blocks.len() - 1 }, if next { 0 } else { usize::MAX }),
    };
    let from = from.min(blocks.len() - 1);
    // The rest of the present block first.
    let ahead = if next { row.saturating_add(usize::from(!here))..usize::MAX } else { 0..row };
    let height = reader_height(tui);
    let heights = &mut tui.heights;
    heights.settle(&cx.config.settings);
    let mut found = |index: usize, range| {
        let pieces = heights.pieces(blocks.get(index)?, look);
        within(&pieces, range, words, next).map(|at| (index, at))
    };
    let len = blocks.len();
    let target = found(from, ahead)
        .or_else(|| order(len, from, next, false).find_map(|index| found(index, 0..usize::MAX)));
    let Some((index, at)) = target else { return false };
    if let Some(block) = blocks.get(index).map(Block::id) {
        let mut measure = |_: usize, block: &Block| heights.of(block, look);
        reader.scroll = Scroll::at(block, at);
        reader.scroll.up(blocks, height / LEAD, height, &mut measure);
        reader.scroll.settle(blocks, height, &mut measure);
        hit_at(reader, Hit { block: Some(block), row: at });
    }
    true
}

/// A reader on the conversation that begins where the person stands.
pub fn open(tui: &Tui, settings_show: Depth) -> Reader {
    Reader { depth: settings_show, scroll: tui.transcript.scroll.clone(), ..Reader::default() }
}
