//! The side pane step by step: keys, notes, markers, the mouse, colours, and the two screens.

use std::sync::Arc;

use e::model::ask::Ask;
use e::model::effect::{Effect, FilesFx, TermFx};
use e::model::id::Ticket;
use e::model::msg::FilesMsg;
use e::model::term::{MouseButton, MouseKind, Size, TermMsg};
use e::model::text::row::Token;
use e::model::tui::pane::section::Content;
use e::model::wire::ext::Note;
use serde_json::{Value, json};

use super::super::stage::{began, committed, ended, text};
use super::pane::{DIFF, every, here, open, pane, press, regions};
use super::{Room, registry};

fn note(pane: &str, section: &str, id: &str) -> (Arc<str>, Arc<str>, Arc<str>) {
    (pane.into(), section.into(), id.into())
}

fn select(section: &str, id: &str) -> (u64, Note) {
    let (pane, section, id) = note("p", section, id);
    (1, Note::PaneSelect { pane, section, id })
}

fn closed(ext: u64, pane: &str) -> (u64, Note) {
    (ext, Note::PaneClosed { pane: pane.into() })
}

#[test]
fn the_owner_hears_of_moves_and_of_enter_and_of_nothing_at_an_end() {
    let mut room = open(140, 40, &every(3));
    room.stage.keys("up down j down k");
    assert_eq!(room.told(), [select("files", "i1"), select("files", "i2"), select("files", "i1")]);
    room.stage.asks.clear();
    room.stage.keys("enter");
    let (pane_id, section, id) = note("p", "files", "i1");
    assert_eq!(room.told(), [(1, Note::PaneActivate { pane: pane_id, section, id })]);
    assert_eq!(&*here(&room).id, "patch");
    // An empty list has no item, and says so.
    let mut room = open(140, 40, &json!({"sections": [{"kind": "list", "items": []}]}));
    room.stage.keys("down enter");
    let (pane_id, section, id) = note("ext1", "0", "");
    assert_eq!(room.told(), [(1, Note::PaneActivate { pane: pane_id, section, id })]);
}

#[test]
fn chords_match_exactly_and_a_list_leaves_some_to_the_extension() {
    let mut room = open(140, 40, &every(9));
    room.stage.keys("alt+down x left shift+j shift+down v");
    let keys: Vec<String> = room
        .told()
        .into_iter()
        .filter_map(
            |(_, note)| if let Note::PaneKey { key, .. } = note { Some(key.to_string()) } else { None },
        )
        .collect();
    assert_eq!(keys, ["alt+down", "x", "left", "shift+j", "v"]);
    assert_eq!(here(&room).cursor(), 1, "shift with an arrow is the plain move");
    room.stage.asks.clear();
    room.stage.keys("tab shift+j left");
    assert_eq!(room.told(), []);
    assert_eq!(here(&room).selection(), Some(0..2));
}

#[test]
fn esc_goes_back_to_the_first_section_and_then_closes() {
    let mut room = open(140, 40, &every(3));
    room.stage.busy(true).keys("tab shift+down esc");
    assert_eq!((pane(&room).at(), pane(&room).sections[1].selection()), (0, None));
    assert_eq!(room.told(), []);
    room.stage.keys("esc");
    assert_eq!(room.told(), [closed(1, "p")]);
    assert!(room.stage.tui.pane.is_none());
    assert!(!room.stage.asks.iter().any(|ask| matches!(ask, Ask::Session(..))), "the turn goes on");
    // Unfocused it is not in the way.
    let mut room = open(140, 40, &every(3));
    room.stage.busy(true).keys("ctrl+t esc");
    assert!(room.stage.tui.pane.is_some());
    assert!(room.stage.asks.iter().any(|ask| matches!(ask, Ask::Session(..))));
}

