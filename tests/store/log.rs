//! The records of a session log, without files.

use std::sync::Arc;

use e::model::provider::{
    Assistant, Message, ModelRef, Part, Purpose, ToolResult, Usage, User, UserKind, UserPart,
};
use e::model::tool::{Display, Format, Image, Outcome};
use e::model::wire::log::{Extra, Record, Response, read, title};
use proptest::prelude::*;
use serde_json::json;

fn text() -> impl Strategy<Value = Arc<str>> {
    prop_oneof![Just(String::new()), "[a-z \\\\\"\n\u{1b}é\u{2028}😀]{0,20}", ".{0,12}"].prop_map(Arc::from)
}

fn some_text() -> impl Strategy<Value = Option<Arc<str>>> {
    proptest::option::of(text())
}

fn model() -> impl Strategy<Value = ModelRef> {
    ("[a-z]{1,8}", "[a-z0-9/.-]{1,12}").prop_map(|(p, id)| ModelRef { provider: p.into(), id: id.into() })
}

fn usage() -> impl Strategy<Value = Usage> {
    any::<[u32; 5]>().prop_map(|[a, b, c, d, e]| Usage {
        input: a.into(),
        output: b.into(),
        cache_read: c.into(),
        cache_write_5m: d.into(),
        cache_write_1h: e.into(),
    })
}

fn image() -> impl Strategy<Value = Image> {
    (text(), "[A-Za-z0-9+/]{0,16}", any::<u32>(), any::<u32>(), text())
        .prop_map(|(mime, data, width, height, name)| Image { mime, data: data.into(), width, height, name })
}

fn user() -> impl Strategy<Value = Message> {
    let kind = prop_oneof![
        Just(UserKind::Prompt),
        Just(UserKind::Summary),
        Just(UserKind::Instructions),
        Just(UserKind::Shell)
    ];
    let part = prop_oneof![text().prop_map(UserPart::Text), image().prop_map(UserPart::Image)];
    (proptest::collection::vec(part, 0..3), any::<bool>(), kind)
        .prop_map(|(content, internal, kind)| Message::User(User { content, internal, kind }))
}

fn part() -> impl Strategy<Value = Part> {
    prop_oneof![
        text().prop_map(Part::Text),
        (text(), some_text(), some_text()).prop_map(|(text, signature, sealed)| Part::Reasoning {
            text,
            signature,
            sealed
        }),
        (text(), text(), text(), some_text()).prop_map(|(id, name, arguments, signature)| Part::ToolCall {
            id,
            name,
            arguments,
            signature
        }),
    ]
}

fn assistant() -> impl Strategy<Value = Message> {
    (proptest::collection::vec(part(), 0..4), proptest::option::of(model()))
        .prop_map(|(parts, origin)| Message::Assistant(Assistant { parts, origin }))
}

fn tool() -> impl Strategy<Value = Message> {
    let outcome = prop_oneof![
        Just(Outcome::Completed),
        Just(Outcome::Failed),
        Just(Outcome::TimedOut),
        Just(Outcome::Blocked),
        Just(Outcome::Cancelled)
    ];
    let format = prop_oneof![Just(Format::Text), Just(Format::Markdown), Just(Format::Diff)];
    let display =
        (text(), format, any::<bool>()).prop_map(|(text, format, cut)| Display { text, format, cut });
    let display = proptest::option::of(display);
    let images = proptest::collection::vec(image(), 0..2);
    (text(), text(), outcome, text(), some_text(), display, images).prop_map(
        |(call, name, outcome, content, summary, display, images)| {
            Message::Tool(ToolResult { call, name, outcome, content, summary, display, images })
        },
    )
}

/// Keys that no version of ours uses.
fn extra() -> impl Strategy<Value = Extra> {
    proptest::option::of(("x_[a-z]{1,4}", any::<i32>())).prop_map(|pair| {
        Extra(pair.map(|(key, n)| Box::new(serde_json::Map::from_iter([(key, json!({"n": n}))]))))
    })
}

fn response() -> impl Strategy<Value = Response> {
    let purpose = prop_oneof![Just(Purpose::Turn), Just(Purpose::Compact)];
    (model(), purpose, usage(), extra())
        .prop_map(|(model, purpose, usage, extra)| Response { extra, ..Response::new(model, purpose, usage) })
}

fn record() -> impl Strategy<Value = Record> {
    let message = prop_oneof![user(), assistant(), tool()];
    prop_oneof![
        (text(), text(), any::<u64>(), proptest::option::of(model()))
            .prop_map(|(id, cwd, created, model)| Record::session(id, cwd, created, model)),
        (text(), some_text(), any::<u64>(), message, proptest::option::of(response()), extra(), extra())
            .prop_map(|(id, parent, at, message, response, extra, message_extra)| {
                match Record::message(id, parent, at, Arc::new(message), response) {
                    Record::Message(m) => {
                        Record::Message(e::model::wire::log::MessageRecord { extra, message_extra, ..m })
                    }
                    other => other,
                }
            }),
        (any::<u64>(), response()).prop_map(|(at, response)| Record::response(at, response)),
        some_text().prop_map(Record::name),
        any::<u32>().prop_map(|n| {
            Record::Other(serde_json::Map::from_iter([
                ("type".into(), json!("later")),
                ("n".into(), json!(n)),
            ]))
        }),
    ]
}

