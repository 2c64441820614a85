//! Claims of the guide that no other test holds: each through the whole core, from a line of an extension's.

use std::sync::Arc;

use serde_json::{Value, json};

use e::model::ask::{Ask, Line, SessionAsk};
use e::model::ext::world::Over;
use e::model::msg::{FilesMsg, Msg};
use e::model::provider::{Message, Stop, StreamMsg};
use e::model::tool::Image;
use e::model::tui::block::Body;

use super::play::Play;
use crate::core::sim::model_info;

/// How often this was asked of the nth process.
fn times(p: &Play, n: usize, method: &str) -> usize {
    p.methods(n).iter().filter(|m| *m == method).count()
}

fn reply(p: &mut Play, text: &str) {
    p.stream(StreamMsg::Text(text.into()));
    p.stream(StreamMsg::Done(Stop::End));
}

fn commander() -> Value {
    json!({"name": "a", "hooks": ["input"], "commands": [{"name": "go", "completions": true}]})
}

#[test]
fn a_commands_effects_come_in_the_guides_order() {
    let mut p = Play::ready(&[commander()]);
    p.command("go", "");
    let show = json!({"title": "shown", "body": "block"});
    let answer = json!({"session_name": "named", "prompt": "prompted", "show": show, "notice": "noticed"});
    p.answer(0, "command", answer);
    let kinds: Vec<&str> = p
        .tui()
        .transcript
        .blocks()
        .iter()
        .filter_map(|block| match block.body() {
            Body::Notice { text, .. } if text.clean().as_str().contains("noticed") => Some("notice"),
            Body::Notice { text, .. } if text.clean().as_str().contains("named") => Some("name"),
            Body::Show { .. } => Some("show"),
            Body::User { .. } => Some("prompt"),
            _ => None,
        })
        .collect();
    assert_eq!(kinds, ["notice", "show", "prompt", "name"]);
    assert_eq!(times(&p, 0, "hook.input"), 0, "a command's prompt passes no input hook");
}

#[test]
fn a_command_that_fails_is_told_by_its_name_and_has_a_minute() {
    let mut p = Play::ready(&[commander()]);
    p.command("go", "");
    p.reply_raw(0, "command", json!({"error": "no licence"}));
    assert!(p.screen_has("/go: no licence"));
    p.command("go", "");
    p.answer(0, "command", json!({"notice": 3}));
    assert!(p.screen_has("/go: the command answered badly"));
    p.command("go", "");
    p.pass(59_999);
    assert!(!p.screen_has("60 seconds"));
    p.pass(1);
    assert!(p.screen_has("/go: no answer within 60 seconds"));
}

#[test]
fn a_slow_completion_shows_nothing() {
    let mut p = Play::ready(&[commander()]);
    p.typed("/go st");
    let id = p.id_of(0, "command.complete");
    p.pass(3_000);
    p.say(0, json!({"id": id, "result": {"items": [{"value": "staging"}]}}));
    assert!(p.tui().picker.is_none());
    p.typed("a");
    p.answer(0, "command.complete", json!({"items": []}));
    assert!(p.tui().picker.is_none());
}

#[test]
fn a_replacement_is_submitted_and_no_hook_sees_it() {
    let mut p = Play::ready(&[commander(), json!({"name": "b", "hooks": ["input"]})]);
    p.line("hello");
    p.answer(0, "hook.input", json!({"replace": "/go there"}));
    assert_eq!((times(&p, 0, "hook.input"), times(&p, 1, "hook.input")), (1, 0));
    assert_eq!(p.asked(0, "command"), json!({"name": "go", "args": "there"}), "as if it had been typed");
}

#[test]
fn images_ride_along_with_a_replacement_and_are_dropped_with_a_consumed_line() {
    let image =
        || Image { mime: "image/png".into(), data: "aGk=".into(), width: 1, height: 1, name: "a.png".into() };
    for (answer, left) in [(json!({"replace": "look"}), 1), (json!({"consume": true}), 0)] {
        let mut p = Play::ready(&[commander()]);
        let session = p.model().sessions.front;
        p.give_ask(Ask::Line(Line { session, text: "see".into(), images: vec![image()] }));
        p.answer(0, "hook.input", answer);
        let sent: usize = p.requests.iter().flat_map(|r| &r.messages).map(images).sum();
        assert_eq!((p.requests.len(), sent), (left, left));
    }
}

fn images(message: &Arc<Message>) -> usize {
    match &**message {
        Message::User(user) => user.images().count(),
        _ => 0,
    }
}

#[test]
fn answers_and_what_extensions_send_pass_no_input_hook() {
    let mut p = Play::ready(&[commander()]);
    p.say(0, json!({"id": 1, "method": "ui.input", "params": {"title": "?"}}));
    p.typed("an answer");
    p.keys("enter");
    assert_eq!(p.replies(0, 1), [json!({"text": "an answer"})]);
    p.say(0, json!({"id": 2, "method": "session.send", "params": {"content": "sent by itself"}}));
    assert!(p.said_to_model("sent by itself"));
    assert_eq!(times(&p, 0, "hook.input"), 0);
}

