//! The core as a host of extensions, with the processes played by the test: handshakes, chains, calls, requests, events,
//! reload and death.

mod claims;
mod play;
mod props;
mod surfaces;

use serde_json::{Value, json};

use e::model::effect::Effect;
use e::model::ext::live::{Stage, State};
use e::model::ext::world::{Become, CommandLine, ExtFx, Over};
use e::model::provider::{Message, Stop, StreamMsg};

use play::Play;

#[test]
fn everyone_is_greeted_at_once_and_flags_come_before_the_session() {
    let mut p = Play::launch(&["--level=3", "do it"], &["a.sh", "b.sh"]);
    assert_eq!(p.methods(0), ["initialize"]);
    assert_eq!(p.methods(1), ["initialize"]);
    // The second answers first: launch order still holds.
    p.greet(1, json!({"name": "b", "tools": [{"name": "t"}], "events": ["session_start"]}));
    p.greet(
        0,
        json!({"name": "a", "tools": [{"name": "t"}], "events": ["session_start"],
               "flags": [{"name": "level", "type": "string"}]}),
    );
    assert_eq!(p.note(0, "flags"), Some(json!({"flags": {"level": "3"}})));
    assert_eq!(p.note(1, "flags"), None, "b declares none");
    assert_eq!(p.parsed, Some(vec!["do it".to_owned()]), "typed flags are taken out");
    let start = json!({"name": "session_start", "extra": {"reason": "startup", "path": null}});
    assert_eq!(p.note(0, "event"), Some(start.clone()));
    assert_eq!(p.note(1, "event"), Some(start));
    assert!(p.notices().iter().any(|n| n.contains("extension b.sh: tool \"t\" is left out")));
}

#[test]
fn lines_typed_during_the_start_wait_for_it() {
    let mut p = Play::launch(&[], &["a.sh"]);
    p.line("hello");
    assert!(p.requests.is_empty());
    p.greet(0, json!({"name": "a", "hooks": ["input"]}));
    assert_eq!(p.asked(0, "hook.input"), json!({"text": "hello"}));
    p.answer(0, "hook.input", json!({"replace": "hello there"}));
    assert_eq!(p.requests.len(), 1);
    assert!(p.said_to_model("hello there"));
}

#[test]
fn x6_a_startup_hook_that_fails_stops_the_launch_and_a_runtime_hook_never_does() {
    for answer in
        [json!({"error": "no such project"}), json!({"result": null}), json!({"result": {"argv": 3}})]
    {
        let mut p = Play::launch(&["x"], &["a.sh"]);
        p.greet(0, json!({"name": "a", "hooks": ["startup"]}));
        p.reply_raw(0, "hook.startup", answer);
        assert_eq!(p.exit, Some(1));
        assert!(p.effects.iter().any(|e| matches!(e, Effect::Err(t) if t.contains("a.sh"))));
    }
    let mut p = Play::launch(&["x"], &["a.sh"]);
    p.greet(0, json!({"name": "a", "hooks": ["startup"]}));
    p.over(0, Over::Exited(None));
    assert_eq!(p.exit, Some(1));
    let mut p = Play::launch(&["x"], &["a.sh"]);
    p.greet(0, json!({"name": "a", "hooks": ["startup"]}));
    p.pass(5_000);
    assert_eq!(p.exit, Some(1));
}

#[test]
fn a_startup_hook_rewrites_the_arguments_and_can_relaunch() {
    let mut p = Play::launch(&["--up", "x"], &["b.sh", "a.sh"]);
    p.greet(0, json!({"name": "b", "hooks": ["startup"], "flags": [{"name": "up"}]}));
    p.greet(1, json!({"name": "a", "hooks": ["startup"]}));
    // By filename, not in launch order.
    assert_eq!(p.asked(1, "hook.startup")["argv"], json!(["--up", "x"]));
    p.answer(1, "hook.startup", json!({"argv": ["--up", "y"], "env": {"A": "1", "B": null}}));
    assert!(p.effects.iter().any(|e| matches!(e, Effect::Ext(ExtFx::Env(env)) if env.len() == 2)));
    assert_eq!(p.asked(0, "hook.startup")["argv"], json!(["--up", "y"]));
    assert_eq!(p.asked(0, "hook.startup")["flags"], json!({"up": true}));
    p.answer(0, "hook.startup", json!({"relaunch": {"cwd": "/other", "env": {"SEEN": "1"}}}));
    let become_ = p.effects.iter().find_map(|e| match e {
        Effect::Ext(ExtFx::Become(Become::Relaunch { argv, to, behind })) => {
            Some((argv.len(), to.cwd.clone(), *behind))
        }
        _ => None,
    });
    assert_eq!(become_, Some((2, "/other".into(), 1)));
    assert_eq!(p.exit, Some(0));
}

