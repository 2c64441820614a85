//! Sessions by example: the log, resuming, damaged logs, forks, rewinding, names.

use std::sync::Arc;

use super::sim::{Reply, World};
use super::turns::spoken;
use e::model::ask::SessionAsk;
use e::model::effect::{Effect, StoreFx};
use e::model::fact::{Fact, OpenReason, SessionFact};
use e::model::id::Ticket;
use e::model::msg::{Msg, StoreMsg};
use e::model::session::load;
use e::model::session::turn::Work;
use e::update::Input;
use proptest::prelude::*;

fn talked(turns: usize) -> World {
    let mut w = World::ready(11);
    w.replies = (0..turns * 2).map(|n| Reply::text(&format!("answer {n}")).counted(10, 1)).collect();
    for n in 0..turns {
        w.type_line(&format!("question {n}"));
        w.come_to_rest();
    }
    w
}

fn lines(w: &World) -> Vec<Arc<str>> {
    w.disk[&**w.session().log.path().unwrap()].clone()
}

#[test]
fn the_log_is_made_with_the_first_message_and_says_what_it_should() {
    let w = talked(1);
    let lines = lines(&w);
    assert_eq!(lines.len(), 3);
    assert!(lines[0].starts_with("{\"type\":\"session\",\"format_version\":1,\"id\":\""), "{}", lines[0]);
    assert!(lines[2].contains("\"response\":{\"provider\":\"sim\",\"model\":\"one\",\"purpose\":\"turn\""));
    assert!(World::ready(1).disk.is_empty());
}

#[test]
fn n4_a_resumed_session_is_the_same_tree_and_goes_on_in_the_same_log() {
    let mut w = talked(2);
    let path = w.session().log.path().unwrap().clone();
    let before = spoken(&w);
    let usage = w.session().tally.usage;
    w.tell(SessionAsk::New);
    w.settle_files();
    assert!(w.session().tree.is_empty());
    w.tell(SessionAsk::Resume { path: path.clone() });
    assert!(matches!(w.session().work, Work::Opening(_)));
    w.settle_files();
    assert_eq!(spoken(&w), before);
    assert_eq!(w.session().tally.usage, usage);
    assert_eq!(w.session().tally.context, 11);
    w.replies = vec![Reply::text("more")];
    w.type_line("and now?");
    w.come_to_rest();
    assert_eq!(w.session().log.path(), Some(&path));
    w.check_disk();
    let reasons: Vec<OpenReason> = w
        .facts
        .iter()
        .filter_map(|f| match f {
            Fact::Session(_, SessionFact::Opened { reason, .. }) => Some(*reason),
            _ => None,
        })
        .collect();
    assert_eq!(reasons, [OpenReason::Startup, OpenReason::New, OpenReason::Resume]);
}

#[test]
fn g61_bad_lines_cost_themselves_and_are_told_by_number() {
    let w = talked(40);
    let whole = lines(&w);
    assert_eq!(whole.len(), 81);
    let damage: [(&str, Arc<str>); 3] = [
        ("zero bytes", "\0".repeat(300).into()),
        ("half a line", whole[40][..whole[40].len() / 2].into()),
        ("an unknown kind", "{\"type\":\"hologram\",\"x\":1}".into()),
    ];
    for (what, line) in damage {
        let mut damaged = whole.clone();
        damaged[40] = line;
        let mut w = World::ready(12);
        w.disk.insert("/home/old.jsonl".into(), damaged.clone());
        w.tell(SessionAsk::Resume { path: "/home/old.jsonl".into() });
        w.settle_files();
        assert_eq!(w.session().tree.branch().len(), 79, "{what}");
        let told = w.notices().iter().any(|n| n.starts_with("Line 41 of"));
        assert_eq!(told, what != "an unknown kind", "{what}: {:?}", w.notices());
        w.replies = vec![Reply::text("fine")];
        w.type_line("go on");
        w.come_to_rest();
        assert_eq!(w.disk["/home/old.jsonl"][..81], damaged[..], "the old lines are untouched");
        assert_eq!(w.disk["/home/old.jsonl"].len(), 83);
    }
}

