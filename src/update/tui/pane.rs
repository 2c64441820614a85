//! The side pane: opening and refreshing it, what keys and the mouse do in it, and what its owner hears of that.

use std::sync::Arc;

use super::route::PaneOp;
use crate::model::ask::{Ask, ExtAsk};
use crate::model::config::chord::Chord;
use crate::model::effect::{Effect, FilesFx};
use crate::model::id::ExtId;
use crate::model::term::Mouse;
use crate::model::tui::code::Colours;
use crate::model::tui::draft::{Fragment, Group};
use crate::model::tui::geometry::Rect;
use crate::model::tui::pane::Pane;
use crate::model::tui::pane::section::{Content, Section, Sheet};
use crate::model::tui::pane::snapshot::snapshot;
use crate::model::tui::shade::Question;
use crate::model::tui::{Awaiting, Tui};
use crate::model::wire::ext::{self as wire, Note, Reply};
use crate::update::{Cx, Out};

/// An extension sends its pane: a refresh, a new one, or nothing to close its own.
pub fn asked(
    tui: &mut Tui,
    owner: ExtId,
    name: &Arc<str>,
    asked: Option<wire::Pane>,
    out: &mut Out,
) -> Reply {
    let Some(asked) = asked else {
        tui.pane.take_if(|pane| pane.owner == owner);
        return Reply::Done;
    };
    match &mut tui.pane {
        Some(pane) if pane.is(owner, name, &asked) => pane.refresh(asked),
        _ => {
            close(tui, out);
            let focused = tui.composer.draft.is_empty();
            tui.pane = Some(Pane::open(owner, name, asked, focused));
        }
    }
    Reply::Done
}

/// The person closes the pane, or another takes its place: its owner hears of it.
pub fn close(tui: &mut Tui, out: &mut Out) {
    if let Some(pane) = tui.pane.take() {
        tell(&pane, Note::PaneClosed { pane: pane.id.clone() }, out);
    }
}

fn tell(pane: &Pane, note: Note, out: &mut Out) {
    out.ask(Ask::Ext(ExtAsk::Tell { ext: pane.owner, note }));
}

/// The owner hears on which item the cursor stands now.
fn tell_selected(pane: &Pane, out: &mut Out) {
    if let Some(section) = pane.section()
        && let Some(item) = section.item()
    {
        let (id, section) = (item.id.clone(), section.id.clone());
        tell(pane, Note::PaneSelect { pane: pane.id.clone(), section, id }, out);
    }
}

/// Keys go to the other of conversation and pane.
pub fn toggle(tui: &mut Tui) {
    if let Some(pane) = &mut tui.pane {
        pane.focused = !pane.focused;
    }
}

/// Keys go to the conversation.
pub fn leave(tui: &mut Tui) {
    if let Some(pane) = &mut tui.pane {
        pane.focused = false;
    }
}

/// What a chord means in the pane that has the keys.
pub fn act(tui: &mut Tui, op: PaneOp, chord: Chord, out: &mut Out) {
    let Some(pane) = &mut tui.pane else { return };
    match op {
        PaneOp::Move { step, select } => {
            let moved = pane.section_mut().is_some_and(|section| section.step(step, select));
            if moved {
                tell_selected(pane, out);
            }
        }
        PaneOp::Sideways { right } => {
            if let Some(section) = pane.section_mut() {
                section.shift(right);
            }
        }
        PaneOp::Turn { forward } => pane.turn(forward),
        PaneOp::Mark => {
            if let Some(section) = pane.section_mut() {
                section.toggle_mark();
            }
        }
        PaneOp::Activate if pane.section().is_some_and(Section::is_list) => activate(pane, out),
        PaneOp::Activate => attach(tui),
        PaneOp::Back if pane.at() > 0 => {
            if let Some(section) = pane.section_mut() {
                section.deselect();
            }
            pane.go(0);
        }
        PaneOp::Back => close(tui, out),
        PaneOp::Key => tell(pane, Note::PaneKey { pane: pane.id.clone(), key: chord }, out),
    }
}

/// Typed text that came without chords: each character by its name.
pub fn typed(tui: &Tui, text: &str) -> Vec<Chord> {
    if tui.keyed().is_some() { text.chars().filter_map(Chord::typed).collect() } else { Vec::new() }
}

/// Enter on an item: its owner hears of it, and the next section has the keys.
fn activate(pane: &mut Pane, out: &mut Out) {
    let Some(section) = pane.section() else { return };
    let id = section.item().map(|item| item.id.clone()).unwrap_or_default();
    let section = section.id.clone();
    tell(pane, Note::PaneActivate { pane: pane.id.clone(), section, id }, out);
    pane.go(pane.at() + 1);
}

/// The selected rows join the draft as a marker, and the composer has the keys.
fn attach(tui: &mut Tui) {
    let Some(pane) = &mut tui.pane else { return };
    let Some(marker) = snapshot(pane) else { return };
    if let Some(section) = pane.section_mut() {
        section.deselect();
    }
    pane.focused = false;
    let draft = &mut tui.composer.draft;
    let at = draft.selection().map_or(draft.cursor(), |range| range.start);
    let before = draft.text().get(..at).and_then(|text| text.chars().next_back());
    let mut fragment = Fragment::default();
    if before.is_some_and(|c| !c.is_whitespace()) {
        fragment.push(Fragment::text(" "));
    }
    fragment.push(marker);
    draft.insert(fragment, Group::Alone);
    tui.composer.goal = None;
}

/// Where in a pane a cell is.
enum Spot {
    Close,
    /// In a section's rows, or on its title.
    Section(usize, Option<usize>),
    Elsewhere,
}

