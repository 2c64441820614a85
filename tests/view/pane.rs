//! The side pane as it is painted: whole screens as text, and the properties of frames with one.

use std::sync::Arc;

use e::model::Model;
use e::model::config::theme::Theme;
use e::model::id::ExtId;
use e::model::term::{ColorDepth, Size};
use e::model::text::clean::Clean;
use e::model::text::row::Token;
use e::model::tui::pane::{Pane, Step};
use e::model::wire::ext::{Ask, UiAsk};
use e::view::cache::Cache;
use e::view::{LEAST, paint};
use proptest::prelude::*;
use proptest::sample::select;
use ratatui::style::{Color, Modifier};
use serde_json::{Value, json};

use super::scene::*;
use super::screens::check;
use crate::text::nasty;

/// A session with a pane, laid out as the core does it.
fn with(mut model: Model, params: &Value, focused: bool, change: impl FnOnce(&mut Pane)) -> Model {
    let Ask::Ui(UiAsk::Pane(Some(asked))) = Ask::read("ui.pane", params) else { panic!("{params}") };
    let layout = model.config.layout.clone();
    let tui = tui(&mut model);
    let mut pane = Pane::open(ExtId(1), &Arc::from("review"), asked, focused);
    pane.settle(&layout);
    tui.pane = Some(pane);
    settle(&mut model);
    change(super::scene::tui(&mut model).pane.as_mut().unwrap());
    settle(&mut model);
    model
}

fn settle(model: &mut Model) {
    let tui = tui(model);
    let (area, columns) = tui.pane_area();
    tui.pane.as_mut().unwrap().lay(area, columns, 4);
}

fn review() -> Value {
    let more = "--- a/src/lexer.rs\n+++ b/src/lexer.rs\n@@ -7,3 +7,3 @@ fn blank(c: char) -> bool\n fn blank(c: char) -> bool {\n-    c == ' '\n+    \
                c.is_whitespace() // every kind of blank there is, tabs and line ends among them\n }\n";
    json!({"id": "diff", "title": "Changes", "sections": [
        {"kind": "list", "id": "files", "items": [
            {"id": "a", "label": "src/parser.rs", "detail": "+2 -1"},
            {"id": "b", "label": "src/lexer.rs", "detail": "+1 -1", "token": "accent"},
            {"id": "c", "label": "docs/a-file-with-a-name-that-is-longer-than-the-pane-is-wide.md", "detail": "renamed"},
        ]},
        {"kind": "diff", "id": "patch", "title": "src/parser.rs", "body": format!("{DIFF}{more}")},
    ]})
}

fn plan() -> Value {
    json!({"id": "plan", "title": "Make the parser skip tabs", "hint": "enter: comment on a step · esc: close", "sections": [
        {"kind": "list", "id": "steps", "items": ["1. read the lexer", "2. change it", "3. add a test"]},
        {"kind": "markdown", "id": "details", "title": "Details", "body": "**1. read the lexer**\n\nIt knows of `' '` alone.\n\n- `blank`\n- `skip`\n\n```rust\nfn blank() {}\n```\n"},
        {"kind": "text", "id": "log", "title": "Log", "body": "cargo test\n\trunning 4 tests\nok"},
        {"kind": "rows", "id": "rows", "lines": [[{"text": "✓ ", "token": "success"}, "3 passed"], [{"text": "✗ ", "token": "error"}, "1 failed"]]},
    ]})
}

#[test]
fn side_panes() {
    check("pane-review", |cols, rows| {
        with(session(cols, rows), &review(), true, |pane| {
            pane.turn(true);
            let patch = pane.section_mut().unwrap();
            patch.step(Step::Down, false);
            patch.step(Step::Down, true);
        })
    });
    check("pane-plan", |cols, rows| with(session(cols, rows), &plan(), false, |_| {}));
    check("pane-cut", |cols, rows| {
        let body = "a line of a log that says much\n".repeat(20_000);
        let params = json!({"id": "log", "side": "left", "sections": [{"kind": "text", "body": body}, {"kind": "list", "title": "Later", "items": ["x"]}]});
        let mut model = session(cols, rows);
        model.config.layout.split_min = 60;
        with(model, &params, true, |pane| {
            pane.section_mut().unwrap().step(Step::End, false);
        })
    });
}