#[test]
fn g56_calls_that_a_crash_left_without_results_are_answered_in_the_request() {
    let mut w = World::ready(13);
    w.replies =
        vec![Reply::calls(&[("1", "bash", "{\"command\":\"a\"}"), ("2", "bash", "{\"command\":\"b\"}")])];
    w.type_line("go");
    while !w.open.streams.is_empty() {
        w.speak();
    }
    let second = *w.open.jobs.keys().nth(1).unwrap();
    let msg = e::model::tool::ToolOutput::new(e::model::tool::Outcome::Completed, "b is done");
    w.finish_job(second, e::model::tool::ToolMsg::Done(Box::new(msg)));
    w.settle_files();
    // kill -9, then `-c`.
    let disk = w.disk.clone();
    let path: Arc<str> = w.session().log.path().unwrap().clone();
    let mut w = World::ready(14);
    w.disk = disk;
    w.tell(SessionAsk::Resume { path });
    w.settle_files();
    w.replies = vec![Reply::text("fine")];
    w.type_line("go on");
    w.come_to_rest();
    let sent = format!("{:?}", w.requests[0].messages);
    assert!(sent.contains("No result of this call was kept") && sent.contains("b is done"), "{sent}");
}

#[test]
fn g62_a_session_open_elsewhere_is_told_and_copied_by_fork() {
    let old = lines(&talked(1));
    let mut w = World::ready(15);
    w.disk.insert("/home/theirs.jsonl".into(), old.clone());
    w.tell(SessionAsk::Resume { path: "/home/theirs.jsonl".into() });
    let (ticket, _) = w.open.store.remove(0);
    w.current = None;
    w.give(Input::Msg(Msg::Store(ticket, StoreMsg::Busy { path: "/home/theirs.jsonl".into() })));
    assert_eq!(w.session().work, Work::Idle);
    assert!(w.notices().iter().any(|n| n.contains("open in another e") && n.contains("/fork")));
    w.tell(SessionAsk::Fork);
    w.settle_files();
    assert_eq!(spoken(&w), ["user: question 0", "e: answer 0"]);
    w.replies = vec![Reply::text("mine")];
    w.type_line("only here");
    w.come_to_rest();
    assert_eq!(w.disk["/home/theirs.jsonl"], old, "no file holds both");
    w.check_disk();
}

#[test]
fn n5_a_fork_is_the_branch_and_then_its_own() {
    let mut w = talked(2);
    let (old, before) = (w.session().log.path().unwrap().clone(), lines(&w));
    w.tell(SessionAsk::Fork);
    w.settle_files();
    assert_ne!(w.session().log.path(), Some(&old));
    w.replies = vec![Reply::text("new")];
    w.type_line("in the copy");
    w.come_to_rest();
    assert_eq!(w.disk[&*old], before);
    assert_eq!(spoken(&w).len(), 6);
    w.check_disk();
}

#[test]
fn n3_going_back_branches_and_gives_the_prompt_back() {
    let mut w = talked(2);
    let second = w.session().tree.branch()[2].id.clone();
    w.tell(SessionAsk::Rewind { node: second });
    assert_eq!(spoken(&w), ["user: question 0", "e: answer 0"]);
    let moved = w.facts.iter().any(
        |f| matches!(f, Fact::Session(_, SessionFact::Moved { prompt: Some(p), .. }) if &**p == "question 1"),
    );
    assert!(moved);
    w.replies = vec![Reply::text("other")];
    w.type_line("another question");
    w.come_to_rest();
    assert_eq!(w.session().tree.len(), 6);
    w.check_disk();
    // The last appended message is the head of a reopened log.
    let loaded = load::load(lines(&w).iter().map(|l| &**l));
    assert_eq!(loaded.tree.head_id(), w.session().tree.head_id());
}

#[test]
fn everything_that_replaces_the_conversation_waits_for_the_turn() {
    let mut w = talked(1);
    w.replies = vec![Reply::text("later")];
    w.type_line("run");
    let node = w.session().tree.branch()[0].id.clone();
    for ask in [
        SessionAsk::New,
        SessionAsk::Fork,
        SessionAsk::Resume { path: "x".into() },
        SessionAsk::Rewind { node },
        SessionAsk::Undo,
    ] {
        let told = w.notices().len();
        w.tell(ask);
        assert_eq!(w.notices().len(), told + 1);
    }
    w.come_to_rest();
    assert_eq!(spoken(&w).last().unwrap(), "e: later");
}

#[test]
fn a_name_is_one_line_held_until_there_is_a_log_and_written_with_it() {
    let mut w = World::ready(16);
    w.tell(SessionAsk::Name("  fix the\nparser \u{1b}test ".into()));
    assert_eq!(w.session().log.name.as_deref(), Some("fix the parser test"));
    assert!(w.disk.is_empty());
    w.replies = vec![Reply::text("ok")];
    w.type_line("hi");
    w.come_to_rest();
    assert!(lines(&w)[1].contains("fix the parser test"));
    w.tell(SessionAsk::Name("".into()));
    assert!(lines(&w).last().unwrap().contains("\"name\":null"));
}

