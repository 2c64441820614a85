//! Laws of editing: the cursor stays between units, undo gives back exactly, a marker is one unit.

use std::sync::Arc;

use e::model::config::keymap::Action;
use e::model::tui::composer::Kills;
use e::model::tui::draft::{Attachment, Draft, Fragment, Group};
use e::model::tui::wrapped::{self, Frame};
use proptest::prelude::*;

/// A step of editing.
#[derive(Debug, Clone)]
enum Step {
    Type(String),
    Mark(String),
    Go(usize, bool),
    Erase,
    Delete,
    Replace(usize, usize, String),
    Undo,
    Redo,
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-c \n]{1,4}",
        Just("é".to_owned()),
        Just("e\u{301}".to_owned()),
        Just("\u{301}".to_owned()),
        Just("漢字".to_owned()),
        Just("👨‍👩‍👧".to_owned()),
        Just("🇳".to_owned()),
        Just("\u{200D}".to_owned()),
        Just("\t".to_owned()),
        Just("\u{1b}[31m".to_owned()),
        Just("ป\u{e39}\u{e49}".to_owned()),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => piece().prop_map(Step::Type),
        1 => piece().prop_map(Step::Mark),
        2 => (0usize..60, any::<bool>()).prop_map(|(at, select)| Step::Go(at, select)),
        2 => Just(Step::Erase),
        1 => Just(Step::Delete),
        1 => (0usize..60, 0usize..60, piece()).prop_map(|(a, b, t)| Step::Replace(a, b, t)),
        1 => Just(Step::Undo),
        1 => Just(Step::Redo),
    ]
}

fn mark(text: &str) -> Fragment {
    Fragment::mark("[Pasted text #1, 9 chars]", Attachment::Paste(Arc::from(text)))
}

fn apply(draft: &mut Draft, step: &Step) {
    match step {
        Step::Type(text) => draft.insert(Fragment::text(text.clone()), Group::Typing),
        Step::Mark(text) => draft.insert(mark(text), Group::Alone),
        Step::Go(at, select) => draft.go(*at, *select),
        Step::Erase => {
            let range =
                draft.selection().or_else(|| draft.unit_before(draft.cursor()).map(|u| u.start..u.end));
            if let Some(range) = range {
                draft.replace(range, Fragment::default(), Group::Erasing);
            }
        }
        Step::Delete => {
            if let Some(unit) = draft.unit_after(draft.cursor()) {
                draft.replace(unit.start..unit.end, Fragment::default(), Group::Erasing);
            }
        }
        Step::Replace(a, b, text) => {
            draft.replace(*a.min(b)..*a.max(b), Fragment::text(text.clone()), Group::Alone);
        }
        Step::Undo => drop(draft.undo()),
        Step::Redo => drop(draft.redo()),
    }
}

fn check(draft: &Draft) -> Result<(), TestCaseError> {
    let ends: Vec<usize> = std::iter::once(0).chain(draft.units().map(|u| u.end)).collect();
    prop_assert!(ends.contains(&draft.cursor()), "cursor {} in {:?}", draft.cursor(), draft.text());
    prop_assert_eq!(*ends.last().unwrap(), draft.text().len());
    for mark in draft.marks() {
        prop_assert_eq!(&draft.text()[mark.start..mark.end], "[Pasted text #1, 9 chars]");
    }
    prop_assert!(draft.marks().windows(2).all(|w| w[0].end <= w[1].start));
    Ok(())
}

