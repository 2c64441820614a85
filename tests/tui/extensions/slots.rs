//! Slots and widgets: whose they are, how they are dealt, when they go.

use e::model::tui::geometry::WIDGET_ROWS;
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
