//! The panel: one over all, its owner told once when it goes, the keyboard its own while it is interactive.

use e::model::config::chord::Chord;
use e::model::config::keymap::parse;
use e::model::wire::ext::{Note, Reply};
use e::update::tui::route::{Route, route};
use proptest::prelude::*;
use serde_json::json;

use super::super::routing::chord;
use super::{Room, lines, registry};

/// A room whose first extension has an interactive panel, in one of many states.
fn interactive(n: u8) -> Room {
    let mut room = Room::new(60, 20);
    match n % 6 {
        1 => drop(room.stage.typed("a draft")),
        2 => drop(room.stage.busy(true)),
        3 => drop(room.stage.typed("/")),
        4 => drop(room.stage.keys("ctrl+o")),
        _ => {}
    }
    if n % 6 == 5 {
        room.ask(2, "ui.confirm", &json!({"title": "Sure?"}));
    }
    room.ask(1, "ui.panel", &json!({"title": "Game", "lines": lines(3), "interactive": true}));
    room.stage.asks.clear();
    room
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn k2_k3_k4_an_interactive_panel_hears_every_key_but_esc_and_ctrl_c(pressed in chord(), n in 0u8..18) {
        let mut room = interactive(n);
        let shown = room.stage.tui.capturing().is_some();
        prop_assert_eq!(shown, !matches!(n % 6, 3..=5));
        room.stage.term(e::model::term::TermMsg::Key(pressed));
        let esc = pressed == "esc".parse::<Chord>().unwrap();
        let cancel = pressed == Chord::ctrl_letter('c');
        let wanted = if shown && !esc && !cancel { vec![pressed] } else { Vec::new() };
        prop_assert_eq!(room.keys_told(), wanted);
        // It closes by Esc and, where nothing runs, by ctrl+c; then its owner hears of it, once.
        let closed = shown && (esc || (cancel && n % 6 != 2));
        prop_assert_eq!(room.stage.tui.panel.is_none(), closed);
        let told = room.told().into_iter().filter(|(_, note)| *note == Note::PanelClosed).count();
        prop_assert_eq!(told, usize::from(closed));
    }

    #[test]
    fn s1_one_panel_and_its_loser_is_told_once(steps in prop::collection::vec((0u64..3, 0u8..4), 1..30)) {
        let mut room = Room::new(60, 20);
        let mut owner: Option<u64> = None;
        for (ext, what) in steps {
            room.stage.asks.clear();
            let mut told = Vec::new();
            match what {
                0 => {
                    room.ask(ext, "ui.panel", &json!(null));
                    owner = owner.filter(|other| *other != ext);
                }
                1 => {
                    room.gone(ext);
                    owner = owner.filter(|other| *other != ext);
                }
                _ => {
                    room.ask(ext, "ui.panel", &json!({"lines": ["x"], "interactive": what == 2}));
                    told.extend(owner.replace(ext).filter(|old| *old != ext));
                }
            }
            let heard: Vec<u64> = room.told().into_iter().map(|(ext, note)| {
                assert_eq!(note, Note::PanelClosed);
                ext
            }).collect();
            prop_assert_eq!(heard, told);
            prop_assert_eq!(room.stage.tui.panel.as_ref().map(|panel| panel.owner.0), owner);
            prop_assert!(room.replies().iter().all(|(_, reply)| *reply == Reply::Done));
        }
    }

    #[test]
    fn k5_k6_a_shortcut_never_takes_a_reserved_or_bound_chord(pressed in chord(), n in 0u8..6) {
        let mut stage = super::super::stage::Stage::new(60, 20);
        let shortcut = json!({"name": "x", "shortcuts": [{"key": pressed.to_string()}]});
        stage.registry = registry(&[shortcut]);
        match n {
            1 => drop(stage.typed("draft")),
            2 => drop(stage.typed("/")),
            3 => drop(stage.keys("ctrl+o")),
            4 => drop(stage.ui(e::model::ask::UiAsk::Theme)),
            5 => drop(stage.busy(true)),
            _ => {}
        }
        let keymap = &stage.config.keymap;
        let to = route(&stage.tui, keymap, &stage.registry, pressed);
        if pressed.is_reserved() || keymap.action(pressed).is_some() || matches!(n, 3 | 4) {
            prop_assert_ne!(to, Route::Shortcut);
        } else if stage.registry.shortcuts.contains_key(&pressed) && n != 2 {
            prop_assert_eq!(to, Route::Shortcut);
        }
        let (freed, _) = parse("k", &format!("{{{:?}: \"none\"}}", pressed.to_string()));
        let to = route(&stage.tui, &freed, &stage.registry, pressed);
        if stage.registry.shortcuts.contains_key(&pressed) && !matches!(n, 2..=4) && freed.action(pressed).is_none() {
            prop_assert_eq!(to, Route::Shortcut);
        }
        prop_assert!(!pressed.is_reserved() || to != Route::Shortcut);
    }
}

#[test]
fn a_paste_goes_to_the_composer_and_text_without_chords_to_the_panel() {
    let mut room = interactive(0);
    room.stage.paste("pasted");
    assert_eq!((room.stage.draft(), room.keys_told().len()), ("pasted", 0));
    room.stage.term(e::model::term::TermMsg::Text("é".into()));
    assert_eq!(room.keys_told(), ["é".parse::<Chord>().unwrap()]);
    room.stage.term(e::model::term::TermMsg::Text("\n".into()));
    assert_eq!(room.keys_told()[1..], ["enter".parse::<Chord>().unwrap()]);
    assert_eq!(room.stage.draft(), "pasted");
}

#[test]
fn a_passive_panel_leaves_keys_alone_and_closes_before_a_turn_is_interrupted() {
    let mut room = Room::new(60, 20);
    room.ask(1, "ui.panel", &json!({"lines": ["x"]}));
    room.stage.busy(true).typed("words");
    assert_eq!(room.stage.draft(), "words");
    room.stage.asks.clear();
    room.stage.keys("esc");
    assert_eq!(room.told(), [(1, Note::PanelClosed)]);
    assert_eq!(room.stage.asks.len(), 1, "the turn goes on");
    assert_eq!(room.stage.draft(), "words");
}

#[test]
fn a_panel_is_hidden_and_not_closed_while_something_else_is_in_front() {
    let mut room = interactive(0);
    room.ask(2, "ui.confirm", &json!({"title": "Sure?"}));
    assert!(room.title().is_some() && room.stage.tui.panel().is_none());
    room.stage.keys("y");
    assert!(room.stage.tui.panel().is_some());
    assert_eq!(room.told(), []);
}

#[test]
fn two_lines_make_six_rows_with_the_composer_s_rule() {
    let mut room = Room::new(60, 20);
    room.ask(1, "ui.panel", &json!({"title": "T", "lines": lines(2)}));
    let regions = room.stage.tui.regions(0);
    assert_eq!(regions.below.height + regions.footer.height, 6);
    assert_eq!(regions.below.bottom(), regions.footer.y);
    room.ask(1, "ui.panel", &json!({"lines": lines(205)}));
    let panel = room.stage.tui.panel.as_ref().unwrap();
    assert_eq!((panel.rows.len(), panel.title.as_str()), (201, "ext1"));
    assert_eq!(panel.rows[200].plain(), "… 5 more lines");
    assert_eq!(panel.shown(4).last().unwrap().plain(), "… 198 more lines");
}
