//! `e -p`: what was said so far, what the final `result` will tell, and how the process will end.

use std::sync::Arc;

use serde_json::Value;

use crate::model::id::SessionId;
use crate::model::provider::{ModelRef, Usage};
use crate::model::text::clean::{Cleaner, Mode};

#[derive(Debug, PartialEq)]
pub struct Print {
    /// One JSON event a line instead of text.
    pub json: bool,
    pub session: Option<SessionId>,
    /// Between a turn's beginning and its end.
    pub running: bool,
    /// A signal's exit status, once one came.
    pub signal: Option<u8>,
    pub said: Said,
    pub outcome: Outcome,
    pub tally: Tally,
    pub facts: About,
    /// The turn is over and this is its status; the log that the result names is still being made.
    pub due: Option<u8>,
    /// The exit was asked for; nothing is printed any more.
    pub ended: bool,
}

/// The assistant's text.
#[derive(Debug, PartialEq)]
pub struct Said {
    /// Everything, replies apart by a line end.
    pub output: String,
    /// The newest reply that said anything.
    pub last: String,
    /// Bytes of `output` that are committed: what follows is still streaming.
    pub committed: usize,
    /// Held back until it is known that no terminal sequence is being split.
    pub cleaner: Cleaner,
    /// Something was written to stdout since its last line end.
    pub line_open: bool,
    /// The next text begins a new reply.
    pub reply_over: bool,
}

/// How it went.
#[derive(Debug, Default, PartialEq)]
pub struct Outcome {
    pub aborted: bool,
    pub error: Option<Arc<str>>,
    pub error_details: Option<Value>,
    pub warnings: Vec<Arc<str>>,
}

#[derive(Debug, Default, PartialEq)]
pub struct Tally {
    pub usage: Usage,
    /// In dollars; none until a priced response came.
    pub cost: Option<f64>,
    pub calls: u64,
    pub failures: u64,
}

/// What the session is, as facts told it.
#[derive(Debug, Default, PartialEq)]
pub struct About {
    pub model: Option<ModelRef>,
    pub effort: Option<Arc<str>>,
    /// The saved log.
    pub path: Option<Arc<str>>,
}

impl Print {
    pub fn new(json: bool) -> Self {
        Print {
            json,
            session: None,
            running: false,
            signal: None,
            due: None,
            said: Said {
                output: String::new(),
                last: String::new(),
                committed: 0,
                cleaner: Cleaner::new(Mode::Vanish),
                line_open: false,
                reply_over: false,
            },
            outcome: Outcome::default(),
            tally: Tally::default(),
            facts: About::default(),
            ended: false,
        }
    }
}
