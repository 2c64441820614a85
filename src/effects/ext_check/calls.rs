//! What an extension is asked: samples of every request and event, made from its manifest.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::sample;
use crate::model::id::CallId;
use crate::model::tool::Outcome;
use crate::model::wire::ext::{Call, Event, FlagKind, HookKind, Manifest};

/// Bytes of the long tool result: whoever reads lines must read long ones.
const LONG: usize = 256 * 1024;

fn tool(name: &str, arguments: Value) -> Call {
    Call::ToolCall { name: name.into(), arguments: Arc::new(arguments) }
}

/// One call of each tool, with every argument or only those it needs.
pub fn tools(manifest: &Manifest, all: bool) -> Vec<Call> {
    manifest.tools.iter().map(|decl| tool(&decl.name, sample::good(&decl.parameters, all))).collect()
}

/// Calls of each tool with arguments it cannot use.
pub fn bad_tools(manifest: &Manifest) -> Vec<Call> {
    let bad = |decl: &crate::model::wire::ext::ToolDecl| {
        sample::bad(&decl.parameters)
            .into_iter()
            .map(|arguments| tool(&decl.name, arguments))
            .collect::<Vec<_>>()
    };
    manifest.tools.iter().flat_map(bad).collect()
}

/// Every command with these arguments.
pub fn commands(manifest: &Manifest, args: &str) -> Vec<Call> {
    let call = |name: &Arc<str>| Call::Command { name: name.clone(), args: args.into() };
    manifest.commands.iter().map(|decl| call(&decl.name)).collect()
}

/// What is asked while arguments are typed.
pub fn completions(manifest: &Manifest) -> Vec<Call> {
    let call = |name: &Arc<str>, prefix: &str| Call::Complete { name: name.clone(), prefix: prefix.into() };
    let with = manifest.commands.iter().filter(|decl| decl.completions);
    with.flat_map(|decl| [call(&decl.name, ""), call(&decl.name, "a")]).collect()
}

/// Each chord once.
pub fn shortcuts(manifest: &Manifest) -> Vec<Call> {
    let mut out: Vec<Call> = Vec::new();
    for decl in &manifest.shortcuts {
        let call = Call::Shortcut { key: decl.chord };
        if !out.contains(&call) {
            out.push(call);
        }
    }
    out
}

/// Samples for one hook, each of a kind that a session brings.
pub fn hook(manifest: &Manifest, kind: HookKind) -> Vec<Call> {
    match kind {
        HookKind::ToolCall => gated(manifest),
        HookKind::Input => {
            ["a submitted line", "/help", "!ls", "two\nlines", "ünïcödé 🦀 \"quoted\" \\ back"]
                .map(|text| Call::HookInput { text: text.into() })
                .into()
        }
        HookKind::BeforeTurn => ["the user's message", "two\nlines"]
            .map(|prompt| Call::HookBeforeTurn { prompt: prompt.into() })
            .into(),
        HookKind::ToolResult => results(),
        HookKind::CompactSummary => ["The user asked for a sample.", ""]
            .map(|summary| Call::HookCompactSummary { summary: summary.into() })
            .into(),
        HookKind::Render => rendered(manifest),
    }
}

/// Calls a gate may see: built-in tools, the extension's own, an unknown one, and arguments that are no JSON.
fn gated(manifest: &Manifest) -> Vec<Call> {
    let call = |name: &str, arguments: Value| Call::HookToolCall {
        name: name.into(),
        arguments: Arc::new(arguments),
    };
    let mut out = vec![
        call("bash", json!({"command": "ls"})),
        call("read", json!({"path": "src/main.rs"})),
        call("write", json!({"path": "notes.txt", "content": "a note\n"})),
        call("edit", json!({"path": "notes.txt", "old_string": "a", "new_string": "b"})),
        call("grep", json!({"pattern": "main"})),
        call("bash", Value::from(sample::NO_JSON)),
        call("no_such_tool", json!({})),
    ];
    let own = manifest.tools.first();
    out.extend(own.map(|decl| call(&decl.name, sample::good(&decl.parameters, true))));
    out
}

fn results() -> Vec<Call> {
    let long = "a line of output\n".repeat(LONG / 17);
    [("bash", "a line\n", false), ("read", "", false), ("bash", "exit 1", true), ("bash", &long, false)]
        .map(|(name, content, is_error)| Call::HookToolResult {
            name: name.into(),
            content: content.into(),
            is_error,
        })
        .into()
}

/// Entries of the kinds that the manifest wants to render.
fn rendered(manifest: &Manifest) -> Vec<Call> {
    let call = |kind: &str, name: &str, content: &str| Call::HookRender {
        kind: kind.into(),
        name: name.into(),
        content: content.into(),
    };
    let mut out = Vec::new();
    if manifest.renders.assistant() {
        out.push(call("assistant", "", "# A reply\n\nwith `code`\n"));
    }
    for name in manifest.renders.names() {
        match name.strip_prefix("tool:") {
            Some("*") => out.push(call("tool", "bash", "a line\n")),
            Some(tool) => out.push(call("tool", tool, "a line\n")),
            None if name == "*" => out.push(call("tool", "bash", "a line\n")),
            None => {}
        }
    }
    out
}

/// Values for every typed flag, as a command line would give them, and that command line.
pub fn flags(manifest: &Manifest) -> (Vec<Arc<str>>, Map<String, Value>) {
    let (mut argv, mut values) = (Vec::new(), Map::new());
    for flag in manifest.flags.iter().filter(|flag| flag.parsable()) {
        let value = match flag.kind {
            FlagKind::Boolean => {
                argv.push(Arc::from(format!("--{}", flag.name)));
                Value::from(true)
            }
            FlagKind::String => {
                argv.push(Arc::from(format!("--{}=sample", flag.name)));
                Value::from("sample")
            }
        };
        values.insert(flag.name.to_string(), value);
    }
    argv.push("a prompt".into());
    (argv, values)
}

/// Every event but the shutdown of a session, in the order of one.
pub fn events() -> Vec<Event> {
    let (id, name) = (CallId(1), || Arc::from("bash"));
    let end = |outcome| Event::ToolEnd { id, name: name(), outcome, content: "a line\n".into() };
    let start = |reason: &str, path: Option<&str>| Event::SessionStart {
        reason: reason.into(),
        path: path.map(Arc::from),
    };
    vec![
        start("startup", None),
        start("resume", Some("/sessions/sample.jsonl")),
        Event::ModelChange { model: "demo/sample".into() },
        Event::EffortChange { effort: "high".into() },
        Event::TurnStart { prompt: "the user's message".into() },
        Event::ToolStart { id, name: name(), arguments: Arc::new(json!({"command": "ls"})) },
        end(Outcome::Completed),
        Event::ToolStart { id, name: name(), arguments: Arc::new(Value::Null) },
        end(Outcome::Failed),
        end(Outcome::Blocked),
        Event::CompactStart,
        Event::CompactEnd { summary: "The user asked for a sample.".into() },
        Event::TurnEnd { aborted: false },
        Event::TurnStart { prompt: "another".into() },
        Event::TurnEnd { aborted: true },
        Event::SessionShutdown { reason: "new".into() },
        start("new", None),
    ]
}
