//! The extensions of a process while it runs: each one's state, what it was asked and what it asked.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::model::id::{CallId, ExtId, SessionId, Ticket, TimerId};
use crate::model::text::clean::{Clean, Cleaner};
use crate::model::time::{At, Span};
use crate::model::wire::ext::{HookKind, Incoming, Manifest};

use super::budget::{Budget, Owed};
use super::chain::Chain;
use super::discover::{Found, Skipped};
use super::startup::Startup;

/// The extensions of this process.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Exts {
    pub stage: Stage,
    /// Launch order; a process that is started anew has a new id in the old one's place.
    pub order: Vec<ExtId>,
    pub all: BTreeMap<ExtId, Ext>,
    /// Hook chains under way, by the asker's ticket.
    pub chains: BTreeMap<Ticket, Running>,
    /// Whose deadline a timer is.
    pub timers: BTreeMap<TimerId, (ExtId, u64)>,
    pub line: Line,
    /// Goes up with every session switch or rewind: a command that began before sends no prompt any more.
    pub era: u64,
    pub heard: Heard,
    /// Found and not started.
    pub skipped: Vec<Skipped>,
    /// Restarts under way: the old process and where the new one comes from.
    pub restarts: BTreeMap<Ticket, (usize, Found)>,
    /// Who waits for `Measured`.
    pub measuring: Option<Ticket>,
}

/// A chain and the session it is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Running {
    pub session: SessionId,
    pub chain: Chain,
}

/// What events need to know of what was before.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Heard {
    /// Calls that have begun: name and arguments.
    pub calls: BTreeMap<CallId, (Arc<str>, Arc<Value>)>,
    /// Sessions whose turn was announced.
    pub turns: std::collections::BTreeSet<SessionId>,
    /// Of the conversation in front.
    pub path: Option<Arc<str>>,
    pub model: Option<Arc<str>>,
    pub effort: Option<Arc<str>>,
    /// The model is another one than that of the launch.
    pub changed: bool,
}

/// Where starting (or starting anew) stands.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Stage {
    /// Everyone is there who comes; submitted lines are read.
    #[default]
    Ready,
    /// Old processes are being ended for a reload.
    Stopping(Ticket),
    Looking(Ticket),
    /// Handshakes are under way.
    Greeting,
    /// Startup hooks are asked, one after another.
    Startup(Box<Startup>),
    /// The command line is being read.
    Parsing(Ticket, Vec<Arc<str>>),
    /// The process ends or becomes another.
    Leaving,
}

/// What the command line says to extensions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Line {
    /// The launch is over: a reload asks no startup hook and reads no command line.
    pub launched: bool,
    /// The typed flags that were passed.
    pub flags: Arc<Map<String, Value>>,
}

/// One extension process.
#[derive(Debug, Clone, PartialEq)]
pub struct Ext {
    pub found: Found,
    pub state: State,
    /// `None` until the handshake is over.
    pub manifest: Option<Arc<Manifest>>,
    pub last_call: u64,
    /// What it was asked and has not answered, by `e`'s id.
    pub calls: BTreeMap<u64, Call>,
    /// What it asked and was not answered.
    pub budget: Budget<About>,
    /// Requests and notices that came before its manifest was accepted.
    pub early: VecDeque<Incoming>,
    /// It was told flags and `session_start`, and what it said before is served.
    pub announced: bool,
    pub stats: Stats,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    Greeting,
    Live,
    /// It failed its handshake, died, or was turned off; why.
    Dead(Arc<str>),
    /// Turned off by the person for this session.
    Off,
}

/// Something `e` asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub about: Asked,
    pub deadline: Deadline,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deadline {
    Running {
        timer: TimerId,
        since: At,
        left: Span,
    },
    /// A question of the extension's own waits for the person: the clock stands still.
    Paused(Span),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Asked {
    Initialize,
    Startup,
    /// A hook of the chain with this ticket.
    Hook(Ticket, HookKind),
    /// A tool call of a session's batch, by the tool's name.
    Tool {
        call: CallId,
        name: Arc<str>,
        session: SessionId,
        /// Keeps its state from chunk to chunk.
        cleaner: Cleaner,
    },
    /// A command or a shortcut; what the person typed or pressed, for notices.
    Command {
        shown: Arc<str>,
        session: SessionId,
        era: u64,
    },
    /// Completions for the composer; the asker's ticket.
    Complete(Ticket),
}

/// What a request of an extension's is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// A person answers it: deadlines stand still meanwhile.
    Question,
    Other,
}

/// What `/extensions` shows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stats {
    /// Milliseconds that answers took, newest last, for each hook; at most [`KEPT`].
    pub hooks: BTreeMap<HookKind, VecDeque<u64>>,
    pub timeouts: u64,
    pub stderr: Option<Clean>,
}

/// Latencies kept for each hook.
pub const KEPT: usize = 256;

impl Ext {
    pub fn new(found: Found) -> Self {
        Ext {
            found,
            state: State::Greeting,
            manifest: None,
            last_call: 0,
            calls: BTreeMap::new(),
            budget: Budget::default(),
            early: VecDeque::new(),
            announced: false,
            stats: Stats::default(),
        }
    }

    /// What it calls itself, else its file.
    pub fn name(&self) -> &Arc<str> {
        self.manifest.as_ref().map_or(&self.found.file, |manifest| &manifest.name)
    }

    pub fn live(&self) -> bool {
        self.state == State::Live
    }

    /// A question of its own waits for the person.
    pub fn questioning(&self) -> bool {
        self.budget.any(|about| *about == About::Question)
    }
}

impl Stats {
    pub fn took(&mut self, kind: HookKind, time: Span) {
        let kept = self.hooks.entry(kind).or_default();
        if kept.len() == KEPT {
            kept.pop_front();
        }
        kept.push_back(time.0);
    }
}

impl Exts {
    pub fn live(&self, ext: ExtId) -> Option<&Ext> {
        self.all.get(&ext).filter(|e| e.live())
    }

    /// The living among these, in the order given.
    pub fn living(&self, exts: &[ExtId]) -> Vec<ExtId> {
        exts.iter().copied().filter(|ext| self.live(*ext).is_some()).collect()
    }

    pub fn greeting(&self) -> bool {
        self.all.values().any(|e| e.state == State::Greeting)
    }

    /// Submitted lines may be read.
    pub fn ready(&self) -> bool {
        self.stage == Stage::Ready
    }
}

/// An open request: whose, and which.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Debt {
    pub ext: ExtId,
    pub owed: Owed,
}
