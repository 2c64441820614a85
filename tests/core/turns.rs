//! The turn machine by example: asking, back-off, blank replies, faults, steering, interrupt.

use super::sim::{Reply, World, fault, times_said};
use e::model::ask::SessionAsk;
use e::model::effect::{Effect, StoreFx, StreamFx, TimerFx};
use e::model::fact::{Fact, SessionFact, TextFact, TurnFact};
use e::model::provider::{Cause, Fault, Message, ModelRef, Part, Stop, StreamMsg};
use e::model::session::turn::{ATTEMPTS, Phase, STEPS, Work};
use e::update::session::retry;

fn world(replies: Vec<Reply>) -> World {
    let mut world = World::ready(7);
    world.replies = replies;
    world
}

fn turn_facts(world: &World) -> Vec<&TurnFact> {
    world.facts.iter().filter_map(|f| if let Fact::Turn(_, t) = f { Some(t) } else { None }).collect()
}

fn warnings(world: &World) -> Vec<String> {
    let text = |t: &&TurnFact| if let TurnFact::Warning(w) = t { Some(w.to_string()) } else { None };
    turn_facts(world).iter().filter_map(text).collect()
}

fn failure(world: &World) -> Option<(Fault, u32)> {
    turn_facts(world).into_iter().find_map(|t| match t {
        TurnFact::Failed { fault, attempt, .. } => Some(((**fault).clone(), *attempt)),
        _ => None,
    })
}

/// The texts of the branch, by role.
pub fn spoken(world: &World) -> Vec<String> {
    let words = |m: &Message| match m {
        Message::User(user) => format!("user: {}", user.text()),
        Message::Assistant(reply) => format!("e: {}", reply.text()),
        Message::Tool(result) => format!("{}: {}", result.outcome.name(), result.content),
    };
    world.session().tree.branch().into_iter().map(|n| words(&n.message)).collect()
}

#[test]
fn t1_a_turn_runs_from_prompt_to_reply() {
    let mut w = world(vec![Reply::text("hello").counted(100, 5)]);
    w.type_line("  hi  ");
    w.come_to_rest();
    assert_eq!(spoken(&w), ["user: hi", "e: hello"]);
    let kinds: Vec<&str> = turn_facts(&w)
        .iter()
        .map(|t| match t {
            TurnFact::Began { .. } => "began",
            TurnFact::Started { .. } => "started",
            TurnFact::Asking { .. } => "asking",
            TurnFact::Usage { .. } => "usage",
            TurnFact::Ended { aborted: false } => "ended",
            _ => "other",
        })
        .collect();
    assert_eq!(kinds, ["began", "started", "asking", "usage", "ended"]);
    let cost = w.session().tally.cost.unwrap();
    assert!((cost - (100.0 + 10.0) / 1e6).abs() < 1e-12, "{cost}");
    assert_eq!(w.session().tally.context, 105);
    w.check_disk();
}

#[test]
fn g57_waits_grow_jitter_downwards_and_end() {
    let mut w =
        world((0..4).map(|_| Reply::fails(Cause::Unavailable)).chain([Reply::text("fine")]).collect());
    w.type_line("go");
    let mut waits = Vec::new();
    while w.session().work != Work::Idle {
        if !w.open.timers.is_empty() {
            waits.push(w.open.timers.values().next().unwrap() - w.now);
            w.ring();
        } else {
            w.speak();
        }
    }
    assert_eq!(waits.len(), 4);
    for (wait, base) in waits.iter().zip([250u64, 1_000, 2_000, 4_000]) {
        assert!(*wait <= base && *wait >= base - base / 4 - 1, "{wait} of {base}");
    }
    assert!(turn_facts(&w).iter().any(|t| matches!(t, TurnFact::Recovered)));
    assert_eq!(spoken(&w), ["user: go", "e: fine"]);
}

