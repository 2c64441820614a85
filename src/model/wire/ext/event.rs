//! The ten events of a session, as extensions hear them (`extensions-notes.md` 11).

use std::sync::Arc;

use serde_json::{Value, json};

use crate::model::id::CallId;
use crate::model::tool::Outcome;

#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    SessionStart {
        reason: Arc<str>,
        path: Option<Arc<str>>,
    },
    SessionShutdown {
        reason: Arc<str>,
    },
    TurnStart {
        prompt: Arc<str>,
    },
    TurnEnd {
        aborted: bool,
    },
    ToolStart {
        id: CallId,
        name: Arc<str>,
        /// Parsed; null when the model wrote no JSON.
        arguments: Arc<Value>,
    },
    ToolEnd {
        id: CallId,
        name: Arc<str>,
        outcome: Outcome,
        content: Arc<str>,
    },
    CompactStart,
    CompactEnd {
        summary: Arc<str>,
    },
    /// As `provider/id`.
    ModelChange {
        model: Arc<str>,
    },
    EffortChange {
        effort: Arc<str>,
    },
}

/// The event that a manifest without `events` still gets.
pub const TURN_END: &str = "turn_end";

impl Event {
    /// Every event's name, in the guide's order.
    pub const NAMES: [&str; 10] = [
        "session_start",
        "session_shutdown",
        "turn_start",
        TURN_END,
        "tool_start",
        "tool_end",
        "compact_start",
        "compact_end",
        "model_change",
        "effort_change",
    ];

    pub fn name(&self) -> &'static str {
        match self {
            Event::SessionStart { .. } => "session_start",
            Event::SessionShutdown { .. } => "session_shutdown",
            Event::TurnStart { .. } => "turn_start",
            Event::TurnEnd { .. } => TURN_END,
            Event::ToolStart { .. } => "tool_start",
            Event::ToolEnd { .. } => "tool_end",
            Event::CompactStart => "compact_start",
            Event::CompactEnd { .. } => "compact_end",
            Event::ModelChange { .. } => "model_change",
            Event::EffortChange { .. } => "effort_change",
        }
    }

    /// The event's own fields.
    pub fn extra(&self) -> Value {
        match self {
            Event::SessionStart { reason, path } => json!({"reason": **reason, "path": path.as_deref()}),
            Event::SessionShutdown { reason } => json!({"reason": **reason}),
            Event::TurnStart { prompt } => json!({"prompt": **prompt}),
            Event::TurnEnd { aborted } => json!({"aborted": aborted}),
            Event::ToolStart { id, name, arguments } => {
                json!({"id": id.0, "name": **name, "arguments": **arguments})
            }
            Event::ToolEnd { id, name, outcome, content } => {
                json!({"id": id.0, "name": **name, "outcome": outcome.name(), "content": **content})
            }
            Event::CompactStart => json!({}),
            Event::CompactEnd { summary } => json!({"summary": **summary}),
            Event::ModelChange { model } => json!({"model": **model}),
            Event::EffortChange { effort } => json!({"effort": **effort}),
        }
    }

    /// The event of a name and its fields.
    pub fn read(name: &str, extra: &Value) -> Option<Event> {
        let text = |key: &str| extra.get(key)?.as_str().map(Arc::<str>::from);
        let id = || extra.get("id")?.as_u64().map(CallId);
        Some(match name {
            "session_start" => Event::SessionStart { reason: text("reason")?, path: text("path") },
            "session_shutdown" => Event::SessionShutdown { reason: text("reason")? },
            "turn_start" => Event::TurnStart { prompt: text("prompt")? },
            TURN_END => Event::TurnEnd { aborted: extra.get("aborted")?.as_bool()? },
            "tool_start" => Event::ToolStart {
                id: id()?,
                name: text("name")?,
                arguments: Arc::new(extra.get("arguments")?.clone()),
            },
            "tool_end" => Event::ToolEnd {
                id: id()?,
                name: text("name")?,
                outcome: Outcome::parse(&text("outcome")?)?,
                content: text("content")?,
            },
            "compact_start" => Event::CompactStart,
            "compact_end" => Event::CompactEnd { summary: text("summary")? },
            "model_change" => Event::ModelChange { model: text("model")? },
            "effort_change" => Event::EffortChange { effort: text("effort")? },
            _ => return None,
        })
    }
}
