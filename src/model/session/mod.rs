//! Sessions: a conversation tree, the turn that runs on it, and what waits beside it.

pub mod batch;
pub mod commands;
pub mod draft;
pub mod export;
pub mod fold;
pub mod head;
pub mod history;
pub mod library;
pub mod load;
pub mod notice;
pub mod prompt;
pub mod saved;
pub mod template;
pub mod toolset;
pub mod tree;
pub mod turn;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::id::{CallId, SessionId, Ticket, Tickets};
use crate::model::provider::{ModelRef, Usage};
use crate::model::tool::Image;
use crate::model::tool::kept::Kept;
use library::{Skill, Template};
use toolset::Toolset;
use tree::{NodeId, Tree};
use turn::{Phase, Queue, Turn, Work};

/// The sessions of this process; a terminal or `-p` has one.
#[derive(Debug, Default, PartialEq)]
pub struct Sessions {
    pub all: BTreeMap<SessionId, Session>,
    /// The one that the terminal or `-p` shows.
    pub front: SessionId,
    pub rules: Rules,
    /// What files and store owe the sessions.
    pub owed: Tickets<Owed>,
    /// The command line's prompt, while its images are read.
    pub first: Option<First>,
    /// The local backends were asked.
    pub probed: bool,
}

/// The prompt that the process was started with.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct First {
    pub text: Arc<str>,
    pub images: Vec<Image>,
    /// Images still being read.
    pub reading: usize,
}

/// What holds for every session of the process.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rules {
    /// No person at a screen: built-in commands are refused.
    pub headless: bool,
    pub no_save: bool,
    pub no_tools: bool,
    /// The workspace's own instructions, prompts and skills may be used.
    pub trusted: bool,
}

/// A question to files or store, and what it was asked for.
#[derive(Debug, Clone, PartialEq)]
pub enum Owed {
    Catalog,
    Instructions(SessionId),
    /// For the catalogue of skills and the `/` picker.
    Templates(SessionId),
    /// For the line at the head of the session's list.
    LineTemplates(SessionId),
    /// A log to go on with.
    Resume(SessionId),
    /// A log to copy.
    Copy(SessionId),
    /// An image of the command line's prompt.
    FirstImage,
    /// The local backends' models.
    Probe,
    Settings,
}

impl Sessions {
    pub fn front(&self) -> Option<&Session> {
        self.all.get(&self.front)
    }

    pub fn get(&self, id: SessionId) -> Option<&Session> {
        self.all.get(&id)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    pub id: SessionId,
    pub cwd: Arc<str>,
    pub tree: Tree,
    pub work: Work,
    /// A `!command` that runs, also beside a turn.
    pub shell: Option<Shell>,
    pub queue: Queue,
    pub lines: Lines,
    pub choice: Choice,
    pub log: Log,
    pub tally: Tally,
    pub tools: Tools,
    pub desk: Desk,
}

/// Model and effort, as chosen; a running turn keeps those it began with.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Choice {
    pub model: Option<ModelRef>,
    pub effort: Option<Arc<str>>,
    /// What `-m` asked for, until the catalogue is there.
    pub wanted: Option<Arc<str>>,
}

/// Where the session is written.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Log {
    /// The session's own id, in the log's first line and towards providers.
    pub uuid: Arc<str>,
    pub name: Option<Arc<str>>,
    pub state: LogState,
    /// The log whose undo store the tools use: the first of a chain that compaction made.
    pub first: Option<Arc<str>>,
    /// A log that another `e` has open; `/fork` copies it.
    pub offered: Option<Arc<str>>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub enum LogState {
    /// Made with the first message.
    #[default]
    None,
    /// Written to; the ticket answers for every line.
    Open { ticket: Ticket, path: Option<Arc<str>> },
    /// `--no-save`, or writing failed: the conversation is in memory only.
    Off,
}

impl Log {
    pub fn path(&self) -> Option<&Arc<str>> {
        match &self.state {
            LogState::Open { path, .. } => path.as_ref(),
            LogState::None | LogState::Off => None,
        }
    }
}

