//! What extensions put on the screen, and the questions they ask of the person (`extensions-notes.md` 13 to 17).

use crate::model::ask::{Ask, ExtAsk};
use crate::model::ext::world::Traffic;
use crate::model::ext::{Debt, Exts, HookValue};
use crate::model::id::{ExtId, Ticket};
use crate::model::session::Sessions;
use crate::model::tui::Tui;
use crate::model::wire::ext::{Completion, Reply, Show, UiAsk};
use crate::update::{Cx, Out};

/// An extension wants something of the screen: answered exactly once, all but the four questions at once.
pub fn asked(
    _tui: &mut Tui,
    debt: Debt,
    _name: &str,
    _ask: UiAsk,
    _sessions: &Sessions,
    _cx: &mut Cx<'_>,
    out: &mut Out,
) {
    out.ask(Ask::Ext(ExtAsk::Reply { debt, reply: Reply::Error("not served".into()) }));
}

/// These requests are answered with an error already: their questions go.
pub fn withdraw(_tui: &mut Tui, _debts: &[Debt], _cx: &mut Cx<'_>, _out: &mut Out) {}

/// An extension process is gone, and all it showed with it.
pub fn ext_gone(_tui: &mut Tui, _ext: ExtId, _cx: &mut Cx<'_>, _out: &mut Out) {}

/// A block in the transcript.
pub fn show(_tui: &mut Tui, _show: &Show, _cx: &mut Cx<'_>, _out: &mut Out) {}

/// Completions for the composer's line, if it is still the same.
pub fn completed(_tui: &mut Tui, _ticket: Ticket, _items: Vec<Completion>, _cx: &mut Cx<'_>, _out: &mut Out) {
}

/// The render chain has spoken about an entry.
pub fn rendered(_tui: &mut Tui, _ticket: Ticket, _value: HookValue, _cx: &mut Cx<'_>, _out: &mut Out) {}

/// What crossed the pipes, for `/extensions`.
pub fn measured(
    _tui: &mut Tui,
    _ticket: Ticket,
    _traffic: &[(ExtId, Traffic)],
    _exts: &Exts,
    _cx: &mut Cx<'_>,
    _out: &mut Out,
) {
}
