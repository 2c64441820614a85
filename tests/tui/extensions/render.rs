//! The render hook: what is asked, what waits for it, what it changes.

use std::sync::Arc;

use e::model::ask::Ask;
use e::model::effect::FilesFx;
use e::model::ext::{Entry, HookValue};
use e::model::fact::{Fact, TextFact};
use e::model::id::Ticket;
use e::model::msg::FilesMsg;
use e::model::provider::Message;
use e::model::text::row::Token;
use e::model::tool::{Format, Outcome};
use e::model::tui::block::Body;
use e::model::tui::look;
use e::model::tui::viewer::Depth;
use e::model::wire::ext::RenderAnswer;
use e::update::tui as front;
use serde_json::json;

use super::super::stage::*;
use super::registry;

fn stage() -> Stage {
    let mut stage = Stage::new(60, 20);
    let manifest = json!({"name": "r", "hooks": ["render"], "renders": ["tool:read", "assistant"]});
    stage.registry = registry(&[manifest]);
    stage
}

fn asked(stage: &Stage) -> Vec<(Ticket, Entry, String)> {
    let hook = |ask: &Ask| match ask {
        Ask::Hook { ticket, value: HookValue::Render { entry, content, .. }, .. } => {
            Some((*ticket, entry.clone(), content.to_string()))
        }
        _ => None,
    };
    stage.asks.iter().filter_map(hook).collect()
}

fn answer(stage: &mut Stage, ticket: Ticket, body: Option<(&str, Format)>) {
    let body = body.map(|(body, format)| RenderAnswer { body: body.into(), format });
    let value = HookValue::Render { entry: Entry::Assistant, content: "".into(), body };
    stage.run(|tui, _, cx, out| front::rendered(tui, ticket, value, cx, out));
}

const REPLY: &str = "First paragraph.\n\nSecond one.\n\nThird.";

#[test]
fn a_reply_stays_live_until_its_chain_has_answered_and_leaves_once() {
    let mut stage = stage();
    stage.fact(&began("hi")).fact(&text(REPLY));
    let before = stage.printed().len();
    stage.fact(&committed()).fact(&ended(false));
    assert_eq!(stage.printed().len(), before, "nothing of it is in scrollback yet");
    let all = asked(&stage);
    assert_eq!(all.len(), 1);
    assert_eq!((&all[0].1, all[0].2.as_str()), (&Entry::Assistant, REPLY));
    answer(&mut stage, all[0].0, Some(("**Rewritten**", Format::Markdown)));
    let rows = stage.rows().join("\n");
    assert!(rows.contains("Rewritten") && !rows.contains("Second"), "{rows}");
    let printed = stage.printed();
    let mut once = printed.clone();
    once.dedup();
    assert_eq!((printed.len(), &printed), (before + 1, &once));
    answer(&mut stage, all[0].0, Some(("again", Format::Text)));
    assert!(!stage.rows().join("\n").contains("again"), "a second answer finds nobody");
}

#[test]
fn an_answer_without_a_body_changes_nothing_and_a_diff_is_shown_as_one() {
    let mut stage = stage();
    stage.fact(&began("hi")).fact(&text(REPLY)).fact(&committed()).fact(&ended(false));
    let before = stage.rows();
    let (ticket, ..) = asked(&stage)[0].clone();
    answer(&mut stage, ticket, None);
    assert_eq!(stage.rows(), before);
    assert!(stage.tui.transcript.live().is_empty(), "all of it left");
    stage.fact(&began("again")).fact(&text("x")).fact(&committed());
    let (ticket, ..) = asked(&stage)[1].clone();
    answer(&mut stage, ticket, Some(("@@ -1 +1 @@\n-a\n+b\n", Format::Diff)));
    assert!(stage.rows().join("\n").contains("    1 + b"));
}

#[test]
fn a_reply_that_was_cut_short_is_not_asked_about_and_does_not_stay() {
    let mut stage = stage();
    stage.fact(&began("hi")).fact(&text(REPLY));
    let message = Arc::new(Message::Assistant(Default::default()));
    stage.fact(&Fact::Text(ME, TextFact::Committed { node: Arc::from("n"), message, partial: true }));
    stage.fact(&ended(true));
    assert_eq!(asked(&stage), []);
    assert!(stage.tui.transcript.live().is_empty());
}

#[test]
fn a_tool_s_result_is_rewritten_in_the_reader_alone() {
    let mut stage = stage();
    stage.fact(&began("hi")).fact(&batch(&[1])).fact(&call_start(1));
    stage.fact(&call_end(1, Outcome::Completed, "what it read"));
    let all = asked(&stage);
    assert_eq!((&all[0].1, all[0].2.as_str()), (&Entry::Tool("read".into()), "what it read"));
    let brief = stage.rows();
    answer(&mut stage, all[0].0, Some(("as I see it", Format::Text)));
    assert_eq!(stage.rows(), brief);
    let look = look::Look { depth: Depth::Whole, ..stage.look() };
    let blocks = stage.tui.transcript.blocks().iter();
    let whole: Vec<String> = blocks.flat_map(|b| look::rows(b, look)).map(|row| row.plain()).collect();
    let whole = whole.join("\n");
    assert!(whole.contains("as I see it") && !whole.contains("what it read"), "{whole}");
    stage.fact(&batch(&[2])).fact(&call_end(2, Outcome::Completed, " \n"));
    assert_eq!(asked(&stage).len(), 1, "nothing to show is nothing to ask about");
}

#[test]
fn an_answer_about_another_conversation_is_dropped() {
    let mut stage = stage();
    stage.fact(&began("hi")).fact(&text(REPLY)).fact(&committed()).fact(&ended(false));
    let (ticket, ..) = asked(&stage)[0].clone();
    stage.fact(&opened(Vec::new()));
    let before = stage.rows();
    answer(&mut stage, ticket, Some(("late", Format::Text)));
    assert_eq!(stage.rows(), before);
}

#[test]
fn a_diff_that_the_reader_shows_instead_gets_its_colours_when_it_comes() {
    let mut stage = stage();
    stage
        .fact(&began("hi"))
        .fact(&batch(&[1]))
        .fact(&call_end(1, Outcome::Completed, "text"))
        .fact(&ended(false));
    let (ticket, ..) = asked(&stage)[0].clone();
    let count = |stage: &Stage| stage.files_fx().filter(|fx| matches!(fx, FilesFx::Highlight { .. })).count();
    assert_eq!(count(&stage), 0);
    answer(
        &mut stage,
        ticket,
        Some(("--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n-let a;\n+let b;\n", Format::Diff)),
    );
    let tickets: Vec<Ticket> = stage
        .files_fx()
        .filter_map(|fx| if let FilesFx::Highlight { ticket, .. } = fx { Some(*ticket) } else { None })
        .collect();
    assert_eq!(tickets.len(), 2);
    for ticket in tickets {
        let lines = vec![vec![(0..3, Token::SyntaxKeyword)]];
        stage.files(ticket, FilesMsg::Coloured { from_line: 0, lines });
    }
    let block = stage.tui.transcript.blocks().iter().find(|b| matches!(b.body(), Body::Tools(_))).unwrap();
    let look = look::Look { depth: Depth::Whole, ..stage.look() };
    let rows = look::rows(block, look);
    let words = rows.iter().flat_map(|row| &row.spans).filter(|span| span.token == Token::SyntaxKeyword);
    assert_eq!(words.count(), 2);
}
