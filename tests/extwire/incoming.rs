//! Lines from an extension: framing, the first-match table, lost lines, and what no line can do.

use std::sync::Arc;

use e::model::tool::Pipe;
use e::model::wire::ext::{
    Ask, Frame, Framer, Incoming, LEADING, LONGEST_LINE, Lost, Request, Response, Salvaged, ToolUpdate, Why,
    WireId, read, read_frame,
};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{speak, strategies};

fn request(line: &str) -> Request {
    match read(line) {
        Incoming::Request(request) => *request,
        other => panic!("{line}: {other:?}"),
    }
}

fn ignored(line: &str) -> Why {
    match read(line) {
        Incoming::Ignored(why) => why,
        other => panic!("{line}: {other:?}"),
    }
}

fn result(line: &str) -> (u64, Result<Value, Arc<str>>) {
    match read(line) {
        Incoming::Response(Response { id, result }) => (id, result),
        other => panic!("{line}: {other:?}"),
    }
}

/// Pieces that make lines nearly right.
fn almost_json() -> impl Strategy<Value = Vec<u8>> {
    let bits = vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"id\"",
        "\"method\"",
        "\"params\"",
        "\"result\"",
        "\"error\"",
        "\"notify\"",
        "\"ui.select\"",
        "\"tool.update\"",
        "1",
        "-0",
        "1e999",
        "null",
        "\"x",
        "\\ud800",
        "\"\\ud800\"",
        " ",
        "\\",
        "{\"id\":3,",
        "{\"id\":\"q\",\"method\":\"ui.confirm\",\"params\":{",
    ];
    let bit = prop_oneof![
        8 => prop::sample::select(bits).prop_map(|s| s.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 0..4),
    ];
    vec(bit, 0..14).prop_map(|bits| bits.concat())
}

