//! world → core: everything that can happen, each message stamped with its time.

use std::sync::Arc;

use super::boot::BootMsg;
use super::config::complaint::Complaint;
use super::ext::ExtMsg;
use super::id::{CallId, StreamId, Ticket, TimerId};
use super::provider::{ModelInfo, StreamMsg};
use super::session::head::SessionHead;
use super::session::library::{Skill, Template};
use super::session::load::Loaded;
use super::session::saved::SavedUsage;
use super::session::tree::Branch;
use super::term::TermMsg;
use super::text::row::Token;
use super::time::{At, Span};
use super::tool::{Image, ToolMsg};

#[derive(Debug, Clone, PartialEq)]
pub struct Stamped {
    pub at: At,
    pub msg: Msg,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Msg {
    Boot(Box<BootMsg>),
    Term(TermMsg),
    Timer(TimerId),
    Signal(Signal),
    Stream(StreamId, StreamMsg),
    Tool(CallId, ToolMsg),
    Store(Ticket, StoreMsg),
    Files(Ticket, FilesMsg),
    Auth(Ticket, AuthMsg),
    Ext(ExtMsg),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    Terminate,
    HangUp,
    Interrupt,
    /// Nobody reads stdout any more (headless).
    Closed,
    /// Stdout cannot be written, on a full disk for example; stderr says why (headless).
    Unwritable,
    /// The machine slept this long.
    Slept(Span),
    /// Back from a suspension.
    Continued,
    /// A file of the home that a person writes was saved.
    Saved,
}

#[derive(Debug, Clone, PartialEq)]
pub enum StoreMsg {
    Created {
        path: Arc<str>,
    },
    /// The end of a log that is being read: what its last screenful shows. Another answer follows.
    Ending {
        branch: Branch,
    },
    /// A log as it is on disk, a torn last line already cut; lines that could not be read are in it by number.
    Opened {
        path: Arc<str>,
        session: Box<Loaded>,
    },
    /// Another process has it open.
    Busy {
        path: Arc<str>,
    },
    /// There is none.
    Missing,
    Listed {
        sessions: Vec<SessionHead>,
    },
    AppendFailed {
        error: Arc<str>,
    },
    Failed {
        error: Arc<str>,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub enum FilesMsg {
    Catalog {
        models: Arc<[Arc<ModelInfo>]>,
        complaints: Vec<Complaint>,
    },
    /// `(path, text)` in order, and the home's own system prompt.
    Instructions {
        files: Vec<(Arc<str>, Arc<str>)>,
        system_prompt: Option<Arc<str>>,
        complaints: Vec<Arc<str>>,
    },
    Templates {
        prompts: Vec<Template>,
        skills: Vec<Skill>,
        complaints: Vec<Arc<str>>,
    },
    Found {
        paths: Vec<Arc<str>>,
        done: bool,
        truncated: bool,
    },
    Image(Image),
    Text(Arc<str>),
    History(Vec<Arc<str>>),
    Draft(Option<Arc<str>>),
    /// Per line from `from_line`: byte ranges and their tokens.
    Coloured {
        from_line: usize,
        lines: Vec<Vec<(std::ops::Range<usize>, Token)>>,
    },
    Branch(Option<Arc<str>>),
    /// The page is written here.
    Exported {
        path: Arc<str>,
    },
    /// The files as at a start, `(name, text)`, and what could not be read.
    Config {
        files: Vec<(Arc<str>, Arc<str>)>,
        complaints: Vec<Arc<str>>,
    },
    Usage(SavedUsage),
    Edited(Arc<str>),
    Failed {
        error: Arc<str>,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub enum AuthMsg {
    Stored { provider: Arc<str> },
    Removed { provider: Arc<str> },
    Failed { error: Arc<str> },
}
