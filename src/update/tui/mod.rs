//! The terminal front: observes facts, takes what the terminal, files and store say, asks the other rooms.

use crate::model::ask::UiAsk;
use crate::model::fact::Fact;
use crate::model::id::{Ticket, TimerId};
use crate::model::msg::{AuthMsg, FilesMsg, Signal, StoreMsg};
use crate::model::session::Sessions;
use crate::model::term::TermMsg;
use crate::model::tui::Tui;
use crate::update::{Cx, Out};

/// The first thing that happens: size, theme, layout; before any fact.
pub fn start(_tui: &mut Tui, _sessions: &Sessions, _cx: &mut Cx<'_>, _out: &mut Out) {}

/// Something became true.
pub fn observe(_tui: &mut Tui, _fact: &Fact, _sessions: &Sessions, _cx: &mut Cx<'_>, _out: &mut Out) {}

/// The terminal said something.
pub fn term(_tui: &mut Tui, _msg: TermMsg, _sessions: &Sessions, _cx: &mut Cx<'_>, _out: &mut Out) {}

/// A built-in command wants a surface.
pub fn ui(_tui: &mut Tui, _ask: UiAsk, _sessions: &Sessions, _cx: &mut Cx<'_>, _out: &mut Out) {}

/// A timer that no session owns; whether it was the terminal's.
pub fn timer(_tui: &mut Tui, _id: TimerId, _sessions: &Sessions, _cx: &mut Cx<'_>, _out: &mut Out) -> bool {
    false
}

/// An answer of the files that no session asked for, and every new catalogue.
pub fn files(
    _tui: &mut Tui,
    _ticket: Ticket,
    _msg: FilesMsg,
    _sessions: &Sessions,
    _cx: &mut Cx<'_>,
    _out: &mut Out,
) {
}

/// An answer of the store that no session asked for.
pub fn store(
    _tui: &mut Tui,
    _ticket: Ticket,
    _msg: StoreMsg,
    _sessions: &Sessions,
    _cx: &mut Cx<'_>,
    _out: &mut Out,
) {
}

pub fn auth(
    _tui: &mut Tui,
    _ticket: Ticket,
    _msg: AuthMsg,
    _sessions: &Sessions,
    _cx: &mut Cx<'_>,
    _out: &mut Out,
) {
}

pub fn signal(_tui: &mut Tui, _signal: Signal, _sessions: &Sessions, _cx: &mut Cx<'_>, _out: &mut Out) {}
