//! The conversation, in the one shape that every dialect is made from and that the session log keeps.

use std::sync::Arc;

use super::info::ModelRef;
use crate::model::tool::{Display, Image, Outcome};

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    User(User),
    Assistant(Assistant),
    Tool(ToolResult),
}

/// Why a user-role message is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UserKind {
    /// A person's own words (also a steer, a command's prompt, an extension's visible message).
    #[default]
    Prompt,
    /// A compaction's summary of what came before.
    Summary,
    /// A nested `AGENTS.md`, read when a tool first touched its directory.
    Instructions,
    /// A `!command` a person ran, and its output.
    Shell,
}

#[derive(Debug, Clone, PartialEq)]
pub struct User {
    pub content: Vec<UserPart>,
    /// The model sees it, the transcript does not.
    pub internal: bool,
    pub kind: UserKind,
}

#[derive(Debug, Clone, PartialEq)]
pub enum UserPart {
    Text(Arc<str>),
    Image(Image),
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Assistant {
    pub parts: Vec<Part>,
    /// Who made it: reasoning goes back to its own maker only (case G60).
    pub origin: Option<ModelRef>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    Text(Arc<str>),
    Reasoning {
        text: Arc<str>,
        /// The provider's seal, replayed byte for byte.
        signature: Option<Arc<str>>,
        /// Sealed reasoning without readable text, or a whole provider item, as compact JSON.
        sealed: Option<Arc<str>>,
    },
    ToolCall {
        /// The provider's id, unique within the message.
        id: Arc<str>,
        name: Arc<str>,
        /// As the model wrote them; may be broken JSON.
        arguments: Arc<str>,
        /// An opaque seal some providers attach to a call (Google thought signatures).
        signature: Option<Arc<str>>,
    },
}

/// The answer to one tool call, as the model and the log have it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    /// The provider's id of the call.
    pub call: Arc<str>,
    pub name: Arc<str>,
    pub outcome: Outcome,
    pub content: Arc<str>,
    pub summary: Option<Arc<str>>,
    pub display: Option<Display>,
    pub images: Vec<Image>,
}

impl Message {
    /// A plain user prompt.
    pub fn prompt(text: impl Into<Arc<str>>) -> Self {
        Message::User(User {
            content: vec![UserPart::Text(text.into())],
            internal: false,
            kind: UserKind::Prompt,
        })
    }
}

impl User {
    /// The text parts, joined by newlines.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for part in &self.content {
            if let UserPart::Text(t) = part {
                if !out.is_empty() {
                    out.push('\n');
                }
                out.push_str(t);
            }
        }
        out
    }

    pub fn images(&self) -> impl Iterator<Item = &Image> {
        self.content.iter().filter_map(|p| if let UserPart::Image(image) = p { Some(image) } else { None })
    }
}

impl Assistant {
    /// The visible text, segments joined as they came.
    pub fn text(&self) -> String {
        self.parts.iter().filter_map(|p| if let Part::Text(t) = p { Some(&**t) } else { None }).collect()
    }

    /// `(id, name, arguments)` of every call, in the model's order.
    pub fn calls(&self) -> impl Iterator<Item = (&Arc<str>, &Arc<str>, &Arc<str>)> {
        self.parts.iter().filter_map(|p| match p {
            Part::ToolCall { id, name, arguments, .. } => Some((id, name, arguments)),
            Part::Text(_) | Part::Reasoning { .. } => None,
        })
    }
}
