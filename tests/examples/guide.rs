//! The guide: every sample in it is read as `e` reads it, its programs run, and it names everything there is to name.
//! A fence says what its block is: ```json from-e, ```json to-e, ```json manifest and so on.

use e::model::config::chord::Chord;
use e::model::wire::ext::{
    Ask, CAPABILITIES, Event, Heard, HookKind, Incoming, command, completions, hook, manifest, read, startup,
    tool,
};
use serde_json::Value;

use super::rig::{Bundle, here};

const GUIDE: &str = include_str!("../../docs/guides/extend/extensions.md");

/// The fenced blocks with what stands behind the fence.
fn blocks() -> Vec<(&'static str, &'static str)> {
    let mut parts = GUIDE.split("```");
    parts.next();
    let mut blocks = Vec::new();
    while let (Some(block), Some(_)) = (parts.next(), parts.next()) {
        blocks.push(block.split_once('\n').unwrap());
    }
    blocks
}

fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|why| panic!("{why}: {text}"))
}

/// What `e` says, as it would write it byte for byte.
fn from_e(line: &str) {
    let written = match Heard::read(line) {
        Some(Heard::Call { id, call, scope }) => call.line(id, &scope),
        Some(Heard::Note { note, scope }) => note.line(&scope),
        other => panic!("e would not say so: {line}: {other:?}"),
    };
    assert_eq!(written, line);
}

/// What an extension says: something that counts, and that `e` serves.
fn to_e(line: &str) {
    match read(line) {
        Incoming::Notify(_) | Incoming::ToolUpdate(_) | Incoming::Response(_) => {}
        Incoming::Request(request) => {
            assert!(matches!(request.ask, Ask::Ui(_) | Ask::Session(_)), "{line}: {:?}", request.ask);
        }
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn guide_samples_are_what_e_writes_and_reads() {
    let mut read = 0;
    for (fence, text) in blocks() {
        let Some(kind) = fence.strip_prefix("json") else {
            assert!(matches!(fence, "sh" | "python" | "js"), "a sample in no language: {fence}");
            continue;
        };
        read += 1;
        match kind.trim() {
            "from-e" => text.lines().for_each(from_e),
            "to-e" => text.lines().for_each(to_e),
            "manifest" => assert_eq!(manifest(&value(text), &[]).unwrap().1, [] as [&str; 0]),
            "tool_call" => drop(tool(&value(text)).unwrap()),
            "command" => drop(command(&value(text)).unwrap()),
            "completions" => assert_eq!(completions(&value(text)).unwrap().len(), 2),
            "hook.startup" => drop(startup(&value(text)).unwrap()),
            "settings" => assert!(value(text)["extensions"].is_object()),
            "layout" => assert!(value(text)["status"].is_object()),
            "keybindings" => {
                for (chord, action) in value(text).as_object().unwrap() {
                    assert!(chord.parse::<Chord>().is_ok() && action == "none", "{chord}");
                }
            }
            other => {
                let kind = other.strip_prefix("hook.").and_then(HookKind::parse);
                let kind = kind.unwrap_or_else(|| panic!("no such kind of sample: {other}"));
                let empty = r#"{"consume": false, "replace": null}"#;
                // One answer to the block, or one to each line.
                let whole: Vec<&str> = if serde_json::from_str::<Value>(text).is_ok() {
                    vec![text]
                } else {
                    text.lines().collect()
                };
                for answer in whole {
                    let got = hook(kind, &value(answer)).unwrap();
                    let nothing = got == e::model::wire::ext::HookAnswer::empty(kind);
                    assert_eq!(nothing, answer == empty, "{answer}");
                }
            }
        }
    }
    assert!(read > 20, "only {read} samples were found");
}

#[test]
fn guide_programs_run() {
    let mut run = 0;
    for (fence, text) in blocks().into_iter().filter(|(_, text)| text.starts_with("#!")) {
        run += 1;
        let (name, program) = match fence {
            "sh" => ("index.sh", "sh"),
            "python" => ("index.py", "python3"),
            "js" => ("index.mjs", "node"),
            other => panic!("{other}"),
        };
        if program != "sh" && !here(program) {
            continue;
        }
        let (mut ext, manifest) = Bundle::written(name, text).greeted();
        if let Some(tool) = manifest.tools.first() {
            let arguments = serde_json::json!({"text": "one two  three"});
            let answer = ext.tool(&tool.name, arguments);
            assert!(["3", "done"].contains(&&*answer.content), "{answer:?}");
        }
        ext.settled();
        ext.shutdown();
    }
    assert_eq!(run, 3);
}

/// A method, event, hook or capability that the guide does not name is one that nobody can use.
#[test]
fn guide_names_everything() {
    let requests = [
        "initialize",
        "hook.startup",
        "tool_call",
        "command",
        "command.complete",
        "shortcut",
        "hook.tool_call",
        "hook.input",
        "hook.before_turn",
        "hook.tool_result",
        "hook.compact_summary",
        "hook.render",
        "event",
        "flags",
        "ui.key",
        "ui.panel_closed",
        "pane.select",
        "pane.activate",
        "pane.key",
        "pane.closed",
        "shutdown",
        "notify",
        "tool.update",
    ];
    let asks = [
        "ui.notify",
        "ui.show",
        "ui.select",
        "ui.confirm",
        "ui.input",
        "ui.editor",
        "ui.status",
        "ui.activity",
        "ui.widget",
        "ui.compose",
        "ui.panel",
        "ui.pane",
        "session.send",
        "session.info",
        "session.name",
        "session.model",
        "session.effort",
        "session.tools",
        "session.interrupt",
        "session.compact",
    ];
    for name in requests.iter().chain(&asks) {
        assert!(GUIDE.contains(&format!("\"method\":\"{name}\"")), "there is no sample of {name}");
    }
    for name in asks {
        assert!(GUIDE.contains(&format!("| `{name}` |")), "{name} is in no table");
    }
    for event in Event::NAMES {
        assert!(GUIDE.contains(&format!("| `{event}` |")), "{event}");
    }
    for hook in HookKind::ALL {
        let name = hook.name();
        assert!(
            GUIDE.contains(&format!("| `{name}` |")) && GUIDE.contains(&format!("**`hook.{name}`**")),
            "{name}"
        );
    }
    for capability in CAPABILITIES {
        assert!(GUIDE.contains(&format!("\"{capability}\"")), "{capability}");
    }
}

#[test]
fn guide_lists_the_reserved_chords() {
    let (_, rest) = GUIDE.split_once("be one of `e`'s own: ").unwrap();
    let (list, _) = rest.split_once('.').unwrap();
    let chords: Vec<&str> = list.split(", ").flat_map(|part| part.split(",\n")).map(str::trim).collect();
    assert_eq!(chords.len(), 15, "{chords:?}");
    for chord in chords {
        assert!(Chord::for_extension(chord).is_err(), "{chord} is free");
    }
}
