//! The front's timers: at most one for each purpose, and none while nothing is due.

use crate::model::effect::{Effect, TimerFx};
use crate::model::id::TimerId;
use crate::model::time::Span;
use crate::model::tui::{Due, Pending};
use crate::update::{Cx, Out};

/// Sets the timer of a purpose anew.
pub fn set(pending: &mut Pending, due: Due, after: Span, cx: &mut Cx<'_>, out: &mut Out) {
    drop_it(pending, due, out);
    let id = cx.ids.timer();
    pending.timers.insert(due, id);
    out.effect(Effect::Timer(TimerFx::Set { id, after }));
}

/// Sets it unless it is running.
pub fn ensure(pending: &mut Pending, due: Due, after: Span, cx: &mut Cx<'_>, out: &mut Out) {
    if !pending.timers.contains_key(&due) {
        set(pending, due, after, cx, out);
    }
}

pub fn drop_it(pending: &mut Pending, due: Due, out: &mut Out) {
    if let Some(id) = pending.timers.remove(&due) {
        out.effect(Effect::Timer(TimerFx::Drop(id)));
    }
}

/// Which purpose a timer that fired had; a late one has none.
pub fn take(pending: &mut Pending, id: TimerId) -> Option<Due> {
    let due = pending.timers.iter().find(|(_, t)| **t == id).map(|(due, _)| *due)?;
    pending.timers.remove(&due);
    Some(due)
}
