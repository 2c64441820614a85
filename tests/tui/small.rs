//! Small promises: a flash goes with the next key, `$` without skills says so, `/logout` lists what it can remove.

use std::sync::Arc;

use e::model::ask::UiAsk;
use e::model::provider::{Catalog, Dialect, ModelInfo, ModelRef};
use e::model::tool::ToolOutput;
use e::model::tool::args::SCHEMA;
use e::model::tui::modal::Question;

use super::stage::{ME, Stage};

fn flash(stage: &Stage) -> Option<String> {
    stage.tui.status.flash.as_ref().map(|flash| flash.text.to_string())
}

#[test]
fn a_flash_goes_with_the_next_key_and_not_before() {
    for next in ["x", "left", "enter"] {
        let mut stage = Stage::new(80, 24);
        stage.ui(UiAsk::Copy);
        assert_eq!(flash(&stage).as_deref(), Some("There is no reply to copy yet"));
        stage.wait(500);
        assert!(flash(&stage).is_some());
        if next == "x" {
            stage.typed(next)
        } else {
            stage.keys(next)
        };
        assert_eq!(flash(&stage), None, "{next}");
        assert!(stage.tui.pending.timers.is_empty() || next == "x", "its timer goes with it");
    }
}

#[test]
fn a_dollar_without_skills_says_that_there_are_none() {
    let ready = |draft: &str| {
        let mut stage = Stage::new(80, 24);
        stage.sessions.all.get_mut(&ME).unwrap().desk.loaded = true;
        stage.typed(draft);
        flash(&stage).is_some_and(|said| said.contains("no skills"))
    };
    assert!(ready("$") && ready("use $"));
    assert!(!ready("US$") && !ready("!echo $") && !ready("$x") && !ready("5 dollars"));
}

#[test]
fn logout_lists_only_providers_with_a_stored_key() {
    let model = |id: &str, stored| {
        let reference = ModelRef::parse(id).unwrap();
        Arc::new(ModelInfo { stored, ..ModelInfo::new(reference, Dialect::OpenaiCompletions, "http://x") })
    };
    let mut stage = Stage::new(80, 24);
    stage.catalog = Catalog {
        models: [model("a/1", true), model("a/2", true), model("b/1", false)].into(),
        loaded: true,
    };
    stage.ui(UiAsk::Logout { provider: None });
    let Some(Question::Select { list, .. }) = stage.tui.modals.open().map(|m| &m.question) else {
        panic!("no picker")
    };
    assert_eq!(list.matching().map(|i| i.value.to_string()).collect::<Vec<_>>(), ["a"]);
    stage.keys("esc").ui(UiAsk::Logout { provider: Some("b".into()) });
    assert_eq!(flash(&stage).unwrap(), "No key is stored for b; a variable's key is not e's to remove");
    stage.catalog.models = [model("b/1", false)].into();
    stage.ui(UiAsk::Logout { provider: None });
    assert_eq!(flash(&stage).unwrap(), "No key is stored");
}

#[test]
fn a_schema_is_for_the_model_and_the_reader() {
    let output =
        ToolOutput::failed(format!("read: `path` is missing.\nMore.{SCHEMA}{{\"type\":\"object\"}}"));
    assert_eq!(output.summary.as_deref(), Some("read: `path` is missing."));
    assert!(output.content.contains("\"object\""));
    assert_eq!(output.display.unwrap().text, output.content);
    assert_eq!(ToolOutput::failed("no").summary, None);
}
