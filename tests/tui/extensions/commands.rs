//! Commands in the `/` picker and in help, and their completions.

use std::sync::Arc;

use e::model::ask::{Ask, ExtAsk, UiAsk};
use e::model::id::Ticket;
use e::model::session::library::Template;
use e::model::text::clean::Clean;
use e::model::tui::picker::PickerKind;
use e::model::tui::viewer::Page;
use e::model::wire::ext::Completion;
use e::update::tui as front;
use proptest::prelude::*;
use serde_json::json;

use super::super::stage::{ME, Stage};
use super::registry;

fn stage() -> Stage {
    let mut stage = Stage::new(80, 24);
    stage.registry = registry(&[json!({
        "name": "deploy tool",
        "commands": [
            {"name": "ping", "description": "are you there"},
            {"name": "ship", "description": "bring it out", "arguments": "<env>", "completions": true},
            {"name": "review", "description": "mine"},
        ],
        "shortcuts": [{"key": "ctrl+alt+g", "description": "greet"}, {"key": "ctrl+k", "description": "never"}],
    })]);
    let template = Template {
        name: Arc::from("review"),
        description: Arc::from("theirs"),
        argument_hint: None,
        body: Arc::from("look"),
    };
    stage.sessions.all.get_mut(&ME).unwrap().desk.templates = vec![template];
    stage
}

fn labels(stage: &Stage) -> Vec<(String, String)> {
    let picker = stage.tui.picker.as_ref().unwrap();
    picker.list.matching().map(|item| (item.label.to_string(), item.right.to_string())).collect()
}

#[test]
fn extensions_commands_come_last_and_a_template_keeps_its_name() {
    let mut stage = stage();
    stage.typed("/");
    let all = labels(&stage);
    let last: Vec<&str> = all[all.len() - 4..].iter().map(|(label, _)| label.as_str()).collect();
    assert_eq!(last, ["/review", "/ping", "/ship <env>", "/deploy-tool:review"]);
    assert_eq!((all[0].1.as_str(), all[all.len() - 1].1.as_str()), ("built-in", "extension"));
}

#[test]
fn picking_runs_a_command_or_leaves_it_to_be_finished() {
    let mut stage = stage();
    stage.typed("/ping").keys("enter");
    assert_eq!(stage.sent(), Some("/ping"));
    stage.typed("/shi").keys("enter");
    assert_eq!((stage.draft(), stage.sent()), ("/ship ", Some("/ping")));
    assert!(asked(&stage).is_some(), "its arguments are completed at once");
}

#[test]
fn help_and_keys_list_them() {
    let mut stage = stage();
    stage.ui(UiAsk::Help);
    let Page::Text { body, .. } = &stage.tui.reader.as_ref().unwrap().page else { panic!() };
    for wanted in ["`/ship <env>`: bring it out", "`/deploy-tool:review`: mine", "`ctrl+alt+g`: greet"] {
        assert!(body.as_str().contains(wanted), "{wanted}");
    }
    stage.keys("esc").ui(UiAsk::Keys);
    let Page::Text { body, .. } = &stage.tui.reader.as_ref().unwrap().page else { panic!() };
    assert!(
        body.as_str().contains("`ctrl+k`: extension deploy-tool wants it for \"never\", but it is bound"),
        "{body:?}"
    );
}

#[test]
fn a_shortcut_is_asked_of_the_extension() {
    let mut stage = stage();
    stage.keys("ctrl+alt+g");
    let chord = "ctrl+alt+g".parse().unwrap();
    assert_eq!(stage.asks, [Ask::Ext(ExtAsk::Shortcut { session: ME, chord })]);
    stage.asks.clear();
    stage.keys("ctrl+k");
    assert_eq!(stage.asks, []);
}

/// The last question about completions: ticket, command, prefix.
fn asked(stage: &Stage) -> Option<(Ticket, String, String)> {
    stage.asks.iter().rev().find_map(|ask| match ask {
        Ask::Ext(ExtAsk::Complete { ticket, command, prefix }) => {
            Some((*ticket, command.to_string(), prefix.to_string()))
        }
        _ => None,
    })
}

fn answer(stage: &mut Stage, ticket: Ticket, values: &[&str]) {
    let item = |value: &&str| Completion {
        value: Arc::from(*value),
        label: Clean::collapsed(value),
        description: Clean::default(),
    };
    let items = values.iter().map(item).collect();
    stage.run(|tui, _, cx, out| front::completed(tui, ticket, items, cx, out));
}

fn completions(stage: &Stage) -> Vec<String> {
    let picker = stage.tui.picker.as_ref().filter(|picker| picker.kind == PickerKind::Completions);
    picker
        .map(|picker| picker.list.matching().map(|item| item.value.to_string()).collect())
        .unwrap_or_default()
}

#[test]
fn completions_replace_the_last_word_and_are_asked_for_again() {
    let mut stage = stage();
    stage.typed("/ship one st");
    let (ticket, command, prefix) = asked(&stage).unwrap();
    assert_eq!((command.as_str(), prefix.as_str()), ("ship", "st"));
    answer(&mut stage, ticket, &["staging", "stable"]);
    assert_eq!(completions(&stage), ["staging", "stable"]);
    stage.keys("tab");
    assert_eq!(stage.draft(), "/ship one staging ");
    let (again, _, prefix) = asked(&stage).unwrap();
    assert!(again != ticket && prefix.is_empty());
    answer(&mut stage, again, &["now", "later"]);
    // Enter chooses only from who moved there.
    stage.keys("down enter");
    assert_eq!((stage.draft(), stage.sent()), ("/ship one staging later ", None));
    let (last, ..) = asked(&stage).unwrap();
    answer(&mut stage, last, &["x"]);
    stage.keys("enter");
    assert_eq!(stage.sent(), Some("/ship one staging later"));
}

#[test]
fn an_empty_answer_shows_nothing_and_other_commands_are_not_asked_about() {
    let mut stage = stage();
    stage.typed("/ship x");
    let (ticket, ..) = asked(&stage).unwrap();
    answer(&mut stage, ticket, &[]);
    assert!(stage.tui.picker.is_none());
    let count = stage.asks.len();
    stage.keys("ctrl+u").typed("/ping x").keys("ctrl+u").typed("/help x").keys("ctrl+u").typed("/review x");
    assert_eq!(stage.asks.len(), count);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn s5_a_completion_for_an_older_draft_is_never_shown(steps in prop::collection::vec((0u8..8, any::<prop::sample::Index>()), 1..40)) {
        let mut stage = stage();
        stage.typed("/ship ");
        for (step, which) in steps {
            match step {
                0 => { stage.typed("a"); }
                1 => { stage.typed(" "); }
                2 => { stage.keys("backspace"); }
                3 => { stage.keys("left"); }
                4 => { stage.keys("tab"); }
                5 => { stage.keys("esc"); }
                _ => {
                    let all: Vec<(Ticket, String)> = stage.asks.iter().filter_map(|ask| match ask {
                        Ask::Ext(ExtAsk::Complete { ticket, prefix, .. }) => Some((*ticket, prefix.to_string())),
                        _ => None,
                    }).collect();
                    let (ticket, prefix) = which.get(&all).clone();
                    answer(&mut stage, ticket, &[&format!("for-{prefix}")]);
                }
            }
            let typed = e::model::ext::typed::completing(stage.draft()).map(|(_, prefix)| format!("for-{prefix}"));
            for value in completions(&stage) {
                prop_assert_eq!(Some(value), typed.clone());
            }
        }
    }
}
