//! Answers of `e` to an extension's requests.

use std::sync::Arc;

use serde_json::{Value, json};

use super::WireId;

/// What a request is answered with, exactly once.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// `{}`: done.
    Done,
    Chosen {
        value: Arc<str>,
        label: Arc<str>,
    },
    Confirmed(bool),
    Text(Arc<str>),
    Cancelled,
    Info(Box<Info>),
    /// What a client answered to a question that was handed on, as it is.
    Raw(Arc<Value>),
    Error(Arc<str>),
}

/// The answer to `session.info`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Info {
    pub path: Option<Arc<str>>,
    pub id: Option<Arc<str>>,
    pub name: Option<Arc<str>>,
    pub cwd: Arc<str>,
    pub model: Arc<str>,
    pub effort: Option<Arc<str>>,
    pub running: bool,
    /// The narrowed list, if any narrowing is in force.
    pub tools: Option<Vec<Arc<str>>>,
    pub context_tokens: u64,
    pub context_window: u64,
}

impl Reply {
    /// The limit of unanswered requests was reached.
    pub fn too_many() -> Reply {
        Reply::Error(format!("too many requests: {} are unanswered already", super::UNANSWERED).into())
    }

    pub fn unknown(method: &str) -> Reply {
        Reply::Error(format!("unknown method {method:?}").into())
    }

    /// Nobody can answer (`e -p`, and what only a screen shows under `e rpc`).
    pub fn no_ui() -> Reply {
        Reply::Error("no ui".into())
    }

    fn result(&self) -> Result<Value, &str> {
        Ok(match self {
            Reply::Done => json!({}),
            Reply::Chosen { value, label } => json!({"value": **value, "label": **label}),
            Reply::Confirmed(yes) => json!({"confirmed": yes}),
            Reply::Text(text) => json!({"text": **text}),
            Reply::Cancelled => json!({"cancelled": true}),
            Reply::Info(info) => info.value(),
            Reply::Raw(value) => (**value).clone(),
            Reply::Error(error) => return Err(error),
        })
    }

    /// The line, without its newline; the id as it came.
    pub fn line(&self, id: &WireId) -> String {
        match self.result() {
            Ok(result) => format!(r#"{{"id":{},"result":{result}}}"#, id.0),
            Err(error) => format!(r#"{{"id":{},"error":{}}}"#, id.0, Value::from(error)),
        }
    }
}

impl Info {
    fn value(&self) -> Value {
        let tools = self.tools.as_ref().map(|names| names.iter().map(|name| &**name).collect::<Vec<_>>());
        json!({
            "path": self.path.as_deref(),
            "id": self.id.as_deref(),
            "name": self.name.as_deref(),
            "cwd": *self.cwd,
            "model": *self.model,
            "effort": self.effort.as_deref(),
            "running": self.running,
            "tools": tools,
            "context_tokens": self.context_tokens,
            "context_window": self.context_window,
        })
    }
}
