//! Time as data: the core is told what time it is and never asks.

/// A length of time in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Span(pub u64);

impl Span {
    pub const fn secs(n: u64) -> Self {
        Span(n * 1000)
    }

    /// Whole seconds, rounded down.
    pub const fn as_secs(self) -> u64 {
        self.0 / 1000
    }
}

/// A moment: `mono` orders events and measures waits, `wall` (milliseconds since the Unix epoch) is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct At {
    pub mono: u64,
    pub wall: u64,
}

impl At {
    /// Time passed since `earlier`; zero when the clock did not move forward.
    pub fn since(self, earlier: At) -> Span {
        Span(self.mono.saturating_sub(earlier.mono))
    }
}
