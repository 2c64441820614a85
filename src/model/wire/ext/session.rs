//! What an extension asks of the session: `session.*` requests (`extensions-notes.md` 18). Whether one is granted is the
//! session's business.

use std::sync::Arc;

use serde_json::Value;

use crate::model::text::clean::Clean;

use super::get::{flag, text, titled};
use super::ui::Ask;

#[derive(Debug, Clone, PartialEq)]
pub enum SessionAsk {
    Send(Send),
    Info,
    /// An empty name takes it away.
    Name(Clean),
    Model(Arc<str>),
    Effort(Arc<str>),
    /// `None` lifts the caller's own narrowing; an empty list is no tools.
    Tools(Option<Vec<Arc<str>>>),
    Interrupt,
    Compact {
        focus: Option<Arc<str>>,
    },
}

/// A message for the conversation; its content is not blank.
#[derive(Debug, Clone, PartialEq)]
pub struct Send {
    pub content: Clean,
    /// The model sees it, the transcript does not.
    pub internal: bool,
    /// Start a turn, or steer the running one.
    pub run: bool,
    /// Hold it until the person's next prompt.
    pub next_turn: bool,
}

impl SessionAsk {
    /// The request of a method and its params.
    pub fn read(method: &str, params: &Value) -> Ask {
        let line = |key: &str| -> Arc<str> { text(params, key).unwrap_or_default().trim().into() };
        let ask = match method {
            "session.send" => match send(params) {
                Some(send) => SessionAsk::Send(send),
                None => return Ask::Refused("session.send: the content is blank".into()),
            },
            "session.info" => SessionAsk::Info,
            "session.name" => SessionAsk::Name(titled(params, "name")),
            "session.model" => SessionAsk::Model(line("model")),
            "session.effort" => SessionAsk::Effort(line("effort")),
            "session.tools" => match params.get("names") {
                Some(Value::Null) => SessionAsk::Tools(None),
                Some(Value::Array(names)) => {
                    SessionAsk::Tools(Some(names.iter().filter_map(Value::as_str).map(Arc::from).collect()))
                }
                _ => {
                    return Ask::Refused(
                        r#"session.tools: give {"names": [...]}, or {"names": null}"#.into(),
                    );
                }
            },
            "session.interrupt" => SessionAsk::Interrupt,
            "session.compact" => {
                SessionAsk::Compact { focus: Some(line("focus")).filter(|focus| !focus.is_empty()) }
            }
            _ => return Ask::Unknown,
        };
        Ask::Session(ask)
    }
}

fn send(params: &Value) -> Option<Send> {
    let content = Clean::vanish(text(params, "content")?);
    if content.as_str().trim().is_empty() {
        return None;
    }
    let internal = flag(params, "internal").unwrap_or(false);
    Some(Send {
        content,
        internal,
        run: flag(params, "run").unwrap_or(!internal),
        next_turn: text(params, "when") == Some("next_turn"),
    })
}
