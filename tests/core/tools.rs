//! Tool batches by example: gates, order, lists in force, long results, interrupts, nested instructions, `!commands`.

use std::sync::Arc;

use super::sim::{Reply, World};
use super::turns::spoken;
use e::model::ask::{Ask, SessionAsk};
use e::model::ext::HookValue;
use e::model::fact::{Fact, ToolFact, TurnFact};
use e::model::id::{CallId, ExtId};
use e::model::msg::Msg;
use e::model::provider::{Message, UserKind};
use e::model::session::turn::Work;
use e::model::tool::{Display, FileKey, Format, Outcome, Pipe, ToolMsg, ToolOutput};
use e::update::Input;

/// A turn whose reply wants these calls, up to the moment its tools run.
fn calling(calls: &[(&str, &str, &str)]) -> World {
    let mut w = World::ready(5);
    w.replies = vec![Reply::calls(calls), Reply::text("done")];
    w.type_line("go");
    while !w.open.streams.is_empty() {
        w.speak();
    }
    w.settle_files();
    w
}

fn running(w: &World) -> Vec<String> {
    w.open.jobs.values().map(|j| j.path.clone().unwrap_or_else(|| j.name.to_string())).collect()
}

fn identify_all(w: &mut World) {
    while let Some((id, path)) = w.open.identify.pop_first() {
        let key = FileKey::Path(path.trim_start_matches("./").into());
        w.give(Input::Msg(Msg::Tool(id, ToolMsg::Identified(Some(key)))));
    }
}

fn done(w: &mut World, id: CallId, content: &str) {
    w.finish_job(id, ToolMsg::Done(Box::new(ToolOutput::new(Outcome::Completed, content))));
}

fn job(w: &World, path: &str) -> CallId {
    *w.open.jobs.iter().find(|(_, j)| j.path.as_deref() == Some(path) || &*j.name == path).expect(path).0
}

#[test]
fn t8_calls_on_one_file_keep_order_and_others_run_side_by_side() {
    let mut w = calling(&[
        ("1", "edit", "{\"path\":\"a\",\"old_string\":\"x\",\"new_string\":\"y\"}"),
        ("2", "read", "{\"path\":\"./a\"}"),
        ("3", "read", "{\"path\":\"b\"}"),
        ("4", "bash", "{\"command\":\"make\"}"),
    ]);
    assert_eq!(running(&w), ["bash"], "which files are touched is not known yet");
    identify_all(&mut w);
    let mut now = running(&w);
    now.sort();
    assert_eq!(now, ["a", "b", "bash"]);
    let id = job(&w, "a");
    done(&mut w, id, "edited");
    assert!(running(&w).contains(&"./a".to_owned()));
    w.come_to_rest();
}

#[test]
fn n6_results_are_logged_as_they_settle_and_sent_in_the_models_order() {
    let mut w = calling(&[("1", "read", "{\"path\":\"a\"}"), ("2", "read", "{\"path\":\"b\"}")]);
    identify_all(&mut w);
    let (a, b) = (job(&w, "a"), job(&w, "b"));
    done(&mut w, b, "from b");
    let path = w.session().log.path().unwrap().clone();
    assert!(w.disk[&*path].last().unwrap().contains("from b"), "a crash now would lose nothing");
    done(&mut w, a, "from a");
    let sent: Vec<String> = w.requests[1]
        .messages
        .iter()
        .filter_map(|m| if let Message::Tool(r) = &**m { Some(r.content.to_string()) } else { None })
        .collect();
    assert_eq!(sent, ["from a", "from b"]);
}

#[test]
fn t8_no_more_run_at_once_than_the_setting_says() {
    let calls: Vec<(String, &str, &str)> =
        (0..12).map(|n| (format!("{n}"), "bash", "{\"command\":\"make\"}")).collect();
    let calls: Vec<(&str, &str, &str)> = calls.iter().map(|(a, b, c)| (a.as_str(), *b, *c)).collect();
    let mut w = calling(&calls);
    assert_eq!(w.open.jobs.len(), 8);
    let first = *w.open.jobs.keys().next().unwrap();
    done(&mut w, first, "ok");
    assert_eq!(w.open.jobs.len(), 8);
    w.come_to_rest();
}

