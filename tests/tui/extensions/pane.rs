//! The side pane: where it stands, who gets the keys, what a refresh leaves as it was, what its owner hears, and what is
//! attached.

use std::sync::Arc;

use e::model::config::chord::Chord;
use e::model::config::layout::{Pane as Entry, Side};
use e::model::term::{Mouse, MouseButton, MouseKind, Size, TermMsg};
use e::model::tui::geometry::{Rect, Split};
use e::model::tui::pane::Pane;
use e::model::tui::pane::section::{Content, Section};
use e::model::wire::ext::{Note, Reply};
use e::update::tui::route::{PaneOp, Route, route};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::super::routing::chord;
use super::Room;

pub const DIFF: &str = "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -9,4 +9,5 @@ fn first() {\n fn one() {}\n-\told();\n+\tnew();\n+let x = 1;\n \
                    fn two() {}\n@@ -40,2 +41,2 @@\n-a\n+b\n context\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-x\n+y\n";

pub fn pane(room: &Room) -> &Pane {
    room.stage.tui.pane.as_ref().unwrap()
}

pub fn here(room: &Room) -> &Section {
    pane(room).section().unwrap()
}

fn items(count: usize) -> Value {
    json!(
        (0..count).map(|n| json!({"id": format!("i{n}"), "label": format!("item {n}")})).collect::<Vec<_>>()
    )
}

/// A list of some items, and a section of every other kind.
pub fn every(count: usize) -> Value {
    let text: String = (0..30)
        .map(|n| format!("line {n} of the log, which is long enough to wrap at least once\n"))
        .collect();
    json!({"id": "p", "title": "Changes", "sections": [
        {"kind": "list", "id": "files", "items": items(count)},
        {"kind": "diff", "id": "patch", "title": "src/a.rs", "body": DIFF},
        {"kind": "text", "id": "log", "title": "Log", "body": text},
        {"kind": "markdown", "id": "doc", "body": "# Title\n\nA paragraph of\ntwo lines.\n\n- one\n- two\n\n```rust\nfn a() {}\nfn b() {}\n```\n"},
        {"kind": "rows", "id": "rows", "lines": ["one", [{"text": "two", "token": "accent"}], "three"]},
    ]})
}

pub fn open(cols: u16, rows: u16, params: &Value) -> Room {
    let mut room = Room::new(cols, rows);
    let debt = room.ask(1, "ui.pane", params);
    assert_eq!(room.reply(debt), Some(Reply::Done));
    room.stage.asks.clear();
    room
}

pub fn press(kind: MouseKind, col: u16, row: u16) -> TermMsg {
    TermMsg::Mouse(Mouse { kind, col, row, mods: Default::default() })
}

pub fn regions(room: &Room) -> e::model::tui::geometry::Regions {
    room.stage.tui.regions(0)
}

/// The sections a person may see, changed in any way.
fn sections() -> impl Strategy<Value = Value> {
    let item = prop_oneof![
        (0u8..9).prop_map(|n| json!({"id": format!("i{n}"), "label": format!("item {n}"), "detail": "+1"})),
        "[a-c]{0,3}".prop_map(Value::from),
    ];
    let line = prop_oneof![
        Just(json!([{"text": "a\tb", "token": "dim"}, "漢字"])),
        "[a-z 漢]{0,60}".prop_map(Value::from)
    ];
    let body = prop_oneof![
        Just(DIFF.to_owned()),
        Just(DIFF.repeat(4)),
        crate::text::nasty::text(),
        "([a-z漢]{0,30}\n){0,40}",
        Just("# T\n\n| a | b |\n|-|-|\n| 1 | 2 |\n\n> q\n> r\n\n1. x\n2. y\n".repeat(3)),
    ];
    let section = prop_oneof![
        (0u8..4, prop::collection::vec(item, 0..14), 0u8..9).prop_map(|(id, items, at)| {
            json!({"kind": "list", "id": format!("s{id}"), "items": items, "selected": format!("i{at}")})
        }),
        (0u8..4, select(vec!["diff", "text", "markdown"]), body, select(vec!["", "T", "src/a.rs"])).prop_map(
            |(id, kind, body, title)| json!({"kind": kind, "id": format!("s{id}"), "title": title, "body": body})
        ),
        (0u8..4, prop::collection::vec(line, 0..20))
            .prop_map(|(id, lines)| json!({"kind": "rows", "id": format!("s{id}"), "lines": lines})),
    ];
    prop::collection::vec(section, 1..5).prop_map(Value::Array)
}