#[test]
fn before_turn_is_asked_once_and_its_suffix_stays_behind_the_prompt_for_the_whole_turn() {
    let mut p = Play::ready(&[
        json!({"name": "a", "hooks": ["before_turn"]}),
        json!({"name": "b", "hooks": ["before_turn"]}),
    ]);
    p.line("work");
    assert_eq!(p.asked(0, "hook.before_turn"), json!({"prompt": "work"}));
    let message = json!({"content": "branch main"});
    p.answer(0, "hook.before_turn", json!({"system_suffix": "first suffix", "message": message}));
    p.answer(1, "hook.before_turn", json!({"system_suffix": "second suffix"}));
    p.call_tool("bash", json!({"command": "ls"}));
    p.finish_tool("a.txt");
    assert_eq!(p.requests.len(), 2);
    for request in &p.requests {
        assert!(request.system.ends_with("\n\nfirst suffix\n\nsecond suffix"), "{}", request.system);
        assert!(!request.system.starts_with("first"));
    }
    assert_eq!((times(&p, 0, "hook.before_turn"), times(&p, 1, "hook.before_turn")), (1, 1));
    assert!(p.said_to_model("branch main") && !p.screen_has("branch main"));
    reply(&mut p, "done");
    p.line("more");
    p.answer(0, "hook.before_turn", json!({}));
    p.answer(1, "hook.before_turn", json!({}));
    assert!(!p.requests[2].system.contains("suffix"), "for this turn alone");
}

#[test]
fn without_a_screen_nothing_is_rendered_and_ui_is_refused() {
    let manifest = json!({"name": "a", "hooks": ["render", "before_turn"], "renders": ["*"]});
    let mut p = Play::print("hi", &[manifest]);
    assert_eq!(p.asked(0, "initialize")["ui"], json!(false));
    p.say(0, json!({"id": 1, "method": "ui.confirm", "params": {"title": "?"}}));
    p.say(0, json!({"id": 2, "method": "ui.notify", "params": {"message": "m"}}));
    assert_eq!((p.errors(0, 1), p.errors(0, 2)), (vec![json!("no ui")], vec![json!("no ui")]));
    p.say(0, json!({"method": "notify", "params": {"message": "told"}}));
    p.answer(0, "hook.before_turn", json!({}));
    reply(&mut p, "done");
    assert_eq!(p.exit, Some(0));
    assert_eq!(times(&p, 0, "hook.render"), 0);
    assert!(p.written().1.contains("told") && p.written().0.contains("done"), "{:?}", p.written());
}

#[test]
fn a_model_change_is_told_before_the_effort_s_and_the_same_again_tells_nothing() {
    let events = ["model_change", "effort_change", "session_start"];
    let mut p = Play::ready(&[json!({"name": "a", "events": events})]);
    let start = p.events(0);
    assert_eq!(start, [json!({"name": "session_start", "extra": {"reason": "startup", "path": null}})]);
    let mut other = (*model_info("n", 1_000)).clone();
    other.efforts = vec!["extreme".into()];
    let models = [model_info("m", 200_000), Arc::new(other)].into();
    let ticket = e::model::id::Ticket(9_999);
    p.give(Msg::Files(ticket, FilesMsg::Catalog { models, complaints: Vec::new() }));
    p.clear();
    for _ in 0..2 {
        p.say(0, json!({"id": 1, "method": "session.model", "params": {"model": "sim/n"}}));
    }
    assert_eq!(p.replies(0, 1), [json!({}), json!({})]);
    let said = p.events(0);
    assert_eq!(
        said,
        [
            json!({"name": "model_change", "extra": {"model": "sim/n"}}),
            json!({"name": "effort_change", "extra": {"effort": "extreme"}}),
        ]
    );
    p.say(0, json!({"id": 2, "method": "session.model", "params": {"model": "nobody/knows"}}));
    p.say(0, json!({"id": 3, "method": "session.effort", "params": {"effort": "low"}}));
    assert_eq!((p.errors(0, 2).len(), p.errors(0, 3).len()), (1, 1));
    assert_eq!(p.events(0).len(), 2);
}

