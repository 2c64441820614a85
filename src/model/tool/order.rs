//! Which calls of a batch may start now: waves of a limited size, and calls on one file in the model's order.

use super::FileKey;
use crate::model::id::CallId;

/// Which file a call touches, as far as is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Touches {
    /// It names a file whose key has not been answered yet: it might be any.
    Unknown,
    Nothing,
    File(FileKey),
}

/// How far a call has come, as far as order is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Not yet allowed to run (a gate or its file's key is awaited).
    Held,
    Ready,
    Running,
    /// Its work is over, or will never be done.
    Over,
}

/// One call of a batch; a batch is a list of these in the model's order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    pub call: CallId,
    pub touches: Touches,
    pub stage: Stage,
}

/// The calls that may start now, in order: at most `limit` run at once, and a call waits until every earlier one on
/// the same file is over (invariant T8).
pub fn startable(batch: &[Slot], limit: usize) -> Vec<CallId> {
    let running = batch.iter().filter(|slot| slot.stage == Stage::Running).count();
    let mut room = limit.max(1).saturating_sub(running);
    let mut start = Vec::new();
    for (place, slot) in batch.iter().enumerate() {
        if room == 0 {
            break;
        }
        let earlier = batch.iter().take(place);
        if slot.stage == Stage::Ready && !earlier.clone().any(|before| holds_up(before, slot)) {
            start.push(slot.call);
            room -= 1;
        }
    }
    start
}

/// Whether an earlier call must be over before a later one starts.
fn holds_up(before: &Slot, later: &Slot) -> bool {
    if before.stage == Stage::Over {
        return false;
    }
    match (&before.touches, &later.touches) {
        (Touches::Nothing, _) | (_, Touches::Nothing) => false,
        (Touches::Unknown, _) | (_, Touches::Unknown) => true,
        (Touches::File(a), Touches::File(b)) => a == b,
    }
}