proptest! {
    #![proptest_config(strategies::cases())]

    #[test]
    fn x1_no_bytes_panic_and_a_line_is_owed_at_most_one_answer(
        line in prop_oneof![vec(any::<u8>(), 0..200), almost_json()],
        overlong in any::<bool>(),
    ) {
        let frame = if overlong { Frame::Overlong(line.clone()) } else { Frame::Line(line.clone()) };
        match read_frame(&frame) {
            // The one kind of line that is owed an answer, to the id it came with.
            Incoming::Request(request) => {
                prop_assert!(!overlong);
                let text = String::from_utf8(line).unwrap();
                prop_assert!(text.contains(&*request.id.0));
                prop_assert!(serde_json::from_str::<&serde_json::value::RawValue>(&request.id.0).is_ok());
            }
            Incoming::Lost { salvaged: Some(Salvaged::Request(id)), .. } => {
                prop_assert!(serde_json::from_str::<&serde_json::value::RawValue>(&id.0).is_ok());
            }
            Incoming::Lost { why, .. } => {
                prop_assert_eq!(why, if overlong { Lost::Overlong } else { Lost::NotUtf8 });
                prop_assert!(overlong || std::str::from_utf8(&line).is_err());
            }
            Incoming::Notify(message) => prop_assert!(!message.as_str().trim().is_empty()),
            Incoming::ToolUpdate(update) => prop_assert!(!update.chunk.is_empty()),
            Incoming::Response(_) | Incoming::Ignored(_) => {}
        }
    }

    #[test]
    fn x1_any_cutting_of_the_stream_gives_the_same_lines(
        bytes in vec(prop_oneof![Just(b'\n'), Just(b'\r'), Just(b'a'), any::<u8>()], 0..100),
        limit in 1usize..40,
        cuts in vec(1usize..50, 1..10),
    ) {
        let whole = frames(&bytes, limit, &[usize::MAX]);
        prop_assert_eq!(&whole, &frames(&bytes, limit, &cuts));
        for frame in &whole {
            if let Frame::Line(line) = frame {
                prop_assert!(line.len() <= limit && !line.contains(&b'\n'));
            }
        }
    }

    #[test]
    fn x2_a_request_printed_and_read_is_itself(
        id in strategies::value(),
        method in prop_oneof![Just("ui.notify"), Just("ui.input"), Just("session.send"), Just("nobody.knows")],
        params in strategies::object(&["message", "title", "content", "session", "tone"]),
    ) {
        let line = json!({"id": id, "method": method, "params": params}).to_string();
        let first = read(&line);
        prop_assert!(matches!(&first, Incoming::Request(r) if *r.id.0 == *id.to_string() && *r.params == params));
        prop_assert_eq!(read(&speak::line(&first).unwrap()), first);
    }

    #[test]
    fn x2_responses_notices_and_updates_printed_and_read_are_themselves(
        id in any::<u64>(),
        value in strategies::value(),
        text in strategies::text(),
        error in any::<bool>(),
        stderr in any::<bool>(),
    ) {
        let result = if error { Err(Arc::from(text.as_str())) } else { Ok(value) };
        let response = Incoming::Response(Response { id, result });
        prop_assert_eq!(read(&speak::line(&response).unwrap()), response);
        let pipe = if stderr { Pipe::Stderr } else { Pipe::Stdout };
        let update = Incoming::ToolUpdate(ToolUpdate { call: id, pipe, chunk: format!("{text}.").into() });
        prop_assert_eq!(read(&speak::line(&update).unwrap()), update);
        let notice = read(&json!({"method": "notify", "params": {"message": format!("{text}!")}}).to_string());
        prop_assert!(matches!(notice, Incoming::Notify(_)));
        prop_assert_eq!(read(&speak::line(&notice).unwrap()), notice);
    }

    #[test]
    fn x3_unknown_fields_and_methods_are_never_fatal(
        extra in strategies::value(),
        method in strategies::text(),
    ) {
        prop_assume!(method != "notify" && method != "tool.update");
        let asked = request(&json!({"id": 1, "method": method, "more": extra, "params": extra}).to_string());
        prop_assert_eq!(asked.ask, Ask::Unknown);
        let known = request(&json!({"id": 1, "method": "session.info", "x": extra, "params": {"y": extra}}).to_string());
        prop_assert!(matches!(known.ask, Ask::Session(_)));
    }
}

fn frames(bytes: &[u8], limit: usize, cuts: &[usize]) -> Vec<Frame> {
    let mut framer = Framer::with_limit(limit);
    let mut out = Vec::new();
    let mut rest = bytes;
    for cut in cuts.iter().cycle() {
        let (mut piece, behind) = rest.split_at((*cut).min(rest.len()));
        while let Some((frame, more)) = framer.push(piece) {
            out.push(frame);
            piece = more;
        }
        rest = behind;
        if rest.is_empty() {
            break;
        }
    }
    out.extend(framer.finish());
    out
}

#[test]
fn lines_are_bounded_and_the_next_one_arrives() {
    let mut stream = vec![b'x'; LONGEST_LINE];
    stream.extend(b"\r\n");
    stream.extend(vec![b'y'; LONGEST_LINE + 1]);
    stream.extend(b"\nnext\r\n\nlast");
    let got = frames(&stream, LONGEST_LINE, &[65536]);
    let expected = [
        Frame::Line(vec![b'x'; LONGEST_LINE]),
        Frame::Overlong(vec![b'y'; LEADING]),
        Frame::Line(b"next".to_vec()),
        Frame::Line(Vec::new()),
        Frame::Line(b"last".to_vec()),
    ];
    assert!(got == expected, "{:?}", got.iter().map(|f| format!("{f:?}").len()).collect::<Vec<_>>());
}