fn spot(pane: &Pane, area: Rect, mouse: Mouse) -> Spot {
    let frame = pane.frame(area);
    if frame.close.contains(mouse.col, mouse.row) {
        return Spot::Close;
    }
    for (at, part) in frame.parts.iter().enumerate() {
        if part.rows.contains(mouse.col, mouse.row) {
            return Spot::Section(at, Some(usize::from(mouse.row - part.rows.y)));
        }
        if part.title.contains(mouse.col, mouse.row) {
            return Spot::Section(at, None);
        }
    }
    Spot::Elsewhere
}

/// A press of the left button: whether it was in the pane.
pub fn press(tui: &mut Tui, mouse: Mouse, out: &mut Out) -> bool {
    let (area, _) = tui.pane_area();
    let Some(pane) = &mut tui.pane else { return false };
    pane.dragged = None;
    pane.focused = area.contains(mouse.col, mouse.row);
    if !pane.focused {
        return false;
    }
    match spot(pane, area, mouse) {
        Spot::Close => close(tui, out),
        Spot::Section(at, row) => {
            pane.go(at);
            let Some(section) = pane.section_mut() else { return true };
            let Some(row) = row.map(|row| section.top() + row).filter(|row| *row < section.len()) else {
                return true;
            };
            let moved = section.go(row, false);
            if !section.is_list() {
                pane.dragged = Some(at);
            } else if moved {
                tell_selected(pane, out);
            }
        }
        Spot::Elsewhere => {}
    }
    true
}

/// The mouse moves with the button held: whether that began in the pane.
pub fn drag(tui: &mut Tui, mouse: Mouse) -> bool {
    let (area, _) = tui.pane_area();
    let Some(pane) = &mut tui.pane else { return false };
    let Some(at) = pane.dragged else { return false };
    let Some(rows) = pane.frame(area).parts.get(at).map(|part| part.rows) else { return false };
    let Some(section) = pane.sections.get_mut(at).filter(|_| !rows.is_empty()) else { return false };
    // Beyond an edge it goes on by a row.
    let row = match mouse.row {
        row if row < rows.y => section.top().saturating_sub(1),
        row if row >= rows.bottom() => section.top() + usize::from(rows.height),
        row => section.top() + usize::from(row - rows.y),
    };
    section.go(row, true);
    true
}

/// The button is let go.
pub fn release(tui: &mut Tui) {
    if let Some(pane) = &mut tui.pane {
        pane.dragged = None;
    }
}

/// The wheel turns: whether over the pane.
pub fn wheel(tui: &mut Tui, mouse: Mouse, down: bool, by: usize) -> bool {
    let (area, _) = tui.pane_area();
    let Some(pane) = tui.pane.as_mut().filter(|_| area.contains(mouse.col, mouse.row)) else { return false };
    if let Spot::Section(at, _) = spot(pane, area, mouse)
        && let Some(section) = pane.sections.get_mut(at)
    {
        let by = if section.is_list() { 1 } else { by };
        section.scroll(down, by);
    }
    true
}

/// Where the pane stands by the layout, how its sections lie there, and what of their code wants colours.
pub fn settle(tui: &mut Tui, cx: &mut Cx<'_>, out: &mut Out) {
    let Some(pane) = &mut tui.pane else { return };
    pane.settle(&cx.config.layout);
    let (area, columns) = tui.pane_area();
    let tab = cx.config.settings.tab_width;
    let Some(pane) = &mut tui.pane else { return };
    pane.lay(area, columns, tab);
    let near = usize::from(tui.screen.size.rows);
    for section in &mut pane.sections {
        for (index, question) in questions(section, near) {
            if section.serial == 0 {
                section.serial = cx.ids.number();
            }
            let awaiting =
                Awaiting::PaneColours { section: section.id.clone(), serial: section.serial, index };
            let ticket = tui.pending.tickets.issue(cx.ids, awaiting);
            let Question { language, text, .. } = question;
            out.effect(Effect::Files(FilesFx::Highlight {
                ticket,
                language,
                text: text.into(),
                from_line: 0,
            }));
        }
    }
}

/// What is to be looked up for the rows in view and a screen around them.
fn questions(section: &mut Section, near: usize) -> Vec<(usize, Question)> {
    let top = section.top();
    match &mut section.content {
        Content::Diff(Sheet { diff, tints, skipped, .. }) => {
            let rows = (top + *skipped).saturating_sub(near)..top + *skipped + 2 * near;
            tints.ask(diff, rows).into_iter().map(|question| (question.index, question)).collect()
        }
        Content::Markdown { codes, .. } => {
            let mut out = Vec::new();
            while let Some(index) = codes.wanting() {
                let Some(code) = codes.all.get_mut(index) else { break };
                code.asked = code.count;
                let (language, text) = (code.language.clone(), code.source.clone());
                out.push((index, Question { index, language, text }));
            }
            out
        }
        Content::List(_) | Content::Text(_) | Content::Rows(_) => Vec::new(),
    }
}

/// Colours have come; those for content that is no more find nothing.
pub fn coloured(tui: &mut Tui, section: &str, serial: u64, index: usize, lines: Vec<Colours>) {
    let Some(pane) = &mut tui.pane else { return };
    let Some(section) = pane.sections.iter_mut().find(|s| *s.id == *section && s.serial == serial) else {
        return;
    };
    match &mut section.content {
        Content::Diff(sheet) => sheet.tints.coloured(&sheet.diff, index, lines),
        Content::Markdown { codes, .. } => {
            codes.coloured(index, 0, lines);
            section.recoloured();
        }
        Content::List(_) | Content::Text(_) | Content::Rows(_) => {}
    }
}
