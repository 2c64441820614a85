//! What `e` says to an extension: requests with an id, notifications without one. Compact JSON, one object a line, keys in
//! the order of the guide's samples: shell extensions read them with sed.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::model::config::chord::Chord;

use super::event::Event;
use super::{CAPABILITIES, PROTOCOL};

/// What `initialize` tells.
#[derive(Debug, Clone, PartialEq)]
pub struct Init {
    /// Somebody can answer `ui.*` requests.
    pub ui: bool,
    pub version: Arc<str>,
    pub cwd: Arc<str>,
    /// The `extensions` object of the settings, the same for everyone.
    pub config: Arc<Value>,
}

/// A request of `e`'s.
#[derive(Debug, Clone, PartialEq)]
pub enum Call {
    Initialize(Init),
    Startup {
        cwd: Arc<str>,
        argv: Vec<Arc<str>>,
        flags: Arc<Map<String, Value>>,
    },
    ToolCall {
        name: Arc<str>,
        arguments: Arc<Value>,
    },
    Command {
        name: Arc<str>,
        args: Arc<str>,
    },
    Complete {
        name: Arc<str>,
        prefix: Arc<str>,
    },
    Shortcut {
        key: Chord,
    },
    HookToolCall {
        name: Arc<str>,
        arguments: Arc<Value>,
    },
    HookInput {
        text: Arc<str>,
    },
    HookBeforeTurn {
        prompt: Arc<str>,
    },
    HookToolResult {
        name: Arc<str>,
        content: Arc<str>,
        is_error: bool,
    },
    HookCompactSummary {
        summary: Arc<str>,
    },
    HookRender {
        /// `tool` or `assistant`.
        kind: Arc<str>,
        name: Arc<str>,
        content: Arc<str>,
    },
}

/// A notification of `e`'s.
#[derive(Debug, Clone, PartialEq)]
pub enum Note {
    Event(Event),
    Flags(Arc<Map<String, Value>>),
    Key(Chord),
    PanelClosed,
    PaneSelect { pane: Arc<str>, section: Arc<str>, id: Arc<str> },
    PaneActivate { pane: Arc<str>, section: Arc<str>, id: Arc<str> },
    PaneKey { pane: Arc<str>, key: Chord },
    PaneClosed { pane: Arc<str> },
    Shutdown,
}

/// Which session a message is about, where one process has several (`e rpc`): one more field behind the others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scope {
    pub session: Option<Arc<str>>,
    /// For tool calls.
    pub cwd: Option<Arc<str>>,
}

impl Scope {
    /// The only session there is.
    pub const ONLY: Scope = Scope { session: None, cwd: None };

    fn add(&self, params: &mut Value, with_cwd: bool) {
        let Value::Object(params) = params else { return };
        let cwd = if with_cwd { &self.cwd } else { &None };
        for (key, value) in [("session", &self.session), ("cwd", cwd)] {
            if let Some(value) = value {
                params.insert(key.into(), Value::from(&**value));
            }
        }
    }
}

impl Call {
    pub fn method(&self) -> &'static str {
        match self {
            Call::Initialize(_) => "initialize",
            Call::Startup { .. } => "hook.startup",
            Call::ToolCall { .. } => "tool_call",
            Call::Command { .. } => "command",
            Call::Complete { .. } => "command.complete",
            Call::Shortcut { .. } => "shortcut",
            Call::HookToolCall { .. } => "hook.tool_call",
            Call::HookInput { .. } => "hook.input",
            Call::HookBeforeTurn { .. } => "hook.before_turn",
            Call::HookToolResult { .. } => "hook.tool_result",
            Call::HookCompactSummary { .. } => "hook.compact_summary",
            Call::HookRender { .. } => "hook.render",
        }
    }

    fn params(&self) -> Value {
        match self {
            Call::Initialize(init) => json!({
                "protocol": PROTOCOL,
                "capabilities": CAPABILITIES,
                "ui": init.ui,
                "e_version": *init.version,
                "cwd": *init.cwd,
                "extensions_config": *init.config,
            }),
            Call::Startup { cwd, argv, flags } => {
                let argv: Vec<&str> = argv.iter().map(|word| &**word).collect();
                json!({"cwd": **cwd, "argv": argv, "flags": **flags})
            }
            Call::ToolCall { name, arguments } | Call::HookToolCall { name, arguments } => {
                json!({"name": **name, "arguments": **arguments})
            }
            Call::Command { name, args } => json!({"name": **name, "args": **args}),
            Call::Complete { name, prefix } => json!({"name": **name, "prefix": **prefix}),
            Call::Shortcut { key } => json!({"key": key.to_string()}),
            Call::HookInput { text } => json!({"text": **text}),
            Call::HookBeforeTurn { prompt } => json!({"prompt": **prompt}),
            Call::HookToolResult { name, content, is_error } => {
                json!({"name": **name, "content": **content, "is_error": is_error})
            }
            Call::HookCompactSummary { summary } => json!({"summary": **summary}),
            Call::HookRender { kind, name, content } => {
                json!({"kind": **kind, "name": **name, "content": **content})
            }
        }
    }

    /// The line, without its newline. A handshake and a startup hook are about no session.
    pub fn line(&self, id: u64, scope: &Scope) -> String {
        let mut params = self.params();
        match self {
            Call::Initialize(_) | Call::Startup { .. } => {}
            Call::ToolCall { .. } => scope.add(&mut params, true),
            _ => scope.add(&mut params, false),
        }
        json!({"id": id, "method": self.method(), "params": params}).to_string()
    }
}

impl Note {
    pub fn method(&self) -> &'static str {
        match self {
            Note::Event(_) => "event",
            Note::Flags(_) => "flags",
            Note::Key(_) => "ui.key",
            Note::PanelClosed => "ui.panel_closed",
            Note::PaneSelect { .. } => "pane.select",
            Note::PaneActivate { .. } => "pane.activate",
            Note::PaneKey { .. } => "pane.key",
            Note::PaneClosed { .. } => "pane.closed",
            Note::Shutdown => "shutdown",
        }
    }

    /// The line, without its newline. Only events are about a session.
    pub fn line(&self, scope: &Scope) -> String {
        let params = match self {
            Note::Event(event) => {
                let mut params = json!({"name": event.name(), "extra": event.extra()});
                scope.add(&mut params, false);
                params
            }
            Note::Flags(flags) => json!({"flags": **flags}),
            Note::Key(key) => json!({"key": key.to_string()}),
            Note::PanelClosed => json!({}),
            Note::PaneSelect { pane, section, id } | Note::PaneActivate { pane, section, id } => {
                json!({"pane": **pane, "section": **section, "id": **id})
            }
            Note::PaneKey { pane, key } => json!({"pane": **pane, "key": key.to_string()}),
            Note::PaneClosed { pane } => json!({"pane": **pane}),
            Note::Shutdown => return json!({"method": self.method()}).to_string(),
        };
        json!({"method": self.method(), "params": params}).to_string()
    }
}