/// What is sent: unit by unit, markers written out.
fn visual(draft: &Draft) -> String {
    let unit = |u: e::model::tui::draft::Unit<'_>| match u.mark.map(|m| &draft.marks()[m].what) {
        Some(Attachment::Paste(text) | Attachment::Snapshot(text)) => text.to_string(),
        _ => u.text.to_owned(),
    };
    draft.units().map(unit).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn the_cursor_is_always_between_units(steps in prop::collection::vec(step(), 1..40)) {
        let mut draft = Draft::default();
        for step in &steps {
            apply(&mut draft, step);
            check(&draft)?;
        }
    }

    #[test]
    fn g09_what_is_sent_is_the_visual_order(steps in prop::collection::vec(step(), 1..40)) {
        let mut draft = Draft::default();
        steps.iter().for_each(|step| apply(&mut draft, step));
        prop_assert_eq!(draft.body().expanded(), visual(&draft));
    }

    #[test]
    fn undo_gives_back_what_an_edit_changed(steps in prop::collection::vec(step(), 1..30), last in step()) {
        let mut draft = Draft::default();
        steps.iter().for_each(|step| apply(&mut draft, step));
        // A movement ends the step before it, so that the last edit is a step of its own.
        draft.go(draft.cursor(), false);
        let before = draft.body().clone();
        let version = draft.version();
        if !matches!(last, Step::Undo | Step::Redo | Step::Go(..)) {
            apply(&mut draft, &last);
            if draft.version() != version {
                let after = draft.body().clone();
                prop_assert!(draft.undo());
                prop_assert_eq!(draft.body(), &before);
                prop_assert!(draft.redo());
                prop_assert_eq!(draft.body(), &after);
            }
        }
    }

    #[test]
    fn undoing_everything_gives_the_empty_draft_and_redoing_the_last(
        steps in prop::collection::vec(step(), 1..30)
    ) {
        let mut draft = Draft::default();
        steps.iter().for_each(|step| apply(&mut draft, step));
        while draft.redo() {}
        let last = draft.body().clone();
        while draft.undo() { check(&draft)?; }
        prop_assert!(draft.is_empty());
        while draft.redo() { check(&draft)?; }
        prop_assert_eq!(draft.body(), &last);
    }

    #[test]
    fn rows_hold_the_text_and_fit(
        steps in prop::collection::vec(step(), 1..30), columns in 1usize..30
    ) {
        let mut draft = Draft::default();
        steps.iter().for_each(|step| apply(&mut draft, step));
        let frame = Frame { columns, tab: 4, secret: false };
        let lines = wrapped::lines(&draft, frame);
        let mut at = 0;
        for line in &lines {
            // Only a newline lies between rows.
            prop_assert!(draft.text()[at..line.range.start].chars().all(|c| c == '\n'));
            at = line.range.end;
        }
        prop_assert_eq!(at, draft.text().len());
        for row in wrapped::rows(&draft, &lines, frame) {
            prop_assert!(row.width() <= columns.max(2), "{:?} at {columns}", row.plain());
        }
        let (row, column) = wrapped::place(&draft, &lines, draft.cursor(), frame);
        prop_assert!(row < lines.len() && column < columns.max(1));
    }

    #[test]
    fn a_place_on_the_screen_and_back_is_the_place(
        steps in prop::collection::vec(step(), 1..20), columns in 3usize..30
    ) {
        let mut draft = Draft::default();
        steps.iter().for_each(|step| apply(&mut draft, step));
        let frame = Frame { columns, tab: 4, secret: false };
        let lines = wrapped::lines(&draft, frame);
        for unit in draft.units() {
            // A marker or cluster wider than the row has no column of its own behind it.
            let (row, column) = wrapped::place(&draft, &lines, unit.start, frame);
            if unit.mark.is_none() && draft.marks().is_empty() {
                prop_assert_eq!(wrapped::at(&draft, &lines, row, column, frame), unit.start);
            }
        }
    }
}

fn act(draft: &mut Draft, kills: &mut Kills, action: Action) {
    let mut stage = super::stage::Stage::new(80, 24);
    std::mem::swap(&mut stage.tui.composer.draft, draft);
    std::mem::swap(&mut stage.tui.composer.kills, kills);
    let chord = stage.config.keymap.chords(action).into_iter().next().unwrap();
    stage.keys(&chord);
    std::mem::swap(&mut stage.tui.composer.draft, draft);
    std::mem::swap(&mut stage.tui.composer.kills, kills);
}

#[test]
fn kills_in_a_row_are_one_and_yank_brings_them_back() {
    let mut draft = Draft::of("one two three");
    let mut kills = Kills::default();
    act(&mut draft, &mut kills, Action::KillWordLeft);
    act(&mut draft, &mut kills, Action::KillWordLeft);
    assert_eq!((draft.text(), kills.ring.len()), ("one ", 1));
    act(&mut draft, &mut kills, Action::Yank);
    assert_eq!(draft.text(), "one two three");
}

#[test]
fn yank_pop_goes_through_the_ring() {
    let mut draft = Draft::of("b");
    let mut kills = Kills { ring: vec![Fragment::text("old"), Fragment::text("new")], ..Kills::default() };
    act(&mut draft, &mut kills, Action::Yank);
    assert_eq!(draft.text(), "bnew");
    act(&mut draft, &mut kills, Action::YankPop);
    assert_eq!(draft.text(), "bold");
    act(&mut draft, &mut kills, Action::YankPop);
    assert_eq!(draft.text(), "bnew");
}

#[test]
fn typing_a_word_is_one_step_of_undo() {
    let mut draft = Draft::default();
    for c in ["h", "i"] {
        draft.insert(Fragment::text(c), Group::Typing);
    }
    draft.insert(Fragment::text(" "), Group::Spacing);
    for c in ["y", "o"] {
        draft.insert(Fragment::text(c), Group::Typing);
    }
    draft.undo();
    assert_eq!(draft.text(), "hi ");
    draft.undo();
    assert_eq!(draft.text(), "");
}
