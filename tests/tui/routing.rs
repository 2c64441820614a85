//! Who gets a chord: exactly one owner, in the order of the table; the ladders of ctrl+c and esc.

use std::sync::Arc;

use e::model::ask::{Ask, SessionAsk, UiAsk};
use e::model::config::chord::{Chord, Key, Mods};
use e::model::config::keymap::{Action, Context, Keymap, parse, parse_over};
use e::model::effect::{Effect, TermFx};
use e::model::tui::Due;
use e::update::tui::route::{ModalOp, PickerOp, Route, route};
use proptest::prelude::*;

use super::stage::{ME, Stage};

pub fn chord() -> impl Strategy<Value = Chord> {
    let key = prop_oneof![
        any::<char>().prop_filter_map("a key", |c| Chord::typed(c).map(|c| c.key())),
        prop::sample::select(vec![
            Key::Enter,
            Key::Backspace,
            Key::Delete,
            Key::Insert,
            Key::Left,
            Key::Right,
            Key::Up,
            Key::Down,
            Key::Home,
            Key::End,
            Key::PageUp,
            Key::PageDown,
            Key::Tab,
            Key::Space,
            Key::Esc,
            Key::F(1),
            Key::F(12),
        ]),
        prop::char::range('a', 'z').prop_map(Key::Char),
    ];
    (key, any::<bool>(), any::<bool>(), any::<bool>())
        .prop_filter_map("a chord", |(key, ctrl, alt, shift)| Chord::new(Mods { ctrl, alt, shift }, key))
}

/// Every state there is, by what is in front.
fn state(n: u8) -> Stage {
    let mut stage = Stage::new(60, 20);
    match n {
        0 => {}
        1 => {
            stage.typed("some text");
        }
        2 => {
            stage.typed("/he");
        }
        3 => {
            stage.typed("@x");
        }
        4 => {
            stage.tui.composer.recall.entries = vec![Arc::from("old")];
            stage.keys("ctrl+r");
        }
        5 => {
            stage.keys("ctrl+o");
        }
        6 => {
            stage.keys("ctrl+o /");
        }
        7 => {
            stage.ui(UiAsk::Theme);
        }
        8 => {
            stage.paste("sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789");
        }
        9 => {
            stage.busy(true).ui(UiAsk::Quit);
        }
        10 => {
            stage.keys("ctrl+x");
        }
        _ => {
            stage.busy(true);
        }
    }
    stage
}

const STATES: u8 = 12;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn k1_k10_every_chord_has_one_owner_and_routing_reads_only(chord in chord(), n in 0..STATES) {
        let stage = state(n);
        let keymap = Keymap::default();
        let before = format!("{:?}", stage.tui);
        let first = route(&stage.tui, &keymap, &stage.registry, chord);
        prop_assert_eq!(first, route(&stage.tui, &keymap, &stage.registry, chord));
        prop_assert_eq!(before, format!("{:?}", stage.tui));
        let cancel = Chord::ctrl_letter('c');
        prop_assert_eq!(first == Route::Cancel, chord == cancel);
    }

    #[test]
    fn keys_in_any_order_break_nothing(presses in prop::collection::vec((chord(), 0u8..20), 1..40), n in 0..STATES) {
        let mut stage = state(n);
        for (chord, other) in presses {
            stage.term(e::model::term::TermMsg::Key(chord));
            match other {
                0 => { stage.paste("one\r\ntwo"); }
                1 => { stage.term(e::model::term::TermMsg::Resize(e::model::term::Size::new(7, 3))); }
                2 => { stage.fact(&super::stage::text("word\n\nmore ")); }
                3 => { stage.ui(UiAsk::Theme); }
                4 => { stage.typed("/"); }
                _ => {}
            }
            let draft = &stage.tui.composer.draft;
            prop_assert!(draft.units().map(|u| u.end).chain([0]).any(|end| end == draft.cursor()));
            prop_assert!(stage.tui.modals.open().is_none() || stage.tui.picker.is_none(), "M7");
        }
    }

    #[test]
    fn k9_every_binding_can_be_written_down_and_read_back(n in 0usize..60) {
        let keymap = Keymap::default();
        let all: Vec<(Chord, Action)> = keymap.composer().collect();
        let (chord, action) = all[n % all.len()];
        let name = chord.to_string();
        prop_assert_eq!(name.parse::<Chord>().unwrap(), chord);
        let free = parse("keybindings.json", &format!("{{{name:?}: \"NONE\"}}"));
        prop_assert_eq!(free.1, vec![]);
        prop_assert!(free.0.action(chord).is_none_or(|(a, select)| a != action || select));
        let (again, complaints) = parse("keybindings.json", &format!("{{{name:?}: {:?}}}", action.name()));
        prop_assert!(complaints.is_empty());
        prop_assert_eq!(again, keymap);
    }
}

#[test]
fn k5_reserved_chords_cannot_be_declared() {
    for chord in e::model::config::chord::RESERVED {
        assert!(Chord::for_extension(&chord.to_string()).is_err());
    }
}

