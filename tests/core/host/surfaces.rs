//! What extensions put on the screen, through the whole core: from a line of theirs to the line that answers it.

use serde_json::{Value, json};

use e::model::ask::{Ask, SessionAsk};
use e::model::effect::Effect;
use e::model::ext::world::{ExtFx, ExtMsg, Over};
use e::model::msg::Msg;
use e::model::provider::{Stop, StreamMsg};
use e::model::tui::picker::PickerKind;
use e::model::tui::slots::Place;
use proptest::prelude::*;

use super::play::Play;

fn commands(name: &str, names: &[&str]) -> Value {
    let list: Vec<Value> = names.iter().map(|name| json!({"name": name, "completions": true})).collect();
    json!({"name": name, "commands": list})
}

#[test]
fn a_typed_line_finds_an_extension_s_command_by_every_name_it_has() {
    let all = [commands("one", &["ping", "@me:do"]), commands("two words", &["ping", "model"])];
    let cases = [
        ("/ping", 0, "ping", ""),
        ("/ping  a  b ", 0, "ping", " a  b"),
        ("/one:ping x", 0, "ping", "x"),
        ("/two-words:ping", 1, "ping", ""),
        ("/two-words:model m", 1, "model", "m"),
        ("/@me:do it", 0, "@me:do", "it"),
    ];
    for (line, ext, name, args) in cases {
        let mut p = Play::ready(&all);
        p.line(line);
        assert_eq!(p.asked(ext, "command"), json!({"name": name, "args": args}), "{line}");
        assert!(p.requests.is_empty(), "{line}");
    }
    // A path is words, and what is nothing is told with what is near.
    let mut p = Play::ready(&all);
    p.line("/usr/bin/env is missing");
    assert!(p.said_to_model("/usr/bin/env"));
    let mut p = Play::ready(&all);
    p.line("/pign");
    assert!(p.notices().iter().any(|n| n.contains("Did you mean /ping?")), "{:?}", p.notices());
}

#[test]
fn under_p_a_command_runs_and_a_built_in_is_status_2() {
    let ext = [commands("one", &["ping"])];
    let mut p = Play::print("/ping x", &ext);
    assert_eq!(p.asked(0, "command"), json!({"name": "ping", "args": "x"}));
    assert_eq!(p.exit, None);
    p.answer(0, "command", json!({"notice": "pong", "show": {"title": "T", "body": "shown"}}));
    assert_eq!(p.exit, Some(0));
    let (to_out, to_err) = p.written();
    assert!(to_out.contains("T\nshown\n") && to_err.contains("pong"), "{to_out} {to_err}");
    let mut p = Play::print("/ping x", &ext);
    p.answer(0, "command", json!({"prompt": "do it"}));
    assert!(p.said_to_model("do it"));
    p.stream(StreamMsg::Text("done".into()));
    p.stream(StreamMsg::Done(Stop::End));
    assert_eq!(p.exit, Some(0));
    let mut p = Play::print("/ping x", &ext);
    p.reply_raw(0, "command", json!({"error": "no"}));
    assert_eq!(p.exit, Some(1));
    assert!(p.written().1.contains("/ping: no"));
    assert_eq!(Play::print("/model x", &ext).exit, Some(2));
    assert!(Play::print("/nothing", &ext).said_to_model("/nothing"));
}

#[test]
fn completions_go_there_and_back() {
    let mut p = Play::ready(&[commands("one", &["ship"])]);
    p.typed("/ship st");
    assert_eq!(p.asked(0, "command.complete"), json!({"name": "ship", "prefix": "st"}));
    p.answer(0, "command.complete", json!({"items": [{"value": "staging"}]}));
    assert_eq!(p.tui().picker.as_ref().map(|picker| picker.kind), Some(PickerKind::Completions));
    p.keys("tab");
    assert_eq!(p.tui().composer.draft.text(), "/ship staging ");
    assert_eq!(p.asked(0, "command.complete")["prefix"], "");
    p.pass(3_000);
    assert!(p.tui().picker.is_none());
}

#[test]
fn a_panel_hears_keys_and_a_shortcut_is_asked() {
    let mut p =
        Play::ready(&[json!({"name": "a", "shortcuts": [{"key": "ctrl+alt+g"}]}), json!({"name": "b"})]);
    p.keys("ctrl+alt+g");
    assert_eq!(p.asked(0, "shortcut"), json!({"key": "ctrl+alt+g"}));
    p.answer(0, "shortcut", json!({"notice": "hello"}));
    assert!(p.notices().contains(&"hello".to_owned()));
    let panel = json!({"title": "T", "lines": ["x"], "interactive": true});
    p.say(0, json!({"id": 1, "method": "ui.panel", "params": panel}));
    assert_eq!(p.replies(0, 1), [json!({})]);
    p.keys("down ctrl+o ctrl+alt+g");
    let keys = p.sent(0).into_iter().filter(|l| l["method"] == "ui.key").map(|l| l["params"]["key"].clone());
    assert_eq!(keys.collect::<Vec<_>>(), ["down", "ctrl+o", "ctrl+alt+g"]);
    p.say(1, json!({"id": 1, "method": "ui.panel", "params": {"lines": []}}));
    assert_eq!(p.note(0, "ui.panel_closed"), Some(json!({})));
    p.keys("esc");
    assert_eq!(p.note(1, "ui.panel_closed"), Some(json!({})));
}

