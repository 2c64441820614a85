//! The one reader of clocks: stamps messages and notices when the machine slept.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::model::time::{At, Span};

/// A jump of the wall clock ahead of the running clock that counts as sleep.
const GAP_MS: u64 = 5_000;

#[derive(Debug)]
pub struct Clock {
    start: Instant,
    /// Wall minus running time at the last look, in milliseconds.
    offset: i128,
}

impl Clock {
    pub fn start() -> Self {
        let mut clock = Clock { start: Instant::now(), offset: 0 };
        clock.offset = clock.skew(clock.now());
        clock
    }

    pub fn now(&self) -> At {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).map(|d| d.as_millis()).unwrap_or(0);
        At {
            mono: u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX),
            wall: u64::try_from(wall).unwrap_or(u64::MAX),
        }
    }

    /// How long the machine slept since the last look, if it did: the running clock stands still meanwhile, the
    /// wall clock does not. A wall clock that was set back is no sleep.
    pub fn slept(&mut self) -> Option<Span> {
        let skew = self.skew(self.now());
        let gap = skew - self.offset;
        self.offset = skew;
        u64::try_from(gap).ok().filter(|ms| *ms >= GAP_MS).map(Span)
    }

    fn skew(&self, at: At) -> i128 {
        i128::from(at.wall) - i128::from(at.mono)
    }
}