#[test]
fn t10_a_blocked_call_never_runs_and_its_reason_is_the_result() {
    let mut w = World::ready(5);
    w.replies = vec![Reply::calls(&[("1", "bash", "{\"command\":\"rm -rf /\"}")]), Reply::text("ok")];
    w.hooks_are_slow = true;
    w.type_line("go");
    loop {
        if let Some((ticket, mut value)) = w.open.hooks.pop() {
            if let HookValue::ToolCall { block, .. } = &mut value {
                *block = Some("not here".into());
            }
            w.give(Input::Ask(Ask::HookDone { ticket, value }));
        } else if w.open.streams.is_empty() {
            break;
        } else {
            w.speak();
        }
    }
    assert!(w.dead.calls.is_empty() && w.open.jobs.is_empty(), "it never ran");
    assert!(spoken(&w)[2].starts_with("blocked: The call was blocked by an extension"));
    assert!(spoken(&w)[2].ends_with("not here"));
}

#[test]
fn t9_a_call_outside_the_toolset_is_never_run_even_if_it_was_offered() {
    let mut w = World::ready(5);
    w.replies = vec![Reply::calls(&[("1", "bash", "{\"command\":\"make\"}")]), Reply::text("ok")];
    w.type_line("go");
    assert!(w.requests[0].tools.iter().any(|t| &*t.name == "bash"));
    narrow(&mut w, &["read"]);
    w.come_to_rest();
    assert!(spoken(&w)[2].starts_with("blocked: The tool bash was not run"), "{:?}", spoken(&w));
    let names: Vec<_> = w.requests[1].tools.iter().map(|t| &*t.name).collect();
    assert_eq!(names, ["read"], "the next request offers only what is in force");
}

fn narrow(w: &mut World, names: &[&str]) {
    let front = w.sessions().front;
    let s = w.model.as_mut().unwrap().sessions.all.get_mut(&front).unwrap();
    let names = names.iter().map(|n| Arc::from(*n)).collect();
    s.tools.set.narrowings.push((ExtId(1), names));
}

#[test]
fn t16_narrowings_end_with_their_conversation() {
    let mut w = World::ready(5);
    narrow(&mut w, &["read"]);
    w.tell(SessionAsk::New);
    w.settle_files();
    w.type_line("go");
    assert_eq!(w.requests[0].tools.len(), 6);
}

#[test]
fn g54_broken_empty_and_unknown_calls_get_results_and_the_turn_goes_on() {
    let mut w = calling(&[
        ("1", "grep", ""),
        ("2", "read", "{\"path\":\"a"),
        ("3", "read", "{\"path\":\"a\"}{\"path\":\"b\"}"),
        ("4", "frobnicate", "{}"),
        ("5", "bash", "null"),
    ]);
    assert_eq!(w.open.jobs.len(), 2, "empty and null count as no arguments: {:?}", running(&w));
    w.come_to_rest();
    let said = spoken(&w);
    let broken: Vec<&String> = said.iter().filter(|s| s.contains("not valid JSON")).collect();
    assert_eq!(broken.len(), 2, "{said:?}");
    assert!(broken.iter().all(|s| s.contains("\"path\"")), "the schema is quoted");
    assert!(said.iter().any(|s| s.contains("There is no tool named frobnicate. The tools are: read,")));
    assert_eq!(said.last().unwrap(), "e: done");
}

