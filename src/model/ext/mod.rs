//! What the core knows of extensions: who there is, what each declares, what is asked of whom, and what is still owed.

pub mod budget;
pub mod chain;
pub mod discover;
pub mod flags;
pub mod launch;
pub mod live;
pub mod registry;
pub mod startup;
pub mod typed;
pub mod words;
pub mod world;

use std::sync::Arc;

use serde_json::Value;

use crate::model::provider::Message;

pub use crate::model::wire::ext::HookKind;
use crate::model::wire::ext::RenderAnswer;
pub use live::{Debt, Ext, Exts};
pub use world::{ExtFx, ExtMsg};

/// What goes into a chain, and what comes out when every extension has been asked.
#[derive(Debug, Clone, PartialEq)]
pub enum HookValue {
    Input {
        text: Arc<str>,
        verdict: InputVerdict,
        notices: Vec<Arc<str>>,
    },
    BeforeTurn {
        prompt: Arc<str>,
        suffixes: Vec<Arc<str>>,
        messages: Vec<Arc<Message>>,
    },
    ToolCall {
        name: Arc<str>,
        arguments: Arc<Value>,
        /// The reason of the first extension that blocked.
        block: Option<Arc<str>>,
    },
    ToolResult {
        name: Arc<str>,
        content: Arc<str>,
        is_error: bool,
        /// Any extension answered with `content`.
        rewritten: bool,
    },
    CompactSummary {
        summary: Arc<str>,
    },
    Render {
        entry: Entry,
        /// What the entry shows now.
        content: Arc<str>,
        /// What some extension would have it show.
        body: Option<RenderAnswer>,
    },
}

/// What a render hook is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A tool's finished result.
    Tool(Arc<str>),
    /// A finished reply.
    Assistant,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputVerdict {
    Pass,
    Consume,
    Replace(Arc<str>),
}

impl HookValue {
    pub fn kind(&self) -> HookKind {
        match self {
            HookValue::Input { .. } => HookKind::Input,
            HookValue::BeforeTurn { .. } => HookKind::BeforeTurn,
            HookValue::ToolCall { .. } => HookKind::ToolCall,
            HookValue::ToolResult { .. } => HookKind::ToolResult,
            HookValue::CompactSummary { .. } => HookKind::CompactSummary,
            HookValue::Render { .. } => HookKind::Render,
        }
    }
}
