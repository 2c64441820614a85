//! Questions: one at a time, in order, each answered once; nothing of the draft or of a secret leaks.

use std::collections::VecDeque;
use std::sync::Arc;

use e::model::ask::{Ask, SessionAsk, UiAsk};
use e::model::effect::{AuthFx, Effect, StoreFx};
use e::model::msg::StoreMsg;
use e::model::session::head::SessionHead;
use e::model::tui::modal::{Modal, Modals, Owner};
use e::update::tui as front;
use proptest::prelude::*;

use super::stage::Stage;

#[derive(Debug, Clone)]
enum Step {
    Ask(u8),
    Settle(bool),
    Close,
    Withdraw(u8),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0u8..6).prop_map(Step::Ask),
        3 => any::<bool>().prop_map(Step::Settle),
        2 => Just(Step::Close),
        1 => (0u8..6).prop_map(Step::Withdraw),
    ]
}

fn question(n: u8, serial: usize) -> Modal {
    let owner = Owner::LoginKey { provider: Arc::from(n.to_string()) };
    Modal::confirm(owner, &serial.to_string(), "")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn m1_m2_m3_one_at_a_time_in_order_each_answered_once(steps in prop::collection::vec(step(), 1..60)) {
        let mut modals = Modals::default();
        let mut waiting: VecDeque<(u8, String)> = VecDeque::new();
        let mut open: Option<(u8, String)> = None;
        let (mut asked, mut answered) = (0, Vec::new());
        for step in steps {
            match step {
                Step::Ask(n) => {
                    modals.ask(question(n, asked));
                    waiting.push_back((n, asked.to_string()));
                    asked += 1;
                }
                Step::Settle(free) => {
                    modals.settle(free);
                    if free && open.is_none() {
                        open = waiting.pop_front();
                    }
                }
                Step::Close => {
                    answered.extend(modals.close().map(|m| m.title.to_string()));
                    open = None;
                }
                Step::Withdraw(n) => {
                    let provider: Arc<str> = Arc::from(n.to_string());
                    let gone = modals.withdraw(|owner| *owner == Owner::LoginKey { provider: provider.clone() });
                    answered.extend(gone.iter().map(|m| m.title.to_string()));
                    waiting.retain(|(m, _)| *m != n);
                    open = open.filter(|(m, _)| *m != n);
                }
            }
            prop_assert_eq!(modals.open().map(|m| m.title.to_string()), open.clone().map(|(_, t)| t));
            prop_assert_eq!(modals.waiting(), waiting.len());
        }
        let rest = modals.withdraw(|_| true);
        answered.extend(rest.iter().map(|m| m.title.to_string()));
        answered.sort_by_key(|t| t.parse::<usize>().unwrap());
        let all: Vec<String> = (0..asked).map(|n| n.to_string()).collect();
        prop_assert_eq!(answered, all);
    }

    #[test]
    fn k11_nothing_typed_into_a_secret_leaves_it(typed in "[a-zA-Z0-9]{12,30}") {
        let mut stage = Stage::new(80, 24);
        stage.typed("draft").ui(UiAsk::Trust);
        stage.catalog = catalog();
        stage.ui(UiAsk::Login { provider: Some(Arc::from("acme")) });
        stage.keys("ctrl+c");
        stage.run(|tui, sessions, cx, out| front::ui(tui, UiAsk::Login { provider: Some(Arc::from("acme")) }, sessions, cx, out));
        prop_assert!(stage.tui.modals.open().is_some_and(Modal::is_secret));
        stage.effects.clear();
        stage.typed(&typed).keys("ctrl+w ctrl+y");
        stage.fire(e::model::tui::Due::KeepDraft);
        let leaks = format!("{:?}", stage.tui.modals).contains(&typed);
        prop_assert!(!leaks);
        let leaks = format!("{:?} {:?}", stage.effects, stage.asks).contains(&typed);
        prop_assert!(!leaks);
        prop_assert!(stage.tui.composer.kills.ring.is_empty());
        prop_assert_eq!(stage.draft(), "draft");
    }
}

fn catalog() -> e::model::provider::Catalog {
    use e::model::provider::{Dialect, ModelInfo, ModelRef};
    let model = |id: &str, usable| {
        Arc::new(ModelInfo {
            efforts: vec![Arc::from("low"), Arc::from("high")],
            usable,
            ..ModelInfo::new(ModelRef::parse(id).unwrap(), Dialect::OpenaiCompletions, "http://localhost")
        })
    };
    let models = [model("acme/one", true), model("acme/two", true), model("other/far", false)];
    e::model::provider::Catalog { models: models.into_iter().collect(), loaded: true }
}

#[test]
fn m7_a_question_waits_for_picker_and_reader() {
    for keys in ["/", "f1"] {
        let mut stage = Stage::new(80, 24);
        stage.sessions.rules.trusted = false;
        stage.keys(keys).ui(UiAsk::Trust);
        assert!(stage.tui.modals.open().is_none(), "over {keys}");
        stage.keys("esc");
        assert!(stage.tui.modals.open().is_some());
    }
}

