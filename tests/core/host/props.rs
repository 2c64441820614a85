//! Arbitrary lines from extensions: the core never panics, answers each request once at most, and stays usable.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::play::Play;
use e::model::ext::world::Over;

fn method() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "ui.notify",
        "ui.show",
        "ui.select",
        "ui.confirm",
        "ui.input",
        "ui.editor",
        "ui.status",
        "ui.activity",
        "ui.compose",
        "ui.panel",
        "ui.widget",
        "ui.pane",
        "session.send",
        "session.info",
        "session.name",
        "session.model",
        "session.effort",
        "session.tools",
        "session.interrupt",
        "session.compact",
        "notify",
        "tool.update",
        "who.knows",
    ])
}

fn params() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z \u{1b}\u{202e}é漢\n]{0,12}".prop_map(Value::from),
        Just(json!(["a", {"label": "b"}, 3])),
        Just(json!([[{"text": "x", "token": "accent"}], "y"])),
        Just(json!([{"kind": "list", "id": "l", "items": ["a"]}, {"kind": "diff", "body": "--- a\n"}])),
    ];
    let key = prop::sample::select(vec![
        "message",
        "title",
        "body",
        "format",
        "options",
        "text",
        "key",
        "lines",
        "interactive",
        "sections",
        "content",
        "internal",
        "run",
        "when",
        "name",
        "names",
        "model",
        "effort",
        "focus",
        "secret",
        "id",
    ]);
    prop_oneof![
        4 => prop::collection::btree_map(key, leaf.clone(), 0..6).prop_map(|m| json!(m)),
        1 => leaf,
    ]
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => (any::<u8>(), method(), params()).prop_map(|(id, method, params)| {
            json!({"id": format!("r{id}"), "method": method, "params": params}).to_string()
        }),
        1 => (0u64..40, params()).prop_map(|(id, result)| json!({"id": id, "result": result}).to_string()),
        1 => (0u64..40, params()).prop_map(|(id, error)| json!({"id": id, "error": error}).to_string()),
        1 => "\\PC{0,40}",
    ]
}

#[derive(Debug, Clone)]
enum Act {
    Says(usize, String),
    Dies(usize),
    Passes(u64),
    Enter,
    Reload,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        12 => (0usize..2, line()).prop_map(|(n, line)| Act::Says(n, line)),
        1 => (0usize..2).prop_map(Act::Dies),
        2 => (1u64..400_000).prop_map(Act::Passes),
        2 => Just(Act::Enter),
        1 => Just(Act::Reload),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    /// X1, X3, M3: whatever an extension writes, no panic, and never two answers to one request.
    #[test]
    fn x1_any_lines_get_at_most_one_answer_each(acts in prop::collection::vec(act(), 1..60)) {
        let everything = json!({"name": "a", "hooks": ["input", "tool_call", "before_turn", "tool_result", "render"],
            "renders": ["*"], "events": ["turn_start", "turn_end"], "tools": [{"name": "t"}],
            "commands": [{"name": "go", "completions": true}]});
        let mut p = Play::ready(&[everything.clone(), json!({"name": "b", "hooks": ["tool_result"]})]);
        p.line("begin");
        let mut asked: Vec<(usize, Value)> = Vec::new();
        for act in acts {
            if p.exit.is_some() { break; }
            match act {
                Act::Says(n, line) => {
                    if let Ok(value) = serde_json::from_str::<Value>(&line)
                        && value["method"].as_str().is_some_and(|m| m != "notify" && m != "tool.update")
                    {
                        asked.push((n, value["id"].clone()));
                    }
                    p.say_text(n, &line);
                }
                Act::Dies(n) => p.over(n, Over::Exited(None)),
                Act::Passes(ms) => p.pass(ms),
                Act::Enter => p.answer_modal(),
                // Only the old processes are spoken to: what they say now is nobody's.
                Act::Reload => p.reload(),
            }
            for (n, id) in &asked {
                let times = asked.iter().filter(|other| *other == &(*n, id.clone())).count();
                let answers = p.replies(*n, id.clone()).len() + p.errors(*n, id.clone()).len();
                prop_assert!(answers <= times, "{id} of {n}: {answers} answers to {times} requests");
            }
        }
    }

    /// M6: leaving, reloading and switching leave nothing unanswered.
    #[test]
    fn m6_nothing_stays_unanswered(lines in prop::collection::vec((method(), params()), 1..30), way in 0usize..3) {
        let mut p = Play::ready(&[json!({"name": "a"})]);
        for (n, (method, params)) in lines.iter().enumerate() {
            if matches!(*method, "notify" | "tool.update") { continue; }
            p.say(0, json!({"id": n, "method": method, "params": params}));
        }
        match way {
            0 => p.reload(),
            1 => {
                p.give(e::model::msg::Msg::Signal(e::model::msg::Signal::Terminate));
            }
            _ => {
                p.interrupt();
                let session = p.model().sessions.front;
                p.new_session(session);
            }
        }
        for (n, (method, _)) in lines.iter().enumerate() {
            if matches!(*method, "notify" | "tool.update") { continue; }
            prop_assert_eq!(p.replies(0, n).len() + p.errors(0, n).len(), 1, "{} {}", n, method);
        }
    }
}
