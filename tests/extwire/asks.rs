//! `ui.*` and `session.*` params: typed, lenient, sanitised and clipped.

use e::model::text::row::Token;
use e::model::text::tone::Tone;
use e::model::tool::Format;
use e::model::wire::ext::{Ask, Choice, Send, SessionAsk, UiAsk};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{speak, strategies};

const METHODS: &[&str] = &[
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
];
const KEYS: &[&str] = &[
    "message",
    "tone",
    "title",
    "body",
    "format",
    "options",
    "placeholder",
    "prefill",
    "secret",
    "text",
    "key",
    "lines",
    "interactive",
    "id",
    "side",
    "hint",
    "sections",
    "content",
    "internal",
    "run",
    "when",
    "name",
    "model",
    "effort",
    "names",
    "focus",
];

fn ui(method: &str, params: Value) -> UiAsk {
    match Ask::read(method, &params) {
        Ask::Ui(ask) => ask,
        other => panic!("{method} {params}: {other:?}"),
    }
}

fn session(method: &str, params: Value) -> SessionAsk {
    match Ask::read(method, &params) {
        Ask::Session(ask) => ask,
        other => panic!("{method} {params}: {other:?}"),
    }
}

fn refused(method: &str, params: Value) -> String {
    match Ask::read(method, &params) {
        Ask::Refused(why) => why.to_string(),
        other => panic!("{method} {params}: {other:?}"),
    }
}

proptest! {
    #![proptest_config(strategies::cases())]

    #[test]
    fn x2_asks_printed_and_read_are_themselves(
        method in prop::sample::select(METHODS),
        params in prop_oneof![9 => strategies::object(KEYS), 1 => strategies::value()],
    ) {
        let ask = Ask::read(method, &params);
        prop_assert_ne!(&ask, &Ask::Unknown);
        if let Some((again, printed)) = speak::ask(&ask) {
            prop_assert_eq!(again, method);
            prop_assert_eq!(Ask::read(again, &printed), ask, "{}", printed);
        }
    }

    #[test]
    fn x3_any_params_are_read_or_refused_with_the_methods_name(
        method in prop::sample::select(METHODS), params in strategies::value(),
    ) {
        match Ask::read(method, &params) {
            Ask::Ui(_) => prop_assert!(method.starts_with("ui.")),
            Ask::Session(_) => prop_assert!(method.starts_with("session.")),
            Ask::Refused(why) => prop_assert!(why.starts_with(method)),
            Ask::Unknown => prop_assert!(false),
        }
    }
}

#[test]
fn a_wrong_type_is_as_if_nothing_were_there() {
    let wrong = json!({"message": 1, "title": [], "tone": 3, "text": {}, "placeholder": 1, "prefill": true,
        "secret": "yes", "key": 4, "interactive": 1, "lines": "x", "name": 9, "focus": [], "model": 1});
    for (method, empty) in [
        ("ui.notify", json!({})),
        ("ui.confirm", json!({})),
        ("ui.input", json!({})),
        ("ui.editor", json!({})),
        ("ui.status", json!({})),
        ("ui.activity", json!({})),
        ("ui.compose", json!({})),
        ("ui.panel", json!({})),
        ("ui.widget", json!({})),
        ("session.name", json!({})),
        ("session.compact", json!({})),
        ("session.model", json!({})),
    ] {
        assert_eq!(Ask::read(method, &wrong), Ask::read(method, &empty), "{method}");
    }
}

#[test]
fn notices_have_a_tone() {
    let tone = |word: Value| match ui("ui.notify", json!({"message": "m", "tone": word})) {
        UiAsk::Notify { tone, .. } => tone,
        other => panic!("{other:?}"),
    };
    assert_eq!(tone(json!("warning")), Tone::Warning);
    assert_eq!(tone(json!("error")), Tone::Error);
    for other in [json!("info"), json!("loud"), json!(null)] {
        assert_eq!(tone(other), Tone::Info);
    }
}