#[test]
fn ctrl_c_closes_a_focused_pane_before_it_clears_a_draft() {
    let mut room = Room::new(140, 40);
    room.stage.typed("a draft");
    room.ask(1, "ui.pane", &every(3));
    assert!(!pane(&room).focused, "it never steals typing");
    room.stage.keys("ctrl+t ctrl+c");
    assert!(room.stage.tui.pane.is_none());
    assert_eq!(room.stage.draft(), "a draft");
    assert_eq!(room.told(), [closed(1, "p")]);
}

#[test]
fn the_focus_chord_beats_bindings_and_shortcuts_while_there_is_a_pane() {
    let manifest = json!({"name": "a", "shortcuts": [{"key": "alt+q"}]});
    let mut room = open(140, 40, &every(3));
    room.stage.registry = registry(&[manifest]);
    room.stage.config.layout.focus = "alt+q".parse().unwrap();
    room.stage.term(TermMsg::FocusGained).keys("alt+q");
    assert!(!pane(&room).focused);
    room.stage.keys("alt+q esc alt+q");
    assert!(room.stage.tui.pane.is_none());
    assert!(
        room.stage.asks.iter().any(|ask| matches!(ask, Ask::Ext(e::model::ask::ExtAsk::Shortcut { .. })))
    );
}

#[test]
fn another_pane_takes_the_place_and_the_loser_hears_of_it() {
    let mut room = open(140, 40, &every(3));
    let other = json!({"id": "p", "sections": [{"kind": "text", "body": "x"}]});
    room.ask(2, "ui.pane", &other);
    assert_eq!(room.told(), [closed(1, "p")]);
    room.stage.asks.clear();
    room.ask(2, "ui.pane", &json!({"id": "q", "sections": [{"kind": "text", "body": "x"}]}));
    assert_eq!(room.told(), [closed(2, "p")]);
    room.stage.asks.clear();
    // Null closes one's own alone, and death is silent.
    room.ask(1, "ui.pane", &Value::Null);
    assert!(room.stage.tui.pane.is_some());
    room.ask(2, "ui.pane", &Value::Null);
    assert!(room.stage.tui.pane.is_none());
    room.ask(2, "ui.pane", &other);
    room.gone(2);
    assert!(room.stage.tui.pane.is_none());
    assert_eq!(room.told(), []);
}

#[test]
fn a_diff_is_attached_with_its_numbers_under_its_files() {
    let mut room = open(140, 40, &every(3));
    room.stage.paste("look at").keys("ctrl+t tab");
    // The title says the first file's name: that row is left out.
    assert_eq!(here(&room).row(0).plain(), "    9   fn one() {}");
    room.stage.keys("shift+down shift+down enter");
    assert_eq!(room.stage.draft(), "look at [src/a.rs, 3 lines]");
    room.stage.paste(" please");
    let expanded = room.stage.tui.composer.draft.body().expanded();
    let rows = "src/a.rs\n    9   fn one() {}\n   10 - \told();\n   10 + \tnew();";
    assert_eq!(expanded, format!("look at \nChanges (src/a.rs)\n{rows}\n please"));
    // Over the end of a file: the next one's name is a row of its own.
    let mut room = open(140, 40, &json!({"title": "T", "sections": [{"kind": "diff", "body": DIFF}]}));
    room.stage.keys("end up up up shift+end enter");
    assert_eq!(room.stage.draft(), "[T, 4 lines]");
    let expanded = room.stage.tui.composer.draft.body().expanded();
    assert_eq!(expanded, "T\n\nb.txt\n    1 - x\n    1 + y");
}

#[test]
fn markdown_is_attached_as_its_source() {
    let mut room = open(140, 60, &every(3));
    room.stage.keys("tab tab tab");
    let rows: Vec<String> = (0..here(&room).len()).map(|at| here(&room).row(at).plain()).collect();
    let at = |wanted: &str| rows.iter().position(|row| row.contains(wanted)).unwrap();
    let attach = |room: &mut Room, row: usize, more: usize| {
        room.stage.keys("home");
        (0..row).for_each(|_| _ = room.stage.keys("down"));
        (0..more).for_each(|_| _ = room.stage.keys("shift+down"));
        room.stage.keys("enter");
        let text = room.stage.tui.composer.draft.take().expanded();
        room.stage.keys("ctrl+t");
        text
    };
    assert_eq!(attach(&mut room, at("A paragraph"), 0), "Changes\nA paragraph of\ntwo lines.");
    assert_eq!(attach(&mut room, at("two"), 0), "Changes\nA paragraph of\ntwo lines.");
    assert_eq!(attach(&mut room, at("• one"), 1), "Changes\n- one\n- two");
    assert_eq!(attach(&mut room, at("fn a"), 1), "Changes\nfn a() {}\nfn b() {}");
}

