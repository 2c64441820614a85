//! `/export`, `/reload`, `/scoped-models` and `/usage` on the terminal.

use std::sync::Arc;

use e::model::ask::{Ask, SessionAsk, UiAsk};
use e::model::config::settings;
use e::model::effect::FilesFx;
use e::model::id::Ticket;
use e::model::msg::FilesMsg;
use e::model::provider::{Dialect, ModelInfo, ModelRef, Usage};
use e::model::session::saved::{ModelUsage, SavedUsage};
use e::model::session::turn::Work;
use e::model::tui::viewer::Page;
use e::update::tui as front;

use super::stage::{ME, Stage};

fn stage() -> Stage {
    let mut stage = Stage::new(80, 24);
    let model = |id: &str| {
        let mut info = ModelInfo::new(ModelRef::parse(id).unwrap(), Dialect::OpenaiCompletions, "http://x");
        info.usable = true;
        Arc::new(info)
    };
    stage.catalog.models = ["p/a", "p/b", "p/c"].map(model).into();
    stage.catalog.loaded = true;
    stage
}

fn ui(stage: &mut Stage, ask: UiAsk) {
    stage.run(|tui, sessions, cx, out| front::ui(tui, ask, sessions, cx, out));
}

fn answer(stage: &mut Stage, ticket: Ticket, msg: FilesMsg) {
    stage.run(|tui, sessions, cx, out| front::files(tui, ticket, msg, sessions, cx, out));
}

fn ticket(stage: &Stage, which: impl Fn(&FilesFx) -> Option<Ticket>) -> Ticket {
    stage.files_fx().filter_map(which).last().unwrap()
}

fn models_asked(stage: &Stage) -> Vec<String> {
    let asked = |ask: &Ask| match ask {
        Ask::Session(_, SessionAsk::Model(model)) => Some(model.to_string()),
        _ => None,
    };
    stage.asks.iter().filter_map(asked).collect()
}

#[test]
fn ctrl_p_goes_through_the_chosen_models_in_their_order() {
    let mut stage = stage();
    ui(&mut stage, UiAsk::ScopedModels { arguments: "".into() });
    // The picker stays open: c, then a.
    stage.keys("down down enter up up enter");
    assert_eq!(stage.config.settings.scoped_models, ["p/c".into(), "p/a".into()] as [Arc<str>; 2]);
    assert!(stage.tui.modals.open().is_some());
    stage.keys("esc");
    assert!(stage.tui.modals.open().is_none());
    let written = |fx: &FilesFx| match fx {
        FilesFx::WriteSettings { entries, .. } => Some(entries.clone()),
        _ => None,
    };
    let last = stage.files_fx().filter_map(written).last().unwrap();
    assert_eq!(last, [(Arc::from("scoped_models"), serde_json::json!(["p/c", "p/a"]))]);
    stage.tui.status.front.model = ModelRef::parse("p/c");
    stage.keys("ctrl+p");
    stage.tui.status.front.model = ModelRef::parse("p/a");
    stage.keys("ctrl+p ctrl+shift+p");
    assert_eq!(models_asked(&stage), ["p/a", "p/c", "p/c"]);
}

#[test]
fn scoped_models_are_named_and_cleared_by_argument() {
    let mut stage = stage();
    ui(&mut stage, UiAsk::ScopedModels { arguments: "p/b c".into() });
    assert_eq!(stage.config.settings.scoped_models, ["p/b".into(), "p/c".into()] as [Arc<str>; 2]);
    ui(&mut stage, UiAsk::ScopedModels { arguments: "p/b".into() });
    assert_eq!(stage.config.settings.scoped_models, ["p/c".into()] as [Arc<str>; 1]);
    ui(&mut stage, UiAsk::ScopedModels { arguments: "p/zzzzzz".into() });
    assert_eq!(stage.config.settings.scoped_models.len(), 1);
    ui(&mut stage, UiAsk::ScopedModels { arguments: "clear".into() });
    assert!(stage.config.settings.scoped_models.is_empty());
    let removed =
        |fx: &FilesFx| matches!(fx, FilesFx::WriteSettings { entries, .. } if entries[0].1.is_null());
    assert!(stage.files_fx().any(removed));
}

fn reload(stage: &mut Stage, files: &[(&str, &str)]) {
    ui(stage, UiAsk::Reload);
    let asked =
        ticket(stage, |fx| if let FilesFx::ReadConfig { ticket } = fx { Some(*ticket) } else { None });
    let files = files.iter().map(|(name, text)| (Arc::from(*name), Arc::from(*text))).collect();
    answer(stage, asked, FilesMsg::Config { files, complaints: Vec::new() });
}

