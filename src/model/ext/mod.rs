//! What the core knows of extensions. The host is not built yet: the hook points are, and nobody answers them.

use std::sync::Arc;

use serde_json::Value;

use crate::model::id::ExtId;
use crate::model::provider::Message;

/// The runtime hooks (`extensions-notes.md` 9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HookKind {
    Input,
    BeforeTurn,
    ToolCall,
    ToolResult,
    CompactSummary,
    Render,
}

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
        }
    }
}

/// The extensions of this process, in launch order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Exts {
    pub order: Vec<ExtId>,
}