proptest! {
    #[test]
    fn n4_a_record_written_and_read_is_the_same(record in record()) {
        let line = record.print();
        prop_assert!(!line.contains('\n'), "one record is one line: {line}");
        prop_assert_eq!(Record::parse(&line), Ok(record));
    }

    #[test]
    fn n4_a_cut_line_is_never_a_record(record in record(), at in any::<prop::sample::Index>()) {
        let line = record.print();
        let mut cut = at.index(line.len());
        while !line.is_char_boundary(cut) {
            cut -= 1;
        }
        prop_assert!(Record::parse(&line[..cut]).is_err());
    }

    #[test]
    fn any_line_is_read_or_refused(line in ".{0,80}") {
        let log = read([line.as_str()]);
        prop_assert!(log.records.len() + log.bad.len() <= 1);
    }
}

/// The samples of `formats.md`.
const SAMPLE: &str = r#"{"type": "session", "format_version": 1, "id": "0193", "cwd": "/work/app", "created": 1764576000000, "model": "anthropic/claude-sonnet-5"}
{"type": "message", "id": "a1", "parent": null, "timestamp": 1764576001000, "message": {"role": "user", "content": [{"type": "text", "text": "fix the test"}], "internal": false}}
{"type": "message", "id": "a2", "parent": "a1", "timestamp": 1764576003000, "message": {"role": "assistant", "content": [{"type": "reasoning", "text": "…", "signature": "…"}, {"type": "text", "text": "Looking."}, {"type": "tool_call", "id": "c1", "name": "read", "arguments": "{\"path\":\"a.rs\"}"}]}, "response": {"provider": "anthropic", "model": "claude-sonnet-5", "purpose": "turn", "usage": {"input_tokens": 10, "output_tokens": 5, "cache_read_tokens": 0, "cache_write_5m_tokens": 0, "cache_write_1h_tokens": 0}}}
{"type": "message", "id": "a3", "parent": "a2", "timestamp": 1764576004000, "message": {"role": "tool", "call": "c1", "outcome": "completed", "content": "1\tfn main() {}", "summary": "1 line"}}
{"type": "name", "name": "fix the parser test"}"#;

#[test]
fn the_documented_sample_is_read_whole_and_written_back_alike() {
    let log = read(SAMPLE.lines());
    assert_eq!(log.bad, []);
    assert_eq!(log.records.len(), 5);
    for ((_, record), line) in log.records.iter().zip(SAMPLE.lines()) {
        let (written, sample): (serde_json::Value, serde_json::Value) =
            (serde_json::from_str(&record.print()).unwrap(), serde_json::from_str(line).unwrap());
        let mut expected = sample;
        if expected["message"]["role"] == "tool" {
            expected["message"]["name"] = json!("");
        }
        assert_eq!(written, expected);
    }
    let Record::Message(reply) = &log.records[2].1 else { panic!("a message") };
    let Message::Assistant(reply) = &*reply.message else { panic!("a reply") };
    assert_eq!(reply.origin, ModelRef::parse("anthropic/claude-sonnet-5"));
    assert_eq!(reply.parts.len(), 3);
}

#[test]
fn g61_a_bad_line_inside_costs_itself_alone_and_is_named() {
    let good: Vec<String> = (0..80)
        .map(|n| {
            Record::message(format!("m{n}").into(), None, n, Arc::new(Message::prompt("hi")), None).print()
        })
        .collect();
    let zeros = "\0".repeat(300);
    let half = good[39][..good[39].len() / 2].to_owned();
    for bad in [zeros.as_str(), half.as_str(), "[]", "{\"type\":\"message\",\"id\":\"x\"}", "{\"id\":\"x\"}"]
    {
        let mut lines = good.clone();
        lines[39] = bad.to_owned();
        let log = read(lines.iter().map(String::as_str));
        assert_eq!(log.records.len(), 79, "with {bad:?}");
        assert_eq!(log.bad.iter().map(|b| b.line).collect::<Vec<_>>(), [40], "with {bad:?}");
    }
    let mut lines = good;
    lines[39] = "{\"type\":\"from_the_future\",\"x\":1}".into();
    let log = read(lines.iter().map(String::as_str));
    assert_eq!((log.records.len(), log.bad.len()), (80, 0), "a newer kind is kept, not a fault");
}

#[test]
fn older_forms_are_read() {
    let line =
        r#"{"type":"message","id":"a","timestamp":1,"message":{"role":"assistant","content":"plain"}}"#;
    let Ok(Record::Message(m)) = Record::parse(line) else { panic!("a message") };
    assert_eq!(
        *m.message,
        Message::Assistant(Assistant { parts: vec![Part::Text("plain".into())], origin: None })
    );
    let line = r#"{"type":"message","id":"a","message":{"role":"assistant","content":[{"type":"tool_call","id":"c","name":"read","arguments":{"path":"a"}}]}}"#;
    let Ok(Record::Message(m)) = Record::parse(line) else { panic!("a message") };
    let Message::Assistant(a) = &*m.message else { panic!("a reply") };
    assert_eq!(a.calls().map(|(_, _, args)| &**args).collect::<Vec<_>>(), [r#"{"path":"a"}"#]);
    let line = r#"{"type":"message","id":"a","message":{"role":"tool","call":"c","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]}}"#;
    let Ok(Record::Message(m)) = Record::parse(line) else { panic!("a message") };
    let Message::Tool(result) = &*m.message else { panic!("a result") };
    assert_eq!((&*result.content, result.outcome), ("x\ny", Outcome::Completed));
}

#[test]
fn a_title_is_the_first_line_cut_to_words_and_characters() {
    assert_eq!(title("\n  fix the test\nplease"), "fix the test");
    assert_eq!(
        title("one two three four five six seven eight nine"),
        "one two three four five six seven eight"
    );
    assert_eq!(title(&"x".repeat(100)).chars().count(), 60);
    assert_eq!(title("a\u{1b}[31mb"), "a[31mb");
}