fn style_of(model: &Model, wanted: &str) -> Modifier {
    let painted = paint(model, &mut Cache::default());
    let text = plain(&painted);
    let (y, line) = text.lines().enumerate().find(|(_, line)| line.contains(wanted)).unwrap();
    let x = line[..line.find(wanted).unwrap()].chars().count();
    painted.cells[(x as u16, y as u16)].modifier
}

#[test]
fn the_cursor_is_bold_and_the_selection_reversed_at_every_depth() {
    for depth in [ColorDepth::None, ColorDepth::Ansi16, ColorDepth::Ansi256, ColorDepth::True] {
        let make = |step: bool, focused: bool| {
            let mut model = session(140, 40);
            set_depth(&mut model, depth);
            with(model, &review(), focused, |pane| {
                if step {
                    pane.turn(true);
                    pane.section_mut().unwrap().step(Step::Down, true);
                }
            })
        };
        let model = make(false, true);
        assert!(style_of(&model, "src/parser.rs   ").contains(Modifier::BOLD));
        assert!(!style_of(&model, "src/lexer.rs   ").contains(Modifier::BOLD));
        assert!(style_of(&model, "Changes").contains(Modifier::BOLD));
        assert!(!style_of(&make(false, false), "Changes").contains(Modifier::BOLD));
        let model = make(true, true);
        assert!(style_of(&model, "let mut rest").contains(Modifier::REVERSED));
        assert!(style_of(&model, "while let Some").contains(Modifier::REVERSED | Modifier::BOLD));
        assert!(!style_of(&model, "if next ==").contains(Modifier::REVERSED));
    }
}

fn params() -> impl Strategy<Value = Value> {
    let body = prop_oneof![Just(DIFF.to_owned()), nasty::text(), "([a-z漢]{0,60}\n){0,30}"];
    let section = (select(vec!["list", "diff", "text", "markdown", "rows"]), body, select(vec!["", "PPPP"]))
        .prop_map(|(kind, body, title)| {
            let lines: Vec<&str> = body.lines().collect();
            json!({"kind": kind, "title": title, "body": body, "items": lines, "lines": lines})
        });
    let side = select(vec!["left", "right"]);
    (side, prop::collection::vec(section, 1..5)).prop_map(
        |(side, sections)| json!({"title": "PPPP", "hint": "PPPP PPPP", "side": side, "sections": sections}),
    )
}

