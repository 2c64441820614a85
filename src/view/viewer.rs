//! The reader: the conversation in one of two depths, or a page of text, with its search.

use ratatui::layout::Rect;
use ratatui::style::Modifier;

use super::cache::Cache;
use super::rows::Canvas;
use super::status::fitting;
use super::{Scene, composer, rect, transcript};
use crate::model::text::clean::Clean;
use crate::model::text::row::{Attrs, Row, Span, Token};
use crate::model::tui::geometry::Regions;
use crate::model::tui::look;
use crate::model::tui::viewer::{Depth, Page, Reader, Search};
use crate::model::tui::wrapped::Frame;

/// Paints the reader and gives the cursor's cell, which is in the search field while that is typed.
pub fn paint(
    canvas: &mut Canvas<'_>,
    cache: &mut Cache,
    scene: Scene<'_>,
    reader: &Reader,
    regions: Regions,
) -> Option<(u16, u16)> {
    let body = rect(regions.transcript);
    match &reader.page {
        Page::Conversation => {
            let look = super::look(scene.model, body.width, reader.depth);
            let shown = (scene.tui.transcript.blocks(), &reader.scroll);
            transcript::blocks_in(canvas, cache, look, body, shown, scene.tui.selection.as_ref());
        }
        Page::Extensions(page) => {
            let (rows, _) = page.rows(usize::from(body.width).max(1));
            canvas.rows(body, rows.iter().skip(reader.top));
        }
        Page::Text { body: text, .. } => {
            let rows = look::page(text, super::look(scene.model, body.width, Depth::Whole));
            canvas.rows(body, rows.iter().skip(reader.top));
        }
    }
    if let Some(search) = &reader.search {
        mark(canvas, body, search.draft.text());
    }
    status(canvas, scene, reader, rect(regions.status))
}

fn status(canvas: &mut Canvas<'_>, scene: Scene<'_>, reader: &Reader, area: Rect) -> Option<(u16, u16)> {
    if scene.tui.status.armed {
        let words = Clean::collapsed(&scene.model.config.settings.words.exit_hint);
        canvas.row(area, &Row::from(Span::decor(words, Token::Warning)).ellipsis(area.width.into()));
        return None;
    }
    if let Some(search) = reader.search.as_ref().filter(|search| search.typing) {
        return typing(canvas, search, reader.hint(), scene, area);
    }
    let name = match &reader.page {
        Page::Text { title, .. } => title.clone(),
        Page::Extensions(page) => match page.chosen().filter(|_| page.asking) {
            Some(entry) => Clean::collapsed(&format!("End {}?", entry.file)),
            None => Clean::from("extensions"),
        },
        Page::Conversation if reader.depth == Depth::Whole => Clean::from("everything"),
        Page::Conversation => Clean::from("conversation"),
    };
    let mut row = Row::from(Span::decor(name, Token::Accent));
    if reader.search.as_ref().is_some_and(|search| search.missed) {
        row.push(Span::decor("   not found", Token::Warning));
    }
    row.push(Span::decor("   ", Token::Dim));
    let width = usize::from(area.width);
    let hint = fitting(reader.hint(), width.saturating_sub(row.width()));
    if row.width() + hint.width() > width {
        // How to leave matters more than where one is.
        row = fitting(reader.hint(), width);
    } else {
        hint.spans.into_iter().for_each(|span| row.push(span));
    }
    canvas.row(area, &row.ellipsis(width));
    None
}

/// The search field, with the key hint behind it where both have room.
fn typing(
    canvas: &mut Canvas<'_>,
    search: &Search,
    hint: &'static str,
    scene: Scene<'_>,
    area: Rect,
) -> Option<(u16, u16)> {
    canvas.row(area, &Row::from(Span::decor("/", Token::Accent).attrs(Attrs::BOLD)));
    let hint = Row::from(Span::decor(hint, Token::Dim));
    let taken = hint.width() as u16;
    let room = if taken * 2 < area.width { taken + 2 } else { 0 };
    if room > 0 {
        canvas.row(Rect { x: area.right() - taken, width: taken, ..area }, &hint);
    }
    let text = Rect { x: area.x + 1, width: area.width.saturating_sub(1 + room), ..area };
    let frame =
        Frame { columns: usize::from(text.width).max(1), tab: scene.tui.screen.tab.max(1), secret: false };
    composer::field(canvas, text, &search.draft, frame).cursor
}

/// Gives the matches of a search their ground, without regard to case.
fn mark(canvas: &mut Canvas<'_>, area: Rect, wanted: &str) {
    let wanted = wanted.to_lowercase();
    if wanted.is_empty() {
        return;
    }
    let style = canvas.palette.style(Token::SearchMatchText, Some(Token::SearchMatchBg), Attrs::NONE);
    for y in area.y..area.bottom() {
        // The row's text in lower case, and the column that each of its bytes stands in.
        let (mut text, mut columns) = (String::new(), Vec::new());
        for x in area.x..area.right() {
            let symbol = canvas.buffer[(x, y)].symbol().to_lowercase();
            columns.extend(std::iter::repeat_n(x, symbol.len()));
            text.push_str(&symbol);
        }
        for (at, found) in text.match_indices(&wanted) {
            let (Some(first), Some(last)) = (columns.get(at), columns.get(at + found.len() - 1)) else {
                continue;
            };
            for x in *first..=*last {
                let cell = &mut canvas.buffer[(x, y)];
                let kept = cell.modifier & (Modifier::BOLD | Modifier::ITALIC);
                cell.set_style(style.add_modifier(kept));
            }
        }
    }
}