#[test]
fn g55_calls_with_the_same_id_get_their_own_results() {
    let mut w = calling(&[
        ("x", "read", "{\"path\":\"a\"}"),
        ("x", "read", "{\"path\":\"b\"}"),
        ("", "bash", "{\"command\":\"c\"}"),
    ]);
    identify_all(&mut w);
    for (path, words) in [("b", "from b"), ("a", "from a"), ("bash", "from c")] {
        let id = job(&w, path);
        done(&mut w, id, words);
    }
    let sent: Vec<(String, String)> = w.requests[1]
        .messages
        .iter()
        .filter_map(|m| {
            if let Message::Tool(r) = &**m { Some((r.call.to_string(), r.content.to_string())) } else { None }
        })
        .collect();
    let pairs: Vec<(&str, &str)> = sent.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    assert_eq!(pairs, [("x", "from a"), ("x_2", "from b"), ("call", "from c")]);
}

#[test]
fn g56_interrupted_calls_get_fixed_words_and_their_output_so_far() {
    let mut w = calling(&[("1", "bash", "{\"command\":\"sleep 60\"}"), ("2", "read", "{\"path\":\"a\"}")]);
    let id = job(&w, "bash");
    w.give(Input::Msg(Msg::Tool(id, ToolMsg::Output { pipe: Pipe::Stdout, chunk: "half way\n".into() })));
    w.interrupt();
    let said = spoken(&w);
    assert!(said[2].starts_with("cancelled: Interrupted") && said[2].contains("half way"), "{said:?}");
    assert!(said[3].starts_with("cancelled: Not run"), "{said:?}");
    w.replies = vec![Reply::text("fine")];
    w.type_line("go on");
    w.come_to_rest();
    assert_eq!(spoken(&w).last().unwrap(), "e: fine");
}

#[test]
fn t11_a_rewritten_result_loses_its_display_and_keeps_its_counts() {
    let mut w = World::ready(5);
    w.replies = vec![Reply::calls(&[("1", "bash", "{\"command\":\"make\"}")]), Reply::text("ok")];
    w.hooks_are_slow = true;
    w.type_line("go");
    for _ in 0..30 {
        if let Some((ticket, mut value)) = w.open.hooks.pop() {
            if let HookValue::ToolResult { content, rewritten, .. } = &mut value {
                (*content, *rewritten) = ("hidden".into(), true);
            }
            w.give(Input::Ask(Ask::HookDone { ticket, value }));
        } else if let Some(id) = w.open.jobs.keys().next().copied() {
            let mut output = ToolOutput::new(Outcome::Completed, "secret words");
            output.summary = Some("exit 0".into());
            output.display = Some(Display { text: "secret".into(), format: Format::Text, cut: false });
            w.finish_job(id, ToolMsg::Done(Box::new(output)));
        } else {
            w.speak();
        }
    }
    let Some(Fact::Tool(_, ToolFact::End { content, display, summary, .. })) =
        w.facts.iter().find(|f| matches!(f, Fact::Tool(_, ToolFact::End { .. })))
    else {
        panic!()
    };
    assert_eq!((&**content, display, summary.as_deref()), ("hidden", &None, Some("exit 0")));
    assert!(!format!("{:?}", w.session().tree).contains("secret"));
}

#[test]
fn n6_a_long_result_is_cut_for_the_model_and_paged_by_read_result() {
    let mut w = calling(&[("1", "bash", "{\"command\":\"make\"}")]);
    let id = job(&w, "bash");
    let long = (0..9_000).map(|n| format!("line {n}\n")).collect::<String>();
    w.replies = vec![
        Reply::calls(&[("2", "read_result", "{\"id\":\"r1\",\"offset\":8000,\"limit\":1}")]),
        Reply::text("done"),
    ];
    done(&mut w, id, &long);
    w.come_to_rest();
    let said = spoken(&w);
    assert!(said[2].len() < 33 * 1024 && said[2].contains("r1"), "{}", &said[2][said[2].len() - 200..]);
    assert!(said[4].contains("line 7999"), "{}", said[4]);
    let kept = w.facts.iter().find_map(|f| match f {
        Fact::Tool(_, ToolFact::End { kept: Some(id), .. }) => Some(id.to_string()),
        _ => None,
    });
    assert_eq!(kept.as_deref(), Some("r1"));
}

