//! Hook chains as data: order, rewrites, and every way to go wrong.

use std::sync::Arc;

use e::model::ext::chain::{Asked, Chain, Step};
use e::model::ext::{Entry, HookKind, HookValue, InputVerdict};
use e::model::id::{ExtId, Ticket, TimerId};
use e::model::provider::Message;
use e::model::tool::Format;
use e::model::wire::ext::{Call, HookAnswer, RenderAnswer};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;

use super::strategies;

fn text(s: &str) -> Arc<str> {
    s.into()
}

fn value(kind: HookKind) -> HookValue {
    match kind {
        HookKind::Input => {
            HookValue::Input { text: text("line"), verdict: InputVerdict::Pass, notices: Vec::new() }
        }
        HookKind::BeforeTurn => {
            HookValue::BeforeTurn { prompt: text("prompt"), suffixes: Vec::new(), messages: Vec::new() }
        }
        HookKind::ToolCall => HookValue::ToolCall {
            name: text("bash"),
            arguments: Arc::new(json!({"command": "ls"})),
            block: None,
        },
        HookKind::ToolResult => HookValue::ToolResult {
            name: text("bash"),
            content: text("start"),
            is_error: true,
            rewritten: false,
        },
        HookKind::CompactSummary => HookValue::CompactSummary { summary: text("start") },
        HookKind::Render => {
            HookValue::Render { entry: Entry::Tool(text("bash")), content: text("start"), body: None }
        }
    }
}

/// Runs a chain whose extensions answer as told, in order; `None` is a deadline. What each was asked comes back.
fn run(kind: HookKind, answers: Vec<Option<HookAnswer>>) -> (HookValue, Vec<Call>) {
    let order: Vec<ExtId> = (0..answers.len() as u64).map(ExtId).collect();
    let mut chain = Chain::new(Ticket(1), value(kind), order);
    let mut calls = Vec::new();
    while let Step::Ask(ext, call) = chain.step() {
        calls.push(call);
        let asked = Asked { ext, call: 100 + ext.0, timer: TimerId(ext.0) };
        chain.asking(asked);
        match &answers[ext.0 as usize] {
            Some(answer) => assert!(chain.answer(ext, asked.call, &format!("ext{}", ext.0), answer.clone())),
            None => assert!(chain.timeout(asked.timer)),
        }
        assert_eq!(chain.asked(), None);
    }
    (chain.value, calls)
}

fn some(answers: impl IntoIterator<Item = HookAnswer>) -> Vec<Option<HookAnswer>> {
    answers.into_iter().map(Some).collect()
}

#[test]
fn tool_call_the_first_block_wins_and_later_ones_are_not_asked() {
    let block = |reason: Option<&str>| HookAnswer::ToolCall { block: true, reason: reason.map(text) };
    let allow = HookAnswer::ToolCall { block: false, reason: Some(text("ignored")) };
    let (value, calls) =
        run(HookKind::ToolCall, some([allow.clone(), block(Some("no")), block(Some("late"))]));
    assert!(matches!(value, HookValue::ToolCall { block: Some(reason), .. } if &*reason == "no"));
    let call = Call::HookToolCall { name: text("bash"), arguments: Arc::new(json!({"command": "ls"})) };
    assert_eq!(calls, vec![call; 2]);
    let (value, _) = run(HookKind::ToolCall, some([block(None)]));
    assert!(matches!(value, HookValue::ToolCall { block: Some(reason), .. } if reason.contains("ext0")));
    let (value, calls) = run(HookKind::ToolCall, vec![None, Some(allow), None]);
    assert!(matches!(value, HookValue::ToolCall { block: None, .. }) && calls.len() == 3);
}

#[test]
fn input_the_first_verdict_wins_with_the_notices_before_it() {
    let answer = |consume: bool, replace: Option<&str>, notice: Option<&'static str>| HookAnswer::Input {
        consume,
        replace: replace.map(text),
        notice: notice.map(Into::into),
    };
    let end = |answers| match run(HookKind::Input, some(answers)) {
        (HookValue::Input { text, verdict, notices }, calls) => {
            assert_eq!(&*text, "line");
            assert!(calls.iter().all(|c| *c == Call::HookInput { text: "line".into() }));
            (verdict, notices.iter().map(|n| n.to_string()).collect::<Vec<_>>(), calls.len())
        }
        other => panic!("{other:?}"),
    };
    let pass = answer(false, None, Some("one"));
    assert_eq!(
        end(vec![pass.clone(), pass.clone()]),
        (InputVerdict::Pass, vec!["one".into(), "one".into()], 2)
    );
    assert_eq!(
        end(vec![pass.clone(), answer(true, Some("x"), Some("two")), pass.clone()]),
        (InputVerdict::Consume, vec!["one".into(), "two".into()], 2)
    );
    assert_eq!(
        end(vec![answer(false, Some("new"), None), answer(true, None, None)]),
        (InputVerdict::Replace(text("new")), vec![], 1)
    );
}