#[test]
fn chords_match_exactly() {
    let keymap = Keymap::default();
    for chord in ["ctrl+alt+g", "ctrl+alt+k", "alt+shift+enter", "shift+escape"] {
        assert_eq!(keymap.action(chord.parse().unwrap()), None, "{chord}");
    }
    assert_eq!(keymap.action("shift+left".parse().unwrap()), Some((Action::Left, true)));
    assert_eq!(keymap.action("ctrl+shift+left".parse().unwrap()), Some((Action::WordLeft, true)));
}

#[test]
fn ctrl_c_goes_down_its_ladder_one_rung_at_a_time() {
    let disarm = |stage: &mut Stage| assert!(stage.fire(Due::Disarm));
    let mut stage = Stage::new(80, 24);
    stage.typed("draft");
    stage.busy(true).ui(UiAsk::Theme);
    stage.keys("ctrl+c");
    assert!(stage.tui.modals.open().is_none() && stage.asks.is_empty());
    disarm(&mut stage);
    stage.keys("ctrl+o ctrl+c");
    assert!(stage.tui.reader.is_none() && stage.asks.is_empty());
    disarm(&mut stage);
    stage.keys("ctrl+c");
    assert_eq!(stage.asks, [Ask::Session(ME, SessionAsk::Interrupt)]);
    disarm(&mut stage);
    stage.busy(false).keys("ctrl+c");
    assert_eq!(stage.draft(), "");
    disarm(&mut stage);
    stage.keys("ctrl+c");
    assert!(stage.tui.status.armed && !stage.exited());
    disarm(&mut stage);
    assert!(!stage.tui.status.armed);
    stage.keys("ctrl+c ctrl+c");
    assert!(stage.exited());
}

#[test]
fn a_second_ctrl_c_quits_from_any_rung() {
    for n in 0..STATES {
        let mut stage = state(n);
        stage.keys("ctrl+c ctrl+c");
        assert!(stage.exited(), "state {n}");
    }
}

#[test]
fn esc_interrupts_but_never_clears_a_draft() {
    let mut stage = Stage::new(80, 24);
    stage.typed("draft").keys("esc");
    assert_eq!((stage.draft(), stage.asks.len()), ("draft", 0));
    stage.busy(true).keys("esc");
    assert_eq!(stage.asks, [Ask::Session(ME, SessionAsk::Interrupt)]);
    assert_eq!(stage.draft(), "draft");
}

#[test]
fn g24_esc_with_a_picker_open_closes_the_picker_alone() {
    let mut stage = Stage::new(80, 24);
    stage.busy(true).typed("/he").keys("esc");
    assert!(stage.tui.picker.is_none() && stage.asks.is_empty());
    stage.keys("esc");
    assert_eq!(stage.asks, [Ask::Session(ME, SessionAsk::Interrupt)]);
}

#[test]
fn ctrl_d_quits_an_empty_draft_and_deletes_in_another() {
    let mut stage = Stage::new(80, 24);
    stage.typed("ab").keys("home ctrl+d");
    assert_eq!((stage.draft(), stage.exited()), ("b", false));
    stage.keys("ctrl+d ctrl+d");
    assert!(stage.exited());
    let mut stage = Stage::new(80, 24);
    stage.ui(UiAsk::Theme).keys("ctrl+d");
    assert!(!stage.exited(), "in a question it deletes");
}

#[test]
fn in_a_question_ctrl_l_z_and_o_keep_their_meaning() {
    let mut stage = Stage::new(80, 24);
    stage.ui(UiAsk::Theme);
    stage.effects.clear();
    stage.keys("ctrl+l ctrl+z ctrl+o");
    assert!(stage.effects.contains(&Effect::Term(TermFx::Redraw)));
    assert!(stage.effects.contains(&Effect::Term(TermFx::Suspend)));
    assert!(stage.tui.reader.is_some());
    stage.keys("esc");
    assert!(
        stage.tui.reader.is_none() && stage.tui.modals.open().is_some(),
        "the reader comes back to the question"
    );
    stage.typed("/");
    assert!(stage.tui.picker.is_none(), "no picker in a question");
}

