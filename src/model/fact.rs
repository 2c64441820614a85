//! What became true inside the core, in one ordered stream; fronts and extensions observe it, nobody edits it.

use std::sync::Arc;

use super::ext::HookKind;
use super::id::{CallId, SessionId};
use super::provider::{Fault, Message, ModelRef, Usage};
use super::session::notice::Notice;
use super::session::tree::{Branch, NodeId};
use super::time::Span;
use super::tool::{CallView, Display, Image, Outcome, Pipe};
use super::wire::ext::Show;

#[derive(Debug, Clone, PartialEq)]
pub enum Fact {
    Turn(SessionId, TurnFact),
    Text(SessionId, TextFact),
    Tool(SessionId, ToolFact),
    Session(SessionId, SessionFact),
    /// A line for the person, not part of the conversation.
    Notice(Notice),
    Ext(ExtFact),
}

#[derive(Debug, Clone, PartialEq)]
pub enum ExtFact {
    /// The registry is another one: commands, shortcuts, tools.
    Registry,
    /// Everyone is there who comes at this start or reload.
    Ready,
    /// The launch's command line is read.
    Launched,
    /// The launch ends here (`-p`).
    Refused { status: u8, why: Arc<str> },
    /// A command or a shortcut shows this: a fact, so that it stays in order with its notice.
    Shown(Show),
}

#[derive(Debug, Clone, PartialEq)]
pub enum TurnFact {
    /// A prompt was taken: show life at once.
    Began {
        node: NodeId,
        message: Arc<Message>,
    },
    /// `before_turn` is done; the event `turn_start`.
    Started {
        prompt: Arc<str>,
    },
    /// A request went out (a step of the turn, from 1).
    Asking {
        step: u32,
    },
    /// A hook's answer is awaited from the named extension.
    Waiting {
        hook: HookKind,
        extension: Arc<str>,
    },
    /// It has answered, or is not waited for any more.
    Waited {
        hook: HookKind,
        extension: Arc<str>,
    },
    /// Nothing came and it may be tried again.
    Retry {
        attempt: u32,
        limit: u32,
        wait: Span,
        fault: Arc<Fault>,
    },
    /// The request that had failed is answered now.
    Recovered,
    /// A steer is queued, was edited or removed; the whole queue as it stands.
    Queue {
        waiting: Vec<Arc<Message>>,
    },
    /// A queued message joined the conversation.
    Steered {
        node: NodeId,
        message: Arc<Message>,
    },
    /// A message of another kind joined (nested instructions, an extension's, a `!command`'s).
    Joined {
        node: NodeId,
        message: Arc<Message>,
    },
    Compacting,
    Compacted {
        summary: Arc<str>,
    },
    /// It could not be done; the history is as it was.
    CompactFailed {
        reason: Arc<str>,
    },
    Usage {
        usage: Usage,
        cost: Option<f64>,
    },
    Warning(Arc<str>),
    /// The turn failed.
    Failed {
        fault: Arc<Fault>,
        attempt: u32,
        limit: u32,
        partial_bytes: usize,
    },
    /// Exactly one for every `Began`.
    Ended {
        aborted: bool,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub enum TextFact {
    Text(Arc<str>),
    Reasoning(Arc<str>),
    /// A call's arguments are arriving; the row may show its name.
    Calling {
        name: Arc<str>,
    },
    /// The reply is in the tree (partial after an interrupt or a fault).
    Committed {
        node: NodeId,
        message: Arc<Message>,
        partial: bool,
    },
    /// What had been shown since the last commit is void (a blank reply asked again).
    Dropped,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ToolFact {
    /// The whole batch of one reply, in the model's order.
    Batch {
        calls: Vec<CallView>,
    },
    Start {
        id: CallId,
    },
    Output {
        id: CallId,
        pipe: Pipe,
        chunk: Arc<str>,
    },
    End {
        id: CallId,
        outcome: Outcome,
        summary: Option<Arc<str>>,
        content: Arc<str>,
        /// All of it, when the model got less.
        whole: Option<Arc<str>>,
        display: Option<Display>,
        /// The id the whole text is kept under, when the model got less.
        kept: Option<Arc<str>>,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub enum SessionFact {
    /// Another conversation is in front: rebuild from its branch, root to head.
    Opened {
        reason: OpenReason,
        branch: Branch,
        path: Option<Arc<str>>,
    },
    /// A conversation is being opened, and this is its end; nothing any more when opening failed.
    Nearing {
        branch: Branch,
    },
    /// The head moved within the tree (`/tree`): rebuild, and the prompt that was rewound returns to the composer.
    Moved {
        branch: Branch,
        prompt: Option<Arc<str>>,
    },
    Named {
        name: Option<Arc<str>>,
    },
    /// What was submitted, or was to be continued, came to no turn; a notice has said why. The status is what `-p` ends
    /// with: 0 a hook consumed it, 1 it failed, 2 a built-in command, 75 the session is open elsewhere.
    NoTurn {
        status: u8,
    },
    /// A submitted line could not be sent; the composer gets it back. A notice has said why.
    Returned {
        text: Arc<str>,
        images: Vec<Image>,
    },
    /// The log has a path now.
    Saved {
        path: Arc<str>,
    },
    Model {
        model: ModelRef,
    },
    Effort {
        effort: Option<Arc<str>>,
    },
    /// Tokens in the window as last counted, and its size.
    Context {
        tokens: u64,
        window: u64,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenReason {
    Startup,
    New,
    Resume,
    Fork,
    Reload,
}

impl OpenReason {
    pub fn name(self) -> &'static str {
        match self {
            OpenReason::Startup => "startup",
            OpenReason::New => "new",
            OpenReason::Resume => "resume",
            OpenReason::Fork => "fork",
            OpenReason::Reload => "reload",
        }
    }
}
