//! Facts become blocks: every change moves a version, streaming is append-only, a rebuilt conversation shows the same.

use std::collections::BTreeMap;
use std::sync::Arc;

use e::model::fact::{Fact, TextFact};
use e::model::provider::{Assistant, Message, Part, ToolResult};
use e::model::tool::Outcome;
use e::model::tui::block::{Body, CallState, Tail, Words};
use proptest::prelude::*;

use super::stage::{
    ME, Stage, batch, began, call_end, call_output, call_start, committed, ended, opened, reasoning, text,
};

#[derive(Debug, Clone)]
enum Step {
    Began,
    Text(String),
    Reasoning(String),
    Committed,
    Dropped,
    Batch(u8),
    Start(u8),
    Output(u8, String),
    End(u8, Outcome),
    Ended(bool),
    Notice(String),
}

fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z ]{1,12}",
        Just("\n".to_owned()),
        Just("\n\n".to_owned()),
        Just("```rust\nlet x = 1;\n".to_owned()),
        Just("```\n".to_owned()),
        Just("- item\n".to_owned()),
        Just("\u{1b}[31".to_owned()),
        Just("| a | b |\n".to_owned()),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let outcome = prop_oneof![Just(Outcome::Completed), Just(Outcome::Failed), Just(Outcome::Cancelled)];
    prop_oneof![
        1 => Just(Step::Began),
        6 => words().prop_map(Step::Text),
        2 => words().prop_map(Step::Reasoning),
        1 => Just(Step::Committed),
        1 => Just(Step::Dropped),
        1 => (0u8..4).prop_map(Step::Batch),
        1 => (0u8..4).prop_map(Step::Start),
        1 => (0u8..4, words()).prop_map(|(n, w)| Step::Output(n, w)),
        1 => (0u8..4, outcome).prop_map(|(n, o)| Step::End(n, o)),
        1 => any::<bool>().prop_map(Step::Ended),
        1 => words().prop_map(Step::Notice),
    ]
}

