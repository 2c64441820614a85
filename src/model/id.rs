//! Names for things in flight: small newtypes, the mint that makes them, and tickets for answers still owed.

use std::collections::BTreeMap;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(pub u64);
    )*};
}

ids! {
    /// An open session of this process.
    SessionId,
    /// One provider request and the stream that answers it.
    StreamId,
    /// One tool call; what events and front ends know a call by.
    CallId,
    /// One timer.
    TimerId,
    /// One question to the world whose answer is awaited.
    Ticket,
    /// One extension process, in launch order.
    ExtId,
    /// One block of the transcript.
    BlockId,
}

/// The mint: every id and every bit of chance in the core comes from here, seeded once at boot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ids {
    next: u64,
    state: u64,
}

impl Ids {
    pub fn new(seed: u64) -> Self {
        Ids { next: 0, state: seed }
    }

    /// A mint for what is shown and never becomes a part of the model: its numbers are above all others, and this one
    /// does not notice.
    pub fn aside(&self) -> Ids {
        Ids { next: (1 << 63) | (self.next << 20), state: self.state }
    }

    /// A number never given out before in this process.
    pub fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    pub fn stream(&mut self) -> StreamId {
        StreamId(self.number())
    }

    pub fn call(&mut self) -> CallId {
        CallId(self.number())
    }

    pub fn timer(&mut self) -> TimerId {
        TimerId(self.number())
    }

    pub fn ticket(&mut self) -> Ticket {
        Ticket(self.number())
    }

    pub fn session(&mut self) -> SessionId {
        SessionId(self.number())
    }

    pub fn block(&mut self) -> BlockId {
        BlockId(self.number())
    }

    /// The next pseudo-random number (splitmix64); for jitter and for ids that must differ between processes.
    pub fn chance(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A version 7 UUID for the given wall time in milliseconds.
    pub fn uuid(&mut self, wall: u64) -> String {
        let (a, b) = (self.chance(), self.chance());
        let time = wall & 0xFFFF_FFFF_FFFF;
        format!(
            "{:08x}-{:04x}-7{:03x}-{:04x}-{:012x}",
            time >> 16,
            time & 0xFFFF,
            a & 0xFFF,
            0x8000 | ((a >> 12) & 0x3FFF),
            b & 0xFFFF_FFFF_FFFF
        )
    }

    /// Eight hexadecimal digits, for message ids inside one session log.
    pub fn short(&mut self) -> String {
        format!("{:08x}", self.chance() >> 32)
    }
}

/// Answers still owed by the world: what was being done is kept as data and taken out exactly once.
/// An answer whose ticket is not here is late and is dropped by its reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tickets<T> {
    open: BTreeMap<Ticket, T>,
}

impl<T> Default for Tickets<T> {
    fn default() -> Self {
        Tickets { open: BTreeMap::new() }
    }
}

impl<T> Tickets<T> {
    pub fn issue(&mut self, ids: &mut Ids, awaiting: T) -> Ticket {
        let ticket = ids.ticket();
        self.open.insert(ticket, awaiting);
        ticket
    }

    pub fn take(&mut self, ticket: Ticket) -> Option<T> {
        self.open.remove(&ticket)
    }

    pub fn get(&self, ticket: Ticket) -> Option<&T> {
        self.open.get(&ticket)
    }

    /// Whether an answer of this kind is still owed.
    pub fn any(&self, which: impl FnMut(&T) -> bool) -> bool {
        self.open.values().any(which)
    }

    pub fn len(&self) -> usize {
        self.open.len()
    }

    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Takes every open ticket whose matter satisfies `which`, in the order of issue.
    pub fn drain_if(&mut self, mut which: impl FnMut(&T) -> bool) -> Vec<(Ticket, T)> {
        let chosen: Vec<Ticket> = self.open.iter().filter(|(_, t)| which(t)).map(|(k, _)| *k).collect();
        chosen.into_iter().filter_map(|k| self.open.remove(&k).map(|t| (k, t))).collect()
    }
}