#[test]
fn a_show_needs_something_and_is_clipped_at_a_line() {
    for params in [json!({}), json!({"title": " ", "body": "\n"}), json!({"title": "\u{1b}[1m"})] {
        assert_eq!(refused("ui.show", params), "ui.show: give a title or a body");
    }
    let UiAsk::Show(show) = ui("ui.show", json!({"title": "a\n b", "body": "x\u{202E}y", "format": "diff"}))
    else {
        panic!()
    };
    assert_eq!((show.title.as_str(), show.body.as_str(), show.format), ("a b", "x<U+202E>y", Format::Diff));
    assert!(!show.cut);
    let UiAsk::Show(show) = ui("ui.show", json!({"body": "漢字\u{202E}\n".repeat(20_000), "format": "nope"}))
    else {
        panic!()
    };
    assert!(show.cut && show.body.len() <= 64 * 1024 && show.body.len() > 64 * 1024 - 8);
    assert!(show.body.as_str().ends_with("漢字\n"));
    assert_eq!(show.format, Format::Text);
    let UiAsk::Show(show) = ui("ui.show", json!({"body": "漢".repeat(30_000)})) else { panic!() };
    assert!(show.cut && show.body.len() == 64 * 1024 / 3 * 3);
    let exact = "x".repeat(64 * 1024);
    let UiAsk::Show(show) = ui("ui.show", json!({"body": exact})) else { panic!() };
    assert!(!show.cut && show.body.as_str() == exact);
}