#[test]
fn a_command_line_that_nobody_knows_names_the_extensions_that_failed() {
    let mut p = Play::launch(&["--odd"], &["a.sh"]);
    p.line_is = CommandLine::Unknown("unknown option --odd".into());
    p.over(0, Over::NotStarted("its interpreter is missing".into()));
    assert_eq!(p.exit, Some(2));
    let said = |p: &Play| {
        let errors =
            p.effects.iter().find_map(|e| if let Effect::Err(t) = e { Some(t.clone()) } else { None });
        errors.unwrap()
    };
    assert!(said(&p).contains("a.sh"), "{}", said(&p));
    // What is wrong with an option of `e`'s own is no extension's business.
    let mut p = Play::launch(&["-c", "-r"], &["a.sh"]);
    p.line_is = CommandLine::Refused("give one of them".into());
    p.over(0, Over::NotStarted("its interpreter is missing".into()));
    assert_eq!((p.exit, &*said(&p)), (Some(2), "give one of them"));
}

#[test]
fn a_gate_that_asks_has_all_the_time_in_the_world() {
    let mut p = Play::ready(&[json!({"name": "gate", "hooks": ["tool_call"]})]);
    p.line("run it");
    p.call_tool("bash", json!({"command": "ls"}));
    assert_eq!(p.asked(0, "hook.tool_call"), json!({"name": "bash", "arguments": {"command": "ls"}}));
    p.say(0, json!({"id": "q", "method": "ui.confirm", "params": {"title": "Allow?"}}));
    p.pass(3_600_000);
    assert!(p.running.is_empty(), "nothing ran while the person thought");
    p.answer_modal();
    assert_eq!(p.replies(0, "q"), [json!({"confirmed": true})]);
    p.pass(7);
    p.answer(0, "hook.tool_call", json!({"block": false}));
    assert_eq!(p.running.len(), 1);
    // What the person took to think is not the extension's.
    let stats = &p.model().exts.all[&p.started[0]].stats;
    assert_eq!(stats.hooks.values().flatten().copied().collect::<Vec<_>>(), [7]);
}

#[test]
fn t11_a_hook_that_never_answers_is_the_empty_answer() {
    let mut p = Play::ready(&[
        json!({"name": "slow", "hooks": ["tool_call"]}),
        json!({"name": "next", "hooks": ["tool_call"]}),
    ]);
    p.line("run it");
    p.call_tool("bash", json!({"command": "ls"}));
    p.pass(4_999);
    assert!(p.methods(1).iter().all(|m| m != "hook.tool_call"));
    p.pass(1);
    p.answer(1, "hook.tool_call", json!({"block": true, "reason": "not now"}));
    assert!(p.running.is_empty());
    assert!(p.said_to_model("not now"));
}

#[test]
fn x5_a_crash_in_the_middle_of_a_chain_skips_one() {
    let mut p = Play::ready(&[
        json!({"name": "a", "hooks": ["tool_result"]}),
        json!({"name": "b", "hooks": ["tool_result"]}),
        json!({"name": "c", "hooks": ["tool_result"]}),
    ]);
    p.line("run it");
    p.call_tool("bash", json!({"command": "ls"}));
    p.finish_tool("one");
    p.answer(0, "hook.tool_result", json!({"content": "two"}));
    assert_eq!(p.asked(1, "hook.tool_result")["content"], "two");
    p.over(1, Over::Exited(Some("signal 9".into())));
    assert_eq!(p.asked(2, "hook.tool_result")["content"], "two");
    p.answer(2, "hook.tool_result", json!({}));
    assert!(p.said_to_model("two"));
    assert!(!p.said_to_model("one"));
}

