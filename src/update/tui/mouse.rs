//! The mouse, which is captured on the alternate screen alone: the wheel scrolls what is under it, a click puts the
//! cursor, a drag selects, and what was selected of the conversation is copied when the button is let go.

use super::pane;
use super::reading::{self, Move};
use crate::model::effect::{Effect, TermFx};
use crate::model::term::{Mouse, MouseButton, MouseKind};
use crate::model::text::row::Row;
use crate::model::tui::block::Block;
use crate::model::tui::geometry::{Canvas, text_area};
use crate::model::tui::look::{self, Look};
use crate::model::tui::modal::Question;
use crate::model::tui::scroll::window;
use crate::model::tui::select::{Selection, Spot};
use crate::model::tui::viewer::{Depth, Page};
use crate::model::tui::{Tui, wrapped};
use crate::update::{Cx, Out};

pub fn mouse(tui: &mut Tui, mouse: Mouse, cx: &Cx<'_>, out: &mut Out) {
    let front = tui.reader.is_some() || tui.modals.open().is_some() || tui.picker.is_some();
    let by = cx.config.settings.scroll_lines;
    match mouse.kind {
        MouseKind::WheelUp if !front && pane::wheel(tui, mouse, false, by) => {}
        MouseKind::WheelDown if !front && pane::wheel(tui, mouse, true, by) => {}
        MouseKind::WheelUp => wheel(tui, mouse, false, cx),
        MouseKind::WheelDown => wheel(tui, mouse, true, cx),
        MouseKind::Down(MouseButton::Left) => {
            tui.selection = None;
            if front || !pane::press(tui, mouse, out) {
                match spot(tui, mouse, false, cx) {
                    Some(spot) => tui.selection = Some(Selection::at(spot, depth(tui))),
                    None => click(tui, mouse, false),
                }
            }
        }
        MouseKind::Drag(MouseButton::Left) if !front && pane::drag(tui, mouse) => {}
        MouseKind::Drag(MouseButton::Left) if tui.selection.is_some() => drag(tui, mouse, cx),
        MouseKind::Drag(MouseButton::Left) => click(tui, mouse, true),
        MouseKind::Up(MouseButton::Left) => {
            pane::release(tui);
            copy(tui, cx, out);
        }
        MouseKind::Down(_) | MouseKind::Up(_) | MouseKind::Drag(_) | MouseKind::Moved => {}
        MouseKind::WheelLeft | MouseKind::WheelRight => {}
    }
}

fn wheel(tui: &mut Tui, mouse: Mouse, down: bool, cx: &Cx<'_>) {
    let to = Move::Rows { down, by: cx.config.settings.scroll_lines };
    let over_picker = tui.regions(0).footer.contains(mouse.col, mouse.row);
    if let Some(mut reader) = tui.reader.take() {
        reading::go(tui, &mut reader, to, cx);
        tui.reader = Some(reader);
    } else if let Some(modal) = tui.modals.open_mut() {
        if let Question::Select { list, .. } = &mut modal.question {
            list.page(down, 1);
        }
    } else if let Some(picker) = tui.picker.as_mut().filter(|_| over_picker) {
        picker.list.page(down, 1);
        picker.moved = true;
    } else {
        reading::transcript(tui, to, cx);
    }
}

/// The depth the conversation is shown in now.
fn depth(tui: &Tui) -> Depth {
    tui.reader.as_ref().map_or(Depth::Brief, |reader| reader.depth)
}

/// The cell of the conversation under the pointer; with `nearest` the one closest to a pointer that left it.
fn spot(tui: &mut Tui, mouse: Mouse, nearest: bool, cx: &Cx<'_>) -> Option<Spot> {
    let hidden = match &tui.reader {
        Some(reader) => reader.page != Page::Conversation,
        None => tui.modals.open().is_some() || tui.canvas() == Canvas::Inline,
    };
    let area = tui.regions(0).transcript;
    if hidden || area.height == 0 || (!nearest && !area.contains(mouse.col, mouse.row)) {
        return None;
    }
    let look = Look { columns: area.width.into(), ..tui.look(depth(tui), &cx.config.settings, cx.now) };
    let heights = &mut tui.heights;
    heights.settle(&cx.config.settings);
    let (blocks, scroll) = match &tui.reader {
        Some(reader) => (tui.transcript.blocks(), &reader.scroll),
        None => tui.transcript.painted(false),
    };
    let slices = window(blocks, scroll, area.height.into(), |_, block| heights.of(block, look));
    let wanted = usize::from(mouse.row.saturating_sub(area.y).min(area.height - 1));
    let mut col = usize::from(mouse.col.saturating_sub(area.x));
    let mut above = 0;
    let mut last = None;
    for slice in slices {
        let Some(block) = blocks.get(slice.index) else { continue };
        if wanted < above + slice.rows.len() {
            let row = slice.rows.start + wanted - above;
            // Above the conversation everything up to its first cell is meant.
            col = if mouse.row < area.y { 0 } else { col };
            return Some(Spot { block: block.id(), row, col });
        }
        above += slice.rows.len();
        last = slice.rows.end.checked_sub(1).map(|row| Spot { block: block.id(), row, col: usize::MAX });
    }
    last.filter(|_| nearest)
}

fn drag(tui: &mut Tui, mouse: Mouse, cx: &Cx<'_>) {
    let Some(spot) = spot(tui, mouse, true, cx) else { return };
    let depth = depth(tui);
    if let Some(selection) = tui.selection.as_mut().filter(|selection| selection.depth == depth) {
        selection.dragged |= spot != selection.from;
        selection.to = spot;
    }
}

/// Copies what is selected; a click alone selects nothing.
fn copy(tui: &mut Tui, cx: &Cx<'_>, out: &mut Out) {
    let Some(selection) = tui.selection.filter(|selection| selection.dragged) else {
        tui.selection = None;
        return;
    };
    let columns = tui.regions(0).transcript.width.max(1).into();
    let look = Look { columns, ..tui.look(selection.depth, &cx.config.settings, cx.now) };
    let rows = |block: &Block| -> Vec<Row> { look::rows(block, look) };
    let blocks = match &tui.reader {
        Some(_) => tui.transcript.blocks(),
        None => tui.transcript.painted(false).0,
    };
    let text = selection.text(blocks, rows);
    let text = text.trim_matches('\n');
    if text.trim().is_empty() {
        tui.selection = None;
    } else {
        out.effect(Effect::Term(TermFx::Copy(text.into())));
    }
}

/// Puts the composer's cursor; with a drag it selects.
fn click(tui: &mut Tui, mouse: Mouse, select: bool) {
    if tui.reader.is_some() || tui.modals.open().is_some() {
        return;
    }
    let area = tui.regions(0).composer;
    if !area.contains(mouse.col, mouse.row) {
        return;
    }
    let frame = tui.frame();
    let lines = wrapped::lines(&tui.composer.draft, frame);
    let (cursor, _) = wrapped::place(&tui.composer.draft, &lines, tui.composer.draft.cursor(), frame);
    let first = wrapped::first_row(lines.len(), area.height.into(), cursor);
    let column = usize::from(mouse.col.saturating_sub(text_area(area).x));
    let row = first + usize::from(mouse.row - area.y);
    let at = wrapped::at(&tui.composer.draft, &lines, row, column, frame);
    tui.composer.draft.go(at, select);
}