#[test]
fn selects_answer_what_the_table_says() {
    let long = "y".repeat(80);
    let clipped = format!("{}…", "y".repeat(59));
    let UiAsk::Select { title, choices } = ui(
        "ui.select",
        json!({"title": " ", "options": [
            "a\u{202E}  b", long, {"label": "L\nx", "description": "d", "value": "raw\u{202E}"}, {"label": "n", "value": {"k": 1}},
            {"label": long}, {"label": "null", "value": null}, {"value": "no label"}, 5, null, {"label": 7},
        ]}),
    ) else {
        panic!()
    };
    assert_eq!(title.as_str(), "Choose");
    let got: Vec<_> =
        choices.iter().map(|c: &Choice| (&*c.value, c.label.as_str(), c.description.as_str())).collect();
    assert_eq!(
        got,
        [
            ("a  b", "a b", ""),
            (&*long, &*clipped, ""),
            ("raw\u{202E}", "L x", "d"),
            (r#"{"k":1}"#, "n", ""),
            (&*long, &*clipped, ""),
            ("null", "null", ""),
        ]
    );
    for params in [json!({}), json!({"options": []}), json!({"options": [1, {}]}), json!({"options": "abc"})]
    {
        assert!(refused("ui.select", params).starts_with("ui.select: give options"));
    }
}

#[test]
fn confirms_show_what_is_hidden_and_fields_keep_their_text() {
    let UiAsk::Confirm { title, message } =
        ui("ui.confirm", json!({"title": "Run?", "message": "rm \u{202E}x\n-rf"}))
    else {
        panic!()
    };
    assert_eq!((title.as_str(), message.as_str()), ("Run?", "rm <U+202E>x -rf"));
    let UiAsk::Input { title, placeholder, prefill, secret } = ui(
        "ui.input",
        json!({"title": "T", "placeholder": "p".repeat(70), "prefill": " a\nb ", "secret": true}),
    ) else {
        panic!()
    };
    assert_eq!(
        (title.as_str(), placeholder.as_str().chars().count(), prefill.as_str(), secret),
        ("T", 60, " a b ", true)
    );
    let UiAsk::Editor { text, .. } = ui("ui.editor", json!({"title": "T", "text": "a\n\tb\u{7}"})) else {
        panic!()
    };
    assert_eq!(text.as_str(), "a\n\tb");
    for method in ["ui.select", "ui.confirm", "ui.input", "ui.editor"] {
        assert!(ui(method, json!({"options": ["a"]})).is_question());
    }
    assert!(!ui("ui.compose", json!({"text": "x"})).is_question());
}

#[test]
fn slots_have_keys_and_are_cleared_by_anything_but_text() {
    let UiAsk::Status(slot) = ui("ui.status", json!({"text": " a \n b ", "key": "k\n1"})) else { panic!() };
    assert_eq!((slot.text.as_str(), slot.key.as_deref()), ("a b", Some("k 1")));
    for text in [json!(null), json!(4), json!("  "), json!(["x"])] {
        let UiAsk::Activity(slot) = ui("ui.activity", json!({"text": text, "key": " "})) else { panic!() };
        assert!(slot.text.is_empty() && slot.key.is_none());
    }
}

#[test]
fn panels_and_widgets_read_lines() {
    for params in [json!(null), json!("x"), json!([])] {
        assert_eq!(ui("ui.panel", params), UiAsk::Panel(None));
    }
    let lines = json!(["plain\nrow", [{"text": "red", "token": "error"}, " and ", {"token": "dim"}, {"text": "odd", "token": "nope"}, 4], 7, {"a": 1}, null]);
    let UiAsk::Panel(Some(panel)) = ui("ui.panel", json!({"lines": lines, "interactive": true})) else {
        panic!()
    };
    assert!(panel.interactive && panel.title.is_empty());
    let rows: Vec<String> = panel.lines.rows.iter().map(|row| row.plain()).collect();
    assert_eq!(rows, ["plain row", "red and odd", "7", r#"{"a":1}"#, "null"]);
    let tokens: Vec<Token> = panel.lines.rows[1].spans.iter().map(|span| span.token).collect();
    assert_eq!(tokens, [Token::Error, Token::Plain]);
    let UiAsk::Panel(Some(panel)) = ui("ui.panel", json!({"lines": vec!["x"; 203]})) else { panic!() };
    assert_eq!((panel.lines.rows.len(), panel.lines.more, panel.interactive), (200, 3, false));
    for lines in [json!(null), json!([]), json!("x")] {
        let UiAsk::Widget { key, lines } = ui("ui.widget", json!({"lines": lines, "key": "k"})) else {
            panic!()
        };
        assert!(lines.is_empty() && key.as_deref() == Some("k"));
    }
}

#[test]
fn sends_have_their_defaults() {
    let send = |params: Value| match session("session.send", params) {
        SessionAsk::Send(send) => send,
        other => panic!("{other:?}"),
    };
    let flags = |send: Send| (send.internal, send.run, send.next_turn);
    assert_eq!(flags(send(json!({"content": "x"}))), (false, true, false));
    assert_eq!(flags(send(json!({"content": "x", "internal": true}))), (true, false, false));
    assert_eq!(flags(send(json!({"content": "x", "internal": true, "run": true}))), (true, true, false));
    assert_eq!(flags(send(json!({"content": "x", "run": false, "when": "later"}))), (false, false, false));
    assert_eq!(
        flags(send(json!({"content": "x", "internal": true, "when": "next_turn"}))),
        (true, false, true)
    );
    assert_eq!(flags(send(json!({"content": "x", "internal": "yes", "run": 0}))), (false, true, false));
    assert_eq!(send(json!({"content": "a\u{1b}[1mb\n"})).content.as_str(), "ab\n");
    for params in
        [json!({}), json!({"content": " \n"}), json!({"content": 3}), json!({"content": "\u{200b}"})]
    {
        assert_eq!(refused("session.send", params), "session.send: the content is blank");
    }
}

#[test]
fn the_other_session_requests() {
    assert_eq!(session("session.info", json!(null)), SessionAsk::Info);
    assert_eq!(session("session.interrupt", json!({})), SessionAsk::Interrupt);
    assert_eq!(session("session.model", json!({"model": " p/m "})), SessionAsk::Model("p/m".into()));
    assert_eq!(session("session.effort", json!({"effort": "high"})), SessionAsk::Effort("high".into()));
    let SessionAsk::Name(name) = session("session.name", json!({"name": "a\nb"})) else { panic!() };
    assert_eq!(name.as_str(), "a b");
    let SessionAsk::Name(name) = session("session.name", json!({"name": "n".repeat(61)})) else { panic!() };
    assert_eq!(name.as_str().chars().count(), 60);
    assert_eq!(session("session.compact", json!({"focus": " "})), SessionAsk::Compact { focus: None });
    assert_eq!(
        session("session.compact", json!({"focus": "tests"})),
        SessionAsk::Compact { focus: Some("tests".into()) }
    );
    let tools = |params: Value| session("session.tools", params);
    assert_eq!(
        tools(json!({"names": ["read", 3, "grep"]})),
        SessionAsk::Tools(Some(vec!["read".into(), "grep".into()]))
    );
    assert_eq!(tools(json!({"names": []})), SessionAsk::Tools(Some(Vec::new())));
    assert_eq!(tools(json!({"names": null})), SessionAsk::Tools(None));
    for params in [json!({}), json!(null), json!(["read"]), json!({"names": "read"})] {
        assert!(refused("session.tools", params).contains(r#"{"names": null}"#));
    }
}
