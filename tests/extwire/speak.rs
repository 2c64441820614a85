//! What an extension says, printed: the other end of every parser, for the round trips.

use e::model::config::layout::Side;
use e::model::text::row::Row;
use e::model::text::tone::Tone;
use e::model::tool::{Format, Pipe};
use e::model::wire::ext::{
    Ask, Body, HookAnswer, Incoming, Lines, Manifest, Pane, Section, SessionAsk, Show, Slot, UiAsk,
};
use serde_json::{Value, json};

pub fn format(format: Format) -> &'static str {
    match format {
        Format::Text => "text",
        Format::Markdown => "markdown",
        Format::Diff => "diff",
    }
}

/// A message as a line; what means nothing has none.
pub fn line(incoming: &Incoming) -> Option<String> {
    Some(match incoming {
        Incoming::Notify(message) => {
            json!({"method": "notify", "params": {"message": message.as_str()}}).to_string()
        }
        Incoming::ToolUpdate(update) => {
            let stream = match update.pipe {
                Pipe::Stdout => "stdout",
                Pipe::Stderr => "stderr",
            };
            let params = json!({"id": update.call, "stream": stream, "chunk": *update.chunk});
            json!({"method": "tool.update", "params": params}).to_string()
        }
        Incoming::Request(request) => format!(
            r#"{{"id":{},"method":{},"params":{}}}"#,
            request.id.0,
            json!(*request.method),
            request.params
        ),
        Incoming::Response(response) => match &response.result {
            Ok(result) => json!({"id": response.id, "result": result}).to_string(),
            Err(error) => json!({"id": response.id, "error": **error}).to_string(),
        },
        Incoming::Lost { .. } | Incoming::Ignored(_) => return None,
    })
}

fn rows(rows: &[Row]) -> Value {
    let row = |row: &Row| -> Value {
        row.spans
            .iter()
            .map(|span| json!({"text": span.text.as_str(), "token": span.token.name()}))
            .collect::<Vec<_>>()
            .into()
    };
    rows.iter().map(row).collect::<Vec<_>>().into()
}

fn lines(lines: &Lines) -> Value {
    assert_eq!(lines.more, 0, "a cut has no printed form");
    rows(&lines.rows)
}

fn slot(slot: &Slot) -> Value {
    json!({"text": slot.text.as_str(), "key": slot.key.as_deref()})
}

pub fn show(show: &Show) -> Value {
    json!({"title": show.title.as_str(), "body": show.body.as_str(), "format": format(show.format)})
}

/// A request's method and params; what is refused or unknown has none.
pub fn ask(ask: &Ask) -> Option<(&'static str, Value)> {
    Some(match ask {
        Ask::Ui(ask) => ui(ask),
        Ask::Session(ask) => session(ask),
        Ask::Refused(_) | Ask::Unknown => return None,
    })
}

fn ui(ask: &UiAsk) -> (&'static str, Value) {
    match ask {
        UiAsk::Notify { tone, message } => {
            let tone = match tone {
                Tone::Info => "info",
                Tone::Warning => "warning",
                Tone::Error => "error",
            };
            ("ui.notify", json!({"message": message.as_str(), "tone": tone}))
        }
        UiAsk::Show(block) => ("ui.show", show(block)),
        UiAsk::Select { title, choices } => {
            let options: Vec<Value> = choices
                .iter()
                .map(|c| json!({"label": c.label.as_str(), "description": c.description.as_str(), "value": *c.value}))
                .collect();
            ("ui.select", json!({"title": title.as_str(), "options": options}))
        }
        UiAsk::Confirm { title, message } => {
            ("ui.confirm", json!({"title": title.as_str(), "message": message.as_str()}))
        }
        UiAsk::Input { title, placeholder, prefill, secret } => (
            "ui.input",
            json!({
                "title": title.as_str(),
                "placeholder": placeholder.as_str(),
                "prefill": prefill.as_str(),
                "secret": secret,
            }),
        ),
        UiAsk::Editor { title, text, placeholder } => (
            "ui.editor",
            json!({"title": title.as_str(), "text": text.as_str(), "placeholder": placeholder.as_str()}),
        ),
        UiAsk::Status(status) => ("ui.status", slot(status)),
        UiAsk::Activity(activity) => ("ui.activity", slot(activity)),
        UiAsk::Compose { text } => ("ui.compose", json!({"text": text.as_str()})),
        UiAsk::Panel(None) => ("ui.panel", Value::Null),
        UiAsk::Panel(Some(panel)) => (
            "ui.panel",
            json!({
                "title": panel.title.as_str(),
                "lines": lines(&panel.lines),
                "interactive": panel.interactive,
            }),
        ),
        UiAsk::Widget { key, lines: list } => {
            ("ui.widget", json!({"key": key.as_deref(), "lines": lines(list)}))
        }
        UiAsk::Pane(None) => ("ui.pane", Value::Null),
        UiAsk::Pane(Some(sent)) => ("ui.pane", pane(sent)),
    }
}