#[test]
fn a_failed_append_is_one_warning_and_the_conversation_goes_on() {
    let mut w = talked(1);
    w.disk_full = true;
    w.replies = vec![Reply::text("a"), Reply::text("b")];
    for line in ["one", "two"] {
        w.type_line(line);
        w.come_to_rest();
    }
    let warned = w.notices().iter().filter(|n| n.contains("It goes on in memory only.")).count();
    assert_eq!(warned, 1, "{:?}", w.notices());
    assert_eq!(spoken(&w).len(), 6);
}

#[test]
fn a_log_of_a_newer_version_is_left_alone() {
    let mut w = World::ready(17);
    let newer: Arc<str> =
        "{\"type\":\"session\",\"format_version\":9,\"id\":\"x\",\"cwd\":\"/\",\"created\":1}".into();
    w.disk.insert("/home/new.jsonl".into(), vec![newer.clone()]);
    w.tell(SessionAsk::Resume { path: "/home/new.jsonl".into() });
    w.settle_files();
    assert!(w.notices().iter().any(|n| n.contains("newer e (format 9)")));
    assert!(matches!(
        w.effects.last(),
        Some(Effect::Store(StoreFx::Close)) | Some(Effect::Tool(_)) | Some(_)
    ));
    w.replies = vec![Reply::text("ok")];
    w.type_line("hi");
    w.come_to_rest();
    assert_eq!(w.disk["/home/new.jsonl"], [newer]);
}

#[test]
fn a_late_answer_of_the_store_changes_nothing() {
    let mut w = talked(1);
    let before = format!("{:?}", w.sessions());
    w.give(Input::Msg(Msg::Store(
        Ticket(9_999),
        StoreMsg::Opened { path: "x".into(), session: Box::default() },
    )));
    assert_eq!(before, format!("{:?}", w.sessions()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// N4: a session whose end was shown while the rest was read is the one that was read whole.
    #[test]
    fn n4_an_end_shown_first_changes_nothing(seed: u64, spoilt in proptest::collection::vec(0usize..60, 0..4)) {
        let open = |ends_first: bool| {
            let mut w = World::ready(seed & !1);
            w.no_overflow = true;
            w.ends_first = ends_first;
            w.type_line("go");
            for _ in 0..60 { w.act(); }
            w.come_to_rest();
            let path = w.session().log.path().cloned()?;
            w.tell(SessionAsk::New);
            w.settle_files();
            let lines = w.disk.get_mut(&*path).unwrap();
            for at in &spoilt {
                if let Some(line) = lines.get_mut(*at).filter(|_| *at > 0) { *line = line[..line.len() / 3].into(); }
            }
            w.tell(SessionAsk::Resume { path });
            w.settle_files();
            let shown = w.facts.iter().any(|f| matches!(f, Fact::Session(_, SessionFact::Nearing { .. })));
            Some((shown, w))
        };
        let Some(((first, with), (alone, without))) = open(true).zip(open(false)) else { return Ok(()) };
        prop_assert!(first && !alone);
        let (with, without) = (with.model(), without.model());
        prop_assert!(with.ids == without.ids && with.sessions == without.sessions);
    }

    /// N4: a log cut anywhere, or with any lines spoilt, loads as what is left of it.
    #[test]
    fn n4_any_damage_loads_as_the_rest(seed: u64, spoilt in proptest::collection::vec(0usize..60, 0..6), cut in 0usize..60) {
        let mut w = World::ready(seed & !1);
        w.no_overflow = true;
        w.type_line("go");
        for _ in 0..100 { w.act(); }
        w.come_to_rest();
        let Some(path) = w.session().log.path().cloned() else { return Ok(()) };
        let mut lines = w.disk[&*path].clone();
        lines.truncate(cut.max(1).min(lines.len()));
        for at in spoilt {
            if at < lines.len() { lines[at] = lines[at][..lines[at].len() / 3].into(); }
        }
        let loaded = load::load(lines.iter().map(|l| &**l));
        let good = lines.iter().filter(|l| l.contains("\"type\":\"message\"") && serde_json::from_str::<serde_json::Value>(l).is_ok()).count();
        prop_assert_eq!(loaded.tree.len(), good);
        let history = e::model::session::history::valid(loaded.tree.branch().into_iter().map(|n| &n.message));
        prop_assert!(history.len() <= 2 * good + 64);
    }
}
