//! Timers as a sorted list: the loop asks when the next one is due and takes those that are.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crate::model::effect::TimerFx;
use crate::model::id::TimerId;

#[derive(Debug, Default)]
pub struct Timers {
    due: BTreeSet<(Instant, TimerId)>,
    at: BTreeMap<TimerId, Instant>,
}

impl Timers {
    /// Setting a timer that runs moves it.
    pub fn apply(&mut self, fx: TimerFx, now: Instant) {
        match fx {
            TimerFx::Set { id, after } => {
                self.drop_timer(id);
                let due = now + Duration::from_millis(after.0);
                self.at.insert(id, due);
                self.due.insert((due, id));
            }
            TimerFx::Drop(id) => self.drop_timer(id),
        }
    }

    pub fn next_due(&self) -> Option<Instant> {
        self.due.first().map(|(at, _)| *at)
    }

    /// Takes one timer that is due.
    pub fn take_due(&mut self, now: Instant) -> Option<TimerId> {
        let (at, id) = *self.due.first()?;
        if at > now {
            return None;
        }
        self.drop_timer(id);
        Some(id)
    }

    fn drop_timer(&mut self, id: TimerId) {
        if let Some(at) = self.at.remove(&id) {
            self.due.remove(&(at, id));
        }
    }
}