#[test]
fn nobody_sees_what_a_tool_says_while_it_may_be_rewritten() {
    for rewriting in [true, false] {
        let hooks = if rewriting { json!(["tool_result"]) } else { json!([]) };
        let mut p = Play::ready(&[json!({"name": "a", "hooks": hooks})]);
        p.line("run it");
        p.call_tool("bash", json!({"command": "ls"}));
        p.tool_says("password\n");
        assert_eq!(p.screen_has("password"), !rewriting);
        p.interrupt();
        assert_eq!(p.said_in_tree("password"), !rewriting);
    }
}

#[test]
fn x8_an_extension_tool_streams_and_answers_once() {
    let tool = json!({"name": "a", "tools": [{"name": "greet", "label": {"running": "Greeting", "target": "who"}}],
                      "events": ["tool_start", "tool_end"]});
    let mut p = Play::ready(&[tool]);
    p.line("greet bob");
    p.call_tool("greet", json!({"who": "bob"}));
    assert_eq!(p.asked(0, "tool_call"), json!({"name": "greet", "arguments": {"who": "bob"}}));
    let id = p.id_of(0, "tool_call");
    p.update(0, id, "wor\u{1b}[3");
    p.update(0, id, "1mking\n");
    p.update(0, id + 100, "foreign");
    assert!(p.screen_has("working") && !p.screen_has("foreign"));
    p.answer(0, "tool_call", json!({"content": "hi bob", "summary": "polite", "session_name": "greetings"}));
    assert!(p.said_to_model("hi bob"));
    assert!(p.screen_has("polite"));
    assert_eq!(p.session().log.name.as_deref(), Some("greetings"));
    let before = p.requests.len();
    p.update(0, id, "late");
    p.say(0, json!({"id": id, "result": {"content": "again"}}));
    assert_eq!(p.requests.len(), before);
    assert!(!p.screen_has("late"));
    let events = p.events(0);
    assert_eq!(events[0]["name"], "tool_start");
    assert_eq!(events[0]["extra"]["arguments"], json!({"who": "bob"}));
    assert_eq!(events[1]["extra"]["outcome"], "completed");
    assert_eq!(events[0]["extra"]["id"], events[1]["extra"]["id"]);
}

#[test]
fn a_tool_that_answers_badly_late_or_never_is_an_error_result() {
    type End = fn(&mut Play);
    let cases: [(End, &str); 4] = [
        (|p| p.answer(0, "tool_call", json!({"content": 3})), "answered badly"),
        (|p| p.reply_raw(0, "tool_call", json!({"error": "out of paint"})), "greet: out of paint"),
        (|p| p.over(0, Over::Exited(None)), "greet: extension exited"),
        (|p| p.pass(300_000), "greet: no answer within 300 seconds"),
    ];
    for (end, words) in cases {
        let mut p = Play::ready(&[json!({"name": "a", "tools": [{"name": "greet"}]})]);
        p.line("greet");
        p.call_tool("greet", json!({}));
        end(&mut p);
        assert!(p.said_to_model(words), "{words}");
    }
}

#[test]
fn a_cut_short_call_is_over_for_everyone() {
    let mut p = Play::ready(&[json!({"name": "a", "tools": [{"name": "greet"}]})]);
    p.line("greet");
    p.call_tool("greet", json!({}));
    p.interrupt();
    let id = p.id_of(0, "tool_call");
    let before = format!("{:?}", p.session().tree);
    p.say(0, json!({"id": id, "result": {"content": "late"}}));
    assert_eq!(before, format!("{:?}", p.session().tree));
}

#[test]
fn x9_events_go_to_those_who_subscribed_and_come_in_pairs() {
    let mut p = Play::ready(&[
        json!({"name": "old"}),
        json!({"name": "all", "events": ["turn_start", "turn_end", "session_start", "session_shutdown",
            "model_change", "effort_change"]}),
        json!({"name": "none", "events": []}),
    ]);
    p.clear();
    p.line("hi");
    p.stream(StreamMsg::Text("hello".into()));
    p.stream(StreamMsg::Done(Stop::End));
    assert_eq!(p.events(0), [json!({"name": "turn_end", "extra": {"aborted": false}})]);
    assert_eq!(
        p.events(1),
        [
            json!({"name": "turn_start", "extra": {"prompt": "hi"}}),
            json!({"name": "turn_end", "extra": {"aborted": false}}),
        ]
    );
    assert!(p.events(2).is_empty());
    p.clear();
    p.say(1, json!({"id": 1, "method": "session.effort", "params": {"effort": "low"}}));
    p.say(1, json!({"id": 2, "method": "session.effort", "params": {"effort": "low"}}));
    p.line("/new");
    let names: Vec<Value> = p.events(1).iter().map(|e| e["name"].clone()).collect();
    assert_eq!(names, ["effort_change", "session_shutdown", "session_start"]);
    assert_eq!(p.events(1)[2]["extra"], json!({"reason": "new", "path": null}));
}

