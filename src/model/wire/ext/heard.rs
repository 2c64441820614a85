//! What an extension hears: lines of `e` read back. The other end of the pipe, for whoever plays the extension.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::event::Event;
use super::get;
use super::outgoing::{Call, Init, Note, Scope};

/// A line of `e`'s.
#[derive(Debug, Clone, PartialEq)]
pub enum Heard {
    Call {
        id: u64,
        call: Call,
        scope: Scope,
    },
    Note {
        note: Note,
        scope: Scope,
    },
    /// The answer to a request, under the request's own id.
    Reply {
        id: Value,
        result: Result<Value, Arc<str>>,
    },
}

impl Heard {
    /// `None` when it is no line `e` would write.
    pub fn read(line: &str) -> Option<Heard> {
        let value = get::parse(line).ok()?;
        let params = value.get("params").unwrap_or(&Value::Null);
        let scope = |cwd: bool| Scope {
            session: text(params, "session"),
            cwd: if cwd { text(params, "cwd") } else { None },
        };
        match (value.get("method").and_then(Value::as_str), value.get("id")) {
            (Some(method), Some(id)) => {
                let scope = match method {
                    "initialize" | "hook.startup" => Scope::ONLY,
                    _ => scope(method == "tool_call"),
                };
                Some(Heard::Call { id: id.as_u64()?, call: call(method, params)?, scope })
            }
            (Some(method), None) => {
                let scope = if method == "event" { scope(false) } else { Scope::ONLY };
                Some(Heard::Note { note: note(method, params)?, scope })
            }
            (None, Some(id)) => {
                let result = match (value.get("error"), value.get("result")) {
                    (Some(error), None) => Err(error.as_str()?.into()),
                    (None, Some(result)) => Ok(result.clone()),
                    _ => return None,
                };
                Some(Heard::Reply { id: id.clone(), result })
            }
            (None, None) => None,
        }
    }
}

fn text(params: &Value, key: &str) -> Option<Arc<str>> {
    get::text(params, key).map(Arc::from)
}

fn object(params: &Value, key: &str) -> Option<Arc<Map<String, Value>>> {
    Some(Arc::new(params.get(key)?.as_object()?.clone()))
}

fn any(params: &Value, key: &str) -> Option<Arc<Value>> {
    Some(Arc::new(params.get(key)?.clone()))
}

fn call(method: &str, params: &Value) -> Option<Call> {
    let text = |key: &str| text(params, key);
    Some(match method {
        "initialize" => Call::Initialize(Init {
            ui: get::flag(params, "ui")?,
            version: text("e_version")?,
            cwd: text("cwd")?,
            config: any(params, "extensions_config")?,
        }),
        "hook.startup" => {
            let argv = params.get("argv")?.as_array()?;
            let argv = argv.iter().map(|word| word.as_str().map(Arc::from)).collect::<Option<_>>()?;
            Call::Startup { cwd: text("cwd")?, argv, flags: object(params, "flags")? }
        }
        "tool_call" => Call::ToolCall { name: text("name")?, arguments: any(params, "arguments")? },
        "command" => Call::Command { name: text("name")?, args: text("args")? },
        "command.complete" => Call::Complete { name: text("name")?, prefix: text("prefix")? },
        "shortcut" => Call::Shortcut { key: text("key")?.parse().ok()? },
        "hook.tool_call" => Call::HookToolCall { name: text("name")?, arguments: any(params, "arguments")? },
        "hook.input" => Call::HookInput { text: text("text")? },
        "hook.before_turn" => Call::HookBeforeTurn { prompt: text("prompt")? },
        "hook.tool_result" => Call::HookToolResult {
            name: text("name")?,
            content: text("content")?,
            is_error: get::flag(params, "is_error")?,
        },
        "hook.compact_summary" => Call::HookCompactSummary { summary: text("summary")? },
        "hook.render" => {
            Call::HookRender { kind: text("kind")?, name: text("name")?, content: text("content")? }
        }
        _ => return None,
    })
}

fn note(method: &str, params: &Value) -> Option<Note> {
    let text = |key: &str| text(params, key);
    let place = || Some((text("pane")?, text("section")?, text("id")?));
    Some(match method {
        "event" => Note::Event(Event::read(&text("name")?, params.get("extra")?)?),
        "flags" => Note::Flags(object(params, "flags")?),
        "ui.key" => Note::Key(text("key")?.parse().ok()?),
        "ui.panel_closed" => Note::PanelClosed,
        "pane.select" => {
            let (pane, section, id) = place()?;
            Note::PaneSelect { pane, section, id }
        }
        "pane.activate" => {
            let (pane, section, id) = place()?;
            Note::PaneActivate { pane, section, id }
        }
        "pane.key" => Note::PaneKey { pane: text("pane")?, key: text("key")?.parse().ok()? },
        "pane.closed" => Note::PaneClosed { pane: text("pane")? },
        "shutdown" => Note::Shutdown,
        _ => return None,
    })
}
