//! One block of the transcript: what it holds, its version and whether it is done. Every change moves the version.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use crate::model::id::{BlockId, CallId};
use crate::model::session::notice::Tone;
use crate::model::text::clean::Clean;
use crate::model::time::{At, Span};
use crate::model::tool::{Display, Format, Label, Outcome, spec};

use super::code::{Codes, Colours};
use super::shade::{QUESTIONS, Question, Shades};

pub use super::prose::{Prose, Words};
pub use super::tail::Tail;

/// How far a tool call has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CallState {
    /// Announced; waiting for its turn.
    #[default]
    Waiting,
    Running {
        since: At,
    },
    /// `took` is unknown for calls of an earlier run.
    Ended {
        outcome: Outcome,
        took: Option<Span>,
    },
}

/// One row of a tool group.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub id: CallId,
    pub name: Arc<str>,
    pub label: Label,
    /// The value of the label's target argument.
    pub target: Option<Clean>,
    /// The arguments as the model wrote them, of a call whose target is not looked up yet.
    pub arguments: Option<Arc<str>>,
    pub state: CallState,
    pub summary: Option<Clean>,
    pub tail: Tail,
    /// What the model got.
    pub content: Words,
    /// What the reader shows instead, and the transcript when it is a diff.
    pub display: Option<Display>,
    /// The colours of the code in the diff.
    pub shades: Shades,
    /// What an extension would have the reader show.
    pub rendered: Option<Display>,
    /// The colours of that one's code, when it is a diff.
    pub rendered_shades: Shades,
}

impl Call {
    pub fn new(id: CallId, name: Arc<str>, label: Label, target: Option<&str>) -> Self {
        let target = target.map(|text| under_review(&label, text));
        Call {
            id,
            name,
            label,
            target,
            arguments: None,
            state: CallState::Waiting,
            summary: None,
            tail: Tail::default(),
            content: Words::default(),
            display: None,
            shades: Shades::default(),
            rendered: None,
            rendered_shades: Shades::default(),
        }
    }

    /// What the row names as the call's object. Looked up late for calls of an earlier run, so that a long
    /// conversation opens without parsing all its arguments.
    pub fn object(&self) -> Option<Cow<'_, Clean>> {
        if let Some(target) = &self.target {
            return Some(Cow::Borrowed(target));
        }
        let arguments: Value = serde_json::from_str(self.arguments.as_deref()?).ok()?;
        Some(Cow::Owned(under_review(&self.label, &spec::target(&self.label, &arguments)?)))
    }

    pub fn outcome(&self) -> Option<Outcome> {
        match self.state {
            CallState::Ended { outcome, .. } => Some(outcome),
            CallState::Waiting | CallState::Running { .. } => None,
        }
    }

    /// The diff that the transcript shows below the row.
    pub fn diff(&self) -> Option<&Arc<str>> {
        self.display.as_ref().filter(|d| d.format == Format::Diff).map(|d| &d.text)
    }

    /// Its diffs and their colours: the one of the transcript, and what an extension has the reader show instead.
    fn diffs(&mut self) -> [(Option<&Arc<str>>, &mut Shades); 2] {
        fn text(display: &Option<Display>) -> Option<&Arc<str>> {
            display.as_ref().filter(|d| d.format == Format::Diff).map(|d| &d.text)
        }
        [(text(&self.display), &mut self.shades), (text(&self.rendered), &mut self.rendered_shades)]
    }

    /// Whether it has a diff that nobody has asked colours for.
    fn has_new_diff(&self) -> bool {
        let is_diff = |d: &Display| d.format == Format::Diff;
        let new = self.shades.is_new() && self.display.as_ref().is_some_and(is_diff);
        let rendered_new = self.rendered_shades.is_new() && self.rendered.as_ref().is_some_and(is_diff);
        self.outcome().is_some() && (new || rendered_new)
    }
}

/// A call's object as a person reviews it: in a path every odd character shows, in a command line breaks stay.
fn under_review(label: &Label, text: &str) -> Clean {
    match label.target.as_deref() {
        Some("path") => Clean::name(text.trim()),
        _ => Clean::review(text.trim()),
    }
}

/// The calls between two pieces of text, in the model's order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tools {
    pub calls: Vec<Call>,
}

impl Tools {
    pub fn running(&self) -> bool {
        self.calls.iter().any(|c| c.outcome().is_none())
    }

    /// What is to be looked up for the diffs of its calls; the indices count the questions of all.
    fn ask(&mut self) -> Vec<Question> {
        let mut out = Vec::new();
        for (at, call) in self.calls.iter_mut().enumerate().filter(|(_, call)| call.has_new_diff()) {
            for (which, (text, shades)) in call.diffs().into_iter().enumerate() {
                let Some(text) = text.filter(|_| shades.is_new()) else { continue };
                let first = (at * 2 + which) * QUESTIONS;
                out.extend(shades.ask(text).into_iter().map(|q| Question { index: first + q.index, ..q }));
            }
        }
        out
    }

    fn coloured(&mut self, index: usize, lines: Vec<Colours>) {
        let diff = index / QUESTIONS;
        let Some(call) = self.calls.get_mut(diff / 2) else { return };
        if let Some((Some(text), shades)) = call.diffs().into_iter().nth(diff % 2) {
            shades.coloured(text, index % QUESTIONS, lines);
        }
    }
}

