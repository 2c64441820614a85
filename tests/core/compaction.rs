//! Compaction by example: when it is due, what stays, what is refused, and that nothing is lost when it fails.

use std::sync::Arc;

use super::sim::{Reply, World, fault};
use super::turns::spoken;
use e::model::ask::SessionAsk;
use e::model::fact::{Fact, TurnFact};
use e::model::provider::{Cause, Message, Purpose, User, UserKind, UserPart};
use e::model::session::fold::{self, plan};
use e::model::session::load;
use e::model::session::tree::{Node, Tree};
use e::model::session::turn::Work;
use proptest::prelude::*;

/// A session in a small window with a long past.
fn long_past() -> World {
    let mut w = World::new(21);
    w.window = 16_000;
    w.settle_files();
    for n in 0..3 {
        w.replies = vec![
            Reply::text(&format!("reply {n} {}", "blah ".repeat(1_200))).counted(3_000 * (n + 1), 1_500),
        ];
        w.type_line(&format!("question {n}"));
        w.come_to_rest();
    }
    w
}

fn facts(w: &World) -> impl Iterator<Item = &TurnFact> {
    w.facts.iter().filter_map(|f| if let Fact::Turn(_, t) = f { Some(t) } else { None })
}

fn refusals(w: &World) -> Vec<String> {
    facts(w)
        .filter_map(
            |t| if let TurnFact::CompactFailed { reason } = t { Some(reason.to_string()) } else { None },
        )
        .collect()
}

#[test]
fn n7_a_full_window_is_summarised_between_requests_of_the_same_turn() {
    let mut w = long_past();
    let old = w.session().log.path().unwrap().clone();
    let before = w.disk[&*old].clone();
    w.session_context(15_000);
    w.replies = vec![Reply::text("the summary").counted(500, 20), Reply::text("and the answer")];
    w.type_line("question 3");
    w.come_to_rest();
    let asked: Vec<Purpose> = w.requests.iter().rev().take(2).map(|r| r.purpose).collect();
    assert_eq!(asked, [Purpose::Turn, Purpose::Compact]);
    let compact = &w.requests[w.requests.len() - 2];
    assert!(compact.tools.is_empty(), "the summary is asked without tools");
    let said = spoken(&w);
    assert!(said[0].contains("the summary"), "{said:?}");
    assert_eq!(said.last().unwrap(), "e: and the answer");
    assert!(said.contains(&"user: question 3".to_owned()));
    assert_eq!(facts(&w).filter(|t| matches!(t, TurnFact::Compacted { .. })).count(), 1);
    // A new log that names the old one; the old one as it was, but for the prompt that began the turn.
    let new = w.session().log.path().unwrap().clone();
    assert_ne!(new, old);
    assert_eq!(w.disk[&*old][..before.len()], before[..]);
    assert!(w.disk[&*new][0].contains(&format!("\"continues\":\"{old}\"")), "{}", w.disk[&*new][0]);
    let loaded = load::load(w.disk[&*new].iter().map(|l| &**l));
    assert_eq!(loaded.first.as_ref(), Some(&old));
    w.check_disk();
}

#[test]
fn n7_by_hand_with_a_focus() {
    let mut w = long_past();
    w.replies = vec![Reply::text("short")];
    w.tell(SessionAsk::Compact { focus: Some("the parser".into()) });
    assert!(matches!(w.session().work, Work::Fold(_)));
    assert!(format!("{:?}", w.requests.last().unwrap().messages).contains("Keep in particular: the parser"));
    w.come_to_rest();
    assert!(spoken(&w)[0].contains("short"));
    let turns = facts(&w).filter(|t| matches!(t, TurnFact::Began { .. })).count();
    assert_eq!(turns, 3, "a compaction alone is no turn");
}

#[test]
fn n7_a_summary_that_does_not_help_is_refused_and_the_history_kept() {
    let cases = [
        Reply::text(&"as long as ever ".repeat(3_000)),
        Reply::text("  "),
        Reply::calls(&[("c", "read", "{}")]),
        Reply(vec![
            e::model::provider::StreamMsg::Text("cut".into()),
            e::model::provider::StreamMsg::Done(e::model::provider::Stop::Length),
        ]),
        Reply::fails(Cause::Auth),
    ];
    for reply in cases {
        let mut w = long_past();
        let before = spoken(&w);
        let path = w.session().log.path().cloned();
        w.replies = vec![reply];
        w.tell(SessionAsk::Compact { focus: None });
        w.come_to_rest();
        assert_eq!(spoken(&w), before);
        assert_eq!(w.session().log.path().cloned(), path);
        assert_eq!(refusals(&w).len(), 1, "{:?}", refusals(&w));
    }
}

#[test]
fn t3_a_compaction_is_interrupted_at_once_and_changes_nothing() {
    let mut w = long_past();
    let before = spoken(&w);
    w.replies = vec![Reply::text("never heard")];
    w.tell(SessionAsk::Compact { focus: None });
    w.interrupt();
    assert_eq!(spoken(&w), before);
    assert!(w.open.streams.is_empty());
}

#[test]
fn n7_a_prompt_typed_during_a_compaction_runs_behind_it() {
    let mut w = long_past();
    w.replies = vec![Reply::text("short"), Reply::text("yes")];
    w.tell(SessionAsk::Compact { focus: None });
    w.type_line("are you there?");
    assert_eq!(w.queued("are you there?"), 1);
    w.come_to_rest();
    assert_eq!(spoken(&w).last().unwrap(), "e: yes");
}