#[test]
fn before_turn_keeps_everything_in_order() {
    let answer = |suffix: Option<&str>, message: Option<(&str, bool)>| HookAnswer::BeforeTurn {
        system_suffix: suffix.map(text),
        message: message.map(|(content, internal)| (text(content), internal)),
    };
    let answers = some([
        answer(Some("a"), None),
        answer(None, Some(("m", true))),
        answer(Some("b"), Some(("n", false))),
    ]);
    let (HookValue::BeforeTurn { suffixes, messages, .. }, calls) = run(HookKind::BeforeTurn, answers) else {
        panic!()
    };
    assert_eq!(suffixes, [text("a"), text("b")]);
    let got: Vec<(String, bool)> = messages
        .iter()
        .map(|m| match &**m {
            Message::User(user) => (user.text(), user.internal),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(got, [("m".into(), true), ("n".into(), false)]);
    assert_eq!(calls, vec![Call::HookBeforeTurn { prompt: text("prompt") }; 3]);
}

#[test]
fn render_the_last_answer_gives_the_format_and_sees_the_body_before() {
    let body = |body: &str, format| HookAnswer::Render(Some(RenderAnswer { body: text(body), format }));
    let answers = vec![
        Some(body("one", Format::Diff)),
        Some(HookAnswer::Render(None)),
        None,
        Some(body("two", Format::Markdown)),
    ];
    let (value, calls) = run(HookKind::Render, answers);
    let HookValue::Render { body: Some(body), content, .. } = value else { panic!() };
    assert_eq!((&*body.body, body.format, &*content), ("two", Format::Markdown, "start"));
    let seen: Vec<String> = calls
        .iter()
        .map(|c| match c {
            Call::HookRender { kind, name, content } => format!("{kind} {name} {content}"),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(seen, ["tool bash start", "tool bash one", "tool bash one", "tool bash one"]);
    let reply = HookValue::Render { entry: Entry::Assistant, content: text("hi"), body: None };
    assert_eq!(
        reply.call(),
        Call::HookRender { kind: text("assistant"), name: text(""), content: text("hi") }
    );
}

#[test]
fn an_empty_content_is_a_rewrite_and_an_answer_of_another_kind_is_none() {
    let (rewritten, _) =
        run(HookKind::ToolResult, some([HookAnswer::ToolResult { content: Some(text("")) }]));
    assert!(
        matches!(rewritten, HookValue::ToolResult { content, rewritten: true, is_error: true, .. } if content.is_empty())
    );
    for kind in HookKind::ALL {
        for other in HookKind::ALL {
            let (got, _) = run(kind, some([HookAnswer::empty(other)]));
            assert_eq!(got, value(kind));
        }
    }
}

#[test]
fn late_and_foreign_answers_are_not_the_chains() {
    let mut chain = Chain::new(Ticket(1), value(HookKind::ToolCall), [ExtId(1), ExtId(2)]);
    let block = HookAnswer::ToolCall { block: true, reason: None };
    assert!(!chain.answer(ExtId(1), 7, "a", block.clone()), "nobody was asked");
    assert!(matches!(chain.step(), Step::Ask(ExtId(1), _)));
    chain.asking(Asked { ext: ExtId(1), call: 7, timer: TimerId(3) });
    assert!(!chain.answer(ExtId(2), 7, "b", block.clone()));
    assert!(!chain.answer(ExtId(1), 8, "a", block.clone()));
    assert!(!chain.timeout(TimerId(4)));
    assert!(chain.timeout(TimerId(3)) && !chain.timeout(TimerId(3)));
    assert!(!chain.answer(ExtId(1), 7, "a", block), "after the deadline");
    assert!(!chain.died(ExtId(2)), "nobody waits for it");
    assert_eq!(chain.step(), Step::Done);
    assert!(matches!(chain.value, HookValue::ToolCall { block: None, .. }));
}

/// What one extension does when it is asked.
#[derive(Debug, Clone)]
enum Act {
    Rewrite(String),
    Nothing,
    Deadline,
    Dies,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => "[a-c]{0,2}".prop_map(Act::Rewrite),
        1 => Just(Act::Nothing),
        1 => Just(Act::Deadline),
        1 => Just(Act::Dies),
    ]
}

proptest! {
    #![proptest_config(strategies::cases())]

    #[test]
    fn x4_chains_run_in_launch_order_and_each_sees_the_formers_rewrite(
        acts in vec(act(), 0..7),
        summary in any::<bool>(),
        dead in prop::option::of(0u64..7),
    ) {
        let kind = if summary { HookKind::CompactSummary } else { HookKind::ToolResult };
        let mut chain = Chain::new(Ticket(1), value(kind), (0..acts.len() as u64).map(ExtId));
        // One that waits for its turn may die before it is asked.
        if let Some(dead) = dead {
            prop_assert!(!chain.died(ExtId(dead)));
        }
        let mut content = String::from("start");
        let mut expected = (0..acts.len() as u64).filter(|at| Some(*at) != dead);
        let mut asked = 0;
        while let Step::Ask(ext, call) = chain.step() {
            asked += 1;
            prop_assert_eq!(Some(ext.0), expected.next());
            let seen = match call {
                Call::HookToolResult { content, .. } => content,
                Call::HookCompactSummary { summary } => summary,
                other => panic!("{other:?}"),
            };
            prop_assert_eq!(&*seen, &content);
            chain.asking(Asked { ext, call: ext.0, timer: TimerId(ext.0) });
            let answer = |new: Option<&str>| match summary {
                true => HookAnswer::CompactSummary { summary: new.map(text) },
                false => HookAnswer::ToolResult { content: new.map(text) },
            };
            match &acts[ext.0 as usize] {
                Act::Rewrite(new) => {
                    prop_assert!(chain.answer(ext, ext.0, "x", answer(Some(new))));
                    content = new.clone();
                }
                Act::Nothing => prop_assert!(chain.answer(ext, ext.0, "x", answer(None))),
                Act::Deadline => prop_assert!(chain.timeout(TimerId(ext.0))),
                Act::Dies => prop_assert!(chain.died(ext)),
            }
        }
        prop_assert_eq!(expected.next(), None);
        // X5: nobody is asked twice, so the whole takes at most as many deadlines as there are extensions.
        prop_assert!(asked <= acts.len());
        let end = match chain.value {
            HookValue::ToolResult { content, .. } => content,
            HookValue::CompactSummary { summary } => summary,
            other => panic!("{other:?}"),
        };
        prop_assert_eq!(&*end, content);
    }
}