#[test]
fn the_first_match_decides() {
    // (a) and (b): even with an id
    assert!(
        matches!(read(r#"{"id":1,"method":"notify","params":{"message":"hi"}}"#), Incoming::Notify(m) if m.as_str() == "hi")
    );
    let update = r#"{"id":9,"method":"tool.update","params":{"id":3,"stream":"stdout","chunk":"working\n"}}"#;
    let Incoming::ToolUpdate(update) = read(update) else { panic!() };
    assert_eq!((update.call, update.pipe, &*update.chunk), (3, Pipe::Stdout, "working\n"));
    // (c): whatever the id is
    for id in [
        "7",
        "null",
        "\"q1\"",
        "1.50",
        "-1",
        r#"{"a": [1, 2]}"#,
        "1e999",
        r#""\u0041""#,
        r#""\ud800""#,
        "true",
    ] {
        let line = format!(r#"{{"method":"ui.notify","params":{{}},"id":{id}}}"#);
        assert_eq!(request(&line).id, WireId(id.into()), "{line}");
    }
    // (d)
    assert_eq!(result(r#"{"id":4,"result":{"notice":"pong"}}"#), (4, Ok(json!({"notice": "pong"}))));
    assert_eq!(result(r#"{"id":4,"method":7,"result":1}"#), (4, Ok(json!(1))));
    // (e)
    for line in [
        r#"{"method":"ui.notify","params":{"message":"x"}}"#,
        r#"{"id":"1","result":{}}"#,
        r#"{"id":-1,"result":{}}"#,
        r#"{"id":1.0,"result":{}}"#,
        r#"{"id":null,"result":{}}"#,
        r#"{"id":18446744073709551616,"result":{}}"#,
        r#"{"method":"whatever"}"#,
        "{}",
    ] {
        assert_eq!(ignored(line), Why::NoShape, "{line}");
    }
    assert_eq!(result(r#"{"id":18446744073709551615}"#).0, u64::MAX);
}

#[test]
fn what_is_no_object_is_stray() {
    for (line, why) in [
        ("", Why::NotJson),
        ("listening on port 3000", Why::NotJson),
        (r#"{"id":1,"result":{}} trailing"#, Why::NotJson),
        (r#"{"id":1,"#, Why::NotJson),
        ("[1]", Why::NotObject),
        ("\"hi\"", Why::NotObject),
        ("3", Why::NotObject),
    ] {
        assert_eq!(ignored(line), why, "{line}");
        assert!(why.stray());
    }
    assert!(!Why::BlankNotice.stray() && !Why::BadUpdate.stray());
}

#[test]
fn responses_read_as_the_table_says() {
    let error = |line: &str| result(line).1.unwrap_err();
    assert_eq!(&*error(r#"{"id":2,"error":"what went wrong"}"#), "what went wrong");
    assert_eq!(&*error(r#"{"id":2,"error":{"code": 5}}"#), r#"{"code":5}"#);
    assert_eq!(&*error(r#"{"id":2,"error":false,"result":{}}"#), "false");
    assert_eq!(result(r#"{"id":2,"error":null,"result":{"a":1}}"#).1, Ok(json!({"a": 1})));
    assert_eq!(result(r#"{"id":2,"error":null}"#).1, Ok(Value::Null));
    assert_eq!(result(r#"{"id":2}"#).1, Ok(Value::Null));
    let deep = format!(r#"{{"id":2,"result":{}1{}}}"#, "[".repeat(500), "]".repeat(500));
    assert!(error(&deep).contains("cannot be read"), "{}", error(&deep));
}

#[test]
fn notices_and_updates_that_say_nothing_are_dropped() {
    for params in [
        json!({}),
        json!({"message": " \n"}),
        json!({"message": 3}),
        json!({"message": "\u{1b}[2J"}),
        json!(null),
    ] {
        assert_eq!(ignored(&json!({"method": "notify", "params": params}).to_string()), Why::BlankNotice);
    }
    assert_eq!(ignored(r#"{"method":"notify"}"#), Why::BlankNotice);
    for params in [
        json!({"id": "3", "stream": "stdout", "chunk": "x"}),
        json!({"id": 3, "stream": "out", "chunk": "x"}),
        json!({"id": 3, "stream": "stdout", "chunk": ""}),
        json!({"id": 3, "stream": "stdout", "chunk": 5}),
        json!({"stream": "stdout", "chunk": "x"}),
        json!([]),
    ] {
        assert_eq!(ignored(&json!({"method": "tool.update", "params": params}).to_string()), Why::BadUpdate);
    }
}

#[test]
fn a_long_notice_is_clipped_and_says_so() {
    let line = json!({"method": "notify", "params": {"message": "words\n".repeat(20_000)}}).to_string();
    let Incoming::Notify(message) = read(&line) else { panic!() };
    assert!(
        message.len() < 65 * 1024
            && message.as_str().ends_with("words\n\n… the rest of this notice was left out")
    );
}

#[test]
fn params_that_cannot_be_read_are_refused_and_half_characters_are_mended() {
    let deep = format!(r#"{{"id":"d","method":"ui.show","params":{}{}}}"#, "[".repeat(300), "]".repeat(300));
    assert!(matches!(request(&deep).ask, Ask::Refused(why) if why.contains("cannot be read")));
    let line = r#"{"method":"notify","params":{"message":"cut \ud83d here \\ud83d \ud83d\ude80"}}"#;
    let Incoming::Notify(message) = read(line) else { panic!() };
    assert_eq!(message.as_str(), "cut \u{fffd} here \\ud83d 🚀");
}

#[test]
fn a_leading_id_of_a_lost_line_is_saved() {
    let long = "x".repeat(2000);
    let saved = |head: &str| {
        let line = format!("{head}{long}");
        match read_frame(&Frame::Overlong(line.into_bytes())) {
            Incoming::Lost { why: Lost::Overlong, salvaged } => salvaged,
            other => panic!("{other:?}"),
        }
    };
    let asked = |id: &str| Some(Salvaged::Request(WireId(id.into())));
    assert_eq!(saved(r#"{"id":3,"result":{"content":""#), Some(Salvaged::Response(3)));
    assert_eq!(saved(r#" { "id" : 3 , "error" : ""#), Some(Salvaged::Response(3)));
    assert_eq!(saved(r#"{"id":3,"method":"ui.show","params":{"body":""#), asked("3"));
    assert_eq!(saved(r#"{"id":{"a": 1},"method":"ui.show","params":{"body":""#), asked(r#"{"a": 1}"#));
    assert_eq!(saved(r#"{"id":3,"params":{"body":""#), asked("3"));
    assert_eq!(saved(r#"{"id":"q","jsonrpc":"2.0","params":{"body":""#), asked("\"q\""));
    assert_eq!(saved(r#"{"id":3,"jsonrpc":"2.0","result":{"body":""#), Some(Salvaged::Response(3)));
    assert_eq!(saved(r#"{"id":3,"method":"notify","params":{"message":""#), None);
    assert_eq!(saved(r#"{"id":3,"method":"tool.update","params":{"chunk":""#), None);
    assert_eq!(saved(r#"{"method":"ui.show","id":3,"params":{"body":""#), None);
    assert_eq!(saved(r#"{"result":{"content":""#), None);
    assert_eq!(saved(r#"{"id":""#), None, "an id longer than a KiB");
    assert_eq!(saved(""), None);
    assert_eq!(
        read_frame(&Frame::Overlong(b"{\"id\":12".to_vec())),
        Incoming::Lost { why: Lost::Overlong, salvaged: None }
    );
    let latin = b"{\"id\":7,\"method\":\"ui.show\",\"params\":{\"body\":\"caf\xe9\"}}";
    let Incoming::Lost { why: Lost::NotUtf8, salvaged } = read_frame(&Frame::Line(latin.to_vec())) else {
        panic!()
    };
    assert_eq!(salvaged, asked("7"));
}
