//! JSON as people write it, and complaints that name the place.

use e::model::config::complaint::nearest;
use e::model::config::jsonc::{Json, Reader, parse};

#[test]
fn accepts_mark_comments_and_trailing_commas() {
    let node = parse("f", b"\xEF\xBB\xBF// hi\r\n{\"a\": [1, /* two */ 2,],\n \"b\": \"x\",}").unwrap();
    assert_eq!(node.to_value(), serde_json::json!({"a": [1, 2], "b": "x"}));
    assert_eq!(parse("f", b"").unwrap().json, Json::Object(vec![]));
    assert_eq!(parse("f", b"  // only a comment\n").unwrap().json, Json::Object(vec![]));
}

#[test]
fn places_count_lines_and_characters() {
    let node = parse("f", "{\n  \"日本\": {\"k\": tru}}".as_bytes());
    let complaint = node.unwrap_err();
    assert_eq!((complaint.line, complaint.column), (2, 15), "{complaint}");
    let node = parse("f", "{\n  \"日本\": {\"k\":   7}}".as_bytes()).unwrap();
    let inner = node.get("日本").unwrap().get("k").unwrap();
    assert_eq!((inner.at.line, inner.at.column), (2, 17));
    let bad = parse("f", b"{\"a\": 1,\n \"\xFF\"}").unwrap_err();
    assert_eq!((bad.line, bad.column), (2, 3));
}

#[test]
fn refuses_what_is_not_json() {
    for text in
        ["{a: 1}", "{'a': 1}", "{\"a\": 0x1}", "{\"a\" 1}", "[1 2]", "{\"a\": 1} x", "{\"a\": NaN}", "{"]
    {
        assert!(parse("f", text.as_bytes()).is_err(), "{text}");
    }
    let deep = "[".repeat(100_000);
    assert!(parse("f", deep.as_bytes()).is_err());
}

#[test]
fn getters_complain_and_give_nothing() {
    let text =
        r#"{"n": "x", "w": 4.0, "c": "hihg", "s": 1, "l": ["a", 2, "b"], "on": "on", "neg": -1, "big": 70}"#;
    let node = parse("settings.json", text.as_bytes()).unwrap();
    let mut r = Reader::new("settings.json");
    assert_eq!(r.integer("n", node.get("n").unwrap(), 1, 64), None);
    assert_eq!(r.integer("w", node.get("w").unwrap(), 1, 64), Some(4));
    assert_eq!(r.integer("big", node.get("big").unwrap(), 1, 64), None);
    assert_eq!(r.number("neg", node.get("neg").unwrap()), None);
    assert_eq!(r.choice("c", node.get("c").unwrap(), &["low", "high"]), None);
    assert_eq!(r.string("s", node.get("s").unwrap()), None);
    assert_eq!(r.strings("l", node.get("l").unwrap()), Some(vec!["a".to_owned(), "b".to_owned()]));
    assert_eq!(r.switch("on", node.get("on").unwrap()), Some(true));
    let said: Vec<String> = r.finish().iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "settings.json:1:7: n must be a whole number from 1 to 64, not \"x\"",
            "settings.json:1:93: big must be a whole number from 1 to 64, not 70",
            "settings.json:1:82: neg must be a number that is not negative, not -1",
            "settings.json:1:27: c must be \"low\" or \"high\", not \"hihg\"; did you mean \"high\"?",
            "settings.json:1:40: s must be a string, not 1",
            "settings.json:1:54: each of l must be a string, not 2",
        ]
    );
}

#[test]
fn nearest_is_near() {
    assert_eq!(
        nearest("openai-complections", ["openai-completions", "openai-responses"]),
        Some("openai-completions")
    );
    assert_eq!(nearest("Hgih", ["low", "high"]), Some("high"));
    assert_eq!(nearest("zebra", ["low", "high"]), None);
    assert_eq!(nearest("c", ["a", "b"]), None);
}