/// What was used, over every response of the session in this process and its log.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tally {
    pub usage: Usage,
    /// In dollars; `None` until a priced response came.
    pub cost: Option<f64>,
    /// Tokens in the window as last counted or estimated.
    pub context: u64,
    /// The same, estimated from the messages alone.
    pub estimated: u64,
    /// A provider's count is in it, which covers the system prompt and the tools too.
    pub counted: bool,
}

/// A count this many times below the estimate is not one: gateways exist that report nothing true.
const IMPLAUSIBLE: u64 = 4;

impl Tally {
    /// A message joined the context: the tokens it is taken for, and the whole context as its response counted it (0: not).
    pub fn grow(&mut self, estimate: u64, counted: u64) {
        self.estimated += estimate;
        if counted > 0 && counted.saturating_mul(IMPLAUSIBLE) >= self.estimated {
            self.context = counted;
            self.counted = true;
        } else {
            self.context += estimate;
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tools {
    pub set: Toolset,
    /// Long results, for `read_result`.
    pub kept: Kept,
    /// An `/undo` under way.
    pub undo: Option<CallId>,
    /// A request with an image was refused: later ones leave images out.
    pub images_refused: bool,
    /// A living extension may rewrite results: until it has, nobody sees what a tool says.
    pub held: bool,
}

/// What lies beside the conversation and goes into the system prompt.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Desk {
    pub loaded: bool,
    /// `(path, text)`, the home's first.
    pub instructions: Vec<(Arc<str>, Arc<str>)>,
    pub system_prompt: Option<Arc<str>>,
    pub skills: Vec<Skill>,
    pub templates: Vec<Template>,
}

/// Submitted lines in order; only the head is being read, so verdicts keep the order of submission.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lines {
    pub waiting: std::collections::VecDeque<Submitted>,
    pub head: Head,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Submitted {
    pub text: Arc<str>,
    pub images: Vec<Image>,
}

/// What the first waiting line is waiting for.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Head {
    /// Not looked at yet.
    #[default]
    Fresh,
    /// The `input` chain.
    Hook(Ticket),
    /// The hook has spoken; the prompt templates are being read.
    Templates(Ticket),
}

/// A `!command` under way.
#[derive(Debug, Clone, PartialEq)]
pub struct Shell {
    pub call: CallId,
    pub command: Arc<str>,
    /// `!!`: the model does not hear of it.
    pub hidden: bool,
    pub output: String,
}

impl Session {
    pub fn new(id: SessionId, cwd: Arc<str>, uuid: Arc<str>) -> Self {
        Session {
            id,
            cwd,
            tree: Tree::default(),
            work: Work::Idle,
            shell: None,
            queue: Queue::default(),
            lines: Lines::default(),
            choice: Choice::default(),
            log: Log { uuid, ..Log::default() },
            tally: Tally::default(),
            tools: Tools::default(),
            desk: Desk::default(),
        }
    }

    pub fn turn(&self) -> Option<&Turn> {
        match &self.work {
            Work::Turn(turn) => Some(turn),
            Work::Idle | Work::Fold(_) | Work::Opening(_) => None,
        }
    }

    /// Nothing runs: no turn, compaction, opening or `!command`.
    pub fn idle(&self) -> bool {
        self.work == Work::Idle && self.shell.is_none()
    }

    /// The conversation can be replaced or its head moved.
    pub fn quiet(&self) -> bool {
        self.work == Work::Idle
    }

    /// A compaction runs, by itself or inside a turn.
    pub fn folding(&self) -> bool {
        match &self.work {
            Work::Fold(_) => true,
            Work::Turn(turn) => matches!(turn.phase, Phase::Folding(_)),
            Work::Idle | Work::Opening(_) => false,
        }
    }

    /// A node's first words, for a message about it.
    pub fn prompt_of(&self, node: &NodeId) -> Option<String> {
        match &*self.tree.get(node)?.message {
            crate::model::provider::Message::User(user) => Some(user.text()),
            _ => None,
        }
    }
}