fn world() -> impl Strategy<Value = Model> {
    let depth = select(vec![ColorDepth::None, ColorDepth::Ansi16, ColorDepth::Ansi256, ColorDepth::True]);
    let steps = prop::collection::vec((0usize..4, any::<bool>(), 0u8..8), 0..8);
    ((1u16..300, 1u16..100), params(), any::<bool>(), depth, steps).prop_map(
        |(size, params, focused, depth, steps)| {
            let mut model = session(size.0, size.1);
            set_depth(&mut model, depth);
            with(model, &params, focused, |pane| {
                for (turns, select, step) in steps {
                    (0..turns).for_each(|_| pane.turn(true));
                    let Some(section) = pane.section_mut() else { continue };
                    let moves = [Step::Up, Step::Down, Step::PageUp, Step::PageDown, Step::Home, Step::End];
                    match moves.get(usize::from(step)) {
                        Some(step) => drop(section.step(*step, select)),
                        None if step == 6 => section.shift(true),
                        None => section.scroll(true, 3),
                    }
                }
            })
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn v1_v2_v5_with_a_pane_cold_is_warm_and_a_resize_comes_back(mut model in world(), other in (1u16..300, 1u16..100)) {
        let mut cache = Cache::default();
        let first = paint(&model, &mut cache);
        prop_assert_eq!(&paint(&model, &mut cache), &first);
        prop_assert_eq!(&paint(&model, &mut Cache::default()), &first);
        let size = tui_of(&model).screen.size;
        tui(&mut model).screen.size = Size::new(other.0, other.1);
        let _ = paint(&model, &mut cache);
        tui(&mut model).screen.size = size;
        prop_assert_eq!(&paint(&model, &mut cache), &first);
    }

    #[test]
    fn v6_the_pane_paints_in_its_column_alone(model in world()) {
        let painted = paint(&model, &mut Cache::default());
        let size = tui_of(&model).screen.size;
        if size.cols < LEAST.cols || size.rows < LEAST.rows {
            return Ok(());
        }
        let regions = tui_of(&model).regions(0);
        prop_assert_eq!((painted.cells.area.width, painted.cells.area.height), (size.cols, size.rows));
        for y in 0..size.rows {
            for x in 0..size.cols {
                let symbol = painted.cells[(x, y)].symbol();
                let inside = regions.pane.contains(x, y) || regions.status.contains(x, y);
                prop_assert!(inside || !symbol.starts_with('P'), "{x},{y}:\n{}", plain(&painted));
                let between = regions.divider.contains(x, y);
                prop_assert!(!between || (symbol == "│") == (x == regions.divider.x + 1));
            }
        }
        if let Some((x, y)) = painted.cursor {
            prop_assert!(regions.composer.contains(x, y));
        }
        prop_assert_eq!(painted.cursor.is_none(), tui_of(&model).pane.as_ref().unwrap().focused);
    }

    #[test]
    fn v7_every_colour_of_a_pane_is_a_tokens(mut model in world()) {
        let colours: Vec<String> =
            Token::ALL.iter().enumerate().map(|(at, token)| format!("\"{}\": \"#{:06x}\"", token.name(), 0x10_0000 + at)).collect();
        let file = format!("{{\"vars\": {{}}, \"colors\": {{{}}}}}", colours.join(","));
        set_depth(&mut model, ColorDepth::True);
        model.config.theme = Theme::parse("t.json", "t", file.as_bytes()).0.unwrap();
        for cell in &paint(&model, &mut Cache::default()).cells.content {
            prop_assert!(!cell.symbol().chars().any(char::is_control));
            for colour in [cell.fg, cell.bg] {
                let known = match colour {
                    Color::Reset => true,
                    Color::Rgb(0x10, 0, at) => usize::from(at) < Token::ALL.len(),
                    _ => false,
                };
                prop_assert!(known, "{colour:?}");
            }
        }
    }
}

/// The status row says how to reach the one that is hidden.
#[test]
fn a_narrow_screen_says_how_to_reach_the_other() {
    let last = |focused| {
        let model = with(session(80, 24), &review(), focused, |_| {});
        plain(&paint(&model, &mut Cache::default())).lines().rev().nth(1).unwrap().trim_end().to_owned()
    };
    assert!(last(true).ends_with("conversation · ctrl+t"), "{}", last(true));
    assert!(last(false).ends_with("Changes pane · ctrl+t"), "{}", last(false));
}

#[test]
fn rows_stand_where_the_notes_say() {
    let model = with(session(120, 40), &review(), true, |_| {});
    let (area, _) = tui_of(&model).pane_area();
    assert_eq!((area.x, area.width, area.height), (72, 48, 40));
    let pane = tui_of(&model).pane.as_ref().unwrap();
    let frame = pane.frame(area);
    assert_eq!((frame.above.y, frame.title.y, frame.below.y, frame.hint.y), (0, 1, 38, 39));
    assert_eq!((frame.close.x, frame.close.y), (119, 1));
    // Body of 35: a list of three, a divider, a title, the rest.
    assert_eq!((frame.parts[0].rows.y, frame.parts[0].rows.height), (3, 3));
    assert_eq!((frame.dividers[0].y, frame.parts[1].title.y), (6, 7));
    assert_eq!((frame.parts[1].rows.y, frame.parts[1].rows.height), (8, 30));
    assert_eq!(pane.title, Clean::from("Changes"));
}
