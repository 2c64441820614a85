//! Answers of extensions: whole or not at all, with the defaults of the notes' tables.

use e::model::tool::Format;
use e::model::wire::ext::{HookAnswer, HookKind, command, completions, hook, startup, tool};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{speak, strategies};

const KEYS: &[&str] = &[
    "consume",
    "replace",
    "notice",
    "system_suffix",
    "message",
    "block",
    "reason",
    "content",
    "summary",
    "body",
    "format",
    "internal",
];

fn kind() -> impl Strategy<Value = HookKind> {
    prop::sample::select(HookKind::ALL.to_vec())
}

proptest! {
    #![proptest_config(strategies::cases())]

    #[test]
    fn x2_hook_answers_printed_and_read_are_themselves(kind in kind(), value in strategies::object(KEYS)) {
        if let Ok(answer) = hook(kind, &value) {
            prop_assert_eq!(hook(kind, &speak::hook(&answer)), Ok(answer));
        }
    }

    #[test]
    fn x2_command_answers_printed_and_read_are_themselves(
        notice in strategies::text(), prompt in strategies::text(), name in strategies::text(),
        title in strategies::text(), body in strategies::text(),
        format in prop::sample::select(vec!["text", "markdown", "diff", "other"]),
    ) {
        let value = json!({
            "notice": notice, "prompt": prompt, "session_name": name,
            "show": {"title": title, "body": body, "format": format},
        });
        let answer = command(&value).unwrap();
        let printed = json!({
            "notice": answer.notice.as_ref().map(|n| n.as_str()),
            "prompt": answer.prompt.as_deref(),
            "session_name": answer.session_name.as_ref().map(|n| n.as_str()),
            "show": answer.show.as_ref().map(speak::show),
        });
        prop_assert_eq!(command(&printed), Ok(answer));
    }

    #[test]
    fn x3_any_answer_is_read_or_refused(kind in kind(), value in strategies::value()) {
        let object = value.is_object();
        prop_assert!(object || hook(kind, &value).is_err());
        prop_assert!(object || tool(&value).is_err());
        prop_assert!(object || command(&value).is_err());
        prop_assert!(object || startup(&value).is_err());
        prop_assert!(object || completions(&value).is_err());
    }

    #[test]
    fn x3_unknown_fields_of_answers_change_nothing(kind in kind(), extra in strategies::value()) {
        prop_assert_eq!(hook(kind, &json!({"later": extra})), Ok(HookAnswer::empty(kind)));
        prop_assert_eq!(tool(&json!({"later": extra})), tool(&json!({})));
        prop_assert_eq!(command(&json!({"later": extra})), command(&json!({})));
        prop_assert_eq!(startup(&json!({"later": extra})), startup(&json!({})));
    }
}

#[test]
fn a_tools_result_has_the_tables_defaults() {
    let answer = tool(&json!({})).unwrap();
    assert_eq!((&*answer.content, answer.is_error), ("", false));
    assert_eq!((answer.session_name, answer.summary, answer.display), (None, None, None));
    let format = |value: Value| tool(&value).unwrap().display.map(|d| (d.text.to_string(), d.format));
    assert_eq!(format(json!({"content": "c", "format": "markdown"})), None);
    assert_eq!(format(json!({"content": "c", "display": "d"})), Some(("d".into(), Format::Text)));
    assert_eq!(
        format(json!({"content": "c", "display": "d", "format": "html"})),
        Some(("d".into(), Format::Text))
    );
    assert_eq!(format(json!({"content": "+c", "format": "diff"})), Some(("+c".into(), Format::Diff)));
    let clean = tool(&json!({
        "content": "\u{1b}[1m\u{202E}", "summary": " 2\nwarnings ", "session_name": "x".repeat(70), "display": "a\u{202E}b", "format": "diff",
    })).unwrap();
    assert_eq!(&*clean.content, "\u{1b}[1m\u{202E}", "what the model reads is as it was sent");
    assert_eq!(clean.summary.unwrap().as_str(), "2 warnings");
    assert_eq!(clean.session_name.unwrap().as_str().chars().count(), 60);
    assert_eq!(&*clean.display.unwrap().text, "a<U+202E>b");
    assert_eq!(tool(&json!({"summary": " ", "session_name": "\n"})).unwrap(), tool(&json!({})).unwrap());
    let long = tool(&json!({"display": "line\n".repeat(10_000)})).unwrap();
    let display = long.display.unwrap();
    assert!(display.cut && display.text.len() == 32 * 1024 / 5 * 5);
}