/// What a block shows.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// The head of a fresh session.
    Banner {
        version: Clean,
        cwd: Clean,
        model: Clean,
    },
    /// `attachments`: the names of its images.
    User {
        text: Words,
        attachments: Vec<Clean>,
    },
    Text(Prose),
    Thinking(Prose),
    Tools(Tools),
    /// `!command`; `hidden` keeps it from the model.
    Shell {
        call: Box<Call>,
        hidden: bool,
    },
    Notice {
        tone: Tone,
        text: Words,
    },
    /// A failure: one line for a person, the rest for the reader.
    Error {
        headline: Clean,
        detail: Words,
    },
    /// A compaction's summary of what came before.
    Summary {
        text: Words,
    },
    /// An extension's `ui.show`.
    Show {
        title: Clean,
        body: Words,
        format: Format,
        /// Its end was left out.
        cut: bool,
        /// The colours of the code in a diff.
        shades: Shades,
    },
}

impl Body {
    /// Whether it has a diff that nobody has asked colours for.
    pub fn has_new_diff(&self) -> bool {
        match self {
            Body::Tools(tools) => tools.calls.iter().any(Call::has_new_diff),
            Body::Show { format, shades, .. } => *format == Format::Diff && shades.is_new(),
            _ => false,
        }
    }

    /// What is to be looked up for its diffs; asked once.
    pub fn ask(&mut self) -> Vec<Question> {
        match self {
            Body::Tools(tools) => tools.ask(),
            Body::Show { body, format: Format::Diff, shades, .. } => shades.ask(body.raw()),
            _ => Vec::new(),
        }
    }

    /// Colours have come for a question of [`ask`](Self::ask).
    pub fn coloured(&mut self, index: usize, lines: Vec<Colours>) {
        match self {
            Body::Tools(tools) => tools.coloured(index, lines),
            Body::Show { body, format: Format::Diff, shades, .. } => {
                shades.coloured(body.raw(), index, lines)
            }
            _ => {}
        }
    }
}

/// A block. `id` rises from block to block.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    id: BlockId,
    version: u32,
    /// When it was done; nothing but colours changes afterwards.
    done: Option<At>,
    body: Body,
}

impl Block {
    pub fn open(id: BlockId, body: Body) -> Self {
        Block { id, version: 0, done: None, body }
    }

    pub fn done(id: BlockId, body: Body, at: At) -> Self {
        Block { id, version: 0, done: Some(at), body }
    }

    pub fn id(&self) -> BlockId {
        self.id
    }

    pub fn version(&self) -> u32 {
        self.version
    }

    pub fn is_done(&self) -> bool {
        self.done.is_some()
    }

    pub fn done_at(&self) -> Option<At> {
        self.done
    }

    pub fn body(&self) -> &Body {
        &self.body
    }

    /// The only way to change what it shows; the version moves.
    pub fn edit(&mut self) -> &mut Body {
        self.version = self.version.wrapping_add(1);
        &mut self.body
    }

    /// Marks it done.
    pub fn finish(&mut self, at: At) {
        if self.done.is_none() {
            self.version = self.version.wrapping_add(1);
            self.done = Some(at);
        }
    }

    /// The code blocks of a text block.
    pub fn codes(&self) -> Option<&Codes> {
        match &self.body {
            Body::Text(prose) => Some(&prose.codes),
            Body::Banner { .. }
            | Body::User { .. }
            | Body::Thinking(_)
            | Body::Tools(_)
            | Body::Shell { .. }
            | Body::Notice { .. }
            | Body::Error { .. }
            | Body::Summary { .. }
            | Body::Show { .. } => None,
        }
    }

    /// Whether colours were asked for and have not come.
    pub fn awaits_colours(&self) -> bool {
        match &self.body {
            Body::Text(prose) => prose.codes.awaiting(),
            Body::Tools(tools) => tools.calls.iter().any(|call| call.shades.awaiting()),
            Body::Show { shades, .. } => shades.awaiting(),
            Body::Banner { .. }
            | Body::User { .. }
            | Body::Thinking(_)
            | Body::Shell { .. }
            | Body::Notice { .. }
            | Body::Error { .. }
            | Body::Summary { .. } => false,
        }
    }

    /// Whether it stands directly below the block before, without a blank row between.
    pub fn is_tight(&self) -> bool {
        match &self.body {
            Body::Notice { tone: Tone::Info, .. } => true,
            Body::Notice { .. }
            | Body::Banner { .. }
            | Body::User { .. }
            | Body::Text(_)
            | Body::Thinking(_)
            | Body::Tools(_)
            | Body::Shell { .. }
            | Body::Error { .. }
            | Body::Summary { .. }
            | Body::Show { .. } => false,
        }
    }

    /// Bytes of its text, as a rough measure of its height.
    pub fn bulk(&self) -> usize {
        match &self.body {
            Body::User { text, .. } => text.len().min(2_000),
            Body::Notice { text, .. } | Body::Summary { text } => text.len(),
            Body::Text(prose) => prose.words.len(),
            Body::Thinking(_) | Body::Banner { .. } => 80,
            Body::Tools(tools) => {
                tools.calls.iter().map(|c| 80 + c.diff().map_or(0, |d| d.len().min(4_000))).sum()
            }
            Body::Shell { call, .. } => 80 + call.content.len(),
            Body::Error { detail, .. } => detail.len(),
            Body::Show { body, .. } => body.len(),
        }
    }
}
