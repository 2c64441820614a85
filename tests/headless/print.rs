//! The headless front alone: facts in, text, events, result and status out.

use std::sync::Arc;

use e::model::ask::Ask;
use e::model::boot::{BootFacts, Launch, Trusted};
use e::model::config::Config;
use e::model::effect::Effect;
use e::model::fact::{Fact, SessionFact, TextFact, ToolFact, TurnFact};
use e::model::front::Print;
use e::model::id::{CallId, Ids, SessionId};
use e::model::provider::{Assistant, Catalog, Cause, Fault, Message, ModelRef, Part, Stage, Usage};
use e::model::session::Sessions;
use e::model::session::notice::{Notice, Tone};
use e::model::time::{At, Span};
use e::model::tool::{CallView, Label, Outcome, Pipe};
use e::update::{Cx, Out, front::print};
use serde_json::{Value, json};

const S: SessionId = SessionId(1);

fn boot() -> BootFacts {
    BootFacts {
        version: "0".into(),
        cwd: "/w".into(),
        user_home: "/h".into(),
        home: "/h/.e".into(),
        platform: "linux".into(),
        date: "2026-12-01".into(),
        launch: Launch::default(),
        trusted: Trusted::Yes,
        size: Default::default(),
        caps: Default::default(),
        editor: "vi".into(),
        seed: 1,
        files: Vec::new(),
        calling: Default::default(),
        accessible: false,
    }
}

/// What the front does with these facts; an exit it asks for is put behind.
fn run(print: &mut Print, facts: &[Fact]) -> Vec<Effect> {
    let (mut ids, mut config, mut catalog) = (Ids::new(1), Config::default(), Catalog::default());
    let (mut boot, mut registry) = (Arc::new(boot()), Arc::default());
    let mut out = Out::default();
    for fact in facts {
        let now = At::default();
        let mut cx = Cx {
            now,
            ids: &mut ids,
            boot: &mut boot,
            config: &mut config,
            catalog: &mut catalog,
            registry: &mut registry,
        };
        print::observe(print, fact, &Sessions::default(), &mut cx, &mut out);
    }
    effects(out)
}

fn effects(out: Out) -> Vec<Effect> {
    let exits: Vec<Effect> =
        out.asks().filter_map(|a| if let Ask::Exit(n) = a { Some(Effect::Exit(*n)) } else { None }).collect();
    [out.into_effects().0, exits].concat()
}

fn stdout(effects: &[Effect]) -> String {
    effects.iter().filter_map(|e| if let Effect::Out(t) = e { Some(&**t) } else { None }).collect()
}

fn stderr(effects: &[Effect]) -> Vec<String> {
    effects.iter().filter_map(|e| if let Effect::Err(t) = e { Some(t.to_string()) } else { None }).collect()
}

fn status(effects: &[Effect]) -> Option<u8> {
    effects.iter().find_map(|e| if let Effect::Exit(n) = e { Some(*n) } else { None })
}

fn events(effects: &[Effect]) -> Vec<Value> {
    stdout(effects).lines().map(|l| serde_json::from_str(l).expect("each line is JSON")).collect()
}

fn began() -> Fact {
    Fact::Turn(S, TurnFact::Began { node: "n".into(), message: Arc::new(Message::prompt("hi")) })
}

fn ended(aborted: bool) -> Fact {
    Fact::Turn(S, TurnFact::Ended { aborted })
}

fn text(delta: &str) -> Fact {
    Fact::Text(S, TextFact::Text(delta.into()))
}

fn committed(text: &str) -> Fact {
    let reply = Assistant { parts: vec![Part::Text(text.into())], origin: None };
    let message = Arc::new(Message::Assistant(reply));
    Fact::Text(S, TextFact::Committed { node: "n".into(), message, partial: false })
}

fn fault() -> Arc<Fault> {
    Arc::new(Fault {
        cause: Cause::Auth,
        stage: Stage::ResponseHeaders,
        summary: "The key was refused".into(),
        detail: "401".into(),
        http_status: Some(401),
        request_id: None,
        retry_after: None,
    })
}

fn failed() -> Fact {
    Fact::Turn(S, TurnFact::Failed { fault: fault(), attempt: 1, limit: 10, partial_bytes: 0 })
}

