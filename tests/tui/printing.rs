//! Inline mode: finished blocks leave for scrollback in order, once, with their colours or after a moment without.

use std::sync::Arc;

use e::model::effect::{Effect, FilesFx, TermFx};
use e::model::fact::{Fact, SessionFact, ToolFact};
use e::model::id::{CallId, Ticket};
use e::model::msg::FilesMsg;
use e::model::provider::{Assistant, Message, Part};
use e::model::text::row::Token;
use e::model::tool::{Display, Format, Outcome};
use e::model::tui::Due;
use e::model::tui::block::{Block, Body};
use proptest::prelude::*;

use super::stage::{ME, Stage, batch, began, call_end, committed, ended, opened, text};

fn asked(stage: &Stage) -> Vec<(Ticket, String, usize)> {
    let ask = |fx: &FilesFx| match fx {
        FilesFx::Highlight { ticket, text, from_line, .. } => Some((*ticket, text.to_string(), *from_line)),
        _ => None,
    };
    stage.files_fx().filter_map(ask).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn each_finished_block_is_printed_once_and_in_order(
        steps in prop::collection::vec((0u8..9, "[a-z\n`]{1,9}"), 1..60)
    ) {
        let mut stage = Stage::new(60, 16);
        let mut calls = 0;
        for (kind, words) in steps {
            match kind {
                0 => { stage.fact(&began(&words)); }
                1 => { stage.fact(&ended(false)); }
                2 => { calls += 1; stage.fact(&batch(&[calls])); }
                3 => { stage.fact(&call_end(calls, e::model::tool::Outcome::Completed, "x")); }
                4 => { stage.keys("ctrl+o"); }
                5 => { stage.keys("esc"); }
                6 => { stage.wait(500); stage.fire(Due::Colours); }
                _ => { stage.fact(&text(&words)); }
            }
        }
        let printed = stage.printed();
        let blocks = stage.tui.transcript.blocks();
        prop_assert!(printed.windows(2).all(|w| w[0] < w[1]), "in order and once");
        let first: Vec<_> = blocks.iter().take(printed.len()).map(|b| b.id()).collect();
        prop_assert_eq!(&printed, &first);
        prop_assert!(blocks.iter().take(printed.len()).all(|b| b.is_done()));
        prop_assert_eq!(stage.tui.transcript.live().len(), blocks.len() - printed.len());
    }
}

#[test]
fn a_block_waits_for_its_colours_and_gets_them() {
    let mut stage = Stage::new(60, 20);
    stage.fact(&began("q")).fact(&text("```rust\nlet x = 1;\n```\n")).fact(&committed());
    let (ticket, source, from) = asked(&stage).pop().unwrap();
    assert_eq!((source.as_str(), from), ("let x = 1;\n", 0));
    let before = stage.printed().len();
    stage.fact(&ended(false));
    assert_eq!(stage.printed().len(), before, "it waits");
    let lines = vec![vec![(0..3, Token::SyntaxKeyword)]];
    stage.files(ticket, FilesMsg::Coloured { from_line: 0, lines });
    assert_eq!(stage.printed().len(), before + 1);
    let block = stage.tui.transcript.blocks().last().unwrap();
    let row = &e::model::tui::look::rows(block, stage.look())[1];
    assert!(row.spans.iter().any(|s| s.token == Token::SyntaxKeyword), "{row:?}");
}

#[test]
fn an_edit_is_printed_with_the_colours_of_its_diff() {
    let mut stage = Stage::new(60, 20);
    let diff = "--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n-let a;\n+let b;\n";
    let display = Some(Display { text: Arc::from(diff), format: Format::Diff, cut: false });
    let (id, outcome, content) = (CallId(1), Outcome::Completed, Arc::from("done"));
    let end = ToolFact::End { id, outcome, summary: None, content, whole: None, display, kept: None };
    stage.fact(&began("q")).fact(&batch(&[1])).fact(&Fact::Tool(ME, end));
    let all = asked(&stage);
    assert_eq!(all.iter().map(|(_, text, _)| text.as_str()).collect::<Vec<_>>(), ["let a;", "let b;"]);
    let before = stage.printed().len();
    stage.fact(&ended(false));
    assert_eq!(stage.printed().len(), before, "it waits");
    for (ticket, ..) in all {
        stage.files(
            ticket,
            FilesMsg::Coloured { from_line: 0, lines: vec![vec![(0..3, Token::SyntaxKeyword)]] },
        );
    }
    assert_eq!(stage.printed().len(), before + 1);
    let block = stage.tui.transcript.blocks().iter().find(|block| matches!(block.body(), Body::Tools(_)));
    let rows = e::model::tui::look::rows(block.unwrap(), stage.look());
    let words = rows.iter().flat_map(|row| &row.spans).filter(|span| span.token == Token::SyntaxKeyword);
    assert_eq!(words.map(|span| span.text.as_str()).collect::<Vec<_>>(), ["let", "let"]);
    assert_eq!(asked(&stage).len(), 2, "and is not asked for again");
}

#[test]
fn it_waits_two_hundred_milliseconds_at_most() {
    let mut stage = Stage::new(60, 20);
    stage.fact(&began("q")).fact(&text("```rust\nlet x = 1;\n```\n")).fact(&committed()).fact(&ended(false));
    let before = stage.printed().len();
    stage.wait(200);
    assert!(stage.fire(Due::Colours));
    assert_eq!(stage.printed().len(), before + 1);
}

