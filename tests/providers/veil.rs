//! What a model writes is masked before the core sees any of it, however it is cut and escaped.

use std::cell::RefCell;
use std::collections::BTreeMap;

use e::effects::provider::veil::Veil;
use e::effects::secrets::Secrets;
use e::model::provider::{Cause, Stage, Stop, StreamMsg};
use proptest::prelude::*;
use serde_json::Value;

const KEY: &str = "sk-test-0123456789";

fn secrets(keys: &[impl AsRef<str>]) -> Secrets {
    let secrets = Secrets::default();
    keys.iter().for_each(|key| secrets.add(key.as_ref()));
    secrets
}

/// Everything that comes of these pieces, piece by piece.
fn passed(secrets: &Secrets, pieces: impl IntoIterator<Item = StreamMsg>) -> Vec<Vec<StreamMsg>> {
    let mut veil = Veil::new(secrets);
    let each = |message| {
        let out = RefCell::new(Vec::new());
        veil.pass(message, &|m| out.borrow_mut().push(m));
        out.into_inner()
    };
    pieces.into_iter().map(each).collect()
}

/// All text, all reasoning, and each call's arguments.
fn joined(messages: &[StreamMsg]) -> (String, String, BTreeMap<usize, String>) {
    let (mut text, mut reasoning, mut calls) = (String::new(), String::new(), BTreeMap::<_, String>::new());
    for message in messages {
        match message {
            StreamMsg::Text(piece) => text += piece,
            StreamMsg::Reasoning(piece) => reasoning += piece,
            StreamMsg::CallArgs { index, delta } => *calls.entry(*index).or_default() += delta,
            _ => {}
        }
    }
    (text, reasoning, calls)
}

fn cut(text: &str, sizes: &[usize]) -> Vec<String> {
    let mut rest: Vec<char> = text.chars().collect();
    let mut pieces = Vec::new();
    for size in sizes {
        let after = rest.split_off((*size).min(rest.len()));
        pieces.push(rest.into_iter().collect());
        rest = after;
    }
    pieces.push(rest.into_iter().collect());
    pieces
}

/// A JSON string whose characters are written in one of the ways there are.
fn quoted(text: &str, how: u8) -> String {
    let escaped = |(at, c): (usize, char)| match (how, c) {
        (0, '"' | '\\') => format!("\\{c}"),
        (0, _) => c.to_string(),
        (1, _) => format!("\\u{:04x}", u32::from(c)),
        (_, '/') => "\\/".to_owned(),
        (_, '"' | '\\') => format!("\\{c}"),
        _ if at % 2 == 0 => format!("\\u{:04X}", u32::from(c)),
        _ => c.to_string(),
    };
    format!("\"{}\"", text.chars().enumerate().map(escaped).collect::<String>())
}

fn thought(text: &str, sealed: Option<&str>) -> Vec<StreamMsg> {
    let end = StreamMsg::ReasoningEnd { signature: Some("sig".into()), sealed: sealed.map(Into::into) };
    let pieces =
        cut(text, &[3, 9]).into_iter().map(StreamMsg::Reasoning).chain([end, StreamMsg::Done(Stop::End)]);
    passed(&secrets(&[KEY]), pieces).concat()
}

#[test]
fn a_seal_goes_with_the_words_it_seals_or_not_at_all() {
    let whole =
        StreamMsg::ReasoningEnd { signature: Some("sig".into()), sealed: Some("{\"a\":\"b\"}".into()) };
    let none = StreamMsg::ReasoningEnd { signature: None, sealed: None };
    let got = thought("all about sk-test keys", Some("{\"a\":\"b\"}"));
    assert_eq!(joined(&got).1, "all about sk-test keys");
    assert!(got.contains(&whole), "{got:?}");
    let got = thought(&format!("it is {KEY}!"), Some("{\"a\":\"b\"}"));
    assert_eq!(joined(&got).1, format!("it is {}!", "*".repeat(KEY.len())));
    assert!(got.contains(&none), "{got:?}");
    // The words are clean, the sealed item is not.
    for how in 0..3 {
        let got = thought("hm", Some(&format!("{{\"summary\": [{}]}}", quoted(KEY, how))));
        assert!(got.contains(&none), "{got:?}");
    }
}

#[test]
fn a_key_across_two_thoughts_leaves_the_first_whole_and_unseals_the_second() {
    let end = || StreamMsg::ReasoningEnd { signature: Some("sig".into()), sealed: None };
    let (head, tail) = KEY.split_at(7);
    let say = |text: &str| StreamMsg::Reasoning(text.to_owned());
    let got = passed(&secrets(&[KEY]), [say(head), end(), say(tail), end(), say("clean"), end()]).concat();
    let expected = [
        say(head),
        end(),
        say(&"*".repeat(tail.len())),
        StreamMsg::ReasoningEnd { signature: None, sealed: None },
        say("clean"),
        end(),
    ];
    assert_eq!(got, expected);
}

#[test]
fn a_calls_seal_goes_when_its_arguments_held_a_key() {
    for (argument, kept) in [(KEY, false), ("ls", true)] {
        let got = passed(
            &secrets(&[KEY]),
            [
                StreamMsg::CallStart { index: 0, id: "c".into(), name: format!("bash{KEY}").into() },
                StreamMsg::CallArgs { index: 0, delta: format!("{{\"command\":{}}}", quoted(argument, 2)) },
                StreamMsg::CallEnd { index: 0, signature: Some("sig".into()) },
            ],
        )
        .concat();
        let end = StreamMsg::CallEnd { index: 0, signature: kept.then(|| "sig".into()) };
        assert_eq!(got.last(), Some(&end));
        assert!(!format!("{got:?}").contains(KEY));
    }
}