fn request() -> impl Strategy<Value = Value> {
    (select(vec!["p", "q"]), sections(), select(vec![json!("left"), json!("right"), Value::Null])).prop_map(
        |(id, sections, side)| json!({"id": id, "title": "Changes", "side": side, "sections": sections}),
    )
}

fn size() -> impl Strategy<Value = Size> {
    (1u16..300, 1u16..100).prop_map(|(cols, rows)| Size::new(cols, rows))
}

#[derive(Debug, Clone)]
enum Event {
    Key(Chord),
    Named(&'static str),
    Mouse(MouseKind, u16, u16),
    Ask(u64, Value),
    Null(u64),
    Gone(u64),
    Resize(Size),
    Type,
}

fn event() -> impl Strategy<Value = Event> {
    let keys = vec![
        "up",
        "down",
        "j",
        "k",
        "shift+down",
        "shift+up",
        "shift+j",
        "shift+end",
        "pageup",
        "pagedown",
        "home",
        "end",
        "left",
        "right",
        "tab",
        "shift+tab",
        "enter",
        "esc",
        "ctrl+t",
        "x",
        "ctrl+c",
        "backspace",
    ];
    let kinds = vec![
        MouseKind::Down(MouseButton::Left),
        MouseKind::Drag(MouseButton::Left),
        MouseKind::Up(MouseButton::Left),
        MouseKind::WheelDown,
        MouseKind::WheelUp,
    ];
    prop_oneof![
        2 => chord().prop_map(Event::Key),
        12 => select(keys).prop_map(Event::Named),
        4 => (select(kinds), 0u16..200, 0u16..60).prop_map(|(kind, col, row)| Event::Mouse(kind, col, row)),
        3 => (1u64..3, request()).prop_map(|(ext, params)| Event::Ask(ext, params)),
        1 => (1u64..3).prop_map(Event::Null),
        1 => (1u64..3).prop_map(Event::Gone),
        2 => size().prop_map(Event::Resize),
        1 => Just(Event::Type),
    ]
}

fn apply(room: &mut Room, event: &Event) {
    match event {
        Event::Key(chord) => _ = room.stage.term(TermMsg::Key(*chord)),
        Event::Named(keys) => _ = room.stage.keys(keys),
        Event::Mouse(kind, col, row) => _ = room.stage.term(press(*kind, *col, *row)),
        Event::Ask(ext, params) => drop(room.ask(*ext, "ui.pane", params)),
        Event::Null(ext) => drop(room.ask(*ext, "ui.pane", &Value::Null)),
        Event::Gone(ext) => room.gone(*ext),
        Event::Resize(size) => _ = room.stage.term(TermMsg::Resize(*size)),
        Event::Type => _ = room.stage.paste("words"),
    }
}

/// Everything a person sees of a section.
fn seen(section: &Section) -> (usize, usize, usize, Option<std::ops::Range<usize>>, Vec<String>) {
    let rows = (0..section.total().min(50)).map(|at| section.row(at).plain()).collect();
    (section.cursor(), section.top(), section.sideways(), section.selection(), rows)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn l3_the_pane_has_its_share_of_the_screen(columns in 60u16..400, width in 30u16..=70, rows in 1u16..100) {
        let mut room = open(columns, rows, &every(3));
        room.stage.config.layout.split_min = 60;
        room.stage.config.layout.panes.insert(Arc::from("*"), Entry { side: None, width: Some(width) });
        room.stage.term(TermMsg::FocusGained);
        let r = regions(&room);
        prop_assert_eq!(r.pane.width, columns * width / 100);
        prop_assert_eq!(r.divider.width, 3);
        prop_assert_eq!(r.composer.width, columns - r.pane.width - 3);
        prop_assert_eq!(r.pane.height, rows);
        prop_assert!(u32::from(r.pane.width) * 100 + 100 > u32::from(columns) * 30);
    }

    #[test]
    fn l4_below_split_min_one_of_the_two_shows_and_it_is_the_one_with_the_keys(
        size in size(), split_min in 60u16..200, toggles in 0usize..3,
    ) {
        let mut room = open(size.cols, size.rows, &every(3));
        room.stage.config.layout.split_min = split_min;
        (0..toggles).for_each(|_| _ = room.stage.keys("ctrl+t"));
        room.stage.term(TermMsg::FocusGained);
        let (r, focused) = (regions(&room), toggles != 1);
        prop_assert_eq!(pane(&room).focused, focused);
        if size.cols >= split_min {
            prop_assert!(!r.composer.is_empty() && !r.pane.is_empty());
        } else {
            prop_assert_eq!(r.composer.is_empty(), focused);
            let whole = Rect::new(0, 0, size.cols, size.rows - u16::from(size.rows > 1));
            prop_assert_eq!(r.pane.is_empty(), !focused);
            prop_assert!(!focused || r.pane == whole);
        }
    }

    #[test]
    fn l5_the_persons_file_beats_the_extensions_side(
        own in select(vec![None, Some(Side::Left), Some(Side::Right)]),
        star in select(vec![None, Some(Side::Left), Some(Side::Right)]),
        wish in select(vec![None, Some("left"), Some("right")]),
    ) {
        let mut room = Room::new(200, 40);
        let entry = |side| Entry { side, width: None };
        let panes = &mut room.stage.config.layout.panes;
        own.map(|side| panes.insert(Arc::from("p"), entry(Some(side))));
        star.map(|side| panes.insert(Arc::from("*"), entry(Some(side))));
        room.ask(1, "ui.pane", &json!({"id": "p", "side": wish, "sections": [{"kind": "text", "body": "x"}]}));
        let wished = wish.map(|side| if side == "left" { Side::Left } else { Side::Right });
        let side = own.or(star).or(wished).unwrap_or(Side::Right);
        prop_assert_eq!(regions(&room).pane.x == 0, side == Side::Left);
        // A refresh without a proposal leaves it there.
        room.ask(1, "ui.pane", &json!({"id": "p", "sections": [{"kind": "text", "body": "y"}]}));
        prop_assert_eq!(regions(&room).pane.x == 0, side == Side::Left);
    }

    #[test]
    fn l9_a_wider_screen_never_narrows_the_conversation_within_a_mode(columns in 60u16..400, width in 30u16..=70) {
        let place = |columns: u16| {
            let mut room = open(columns, 30, &every(3));
            room.stage.config.layout.panes.insert(Arc::from("*"), Entry { side: None, width: Some(width) });
            room.stage.term(TermMsg::FocusGained);
            room.stage.keys("ctrl+t");
            (matches!(room.stage.tui.split(), Split::Beside { .. }), regions(&room).transcript.width)
        };
        let (before, after) = (place(columns), place(columns + 1));
        prop_assert!(before.0 != after.0 || after.1 >= before.1, "{before:?} {after:?}");
    }

    #[test]
    fn k2_k4_the_pane_hears_what_e_did_not_use(pressed in chord(), at in 0usize..5, draft: bool) {
        let mut room = open(140, 40, &every(12));
        (0..at).for_each(|_| _ = room.stage.keys("tab"));
        if draft {
            room.stage.paste("words").keys("ctrl+t");
        }
        let routed = route(&room.stage.tui, &room.stage.config.keymap, &room.stage.registry, pressed);
        room.stage.asks.clear();
        room.stage.term(TermMsg::Key(pressed));
        let keys: Vec<Chord> = room.told().into_iter().filter_map(|(_, note)| match note {
            Note::PaneKey { key, .. } => Some(key),
            _ => None,
        }).collect();
        let wanted = if routed == Route::Pane(PaneOp::Key) { vec![pressed] } else { Vec::new() };
        prop_assert_eq!(&keys, &wanted);
        let reserved = pressed.is_reserved();
        prop_assert!(!reserved || keys.is_empty());
        prop_assert_eq!(matches!(routed, Route::Pane(_)), !reserved && pressed != "ctrl+t".parse::<Chord>().unwrap());
        if !reserved && draft && pressed != "enter".parse::<Chord>().unwrap() {
            prop_assert_eq!(room.stage.draft(), "words");
        }
    }

    #[test]
    fn p1_p4_p5_p10_whatever_happens(size in size(), first in request(), events in prop::collection::vec(event(), 1..24)) {
        let mut room = open(size.cols, size.rows, &first);
        for event in &events {
            let before = room.stage.tui.pane.as_ref().map(|pane| {
                let item = pane.section().and_then(|s| s.item().map(|item| (s.id.clone(), item.id.clone())));
                (pane.owner, pane.id.clone(), pane.focused, item)
            });
            room.stage.asks.clear();
            apply(&mut room, event);
            let after = room.stage.tui.pane.as_ref();
            let told = room.told();
            // P10
            let closed = told.iter().filter(|(_, note)| matches!(note, Note::PaneClosed { .. })).count();
            let gone = before.as_ref().is_some_and(|(owner, id, ..)| {
                after.is_none_or(|pane| (pane.owner, &pane.id) != (*owner, id))
            });
            let silent = matches!(event, Event::Null(_) | Event::Gone(_));
            prop_assert_eq!(closed, usize::from(gone && !silent), "{:?}", event);
            // P5
            let chosen = after.and_then(Pane::section).and_then(|s| s.item().map(|item| (s.id.clone(), item.id.clone())));
            let selects = told.iter().filter(|(_, note)| matches!(note, Note::PaneSelect { .. })).count();
            let by_user = matches!(event, Event::Key(_) | Event::Named(_) | Event::Mouse(..));
            let stayed = chosen.as_ref().map(|(s, _)| s) == before.as_ref().and_then(|b| b.3.as_ref()).map(|(s, _)| s);
            if by_user && stayed {
                let moved = chosen != before.as_ref().and_then(|b| b.3.clone());
                prop_assert_eq!(selects, usize::from(moved), "{:?}", event);
            }
            prop_assert!(by_user || selects == 0);
            // A refresh moves no focus.
            if let (Event::Ask(..), Some(pane), Some((owner, id, focused, _))) = (event, after, &before)
                && (pane.owner, &pane.id) == (*owner, id)
            {
                prop_assert_eq!(pane.focused, *focused);
            }
            let Some(pane) = after else { continue };
            // P1
            prop_assert!(pane.at() < pane.sections.len());
            let (area, _) = room.stage.tui.pane_area();
            let frame = pane.frame(area);
            for (section, part) in pane.sections.iter().zip(&frame.parts) {
                prop_assert!(section.cursor() < section.len().max(1));
                prop_assert!(section.top() + usize::from(part.rows.height) <= section.total().max(part.rows.height.into()));
                // P4
                let selection = section.selection().unwrap_or(0..0);
                prop_assert!(selection.end <= section.len());
                prop_assert!(part.rows.is_empty() || (area.contains(part.rows.x, part.rows.y) && part.rows.bottom() <= area.bottom()));
            }
            // The one with the keys shows wherever anything does.
            if area.height > 0 {
                prop_assert!(!frame.parts[pane.at()].rows.is_empty(), "{:?} {:?}", area, frame);
            }
        }
    }

    #[test]
    fn p2_the_same_again_changes_nothing(
        size in size(), params in request(), events in prop::collection::vec(event(), 0..12),
    ) {
        let mut room = open(size.cols, size.rows, &params);
        for event in events.iter().filter(|event| !matches!(event, Event::Ask(..))) {
            apply(&mut room, event);
        }
        let Some(before) = room.stage.tui.pane.clone() else { return Ok(()) };
        room.stage.asks.clear();
        room.ask(1, "ui.pane", &params);
        let after = pane(&room);
        prop_assert_eq!(before.sections.iter().map(seen).collect::<Vec<_>>(), after.sections.iter().map(seen).collect::<Vec<_>>());
        prop_assert_eq!((before.at(), before.focused, &before.title), (after.at(), after.focused, &after.title));
        prop_assert_eq!(room.told(), Vec::new());
    }

    #[test]
    fn p3_the_cursor_of_a_list_follows_its_item(
        downs in 0usize..12, order in Just((0..12).collect::<Vec<usize>>()).prop_shuffle(), kept in 1usize..12,
    ) {
        let mut room = open(140, 40, &every(12));
        (0..downs).for_each(|_| _ = room.stage.keys("down"));
        let at = here(&room).item().unwrap().id.clone();
        let items: Vec<Value> = order.iter().take(kept).map(|n| json!({"id": format!("i{n}"), "label": "again"})).collect();
        let params = json!({"id": "p", "sections": [{"kind": "list", "id": "files", "items": items, "selected": "i0"}]});
        room.stage.asks.clear();
        room.ask(1, "ui.pane", &params);
        let there = order.iter().take(kept).any(|n| *at == *format!("i{n}"));
        prop_assert!(!there || here(&room).item().unwrap().id == at);
        prop_assert_eq!(here(&room).cursor(), if there { here(&room).cursor() } else { downs.min(kept - 1) });
        prop_assert_eq!(room.told(), Vec::new());
    }

    #[test]
    fn p6_p7_movements_agree(section in 0usize..5, start in 0usize..40, pages in 1usize..4, rows in 12u16..60) {
        let mut room = open(140, rows, &every(30));
        (0..section).for_each(|_| _ = room.stage.keys("tab"));
        (0..start).for_each(|_| _ = room.stage.keys("j"));
        let (at, len) = (here(&room).cursor(), here(&room).len());
        if at + 1 < len {
            prop_assert_eq!({ room.stage.keys("down up"); here(&room).cursor() }, at);
        }
        let (area, _) = room.stage.tui.pane_area();
        let height = usize::from(pane(&room).frame(area).parts[section].rows.height);
        (0..pages).for_each(|_| _ = room.stage.keys("pagedown"));
        prop_assert_eq!(here(&room).cursor(), (at + pages * height).min(len - 1));
        let there = here(&room).cursor();
        room.stage.keys("pageup");
        prop_assert_eq!(here(&room).cursor(), there.saturating_sub(height));
    }

    #[test]
    fn p8_what_is_attached_is_what_was_marked(from in 0usize..20, to in 0usize..20, wide: bool) {
        let lines: Vec<String> = (0..20).map(|n| format!("{n} {}", "word ".repeat(n * 3)).trim_end().to_owned()).collect();
        let sections = json!([{"kind": "text", "id": "t", "title": "Log", "body": lines.join("\n")}, {"kind": "rows", "lines": lines}]);
        let mut room = open(if wide { 280 } else { 120 }, 50, &json!({"title": "Run", "sections": sections}));
        let row_of = |room: &Room, line: usize| {
            let section = here(room);
            (0..section.len()).find(|row| section.source_lines(*row..*row + 1).start == line).unwrap()
        };
        let (first, last) = (from.min(to), from.max(to));
        let (start, end) = (row_of(&room, first), row_of(&room, last));
        room.stage.keys("home");
        (0..start).for_each(|_| _ = room.stage.keys("down"));
        (start..end).for_each(|_| _ = room.stage.keys("shift+down"));
        room.stage.keys("enter");
        let count = last - first + 1;
        let plural = if count == 1 { "" } else { "s" };
        prop_assert_eq!(room.stage.draft(), format!("[Log, {count} line{plural}]"));
        prop_assert!(!pane(&room).focused && here(&room).selection().is_none());
        let expanded = room.stage.tui.composer.draft.body().expanded();
        prop_assert_eq!(expanded, format!("Run (Log)\n{}", lines[first..=last].join("\n")));
    }

    #[test]
    fn p11_the_cursor_reaches_every_wrapped_row(params in request(), size in size()) {
        use e::model::text::{clean::Clean, diff, markdown, wrap};
        let room = open(size.cols, size.rows, &params);
        let (_, columns) = room.stage.tui.pane_area();
        for (section, sent) in pane(&room).sections.iter().zip(params["sections"].as_array().unwrap()) {
            let body = Clean::review(sent["body"].as_str().unwrap_or_default());
            let plain = Clean::vanish(sent["body"].as_str().unwrap_or_default());
            let wrapped = |text: &Clean| -> usize {
                let how = wrap::Wrap::words(columns.into()).tab(4);
                text.lines().map(|line| wrap::count_text(&line, how)).sum()
            };
            let rows = match &section.content {
                Content::List(items) => items.len(),
                Content::Rows(rows) => rows.len(),
                Content::Diff(sheet) => diff::parse(body.as_str()).rows.len() - sheet.skipped,
                Content::Text(_) if sent["kind"] == "diff" => wrapped(&body),
                Content::Text(_) => wrapped(&plain),
                Content::Markdown { .. } => {
                    let options = markdown::Options::new(columns.into());
                    markdown::render(plain.as_str(), options, &markdown::Uncoloured).len()
                }
            };
            prop_assert_eq!(section.len(), rows, "{:?}", sent);
            if matches!(section.content, Content::Text(_) | Content::Markdown { .. }) {
                prop_assert!((0..section.len()).all(|at| section.row(at).width() <= usize::from(columns).max(2)));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn p9_what_is_too_much_is_cut_and_says_so(lines in 1usize..40, long in 1usize..60_000) {
        let body = "x".repeat(long) + "\n";
        let params = json!({"sections": [
            {"kind": "text", "id": "a", "body": body.repeat(lines)},
            {"kind": "text", "id": "b", "title": "Later", "body": "short"},
            {"kind": "list", "id": "c", "title": "Last", "items": ["one"]},
        ]});
        let room = open(140, 40, &params);
        let total: usize = params["sections"].as_array().unwrap().iter().map(|s| s.to_string().len()).sum();
        let cut = total > 256 * 1024;
        prop_assert_eq!(pane(&room).cut(), cut);
        let ids: Vec<&str> = pane(&room).sections.iter().map(|s| &*s.id).collect();
        prop_assert_eq!(ids, vec!["a", "b", "c"]);
        prop_assert_eq!(pane(&room).sections[1].title.as_str(), "Later");
        for section in pane(&room).sections.iter().filter(|section| section.cut) {
            prop_assert!(section.row(section.total() - 1).plain().contains("left out"));
            prop_assert_eq!(section.total(), section.len() + 1);
        }
        let (area, _) = room.stage.tui.pane_area();
        prop_assert_eq!(!pane(&room).frame(area).clip.is_empty(), cut);
    }
}