#[test]
fn the_session_is_named_interrupted_and_compacted_as_asked() {
    let mut p = Play::ready(&[json!({"name": "a", "events": ["turn_end", "compact_start"]})]);
    p.say(0, json!({"id": 1, "method": "session.name", "params": {"name": "a\nname"}}));
    assert_eq!(p.session().log.name.as_deref(), Some("a name"));
    p.say(0, json!({"id": 2, "method": "session.interrupt"}));
    p.line("work");
    p.say(0, json!({"id": 3, "method": "session.compact"}));
    assert_eq!(p.events(0), [] as [Value; 0], "a turn runs: it waits for a safe point");
    p.say(0, json!({"id": 4, "method": "session.interrupt"}));
    assert_eq!(p.events(0), [json!({"name": "turn_end", "extra": {"aborted": true}})]);
    for id in 1..=4 {
        assert_eq!(p.replies(0, id), [json!({})], "{id}");
    }
}

#[test]
fn a_held_message_is_gone_with_the_conversation() {
    for (line, stays) in [("/new", false), ("/reload", true)] {
        let mut p = Play::ready(&[json!({"name": "a", "events": []})]);
        let params = json!({"content": "held back", "internal": true, "when": "next_turn"});
        p.say(0, json!({"id": 1, "method": "session.send", "params": params}));
        match stays {
            false => p.line(line),
            true => {
                p.reload();
                p.stopped();
                p.greet(1, json!({"name": "a"}));
            }
        }
        p.line("go on");
        assert!(p.said_to_model("go on"));
        assert_eq!(p.said_to_model("held back"), stays, "{line}");
    }
}

#[test]
fn tool_end_has_all_that_the_hooks_left_and_the_model_the_beginning() {
    let manifest =
        json!({"name": "a", "tools": [{"name": "big"}], "hooks": ["tool_result"], "events": ["tool_end"]});
    let mut p = Play::ready(&[manifest]);
    p.line("work");
    p.call_tool("big", json!({}));
    p.answer(0, "tool_call", json!({"content": "secret", "display": "shown"}));
    let long = "a line of it\n".repeat(5_000);
    p.answer(0, "hook.tool_result", json!({"content": long}));
    assert_eq!(p.events(0)[0]["extra"]["content"], json!(long));
    let to_model = p.requests[1].messages.iter().rev().find_map(|m| match &**m {
        Message::Tool(result) => Some(result.content.clone()),
        _ => None,
    });
    let to_model = to_model.unwrap();
    assert!(
        to_model.len() <= 32 * 1024 && to_model.contains("read_result with {\"id\":\"r1\""),
        "{to_model}"
    );
}

#[test]
fn a_display_is_what_the_reader_shows_and_says_that_its_end_is_missing() {
    let mut p = Play::ready(&[json!({"name": "a", "tools": [{"name": "big"}]})]);
    p.line("work");
    p.call_tool("big", json!({}));
    let display = "shown to the person\n".repeat(3_000);
    p.answer(0, "tool_call", json!({"content": "for the model", "display": display}));
    assert!(p.said_to_model("for the model") && !p.said_to_model("shown to the person"));
    reply(&mut p, "done");
    let rows = p.reader_rows();
    assert!(rows.iter().any(|row| row.contains("shown to the person")), "{rows:?}");
    assert!(rows.iter().all(|row| !row.contains("for the model")), "{rows:?}");
    assert!(rows.iter().any(|row| row.contains("… the rest was too long to show")), "{:?}", rows.last());
}

#[test]
fn a_dead_one_is_started_by_reload_alone() {
    let manifest = json!({"name": "a", "commands": [{"name": "go"}]});
    let mut p = Play::ready(std::slice::from_ref(&manifest));
    p.over(0, Over::Exited(None));
    p.line("/new");
    p.line("/go");
    assert!(p.screen_has("/go: extension exited"));
    assert_eq!(p.started.len(), 1);
    p.reload();
    p.stopped();
    p.greet(1, manifest);
    p.line("/go");
    assert_eq!(times(&p, 1, "command"), 1);
}

#[test]
fn a_name_by_a_command_survives_no_switch() {
    let mut p = Play::ready(&[commander()]);
    p.command("go", "");
    let session = p.model().sessions.front;
    p.give_ask(Ask::Session(session, SessionAsk::New));
    p.answer(0, "command", json!({"notice": "still told", "session_name": "too late"}));
    assert!(p.screen_has("still told"));
    assert_eq!(p.session().log.name, None);
}

#[test]
fn what_is_asked_before_everyone_is_there_is_served_in_order() {
    let mut p = Play::launch(&[], &["a.sh", "b.sh"]);
    let status = |text: &str, id: u32| json!({"id": id, "method": "ui.status", "params": {"text": text}});
    p.say(0, status("before its manifest", 1));
    p.greet(0, json!({"name": "a"}));
    p.say(0, status("behind its manifest", 2));
    assert!(p.replies(0, 1).is_empty(), "b has not spoken");
    p.greet(1, json!({"name": "b"}));
    assert_eq!((p.replies(0, 1), p.replies(0, 2)), (vec![json!({})], vec![json!({})]));
    let place = e::model::tui::slots::Place::Status;
    assert_eq!(p.tui().slots.joined(place, None), "behind its manifest");
}