#[test]
fn a_broken_reply_gives_what_was_held_and_masks_the_fault() {
    let fault = e::effects::dialect::error::fault(Cause::Stalled, Stage::Stream, KEY, KEY);
    let got = passed(
        &secrets(&[KEY]),
        [
            StreamMsg::Text("see sk-te".into()),
            StreamMsg::CallArgs { index: 0, delta: "{\"a\":\"sk-t\\".into() },
            StreamMsg::Failed(fault),
        ],
    )
    .concat();
    let (text, _, calls) = joined(&got);
    assert_eq!((text.as_str(), calls[&0].as_str()), ("see sk-te", "{\"a\":\"sk-t\\"));
    assert!(matches!(got.last(), Some(StreamMsg::Failed(_))) && !format!("{got:?}").contains(KEY), "{got:?}");
}

#[test]
fn broken_json_and_numbers_hide_no_key_either() {
    let keys = [KEY, "1234567890"];
    for (arguments, expected) in [
        (format!("{{\"a\": {KEY}}}"), None),
        (format!("{{\"a\": \"\\u{KEY}\"}}"), None),
        (format!("{{\"a\": \"\\{KEY}\"}}"), None),
        (format!("{{\"a\": \"\\u00{KEY}"), None),
        ("{\"port\": 1234567890}".to_owned(), Some("{\"port\": 1111111111}")),
    ] {
        for size in 1..8 {
            let pieces = cut(&arguments, &[size; 60]);
            let pieces = pieces.into_iter().map(|delta| StreamMsg::CallArgs { index: 3, delta });
            let got = passed(&secrets(&keys), pieces.chain([StreamMsg::Done(Stop::End)])).concat();
            let out = joined(&got).2.remove(&3).unwrap();
            assert!(keys.iter().all(|key| !out.contains(key)), "{out}");
            if let Some(expected) = expected {
                assert_eq!(out, expected);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn no_cut_of_any_text_lets_a_key_through(
        keys in prop::collection::vec("[ab]{8,10}", 1..3),
        words in prop::collection::vec("[abc é]{0,12}", 1..6),
        sizes in prop::collection::vec(0usize..6, 0..30),
        kinds in prop::collection::vec(any::<bool>(), 0..30),
        planted in any::<prop::sample::Index>(),
    ) {
        let text = words.join(&keys[planted.index(keys.len())]);
        let mut kinds = kinds.into_iter();
        let mut wrote = (String::new(), String::new());
        let pieces: Vec<StreamMsg> = cut(&text, &sizes).into_iter().map(|piece| {
            if kinds.next().unwrap_or(true) {
                wrote.0 += &piece;
                StreamMsg::Text(piece)
            } else {
                wrote.1 += &piece;
                StreamMsg::Reasoning(piece)
            }
        }).chain([StreamMsg::Done(Stop::End)]).collect();
        let secrets = secrets(&keys);
        let got = passed(&secrets, pieces.clone());
        let (said, thought, _) = joined(&got.concat());
        for key in &keys {
            prop_assert!(!said.contains(key.as_str()) && !thought.contains(key.as_str()), "{said:?} {thought:?}");
        }
        // Nothing is lost and nothing else is altered.
        for (out, whole) in [(&said, &wrote.0), (&thought, &wrote.1)] {
            prop_assert_eq!(out.len(), whole.len());
            let masked = secrets.mask(whole);
            for ((now, was), hidden) in out.chars().zip(whole.chars()).zip(masked.chars()) {
                prop_assert!(now == was || (now == '*' && hidden == '*'));
            }
        }
        // Never held longer than the beginning of a key.
        let (mut taken, mut given) = (String::new(), 0);
        for (piece, out) in pieces.iter().zip(&got) {
            if let StreamMsg::Text(piece) = piece { taken += piece; }
            given += joined(out).0.len();
            let held = taken.len() - given;
            let open = |key: &String| (held..key.len()).any(|n| taken.ends_with(&key[..n]));
            prop_assert!(held == 0 || keys.iter().any(open), "{:?}", &taken[given..]);
        }
    }

    #[test]
    fn no_cut_or_spelling_of_arguments_lets_a_key_through(
        keys in prop::collection::vec("[ab/]{8,10}", 1..3),
        values in prop::collection::vec(("[abc/\"\\\\ é\n]{0,12}", any::<bool>(), 0u8..3), 1..5),
        sizes in prop::collection::vec(0usize..7, 0..80),
        planted in any::<prop::sample::Index>(),
    ) {
        let key = &keys[planted.index(keys.len())];
        let secrets = secrets(&keys);
        let values: Vec<(String, u8)> = values.into_iter()
            .map(|(text, with, how)| (if with { format!("{text}{key}") } else { text }.replace('\n', " "), how)).collect();
        let list: Vec<String> = values.iter().map(|(text, how)| quoted(text, *how)).collect();
        let json = format!("{{\"n\": [1.5e3, null], \"list\": [{}]}}", list.join(", "));
        let pieces = cut(&json, &sizes).into_iter().map(|delta| StreamMsg::CallArgs { index: 0, delta });
        let got = passed(&secrets, pieces.chain([StreamMsg::CallEnd { index: 0, signature: None }])).concat();
        let out = joined(&got).2.remove(&0).unwrap();
        let read: Value = serde_json::from_str(&out).unwrap();
        prop_assert_eq!(&read["n"], &serde_json::json!([1.5e3, null]));
        for ((text, _), value) in values.iter().zip(read["list"].as_array().unwrap()) {
            prop_assert_eq!(value.as_str().unwrap(), secrets.mask(text).replace('*', "x"));
        }
        if values.iter().all(|(text, _)| secrets.mask(text) == *text) {
            prop_assert_eq!(out, json);
        }
    }
}