#[test]
fn text_streams_as_it_comes_and_replies_stand_on_lines_of_their_own() {
    let mut print = Print::new(false);
    let facts = [
        began(),
        text("Look"),
        text("ing."),
        committed("Looking."),
        text("Done."),
        committed("Done."),
        ended(false),
    ];
    let effects = run(&mut print, &facts);
    assert_eq!(stdout(&effects), "Looking.\nDone.\n");
    assert_eq!(effects[0], Effect::Out("Look".into()), "at once, not at the end");
    assert_eq!(status(&effects), Some(0));
    assert!(stderr(&effects).is_empty());
}

#[test]
fn escape_sequences_of_a_model_reach_no_terminal_also_when_split() {
    let mut print = Print::new(false);
    let effects =
        run(&mut print, &[began(), text("a\u{1b}[3"), text("1mb\u{9b}2J"), text("c"), ended(false)]);
    assert_eq!(stdout(&effects), "abc\n");
    let mut print = Print::new(true);
    let effects = run(&mut print, &[began(), text("a\u{1b}[31m\u{9b}2J\u{7f}"), ended(false)]);
    assert!(stdout(&effects).chars().all(|c| c == '\n' || !c.is_control()));
    assert_eq!(events(&effects)[0]["delta"], "a\u{1b}[31m\u{9b}2J\u{7f}", "JSON keeps it, escaped");
}

#[test]
fn notices_warnings_and_failures_go_to_stderr_and_the_status_says_so() {
    let mut print = Print::new(false);
    let notice = Notice { tone: Tone::Warning, text: "tab_width is wrong".into(), transient: false };
    let passing = Notice { tone: Tone::Info, text: "copied".into(), transient: true };
    let retry = TurnFact::Retry { attempt: 1, limit: 10, wait: Span(250), fault: fault() };
    let facts = [
        Fact::Notice(notice),
        Fact::Notice(passing),
        began(),
        Fact::Turn(S, retry),
        text("par"),
        failed(),
        ended(false),
    ];
    let effects = run(&mut print, &facts);
    assert_eq!(stdout(&effects), "par\n");
    assert_eq!(
        stderr(&effects),
        [
            "warning: tab_width is wrong",
            "retrying 1/10 in 1s: The key was refused",
            "error: The key was refused; check the key: /login, or the provider's variable"
        ]
    );
    assert_eq!(status(&effects), Some(1));
}

