//! The mouse, which is captured on the alternate screen alone: the wheel scrolls what is under it, a click puts the cursor.

use super::reading::{self, Move};
use crate::model::term::{Mouse, MouseButton, MouseKind};
use crate::model::tui::geometry::text_area;
use crate::model::tui::modal::Question;
use crate::model::tui::{Tui, wrapped};
use crate::update::Cx;

pub fn mouse(tui: &mut Tui, mouse: Mouse, cx: &Cx<'_>) {
    match mouse.kind {
        MouseKind::WheelUp => wheel(tui, false, cx),
        MouseKind::WheelDown => wheel(tui, true, cx),
        MouseKind::Down(MouseButton::Left) => click(tui, mouse, false),
        MouseKind::Drag(MouseButton::Left) => click(tui, mouse, true),
        MouseKind::Down(_) | MouseKind::Up(_) | MouseKind::Drag(_) | MouseKind::Moved => {}
        MouseKind::WheelLeft | MouseKind::WheelRight => {}
    }
}

fn wheel(tui: &mut Tui, down: bool, cx: &Cx<'_>) {
    let to = Move::Rows { down, by: cx.config.settings.scroll_lines };
    if let Some(mut reader) = tui.reader.take() {
        reading::go(tui, &mut reader, to, cx);
        tui.reader = Some(reader);
    } else if let Some(modal) = tui.modals.open_mut() {
        if let Question::Select { list, .. } = &mut modal.question {
            list.page(down, 1);
        }
    } else {
        reading::transcript(tui, to, cx);
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