#[test]
fn code_is_coloured_while_it_grows_one_question_at_a_time() {
    let mut stage = Stage::new(60, 20);
    stage
        .fact(&began("q"))
        .fact(&text("Look:\n```rust\nlet a = 1;\nlet b"))
        .fact(&text(" = 2;\nlet c = 3;\n"));
    let all = asked(&stage);
    assert_eq!(all.len(), 1, "{all:?}");
    let blocks = stage.tui.transcript.blocks();
    assert!(
        matches!(blocks[blocks.len() - 2].body(), Body::Text(_)),
        "the paragraph before is a block of its own"
    );
    stage.files(all[0].0, FilesMsg::Coloured { from_line: 0, lines: vec![Vec::new()] });
    let (_, source, from) = asked(&stage).pop().unwrap();
    assert_eq!((source.as_str(), from), ("let a = 1;\nlet b = 2;\nlet c = 3;\n", 1));
}

#[test]
fn what_was_live_leaves_before_another_conversation_comes() {
    let mut stage = Stage::new(60, 20);
    stage.fact(&began("q")).fact(&text("half a rep"));
    let live = stage.tui.transcript.blocks().last().unwrap().id();
    stage.fact(&opened(vec![(Arc::from("1"), Arc::new(Message::prompt("older")))]));
    let printed = stage.printed();
    assert!(printed.contains(&live));
    assert!(stage.tui.transcript.get(live).is_some_and(|b| b.is_done()), "it can still be painted");
    assert!(printed.windows(2).all(|w| w[0] < w[1]));
}

/// A conversation of that many exchanges.
fn exchanges(count: usize) -> Vec<(Arc<str>, Arc<Message>)> {
    let exchange = |n: usize| {
        let parts = vec![Part::Text(format!("answer {n}\n\n- one\n- two").into())];
        let reply = Message::Assistant(Assistant { parts, origin: None });
        let prompt = Message::prompt(format!("question {n}"));
        [(format!("q{n}").into(), Arc::new(prompt)), (format!("a{n}").into(), Arc::new(reply))]
    };
    (0..count).flat_map(exchange).collect()
}

#[test]
fn the_end_of_a_long_session_is_shown_before_the_rest_and_leaves_no_trace() {
    for fullscreen in [false, true] {
        let stage = || if fullscreen { Stage::fullscreen(60, 20) } else { Stage::new(60, 20) };
        let branch = exchanges(200);
        let nearing =
            |from: usize| Fact::Session(ME, SessionFact::Nearing { branch: branch[from..].to_vec() });
        let words = |stage: &Stage| match stage.tui.transcript.painted(!fullscreen).0.last().map(Block::body)
        {
            Some(Body::Text(prose)) => prose.words.raw().to_owned(),
            _ => String::new(),
        };
        let (mut early, mut late) = (stage(), stage());
        for stage in [&mut early, &mut late] {
            stage.fact(&began("before")).fact(&text("an answer")).fact(&committed()).fact(&ended(false));
            stage.effects.clear();
        }
        let before = early.tui.clone();
        early.fact(&nearing(380));
        assert!(words(&early).starts_with("answer 199"));
        assert!(early.printed().is_empty(), "what is only near is not printed");
        assert_eq!(early.tui.transcript.blocks(), before.transcript.blocks());
        // It is not opened after all.
        early.fact(&nearing(400));
        assert_eq!(early.tui, before);
        early.fact(&nearing(390)).fact(&opened(branch.clone()));
        late.fact(&opened(branch.clone()));
        assert_eq!(early.tui, late.tui);
        assert_eq!(early.effects, late.effects);
    }
}

#[test]
fn fullscreen_prints_nothing() {
    let mut stage = Stage::fullscreen(60, 20);
    stage.fact(&began("q")).fact(&text("text")).fact(&ended(false));
    assert!(stage.printed().is_empty());
    assert!(!stage.effects.contains(&Effect::Term(TermFx::Alternate(false))));
}

#[test]
fn a_running_turn_ticks_and_an_idle_front_has_no_timer() {
    let mut stage = Stage::new(60, 20);
    stage.fact(&began("q"));
    assert!(stage.wait(1000).fire(Due::Tick));
    let running = stage.tui.status.running.as_ref().unwrap();
    assert_eq!(running.now.since(running.since).as_secs(), 1);
    stage.fact(&ended(false));
    assert!(stage.tui.pending.timers.is_empty(), "{:?}", stage.tui.pending.timers);
}

#[test]
fn going_back_writes_nothing_into_scrollback_again() {
    let mut stage = Stage::new(60, 20);
    stage.fact(&began("first")).fact(&text("answer")).fact(&committed()).fact(&ended(false));
    stage.effects.clear();
    // The harness names every message `n`.
    let branch = vec![(Arc::from("n"), Arc::new(Message::prompt("first")))];
    stage.fact(&Fact::Session(ME, SessionFact::Moved { branch, prompt: Some(Arc::from("again")) }));
    assert_eq!(stage.printed().len(), 1, "only the line that says so");
    assert_eq!(stage.draft(), "again");
    stage.fact(&began("again"));
    assert_eq!(stage.printed().len(), 2, "what is new follows");
    assert_eq!(stage.tui.transcript.blocks().len(), 3, "the reader has all");
}