fn pane(pane: &Pane) -> Value {
    let side = pane.side.map(|side| match side {
        Side::Left => "left",
        Side::Right => "right",
    });
    let sections: Vec<Value> = pane.sections.iter().map(section).collect();
    json!({
        "id": pane.id.as_deref(),
        "title": pane.title.as_str(),
        "side": side,
        "hint": pane.hint.as_str(),
        "sections": sections,
    })
}

fn section(section: &Section) -> Value {
    let (kind, key, content, selected) = match &section.body {
        Body::List { items, selected } => {
            let list: Vec<Value> = items
                .iter()
                .map(|item| {
                    json!({
                        "id": *item.id,
                        "label": item.label.as_str(),
                        "detail": item.detail.as_str(),
                        "token": item.token.name(),
                    })
                })
                .collect();
            ("list", "items", Value::from(list), items.get(*selected).map(|item| &*item.id))
        }
        Body::Diff(text) => ("diff", "body", text.as_str().into(), None),
        Body::Text(text) => ("text", "body", text.as_str().into(), None),
        Body::Markdown(text) => ("markdown", "body", text.as_str().into(), None),
        Body::Rows(list) => ("rows", "lines", rows(list), None),
    };
    json!({
        "kind": kind, "id": *section.id, "title": section.title.as_str(), key: content, "selected": selected,
    })
}

fn session(ask: &SessionAsk) -> (&'static str, Value) {
    match ask {
        SessionAsk::Send(send) => (
            "session.send",
            json!({
                "content": send.content.as_str(),
                "internal": send.internal,
                "run": send.run,
                "when": if send.next_turn { "next_turn" } else { "now" },
            }),
        ),
        SessionAsk::Info => ("session.info", json!({})),
        SessionAsk::Name(name) => ("session.name", json!({"name": name.as_str()})),
        SessionAsk::Model(model) => ("session.model", json!({"model": **model})),
        SessionAsk::Effort(effort) => ("session.effort", json!({"effort": **effort})),
        SessionAsk::Tools(names) => {
            let names = names.as_ref().map(|names| names.iter().map(|n| &**n).collect::<Vec<_>>());
            ("session.tools", json!({"names": names}))
        }
        SessionAsk::Interrupt => ("session.interrupt", json!({})),
        SessionAsk::Compact { focus } => ("session.compact", json!({"focus": focus.as_deref()})),
    }
}

/// A runtime hook's answer.
pub fn hook(answer: &HookAnswer) -> Value {
    match answer {
        HookAnswer::Input { consume, replace, notice } => {
            json!({"consume": consume, "replace": replace.as_deref(), "notice": notice.as_ref().map(|n| n.as_str())})
        }
        HookAnswer::BeforeTurn { system_suffix, message } => json!({
            "system_suffix": system_suffix.as_deref(),
            "message": message.as_ref().map(|(content, internal)| json!({"content": **content, "internal": internal})),
        }),
        HookAnswer::ToolCall { block, reason } => json!({"block": block, "reason": reason.as_deref()}),
        HookAnswer::ToolResult { content } => json!({"content": content.as_deref()}),
        HookAnswer::CompactSummary { summary } => json!({"summary": summary.as_deref()}),
        HookAnswer::Render(None) => json!({}),
        HookAnswer::Render(Some(answer)) => json!({"body": *answer.body, "format": format(answer.format)}),
    }
}

/// A manifest as the answer to `initialize`.
pub fn manifest(manifest: &Manifest) -> Value {
    let tools: Vec<Value> = manifest
        .tools
        .iter()
        .map(|tool| {
            json!({
                "name": *tool.name,
                "description": *tool.description,
                "parameters": *tool.parameters,
                "label": {
                    "category": *tool.label.category,
                    "running": *tool.label.running,
                    "completed": *tool.label.completed,
                    "target": tool.label.target.as_deref(),
                },
            })
        })
        .collect();
    let commands: Vec<Value> = manifest
        .commands
        .iter()
        .map(|c| {
            json!({
                "name": *c.name,
                "description": c.description.as_str(),
                "arguments": c.arguments.as_str(),
                "completions": c.completions,
            })
        })
        .collect();
    let flags: Vec<Value> = manifest
        .flags
        .iter()
        .map(|f| {
            json!({
                "name": *f.name,
                "type": format!("{:?}", f.kind).to_lowercase(),
                "description": f.description.as_str(),
                "default": f.default,
            })
        })
        .collect();
    let startup = manifest.startup.then_some("startup");
    let hooks: Vec<&str> = manifest.hooks.iter().map(|kind| kind.name()).chain(startup).collect();
    let shortcuts: Vec<Value> = manifest
        .shortcuts
        .iter()
        .map(|s| json!({"key": s.chord.to_string(), "description": s.description.as_str()}))
        .collect();
    json!({
        "name": *manifest.name,
        "version": manifest.version.as_ref().map(|v| v.as_str()),
        "tools": tools,
        "commands": commands,
        "flags": flags,
        "hooks": hooks,
        "renders": manifest.renders.names().collect::<Vec<_>>(),
        "events": manifest.events.iter().map(|e| &**e).collect::<Vec<_>>(),
        "shortcuts": shortcuts,
    })
}
