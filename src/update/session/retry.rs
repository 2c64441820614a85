//! Whether a failed request is worth another attempt, and after how long (`agent.md`, Retries).

use crate::model::provider::Fault;
use crate::model::session::turn::ATTEMPTS;
use crate::model::time::Span;

/// Waits before the second attempt, the third, and so on; the last one repeats. Milliseconds.
const WAITS: [u64; 7] = [250, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000];
/// The longest wait a provider may ask for, in seconds; more is told at once.
pub const LONGEST: u64 = 60;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Wait(Span),
    GiveUp,
}

/// Judges a fault of the attempt with this number (from 1), of which nothing at all was produced. `chance` gives the
/// jitter, which only shortens a wait.
pub fn judge(fault: &Fault, attempt: u32, chance: u64) -> Verdict {
    if !fault.cause.retryable() || attempt >= ATTEMPTS {
        return Verdict::GiveUp;
    }
    let base = base(attempt);
    match fault.retry_after {
        Some(secs) if secs > LONGEST => Verdict::GiveUp,
        Some(secs) => Verdict::Wait(Span::secs(secs).max(jittered(base, chance))),
        None => Verdict::Wait(jittered(base, chance)),
    }
}

/// The wait after the attempt with this number, before jitter, in milliseconds.
pub fn base(attempt: u32) -> u64 {
    let place = (attempt.max(1) - 1) as usize;
    WAITS.get(place).or(WAITS.last()).copied().unwrap_or(0)
}

/// Up to a quarter less.
fn jittered(base: u64, chance: u64) -> Span {
    Span(base - chance % (base / 4 + 1))
}
