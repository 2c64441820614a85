//! Strategies: JSON of every shape, hostile text, chords, and the words that messages are made of.

use std::sync::Arc;

use e::model::config::chord::Chord;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

pub fn cases() -> ProptestConfig {
    ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() }
}

const BITS: &[&str] = &[
    "a",
    "b c",
    " ",
    "\n",
    "\t",
    "\r",
    "\"",
    "\\",
    "{",
    "id",
    "漢",
    "e\u{301}",
    "👩\u{200D}🚀",
    "\u{202E}",
    "\u{200B}",
    "\u{1b}[31m",
    "\u{1b}]0;x\u{7}",
    "\u{9b}2J",
    "\u{7f}",
    "\0",
    "\u{2028}",
    "#2",
    "/",
    "=",
    "--no-",
];

/// Text that attacks.
pub fn text() -> impl Strategy<Value = String> {
    vec(prop::sample::select(BITS), 0..6).prop_map(|bits| bits.concat())
}

pub fn arc() -> impl Strategy<Value = Arc<str>> {
    text().prop_map(Arc::from)
}

/// Any JSON, a few levels deep.
pub fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        Just(json!(0.5)),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((text(), inner), 0..4).prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// An object whose keys are mostly among `keys`, with values of any type or a fitting one.
pub fn object(keys: &'static [&'static str]) -> impl Strategy<Value = Value> {
    let key = prop_oneof![9 => prop::sample::select(keys).prop_map(str::to_owned), 1 => text()];
    let word = prop::sample::select(vec![
        "text",
        "diff",
        "markdown",
        "list",
        "rows",
        "error",
        "left",
        "next_turn",
        "dim",
    ]);
    let fitting = prop_oneof![
        3 => text().prop_map(Value::from),
        1 => word.prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => vec(value(), 0..5).prop_map(Value::from),
        1 => value(),
    ];
    vec((key, fitting), 0..8).prop_map(|members| Value::Object(members.into_iter().collect()))
}

pub fn map() -> impl Strategy<Value = Arc<Map<String, Value>>> {
    vec((text(), value()), 0..4).prop_map(|members| Arc::new(members.into_iter().collect()))
}

pub fn chord() -> impl Strategy<Value = Chord> {
    let names = vec![
        "down",
        "x",
        "ctrl+x",
        "shift+tab",
        "alt+down",
        "space",
        "ctrl++",
        "ctrl+-",
        "f12",
        "é",
        "\"",
        "\\",
    ];
    prop::sample::select(names).prop_map(|name| name.parse().unwrap())
}
