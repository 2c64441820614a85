//! G73: the accessible look on its own. Whatever happens, what is written is whole lines of clean text, every question is
//! answered once by typed lines, and no timer is set.

use std::collections::BTreeMap;

use e::model::effect::{Effect, TermFx, TimerFx};
use e::model::ext::Debt;
use e::model::fact::{Fact, TextFact};
use e::model::msg::Signal;
use e::model::session::notice::{Notice, Tone};
use e::model::term::TermMsg;
use e::model::tool::Outcome;
use e::model::tui::modal::Owner;
use e::model::wire::ext::Reply;
use e::update::tui as front;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::Room;
use crate::tui::stage::{self, ME};

fn room() -> Room {
    let mut room = Room::new(80, 24);
    room.stage.tui.lines = Some(Box::default());
    room.stage.catalog.loaded = true;
    rest(&mut room);
    room
}

fn rest(room: &mut Room) {
    room.stage.run(|tui, sessions, cx, out| front::rest(tui, sessions, cx, out));
}

fn line(room: &mut Room, text: &str) {
    room.stage.term(TermMsg::Line(text.to_owned()));
    rest(room);
}

fn written(room: &Room) -> Vec<String> {
    let text = |effect: &Effect| if let Effect::Out(text) = effect { Some(text.to_string()) } else { None };
    room.stage.effects.iter().filter_map(text).collect()
}

