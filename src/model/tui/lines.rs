//! The accessible look: plain lines that are written once, top to bottom, and what is remembered between them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use crate::model::id::CallId;
use crate::model::text::clean::{Clean, Cleaner, Mode};
use crate::model::time::At;

use super::block::Call;

/// What was said, and what the next typed line means. None of it is on a screen: what is written is written.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lines {
    /// Something stands on the last row that no line end follows (a prompt, or `^C`): what is said next begins a new one.
    pub open: bool,
    /// Typed lines so far that ended in a backslash.
    pub held: String,
    /// Prompts that were typed here, oldest first: the terminal has shown them already.
    pub typed: VecDeque<Arc<str>>,
    pub said: Said,
    /// Calls that have not ended.
    pub calls: BTreeMap<CallId, Called>,
    pub turn: Option<Turning>,
    pub model: Arc<str>,
    pub effort: Arc<str>,
    /// Messages that wait for the next step.
    pub queued: usize,
    /// The open question as it was said; empty when none was.
    pub asked: Vec<Clean>,
    /// What is typed does not show.
    pub secret: bool,
    /// One more ctrl+c leaves.
    pub armed: bool,
    /// The process ends: nothing is prompted for any more.
    pub left: bool,
}

/// A turn that runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Turning {
    pub since: At,
    pub failed: bool,
    /// Extensions that it was said to wait for: once is enough.
    pub waited: BTreeSet<Arc<str>>,
}

/// What is being streamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Voice {
    #[default]
    Reply,
    Thinking,
}

/// The text that arrives, until its lines are whole.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Said {
    pub voice: Voice,
    pub line: Whole,
    /// Something of it was written.
    pub begun: bool,
}

/// Pieces of a text on their way to whole lines.
#[derive(Debug, Clone, PartialEq)]
pub struct Whole {
    cleaner: Cleaner,
    rest: String,
}

impl Default for Whole {
    fn default() -> Self {
        Whole { cleaner: Cleaner::new(Mode::Vanish), rest: String::new() }
    }
}

impl Whole {
    /// Takes a piece; gives the lines that it makes whole, each without its end.
    pub fn push(&mut self, piece: &str) -> Vec<String> {
        self.rest.push_str(self.cleaner.push(piece).as_str());
        let Some(end) = self.rest.rfind('\n') else { return Vec::new() };
        let rest = self.rest.split_off(end + 1);
        let whole = std::mem::replace(&mut self.rest, rest);
        whole.lines().map(str::to_owned).collect()
    }

    /// Nothing follows: gives what had no line end.
    pub fn finish(&mut self) -> Option<String> {
        self.rest.push_str(self.cleaner.finish().as_str());
        let rest = std::mem::take(&mut self.rest);
        (!rest.is_empty()).then_some(rest)
    }
}

/// A call that runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Called {
    pub call: Call,
    /// Of a `!command`, whose output is said as it comes.
    pub output: Option<Whole>,
}