#[test]
fn the_key_file_rebinds_frees_and_complains() {
    let text = "{\n  \"ctrl+k\": \"none\",\n  \"alt+k\": \"kill_to_end\",\n  \"ctrl+y\": \"Yank\",\n  \"ctrl+q\": 3,\n  \
                \"hyper+x\": \"undo\",\n  \"ctrl+c\": \"undo\",\n  \"ctrl+x ctrl+l\": \"redraw\",\n  \
                \"reader\": {\"x\": \"close\", \"z\": \"clse\"},\n  \"raeder\": {}\n}";
    let (keymap, complaints) = parse("keybindings.json", text);
    let action = |chord: &str| keymap.action(chord.parse().unwrap()).map(|(a, _)| a);
    assert_eq!(action("ctrl+k"), None);
    assert_eq!(action("alt+k"), Some(Action::KillToEnd));
    assert_eq!(action("ctrl+y"), Some(Action::Yank), "a wrong entry leaves the default");
    assert_eq!(keymap.prefixed("ctrl+l".parse().unwrap()), Some(Action::Redraw));
    assert_eq!(keymap.context(Context::Reader, "x".parse().unwrap()), Some("close"));
    let said: Vec<String> = complaints.iter().map(ToString::to_string).collect();
    assert_eq!(said.len(), 6, "{said:#?}");
    assert_eq!(said[0], "keybindings.json:4:13: no action is called \"Yank\"; did you mean \"yank\"?");
    assert!(said[1].starts_with("keybindings.json:5:13: ctrl+q must be a string"));
    assert!(said[2].contains("hyper+x"));
    assert!(said[4].contains("did you mean \"close\"?"));
    assert!(said[5].contains("did you mean \"reader\"?"));
    let (all, none) = (Keymap::default(), parse("keybindings.json", "{ nonsense"));
    assert_eq!((none.0, none.1.len()), (all, 1));
}

#[test]
fn unbinding_a_composer_chord_leaves_it_free() {
    let mut stage = Stage::new(80, 24);
    stage.config.keymap = parse("keybindings.json", "{\"ctrl+a\": \"none\", \"a\": \"undo\"}").0;
    assert_eq!(
        route(&stage.tui, &stage.config.keymap, &stage.registry, "ctrl+a".parse().unwrap()),
        Route::Swallow
    );
    stage.typed("ba");
    assert_eq!(stage.draft(), "", "a bare key can be bound");
    // A movement with shift selects without an entry of its own, and is free all the same when it is unbound by name.
    let chord = "alt+shift+left".parse().unwrap();
    let owner = |stage: &Stage| route(&stage.tui, &stage.config.keymap, &stage.registry, chord);
    assert!(matches!(owner(&stage), Route::Action { select: true, .. }));
    let last = parse("keybindings.json", "{\"alt+shift+left\": \"none\"}").0;
    stage.config.keymap = last.clone();
    assert_eq!(owner(&stage), Route::Swallow);
    stage.registry = crate::tui::extensions::registry(&[
        serde_json::json!({"name": "a", "shortcuts": [{"key": "alt+shift+left"}]}),
    ]);
    assert_eq!(owner(&stage), Route::Shortcut);
    // A wrong entry leaves it as it was, another one binds it again.
    stage.config.keymap = parse_over("keybindings.json", "{\"alt+shift+left\": \"nonsense\"}", &last).0;
    assert_eq!(owner(&stage), Route::Shortcut);
    stage.config.keymap =
        parse("keybindings.json", "{\"alt+shift+left\": \"none\", \"shift+alt+left\": \"undo\"}").0;
    assert!(matches!(owner(&stage), Route::Action { action: Action::Undo, .. }));
}

#[test]
fn every_action_of_the_table_has_its_default_keys() {
    let keymap = Keymap::default();
    let table = "enter=enter newline=shift+enter,alt+enter,ctrl+j home=ctrl+a,home end=ctrl+e,end left=ctrl+b,left \
                 right=ctrl+f,right word_left=alt+b,alt+left,ctrl+left word_right=alt+f,alt+right,ctrl+right up=up \
                 down=down history_search=ctrl+r backspace=backspace delete=delete,ctrl+d \
                 kill_word_left=ctrl+w,alt+backspace kill_word=alt+d kill_to_end=ctrl+k kill_to_start=ctrl+u \
                 yank=ctrl+y yank_pop=alt+y undo=ctrl+_ redo=alt+_ stash=ctrl+s external_editor=ctrl+g paste=ctrl+v \
                 cycle_effort=shift+tab cycle_model=ctrl+p reader=ctrl+o redraw=ctrl+l help=f1";
    for entry in table.split_whitespace() {
        let (name, chords) = entry.split_once('=').unwrap();
        for chord in chords.split(',') {
            let (action, select) = keymap.action(chord.parse().unwrap()).unwrap();
            assert_eq!((action.name(), select), (name, false), "{chord}");
        }
    }
    for (chord, name) in [("ctrl+e", "external_editor"), ("ctrl+k", "keys"), ("ctrl+t", "theme")] {
        assert_eq!(keymap.prefixed(chord.parse().unwrap()).unwrap().name(), name);
    }
}

#[test]
fn the_picker_claims_only_its_own_keys() {
    let stage = state(2);
    let to = |chord: &str| route(&stage.tui, &stage.config.keymap, &stage.registry, chord.parse().unwrap());
    assert_eq!(to("down"), Route::Picker(PickerOp::Step { down: true }));
    assert_eq!(to("x"), Route::Type('x'));
    assert_eq!(to("ctrl+a"), Route::Action { action: Action::Home, select: false });
    let stage = state(9);
    let to = |chord: &str| route(&stage.tui, &stage.config.keymap, &stage.registry, chord.parse().unwrap());
    assert_eq!(to("n"), Route::Modal(ModalOp::Say(false)));
    assert_eq!(to("x"), Route::Swallow);
}