#[test]
fn a_reload_takes_what_is_right_and_keeps_what_held_for_the_rest() {
    let mut stage = stage();
    let theme = r#"{"name": "mine", "base": "light", "vars": {}, "colors": {"accent": 5}}"#;
    reload(
        &mut stage,
        &[
            ("settings.json", r#"{"tab_width": 8, "scroll_lines": 7, "theme": "mine"}"#),
            ("layout.json", r#"{"split_min": 90}"#),
            ("keybindings.json", r#"{"ctrl+n": "reader"}"#),
            ("themes/mine.json", theme),
        ],
    );
    assert_eq!((stage.config.settings.tab_width, stage.tui.screen.tab), (8, 8));
    assert_eq!((stage.config.layout.split_min, &*stage.config.theme.name), (90, "mine"));
    assert!(stage.asks.contains(&Ask::Session(ME, SessionAsk::Refresh)));
    let keymap = stage.config.keymap.clone();
    reload(
        &mut stage,
        &[
            ("settings.json", r#"{"tab_width": "x", "scroll_lines": 9, "theme": "mine"}"#),
            ("layout.json", "{"),
            ("keybindings.json", "nonsense"),
            ("themes/mine.json", "[]"),
            ("models.json", "{"),
        ],
    );
    assert_eq!((stage.config.settings.tab_width, stage.config.settings.scroll_lines), (8, 9));
    assert_eq!((stage.config.layout.split_min, &*stage.config.theme.name), (90, "mine"));
    assert_eq!(stage.config.keymap, keymap);
    let probes = stage.files_fx().filter(|fx| matches!(fx, FilesFx::ProbeLocal { .. })).count();
    assert_eq!(probes, 1, "a broken models.json leaves the models there are");
    reload(
        &mut stage,
        &[
            ("layout.json", r#"{"split_min": "wide", "status": {"left": 3}, "activity": "{phase}"}"#),
            ("keybindings.json", r#"{"ctrl+n": "raeder", "ctrl+g": 4}"#),
        ],
    );
    assert_eq!((stage.config.layout.split_min, &*stage.config.layout.activity), (90, "{phase}"));
    assert_eq!(stage.config.layout.left, e::model::config::layout::Layout::default().left);
    assert_eq!(stage.config.keymap, keymap, "a wrong action leaves its chord as it was");
    reload(&mut stage, &[]);
    assert_eq!(stage.config.layout, Default::default(), "what is not written is the default");
    assert_eq!(stage.config.keymap, Default::default());
    reload(&mut stage, &[("settings.json", "{\"tab_width\": 8}")]);
    reload(&mut stage, &[("settings.json", "{\"tab_width\": ")]);
    assert_eq!(stage.config.settings.tab_width, 8);
}

#[test]
fn a_reload_is_refused_while_something_runs() {
    let mut stage = stage();
    stage.sessions.all.get_mut(&ME).unwrap().work = Work::Opening(Ticket(77));
    ui(&mut stage, UiAsk::Reload);
    assert!(!stage.files_fx().any(|fx| matches!(fx, FilesFx::ReadConfig { .. })));
}

#[test]
fn a_wrong_value_keeps_the_last_one_and_a_missing_one_the_default() {
    let (last, _) =
        settings::parse("s", r#"{"model": "p/a", "exit_hint": "bye", "tab_width": 8, "mouse": "off"}"#);
    let (read, said) = settings::parse_over("s", r#"{"model": 3, "exit_hint": 4, "tab_width": 99}"#, &last);
    assert_eq!(said.len(), 3, "{said:?}");
    assert_eq!(
        (read.model, &*read.words.exit_hint, read.tab_width, read.mouse),
        (last.model, "bye", 8, true)
    );
    let (read, said) = settings::parse_over("s", r#"{"model": ""}"#, &settings::Settings::default());
    assert_eq!((read.model, said.len()), (None, 1));
}

fn body(stage: &Stage) -> String {
    match &stage.tui.reader.as_ref().unwrap().page {
        Page::Text { body, .. } => body.as_str().to_owned(),
        Page::Conversation | Page::Extensions(_) => panic!("another page"),
    }
}

#[test]
fn usage_shows_this_session_and_the_saved_ones_and_a_closed_page_stops_the_count() {
    let mut stage = stage();
    let count = |fx: &FilesFx| if let FilesFx::CountUsage { ticket, .. } = fx { Some(*ticket) } else { None };
    ui(&mut stage, UiAsk::Usage { period: "7d".into() });
    assert!(body(&stage).contains("Being counted"));
    let model = ModelRef::parse("p/a").unwrap();
    let usage = Usage { input: 1200, ..Usage::default() };
    let saved =
        SavedUsage { models: vec![ModelUsage { model, responses: 3, usage }], sessions: 2, unread: 0 };
    let asked = ticket(&stage, count);
    answer(&mut stage, asked, FilesMsg::Usage(saved.clone()));
    assert!(body(&stage).contains("| p/a | 3 | 1.2k |") && body(&stage).contains("Usage of this session"));
    ui(&mut stage, UiAsk::Usage { period: "all".into() });
    assert!(stage.files_fx().any(|fx| matches!(fx, FilesFx::CountUsage { since: None, .. })));
    let asked = ticket(&stage, count);
    stage.keys("esc");
    assert!(stage.files_fx().any(|fx| *fx == FilesFx::StopUsage(asked)));
    answer(&mut stage, asked, FilesMsg::Usage(saved));
    assert!(stage.tui.reader.is_none());
    ui(&mut stage, UiAsk::Usage { period: "1y".into() });
    assert!(stage.tui.reader.is_none());
}

#[test]
fn an_empty_session_is_not_exported() {
    let mut stage = stage();
    ui(&mut stage, UiAsk::Export { path: None });
    assert!(!stage.files_fx().any(|fx| matches!(fx, FilesFx::Export { .. })));
}