/// The facts that a step is; calls are numbered on so that no id comes twice.
fn fact(step: &Step, calls: &mut u64) -> Fact {
    let id = |n: &u8, calls: &u64| calls.saturating_sub(u64::from(*n)).max(1);
    match step {
        Step::Began => began("question"),
        Step::Text(piece) => text(piece),
        Step::Reasoning(piece) => reasoning(piece),
        Step::Committed => committed(),
        Step::Dropped => Fact::Text(ME, TextFact::Dropped),
        Step::Batch(n) => {
            let first = *calls + 1;
            *calls += u64::from(*n) + 1;
            batch(&(first..=*calls).collect::<Vec<_>>())
        }
        Step::Start(n) => call_start(id(n, calls)),
        Step::Output(n, chunk) => call_output(id(n, calls), chunk),
        Step::End(n, outcome) => call_end(id(n, calls), *outcome, "content"),
        Step::Ended(aborted) => ended(*aborted),
        Step::Notice(text) => Fact::Notice(e::model::session::notice::Notice {
            tone: e::model::session::notice::Tone::Info,
            text: Arc::from(text.as_str()),
            transient: false,
        }),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn v8_every_change_of_a_block_moves_its_version(steps in prop::collection::vec(step(), 1..60)) {
        let mut stage = Stage::new(60, 20);
        let mut calls = 0;
        for step in &steps {
            let before: BTreeMap<_, _> = stage
                .tui.transcript.blocks().iter()
                .map(|b| (b.id(), (b.version(), b.is_done(), b.body().clone())))
                .collect();
            stage.fact(&fact(step, &mut calls));
            for block in stage.tui.transcript.blocks() {
                if let Some((version, done, body)) = before.get(&block.id()) {
                    let same = body == block.body() && *done == block.is_done();
                    prop_assert!(same || *version != block.version(), "{:?} changed", block.id());
                }
            }
        }
    }

    #[test]
    fn ids_rise_and_open_blocks_are_the_ones_that_grow(steps in prop::collection::vec(step(), 1..60)) {
        let mut stage = Stage::new(60, 20);
        let mut calls = 0;
        for step in &steps {
            stage.fact(&fact(step, &mut calls));
            let blocks = stage.tui.transcript.blocks();
            prop_assert!(blocks.windows(2).all(|w| w[0].id() < w[1].id()));
            for block in blocks {
                if matches!(block.body(), Body::Text(_) | Body::Thinking(_)) {
                    prop_assert_eq!(!block.is_done(), stage.tui.transcript.prose == Some(block.id()));
                }
            }
        }
    }

    #[test]
    fn g35_finished_rows_never_change_while_more_arrives(
        pieces in prop::collection::vec(words(), 1..40), cut in 1usize..4
    ) {
        let mut stage = Stage::new(50, 20);
        stage.fact(&began("q"));
        let all: String = pieces.concat();
        let chars: Vec<char> = all.chars().collect();
        let mut finished: Vec<String> = Vec::new();
        for chunk in chars.chunks(cut) {
            stage.fact(&text(&chunk.iter().collect::<String>()));
            let done = stage.tui.transcript.blocks().iter().take_while(|b| b.is_done()).count();
            let rows: Vec<String> = stage.tui.transcript.blocks()[..done]
                .iter()
                .flat_map(|b| e::model::tui::look::rows(b, stage.look()))
                .map(|r| r.plain())
                .collect();
            prop_assert!(rows.len() >= finished.len());
            prop_assert_eq!(&rows[..finished.len()], &finished[..]);
            finished = rows;
        }
    }

    #[test]
    fn streaming_in_pieces_shows_what_the_whole_shows(pieces in prop::collection::vec(words(), 1..30)) {
        let all = pieces.concat();
        let mut stage = Stage::new(50, 20);
        stage.fact(&began("q"));
        pieces.iter().for_each(|piece| { stage.fact(&text(piece)); });
        stage.fact(&committed()).fact(&ended(false));
        let mut parts: Vec<String> = Vec::new();
        for block in stage.tui.transcript.blocks() {
            if let Body::Text(prose) = block.body() {
                parts.push(prose.text().to_string());
            }
        }
        let clean = e::model::text::clean::Clean::vanish(&all).to_string();
        // Only white space before the first word is left out.
        let shown = parts.concat();
        prop_assert_eq!(shown.trim_start(), clean.trim_start());
    }
}

fn body(stage: &Stage, back: usize) -> &Body {
    let blocks = stage.tui.transcript.blocks();
    blocks[blocks.len() - 1 - back].body()
}

#[test]
fn a_tool_group_in_the_models_order_with_states_and_tail() {
    let mut stage = Stage::new(80, 24);
    stage.fact(&began("q")).fact(&batch(&[1, 2])).fact(&call_start(2));
    stage.fact(&call_output(2, "10%\r20%\r30%\nnext"));
    let Body::Tools(group) = body(&stage, 0) else { panic!("no group") };
    assert_eq!(group.calls[0].state, CallState::Waiting);
    let tail: Vec<String> = group.calls[1].tail.last(5).iter().map(|l| l.to_string()).collect();
    assert_eq!(tail, ["30%", "next"]);
    stage.wait(2_000).fact(&call_end(2, Outcome::Failed, "no such file"));
    stage.fact(&call_end(1, Outcome::Completed, "x")).fact(&batch(&[3]));
    let Body::Tools(group) = body(&stage, 0) else { panic!("no group") };
    assert_eq!(group.calls.len(), 3, "a batch right behind joins the group");
    let rows = stage.rows().join("\n");
    assert!(
        rows.contains("Read a.rs") && rows.contains("Failed a.rs") && rows.contains("no such file"),
        "{rows}"
    );
    assert!(!stage.tui.transcript.blocks().last().unwrap().is_done());
    stage.fact(&call_end(3, Outcome::Completed, "x")).fact(&text("done")).fact(&ended(false));
    assert!(stage.tui.transcript.blocks().iter().all(|b| b.is_done()));
}

#[test]
fn a_blank_reply_asked_again_leaves_nothing() {
    let mut stage = Stage::fullscreen(80, 24);
    stage.fact(&began("q"));
    let before = stage.tui.transcript.blocks().len();
    stage.fact(&reasoning("hm")).fact(&Fact::Text(ME, TextFact::Dropped)).fact(&text("better"));
    assert_eq!(stage.tui.transcript.blocks().len(), before + 1);
}

#[test]
fn the_tail_keeps_the_newest_lines_of_any_flood() {
    let mut tail = Tail::default();
    for n in 0..100_000 {
        tail.push(&format!("line {n}\n"));
    }
    let lines: Vec<String> = tail.last(2).iter().map(|l| l.to_string()).collect();
    assert_eq!(lines, ["line 99998", "line 99999"]);
    assert!(tail.last(usize::MAX).len() <= 400);
}

fn message(parts: Vec<Part>) -> Arc<Message> {
    Arc::new(Message::Assistant(Assistant { parts, origin: None }))
}

#[test]
fn a_conversation_is_rebuilt_from_its_messages_without_copying_them() {
    let reply: Arc<str> = Arc::from("# Title\n\nlong text");
    let call = Part::ToolCall {
        id: Arc::from("c"),
        name: Arc::from("read"),
        arguments: Arc::from("{\"path\": \"src/a.rs\"}"),
        signature: None,
    };
    let result = |content: &str| {
        Arc::new(Message::Tool(ToolResult {
            call: Arc::from("c"),
            name: Arc::from("read"),
            outcome: Outcome::Completed,
            content: Arc::from(content),
            summary: None,
            display: None,
            images: Vec::new(),
        }))
    };
    let branch = [
        Arc::new(Message::prompt("go")),
        message(vec![call.clone()]),
        result("one"),
        message(vec![call]),
        result("two"),
        message(vec![Part::Text(reply.clone())]),
    ];
    let named = branch.into_iter().enumerate().map(|(n, m)| (Arc::from(n.to_string()), m)).collect();
    let mut stage = Stage::fullscreen(80, 24);
    stage.fact(&opened(named));
    let Body::Text(prose) = body(&stage, 0) else { panic!("no text") };
    let Words::Raw(shared) = &prose.words else { panic!("copied") };
    assert!(Arc::ptr_eq(shared, &reply));
    let Body::Tools(group) = body(&stage, 1) else { panic!("no group") };
    let contents: Vec<String> = group.calls.iter().map(|c| c.content.clean().to_string()).collect();
    assert_eq!(contents, ["one", "two"], "an id that comes again finds its own result");
    assert!(stage.rows().iter().any(|row| row.contains("src/a.rs")));
    assert!(stage.tui.transcript.reply.is_some());
}

#[test]
fn ten_thousand_messages_are_opened_lazily_and_the_beginning_is_spared() {
    let messages = (0..10_000).map(|n| {
        let message = match n % 2 {
            0 => Arc::new(Message::prompt(format!("question {n}"))),
            _ => message(vec![Part::Text(Arc::from(format!("answer {n}\n\nwith **words**")))]),
        };
        (Arc::from(n.to_string()), message)
    });
    let mut stage = Stage::new(80, 24);
    stage.effects.clear();
    stage.fact(&opened(messages.collect()));
    assert_eq!(stage.tui.transcript.blocks().len(), 10_001);
    let printed = stage.printed();
    assert!(printed.len() < 60, "{} blocks printed", printed.len());
    let first = stage.tui.transcript.get(printed[0]).unwrap();
    let row = e::model::tui::look::rows(first, stage.look()).last().unwrap().plain();
    assert!(row.contains("10000 messages") && row.contains("ctrl+o"), "{row}");
    assert!(stage.rows().last().unwrap().contains("with words"));
}
