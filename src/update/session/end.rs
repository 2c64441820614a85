//! How a turn ends, once, whatever happened; and the interrupt that ends it from every state in the same update (T3).

use std::sync::Arc;

use super::record::{self, Paid};
use super::{admit, batch, fold, shell, turn as machine};
use crate::model::effect::{Effect, StoreFx, StreamFx, TimerFx};
use crate::model::event;
use crate::model::fact::{Fact, TurnFact};
use crate::model::id::Ticket;
use crate::model::provider::{Fault, Purpose};
use crate::model::session::turn::{ATTEMPTS, Asking, Phase, Turn, Work};
use crate::model::session::{LogState, Session};
use crate::update::{Cx, Out};

/// The turn is over. Its phase must hold nothing outstanding any more.
pub fn finish(s: &mut Session, _turn: Box<Turn>, aborted: bool, cx: &mut Cx<'_>, out: &mut Out) {
    s.work = Work::Idle;
    out.fact(Fact::Turn(s.id, TurnFact::Ended { aborted }));
    admit::settle(s, cx, out);
    // Only an interrupt or a failure leaves queued words behind: a steer alone never starts a turn.
    if s.idle() {
        admit::give_back(s, cx, out);
    }
}

/// Ends what runs, at once. Nothing is asked of anyone.
pub fn interrupt(s: &mut Session, cx: &mut Cx<'_>, out: &mut Out) {
    shell::cut_short(s, cx, out);
    match std::mem::take(&mut s.work) {
        Work::Turn(turn) => interrupt_turn(s, turn, cx, out),
        Work::Fold(folding) => {
            fold::drop_outstanding(s, *folding, cx, out);
            out.fact(Fact::Turn(s.id, TurnFact::CompactFailed { reason: "it was interrupted".into() }));
            admit::settle(s, cx, out);
        }
        // The store is about to hold the other log: letting go of it now would leave the two apart.
        Work::Opening(ticket) => s.work = Work::Opening(ticket),
        Work::Idle => admit::settle(s, cx, out),
    }
}

fn interrupt_turn(s: &mut Session, mut turn: Box<Turn>, cx: &mut Cx<'_>, out: &mut Out) {
    match take_phase(&mut turn) {
        Phase::Prelude(_) => {}
        Phase::Asking(asking) => abort(s, &turn, asking, cx, out),
        Phase::Backoff(wait) => out.effect(Effect::Timer(TimerFx::Drop(wait.timer))),
        Phase::Tools(calls) => batch::cut_short(s, calls, cx, out),
        Phase::Folding(folding) => fold::drop_outstanding(s, folding, cx, out),
    }
    finish(s, turn, true, cx, out);
}

/// The phase moves out; a finished turn has no other use of it.
fn take_phase(turn: &mut Turn) -> Phase {
    std::mem::replace(&mut turn.phase, Phase::Prelude(Ticket::default()))
}

/// Stops a stream and keeps what came of it.
fn abort(s: &mut Session, turn: &Turn, asking: Asking, cx: &mut Cx<'_>, out: &mut Out) {
    out.effect(Effect::Stream(StreamFx::Abort(asking.stream)));
    if asking.draft.is_empty() {
        let paid = Paid { model: turn.model.clone(), usage: asking.draft.usage };
        record::pay(s, &paid, Some(Purpose::Turn), cx, out);
    } else {
        machine::cut_short(s, turn, asking.draft, cx, out);
    }
}

/// A failure in full, for `<session>.errors.jsonl`.
pub fn note_failure(
    s: &Session,
    turn: &Turn,
    fault: &Fault,
    attempt: u32,
    partial_bytes: usize,
    out: &mut Out,
) {
    // A log whose path is not known yet is being made and comes first.
    if !matches!(s.log.state, LogState::Open { .. }) {
        return;
    }
    let details = event::error_details(fault, Some(&turn.model.reference), attempt, ATTEMPTS, partial_bytes);
    let line: Arc<str> = details.to_string().into();
    out.effect(Effect::Store(StoreFx::ErrorDetails { line }));
}