#[test]
fn x10_a_death_is_one_notice_that_names_every_hook() {
    let mut p = Play::ready(&[
        json!({"name": "a", "hooks": ["tool_call", "input", "render"], "commands": [{"name": "go"}]}),
    ]);
    p.over(0, Over::Exited(Some("exit status 1".into())));
    p.over(0, Over::Exited(None));
    let notices: Vec<String> = p.notices().into_iter().filter(|n| n.contains("a0.sh")).collect();
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(notices[0].contains("tool_call, input and render now fail open"), "{notices:?}");
    p.command("go", "");
    assert!(p.notices().iter().any(|n| n == "/go: extension exited"));
}

#[test]
fn m4_the_thirty_third_request_is_refused_at_once() {
    let mut p = Play::ready(&[json!({"name": "a"})]);
    for n in 0..33 {
        p.say(0, json!({"id": n, "method": "ui.input", "params": {"title": "?"}}));
    }
    assert!((0..32).all(|n| p.replies(0, n).is_empty() && p.errors(0, n).is_empty()));
    assert_eq!((p.replies(0, 32).len(), p.errors(0, 32).len()), (0, 1));
}

#[test]
fn m6_a_reload_answers_everything_and_greets_anew() {
    let mut p = Play::ready(&[json!({"name": "a", "events": ["session_start", "session_shutdown"],
        "flags": [{"name": "f"}]})]);
    p.say(0, json!({"id": "q", "method": "ui.input", "params": {}}));
    p.say(0, json!({"id": "t", "method": "session.tools", "params": {"names": ["read"]}}));
    p.clear();
    p.reload();
    assert_eq!(p.errors(0, "q").len(), 1);
    assert_eq!(p.events(0), [json!({"name": "session_shutdown", "extra": {"reason": "reload"}})]);
    p.line("typed meanwhile");
    assert!(p.requests.is_empty());
    p.stopped();
    // The same file, a new process.
    p.greet(1, json!({"name": "a", "events": ["session_start"], "flags": [{"name": "f"}]}));
    assert_eq!(p.note(1, "flags"), Some(json!({"flags": {}})));
    assert_eq!(p.events(1)[0]["extra"]["reason"], "reload");
    assert!(p.said_to_model("typed meanwhile"));
    assert!(p.session().tools.set.narrowings.is_empty());
    assert_eq!(p.model().exts.stage, Stage::Ready);
}

#[test]
fn one_that_is_started_anew_leaves_the_others_alone() {
    let mut p = Play::ready(&[json!({"name": "a", "commands": [{"name": "go"}]}), json!({"name": "b"})]);
    p.say(1, json!({"id": "q", "method": "ui.input", "params": {}}));
    p.restart(0);
    p.stopped();
    p.greet(2, json!({"name": "a", "commands": [{"name": "went"}]}));
    assert!(p.errors(1, "q").is_empty());
    let model = p.model();
    assert!(model.registry.command("went").is_some() && model.registry.command("go").is_none());
    let files: Vec<&str> = model.exts.order.iter().map(|id| &*model.exts.all[id].found.file).collect();
    assert_eq!(files, ["a0.sh", "a1.sh"]);
    assert!(model.exts.all.values().all(|ext| ext.state == State::Live));
}

#[test]
fn a_command_may_notify_prompt_and_name() {
    let mut p = Play::ready(&[json!({"name": "a", "commands": [{"name": "go"}]})]);
    p.command("go", "now please");
    assert_eq!(p.asked(0, "command"), json!({"name": "go", "args": "now please"}));
    p.answer(0, "command", json!({"notice": "going", "prompt": "go on", "session_name": "trip"}));
    assert!(p.notices().iter().any(|n| n == "going"));
    assert!(p.said_to_model("go on"));
    assert_eq!(p.session().log.name.as_deref(), Some("trip"));
}

