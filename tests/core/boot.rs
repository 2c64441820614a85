//! The start of a run: what is asked for, what waits, and how a headless start is refused.

use super::sim::{Reply, World, model_info};
use super::turns::spoken;
use e::model::Model;
use e::model::boot::{BootFacts, BootMsg, Launch, Mode, Resume, Trusted};
use e::model::effect::{Effect, FilesFx};
use e::model::fact::{Fact, SessionFact};
use e::model::id::Ticket;
use e::model::msg::{FilesMsg, Msg, Stamped};
use e::model::time::At;
use e::update::{Input, update};

fn start(facts: BootFacts) -> (Model, Vec<Effect>) {
    let at = At { mono: 1, wall: 1 };
    let (model, effects) =
        update(Model::empty(), Stamped { at, msg: Msg::Boot(Box::new(BootMsg::Start(facts))) });
    (model, effects.0)
}

#[test]
fn an_untrusted_directory_is_refused_without_a_terminal() {
    for trusted in [Trusted::Unknown, Trusted::Refused] {
        let launch =
            Launch { mode: Mode::Print { json: false }, prompt: Some("hi".into()), ..Launch::default() };
        let (_, effects) =
            start(BootFacts { trusted, launch, cwd: "/work/app".into(), ..BootFacts::default() });
        let said =
            effects.iter().find_map(|e| if let Effect::Err(t) = e { Some(t.to_string()) } else { None });
        assert!(said.unwrap().contains("`e trust /work/app`"));
        assert_eq!(effects.last(), Some(&Effect::Exit(1)));
        assert!(!effects.iter().any(|e| matches!(e, Effect::Files(FilesFx::LoadInstructions { .. }))));
    }
}

#[test]
fn an_untrusted_directory_is_not_read_before_the_answer() {
    let (_, effects) = start(BootFacts { trusted: Trusted::Unknown, ..World::boot_facts() });
    assert!(!effects.iter().any(|e| matches!(
        e,
        Effect::Files(FilesFx::LoadInstructions { .. } | FilesFx::LoadTemplates { .. })
    )));
}

#[test]
fn the_first_prompt_waits_for_models_and_instructions() {
    let launch = Launch { prompt: Some("hi".into()), ..Launch::default() };
    let mut w = World::with_boot(1, BootFacts { launch, ..World::boot_facts() });
    w.replies = vec![Reply::text("hello")];
    assert!(w.requests.is_empty());
    w.come_to_rest();
    assert_eq!(spoken(&w), ["user: hi", "e: hello"]);
    assert!(w.requests[0].system.contains("Be kind."));
}

#[test]
fn an_image_of_the_command_line_that_cannot_be_read_sends_nothing() {
    let launch = Launch { prompt: Some("look".into()), images: vec!["x.png".into()], ..Launch::default() };
    let mut w = World::with_boot(1, BootFacts { launch, ..World::boot_facts() });
    w.settle_files();
    let asked = w.effects.iter().find_map(|e| match e {
        Effect::Files(FilesFx::ReadImage { ticket, .. }) => Some(*ticket),
        _ => None,
    });
    w.give(Input::Msg(Msg::Files(asked.unwrap(), FilesMsg::Failed { error: "x.png is no image".into() })));
    assert!(w.requests.is_empty());
    assert!(w.facts.iter().any(|f| matches!(f, Fact::Session(_, SessionFact::Returned { .. }))));
    assert!(w.notices().contains(&"x.png is no image".to_owned()));
}

#[test]
fn the_model_is_the_one_asked_for_then_the_settings_then_the_first_usable() {
    let cases = [
        (None, None, "one"),
        (None, Some("sim/two"), "two"),
        (Some("two"), None, "two"),
        (Some("sim/one"), Some("sim/two"), "one"),
    ];
    for (asked, set, wanted) in cases {
        let launch = Launch { model: asked.map(Into::into), ..Launch::default() };
        let files = set.map(|m| ("settings.json".into(), format!("{{\"model\": \"{m}\"}}").into()));
        let mut w = World::with_boot(
            1,
            BootFacts { launch, files: files.into_iter().collect(), ..World::boot_facts() },
        );
        w.settle_files();
        assert_eq!(&*w.session().choice.model.clone().unwrap().id, wanted, "{asked:?} {set:?}");
        assert_eq!(w.session().choice.effort.as_deref(), Some("high"));
    }
}