#[test]
fn g58_an_overflow_shortens_once_and_asks_once_more() {
    let mut w = long_past();
    w.replies = vec![Reply::fails(Cause::Overflow), Reply::text("short"), Reply::text("fits now")];
    w.type_line("question 3");
    w.come_to_rest();
    assert_eq!(spoken(&w).last().unwrap(), "e: fits now");
}

#[test]
fn g58_when_shortening_cannot_help_it_stops_and_names_the_largest_things() {
    let mut w = World::new(22);
    w.window = 8_000;
    w.settle_files();
    w.replies = (0..9).map(|_| Reply::fails(Cause::Overflow)).collect();
    w.type_line(&format!("read this {}", "word ".repeat(6_000)));
    w.come_to_rest();
    assert!(w.requests.len() <= 3, "{} requests", w.requests.len());
    let failed = facts(&w)
        .find_map(|t| if let TurnFact::Failed { fault, .. } = t { Some(fault.clone()) } else { None });
    let words = failed.unwrap().summary.to_string();
    assert!(words.contains("the message \"read this word") && words.contains("/tree"), "{words}");
    // It can be read, trimmed and continued.
    let first = w.session().tree.branch()[0].id.clone();
    w.tell(SessionAsk::Rewind { node: first });
    w.replies = vec![Reply::text("ok")];
    w.type_line("shorter");
    w.come_to_rest();
    assert_eq!(spoken(&w), ["user: shorter", "e: ok"]);
}

#[test]
fn t5_a_compaction_waits_and_tries_again_as_a_turn_does() {
    let mut w = long_past();
    w.replies =
        vec![Reply(vec![e::model::provider::StreamMsg::Failed(fault(Cause::Network))]), Reply::text("short")];
    w.tell(SessionAsk::Compact { focus: None });
    w.come_to_rest();
    assert!(spoken(&w)[0].contains("short"));
}

#[test]
fn the_numbers_of_the_window() {
    for (window, reserve, tail) in
        [(8_000, 2_048, 2_000), (200_000, 16_384, 20_000), (64_000, 8_000, 16_000), (2_000, 2_048, 1_024)]
    {
        assert_eq!((fold::reserve(window), fold::tail(window)), (reserve, tail));
    }
}

fn user(kind: UserKind, text: String) -> Arc<Message> {
    Arc::new(Message::User(User { content: vec![UserPart::Text(text.into())], internal: false, kind }))
}

proptest! {
    /// N7: instructions and the latest prompt stay, the cut never parts a call from its result, and it shrinks.
    #[test]
    fn n7_a_plan_keeps_what_it_must(kinds in proptest::collection::vec((0u8..5, 1usize..4_000), 1..40), window in 2_000u64..64_000) {
        let mut tree = Tree::default();
        for (n, (kind, size)) in kinds.iter().enumerate() {
            let text = "x".repeat(*size);
            let message = match kind {
                0 => user(UserKind::Prompt, text),
                1 => user(UserKind::Instructions, text),
                2 => user(UserKind::Summary, text),
                3 => Arc::new(Message::Assistant(e::model::provider::Assistant {
                    parts: vec![e::model::provider::Part::Text(text.into())],
                    origin: None,
                })),
                _ => Arc::new(Message::Tool(e::model::session::history::made_up("c".into(), "t".into(), text))),
            };
            let node = Node { id: n.to_string().into(), parent: tree.head_id(), at: 0, message, response: None };
            prop_assert!(tree.push(node));
        }
        let branch = tree.branch();
        let Ok(plan) = plan(&branch, window) else { return Ok(()) };
        let kept: Vec<usize> = plan.kept.iter().map(|(id, _)| id.parse().unwrap()).collect();
        for (n, (kind, _)) in kinds.iter().enumerate() {
            if *kind == 1 { prop_assert!(kept.contains(&n), "instructions stay"); }
        }
        if let Some(last) = kinds.iter().rposition(|(kind, _)| *kind == 0) {
            prop_assert!(kept.contains(&last), "the latest prompt stays");
        }
        prop_assert_eq!(plan.folded.len() + plan.kept.len(), kinds.len());
        let tail = (0..kinds.len()).rev().take_while(|n| kept.contains(n)).last();
        if let Some(start) = tail {
            prop_assert!(kinds[start].0 != 4, "a result without its call");
        }
        if plan.refusal("short", 0, window).is_none() {
            prop_assert!(plan.after("short") < plan.before && plan.after("short") <= fold::threshold(window));
        }
    }

    /// What the summariser reads fits, and the person's words are shortened last.
    #[test]
    fn n7_users_words_are_shortened_last(words in 1usize..400, noise in 1usize..60_000, room in 2_000usize..40_000) {
        let said = format!("please {}", "w".repeat(words));
        let folded = vec![
            user(UserKind::Prompt, said.clone()),
            Arc::new(Message::Tool(e::model::session::history::made_up("c".into(), "t".into(), "n".repeat(noise)))),
        ];
        let digest = fold::digest(&folded, room).unwrap();
        prop_assert!(digest.len() <= room);
        prop_assert!(digest.contains(&said));
    }
}
