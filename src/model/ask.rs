//! One room of the core needs another, inside one update. Data, like everything else.

use std::sync::Arc;

use super::ext::HookValue;
use super::id::{SessionId, Ticket};
use super::provider::ModelRef;
use super::session::tree::NodeId;
use super::tool::Image;

#[derive(Debug, Clone, PartialEq)]
pub enum Ask {
    /// Run a hook chain; the answer is `HookDone` with the same ticket, in this update or a later one.
    Hook {
        ticket: Ticket,
        value: HookValue,
    },
    HookDone {
        ticket: Ticket,
        value: HookValue,
    },
    /// A submitted line, before the input hook, slash, `!` and template reading.
    Line(Line),
    /// What a session is told to do.
    Session(SessionId, SessionAsk),
    /// What only the terminal front can do (built-in commands that open a surface).
    Ui(UiAsk),
    /// A person accepted the instructions of this directory; `record` keeps it for later visits.
    Trust {
        record: bool,
    },
    /// Ends everything that runs, then the process.
    Exit(u8),
}

/// A line as a person (or `-p`) submitted it: pastes and snapshots expanded, trimmed.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    pub session: SessionId,
    pub text: Arc<str>,
    pub images: Vec<Image>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum SessionAsk {
    /// Start a turn, or steer the running one.
    Prompt {
        text: Arc<str>,
        images: Vec<Image>,
    },
    /// `!command`; `hidden` keeps its output from the model (`!!`).
    Shell {
        command: Arc<str>,
        hidden: bool,
    },
    Interrupt,
    /// Takes the queue's newest message back, for editing; the front gets the text by `Fact::Turn(Queue)`.
    Unqueue {
        index: usize,
    },
    Model(ModelRef),
    Effort(Arc<str>),
    Name(Arc<str>),
    Compact {
        focus: Option<Arc<str>>,
    },
    New,
    Resume {
        path: Arc<str>,
    },
    Fork,
    /// Rewind to just before this node (a user prompt) and branch there.
    Rewind {
        node: NodeId,
    },
    Undo,
    /// Reads instructions, prompts and skills again.
    Refresh,
}

/// Built-in commands whose work is a surface.
#[derive(Debug, Clone, PartialEq)]
pub enum UiAsk {
    Help,
    ResumePicker,
    Tree,
    ModelPicker { query: Arc<str> },
    EffortPicker,
    Login { provider: Option<Arc<str>> },
    Logout { provider: Option<Arc<str>> },
    Copy,
    Usage { period: Arc<str> },
    Context,
    Settings,
    Theme,
    Keys,
    Layout,
    Extensions,
    Trust,
    Reload,
    Export { path: Option<Arc<str>> },
    ScopedModels { arguments: Arc<str> },
    Quit,
}