#[test]
fn an_unknown_model_is_told_with_the_nearest_and_another_is_taken() {
    let launch = Launch { model: Some("sim/onee".into()), ..Launch::default() };
    let mut w = World::with_boot(1, BootFacts { launch, ..World::boot_facts() });
    w.settle_files();
    assert!(w.notices().iter().any(|n| n.contains("did you mean sim/one?")), "{:?}", w.notices());
    assert!(w.session().choice.model.is_some());
}

#[test]
fn a_wrong_setting_costs_itself_and_is_told_with_its_place() {
    let files = vec![("settings.json".into(), "{\n  \"tool_concurrency\": \"many\"\n}".into())];
    let w = World::with_boot(1, BootFacts { files, ..World::boot_facts() });
    assert!(w.notices().iter().any(|n| n.starts_with("settings.json:2:")), "{:?}", w.notices());
    assert_eq!(w.model().config.settings.tool_concurrency, 8);
}

#[test]
fn continuing_with_nothing_to_continue_starts_anew() {
    let launch = Launch { resume: Resume::Latest, prompt: Some("hi".into()), ..Launch::default() };
    let mut w = World::with_boot(1, BootFacts { launch, ..World::boot_facts() });
    w.replies = vec![Reply::text("hello")];
    w.come_to_rest();
    assert_eq!(spoken(&w), ["user: hi", "e: hello"]);
}

#[test]
fn without_saving_no_log_is_made() {
    let launch = Launch { no_save: true, ..Launch::default() };
    let mut w = World::with_boot(1, BootFacts { launch, ..World::boot_facts() });
    w.settle_files();
    w.replies = vec![Reply::text("hello")];
    w.type_line("hi");
    w.come_to_rest();
    assert!(w.disk.is_empty());
    assert_eq!(spoken(&w).len(), 2);
}

#[test]
fn without_tools_none_are_offered_and_the_prompt_says_so() {
    let launch = Launch { no_tools: true, ..Launch::default() };
    let mut w = World::with_boot(1, BootFacts { launch, ..World::boot_facts() });
    w.settle_files();
    w.type_line("hi");
    assert!(w.requests[0].tools.is_empty());
    assert!(w.requests[0].system.contains("You have no tools in this session"));
}

#[test]
fn a_model_that_comes_late_is_waited_for() {
    let launch = Launch { model: Some("local/late".into()), prompt: Some("hi".into()), ..Launch::default() };
    let mut w = World::with_boot(1, BootFacts { launch, ..World::boot_facts() });
    w.replies = vec![Reply::text("hello")];
    // The first catalogue does not have it; the local backend's answer does.
    let first = w.open.files.remove(0);
    w.give(Input::Msg(Msg::Files(first.0, first.1)));
    let probe: Vec<Ticket> = w
        .effects
        .iter()
        .filter_map(|e| match e {
            Effect::Files(FilesFx::ProbeLocal { ticket }) => Some(*ticket),
            _ => None,
        })
        .collect();
    assert_eq!(probe.len(), 1);
    w.open.files.retain(|(t, _)| *t != probe[0]);
    w.settle_files();
    assert!(w.requests.is_empty());
    let mut late = (*model_info("late", 8_000)).clone();
    late.reference.provider = "local".into();
    let models = vec![model_info("one", 200_000), std::sync::Arc::new(late)];
    w.give(Input::Msg(Msg::Files(
        probe[0],
        FilesMsg::Catalog { models: models.into(), complaints: Vec::new() },
    )));
    w.come_to_rest();
    assert_eq!(w.requests[0].model.reference.to_string(), "local/late");
}