#[derive(Debug, Clone)]
enum Step {
    Fact(Fact),
    Ask { ext: u64, method: &'static str, params: Value },
    Gone(u64),
    Line(String),
    Interrupt,
    Page(bool),
    Busy(bool),
}

fn raw() -> impl Strategy<Value = String> {
    "([a-zA-Z0-9 .\n\t*`-]|\u{1b}\\[[0-9]*[a-zA-Z]|\u{1b}\\]0;x\u{7}|\r|\u{8}|\u{202e}|é|界|\u{9b}31m){0,30}"
}

fn fact() -> impl Strategy<Value = Fact> {
    prop_oneof![
        raw().prop_map(|t| stage::began(&t)),
        any::<bool>().prop_map(stage::ended),
        raw().prop_map(|t| stage::text(&t)),
        raw().prop_map(|t| stage::reasoning(&t)),
        Just(stage::committed()),
        Just(Fact::Text(ME, TextFact::Dropped)),
        (0u64..3).prop_map(|id| stage::batch(&[id])),
        (0u64..3).prop_map(stage::call_start),
        (0u64..3, raw()).prop_map(|(id, t)| stage::call_output(id, &t)),
        (0u64..3, any::<bool>(), raw()).prop_map(|(id, well, t)| {
            stage::call_end(id, if well { Outcome::Completed } else { Outcome::Failed }, &t)
        }),
        (raw(), any::<bool>()).prop_map(|(text, transient)| {
            Fact::Notice(Notice { tone: Tone::Warning, text: text.into(), transient })
        }),
        Just(stage::opened(Vec::new())),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let typed =
        prop::sample::select(vec!["", "1", "2", "y", "no", "red", "e", "words", "more \\", "9", "/x"]);
    let ask = (0u64..3, 0u8..9, raw()).prop_map(|(ext, kind, t)| {
        let (method, params) = match kind {
            0 => ("ui.select", json!({"title": t, "options": ["red", {"label": "blue", "value": 7}]})),
            1 => ("ui.confirm", json!({"title": t, "message": "really?"})),
            2 => ("ui.input", json!({"title": t, "prefill": "x"})),
            3 => ("ui.input", json!({"title": t, "secret": true})),
            4 => ("ui.editor", json!({"title": t, "text": "a\nb"})),
            5 => ("ui.notify", json!({"message": t})),
            6 => ("ui.show", json!({"title": "t", "body": t})),
            7 => ("ui.status", json!({"text": t})),
            _ => ("ui.widget", json!({"lines": ["a"]})),
        };
        Step::Ask { ext, method, params }
    });
    prop_oneof![
        8 => fact().prop_map(Step::Fact),
        4 => ask,
        8 => typed.prop_map(|t| Step::Line(t.to_owned())),
        1 => (0u64..3).prop_map(Step::Gone),
        1 => Just(Step::Interrupt),
        1 => any::<bool>().prop_map(Step::Page),
        1 => any::<bool>().prop_map(Step::Busy),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn g73_what_is_written_is_whole_lines(steps in prop::collection::vec(step(), 1..50)) {
        let mut room = room();
        let mut owed: Vec<Debt> = Vec::new();
        let mut ended: BTreeMap<Debt, usize> = BTreeMap::new();
        // The row that the cursor is on has something on it.
        let mut open = true;
        for step in steps {
            room.stage.effects.clear();
            let answers = room.replies().len();
            match step {
                Step::Fact(fact) => { room.stage.fact(&fact); }
                Step::Ask { ext, method, params } => owed.push(room.ask(ext, method, &params)),
                Step::Gone(ext) => {
                    room.gone(ext);
                    owed.retain(|debt| debt.ext.0 != ext);
                }
                Step::Line(text) => {
                    room.stage.term(TermMsg::Line(text));
                    open = false;
                }
                Step::Interrupt => {
                    room.stage.run(|tui, s, cx, out| front::signal(tui, Signal::Interrupt, s, cx, out));
                    open = true;
                }
                Step::Page(help) => {
                    use e::model::ask::UiAsk;
                    room.stage.ui(if help { UiAsk::Help } else { UiAsk::Theme });
                }
                Step::Busy(busy) => { room.stage.busy(busy); }
            }
            rest(&mut room);
            for text in written(&room) {
                prop_assert!(!text.chars().any(|c| c.is_control() && c != '\n' && c != '\t'), "{:?}", text);
                prop_assert!(!text.contains("\u{202e}"), "{:?}", text);
                prop_assert!(!open || text.starts_with('\n'), "on a row that is not ended: {:?}", text);
                open = !text.ends_with('\n');
                prop_assert!(!open || text == "> ", "half a line: {:?}", text);
            }
            let screen = room.stage.effects.iter().find(|effect| match effect {
                Effect::Term(fx) => !matches!(fx, TermFx::Echo(_)),
                Effect::Timer(fx) => matches!(fx, TimerFx::Set { .. }),
                _ => false,
            });
            prop_assert_eq!(screen, None);
            for (debt, _) in room.replies().split_off(answers) {
                *ended.entry(debt).or_default() += 1;
                owed.retain(|other| *other != debt);
            }
            if let Some(Owner::Ext(debt)) = room.stage.tui.modals.open().map(|m| m.owner.clone()) {
                prop_assert!(owed.contains(&debt));
            }
        }
        prop_assert!(ended.values().all(|count| *count == 1));
        // Those that are left are questions of the living, and each can be answered.
        for _ in 0..owed.len() {
            let before = room.replies().len();
            for _ in 0..40 {
                if room.stage.tui.modals.open().is_none() || room.replies().len() > before { break }
                line(&mut room, "");
            }
        }
    }

    /// However a reply is cut, its lines are the same, each once.
    #[test]
    fn g73_a_reply_is_its_lines_however_it_arrives(reply in raw(), cuts in prop::collection::vec(0usize..60, 0..6)) {
        let speak = |cuts: &[usize]| {
            let mut room = room();
            room.stage.effects.clear();
            let mut rest: &str = &reply;
            for cut in cuts {
                let at = (0..=*cut.min(&rest.len())).rev().find(|at| rest.is_char_boundary(*at)).unwrap_or(0);
                room.stage.fact(&stage::text(&rest[..at]));
                rest = &rest[at..];
            }
            room.stage.fact(&stage::text(rest)).fact(&stage::committed());
            written(&room).concat()
        };
        let (whole, cut) = (speak(&[]), speak(&cuts));
        prop_assert_eq!(&whole, &cut);
        let clean = e::model::text::clean::Clean::vanish(&reply);
        let said: Vec<&str> = whole.lines().filter(|line| !line.trim().is_empty()).collect();
        let meant: Vec<&str> =
            clean.as_str().lines().map(str::trim_end).filter(|line| !line.trim().is_empty()).collect();
        prop_assert_eq!(said, meant);
    }
}

#[test]
fn choices_are_numbers_names_or_parts_and_surfaces_of_a_screen_are_refused() {
    let mut room = room();
    let options = json!(["red", {"label": "blue", "value": {"n": 1}}, {"label": "blue green"}]);
    let select = |room: &mut Room| {
        let debt = room.ask(1, "ui.select", &json!({"title": "Colour", "options": options}));
        rest(room);
        debt
    };
    let debt = select(&mut room);
    let text = written(&room).concat();
    assert!(
        text.contains("Question of the extension ext1: Colour\n1. red\n2. blue\n3. blue green\n"),
        "{text}"
    );
    line(&mut room, "3");
    assert_eq!(
        room.reply(debt),
        Some(Reply::Chosen { value: "blue green".into(), label: "blue green".into() })
    );
    let debt = select(&mut room);
    line(&mut room, "BLUE");
    assert_eq!(room.reply(debt), Some(Reply::Chosen { value: "{\"n\":1}".into(), label: "blue".into() }));
    let debt = select(&mut room);
    room.stage.effects.clear();
    line(&mut room, "7");
    line(&mut room, "gre");
    let text = written(&room).concat();
    assert!(text.contains("There is no 7: the numbers go from 1 to 3."), "{text}");
    assert!(text.contains("What matches gre:\n1. "), "{text}");
    assert_eq!(room.reply(debt), None);
    line(&mut room, "");
    assert_eq!(room.reply(debt), Some(Reply::Cancelled));
    let debt = room.ask(1, "ui.editor", &json!({"title": "Text"}));
    rest(&mut room);
    line(&mut room, "one\\");
    line(&mut room, "two");
    assert_eq!(room.reply(debt), Some(Reply::Text("one\ntwo".into())));
    let debt = room.ask(1, "ui.confirm", &json!({"title": "Sure"}));
    rest(&mut room);
    line(&mut room, "perhaps");
    assert_eq!(room.reply(debt), None);
    line(&mut room, "Yes");
    assert_eq!(room.reply(debt), Some(Reply::Confirmed(true)));
    for (method, params) in [
        ("ui.status", json!({"text": "x"})),
        ("ui.activity", json!({"text": "x"})),
        ("ui.widget", json!({"lines": ["x"]})),
        ("ui.compose", json!({"text": "x"})),
    ] {
        let debt = room.ask(1, method, &params);
        assert_eq!(room.reply(debt), Some(Reply::no_ui()), "{method}");
    }
}

#[test]
fn a_secret_is_asked_for_without_echo_and_reaches_only_its_asker() {
    let mut room = room();
    let debt = room.ask(1, "ui.input", &json!({"title": "Token", "secret": true}));
    rest(&mut room);
    assert!(room.stage.effects.contains(&Effect::Term(TermFx::Echo(false))));
    line(&mut room, "very-secret-token");
    assert!(room.stage.effects.contains(&Effect::Term(TermFx::Echo(true))));
    assert_eq!(room.reply(debt), Some(Reply::Text("very-secret-token".into())));
    assert!(!written(&room).concat().contains("very-secret"));
    assert!(!format!("{:?}", room.stage.tui).contains("very-secret"));
}
