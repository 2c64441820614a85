//! `/settings` and `/keys`.

use std::sync::Arc;

use e::model::ask::UiAsk;
use e::model::config::chord::Chord;
use e::model::config::keymap::{Action, Keymap, parse};
use e::model::effect::FilesFx;
use e::model::ext::registry::Shortcut;
use e::model::id::ExtId;
use e::model::text::clean::Clean;
use e::model::tui::modal::{Owner, Question};
use e::model::tui::viewer::Page;
use e::model::wire::ext::{self, Ask};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::stage::Stage;

/// The line under the cursor of the list: key, what it says, where that comes from.
fn chosen(stage: &Stage) -> (String, String, String) {
    let modal = stage.tui.modals.open().expect("the list is open");
    assert_eq!(modal.owner, Owner::Settings);
    let Question::Select { list, .. } = &modal.question else { panic!("no list") };
    let item = list.chosen().unwrap();
    (item.label.as_str().into(), item.description.as_str().into(), item.right.as_str().into())
}

/// What was written last.
fn written(stage: &Stage) -> Option<(String, Value)> {
    let writes = stage.files_fx().filter_map(|fx| match fx {
        FilesFx::WriteSettings { entries, .. } => Some((entries[0].0.to_string(), entries[0].1.clone())),
        _ => None,
    });
    writes.last()
}

fn settings() -> Stage {
    let mut stage = Stage::new(100, 30);
    let text = "{\n  \"tab_width\": 8\n}";
    stage.config.files = vec![(Arc::from("settings.json"), Arc::from(text))];
    stage.config.settings.tab_width = 8;
    stage.ui(UiAsk::Settings);
    stage
}

#[test]
fn the_list_says_value_default_and_origin_and_typing_filters() {
    let mut stage = settings();
    assert_eq!(chosen(&stage).0, "theme");
    assert_eq!(chosen(&stage).2, "default");
    stage.typed("tab_w");
    let (key, what, from) = chosen(&stage);
    assert_eq!((key.as_str(), from.as_str()), ("tab_width", "settings.json:2"));
    assert!(what.starts_with("8 (default 4) · columns between tab stops"), "{what}");
}

#[test]
fn enter_turns_a_switch_picks_a_word_and_asks_for_the_rest() {
    let mut stage = settings();
    stage.typed("auto_c").keys("enter");
    assert!(!stage.config.settings.auto_compact);
    assert_eq!(written(&stage), Some(("auto_compact".into(), json!("off"))));
    assert_eq!(chosen(&stage).0, "auto_compact", "the list is back where it was");
    stage.keys("esc");
    stage.ui(UiAsk::Settings).typed("tui_m").keys("enter down enter");
    assert_eq!(written(&stage), Some(("tui_mode".into(), json!("fullscreen"))));
    stage.keys("esc");
    stage.ui(UiAsk::Settings).typed("scroll_l").keys("enter ctrl+u").typed("7").keys("enter");
    assert_eq!(stage.config.settings.scroll_lines, 7);
    assert_eq!(written(&stage), Some(("scroll_lines".into(), json!(7))));
}

#[test]
fn a_wrong_value_is_refused_with_the_reason_and_an_empty_one_is_the_default() {
    let mut stage = settings();
    stage.typed("tab_w").keys("enter ctrl+u").typed("80").keys("enter");
    let modal = stage.tui.modals.open().unwrap();
    assert!(matches!(&modal.owner, Owner::Setting { key, .. } if **key == *"tab_width"));
    let said: Vec<&str> = modal.message.iter().map(Clean::as_str).collect();
    assert_eq!(said.last(), Some(&"tab_width must be a whole number from 1 to 16, not 80"));
    assert_eq!(modal.field().unwrap().draft.text(), "80", "what was typed is there to be changed");
    assert_eq!((stage.config.settings.tab_width, written(&stage)), (8, None));
    stage.keys("ctrl+u enter");
    assert_eq!(
        (stage.config.settings.tab_width, written(&stage)),
        (4, Some(("tab_width".into(), Value::Null)))
    );
    assert_eq!(chosen(&stage).0, "tab_width");
    stage.keys("enter esc");
    assert_eq!(chosen(&stage).0, "tab_width", "esc in the field goes back to the list");
}

#[test]
fn words_on_the_screen_are_settings_too() {
    let mut stage = settings();
    stage.typed("exit_hint").keys("enter ctrl+u").typed("bye?").keys("enter");
    assert_eq!(&*stage.config.settings.words.exit_hint, "bye?");
    assert_eq!(written(&stage), Some(("exit_hint".into(), json!("bye?"))));
}

