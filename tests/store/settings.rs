//! Reading `settings.json` and `trust.json`: wrong values cost themselves alone.

use e::model::config::settings::{self, KEYS, Settings, TuiMode, names};
use e::model::config::trust;
use e::model::config::words::{WORDS, fill};
use proptest::prelude::*;
use serde_json::json;

fn messages(text: &str) -> Vec<String> {
    settings::parse("settings.json", text).1.iter().map(ToString::to_string).collect()
}

#[test]
fn g65_comments_trailing_commas_and_a_byte_order_mark_are_fine() {
    let text = "\u{feff}{\n  // mine\n  \"theme\": \"dark\", /* x */\n  \"tab_width\": 8,\n}";
    let (read, complaints) = settings::parse("settings.json", text);
    assert_eq!(complaints, []);
    assert_eq!((&*read.theme, read.tab_width), ("dark", 8));
    assert_eq!(settings::parse("settings.json", ""), (Settings::default(), vec![]));
}

#[test]
fn g65_a_wrong_value_keeps_the_default_for_that_key_alone() {
    let text = "{\n  \"tab_width\": \"wide\",\n  \"theme\": \"light\",\n  \"colour\": 1,\n  \"them\": \"x\",\n  \"tui_mode\": \"fulscreen\",\n  \"tool_concurrency\": 65,\n  \"model\": \"sonnet\"\n}";
    let (read, complaints) = settings::parse("settings.json", text);
    assert_eq!((&*read.theme, read.tab_width, read.tool_concurrency), ("light", 4, 8));
    assert_eq!((read.tui_mode, read.model), (TuiMode::Inline, None));
    let lines: Vec<(u32, u32)> = complaints.iter().map(|c| (c.line, c.column)).collect();
    assert_eq!(lines, [(2, 16), (4, 3), (5, 3), (6, 15), (7, 23), (8, 12)]);
    let said: Vec<&str> = complaints.iter().map(|c| &*c.message).collect();
    assert_eq!(said[0], "tab_width must be a whole number from 1 to 16, not \"wide\"");
    assert!(said[2].contains("did you mean \"theme\"?"), "{said:?}");
    assert!(said[3].contains("did you mean \"fullscreen\"?"), "{said:?}");
}

#[test]
fn g65_a_file_that_is_no_json_names_the_place() {
    let said = messages("{\n  \"theme\": \"dark\"\n  \"tab_width\": 8\n}");
    assert_eq!(said.len(), 1);
    assert!(said[0].starts_with("settings.json:2:18: this is not JSON"), "{said:?}");
}

#[test]
fn every_key_shows_its_default_and_reads_it_back() {
    let defaults = Settings::default();
    for name in names().into_iter().filter(|n| *n != "format_version") {
        let shown = defaults.show(name).unwrap_or_else(|| panic!("{name} is shown"));
        if shown.is_empty() {
            continue;
        }
        let value = settings::typed(name, &shown).unwrap_or_else(|why| panic!("{name}: {why}"));
        let file = json!({ name: value }).to_string();
        assert_eq!(settings::parse("settings.json", &file), (defaults.clone(), vec![]), "{name}");
    }
    for key in KEYS.iter().filter(|k| !["model", "editor"].contains(&k.name)) {
        assert_eq!(defaults.show(key.name).as_deref(), Some(key.default), "{}", key.name);
    }
    for word in WORDS {
        assert_eq!(defaults.show(word.key).as_deref(), Some(word.default));
    }
}

#[test]
fn every_key_is_read_from_a_file() {
    let text = json!({
        "theme": "t", "tui_mode": "fullscreen", "model": "a/b", "effort": "low", "show_thinking": "on", "editor": "ed",
        "tool_concurrency": 1, "tool_label_rows": 1, "tool_preview_rows": 0, "tool_history_limit": 0, "scroll_lines": 1,
        "paste_placeholder": 0, "paste_label": "p", "auto_compact": "off", "mouse": "off", "tab_width": 1,
        "live_reload": "off", "accessible": "on", "scoped_models": ["a/b"], "packages": ["npm:x"], "extensions": {"h": {"n": 1}},
        "exit_hint": "bye", "format_version": 1,
    });
    let (read, complaints) = settings::parse("settings.json", &text.to_string());
    assert_eq!(complaints, []);
    for key in KEYS {
        assert_ne!(read.show(key.name), Settings::default().show(key.name), "{} is taken", key.name);
    }
    assert_eq!(&*read.words.exit_hint, "bye");
}

#[test]
fn what_is_typed_in_the_panel_is_checked_before_it_is_written() {
    assert_eq!(settings::typed("tab_width", " 8 "), Ok(json!(8)));
    assert!(settings::typed("tab_width", "99").unwrap_err().contains("1 to 16"));
    assert!(settings::typed("no_such", "1").unwrap_err().contains("unknown key"));
    assert_eq!(settings::typed("scoped_models", "[\"a/b\"]"), Ok(json!(["a/b"])));
}

#[test]
fn the_docs_name_every_key() {
    let docs = settings::docs();
    for name in names().into_iter().filter(|n| *n != "format_version") {
        assert!(docs.contains(&format!("`{name}`")), "{name}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_with_defaults_for_what_is_wrong(text in ".{0,60}") {
        let _ = settings::parse("settings.json", &text);
        let _ = trust::parse("trust.json", &text);
    }
}

#[test]
fn a_wording_is_filled_and_an_unknown_name_stays() {
    assert_eq!(
        fill("Retrying {attempt}/{limit} {x} {", &[("attempt", "1"), ("limit", "{attempt}")]),
        "Retrying 1/{attempt} {x} {"
    );
}

#[test]
fn the_nearest_recorded_ancestor_decides() {
    let (trust, complaints) = trust::parse(
        "trust.json",
        r#"{"format_version": 1, "directories": {"/work": true, "/work/evil": false, "/odd": 1}}"#,
    );
    assert_eq!(complaints.len(), 1);
    assert_eq!(trust.verdict("/work/app/src"), Some(true));
    assert_eq!(trust.verdict("/work/evil/x"), Some(false));
    assert_eq!(trust.verdict("/workshop"), None);
    assert_eq!(trust.verdict("/"), None);
    assert!(trust::covers("/a/b", "/a/b/c") && trust::covers("/a/b/", "/a/b") && trust::covers("/", "/x"));
    assert!(!trust::covers("/a/b", "/a/bc"));
}
