//! Typed flags on the command line.

use std::sync::Arc;

use clap::CommandFactory;
use e::effects::cli::args::Cli;
use e::model::ext::flags::{Declared, OWN, parse};
use e::model::wire::ext::FlagKind;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::strategies;

fn declared(list: &[(&str, FlagKind)]) -> Vec<Declared> {
    list.iter()
        .enumerate()
        .map(|(at, (name, kind))| Declared {
            extension: format!("ext{at}").into(),
            name: (*name).into(),
            kind: *kind,
        })
        .collect()
}

use FlagKind::{Boolean, String as Text};

/// The values as JSON, and the words that are left.
fn read(line: &str, list: &[(&str, FlagKind)]) -> (Value, Vec<String>) {
    let words: Vec<String> = line.split(' ').filter(|w| !w.is_empty()).map(str::to_owned).collect();
    let parsed = parse(&words, &declared(list)).unwrap();
    (Value::Object(parsed.values.clone()), parsed.strip(&words))
}

const TWO: &[(&str, FlagKind)] = &[("plan", Boolean), ("project", Text)];

#[test]
fn the_grammar() {
    for (line, values, left) in [
        ("", json!({}), ""),
        ("--plan", json!({"plan": true}), ""),
        ("--plan=true x", json!({"plan": true}), "x"),
        ("--plan=FALSE", json!({"plan": false}), ""),
        ("--no-plan", json!({"plan": false}), ""),
        ("--plan x", json!({"plan": true}), "x"),
        ("--project=../app", json!({"project": "../app"}), ""),
        ("--project=", json!({"project": ""}), ""),
        ("--project=a=b", json!({"project": "a=b"}), ""),
        ("--project ../app hello", json!({"project": "../app"}), "hello"),
        ("--project -c", json!({"project": null}), "-c"),
        ("--project - x", json!({"project": null}), "- x"),
        ("--project -- x", json!({"project": null}), "-- x"),
        ("x --project", json!({"project": null}), "x"),
        ("--project a --project", json!({"project": null}), ""),
        ("--project --plan", json!({"project": null, "plan": true}), ""),
        ("--plan --no-plan --plan=true", json!({"plan": true}), ""),
        ("--plan --no-plan", json!({"plan": false}), ""),
        ("-- --plan --project x", json!({}), "-- --plan --project x"),
        ("--no-project x --planning -plan plan", json!({}), "--no-project x --planning -plan plan"),
        ("--no-plan=true", json!({}), "--no-plan=true"),
        ("--PLAN", json!({}), "--PLAN"),
        ("-m --plan", json!({"plan": true}), "-m"),
    ] {
        let (got, kept) = read(line, TWO);
        assert_eq!((got, kept.join(" ")), (values, left.to_owned()), "{line}");
    }
}

#[test]
fn a_bad_boolean_names_flag_and_extension() {
    for value in ["yes", "", "1", "true "] {
        let error = parse(&[format!("--plan={value}")], &declared(TWO)).unwrap_err();
        let words = error.to_string();
        assert!(words.contains(&format!("--plan={value}")) && words.contains("extension ext0"), "{words}");
    }
    assert!(parse(&["--", "--plan=yes"], &declared(TWO)).is_ok());
}

#[test]
fn a_declared_name_beats_a_negation() {
    let both = [("x", Boolean), ("no-x", Text)];
    assert_eq!(read("--no-x v", &both), (json!({"no-x": "v"}), Vec::new()));
    assert_eq!(read("--x", &both).0, json!({"x": true}));
}

#[test]
fn one_name_declared_twice_is_read_by_each_and_the_last_decides() {
    let first = [("x", Boolean), ("x", Text)];
    assert_eq!(read("--x v --x", &first), (json!({"x": null}), Vec::new()));
    assert_eq!(read("--x v w", &first), (json!({"x": "v"}), vec!["w".into()]));
    assert_eq!(read("--no-x", &first), (json!({"x": false}), Vec::new()));
    let last = [("x", Text), ("x", Boolean), ("y", Text)];
    assert_eq!(
        read("--x v --y w", &last),
        (json!({"x": true, "y": "w"}), Vec::new()),
        "the value is consumed once"
    );
    assert_eq!(read("--x v w", &[("x", Text), ("x", Text)]), (json!({"x": "v"}), vec!["w".into()]));
}