#[test]
fn the_trust_question_accepts_once_records_or_leaves() {
    let ask = |keys: &str| {
        let mut stage = Stage::new(80, 24);
        stage.sessions.rules.trusted = false;
        stage.ui(UiAsk::Trust).keys(keys);
        stage.asks
    };
    assert_eq!(ask("enter"), [Ask::Trust { record: true }]);
    assert_eq!(ask("down enter"), [Ask::Trust { record: false }]);
    assert_eq!(ask("up enter"), [Ask::Exit(1)]);
    assert_eq!(ask("esc"), [Ask::Exit(1)]);
    assert_eq!(ask("ctrl+c"), [Ask::Exit(1)]);
}

#[test]
fn the_draft_is_as_it_was_after_a_question() {
    let mut stage = Stage::new(80, 24);
    stage.catalog = catalog();
    stage.typed("half a thou").keys("left shift+left");
    let before = stage.tui.composer.clone();
    stage.ui(UiAsk::ModelPicker { query: Arc::from("") });
    stage.typed("two").keys("left ctrl+w").paste("on\ne").keys("ctrl+_ esc");
    assert_eq!(stage.tui.composer, before);
}

#[test]
fn choosing_a_model_by_filter_or_by_name() {
    let mut stage = Stage::new(80, 24);
    stage.catalog = catalog();
    stage.ui(UiAsk::ModelPicker { query: Arc::from("") });
    stage.typed("two").keys("enter");
    let chose = |stage: &Stage, name: &str| {
        stage.asks.iter().any(|a| matches!(a, Ask::Session(_, SessionAsk::Model(m)) if m.to_string() == name))
    };
    assert!(chose(&stage, "acme/two"));
    stage.ui(UiAsk::ModelPicker { query: Arc::from("one") });
    assert!(chose(&stage, "acme/one"));
    assert!(stage.tui.modals.open().is_none());
}

#[test]
fn a_pasted_key_alone_goes_to_sign_in_and_nowhere_else() {
    let key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789";
    for typed in [false, true] {
        let mut stage = Stage::new(80, 24);
        if typed {
            stage.typed(key).keys("enter");
        } else {
            stage.paste(&format!("{key}\n"));
        }
        assert!(stage.tui.modals.open().is_some_and(Modal::is_secret));
        assert!(stage.asks.is_empty() && stage.tui.composer.draft.is_empty());
        stage.effects.clear();
        stage.keys("enter");
        let Some(Effect::Auth(AuthFx::Store { provider, key: stored, .. })) =
            stage.effects.iter().find(|e| matches!(e, Effect::Auth(_)))
        else {
            panic!("not stored")
        };
        assert_eq!((&**provider, &*stored.0), ("anthropic", key));
        assert!(!format!("{:?}", stage.tui).contains(key));
        assert!(stage.tui.composer.recall.entries.is_empty());
    }
}

#[test]
fn the_resume_picker_lists_titles_ages_turns_and_models() {
    let mut stage = Stage::new(80, 24);
    stage.ui(UiAsk::ResumePicker);
    let ticket = stage.effects.iter().find_map(|e| match e {
        Effect::Store(StoreFx::List { ticket, .. }) => Some(*ticket),
        _ => None,
    });
    let head = |title: &str, minutes: u64| SessionHead {
        path: Arc::from(format!("/s/{title}.jsonl")),
        cwd: Arc::from("/work/parser"),
        title: Arc::from(title),
        name: None,
        modified: stage.now.wall - minutes * 60_000,
        size: 10,
        turns: Some(3),
        model: e::model::provider::ModelRef::parse("acme/one"),
    };
    let sessions = vec![head("parse faster", 5), head("fix docs", 60 * 26)];
    stage.run(|tui, all, cx, out| {
        front::store(tui, ticket.unwrap(), StoreMsg::Listed { sessions }, all, cx, out)
    });
    let Some(e::model::tui::modal::Question::Select { list, .. }) =
        stage.tui.modals.open().map(|m| &m.question)
    else {
        panic!("no picker")
    };
    let rights: Vec<String> = list.matching().map(|i| i.right.to_string()).collect();
    assert_eq!(rights, ["5m ago · 3 turns · one", "1d ago · 3 turns · one"]);
    let title = stage.tui.modals.open().unwrap().title.to_string();
    assert_eq!(title, "Go on with which session in /work/parser?");
    stage.typed("docs").keys("enter");
    let resume = SessionAsk::Resume { path: Arc::from("/s/fix docs.jsonl") };
    assert_eq!(stage.asks, [Ask::Session(super::stage::ME, resume)]);
}

#[test]
fn leaving_while_something_runs_is_asked_about() {
    let mut stage = Stage::new(80, 24);
    stage.busy(true).ui(UiAsk::Quit);
    assert!(!stage.exited());
    stage.typed("y");
    assert!(stage.exited());
    let mut stage = Stage::new(80, 24);
    stage.ui(UiAsk::Quit);
    assert!(stage.exited());
}
