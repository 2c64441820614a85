//! `ui.pane`: sections, ids, and the 256 KiB it may have.

use e::model::config::layout::Side;
use e::model::text::row::Token;
use e::model::wire::ext::{Ask, Body, PANE_BYTES, Pane, UiAsk};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::strategies;

fn pane(params: Value) -> Pane {
    match Ask::read("ui.pane", &params) {
        Ask::Ui(UiAsk::Pane(Some(pane))) => pane,
        other => panic!("{other:?}"),
    }
}

fn ids(pane: &Pane) -> Vec<&str> {
    pane.sections.iter().map(|s| &*s.id).collect()
}

fn items(body: &Body) -> Vec<(&str, &str)> {
    match body {
        Body::List { items, .. } => items.iter().map(|i| (&*i.id, i.label.as_str())).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_pane_has_five_kinds_of_sections() {
    let pane = pane(json!({
        "id": "p\nq", "title": "T", "side": "left", "hint": "h".repeat(99),
        "sections": [
            {"kind": "list", "id": "files", "title": "Files", "selected": "b", "items": [
                "a", {"id": "b", "label": "B", "detail": "+1", "token": "success"},
            ]},
            {"kind": "chart", "id": "no"},
            {"kind": "diff", "body": "+a\u{202E}"},
            {"kind": "text", "id": "files", "body": "t"},
            {"kind": "markdown", "id": 7, "body": "# m"},
            {"kind": "rows", "lines": ["r", [{"text": "s", "token": "dim"}]]},
            "nonsense",
        ],
    }));
    assert_eq!((pane.id.as_deref(), pane.title.as_str(), pane.side), (Some("p q"), "T", Some(Side::Left)));
    assert_eq!(pane.hint.as_str().chars().count(), 80);
    assert_eq!(ids(&pane), ["files", "2", "files#2", "4", "5"]);
    assert!(!pane.cut());
    let Body::List { items, selected } = &pane.sections[0].body else { panic!() };
    assert_eq!((items[1].detail.as_str(), items[1].token, *selected), ("+1", Token::Success, 1));
    assert!(matches!(&pane.sections[1].body, Body::Diff(text) if text.as_str() == "+a<U+202E>"));
    assert!(matches!(&pane.sections[2].body, Body::Text(text) if text.as_str() == "t"));
    assert!(matches!(&pane.sections[3].body, Body::Markdown(text) if text.as_str() == "# m"));
    assert!(matches!(&pane.sections[4].body, Body::Rows(rows) if rows.len() == 2));
}

#[test]
fn null_closes_and_a_pane_without_sections_is_refused() {
    for params in [json!(null), json!("x"), json!([])] {
        assert_eq!(Ask::read("ui.pane", &params), Ask::Ui(UiAsk::Pane(None)));
    }
    for params in [
        json!({}),
        json!({"sections": []}),
        json!({"sections": [{"kind": "chart"}, {}]}),
        json!({"sections": 1}),
    ] {
        assert!(
            matches!(Ask::read("ui.pane", &params), Ask::Refused(why) if why.starts_with("ui.pane: give sections"))
        );
    }
    assert_eq!(pane(json!({"side": "up", "sections": [{"kind": "text"}]})).side, None);
}

#[test]
fn equal_item_ids_get_numbers_and_missing_ones_defaults() {
    let pane = pane(json!({"sections": [{"kind": "list", "selected": "nowhere", "items": [
        "a", "a", {"id": "a#2", "label": "x"}, {"label": "lab"}, {"id": "only"}, {}, 9, {"id": "", "label": "lab"}, "a",
    ]}]}));
    assert_eq!(
        items(&pane.sections[0].body),
        [
            ("a", "a"),
            ("a#2", "a"),
            ("a#2#2", "x"),
            ("lab", "lab"),
            ("only", "only"),
            ("5", ""),
            ("9", "9"),
            ("lab#2", "lab"),
            ("a#3", "a"),
        ]
    );
    assert!(matches!(pane.sections[0].body, Body::List { selected: 0, .. }));
}

#[test]
fn the_section_that_crosses_the_limit_keeps_whole_lines_and_later_ones_their_names() {
    let line = format!("{}\n", "é\"".repeat(50));
    let small = json!({"kind": "text", "id": "first", "body": "whole"});
    let pane = pane(json!({"sections": [
        small,
        {"kind": "text", "id": "big", "title": "Big", "body": line.repeat(5000)},
        {"kind": "list", "id": "later", "title": "Later", "items": ["x"]},
        {"kind": "rows", "id": "last", "lines": ["x"]},
    ]}));
    let cut: Vec<bool> = pane.sections.iter().map(|s| s.cut).collect();
    assert_eq!(cut, [false, true, true, true]);
    let Body::Text(text) = &pane.sections[1].body else { panic!() };
    let lines = text.as_str().lines().count();
    assert_eq!(text.as_str(), line.repeat(lines));
    let with = |lines: usize| {
        json!({"kind": "text", "id": "big", "title": "Big", "body": line.repeat(lines)}).to_string().len()
            + small.to_string().len()
    };
    assert!(with(lines) <= PANE_BYTES && with(lines + 1) > PANE_BYTES, "{lines}");
    assert_eq!((ids(&pane)[2], pane.sections[2].title.as_str()), ("later", "Later"));
    assert!(items(&pane.sections[2].body).is_empty());
    assert!(matches!(&pane.sections[3].body, Body::Rows(rows) if rows.is_empty()));
}

#[test]
fn lists_and_rows_keep_as_many_whole_entries_as_fit() {
    for (kind, key) in [("list", "items"), ("rows", "lines")] {
        for width in [1, 7, 100, 1001] {
            let section = |count: usize| json!({"kind": kind, key: vec!["x".repeat(width); count]});
            let pane = pane(json!({"sections": [section(PANE_BYTES / width)]}));
            let kept = match &pane.sections[0].body {
                Body::List { items, .. } => items.len(),
                Body::Rows(rows) => rows.len(),
                other => panic!("{other:?}"),
            };
            let size = |count: usize| section(count).to_string().len();
            assert!(size(kept) <= PANE_BYTES && size(kept + 1) > PANE_BYTES, "{kind} {width}: {kept}");
        }
    }
}

#[test]
fn a_single_line_over_the_limit_is_cut_between_clusters() {
    let pane = pane(json!({"sections": [{"kind": "text", "body": "e\u{301}".repeat(200_000)}]}));
    let Body::Text(text) = &pane.sections[0].body else { panic!() };
    assert!(pane.sections[0].cut && text.len() > PANE_BYTES - 100 && text.len() < PANE_BYTES);
    assert!(text.as_str().ends_with('\u{301}'));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..strategies::cases() })]

    #[test]
    fn p9_no_pane_is_larger_than_its_limit_and_no_section_is_lost(
        sections in vec((0usize..5, 0usize..300, 1usize..400), 1..6),
    ) {
        let kinds = ["list", "diff", "text", "markdown", "rows"];
        let sent: Vec<Value> = sections.iter().map(|(kind, lines, width)| {
            let line = "\\w".repeat(*width);
            match kinds[*kind] {
                "list" => json!({"kind": "list", "items": vec![line; *lines]}),
                "rows" => json!({"kind": "rows", "lines": vec![line; *lines]}),
                kind => json!({"kind": kind, "body": format!("{line}\n").repeat(*lines)}),
            }
        }).collect();
        let total: usize = sent.iter().map(|s| s.to_string().len()).sum();
        let pane = pane(json!({"sections": sent}));
        prop_assert_eq!(pane.sections.len(), sections.len());
        prop_assert_eq!(pane.cut(), total > PANE_BYTES);
        let kept: usize = pane.sections.iter().map(|s| match &s.body {
            Body::List { items, .. } => items.iter().map(|i| json!(i.label.as_str()).to_string().len()).sum(),
            Body::Rows(rows) => rows.iter().map(|r| json!(r.plain()).to_string().len()).sum(),
            Body::Diff(t) | Body::Text(t) | Body::Markdown(t) => json!(t.as_str()).to_string().len(),
        }).sum();
        prop_assert!(kept <= PANE_BYTES);
        // Once something was cut, everything behind it is.
        let first = pane.sections.iter().position(|s| s.cut).unwrap_or(pane.sections.len());
        prop_assert!(pane.sections[first..].iter().all(|s| s.cut));
    }
}