#[test]
fn a_commands_prompt_is_dropped_when_the_conversation_is_another_one() {
    let mut p = Play::ready(&[json!({"name": "a", "commands": [{"name": "go"}]})]);
    p.command("go", "");
    p.line("/new");
    p.answer(0, "command", json!({"notice": "late news", "prompt": "go on", "session_name": "trip"}));
    assert!(p.requests.is_empty());
    assert_eq!(p.session().log.name, None);
    assert!(p.notices().iter().any(|n| n == "late news"));
    assert!(p.notices().iter().any(|n| n.contains("its prompt was dropped")));
}

/// T14, line by line.
#[test]
fn t14_session_send_follows_its_table() {
    for running in [false, true] {
        for internal in [false, true] {
            for run in [None, Some(false), Some(true)] {
                for next in [false, true] {
                    let mut p = Play::ready(&[json!({"name": "a"})]);
                    if running {
                        p.line("work");
                    }
                    let asked = p.requests.len();
                    let mut params = json!({"content": "from afar", "internal": internal});
                    if let Some(run) = run {
                        params["run"] = run.into();
                    }
                    if next {
                        params["when"] = "next_turn".into();
                    }
                    p.say(0, json!({"id": 7, "method": "session.send", "params": params}));
                    let case = format!("running {running} internal {internal} run {run:?} next {next}");
                    let ok = !p.replies(0, 7).is_empty();
                    assert_eq!(p.replies(0, 7).len() + p.errors(0, 7).len(), 1, "{case}");
                    let runs = run.unwrap_or(!internal);
                    let expected = if next { internal } else { runs || !running };
                    assert_eq!(ok, expected, "{case}");
                    if !ok {
                        assert!(!p.said_in_tree("from afar"), "{case}");
                        continue;
                    }
                    let started = p.requests.len() > asked;
                    assert_eq!(started, !next && runs && !running, "{case}");
                    assert_eq!(p.said_in_tree("from afar"), !next && !running, "{case}");
                    if next || running {
                        if running {
                            p.stream(StreamMsg::Text("done".into()));
                            p.stream(StreamMsg::Done(Stop::End));
                        }
                        if next {
                            assert!(!p.said_in_tree("from afar"), "{case}: it waits for the person");
                            p.line("my own prompt");
                        }
                    }
                    assert!(p.said_in_tree("from afar"), "{case}");
                    let hidden = p.session().tree.branch().iter().any(
                        |n| matches!(&*n.message, Message::User(u) if u.text() == "from afar" && u.internal),
                    );
                    assert_eq!(hidden, internal, "{case}");
                    assert_eq!(p.screen_has("from afar"), !internal, "{case}");
                }
            }
        }
    }
}

#[test]
fn narrowings_intersect_and_none_widens_another() {
    let mut p = Play::ready(&[json!({"name": "a", "tools": [{"name": "greet"}]}), json!({"name": "b"})]);
    p.say(0, json!({"id": 1, "method": "session.tools", "params": {"names": ["edit", "read", "greet"]}}));
    p.say(1, json!({"id": 1, "method": "session.tools", "params": {"names": ["greet", "edit", "bash"]}}));
    p.say(0, json!({"id": 2, "method": "session.info"}));
    assert_eq!(p.replies(0, 2)[0]["tools"], json!(["edit", "greet"]));
    p.line("hi");
    let offered: Vec<&str> = p.requests[0].tools.iter().map(|t| &*t.name).collect();
    assert_eq!(offered, ["edit", "greet"]);
    p.over(0, Over::Exited(None));
    p.say(1, json!({"id": 3, "method": "session.info"}));
    assert_eq!(p.replies(1, 3)[0]["tools"], json!(["greet", "edit", "bash"]));
    p.say(1, json!({"id": 4, "method": "session.tools", "params": {"names": null}}));
    p.say(1, json!({"id": 5, "method": "session.info"}));
    assert_eq!(p.replies(1, 5)[0]["tools"], Value::Null);
}
