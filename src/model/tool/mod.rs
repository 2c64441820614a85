//! Tools: what the model may call, how a call ends, and the pure parts of the built-in ones.

pub mod args;
pub mod edit;
pub mod encoding;
pub mod ends;
pub mod kept;
pub mod limit;
pub mod lookalike;
pub mod near;
pub mod order;
pub mod output;
pub mod spec;

use std::sync::Arc;

use serde_json::Value;

use crate::model::id::{CallId, ExtId, SessionId};

/// Who runs a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    Builtin,
    Ext(ExtId),
}

/// One tool as it is offered to a model and shown to a person.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    pub name: Arc<str>,
    pub description: Arc<str>,
    /// A JSON Schema object.
    pub parameters: Arc<Value>,
    pub label: Label,
    pub owner: Owner,
}

/// The grammar of a tool's transcript row (guide, `initialize`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The noun when a batch is tallied.
    pub category: Arc<str>,
    pub running: Arc<str>,
    pub completed: Arc<str>,
    /// The argument whose value the row shows.
    pub target: Option<Arc<str>>,
}

/// How a call ended (`agent.md`, Tools).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    Completed,
    Failed,
    TimedOut,
    Blocked,
    Cancelled,
}

impl Outcome {
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Completed => "completed",
            Outcome::Failed => "failed",
            Outcome::TimedOut => "timedout",
            Outcome::Blocked => "blocked",
            Outcome::Cancelled => "cancelled",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "completed" => Outcome::Completed,
            "failed" => Outcome::Failed,
            "timedout" => Outcome::TimedOut,
            "blocked" => Outcome::Blocked,
            "cancelled" => Outcome::Cancelled,
            _ => return None,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    #[default]
    Text,
    Markdown,
    Diff,
}

/// What the reader shows instead of a result's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Display {
    pub text: Arc<str>,
    pub format: Format,
    /// Its end was left out, for size.
    pub cut: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pipe {
    Stdout,
    Stderr,
}

/// Names a file for ordering: two paths of one file have one key (`agent.md`, Tool batches).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileKey {
    Inode { dev: u64, ino: u64 },
    Path(Arc<str>),
}

/// An encoded image as it is sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Image {
    /// `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
    pub mime: Arc<str>,
    /// Base64 of the file's bytes.
    pub data: Arc<str>,
    pub width: u32,
    pub height: u32,
    /// What the transcript calls it.
    pub name: Arc<str>,
}

/// How a tool ended, whole: the core cuts what the model reads and keeps the rest for `read_result`.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutput {
    pub outcome: Outcome,
    /// The whole text, at most 4 MiB, secrets masked.
    pub content: Arc<str>,
    /// What the model reads when it is not simply the head of `content` (bash keeps head and tail).
    /// [`limit::MARK`] in it stands for the words that say how to read the rest: use [`limit::for_model`].
    pub excerpt: Option<Arc<str>>,
    pub summary: Option<Arc<str>>,
    pub display: Option<Display>,
    pub images: Vec<Image>,
    /// `AGENTS.md` files on the way to the touched path, outermost first, every time: `(path, text)`.
    pub instructions: Vec<(Arc<str>, Arc<str>)>,
}

/// A call as it is announced.
#[derive(Debug, Clone, PartialEq)]
pub struct CallView {
    pub id: CallId,
    pub name: Arc<str>,
    /// Parsed; a JSON string when the model wrote no valid JSON.
    pub arguments: Arc<Value>,
    pub label: Label,
    /// The value of the label's target argument.
    pub target: Option<Arc<str>>,
}

impl ToolOutput {
    /// A result that is a text and nothing more.
    pub fn new(outcome: Outcome, content: impl Into<Arc<str>>) -> Self {
        ToolOutput {
            outcome,
            content: content.into(),
            excerpt: None,
            summary: None,
            display: None,
            images: Vec::new(),
            instructions: Vec::new(),
        }
    }

    /// A failure whose words are for model and person alike; a schema among them is for the model, and for the reader.
    pub fn failed(why: impl Into<Arc<str>>) -> Self {
        let mut output = ToolOutput::new(Outcome::Failed, why);
        if let Some((wrong, _)) = output.content.split_once(args::SCHEMA) {
            output.summary = wrong.lines().next().map(Arc::from);
            output.display = Some(Display { text: output.content.clone(), format: Format::Text, cut: false });
        }
        output
    }
}

/// world → core, for one [`CallId`]. Nothing follows `Done`.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolMsg {
    /// The answer to `Identify`; `None` when the call names no file.
    Identified(Option<FileKey>),
    /// Live output, in observed order, secrets masked, without escape sequences. A built-in command has one pipe for
    /// both streams, so that their order is true; its chunks all say `Stdout`.
    Output {
        pipe: Pipe,
        chunk: Arc<str>,
    },
    Done(Box<ToolOutput>),
}

/// core → world.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolFx {
    /// Which file does this call touch?
    Identify { call: CallId, cwd: Arc<str>, path: Arc<str> },
    /// Runs a built-in. `arguments` are a JSON object.
    Run { session: SessionId, call: CallId, name: Arc<str>, arguments: Arc<Value>, cwd: Arc<str> },
    /// Ends a running call at once, its process group with it. No `Done` follows.
    Kill(CallId),
    /// Restores the bytes before the session's last write or edit (`/undo`); answered by `Done` for `call`.
    Undo { session: SessionId, call: CallId, cwd: Arc<str> },
    /// Which undo store and freshness the session's next calls use: its log's path, or none when nothing is saved (yet).
    Session { session: SessionId, log: Option<Arc<str>>, cwd: Arc<str> },
    /// The person accepts this directory for this time only; children that are an `e` of their own are told.
    Trusted(Arc<str>),
}