#[test]
fn the_list_of_e_s_own_options_is_whole() {
    fn collect(command: &clap::Command, into: &mut Vec<String>) {
        for argument in command.get_arguments() {
            into.extend(argument.get_long().map(str::to_owned));
            into.extend(argument.get_all_aliases().into_iter().flatten().map(str::to_owned));
        }
        for inner in command.get_subcommands() {
            collect(inner, into);
        }
    }
    let mut command = Cli::command();
    command.build();
    let mut own = Vec::new();
    collect(&command, &mut own);
    own.sort();
    own.dedup();
    let mut listed = OWN.map(str::to_owned).to_vec();
    listed.sort();
    assert_eq!(listed, own);
}

fn word() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec!["a", "no-a", "b", "no-b", "c"]);
    prop_oneof![
        3 => name.clone().prop_map(|n| format!("--{n}")),
        2 => name.prop_map(|n| format!("--{n}=true")),
        2 => prop::sample::select(vec!["x", "-", "-c", "--other", "--other=1", ""]).prop_map(str::to_owned),
        1 => Just("--".to_owned()),
    ]
}

/// The flag a word sets, for one declaration of each name: its value, or `None` when the next word may be it.
fn meaning(word: &str, flags: &[Declared]) -> Option<(String, Option<Value>)> {
    let body = word.strip_prefix("--")?;
    let (name, value) = body.split_once('=').map_or((body, None), |(n, v)| (n, Some(v)));
    if let Some(flag) = flags.iter().find(|f| &*f.name == name) {
        return Some(match (flag.kind, value) {
            (FlagKind::Boolean, value) => (name.into(), Some((value != Some("false")).into())),
            (FlagKind::String, Some(value)) => (name.into(), Some(value.into())),
            (FlagKind::String, None) => (name.into(), None),
        });
    }
    let name = name.strip_prefix("no-").filter(|_| value.is_none())?;
    flags.iter().find(|f| &*f.name == name && f.kind == FlagKind::Boolean)?;
    Some((name.into(), Some(false.into())))
}

proptest! {
    #![proptest_config(strategies::cases())]

    #[test]
    fn x7_flags_last_wins_dashes_stop_and_nothing_typed_is_left(
        words in vec(word(), 0..10),
        kinds in vec((prop::sample::select(vec!["a", "b", "no-b", "c"]), any::<bool>()), 0..4),
    ) {
        let mut flags: Vec<Declared> = Vec::new();
        for (name, text) in kinds {
            if flags.iter().all(|f| &*f.name != name) {
                let kind = if text { FlagKind::String } else { FlagKind::Boolean };
                flags.push(Declared { extension: Arc::from("x"), name: name.into(), kind });
            }
        }
        let parsed = parse(&words, &flags).unwrap();
        let left = parsed.strip(&words);
        // Read one word after another, the slow way.
        let (mut expected, mut kept, mut at) = (serde_json::Map::new(), Vec::new(), 0);
        let end = words.iter().position(|w| w == "--").unwrap_or(words.len());
        while at < end {
            match meaning(&words[at], &flags) {
                None => kept.push(words[at].clone()),
                Some((name, Some(value))) => {
                    expected.insert(name, value);
                }
                Some((name, None)) => match words.get(at + 1).filter(|w| !w.starts_with('-')) {
                    Some(value) => {
                        expected.insert(name, value.as_str().into());
                        at += 1;
                    }
                    None => {
                        expected.insert(name, Value::Null);
                    }
                },
            }
            at += 1;
        }
        kept.extend_from_slice(&words[end..]);
        prop_assert_eq!(&parsed.values, &expected);
        prop_assert_eq!(&left, &kept);
        // What is left names no typed flag, and what is behind the dashes is as it was.
        let before = left.iter().position(|w| w == "--").unwrap_or(left.len());
        prop_assert!(left[..before].iter().all(|w| meaning(w, &flags).is_none()));
        prop_assert_eq!(&left[before..], &words[end..]);
    }
}