#[test]
fn a_marker_is_one_unit_and_takes_two_backspaces() {
    let mut room = open(140, 40, &every(3));
    room.stage.keys("tab enter left");
    assert_eq!(room.stage.tui.composer.draft.cursor(), 0);
    room.stage.keys("end backspace");
    let draft = &room.stage.tui.composer.draft;
    assert_eq!(draft.selection(), Some(0..draft.text().len()));
    room.stage.keys("backspace");
    assert_eq!(room.stage.draft(), "");
    // Two of them, and a label by hand.
    room.stage.keys("ctrl+t enter ctrl+t enter");
    assert_eq!(room.stage.draft(), "[src/a.rs, 1 line] [src/a.rs, 1 line]");
    room.stage.typed(" [src/a.rs, 1 line]").keys("enter");
    let rows = "Changes (src/a.rs)\nsrc/a.rs\n    9   fn one() {}";
    assert_eq!(room.stage.sent(), Some(&*format!("{rows}\n \n{rows}\n [src/a.rs, 1 line]")));
}

#[test]
fn wide_rows_scroll_sideways_and_their_numbers_stay() {
    let long = format!("@@ -1 +1 @@\n-{0}\n+{0}!\n", "0123456789".repeat(30));
    let mut room =
        open(140, 40, &json!({"sections": [{"kind": "diff", "body": format!("--- a/a\n+++ b/a\n{long}")}]}));
    room.stage.keys("down right");
    assert!(here(&room).row(1).plain().starts_with("    1 - 8901234567"));
    (0..99).for_each(|_| _ = room.stage.keys("right"));
    let end = here(&room).sideways();
    assert!(here(&room).row(2).plain().ends_with('!') && (240..300).contains(&end), "{end}");
    room.stage.keys("left");
    assert_eq!(here(&room).sideways(), end - 8);
}

#[test]
fn the_mouse_clicks_drags_scrolls_and_closes() {
    let mut room = open(140, 40, &every(20));
    let (area, _) = room.stage.tui.pane_area();
    let frame = pane(&room).frame(area);
    let (list, patch) = (frame.parts[0].rows, frame.parts[1].rows);
    let left = MouseButton::Left;
    room.stage.term(press(MouseKind::Down(left), list.x + 2, list.y + 3));
    assert_eq!(room.told(), [select("files", "i3")]);
    // The wheel moves no focus and no cursor.
    room.stage.term(press(MouseKind::WheelDown, list.x, list.y));
    room.stage.term(press(MouseKind::WheelDown, patch.x, patch.y));
    assert_eq!((here(&room).top(), here(&room).cursor()), (1, 3));
    assert_eq!(pane(&room).sections[1].top(), 3);
    assert_eq!(room.told().len(), 1);
    // A click in the conversation, and back with a drag.
    room.stage.term(press(MouseKind::Down(left), 3, 3));
    assert!(!pane(&room).focused);
    room.stage.term(press(MouseKind::Down(left), patch.x + 9, patch.y + 1));
    room.stage.term(press(MouseKind::Drag(left), patch.x + 1, patch.y + 3));
    assert!(pane(&room).focused);
    assert_eq!(here(&room).selection(), Some(4..7));
    room.stage.term(press(MouseKind::Up(left), 0, 0));
    room.stage.term(press(MouseKind::Drag(left), patch.x, patch.y));
    assert_eq!(here(&room).selection(), Some(4..7), "let go");
    // Under a question nothing of it counts.
    room.ask(1, "ui.confirm", &json!({"title": "Sure?"}));
    room.stage.term(press(MouseKind::Down(left), frame.close.x, frame.close.y));
    assert!(room.stage.tui.pane.is_some());
    room.stage.keys("esc").term(press(MouseKind::Down(left), frame.close.x, frame.close.y));
    assert!(room.stage.tui.pane.is_none());
    assert_eq!(room.told().last(), Some(&closed(1, "p")));
}

