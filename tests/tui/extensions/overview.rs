//! The page of `/extensions`.

use e::model::ask::{Ask, ExtAsk, UiAsk};
use e::model::effect::Effect;
use e::model::ext::discover::{Found, Skip, Skipped};
use e::model::ext::live::State;
use e::model::ext::world::{ExtFx, Traffic};
use e::model::ext::{Ext, Exts, HookKind};
use e::model::id::{ExtId, Ticket};
use e::model::text::clean::Clean;
use e::model::time::Span;
use e::model::tui::overview::nth;
use e::model::tui::viewer::Page;
use e::model::wire::ext::manifest;
use e::update::tui as front;
use serde_json::json;

use super::super::stage::Stage;

pub fn exts() -> Exts {
    let mut exts = Exts::default();
    for (at, file) in ["gate.sh", "slow/index.mjs", "off.sh"].into_iter().enumerate() {
        let id = ExtId(at as u64);
        let path = format!("/home/ann/.e/extensions/{file}");
        let mut ext = Ext::new(Found { path: path.into(), file: file.into(), top: file.into() });
        match at {
            0 => {
                let declared = json!({"name": "gate", "version": "1.2", "hooks": ["tool_call"],
                    "commands": [{"name": "gate"}], "tools": [{"name": "probe"}]});
                ext.manifest = Some(manifest(&declared, &[]).unwrap().0.into());
                ext.state = State::Live;
                for ms in 1..=100 {
                    ext.stats.took(HookKind::ToolCall, Span(ms));
                }
                ext.stats.timeouts = 2;
                ext.stats.stderr = Some(Clean::from("warming up"));
            }
            1 => ext.state = State::Dead("it exited (exit status 3)".into()),
            _ => ext.state = State::Off,
        }
        exts.order.push(id);
        exts.all.insert(id, ext);
    }
    exts.skipped.push(Skipped {
        path: "/home/ann/.e/extensions/notes.txt".into(),
        file: "notes.txt".into(),
        why: Skip::NotExecutable,
    });
    exts
}

fn ticket(stage: &Stage) -> Ticket {
    let asked = |effect: &Effect| match effect {
        Effect::Ext(ExtFx::Measure { ticket }) => Some(*ticket),
        _ => None,
    };
    stage.effects.iter().rev().find_map(asked).unwrap()
}

fn measured(stage: &mut Stage, exts: &Exts) {
    let ticket = ticket(stage);
    let traffic = Traffic { lines_in: 3, bytes_in: 2048, stray: 1, ..Traffic::default() };
    let traffic = [(ExtId(0), traffic)];
    stage.run(|tui, _, cx, out| front::measured(tui, ticket, &traffic, exts, cx, out));
}

fn rows(stage: &Stage) -> String {
    let Page::Extensions(page) = &stage.tui.reader.as_ref().unwrap().page else { panic!() };
    page.rows(100).0.iter().map(|row| row.plain() + "\n").collect()
}

#[test]
fn it_tells_how_each_one_does() {
    let mut stage = Stage::new(100, 30);
    stage.ui(UiAsk::Extensions);
    measured(&mut stage, &exts());
    let shown = rows(&stage);
    for wanted in [
        "gate.sh  running  gate 1.2",
        "/home/ann/.e/extensions/gate.sh",
        "tool_call: 50 ms median, 95 ms p95, 100 ms worst of 100",
        "time-outs  2",
        "3 lines in (2.0 KiB), 0 lines out (0 B); 1 line of no known shape",
        "stderr     warming up",
        "slow/index.mjs  not running: it exited (exit status 3)",
        "off.sh  disabled for this session",
        "notes.txt  not executable; run chmod +x on it",
    ] {
        assert!(shown.contains(wanted), "{wanted}\n{shown}");
    }
}

#[test]
fn its_keys_restart_and_after_a_question_disable_what_the_cursor_is_on() {
    let mut stage = Stage::new(100, 30);
    stage.ui(UiAsk::Extensions);
    let mut exts = exts();
    measured(&mut stage, &exts);
    stage.asks.clear();
    stage.keys("down r");
    assert_eq!(stage.asks, [Ask::Ext(ExtAsk::Restart(ExtId(1)))]);
    stage.keys("up d n d esc");
    assert_eq!(stage.asks.len(), 1, "asked, and not wanted");
    assert!(stage.tui.reader.is_some());
    stage.keys("d y");
    assert_eq!(stage.asks[1..], [Ask::Ext(ExtAsk::Disable(ExtId(0)))]);
    // The cursor stays on its extension when the page is made anew.
    stage.keys("down down");
    exts.order.swap(0, 2);
    stage.run(|tui, _, cx, out| front::ext_gone(tui, ExtId(0), cx, out));
    measured(&mut stage, &exts);
    let Page::Extensions(page) = &stage.tui.reader.as_ref().unwrap().page else { panic!() };
    assert_eq!((page.cursor, page.chosen().unwrap().ext), (0, ExtId(2)));
    stage.keys("esc");
    assert!(stage.tui.reader.is_none());
}

#[test]
fn without_any_it_says_where_they_are_put() {
    let mut stage = Stage::new(100, 30);
    stage.ui(UiAsk::Extensions);
    measured(&mut stage, &Exts::default());
    assert!(rows(&stage).contains("No extension is running"));
    stage.keys("r d esc");
    assert!(stage.tui.reader.is_none());
}

#[test]
fn ranks_of_percentiles() {
    assert_eq!((nth(&[], 50), nth(&[7], 95), nth(&[1, 2], 50), nth(&[1, 2, 3, 4], 95)), (0, 7, 1, 4));
}
