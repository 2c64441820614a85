//! Lines of `e`: in the guide's order of keys, and read back as themselves.

use std::sync::Arc;

use e::model::id::CallId;
use e::model::tool::Outcome;
use e::model::wire::ext::{Call, Event, Heard, Info, Init, Note, Reply, Scope, WireId};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::strategies::{self, arc, chord, map, value};

fn call() -> impl Strategy<Value = Call> {
    let shared = || value().prop_map(Arc::new);
    prop_oneof![
        (any::<bool>(), arc(), arc(), shared())
            .prop_map(|(ui, version, cwd, config)| Call::Initialize(Init { ui, version, cwd, config })),
        (arc(), vec(arc(), 0..4), map()).prop_map(|(cwd, argv, flags)| Call::Startup { cwd, argv, flags }),
        (arc(), shared()).prop_map(|(name, arguments)| Call::ToolCall { name, arguments }),
        (arc(), shared()).prop_map(|(name, arguments)| Call::HookToolCall { name, arguments }),
        (arc(), arc()).prop_map(|(name, args)| Call::Command { name, args }),
        (arc(), arc()).prop_map(|(name, prefix)| Call::Complete { name, prefix }),
        chord().prop_map(|key| Call::Shortcut { key }),
        arc().prop_map(|text| Call::HookInput { text }),
        arc().prop_map(|prompt| Call::HookBeforeTurn { prompt }),
        (arc(), arc(), any::<bool>()).prop_map(|(name, content, is_error)| Call::HookToolResult {
            name,
            content,
            is_error
        }),
        arc().prop_map(|summary| Call::HookCompactSummary { summary }),
        (arc(), arc(), arc()).prop_map(|(kind, name, content)| Call::HookRender { kind, name, content }),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    let id = || any::<u64>().prop_map(CallId);
    let outcome = prop::sample::select(vec![
        Outcome::Completed,
        Outcome::Failed,
        Outcome::TimedOut,
        Outcome::Blocked,
        Outcome::Cancelled,
    ]);
    prop_oneof![
        (arc(), option::of(arc())).prop_map(|(reason, path)| Event::SessionStart { reason, path }),
        arc().prop_map(|reason| Event::SessionShutdown { reason }),
        arc().prop_map(|prompt| Event::TurnStart { prompt }),
        any::<bool>().prop_map(|aborted| Event::TurnEnd { aborted }),
        (id(), arc(), value().prop_map(Arc::new)).prop_map(|(id, name, arguments)| Event::ToolStart {
            id,
            name,
            arguments
        }),
        (id(), arc(), outcome, arc()).prop_map(|(id, name, outcome, content)| Event::ToolEnd {
            id,
            name,
            outcome,
            content
        }),
        Just(Event::CompactStart),
        arc().prop_map(|summary| Event::CompactEnd { summary }),
        arc().prop_map(|model| Event::ModelChange { model }),
        arc().prop_map(|effort| Event::EffortChange { effort }),
    ]
}

fn note() -> impl Strategy<Value = Note> {
    prop_oneof![
        4 => event().prop_map(Note::Event),
        1 => map().prop_map(Note::Flags),
        1 => chord().prop_map(Note::Key),
        1 => Just(Note::PanelClosed),
        1 => (arc(), arc(), arc()).prop_map(|(pane, section, id)| Note::PaneSelect { pane, section, id }),
        1 => (arc(), arc(), arc()).prop_map(|(pane, section, id)| Note::PaneActivate { pane, section, id }),
        1 => (arc(), chord()).prop_map(|(pane, key)| Note::PaneKey { pane, key }),
        1 => arc().prop_map(|pane| Note::PaneClosed { pane }),
        1 => Just(Note::Shutdown),
    ]
}

fn reply() -> impl Strategy<Value = Reply> {
    prop_oneof![
        Just(Reply::Done),
        (arc(), arc()).prop_map(|(value, label)| Reply::Chosen { value, label }),
        any::<bool>().prop_map(Reply::Confirmed),
        arc().prop_map(Reply::Text),
        Just(Reply::Cancelled),
        value().prop_map(|value| Reply::Raw(Arc::new(value))),
        arc().prop_map(Reply::Error),
    ]
}

proptest! {
    #![proptest_config(strategies::cases())]

    #[test]
    fn x2_calls_printed_and_read_are_themselves(
        id in any::<u64>(), call in call(), session in option::of(arc()), cwd in option::of(arc()),
    ) {
        let scope = Scope { session, cwd };
        let line = call.line(id, &scope);
        prop_assert!(!line.contains('\n'));
        let prefix = format!(r#"{{"id":{id},"method":"{}","params":{{"#, call.method());
        prop_assert!(line.starts_with(&prefix), "{}", line);
        let scope = match &call {
            Call::Initialize(_) | Call::Startup { .. } => Scope::ONLY,
            Call::ToolCall { .. } => scope,
            _ => Scope { cwd: None, ..scope },
        };
        prop_assert_eq!(Heard::read(&line), Some(Heard::Call { id, call, scope }));
    }

    #[test]
    fn x2_notes_printed_and_read_are_themselves(note in note(), session in option::of(arc())) {
        let scope = Scope { session, cwd: Some("/x".into()) };
        let line = note.line(&scope);
        prop_assert!(!line.contains('\n') && !line.contains(r#""cwd":"#));
        let scope = if matches!(note, Note::Event(_)) { Scope { cwd: None, ..scope } } else { Scope::ONLY };
        prop_assert_eq!(Heard::read(&line), Some(Heard::Note { note, scope }));
    }

    #[test]
    fn x2_replies_give_the_id_back_byte_for_byte(id in value(), spaced in any::<bool>(), reply in reply()) {
        let raw = if spaced { serde_json::to_string_pretty(&id).unwrap().replace('\n', " \r") } else { id.to_string() };
        let line = reply.line(&WireId(raw.as_str().into()));
        let start = format!("{{\"id\":{raw},");
        prop_assert!(line.starts_with(&start));
        let Some(Heard::Reply { id: back, result }) = Heard::read(&line) else { panic!("{line}") };
        prop_assert_eq!(back, id);
        let expected = match reply {
            Reply::Done => Ok(json!({})),
            Reply::Chosen { value, label } => Ok(json!({"value": *value, "label": *label})),
            Reply::Confirmed(yes) => Ok(json!({"confirmed": yes})),
            Reply::Text(text) => Ok(json!({"text": *text})),
            Reply::Cancelled => Ok(json!({"cancelled": true})),
            Reply::Raw(value) => Ok((*value).clone()),
            Reply::Error(error) => Err(error),
            Reply::Info(_) => unreachable!(),
        };
        prop_assert_eq!(result, expected);
    }
}

#[test]
fn info_has_the_guides_fields_in_its_order() {
    let id = WireId("\"i\"".into());
    let empty = Reply::Info(Box::new(Info { cwd: "/w".into(), model: "p/m".into(), ..Info::default() }));
    assert_eq!(
        empty.line(&id),
        r#"{"id":"i","result":{"path":null,"id":null,"name":null,"cwd":"/w","model":"p/m","effort":null,"running":false,"tools":null,"context_tokens":0,"context_window":0}}"#
    );
    let full = Info {
        path: Some("/s.jsonl".into()),
        id: Some("7".into()),
        name: Some("n".into()),
        cwd: "/w".into(),
        model: "p/m".into(),
        effort: Some("high".into()),
        running: true,
        tools: Some(vec!["read".into()]),
        context_tokens: 3,
        context_window: 9,
    };
    let Some(Heard::Reply { result: Ok(result), .. }) = Heard::read(&Reply::Info(Box::new(full)).line(&id))
    else {
        panic!()
    };
    assert_eq!(result["tools"], json!(["read"]));
    assert_eq!(result["running"], Value::from(true));
}

#[test]
fn every_event_has_its_fields_and_its_name() {
    let text = |s: &str| -> Arc<str> { s.into() };
    let table = [
        (Event::SessionStart { reason: text("startup"), path: None }, r#"{"reason":"startup","path":null}"#),
        (Event::SessionShutdown { reason: text("quit") }, r#"{"reason":"quit"}"#),
        (Event::TurnStart { prompt: text("p") }, r#"{"prompt":"p"}"#),
        (Event::TurnEnd { aborted: false }, r#"{"aborted":false}"#),
        (
            Event::ToolStart { id: CallId(3), name: text("bash"), arguments: Arc::new(Value::Null) },
            r#"{"id":3,"name":"bash","arguments":null}"#,
        ),
        (
            Event::ToolEnd {
                id: CallId(3),
                name: text("bash"),
                outcome: Outcome::TimedOut,
                content: text("c"),
            },
            r#"{"id":3,"name":"bash","outcome":"timedout","content":"c"}"#,
        ),
        (Event::CompactStart, "{}"),
        (Event::CompactEnd { summary: text("s") }, r#"{"summary":"s"}"#),
        (Event::ModelChange { model: text("p/m") }, r#"{"model":"p/m"}"#),
        (Event::EffortChange { effort: text("high") }, r#"{"effort":"high"}"#),
    ];
    for (at, (event, extra)) in table.into_iter().enumerate() {
        assert_eq!(event.name(), Event::NAMES[at]);
        let line = Note::Event(event).line(&Scope::ONLY);
        let expected =
            format!(r#"{{"method":"event","params":{{"name":"{}","extra":{extra}}}}}"#, Event::NAMES[at]);
        assert_eq!(line, expected);
    }
}

#[test]
fn what_e_would_not_write_is_not_heard() {
    for line in [
        "",
        "[]",
        "{}",
        r#"{"id":1}"#,
        r#"{"id":1,"method":"hook.other","params":{}}"#,
        r#"{"id":"x","method":"command","params":{"name":"a","args":""}}"#,
        r#"{"method":"event","params":{"name":"x","extra":{}}}"#,
        r#"{"id":1,"result":1,"error":"x"}"#,
    ] {
        assert_eq!(Heard::read(line), None, "{line}");
    }
}
