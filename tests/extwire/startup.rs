//! The startup chain: rewrites go on, a relaunch ends it, a failure ends the launch.

use std::sync::Arc;

use e::model::ext::startup::{RELAUNCHES, Startup, Step};
use e::model::id::ExtId;
use e::model::wire::ext::Call;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::strategies;

fn chain(argv: &[&str], behind: u32, count: u64) -> Startup {
    let flags = Arc::new(Map::from_iter([("plan".to_owned(), Value::from(true))]));
    Startup::new(
        "/work".into(),
        argv.iter().map(|w| (*w).into()).collect(),
        flags,
        behind,
        (0..count).map(ExtId),
    )
}

/// Whom the next step asks, and with which arguments.
fn asked(chain: &mut Startup) -> (u64, String) {
    match chain.step() {
        Step::Ask(ext, Call::Startup { cwd, argv, flags }) => {
            assert_eq!((&*cwd, &flags["plan"]), ("/work", &Value::from(true)));
            (ext.0, argv.join(" "))
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_hook_gets_the_arguments_as_the_one_before_left_them() {
    let mut chain = chain(&["--plan", "x"], 0, 3);
    assert_eq!(asked(&mut chain), (0, "--plan x".into()));
    let env = chain.answer("a", Ok(&json!({"argv": ["-c"], "env": {"A": "1", "B": null}}))).unwrap();
    assert_eq!(env, [("A".into(), Some("1".into())), ("B".into(), None)]);
    assert_eq!(asked(&mut chain), (1, "-c".into()));
    assert_eq!(chain.answer("b", Ok(&json!({}))), Ok(Vec::new()));
    assert_eq!(asked(&mut chain), (2, "-c".into()));
    chain.answer("c", Ok(&json!({"argv": []}))).unwrap();
    assert_eq!(chain.step(), Step::Done);
    assert!(chain.argv.is_empty());
}

#[test]
fn the_first_relaunch_ends_the_chain() {
    for (cwd, expected) in [("/other", "/other"), ("../app", "/work/../app")] {
        let mut chain = chain(&["x"], RELAUNCHES - 1, 2);
        asked(&mut chain);
        let answer = json!({"argv": ["y"], "env": {"A": "1"}, "relaunch": {"cwd": cwd, "env": {"B": "2"}}});
        assert_eq!(chain.answer("a", Ok(&answer)).unwrap().len(), 1);
        let Step::Relaunch(relaunch) = chain.step() else { panic!() };
        assert_eq!((&*relaunch.cwd, relaunch.env), (expected, vec![("B".into(), Some("2".into()))]));
        assert_eq!((chain.argv.join(" "), chain.step()), ("y".into(), Step::Done), "nobody else is asked");
    }
}

#[test]
fn the_ninth_relaunch_in_a_row_is_refused() {
    let mut chain = chain(&[], RELAUNCHES, 1);
    asked(&mut chain);
    let why = chain.answer("router.mjs", Ok(&json!({"relaunch": {"cwd": "/x"}}))).unwrap_err();
    assert!(why.starts_with("extension router.mjs: ") && why.contains("8 in a row"), "{why}");
}

proptest! {
    #![proptest_config(strategies::cases())]

    #[test]
    fn x6_a_startup_hook_that_fails_stops_the_launch(
        before in vec(Just(json!({"argv": ["x"]})), 0..3),
        failure in prop_oneof![
            strategies::text().prop_map(Err),
            strategies::value().prop_filter("an object may be good", |v| !v.is_object()).prop_map(Ok),
            Just(Ok(json!({"argv": [1]}))),
            Just(Ok(json!({"env": {"A=B": "x"}}))),
            Just(Ok(json!({"relaunch": {"cwd": " "}}))),
        ],
    ) {
        let mut chain = chain(&["--plan"], 0, 4);
        for good in &before {
            asked(&mut chain);
            prop_assert!(chain.answer("good", Ok(good)).is_ok());
        }
        asked(&mut chain);
        let argv = chain.argv.clone();
        let why = chain.answer("bad.mjs", failure.as_ref().map_err(String::as_str)).unwrap_err();
        prop_assert!(why.starts_with("extension bad.mjs: ") && !why.contains(char::is_control));
        prop_assert_eq!(&chain.argv, &argv);
    }
}