#[test]
fn t5_attempts_end_at_the_limit_and_bases_never_shrink() {
    let mut w = world((0..20).map(|_| Reply::fails(Cause::Network)).collect());
    w.type_line("go");
    w.come_to_rest();
    assert_eq!(w.requests.len(), ATTEMPTS as usize);
    assert_eq!(failure(&w).unwrap().1, ATTEMPTS);
    let bases: Vec<u64> = (1..ATTEMPTS).map(retry::base).collect();
    assert_eq!(bases, [250, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
}

#[test]
fn t5_nothing_is_retried_once_something_came() {
    for piece in [
        StreamMsg::Text("par".into()),
        StreamMsg::Reasoning("hm".into()),
        StreamMsg::CallStart { index: 0, id: "c".into(), name: "read".into() },
    ] {
        let mut w = world(vec![Reply(vec![piece, StreamMsg::Failed(fault(Cause::Stalled))])]);
        w.type_line("go");
        w.come_to_rest();
        assert_eq!(w.requests.len(), 1);
        assert!(failure(&w).is_some());
    }
}

#[test]
fn g57_the_partial_text_of_a_broken_stream_is_kept_and_marked() {
    let mut w =
        world(vec![Reply(vec![StreamMsg::Text("so far".into()), StreamMsg::Failed(fault(Cause::Stalled))])]);
    w.type_line("go");
    w.come_to_rest();
    assert_eq!(spoken(&w), ["user: go", "e: so far"]);
    assert!(w.facts.iter().any(|f| matches!(f, Fact::Text(_, TextFact::Committed { partial: true, .. }))));
    // The next request is accepted.
    w.type_line("go on");
    w.come_to_rest();
}

#[test]
fn g57_retry_after_is_honoured_up_to_a_minute() {
    for (asked, retried) in [(3, true), (60, true), (61, false), (100_000, false)] {
        let limited = Fault { retry_after: Some(asked), ..fault(Cause::RateLimited) };
        let mut w = world(vec![Reply(vec![StreamMsg::Failed(limited)]), Reply::text("fine")]);
        w.type_line("go");
        w.speak();
        assert_eq!(w.open.timers.is_empty(), !retried, "{asked}");
        if let Some(due) = w.open.timers.values().next() {
            assert!(due - w.now >= asked * 1000, "{asked}");
        }
    }
}

#[test]
fn g57_auth_rejected_and_quota_are_told_at_once() {
    for cause in [Cause::Auth, Cause::Rejected, Cause::QuotaExhausted] {
        let mut w = world(vec![Reply::fails(cause)]);
        w.type_line("go");
        w.come_to_rest();
        assert_eq!(w.requests.len(), 1);
        assert_eq!(failure(&w).unwrap().0.cause, cause);
        let noted = w.effects.iter().any(|e| matches!(e, Effect::Store(StoreFx::ErrorDetails { .. })));
        assert!(noted, "the failure is in the errors file");
    }
}

#[test]
fn t2_a_blank_reply_is_asked_again_once() {
    let blank = || Reply(vec![StreamMsg::Text(" \n".into()), StreamMsg::Done(Stop::End)]).counted(9, 1);
    let mut w = world(vec![blank(), Reply::text("here")]);
    w.type_line("go");
    w.come_to_rest();
    assert_eq!(spoken(&w), ["user: go", "e: here"]);
    assert_eq!(w.session().tally.usage.input, 9, "the blank reply was paid for");

    let mut w = world(vec![blank(), blank(), Reply::text("never asked")]);
    w.type_line("go");
    w.come_to_rest();
    assert_eq!(w.requests.len(), 2);
    assert_eq!(spoken(&w), ["user: go"]);
    assert_eq!(warnings(&w), ["The model ended without an answer. Ask it to continue."]);
}

#[test]
fn t2_reasoning_without_an_answer_is_a_warning() {
    let mut w = world(vec![Reply(vec![StreamMsg::Reasoning("hm".into()), StreamMsg::Done(Stop::End)])]);
    w.type_line("go");
    w.come_to_rest();
    assert_eq!(warnings(&w).len(), 1);
    assert_eq!(w.requests.len(), 1);
    w.type_line("and?");
    let sent: Vec<_> = w.requests[1].messages.iter().collect();
    assert_eq!(sent.len(), 2, "a reply of reasoning alone is not sent back");
}

#[test]
fn t13_the_step_cap_ends_the_turn_with_a_word() {
    let again = || Reply::calls(&[("c", "read_result", "{\"id\":\"r1\"}")]);
    let mut w = world((0..300).map(|_| again()).collect());
    w.type_line("loop");
    w.come_to_rest();
    assert_eq!(w.requests.len(), STEPS as usize);
    assert!(failure(&w).unwrap().0.summary.contains("continue"));
}

#[test]
fn t15_a_steer_joins_before_the_next_request() {
    let mut w = world(vec![Reply::calls(&[("c", "bash", "{\"command\":\"make\"}")]), Reply::text("done")]);
    w.type_line("go");
    for _ in 0..4 {
        w.speak();
    }
    w.type_line("use tabs");
    assert_eq!(w.queued("use tabs"), 1);
    w.come_to_rest();
    let said = spoken(&w);
    assert_eq!((&*said[0], &*said[3], &*said[4]), ("user: go", "user: use tabs", "e: done"));
    assert!(
        said[2].starts_with("completed:")
            || said[2].starts_with("failed:")
            || said[2].starts_with("timedout:")
    );
}

#[test]
fn t15_a_steer_during_the_last_reply_goes_on() {
    let mut w = world(vec![Reply::text("done"), Reply::text("also done")]);
    w.type_line("go");
    w.type_line("one more thing");
    w.come_to_rest();
    assert_eq!(spoken(&w), ["user: go", "e: done", "user: one more thing", "e: also done"]);
    assert_eq!(turn_facts(&w).iter().filter(|t| matches!(t, TurnFact::Ended { .. })).count(), 1);
}

#[test]
fn t15_steers_go_back_to_the_person_when_the_turn_is_interrupted_or_fails() {
    let returned = |w: &World| {
        let text = |f: &Fact| match f {
            Fact::Session(_, SessionFact::Returned { text, .. }) => Some(text.to_string()),
            _ => None,
        };
        w.facts.iter().find_map(text)
    };
    for fails in [false, true] {
        let mut w = world(vec![Reply::fails(Cause::Auth)]);
        w.type_line("begin");
        w.type_line("one more");
        w.type_line("and another");
        if fails {
            w.come_to_rest();
        } else {
            w.interrupt();
        }
        assert_eq!(returned(&w).as_deref(), Some("one more\nand another"), "fails: {fails}");
        assert!(w.session().queue.steers.is_empty());
        assert_eq!(w.session().work, Work::Idle);
    }
}

#[test]
fn t15_a_queued_steer_can_be_taken_back() {
    let mut w = world(vec![Reply::text("done")]);
    w.type_line("go");
    w.type_line("first");
    w.type_line("second");
    w.tell(SessionAsk::Unqueue { index: 0 });
    w.replies.push(Reply::text("again"));
    w.come_to_rest();
    assert_eq!((times_said(&w, "first"), times_said(&w, "second")), (0, 1));
}

#[test]
fn t3_an_interrupt_ends_every_phase_at_once() {
    // Asking, before anything came.
    let mut w = world(vec![Reply::text("x")]);
    w.type_line("go");
    w.interrupt();
    // In a stalled stream, with text.
    let mut w2 = world(vec![Reply(vec![StreamMsg::Text("half".into())])]);
    w2.type_line("go");
    w2.speak();
    w2.interrupt();
    assert_eq!(spoken(&w2), ["user: go", "e: half"]);
    // In back-off.
    let mut w3 = world(vec![Reply::fails(Cause::Network)]);
    w3.type_line("go");
    w3.speak();
    w3.interrupt();
    assert!(w3.effects.iter().any(|e| matches!(e, Effect::Timer(TimerFx::Drop(_)))));
    // While a hook is awaited.
    let mut w4 = World::ready(1);
    w4.hooks_are_slow = true;
    w4.type_line("go");
    let input = w4.open.hooks.remove(0);
    w4.give(e::update::Input::Ask(e::model::ask::Ask::HookDone { ticket: input.0, value: input.1 }));
    assert!(matches!(w4.session().turn().unwrap().phase, Phase::Prelude(_)));
    w4.interrupt();
    for world in [&w, &w2, &w3, &w4] {
        let ends =
            turn_facts(world).iter().filter(|t| matches!(t, TurnFact::Ended { aborted: true })).count();
        assert_eq!(ends, 1);
    }
    let started = turn_facts(&w4).iter().any(|t| matches!(t, TurnFact::Started { .. }));
    assert!(!started, "a turn cancelled inside before_turn never started");
}

#[test]
fn g56_a_call_cut_off_while_its_arguments_stream_leaves_a_valid_history() {
    let start = StreamMsg::CallStart { index: 0, id: "c1".into(), name: "bash".into() };
    let half = StreamMsg::CallArgs { index: 0, delta: "{\"comm".into() };
    let mut w = world(vec![Reply(vec![start, half]), Reply::text("fine")]);
    w.type_line("go");
    w.speak();
    w.speak();
    w.interrupt();
    w.type_line("go on");
    w.come_to_rest();
    let said = spoken(&w);
    assert!(said[2].starts_with("cancelled: Not run"), "{said:?}");
}

#[test]
fn t4_model_and_effort_hold_from_the_next_turn() {
    let calls = || Reply::calls(&[("c", "read_result", "{\"id\":\"r1\"}")]);
    let mut w = world(vec![calls(), Reply::text("a"), Reply::text("b")]);
    w.type_line("go");
    w.tell(SessionAsk::Model(ModelRef { provider: "sim".into(), id: "two".into() }));
    w.tell(SessionAsk::Effort("low".into()));
    w.come_to_rest();
    w.type_line("again");
    w.come_to_rest();
    let asked: Vec<_> = w.requests.iter().map(|r| (&*r.model.reference.id, r.effort.as_deref())).collect();
    assert_eq!(asked, [("one", Some("high")), ("one", Some("high")), ("two", Some("low"))]);
}

#[test]
fn t4_an_interrupted_stream_is_aborted_and_nothing_else_follows() {
    let mut w = world(vec![Reply::text("x")]);
    w.type_line("go");
    w.interrupt();
    assert!(w.effects.iter().any(|e| matches!(e, Effect::Stream(StreamFx::Abort(_)))));
    assert!(w.open.streams.is_empty());
}

#[test]
fn g59_a_refused_image_is_left_out_and_text_works_again() {
    let image = e::model::tool::Image {
        mime: "image/png".into(),
        data: "AAAA".into(),
        width: 1,
        height: 1,
        name: "[Image #1]".into(),
    };
    let refusal = Fault { summary: "image exceeds the limit".into(), ..fault(Cause::Rejected) };
    let mut w =
        world(vec![Reply(vec![StreamMsg::Failed(refusal)]), Reply::text("fine"), Reply::text("fine")]);
    w.tell(SessionAsk::Prompt { text: "look".into(), images: vec![image] });
    w.come_to_rest();
    assert_eq!(spoken(&w).last().unwrap(), "e: fine");
    assert_eq!(warnings(&w).len(), 1);
    w.type_line("more");
    w.come_to_rest();
    assert_eq!(w.requests.len(), 3, "later requests work at once");
    assert!(format!("{:?}", w.requests[2].messages).contains("is left out"));
}

#[test]
fn t6_reasoning_text_and_calls_keep_their_order_and_seals() {
    let mut w = world(vec![Reply(vec![
        StreamMsg::Reasoning("a".into()),
        StreamMsg::Reasoning("b".into()),
        StreamMsg::ReasoningEnd { signature: Some("sig".into()), sealed: None },
        StreamMsg::Text("one ".into()),
        StreamMsg::Text("two".into()),
        StreamMsg::Done(Stop::End),
    ])]);
    w.type_line("go");
    w.come_to_rest();
    let head = w.session().tree.head().unwrap().message.clone();
    let Message::Assistant(reply) = &*head else { panic!() };
    assert_eq!(
        reply.parts,
        [
            Part::Reasoning { text: "ab".into(), signature: Some("sig".into()), sealed: None },
            Part::Text("one two".into()),
        ]
    );
}

#[test]
fn r6_joining_neighbouring_deltas_changes_nothing() {
    let split = Reply(vec![
        StreamMsg::Text("on".into()),
        StreamMsg::Text("e".into()),
        StreamMsg::CallStart { index: 0, id: "c".into(), name: "nonsense".into() },
        StreamMsg::CallArgs { index: 0, delta: "{".into() },
        StreamMsg::CallArgs { index: 0, delta: "}".into() },
        StreamMsg::Done(Stop::End),
    ]);
    let joined = Reply(vec![
        StreamMsg::Text("one".into()),
        StreamMsg::CallStart { index: 0, id: "c".into(), name: "nonsense".into() },
        StreamMsg::CallArgs { index: 0, delta: "{}".into() },
        StreamMsg::Done(Stop::End),
    ]);
    let run = |first: Reply| {
        let mut w = world(vec![first, Reply::text("end")]);
        w.type_line("go");
        w.come_to_rest();
        let nodes = w.session().tree.nodes().iter().map(|n| n.message.clone()).collect::<Vec<_>>();
        (nodes, w.session().tally.clone())
    };
    assert_eq!(run(split), run(joined));
}

#[test]
fn t2_without_a_model_the_words_come_back() {
    let mut w = World::new(3);
    w.open.files.retain(|(_, m)| !matches!(m, e::model::msg::FilesMsg::Catalog { .. }));
    w.settle_files();
    let ticket = e::model::id::Ticket(u64::MAX - 1);
    let none = e::model::msg::FilesMsg::Catalog { models: Vec::new().into(), complaints: Vec::new() };
    w.give(e::update::Input::Msg(e::model::msg::Msg::Files(ticket, none)));
    let probe = e::model::msg::FilesMsg::Failed { error: "refused".into() };
    let owed: Vec<_> = (1..60).map(e::model::id::Ticket).collect();
    for ticket in owed {
        w.give(e::update::Input::Msg(e::model::msg::Msg::Files(ticket, probe.clone())));
    }
    w.type_line("hello");
    w.come_to_rest();
    let back =
        |f: &&Fact| matches!(f, Fact::Session(_, SessionFact::Returned { text, .. }) if &**text == "hello");
    assert_eq!(w.facts.iter().filter(back).count(), 1, "{:?}", w.notices());
}
