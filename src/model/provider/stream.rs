//! The pieces of an answer, the same for every dialect.

use std::sync::Arc;

use super::fault::Fault;
use super::usage::Usage;

/// How a reply ended, as the provider said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The model was done, or wants its tools run.
    End,
    /// The output limit cut it.
    Length,
    /// The provider withheld the answer.
    Refused,
}

/// world → core, for one [`StreamId`](crate::model::id::StreamId). Nothing follows `Done` or `Failed`.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamMsg {
    /// Response headers came with a success status.
    Opened,
    Text(String),
    Reasoning(String),
    /// The reasoning so far is one item; its seal.
    ReasoningEnd {
        signature: Option<Arc<str>>,
        sealed: Option<Arc<str>>,
    },
    /// A call begins; `index` names it within this reply.
    CallStart {
        index: usize,
        id: Arc<str>,
        name: Arc<str>,
    },
    /// More of its arguments.
    CallArgs {
        index: usize,
        delta: String,
    },
    /// It is complete; a seal if the provider attached one.
    CallEnd {
        index: usize,
        signature: Option<Arc<str>>,
    },
    /// Token counts so far; the last one counts.
    Usage(Usage),
    /// The provider did not understand part of the request and was asked again without it, or a tool's schema was reduced.
    Notice(Arc<str>),
    Done(Stop),
    Failed(Fault),
}
