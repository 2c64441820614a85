//! Whole frames as plain text beside this file, in `screens/`. `E_SCREENS=write` writes them anew.

use std::path::PathBuf;

use e::model::Model;
use e::model::text::clean::Clean;
use e::model::tui::list::{Item, List, Order};
use e::model::tui::modal::{Field, Modal, Owner};
use e::model::tui::picker::{Picker, PickerKind};
use e::model::tui::status::{Phase, Steer};
use e::model::tui::viewer::{Depth, Reader};

use super::scene::*;

const SIZES: [(u16, u16); 3] = [(100, 30), (60, 20), (200, 50)];

/// Compares the frames of all sizes with the files.
pub fn check(name: &str, make: impl Fn(u16, u16) -> Model) {
    let mut wrong = Vec::new();
    for (cols, rows) in SIZES {
        let shown = plain(&frame(&make(cols, rows)));
        let file = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("tests/view/screens")
            .join(format!("{name}-{cols}x{rows}.txt"));
        if std::env::var("E_SCREENS").is_ok_and(|v| v == "write") {
            std::fs::write(&file, &shown).unwrap();
        } else if std::fs::read_to_string(&file).unwrap_or_default() != shown {
            wrong.push(format!("{} is not what is shown:\n{shown}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}\nE_SCREENS=write writes the files anew", wrong.join("\n"));
}

#[test]
fn inline() {
    check("inline", session);
}

#[test]
fn fullscreen() {
    check("fullscreen", |cols, rows| {
        let mut model = session(cols, rows);
        tui(&mut model).screen.fullscreen = true;
        model
    });
}

#[test]
fn first_frame() {
    check("first", |cols, rows| {
        let mut model = model(cols, rows);
        push(
            &mut model,
            e::model::tui::block::Body::Banner {
                version: Clean::from("0.1.0"),
                cwd: Clean::from("~/parser"),
                model: Clean::from("claude-sonnet-4"),
            },
        );
        model
    });
}

pub fn streaming_model(cols: u16, rows: u16) -> Model {
    let mut model = model(cols, rows);
    push(&mut model, user("Compare the two parsers.\nOne table, please."));
    push_open(
        &mut model,
        streaming(
            "## Parsers\n\nThey differ in **three** ways; see [the notes](https://example.org/notes).\n\n1. speed\n2. errors\n\n\
             > Measure first.\n\n| name | time | note |\n|---|---:|---|\n| hand-written | 12 ms | recovers from errors and goes on |\n\
             | generated | 31 m",
        ),
    );
    turn(&mut model, Phase::Thinking);
    type_in(&mut model, "and the memory?");
    tui(&mut model).status.queue = vec![Steer { shown: Clean::from("keep it short"), ..Steer::default() }];
    model
}

#[test]
fn streaming_markdown() {
    check("streaming", streaming_model);
}

#[test]
fn a_long_draft() {
    check("draft", |cols, rows| {
        let mut model = model(cols, rows);
        let text = "A draft of many words that wraps where words end, and goes on for a while. ".repeat(12);
        type_in(&mut model, &format!("{text}\n\tindented 漢字 line"));
        model
    });
}

pub fn picker_model(cols: u16, rows: u16) -> Model {
    let mut model = session(cols, rows);
    type_in(&mut model, "/");
    let item = |label: &str, what: &str, right: &str| {
        let right = Clean::collapsed(right);
        Item { right, ..Item::new(label, what, label.to_owned()) }
    };
    let list = List::new(
        vec![
            item("/help", "keys and commands", ""),
            item("/new", "start a new conversation", "session"),
            item("/resume", "go on with an earlier conversation", "session"),
            item("/model", "choose the model", "model"),
            item("/effort", "how much the model thinks", "model"),
            item("/compact", "summarise the conversation to make room", "session"),
            item(
                "/review",
                "look at the changes of the working tree with a critical eye and say what is wrong",
                "prompt",
            ),
            item("/quit", "leave", ""),
        ],
        Order::Given,
    );
    let mut picker = Picker::new(PickerKind::Commands, list, 0..1);
    picker.list.step(true);
    tui(&mut model).picker = Some(picker);
    model
}

#[test]
fn command_picker() {
    check("picker", picker_model);
}

#[test]
fn questions() {
    check("select", |cols, rows| {
        let mut model = session(cols, rows);
        let items = (1..=14).map(|at| Item {
            right: Clean::from("200k"),
            current: at == 3,
            ..Item::new(&format!("model-{at}"), "anthropic", format!("m{at}"))
        });
        let modal = Modal::select(Owner::Model, "Choose a model", List::new(items.collect(), Order::Given));
        let modals = &mut tui(&mut model).modals;
        modals.ask(modal);
        modals.settle(true);
        model
    });
    check("trust", |cols, rows| {
        let mut model = model(cols, rows);
        let modal = Modal::confirm(
            Owner::Trust,
            "Do you trust this directory?",
            "e follows the instructions in it and runs commands there.",
        )
        .saying([Clean::from("/home/ann/parser")]);
        let modals = &mut tui(&mut model).modals;
        modals.ask(modal);
        modals.settle(true);
        model
    });
    check("secret", |cols, rows| {
        let mut model = model(cols, rows);
        let field = Field { draft: draft("sk-secret-key"), secret: true, ..Field::default() };
        let modal =
            Modal::input(Owner::LoginKey { provider: "anthropic".into() }, "API key for anthropic", field);
        let modals = &mut tui(&mut model).modals;
        modals.ask(modal);
        modals.settle(true);
        model
    });
}

#[test]
fn the_reader() {
    check("reader", |cols, rows| {
        let mut model = session(cols, rows);
        tui(&mut model).reader = Some(Reader { depth: Depth::Whole, ..Reader::default() });
        model
    });
    check("page", |cols, rows| {
        let mut model = session(cols, rows);
        tui(&mut model).reader = Some(Reader::text(
            "Help",
            "# Keys\n\n| key | does |\n|---|---|\n| enter | sends |\n| ctrl+o | opens the reader |\n",
        ));
        model
    });
}

/// A terminal with what extensions put on it.
fn extended(cols: u16, rows: u16, asks: &[(u64, &str, serde_json::Value)]) -> Model {
    use e::model::ext::Debt;
    use e::model::ext::budget::Budget;
    use e::model::id::ExtId;
    use e::model::tui::panel::Panel;
    use e::model::tui::slots::Place;
    use e::model::wire::ext::{Ask, UiAsk, WireId};
    let mut model = session(cols, rows);
    for (ext, method, params) in asks {
        let Ask::Ui(ask) = Ask::read(method, params) else { panic!("{method}") };
        let (id, name) = (ExtId(*ext), std::sync::Arc::from(["gate", "tests"][*ext as usize]));
        let tui = tui(&mut model);
        match ask {
            UiAsk::Widget { key, lines } => tui.widgets.set(id, &name, key, lines),
            UiAsk::Panel(Some(panel)) => tui.panel = Some(Panel::new(id, &name, panel)),
            UiAsk::Status(slot) => tui.slots.set(Place::Status, id, name, slot.text.as_str()),
            UiAsk::Activity(slot) => tui.slots.set(Place::Activity, id, name, slot.text.as_str()),
            UiAsk::Confirm { title, message } => {
                let owed = Budget::default().open(WireId("1".into()), ()).unwrap();
                let owner = Owner::Ext(Debt { ext: id, owed });
                let question = e::model::tui::modal::Question::Confirm { message, yes: true };
                let asker = Clean::collapsed(&name);
                tui.modals.ask(Modal { title, question, asker, ..Modal::confirm(owner, "", "") });
                tui.modals.settle(true);
            }
            _ => panic!("{method}"),
        }
    }
    model
}

#[test]
fn surfaces_of_extensions() {
    use serde_json::json;
    let span = |text: &str, token: &str| json!({"text": text, "token": token});
    let widgets = || {
        let plan: Vec<String> = (1..=9).map(|n| format!("{n}. step of the plan")).collect();
        vec![
            (0, "ui.widget", json!({"lines": [[span("✓ ", "success"), "18 tests pass"], "in 1.2 s"]})),
            (1, "ui.widget", json!({"lines": plan})),
            (0, "ui.status", json!({"text": "guarded"})),
            (1, "ui.activity", json!({"text": "watching src/"})),
        ]
    };
    check("widgets", |cols, rows| extended(cols, rows, &widgets()));
    check("panel", |cols, rows| {
        let lines =
            json!([[span("› ", "accent"), "src/main.rs"], [span("  src/lib.rs", "dim")], "  a\tb", 7]);
        let panel = json!({"title": "Choose a file", "lines": lines, "interactive": true});
        extended(cols, rows, &[(1, "ui.panel", panel)])
    });
    check("confirm", |cols, rows| {
        let asked = json!({"title": "Run `rm -rf build`?", "message": "It deletes 214 files for good, and nobody has a copy\u{202e}."});
        extended(cols, rows, &[(0, "ui.confirm", asked)])
    });
}

#[test]
fn the_page_of_the_extensions() {
    use e::model::ext::world::Traffic;
    use e::model::id::ExtId;
    use e::model::tui::overview::Overview;
    use e::model::tui::viewer::Page;
    check("extensions", |cols, rows| {
        let mut model = session(cols, rows);
        let traffic =
            Traffic { lines_in: 12, bytes_in: 3_000, lines_out: 1, bytes_out: 90, stray: 1, dropped: 2 };
        let exts = crate::tui::extensions::overview::exts();
        let page = Overview::new(&exts, &[(ExtId(0), traffic)], "/home/ann/.e", None);
        tui(&mut model).reader = Some(Reader { page: Page::Extensions(page), ..Reader::default() });
        model
    });
}

/// One model of every kind of screen, for what must hold on all of them.
pub fn every_scene(cols: u16, rows: u16) -> Vec<Model> {
    let select = |owner: Owner, title: &str| {
        let mut model = session(cols, rows);
        let items = (1..=4).map(|at| Item {
            right: Clean::from("200k"),
            current: at == 3,
            ..Item::new(&format!("model-{at}"), "anthropic", format!("m{at}"))
        });
        let modals = &mut tui(&mut model).modals;
        modals.ask(Modal::select(owner, title, List::new(items.collect(), Order::Given)));
        modals.settle(true);
        model
    };
    let mut page = session(cols, rows);
    tui(&mut page).reader =
        Some(Reader::text("Help", "# Keys\n\n| key | does |\n|---|---|\n| enter | sends |\n"));
    let mut whole = session(cols, rows);
    tui(&mut whole).reader = Some(Reader { depth: Depth::Whole, ..Reader::default() });
    let mut confirm = session(cols, rows);
    let modals = &mut tui(&mut confirm).modals;
    modals.ask(Modal::confirm(
        Owner::Quit,
        "Leave while e is working?",
        "What runs now is interrupted\u{202e}.",
    ));
    modals.settle(true);
    vec![
        session(cols, rows),
        streaming_model(cols, rows),
        picker_model(cols, rows),
        select(Owner::Model, "Which model?"),
        select(Owner::Theme, "Which theme?"),
        page,
        whole,
        confirm,
    ]
}
