//! Slots and widgets: whose they are, how they are dealt, when they go.

use e::model::effect::FilesFx;
use e::model::msg::FilesMsg;
use e::model::text::row::Token;
use e::model::tui::geometry::WIDGET_ROWS;
use e::model::tui::look;
use e::model::tui::slots::Place;
use e::model::wire::ext::Reply;
use proptest::prelude::*;
use serde_json::json;

use super::{Room, lines};

fn shown(room: &Room, rows: usize) -> Vec<String> {
    room.stage.tui.widgets.dealt(rows, 40).iter().map(|row| row.plain()).collect()
}

fn widget(room: &mut Room, ext: u64, key: &str, count: usize) {
    let debt = room.ask(ext, "ui.widget", &json!({"key": key, "lines": lines(count)}));
    assert_eq!(room.reply(debt), Some(Reply::Done));
}

#[test]
fn widgets_are_dealt_one_row_a_round_to_each_extension() {
    let mut room = Room::new(80, 24);
    widget(&mut room, 1, "b", 20);
    assert_eq!(shown(&room, 8).last().unwrap(), "… 13 more");
    widget(&mut room, 2, "a", 2);
    // Two of the second extension first, by its key; six are left for the other.
    assert_eq!(
        shown(&room, 8),
        ["line 1", "line 2", "line 1", "line 2", "line 3", "line 4", "line 5", "… 15 more"]
    );
    // Inside an extension each slot gets its first row before any gets a second.
    widget(&mut room, 1, "c", 3);
    assert_eq!(
        shown(&room, 8),
        ["line 1", "line 2", "line 1", "line 2", "… 18 more", "line 1", "line 2", "line 3"]
    );
    // A second round before the first extension's other slot; one row tells that there is more by its end.
    assert_eq!(shown(&room, 3), ["line 1", "line 2", "line 1…"]);
    assert_eq!(shown(&room, 2), ["line 1…", "line 1…"]);
    room.gone(1);
    assert_eq!(shown(&room, 8), ["line 1", "line 2"]);
    let debt = room.ask(2, "ui.widget", &json!({"key": "a", "lines": null}));
    assert_eq!((room.reply(debt), shown(&room, 8).len()), (Some(Reply::Done), 0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn l7_widgets_never_take_more_rows_than_there_are(
        slots in prop::collection::vec((0u64..4, 0usize..4, 0usize..12), 0..12), room_for in 0usize..12
    ) {
        let mut room = Room::new(60, 20);
        let mut total = std::collections::BTreeMap::new();
        for (ext, key, count) in slots {
            widget(&mut room, ext, &key.to_string(), count);
            total.insert((key, ext), count);
        }
        let total: usize = total.values().sum();
        prop_assert_eq!(shown(&room, room_for).len(), total.min(room_for));
        let regions = room.stage.tui.regions(0);
        prop_assert!(regions.widgets.height <= WIDGET_ROWS);
        prop_assert_eq!(usize::from(regions.widgets.height), total.min(8));
    }
}

#[test]
fn slots_belong_to_the_process_and_the_idle_activity_row_shows_them() {
    let mut room = Room::new(80, 24);
    let joined = |room: &Room, name| room.stage.tui.slots.joined(Place::Status, name);
    room.ask(1, "ui.status", &json!({"text": "a  b"}));
    room.ask(1, "ui.status", &json!({"text": "deep", "key": "git"}));
    room.ask(2, "ui.status", &json!({"text": "x".repeat(60)}));
    assert_eq!(joined(&room, Some("ext1")), "a b · deep");
    assert_eq!(joined(&room, Some("ext2")).chars().count(), 40);
    assert_eq!(room.stage.tui.regions(0).activity.height, 1, "the blank row alone");
    room.ask(1, "ui.activity", &json!({"text": "12 tests"}));
    assert_eq!(room.stage.tui.regions(0).activity.height, 2);
    // Kept over another conversation, gone with the process.
    room.stage.fact(&super::super::stage::opened(Vec::new()));
    assert_eq!(room.stage.tui.slots.joined(Place::Activity, None), "12 tests");
    room.gone(1);
    assert_eq!(room.stage.tui.slots.joined(Place::Activity, None), "");
    assert_eq!(joined(&room, Some("ext1")), "");
    room.ask(2, "ui.status", &json!({"text": null}));
    assert_eq!(joined(&room, None), "");
}

#[test]
fn a_shown_block_says_that_its_end_is_missing() {
    let mut room = Room::new(60, 20);
    let body = "row\n".repeat(20_000);
    let debt = room.ask(1, "ui.show", &json!({"title": "Long", "body": body}));
    assert_eq!(room.reply(debt), Some(Reply::Done));
    let rows = room.stage.rows();
    assert_eq!(rows[1], "Long");
    assert_eq!(rows.last().unwrap(), "… the rest was too long to show");
    let mut room = Room::new(60, 20);
    let diff = "--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n-old\n+new\n";
    room.ask(1, "ui.show", &json!({"body": diff, "format": "diff"}));
    let rows = room.stage.rows().join("\n");
    assert!(rows.contains("    1 - old") && rows.contains("    1 + new"), "{rows}");
}

#[test]
fn a_shown_diff_gets_the_colours_of_each_files_own_language() {
    let mut room = Room::new(60, 30);
    let diff = "--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n-let a;\n+let b;\n--- a/y.py\n+++ b/y.py\n@@ -1 +1 @@\n-def a():\n+def b():\n";
    room.ask(1, "ui.show", &json!({"title": "x.rs", "body": diff, "format": "diff"}));
    let asked = |room: &Room| {
        let ask = |fx: &FilesFx| match fx {
            FilesFx::Highlight { ticket, language, text, .. } => {
                Some((*ticket, language.to_string(), text.to_string()))
            }
            _ => None,
        };
        room.stage.files_fx().filter_map(ask).collect::<Vec<_>>()
    };
    let all = asked(&room);
    let about: Vec<(&str, &str)> = all.iter().map(|(_, language, text)| (&**language, &**text)).collect();
    assert_eq!(about, [("x.rs", "let a;"), ("x.rs", "let b;"), ("y.py", "def a():"), ("y.py", "def b():")]);
    let before = room.stage.printed().len();
    for (ticket, ..) in all {
        let lines = vec![vec![(0..3, Token::SyntaxKeyword)]];
        room.stage.files(ticket, FilesMsg::Coloured { from_line: 0, lines });
    }
    assert_eq!(room.stage.printed().len(), before + 1, "it leaves with its colours");
    let block = room.stage.tui.transcript.blocks().last().unwrap();
    let rows = look::rows(block, room.stage.look());
    let words = rows.iter().flat_map(|row| &row.spans).filter(|span| span.token == Token::SyntaxKeyword);
    assert_eq!(words.map(|span| span.text.as_str()).collect::<Vec<_>>(), ["let", "let", "def", "def"]);
    assert_eq!(asked(&room).len(), 4, "and is not asked about again");
}

#[test]
fn a_shown_diff_names_its_file_unless_the_title_does() {
    for title in ["Changes", "x.rs", ""] {
        let mut room = Room::new(60, 30);
        let diff = "--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n-old\n+new\n";
        room.ask(1, "ui.show", &json!({"title": title, "body": diff, "format": "diff"}));
        let rows = room.stage.rows();
        let names = rows.iter().filter(|row| row.trim() == "x.rs").count();
        assert_eq!(names, 1, "{rows:?}");
        assert_eq!(
            rows.iter().filter(|row| !row.trim().is_empty()).count(),
            3 + usize::from(title == "Changes"),
            "{rows:?}"
        );
    }
}

#[test]
fn g29_line_ends_that_an_extension_shows_are_seen() {
    let mut room = Room::new(60, 30);
    let diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\r\n+old\n";
    room.ask(1, "ui.show", &json!({"body": diff, "format": "diff"}));
    let rows = room.stage.rows().join("\n");
    assert!(rows.contains("1 - old␍") && !rows.contains("U+000D"), "{rows}");
}

#[test]
fn a_long_shown_diff_is_searched_in_the_reader() {
    let mut room = Room::new(60, 30);
    let lines: String = (0..1_500).map(|n| format!("+line number {n} of those that came\n")).collect();
    let diff = format!("--- a/x\n+++ b/x\n@@ -0,0 +1,1500 @@\n{lines}");
    room.ask(1, "ui.show", &json!({"title": "Long", "body": diff, "format": "diff"}));
    let hit = |room: &Room| {
        let reader = room.stage.tui.reader.as_ref().unwrap();
        let hit = reader.search.as_ref().unwrap().hit.unwrap();
        let block = room.stage.tui.transcript.get(hit.block.unwrap()).unwrap();
        look::rows(block, room.stage.look())[hit.row].plain().trim_end().to_owned()
    };
    room.stage.keys("ctrl+o home /").typed("NUMBER 1234").keys("enter");
    assert_eq!(hit(&room), " 1235 + line number 1234 of those that came");
    room.stage.keys("esc /").typed("number 12").keys("enter");
    let first = hit(&room);
    room.stage.keys("n");
    assert_ne!(hit(&room), first);
    room.stage.keys("N");
    assert_eq!(hit(&room), first);
}