#[test]
fn g71_every_line_is_json_and_the_last_states_outcome_and_cause() {
    let mut print = Print::new(true);
    let label = Label {
        category: "command".into(),
        running: "Running".into(),
        completed: "Ran".into(),
        target: None,
    };
    let call = CallView {
        id: CallId(7),
        name: "bash".into(),
        arguments: Arc::new(json!({"command": "ls"})),
        label,
        target: Some("ls".into()),
    };
    let usage = Usage { input: 10, output: 5, ..Usage::default() };
    let end = ToolFact::End {
        id: CallId(7),
        outcome: Outcome::Failed,
        summary: Some("exit 1".into()),
        content: "no".into(),
        whole: None,
        display: None,
        kept: None,
    };
    let model = ModelRef::parse("local/small").unwrap();
    let facts = [
        Fact::Session(S, SessionFact::Model { model }),
        Fact::Session(S, SessionFact::Effort { effort: Some("low".into()) }),
        Fact::Session(S, SessionFact::Saved { path: "/s.jsonl".into() }),
        began(),
        Fact::Turn(S, TurnFact::Started { prompt: "hi".into() }),
        Fact::Text(S, TextFact::Reasoning("hm".into())),
        text("Running."),
        committed("Running."),
        Fact::Turn(S, TurnFact::Usage { usage, cost: Some(0.5) }),
        Fact::Tool(S, ToolFact::Batch { calls: vec![call] }),
        Fact::Tool(S, ToolFact::Start { id: CallId(7) }),
        Fact::Tool(S, ToolFact::Output { id: CallId(7), pipe: Pipe::Stderr, chunk: "no".into() }),
        Fact::Tool(S, end),
        Fact::Session(S, SessionFact::Named { name: Some("ls".into()) }),
        Fact::Turn(S, TurnFact::Steered { node: "s".into(), message: Arc::new(Message::prompt("more")) }),
        Fact::Turn(S, TurnFact::Compacting),
        Fact::Turn(S, TurnFact::Compacted { summary: "sum".into() }),
        Fact::Turn(S, TurnFact::Recovered),
        Fact::Turn(S, TurnFact::Warning("careful".into())),
        text("Half"),
        committed("Half"),
        failed(),
        ended(false),
    ];
    let effects = run(&mut print, &facts);
    let events = events(&effects);
    let details = json!({
        "summary": "The key was refused", "detail": "401", "cause": "auth", "stage": "response_headers",
        "http_status": 401, "request_id": null, "provider": "local", "model": "small", "attempt": 1,
        "max_attempts": 10, "retry_after_secs": null, "partial_text_bytes": 0,
        "recovery": "check the key: /login, or the provider's variable",
    });
    let mut details_event = details.clone();
    details_event["type"] = json!("error_details");
    let tokens = json!({
        "input_tokens": 10, "output_tokens": 5, "cache_read_tokens": 0, "cache_write_5m_tokens": 0, "cache_write_1h_tokens": 0,
    });
    let mut usage_event = tokens.clone();
    usage_event["type"] = json!("usage");
    let expected = [
        json!({"type": "turn_start"}),
        json!({"type": "reasoning", "delta": "hm"}),
        json!({"type": "text", "delta": "Running."}),
        usage_event,
        json!({"type": "tool_batch", "calls": [{"id": 7, "name": "bash", "arguments": {"command": "ls"}, "category": "command", "target": "ls"}]}),
        json!({"type": "tool_start", "id": 7}),
        json!({"type": "tool_output", "id": 7, "stream": "stderr", "chunk": "no"}),
        json!({"type": "tool_end", "id": 7, "outcome": "failed", "summary": "exit 1", "content": "no"}),
        json!({"type": "session_name", "name": "ls"}),
        json!({"type": "steered", "text": "more"}),
        json!({"type": "compacting"}),
        json!({"type": "compacted", "summary": "sum"}),
        json!({"type": "recovered"}),
        json!({"type": "warning", "message": "careful"}),
        json!({"type": "text", "delta": "Half"}),
        json!({"type": "error", "message": "The key was refused"}),
        details_event,
        json!({"type": "turn_end", "aborted": false}),
        json!({
            "type": "result", "output": "Running.\nHalf", "final_output": "Half", "model": "local/small", "effort": "low",
            "aborted": false, "error": "The key was refused", "error_details": details, "warnings": ["careful"],
            "usage": tokens, "cost_usd": 0.5, "tools": {"calls": 1, "failures": 1}, "session": "/s.jsonl",
        }),
    ];
    assert_eq!(events, expected);
    assert_eq!(status(&effects), Some(1));
}

#[test]
fn g71_a_line_without_a_turn_ends_with_its_own_status() {
    for (status_wanted, json) in [(0, false), (1, true), (2, false), (75, true)] {
        let mut print = Print::new(json);
        let notice = Notice { tone: Tone::Error, text: "why".into(), transient: false };
        let effects = run(
            &mut print,
            &[Fact::Notice(notice), Fact::Session(S, SessionFact::NoTurn { status: status_wanted })],
        );
        assert_eq!(status(&effects), Some(status_wanted));
        if json {
            assert_eq!(events(&effects).last().unwrap()["error"], "why");
        } else {
            assert_eq!(stderr(&effects), ["error: why"]);
        }
    }
}

#[test]
fn a_signal_ends_the_turn_and_its_status_stays_the_signals() {
    let mut print = Print::new(true);
    run(&mut print, &[began(), text("so far")]);
    let mut out = Out::default();
    print::signal(&mut print, 130, &mut out);
    assert_eq!(effects(out), [Effect::Exit(130)], "the turn's end will tell the result");
    let told = run(&mut print, &[ended(true)]);
    assert_eq!(status(&told), Some(130));
    let last = events(&told).pop().unwrap();
    assert_eq!((&last["aborted"], &last["error"]), (&json!(true), &json!("interrupted")));
}

#[test]
fn a_signal_before_any_turn_ends_at_once_with_a_result() {
    let mut print = Print::new(true);
    let mut out = Out::default();
    print::signal(&mut print, 129, &mut out);
    let told = effects(out);
    assert_eq!(status(&told), Some(129));
    assert_eq!(events(&told).pop().unwrap()["type"], "result");
}

#[test]
fn a_blank_reply_that_was_dropped_leaves_no_text() {
    let mut print = Print::new(true);
    let effects = run(
        &mut print,
        &[began(), text("  "), Fact::Text(S, TextFact::Dropped), text("yes"), committed("yes"), ended(false)],
    );
    assert_eq!(events(&effects).last().unwrap()["output"], "yes");
}
