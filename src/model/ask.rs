//! One room of the core needs another, inside one update. Data, like everything else.

use std::sync::Arc;

use super::config::chord::Chord;
use super::ext::{Debt, HookValue};
use super::id::{CallId, ExtId, SessionId, Ticket};
use super::provider::ModelRef;
use super::session::tree::NodeId;
use super::tool::{Image, ToolMsg, ToolSpec};
use super::wire::ext::{self as wire, Completion, Note, Reply};
use serde_json::Value;

#[derive(Debug, Clone, PartialEq)]
pub enum Ask {
    /// Run a hook chain; the answer is `HookDone` with the same ticket, in this update or a later one.
    Hook {
        ticket: Ticket,
        session: SessionId,
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
    /// What the room of the extensions is told to do.
    Ext(ExtAsk),
    /// An extension wants something of the screen; answered by [`ExtAsk::Reply`], exactly once.
    ExtUi {
        debt: Debt,
        /// The extension's manifest name.
        name: Arc<str>,
        ask: wire::UiAsk,
    },
    /// An extension wants something of the session; answered by [`ExtAsk::Reply`], exactly once.
    ExtSession {
        debt: Debt,
        ask: wire::SessionAsk,
    },
    /// A call of an extension's tool says something; nothing follows `Done`.
    ToolSaid(CallId, ToolMsg),
    /// An extension process is gone: its surfaces vanish, its narrowing is lifted. A reload says nothing about it.
    ExtGone {
        ext: ExtId,
        name: Arc<str>,
        silent: bool,
    },
    /// What an extension would complete the word with; nothing for a slow or broken one.
    Completed {
        ticket: Ticket,
        items: Vec<Completion>,
    },
    /// These requests are answered with an error already: a question that shows or waits for one goes.
    ExtWithdraw(Vec<Debt>),
    /// These are all the tools there are now: the built-ins and what extensions declare.
    Offer(Vec<ToolSpec>),
    /// The command line is read, after the startup hooks had their say.
    Launched(Box<super::boot::Launch>),
    /// A command's or a tool's own name for the session.
    ExtName {
        session: SessionId,
        name: Arc<str>,
    },
    /// A command's prompt: starts or steers a turn, without input hooks, slash reading or recall.
    ExtPrompt {
        session: SessionId,
        text: Arc<str>,
    },
}

/// What the room of the extensions is told to do.
#[derive(Debug, Clone, PartialEq)]
pub enum ExtAsk {
    /// Looks for extensions, greets them and lets their startup hooks speak.
    Begin,
    /// Runs a call of an extension's tool; answered by [`Ask::ToolSaid`].
    Tool {
        ext: ExtId,
        call: CallId,
        session: SessionId,
        name: Arc<str>,
        arguments: Arc<Value>,
    },
    /// The call is over for everyone else; a late answer is dropped.
    Cancel(CallId),
    /// Answers an extension's request.
    Reply {
        debt: Debt,
        reply: Reply,
    },
    Tell {
        ext: ExtId,
        note: Note,
    },
    /// An extension's command; `shown` is as the person typed it, without the slash.
    Command {
        session: SessionId,
        shown: Arc<str>,
        args: Arc<str>,
    },
    Shortcut {
        session: SessionId,
        chord: Chord,
    },
    /// Completions for a command's last word; answered by [`Ask::Completed`].
    Complete {
        ticket: Ticket,
        command: Arc<str>,
        prefix: Arc<str>,
    },
    Reload,
    /// Starts one anew.
    Restart(ExtId),
    /// Ends one for this session.
    Disable(ExtId),
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