#[test]
fn t7_nested_instructions_join_once_behind_the_results() {
    let touch = |w: &mut World, id: CallId| {
        let mut output = ToolOutput::new(Outcome::Completed, "text");
        output.instructions = vec![
            ("/work/app/AGENTS.md".into(), "Be kind.".into()),
            ("/work/app/sub/AGENTS.md".into(), "Use tabs.".into()),
        ];
        w.finish_job(id, ToolMsg::Done(Box::new(output)));
    };
    let mut w = calling(&[("1", "bash", "{\"command\":\"a\"}"), ("2", "bash", "{\"command\":\"b\"}")]);
    w.replies = vec![Reply::calls(&[("3", "bash", "{\"command\":\"c\"}")]), Reply::text("done")];
    for _ in 0..2 {
        let id = *w.open.jobs.keys().next().unwrap();
        touch(&mut w, id);
    }
    while !w.open.streams.is_empty() && w.open.jobs.is_empty() {
        w.speak();
    }
    let id = job(&w, "bash");
    touch(&mut w, id);
    w.come_to_rest();
    let nodes = w.session().tree.branch();
    let kinds: Vec<&str> = nodes
        .iter()
        .map(|n| match &*n.message {
            Message::User(u) if u.kind == UserKind::Instructions => "instructions",
            Message::User(_) => "user",
            Message::Assistant(_) => "reply",
            Message::Tool(_) => "result",
        })
        .collect();
    assert_eq!(kinds, ["user", "reply", "result", "result", "instructions", "reply", "result", "reply"]);
}

#[test]
fn n8_instructions_are_internal() {
    let mut w = calling(&[("1", "bash", "{\"command\":\"a\"}")]);
    let id = job(&w, "bash");
    let mut output = ToolOutput::new(Outcome::Completed, "text");
    output.instructions = vec![("/work/app/sub/AGENTS.md".into(), "Use tabs.".into())];
    w.finish_job(id, ToolMsg::Done(Box::new(output)));
    assert!(format!("{:?}", w.requests[1].messages).contains("Use tabs."), "the model sees them");
    let joined = w.facts.iter().find_map(|f| match f {
        Fact::Turn(_, TurnFact::Joined { message, .. }) => Some(message.clone()),
        _ => None,
    });
    assert!(
        matches!(joined.as_deref(), Some(Message::User(user)) if user.internal),
        "a front knows not to show them"
    );
}

#[test]
fn t2_a_shell_command_runs_beside_the_conversation_and_is_told_to_the_model() {
    let mut w = World::ready(5);
    w.type_line("!cargo test");
    w.type_line("what failed?");
    assert!(w.requests.is_empty(), "the prompt waits for the command");
    let id = *w.open.jobs.keys().next().unwrap();
    let mut output = ToolOutput::new(Outcome::Failed, "1 failed");
    output.summary = Some("exit 101".into());
    w.replies = vec![Reply::text("that one")];
    w.finish_job(id, ToolMsg::Done(Box::new(output)));
    w.come_to_rest();
    assert_eq!(
        spoken(&w),
        ["user: I ran `cargo test` myself (exit 101):\n1 failed", "user: what failed?", "e: that one",]
    );
    w.type_line("!!secret");
    let id = *w.open.jobs.keys().next().unwrap();
    done(&mut w, id, "words that stay here");
    assert_eq!(spoken(&w).len(), 3, "`!!` keeps it from the model");
    w.check_disk();
}

#[test]
fn t3_an_interrupt_kills_a_shell_command() {
    let mut w = World::ready(5);
    w.type_line("!sleep 60");
    w.interrupt();
    assert!(spoken(&w)[0].starts_with("user: I ran `sleep 60` myself (cancelled)"));
    assert_eq!(w.session().work, Work::Idle);
}