#[test]
fn a_question_or_a_panel_in_front_takes_the_keys_and_the_narrow_screen() {
    let mut room = open(80, 30, &every(3));
    assert!(regions(&room).composer.is_empty());
    room.ask(1, "ui.select", &json!({"title": "Which?", "options": ["a", "b"]}));
    assert!(regions(&room).pane.is_empty() && !regions(&room).composer.is_empty());
    room.stage.keys("esc");
    assert!(regions(&room).composer.is_empty());
    room.ask(2, "ui.panel", &json!({"lines": ["x"], "interactive": true}));
    room.stage.keys("down");
    assert!(matches!(room.told().last(), Some((2, Note::Key(_)))));
    room.stage.keys("esc");
    assert!(room.stage.tui.panel.is_none() && room.stage.tui.pane.is_some());
}

#[test]
fn a_draft_made_for_its_own_pane_is_gone_on_with() {
    let mut room = open(140, 40, &every(3));
    room.ask(2, "ui.compose", &json!({"text": "theirs"}));
    assert!(pane(&room).focused);
    room.ask(1, "ui.compose", &json!({"text": "a note: "}));
    assert!(!pane(&room).focused);
    room.stage.typed("x");
    assert_eq!(room.stage.draft(), "a note: x");
}

fn asked_for_colours(room: &Room) -> Vec<(Ticket, Arc<str>, Arc<str>)> {
    let fx = |fx: &FilesFx| match fx {
        FilesFx::Highlight { ticket, language, text, .. } => Some((*ticket, language.clone(), text.clone())),
        _ => None,
    };
    room.stage.files_fx().filter_map(fx).collect()
}

#[test]
fn colours_follow_and_outlive_a_refresh() {
    let params = |body: &str| json!({"id": "p", "sections": [{"kind": "diff", "id": "d", "body": body}]});
    let mut room = open(140, 40, &params(DIFF));
    let asked = asked_for_colours(&room);
    assert_eq!(asked.len(), 6, "both sides of three hunks");
    assert_eq!((&*asked[1].1, &*asked[1].2), ("src/a.rs", "fn one() {}\n\tnew();\nlet x = 1;\nfn two() {}"));
    let colours =
        || vec![vec![(0..2, Token::SyntaxKeyword)], vec![], vec![], vec![(0..2, Token::SyntaxKeyword)]];
    room.stage.files(asked[1].0, FilesMsg::Coloured { from_line: 0, lines: colours() });
    let coloured =
        |room: &Room| here(room).row(1).spans.iter().any(|span| span.token == Token::SyntaxKeyword);
    assert!(coloured(&room));
    // Other content keeps the colours of lines it has too, until its own come; late answers find nothing.
    room.ask(1, "ui.pane", &params(&DIFF.replace("let x", "let y")));
    assert!(coloured(&room));
    let before = room.stage.tui.pane.clone();
    room.stage.files(asked[3].0, FilesMsg::Coloured { from_line: 0, lines: colours() });
    assert_eq!(room.stage.tui.pane, before);
    // The same content asks for nothing.
    let count = asked_for_colours(&room).len();
    room.ask(1, "ui.pane", &params(&DIFF.replace("let x", "let y")));
    assert_eq!(asked_for_colours(&room).len(), count);
    assert!(matches!(here(&room).content, Content::Diff(_)));
}