#[test]
fn a_reply_is_shown_as_an_extension_would_have_it() {
    let mut p = Play::ready(&[json!({"name": "a", "hooks": ["render"], "renders": ["assistant"]})]);
    p.line("hi");
    p.stream(StreamMsg::Text("one\n\ntwo\n\nthree".into()));
    p.stream(StreamMsg::Done(Stop::End));
    let asked = json!({"kind": "assistant", "name": "", "content": "one\n\ntwo\n\nthree"});
    assert_eq!(p.asked(0, "hook.render"), asked);
    p.answer(0, "hook.render", json!({"body": "**made up**", "format": "markdown"}));
    let blocks = format!("{:?}", p.tui().transcript.blocks());
    assert!(blocks.contains("made up") && !blocks.contains("three"), "{blocks}");
    assert!(p.said_in_tree("three") && !p.said_in_tree("made up"), "on the screen alone");
}

#[test]
fn what_a_process_shows_goes_with_it_and_stays_over_a_new_conversation() {
    for (end, stays) in [("/new", true), ("death", false), ("/reload", false)] {
        let mut p = Play::ready(&[json!({"name": "a"})]);
        p.say(0, json!({"id": 1, "method": "ui.status", "params": {"text": "s"}}));
        p.say(0, json!({"id": 2, "method": "ui.activity", "params": {"text": "a", "key": "k"}}));
        p.say(0, json!({"id": 3, "method": "ui.widget", "params": {"lines": ["w"]}}));
        p.say(0, json!({"id": 4, "method": "ui.panel", "params": {"lines": ["p"]}}));
        match end {
            "death" => p.over(0, Over::Exited(None)),
            "/reload" => p.reload(),
            line => p.line(line),
        }
        let tui = p.tui();
        let shown = [
            tui.slots.joined(Place::Status, None) == "s",
            tui.slots.joined(Place::Activity, None) == "a",
            tui.widgets.height() == 1,
            tui.panel.is_some(),
        ];
        assert_eq!(shown, [stays; 4], "{end}");
    }
}

#[test]
fn the_page_of_the_extensions_is_measured_and_shown() {
    let mut p = Play::ready(&[json!({"name": "a"})]);
    p.line("/extensions");
    let ticket = p.effects.iter().rev().find_map(|effect| match effect {
        Effect::Ext(ExtFx::Measure { ticket }) => Some(*ticket),
        _ => None,
    });
    p.give(Msg::Ext(ExtMsg::Measured { ticket: ticket.unwrap(), traffic: Vec::new() }));
    assert!(p.tui().reader.is_some());
    p.keys("d y");
    assert!(p.effects.iter().any(|e| matches!(e, Effect::Ext(ExtFx::Shutdown { .. }))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn m5_m6_no_question_outlives_its_process_its_conversation_or_e(
        asked in prop::collection::vec((0usize..3, 0u8..4), 0..20), answered in 0usize..6, end in 0u8..5
    ) {
        let mut p = Play::ready(&[json!({"name": "a"}), json!({"name": "b"}), json!({"name": "c"})]);
        for (at, (ext, kind)) in asked.iter().enumerate() {
            let (method, params) = match kind {
                0 => ("ui.select", json!({"options": ["x"]})),
                1 => ("ui.confirm", json!({"title": "?"})),
                2 => ("ui.input", json!({"secret": true})),
                _ => ("ui.editor", json!({})),
            };
            p.say(*ext, json!({"id": at, "method": method, "params": params}));
        }
        for _ in 0..answered.min(asked.len()) {
            p.answer_modal();
        }
        let session = p.model().sessions.front;
        match end {
            0 => p.reload(),
            1 => p.give_ask(Ask::Session(session, SessionAsk::New)),
            2 => p.give_ask(Ask::Exit(0)),
            3 => p.over(0, Over::Exited(None)),
            _ => p.restart(1),
        }
        for (at, (ext, _)) in asked.iter().enumerate() {
            let count = p.replies(*ext, at).len() + p.errors(*ext, at).len();
            let done = at < answered;
            let gone = match end {
                0..=2 => true,
                // Nobody is left to be told.
                3 => *ext != 0 && done,
                _ => *ext == 1 || done,
            };
            prop_assert_eq!(count, usize::from(gone || done), "{} of {}", at, ext);
            prop_assert!(p.replies(*ext, at).is_empty() || done);
        }
        let left = asked.iter().skip(answered).filter(|(ext, _)| match end {
            0..=2 => false,
            3 => *ext != 0,
            _ => *ext != 1,
        }).count();
        let modals = &p.tui().modals;
        prop_assert_eq!(usize::from(modals.open().is_some()) + modals.waiting(), left);
    }
}