#[test]
fn a_wrong_type_voids_an_answer_and_is_named() {
    let field = |result: Result<(), String>| result.unwrap_err();
    for (key, value) in [
        ("content", json!(1)),
        ("is_error", json!("no")),
        ("session_name", json!([])),
        ("summary", json!(2)),
        ("display", json!({})),
        ("format", json!(true)),
    ] {
        let why = field(tool(&json!({key: value})).map(drop));
        assert!(why.starts_with(&format!("`{key}` of the result must be ")), "{why}");
    }
    assert_eq!(field(tool(&json!(null)).map(drop)), "the result must be an object, not null");
    for (key, value) in [
        ("notice", json!(1)),
        ("show", json!("x")),
        ("show", json!({"body": 1})),
        ("show", json!({"title": []})),
        ("show", json!({"format": 3})),
        ("prompt", json!({})),
        ("session_name", json!(0)),
    ] {
        assert!(command(&json!({key: value})).is_err(), "{key}");
    }
    for (kind, value) in [
        (HookKind::Input, json!({"consume": "yes"})),
        (HookKind::Input, json!({"replace": 4, "notice": "n"})),
        (HookKind::BeforeTurn, json!({"system_suffix": "s", "message": "text"})),
        (HookKind::BeforeTurn, json!({"message": {"content": 1}})),
        (HookKind::BeforeTurn, json!({"message": {"content": "c", "internal": "no"}})),
        (HookKind::ToolCall, json!({"block": 1})),
        (HookKind::ToolCall, json!({"block": true, "reason": {}})),
        (HookKind::ToolResult, json!({"content": ["x"]})),
        (HookKind::CompactSummary, json!({"summary": 1})),
        (HookKind::Render, json!({"body": 1})),
        (HookKind::Render, json!({"body": "b", "format": []})),
    ] {
        assert!(hook(kind, &value).is_err(), "{value}");
    }
}

#[test]
fn hooks_answers_read_as_the_table_says() {
    let text = |s: &str| Some(s.into());
    let table = [
        (HookKind::Input, json!({"replace": "", "notice": " "}), HookAnswer::empty(HookKind::Input)),
        (
            HookKind::BeforeTurn,
            json!({"system_suffix": " ", "message": {"content": ""}}),
            HookAnswer::empty(HookKind::BeforeTurn),
        ),
        (
            HookKind::BeforeTurn,
            json!({"message": {"content": "c"}}),
            HookAnswer::BeforeTurn { system_suffix: None, message: Some(("c".into(), true)) },
        ),
        (
            HookKind::ToolCall,
            json!({"block": true, "reason": " "}),
            HookAnswer::ToolCall { block: true, reason: None },
        ),
        (HookKind::ToolResult, json!({"content": ""}), HookAnswer::ToolResult { content: text("") }),
        (HookKind::CompactSummary, json!({"summary": "\n"}), HookAnswer::empty(HookKind::CompactSummary)),
        (HookKind::Render, json!({"format": "diff"}), HookAnswer::empty(HookKind::Render)),
    ];
    for (kind, value, expected) in table {
        assert_eq!(hook(kind, &value), Ok(expected), "{value}");
    }
    let Ok(HookAnswer::Render(Some(answer))) = hook(HookKind::Render, &json!({"body": "", "format": "nope"}))
    else {
        panic!()
    };
    assert_eq!((&*answer.body, answer.format), ("", Format::Text));
}

#[test]
fn completions_are_voided_by_one_bad_item_and_kept_to_fifty() {
    let items = completions(&json!({"items": [{"value": "prod\n"}, {"value": ""}, {"value": "x", "label": "L", "description": "D"}]})).unwrap();
    let got: Vec<_> = items.iter().map(|i| (&*i.value, i.label.as_str(), i.description.as_str())).collect();
    assert_eq!(got, [("prod ", "prod", ""), ("x", "L", "D")]);
    for bad in [
        json!({"items": [{"value": "a"}, {}]}),
        json!({"items": ["a"]}),
        json!({"items": [{"value": "a", "label": 1}]}),
        json!({"items": "a"}),
    ] {
        assert!(completions(&bad).is_err(), "{bad}");
    }
    assert_eq!(completions(&json!({})), Ok(Vec::new()));
    let many: Vec<Value> =
        (0..60).map(|n| json!({"value": if n % 2 == 0 { n.to_string() } else { String::new() }})).collect();
    assert_eq!(completions(&json!({"items": many})).unwrap().len(), 30);
    let many: Vec<Value> = (0..60).map(|n| json!({"value": n.to_string()})).collect();
    assert_eq!(completions(&json!({"items": many})).unwrap().len(), 50);
}

#[test]
fn startup_answers_are_strict() {
    let answer = startup(&json!({})).unwrap();
    assert!(answer.argv.is_none() && answer.env.is_empty() && answer.relaunch.is_none());
    assert_eq!(startup(&json!({"argv": []})).unwrap().argv, Some(Vec::new()));
    for (bad, words) in [
        (json!(null), "must be an object, not null"),
        (json!({"argv": "x"}), "`argv` of the result must be a list"),
        (json!({"argv": ["x", 1]}), "must hold strings"),
        (json!({"argv": ["a\0"]}), "NUL"),
        (json!({"env": []}), "must be an object"),
        (json!({"env": {"": "x"}}), "no variable can have"),
        (json!({"env": {"A=B": "x"}}), "no variable can have"),
        (json!({"env": {"A\0": "x"}}), "no variable can have"),
        (json!({"env": {"A": "x\0"}}), "NUL"),
        (json!({"env": {"A": 1}}), "must be a string or null, not a number"),
        (json!({"relaunch": true}), "must be an object"),
        (json!({"relaunch": {}}), "has no `cwd`"),
        (json!({"relaunch": {"cwd": " "}}), "blank"),
        (json!({"relaunch": {"cwd": "/x", "env": {"=": "x"}}}), "`relaunch.env` has a name"),
    ] {
        let why = startup(&bad).unwrap_err();
        assert!(why.contains(words), "{bad}: {why}");
    }
}
