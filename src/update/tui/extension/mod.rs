//! What extensions put on the screen, and the questions they ask of the person (`extensions-notes.md` 13 to 17).

pub mod completing;
pub mod overview;
pub mod questions;
pub mod render;

use std::sync::Arc;

pub use completing::completed;
pub use overview::measured;
pub use questions::withdraw;
pub use render::rendered;

use super::{compose, pane, pick, transcript};
use crate::model::ask::{Ask, ExtAsk};
use crate::model::config::chord::Chord;
use crate::model::ext::Debt;
use crate::model::id::ExtId;
use crate::model::session::Sessions;
use crate::model::text::clean::Clean;
use crate::model::tui::Tui;
use crate::model::tui::draft::Fragment;
use crate::model::tui::panel::Panel;
use crate::model::tui::slots::Place;
use crate::model::wire::ext::{self as wire, Note, Reply, Show, Slot, UiAsk};
use crate::update::{Cx, Out};

/// An extension wants something of the screen: answered exactly once, all but the four questions at once.
pub fn asked(
    tui: &mut Tui,
    debt: Debt,
    name: &str,
    ask: UiAsk,
    sessions: &Sessions,
    cx: &mut Cx<'_>,
    out: &mut Out,
) {
    let reply = match ask {
        UiAsk::Select { .. } | UiAsk::Confirm { .. } | UiAsk::Input { .. } | UiAsk::Editor { .. } => {
            questions::ask(tui, debt, name, ask);
            None
        }
        UiAsk::Notify { tone, message } => {
            out.notice(tone, message.as_str());
            Some(Reply::Done)
        }
        UiAsk::Show(shown) => {
            show(tui, &shown, cx, out);
            Some(Reply::Done)
        }
        UiAsk::Status(slot) => Some(fill(tui, Place::Status, debt.ext, name, slot)),
        UiAsk::Activity(slot) => Some(fill(tui, Place::Activity, debt.ext, name, slot)),
        UiAsk::Widget { key, lines } => {
            tui.widgets.set(debt.ext, &Arc::from(name), key, lines);
            Some(Reply::Done)
        }
        UiAsk::Compose { text } => {
            let reply = composed(tui, &text, sessions, cx, out);
            // Where the answer to a key in one's own pane is a draft, it is there to be gone on with.
            if let Some(pane) = &mut tui.pane
                && pane.owner == debt.ext
                && reply == Reply::Done
            {
                pane.focused = false;
            }
            Some(reply)
        }
        UiAsk::Panel(panel) => Some(paneled(tui, debt.ext, name, panel, out)),
        UiAsk::Pane(asked) => Some(pane::asked(tui, debt.ext, &Arc::from(name), asked, out)),
    };
    if let Some(reply) = reply {
        out.ask(Ask::Ext(ExtAsk::Reply { debt, reply }));
    }
    super::settle::settle(tui, cx, out);
}

/// An extension process is gone, and all it showed with it.
pub fn ext_gone(tui: &mut Tui, ext: ExtId, cx: &mut Cx<'_>, out: &mut Out) {
    tui.slots.clear(ext);
    tui.widgets.clear(ext);
    tui.panel.take_if(|panel| panel.owner == ext);
    tui.pane.take_if(|pane| pane.owner == ext);
    questions::gone(tui, ext);
    overview::again(tui, cx, out);
    super::settle::settle(tui, cx, out);
}

/// A block in the transcript.
pub fn show(tui: &mut Tui, show: &Show, cx: &mut Cx<'_>, out: &mut Out) {
    transcript::show(&mut tui.transcript, show, cx);
    super::settle::settle(tui, cx, out);
}

/// The slot `name`, or `name/key`; blank text clears it.
fn fill(tui: &mut Tui, place: Place, ext: ExtId, name: &str, slot: Slot) -> Reply {
    let place_name: Arc<str> = match slot.key {
        Some(key) => format!("{name}/{key}").into(),
        None => name.into(),
    };
    tui.slots.set(place, ext, place_name, slot.text.as_str());
    Reply::Done
}

/// Replaces the draft as if it had been typed; undo brings the old one back.
fn composed(tui: &mut Tui, text: &Clean, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) -> Reply {
    if tui.modals.open().is_some() {
        return Reply::Error("a question is being answered; the composer is not free".into());
    }
    tui.composer.draft.set(Fragment::text(compose::normal(text.as_str())));
    tui.composer.goal = None;
    tui.composer.dismissed = None;
    pick::close_search(tui, out);
    pick::refresh(tui, sessions, cx, out);
    Reply::Done
}

fn paneled(tui: &mut Tui, ext: ExtId, name: &str, panel: Option<wire::Panel>, out: &mut Out) -> Reply {
    let Some(panel) = panel else {
        tui.panel.take_if(|open| open.owner == ext);
        return Reply::Done;
    };
    let panel = Panel::new(ext, &Arc::from(name), panel);
    if let Some(old) = tui.panel.replace(panel)
        && old.owner != ext
    {
        tell(old.owner, Note::PanelClosed, out);
    }
    Reply::Done
}

/// The person closes the panel: its owner hears of it.
pub fn close_panel(tui: &mut Tui, out: &mut Out) {
    if let Some(panel) = tui.panel.take() {
        tell(panel.owner, Note::PanelClosed, out);
    }
}

/// A key for the interactive panel.
pub fn key(tui: &Tui, chord: Chord, out: &mut Out) {
    if let Some(panel) = tui.capturing() {
        tell(panel.owner, Note::Key(chord), out);
    }
}

/// Typed text that came without chords goes to the interactive panel key by key; what has no name goes nowhere.
pub fn typed(tui: &Tui, text: &str, out: &mut Out) {
    for chord in text.chars().filter_map(Chord::typed) {
        key(tui, chord, out);
    }
}

fn tell(ext: ExtId, note: Note, out: &mut Out) {
    out.ask(Ask::Ext(ExtAsk::Tell { ext, note }));
}