#[test]
fn a_long_diff_is_asked_about_where_it_is_looked_at() {
    let body: String = (0..400).map(|n| format!("@@ -{n} +{n} @@\n-a\n+b\n")).collect();
    let mut room = open(
        140,
        30,
        &json!({"sections": [{"kind": "diff", "body": format!("--- a/a.rs\n+++ b/a.rs\n{body}")}]}),
    );
    let first = asked_for_colours(&room).len();
    assert!(first < 100, "{first}");
    room.stage.keys("end");
    assert!(asked_for_colours(&room).len() > first);
}

#[test]
fn inline_mode_lends_the_screen_and_prints_each_line_once() {
    let mut room = Room::new(140, 40);
    room.stage.fact(&began("hello")).fact(&text("One.\n\n")).fact(&committed()).fact(&ended(false));
    let first = room.stage.printed();
    room.ask(1, "ui.pane", &every(3));
    assert!(room.stage.effects.contains(&Effect::Term(TermFx::Alternate(true))));
    room.stage.fact(&began("again")).fact(&text("Two.\n\n")).fact(&committed()).fact(&ended(false));
    assert_eq!(room.stage.printed(), first, "nothing is printed behind the alternate screen");
    room.stage.keys("esc");
    assert!(room.stage.effects.contains(&Effect::Term(TermFx::Alternate(false))));
    let all: Vec<_> =
        room.stage.tui.transcript.blocks().iter().map(e::model::tui::block::Block::id).collect();
    assert_eq!(room.stage.printed(), all);
}

#[test]
fn conversations_left_behind_an_open_pane_are_printed_when_it_closes() {
    use e::model::fact::{Fact, OpenReason, SessionFact};
    let mut room = Room::new(140, 40);
    room.ask(1, "ui.pane", &every(3));
    let mut all = Vec::new();
    for word in ["One", "Two", "Three"] {
        room.stage.fact(&began(word)).fact(&text(word)).fact(&committed()).fact(&ended(false));
        all.extend(room.stage.tui.transcript.blocks().iter().map(e::model::tui::block::Block::id));
        let opened = SessionFact::Opened { reason: OpenReason::New, branch: Vec::new(), path: None };
        room.stage.fact(&Fact::Session(super::super::stage::ME, opened));
    }
    all.extend(room.stage.tui.transcript.blocks().iter().map(e::model::tui::block::Block::id));
    assert!(room.stage.tui.pane.is_some());
    room.stage.keys("esc");
    assert_eq!(room.stage.printed(), all);
}

#[test]
fn a_pane_that_comes_keeps_the_readers_line() {
    let mut room = Room::new(140, 20);
    let long = "words of a long paragraph that wraps at every width there is ".repeat(60);
    room.stage
        .fact(&began("hello"))
        .fact(&text(&format!("{long}\n\n{long}")))
        .fact(&committed())
        .fact(&ended(false));
    room.stage.keys("pageup pageup");
    let before = room.stage.tui.transcript.scroll.clone();
    assert!(!before.is_tail());
    room.ask(1, "ui.pane", &every(3));
    assert_ne!(room.stage.tui.transcript.scroll, before);
    room.stage.keys("esc");
    let row = |scroll: &e::model::tui::scroll::Scroll| match scroll {
        e::model::tui::scroll::Scroll::At(anchor) => (anchor.block, anchor.row),
        e::model::tui::scroll::Scroll::Tail => panic!("follows"),
    };
    assert_eq!(row(&room.stage.tui.transcript.scroll), row(&before));
}

#[test]
fn a_resize_keeps_the_line_of_the_cursor() {
    let mut room = open(200, 40, &every(3));
    room.stage.keys("tab tab");
    (0..12).for_each(|_| _ = room.stage.keys("down"));
    let line = |room: &Room| here(room).source_lines(here(room).cursor()..here(room).cursor() + 1).start;
    let before = line(&room);
    room.stage.term(TermMsg::Resize(Size::new(112, 40)));
    assert_eq!(line(&room), before);
    room.stage.term(TermMsg::Resize(Size::new(60, 20)));
    assert_eq!(line(&room), before);
}
