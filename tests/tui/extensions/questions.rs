//! The four questions: one queue with `e`'s own, each request answered exactly once, no draft lost.

use std::collections::BTreeMap;

use e::model::ask::UiAsk;
use e::model::effect::{Effect, TermFx};
use e::model::ext::Debt;
use e::model::msg::FilesMsg;
use e::model::tui::modal::Owner;
use e::model::wire::ext::Reply;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::Room;

fn params(kind: u8, serial: usize) -> (&'static str, Value) {
    let title = serial.to_string();
    match kind {
        0 => ("ui.select", json!({"title": title, "options": ["red", {"label": "blue", "value": 7}]})),
        1 => ("ui.confirm", json!({"title": title, "message": "really?"})),
        2 => ("ui.input", json!({"title": title, "prefill": "x", "secret": serial.is_multiple_of(2)})),
        _ => ("ui.editor", json!({"title": title, "text": "a\nb"})),
    }
}

#[derive(Debug, Clone)]
enum Step {
    Ask { ext: u64, kind: u8 },
    Key(&'static str),
    Own,
    Withdraw(u64),
    Gone(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let keys = vec!["enter", "esc", "ctrl+c", "a", "down", "/", "ctrl+o", "backspace", "ctrl+k", "y"];
    prop_oneof![
        4 => (0u64..3, 0u8..4).prop_map(|(ext, kind)| Step::Ask { ext, kind }),
        8 => prop::sample::select(keys).prop_map(Step::Key),
        1 => Just(Step::Own),
        1 => (0u64..3).prop_map(Step::Withdraw),
        1 => (0u64..3).prop_map(Step::Gone),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn m1_m2_m3_m5_m7_extensions_questions_in_one_queue(steps in prop::collection::vec(step(), 1..60)) {
        let mut room = Room::new(80, 24);
        room.stage.typed("half a draft");
        // Still owed, in the order of asking; and how each ended.
        let mut owed: Vec<Debt> = Vec::new();
        let mut ended: BTreeMap<Debt, usize> = BTreeMap::new();
        for (serial, step) in steps.into_iter().enumerate() {
            let open = room.stage.tui.modals.open().map(|m| m.title.to_string());
            let draft = room.stage.draft().to_owned();
            let answers = room.replies().len();
            match step {
                Step::Ask { ext, kind } => {
                    let (method, params) = params(kind, serial);
                    owed.push(room.ask(ext, method, &params));
                }
                Step::Key(key) => { room.stage.keys(key); }
                Step::Own => { room.stage.ui(UiAsk::Theme); }
                Step::Withdraw(ext) => {
                    let (gone, kept) = owed.iter().partition(|debt| debt.ext.0 == ext);
                    owed = kept;
                    room.withdraw(&gone);
                    gone.iter().for_each(|debt| *ended.entry(*debt).or_default() += 1);
                }
                Step::Gone(ext) => {
                    let (gone, kept): (Vec<Debt>, Vec<Debt>) = owed.iter().partition(|debt| debt.ext.0 == ext);
                    owed = kept;
                    room.gone(ext);
                    gone.iter().for_each(|debt| *ended.entry(*debt).or_default() += 1);
                }
            }
            for (debt, _) in room.replies().split_off(answers) {
                *ended.entry(debt).or_default() += 1;
                // The one that was open is the oldest that was owed.
                prop_assert_eq!(owed.first(), Some(&debt));
                owed.remove(0);
            }
            let tui = &room.stage.tui;
            let now = tui.modals.open().map(|m| m.title.to_string());
            if now.is_some() && now != open {
                prop_assert!(tui.picker.is_none() && tui.reader.is_none());
            }
            if open.is_some() && now.is_some() {
                prop_assert_eq!(room.stage.draft(), draft.as_str());
            }
            if let Some(Owner::Ext(debt)) = tui.modals.open().map(|m| m.owner.clone()) {
                prop_assert_eq!(owed.first(), Some(&debt));
            }
        }
        prop_assert!(ended.values().all(|count| *count == 1));
        room.withdraw(&owed);
        prop_assert!(room.stage.tui.modals.withdraw(|owner| matches!(owner, Owner::Ext(_))).is_empty());
    }

    #[test]
    fn k11_a_secret_of_an_extension_is_only_in_its_answer(typed in "[a-zA-Z0-9]{12,30}") {
        let mut room = Room::new(80, 24);
        room.stage.typed("draft");
        let debt = room.ask(1, "ui.input", &json!({"title": "token", "secret": true}));
        room.stage.effects.clear();
        room.stage.typed(&typed).keys("ctrl+u ctrl+y ctrl+_");
        room.stage.fire(e::model::tui::Due::KeepDraft);
        let leaks = format!("{:?} {:?} {:?}", room.stage.tui, room.stage.effects, room.stage.asks).contains(&typed);
        prop_assert!(!leaks);
        prop_assert!(room.stage.tui.composer.kills.ring.is_empty() && room.stage.tui.composer.stash.is_empty());
        room.stage.keys("enter");
        prop_assert_eq!(room.reply(debt), Some(Reply::Text(typed.into())));
        room.stage.keys("ctrl+_ ctrl+y");
        let tui = format!("{:?}", room.stage.tui);
        prop_assert!(!tui.contains("Text("));
    }
}

#[test]
fn a_select_answers_value_and_label() {
    let mut room = Room::new(80, 24);
    let options =
        json!(["red", {"label": "blue", "value": {"n": 1}}, {"label": "green", "description": "calm"}]);
    let debt = room.ask(1, "ui.select", &json!({"options": options}));
    assert_eq!(room.title().as_deref(), Some("Choose"));
    room.stage.typed("calm").keys("enter");
    assert_eq!(room.reply(debt), Some(Reply::Chosen { value: "green".into(), label: "green".into() }));
    let debt = room.ask(1, "ui.select", &json!({"options": options}));
    room.stage.keys("up up enter");
    assert_eq!(room.reply(debt), Some(Reply::Chosen { value: "{\"n\":1}".into(), label: "blue".into() }));
    let debt = room.ask(1, "ui.select", &json!({"options": options}));
    room.stage.typed("nothing like it").keys("enter");
    assert_eq!(room.reply(debt), Some(Reply::Cancelled));
}

#[test]
fn a_confirm_is_always_confirmed_or_not() {
    for (keys, yes) in
        [("enter", true), ("down enter", false), ("esc", false), ("ctrl+c", false), ("n", false), ("y", true)]
    {
        let mut room = Room::new(80, 24);
        let debt = room.ask(1, "ui.confirm", &json!({"title": "Sure?"}));
        room.stage.keys(keys);
        assert_eq!(room.reply(debt), Some(Reply::Confirmed(yes)), "{keys}");
    }
}

#[test]
fn an_input_answers_as_typed_and_a_secret_may_have_blanks() {
    let mut room = Room::new(80, 24);
    let debt = room.ask(1, "ui.input", &json!({"title": "Name", "prefill": " a"}));
    room.stage.typed("b ").keys("enter");
    assert_eq!(room.reply(debt), Some(Reply::Text(" ab ".into())));
    let debt = room.ask(1, "ui.input", &json!({"secret": true}));
    room.stage.typed("two words").paste("\n").keys("enter");
    assert_eq!(room.reply(debt), Some(Reply::Text("two words".into())));
    let debt = room.ask(1, "ui.input", &json!({}));
    room.stage.keys("enter");
    assert_eq!(room.reply(debt), Some(Reply::Text("".into())));
    let debt = room.ask(1, "ui.input", &json!({}));
    room.stage.keys("esc");
    assert_eq!(room.reply(debt), Some(Reply::Cancelled));
}

#[test]
fn an_editor_breaks_lines_and_lends_the_terminal_to_another_one() {
    let mut room = Room::new(80, 24);
    let debt = room.ask(1, "ui.editor", &json!({"text": "one"}));
    room.stage.keys("shift+enter").typed("two").keys("ctrl+g");
    let lent = room.stage.effects.iter().rev().find_map(|effect| match effect {
        Effect::Term(TermFx::Editor { ticket, text, .. }) => Some((*ticket, text.clone())),
        _ => None,
    });
    let (ticket, text) = lent.unwrap();
    assert_eq!(&*text, "one\ntwo");
    room.stage.files(ticket, FilesMsg::Edited("three\nfour\n".into())).keys("enter");
    assert_eq!(room.reply(debt), Some(Reply::Text("three\nfour".into())));
}

#[test]
fn what_the_editor_brings_back_reaches_no_other_question() {
    let mut room = Room::new(80, 24);
    let first = room.ask(1, "ui.editor", &json!({"text": "one"}));
    let second = room.ask(2, "ui.editor", &json!({"text": "other"}));
    room.stage.keys("ctrl+g");
    let ticket = room.stage.effects.iter().rev().find_map(|effect| match effect {
        Effect::Term(TermFx::Editor { ticket, .. }) => Some(*ticket),
        _ => None,
    });
    room.withdraw(&[first]);
    room.stage.files(ticket.unwrap(), FilesMsg::Edited("mine".into())).keys("enter");
    assert_eq!(room.reply(second), Some(Reply::Text("other".into())));
}

#[test]
fn a_draft_comes_back_as_it_was_and_can_still_be_undone() {
    let mut room = Room::new(80, 24);
    room.stage.typed("one two").keys("left left shift+left");
    let before = room.stage.tui.composer.draft.clone();
    let _debt = room.ask(1, "ui.input", &json!({"title": "x"}));
    room.stage.typed("something else").keys("ctrl+u esc");
    assert_eq!(room.stage.tui.composer.draft, before);
    room.stage.keys("ctrl+_");
    assert_ne!(room.stage.draft(), "one two");
}

#[test]
fn compose_fails_while_a_question_is_open_and_undo_brings_the_draft_back() {
    let mut room = Room::new(80, 24);
    room.stage.typed("mine");
    let question = room.ask(1, "ui.confirm", &json!({"title": "Sure?"}));
    let refused = room.ask(2, "ui.compose", &json!({"text": "theirs"}));
    assert!(matches!(room.reply(refused), Some(Reply::Error(_))));
    room.stage.keys("esc");
    assert_eq!(room.reply(question), Some(Reply::Confirmed(false)));
    let done = room.ask(2, "ui.compose", &json!({"text": "/he"}));
    assert_eq!((room.reply(done), room.stage.draft()), (Some(Reply::Done), "/he"));
    assert!(room.stage.tui.picker.is_some(), "as if typed");
    room.stage.keys("esc ctrl+_");
    assert_eq!(room.stage.draft(), "mine");
    // A key that is being entered is a question too.
    room.stage.keys("ctrl+u").paste("sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789");
    let refused = room.ask(2, "ui.compose", &json!({"text": "theirs"}));
    assert!(matches!(room.reply(refused), Some(Reply::Error(_))));
}