fn keys_page(stage: &mut Stage) -> String {
    stage.ui(UiAsk::Keys);
    match stage.tui.reader.take().map(|reader| reader.page) {
        Some(Page::Text { body, .. }) => body.as_str().to_owned(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_order_of_the_router_is_what_keys_prints() {
    use e::update::tui::owners::ORDER;
    let page = keys_page(&mut Stage::new(100, 30));
    let places: Vec<usize> =
        ORDER.iter().map(|rule| page.rfind(&format!("{}: {}", rule.who, rule.what)).unwrap()).collect();
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn a_profile_may_wait_for_a_pane() {
    let mut stage = Stage::new(120, 30);
    let text = r#"{"profiles": [{"when": {"pane": "review"}, "panes": {"*": {"width": 60}}}]}"#;
    let (layouts, said) = e::model::config::layout::parse_all("layout.json", text, &Default::default());
    assert!(said.is_empty());
    stage.config.layouts = layouts;
    let pane = |id: &str| {
        let params = json!({"id": id, "title": "t", "sections": [{"kind": "text", "body": "x"}]});
        let Ask::Ui(ext::UiAsk::Pane(Some(asked))) = Ask::read("ui.pane", &params) else { panic!("no pane") };
        e::model::tui::pane::Pane::open(ExtId(1), &Arc::from("x"), asked, false)
    };
    stage.tui.pane = Some(pane("other"));
    stage.keys("a");
    assert_eq!(stage.config.layout.width("review"), 40);
    stage.tui.pane = Some(pane("review"));
    stage.keys("a");
    assert_eq!(stage.config.layout.width("review"), 60);
    stage.tui.pane = None;
    stage.keys("a");
    assert_eq!(stage.config.layout.width("review"), 40);
}

#[test]
fn keys_are_listed_with_owner_and_origin_conflicts_first() {
    let mut stage = Stage::new(100, 30);
    let (keymap, said) = parse(
        "keybindings.json",
        "{\n \"f5\": \"help\",\n \"ctrl+t\": \"theme\",\n \"reader\": {\"x\": \"close\"}}",
    );
    assert!(said.is_empty());
    stage.config.keymap = keymap;
    let shortcut = |what: &'static str| Shortcut { ext: ExtId(0), description: Clean::from(what) };
    let registry = Arc::make_mut(&mut stage.registry);
    registry.shortcuts.insert("ctrl+k".parse().unwrap(), shortcut("keep"));
    registry.shortcuts.insert("alt+9".parse().unwrap(), shortcut("nine"));
    let page = keys_page(&mut stage);
    let conflicts = page.find("## Conflicts").unwrap();
    assert!(conflicts < page.find("## In the composer").unwrap());
    for part in [
        "`ctrl+k`: an extension wants it for \"keep\", but it is bound to `kill_to_end`",
        "`ctrl+t`: bound to `theme`, but while a pane is there it moves the focus",
        "| f5 | show help (`help`) | e | keybindings.json:2 |",
        "| f1 | show help (`help`) | e | built-in |",
        "| ctrl+x ctrl+e |",
        "| alt+9 | nine | an extension | extension |",
        "| x | close | keybindings.json:4 |",
        "1. ctrl+c: always e's",
    ] {
        assert!(page.contains(part), "{part} in\n{page}");
    }
    let mut stage = Stage::new(100, 30);
    assert!(!keys_page(&mut stage).contains("## Conflicts"), "the built-in keys have none");
}

fn chord() -> impl Strategy<Value = Chord> {
    let keys = ["a", "k", "9", "enter", "tab", "f7", "left", "pageup", "/"];
    let mods = ["", "ctrl+", "alt+", "ctrl+alt+", "shift+", "alt+shift+"];
    (prop::sample::select(mods.to_vec()), prop::sample::select(keys.to_vec()))
        .prop_filter_map("a chord", |(mods, key)| format!("{mods}{key}").parse().ok())
}

proptest! {
    #![proptest_config(crate::text::nasty::cases())]

    /// What the file says holds, a wrong entry costs itself alone, and all else is as built in.
    #[test]
    fn k12_a_binding_of_the_file_does_what_it_says_and_touches_nothing_else(
        entries in proptest::collection::btree_map(chord(), prop::sample::select(vec!["help", "none", "undo", "hlep", "Enter"]), 0..6),
        other in chord(),
    ) {
        let body: Vec<String> = entries.iter().map(|(chord, action)| format!("\"{chord}\": \"{action}\"")).collect();
        let (keymap, said) = parse("keybindings.json", &format!("{{{}}}", body.join(", ")));
        let usual = Keymap::default();
        let table = |keymap: &Keymap, chord: Chord| keymap.composer().find(|(c, _)| *c == chord).map(|(_, action)| action);
        let mut wrong = 0;
        for (chord, action) in &entries {
            let expected = match *action {
                "none" => None,
                name => match Action::parse(name) {
                    Some(action) => Some(action),
                    None => {
                        wrong += 1;
                        table(&usual, *chord)
                    }
                },
            };
            prop_assert_eq!(table(&keymap, *chord), expected);
        }
        prop_assert_eq!(said.len(), wrong);
        if !entries.contains_key(&other) {
            prop_assert_eq!(table(&keymap, other), table(&usual, other));
        }
    }
}
