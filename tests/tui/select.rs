//! Selecting the conversation with the mouse (G27): what is copied is source text, whatever was dragged over.

use e::model::config::chord::Mods;
use e::model::effect::{Effect, TermFx};
use e::model::term::{Mouse, MouseButton, MouseKind, TermMsg};
use e::model::text::row;
use e::model::tui::look;
use proptest::prelude::*;

use super::stage::{Stage, began, committed, ended, text};

fn mouse(stage: &mut Stage, kind: MouseKind, (col, row): (u16, u16)) {
    stage.term(TermMsg::Mouse(Mouse { kind, col, row, mods: Mods::NONE }));
}

/// Drags from one cell to another and gives what was copied.
fn dragged(stage: &mut Stage, from: (u16, u16), to: (u16, u16)) -> Option<String> {
    stage.effects.clear();
    mouse(stage, MouseKind::Down(MouseButton::Left), from);
    mouse(stage, MouseKind::Drag(MouseButton::Left), to);
    mouse(stage, MouseKind::Up(MouseButton::Left), to);
    stage.effects.iter().find_map(|effect| match effect {
        Effect::Term(TermFx::Copy(text)) => Some(text.to_string()),
        _ => None,
    })
}

fn told(mut stage: Stage, reply: &str) -> Stage {
    stage.fact(&began("ask me")).fact(&text(reply)).fact(&committed()).fact(&ended(false));
    stage
}

/// The first row of the screen with a text in it, in a conversation that starts at the top.
fn row_of(stage: &Stage, text: &str) -> u16 {
    stage.rows().iter().position(|row| row.contains(text)).unwrap().try_into().unwrap()
}

#[test]
fn g27_three_wrapped_rows_are_copied_as_one_line() {
    let reply = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho";
    let mut stage = told(Stage::fullscreen(40, 24), reply);
    let top = row_of(&stage, "alpha");
    let last = row_of(&stage, "rho");
    assert!(last >= top + 2);
    let copied = dragged(&mut stage, (0, top), (39, last)).unwrap();
    assert_eq!(copied, reply);
    // Backwards is the same; a part begins and ends at the cells.
    assert_eq!(dragged(&mut stage, (39, last), (0, top)).unwrap(), reply);
    assert_eq!(dragged(&mut stage, (6, top), (9, top)).unwrap(), "beta");
    assert!(stage.tui.selection.is_some());
    stage.keys("a");
    assert!(stage.tui.selection.is_none());
}

#[test]
fn g27_gutters_and_fences_stay_behind_and_tabs_come_back() {
    let mut stage = told(Stage::fullscreen(60, 24), "```rust\nfn a() {\n\tb();\n}\n```\n");
    let (top, last) = (row_of(&stage, "fn a"), row_of(&stage, "}"));
    assert_eq!(dragged(&mut stage, (0, top), (59, last)).unwrap(), "fn a() {\n\tb();\n}");
    let ask = row_of(&stage, "▌ ask me");
    assert_eq!(dragged(&mut stage, (0, ask), (59, ask)).unwrap(), "ask me");
}

#[test]
fn g27_a_click_copies_nothing_and_the_reader_selects_too() {
    let mut stage = told(Stage::new(60, 24), "alpha beta");
    stage.effects.clear();
    mouse(&mut stage, MouseKind::Down(MouseButton::Left), (3, 3));
    mouse(&mut stage, MouseKind::Up(MouseButton::Left), (3, 3));
    assert!(stage.tui.selection.is_none());
    stage.keys("ctrl+o");
    let top = row_of(&stage, "alpha");
    mouse(&mut stage, MouseKind::Down(MouseButton::Left), (3, top));
    mouse(&mut stage, MouseKind::Up(MouseButton::Left), (3, top));
    assert!(!stage.effects.iter().any(|e| matches!(e, Effect::Term(TermFx::Copy(_)))));
    assert_eq!(dragged(&mut stage, (0, top), (4, top)).as_deref(), Some("alpha"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn g27_what_is_copied_is_a_part_of_the_source(
        words in prop::collection::vec("[a-z]{1,9}|漢字|é{1,3}", 1..60),
        from in (0..40u16, 0..24u16),
        to in (0..60u16, 0..30u16),
    ) {
        let reply = words.join(" ");
        let mut stage = told(Stage::fullscreen(40, 24), &reply);
        if let Some(copied) = dragged(&mut stage, from, to) {
            let look = stage.look();
            let rows: Vec<_> = stage.tui.transcript.blocks().iter().flat_map(|b| look::rows(b, look)).collect();
            prop_assert!(row::source(&rows).contains(&copied), "{copied:?}");
            for line in copied.lines() {
                prop_assert!(reply.contains(line) || "ask me".contains(line), "{line:?} of {reply:?}");
            }
        }
    }
}
