//! The HTTP side against a real server: broken, slow, refusing and nonsensical answers, keys, proxies, aborts.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use e::effects::auth::{Auth, Env};
use e::effects::home::Home;
use e::effects::http::{Http, Timeouts};
use e::effects::provider::Providers;
use e::effects::script::Scripts;
use e::effects::secrets::Secrets;
use e::model::provider::{
    Cause, Dialect, Fault, Message, ModelInfo, ProviderInfo, Request, Stage, Stop, StreamMsg, User, UserKind,
    UserPart,
};
use e::model::tool::Image;

use super::fixture::{self, ALL, Call, anthropic_events, chat_chunk, completions_events, text_of};
use super::request::{model, request};
use super::server::{Act, Server, answer, stream_head};

const KEY: &str = "sk-test-secret-0123456789";

pub fn env(pairs: &[(&str, &str)]) -> Env {
    std::sync::Arc::new(pairs.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect())
}

fn quick() -> Timeouts {
    Timeouts {
        connect: Duration::from_secs(5),
        headers: Duration::from_millis(400),
        event: Duration::from_millis(400),
        tail: Duration::from_millis(50),
    }
}

pub fn providers(home: &Path, pairs: &[(&str, &str)], timeouts: Timeouts) -> Arc<Providers> {
    let env = env(pairs);
    let secrets = Secrets::default();
    let (auth, complaints) = Auth::load(&Home::at(home, home), env.clone(), secrets.clone());
    assert_eq!(complaints, []);
    auth.learn(&[ProviderInfo {
        name: "p".into(),
        base_url: "".into(),
        dialect: Dialect::OpenaiCompletions,
        key_env: Some("P_KEY".into()),
        keyless: false,
        discovered: false,
    }]);
    Arc::new(Providers::new(Http::new(env, timeouts), auth, secrets, Scripts::new("[]")))
}

pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Runs one stream to its end.
pub fn run(providers: &Arc<Providers>, request: Request) -> Vec<StreamMsg> {
    let got = Arc::new(Mutex::new(Vec::new()));
    let kept = got.clone();
    runtime().block_on(async {
        let running = providers.open(Arc::new(request), move |m| kept.lock().unwrap().push(m));
        while !running.is_finished() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    });
    let got = got.lock().unwrap().clone();
    let ends = got.iter().filter(|m| matches!(m, StreamMsg::Done(_) | StreamMsg::Failed(_))).count();
    assert_eq!(ends, 1, "{got:?}");
    assert!(matches!(got.last(), Some(StreamMsg::Done(_) | StreamMsg::Failed(_))), "{got:?}");
    assert!(!format!("{got:?}").contains(KEY), "the key leaked: {got:?}");
    got
}

fn at(server: &Server, dialect: Dialect) -> ModelInfo {
    ModelInfo { base_url: server.base.as_str().into(), ..model("p/m", dialect) }
}

fn ask(server: &Server, dialect: Dialect) -> Vec<StreamMsg> {
    let home = tempfile::tempdir().unwrap();
    run(
        &providers(home.path(), &[("P_KEY", KEY)], quick()),
        request(at(server, dialect), vec![Message::prompt("hi")]),
    )
}

fn fault(got: &[StreamMsg]) -> Fault {
    match got.last() {
        Some(StreamMsg::Failed(fault)) => {
            assert!(
                !fault.summary.contains('\n') && fault.summary.chars().count() < 500,
                "{}",
                fault.summary
            );
            fault.clone()
        }
        other => panic!("no fault but {other:?}"),
    }
}

const BOTH: [Dialect; 2] = [Dialect::AnthropicMessages, Dialect::OpenaiCompletions];

fn events(dialect: Dialect, text: &str, calls: &[Call], end: &str) -> Vec<u8> {
    fixture::events(dialect, text, "", calls, end)
}

#[test]
fn g52_one_byte_per_segment_gives_the_exact_text() {
    let text = "日本語 🦀 é";
    for dialect in ALL {
        for end in ["\n", "\r\n", "\r"] {
            let server =
                Server::start(vec![vec![stream_head(), Act::Bytewise(events(dialect, text, &[], end))]]);
            let got = ask(&server, dialect);
            assert_eq!(got.first(), Some(&StreamMsg::Opened));
            assert_eq!(text_of(&got), text, "{dialect:?} {end:?}");
            assert_eq!(got.last(), Some(&StreamMsg::Done(Stop::End)));
        }
    }
}

#[test]
fn requests_carry_path_key_and_version_and_a_keyless_provider_carries_none() {
    for (dialect, path, header) in [
        (Dialect::AnthropicMessages, "/v1/messages", format!("x-api-key: {KEY}")),
        (Dialect::OpenaiCompletions, "/chat/completions", format!("authorization: Bearer {KEY}")),
        (Dialect::OpenaiResponses, "/responses", format!("authorization: Bearer {KEY}")),
        (
            Dialect::GoogleGenerativeAi,
            "/models/m:streamGenerateContent?alt=sse",
            format!("x-goog-api-key: {KEY}"),
        ),
    ] {
        let server = Server::start(vec![vec![stream_head(), Act::Send(events(dialect, "x", &[], "\n"))]]);
        ask(&server, dialect);
        let seen = server.requests().remove(0);
        assert_eq!(seen.path, path);
        assert!(seen.head.to_lowercase().contains(&header.to_lowercase()), "{}", seen.head);
        assert_eq!(
            dialect == Dialect::AnthropicMessages,
            seen.head.contains("anthropic-version: 2023-06-01")
        );
        assert!(seen.body["stream"] == true || dialect == Dialect::GoogleGenerativeAi);

        let home = tempfile::tempdir().unwrap();
        let mut keyless = at(&server, dialect);
        keyless.reference = e::model::provider::ModelRef::parse("own/m").unwrap();
        run(&providers(home.path(), &[], quick()), request(keyless, vec![Message::prompt("hi")]));
        let head = server.requests().remove(1).head.to_lowercase();
        assert!(!head.contains("authorization") && !head.contains("-api-key"), "{head}");
    }
}

#[test]
fn a_missing_key_is_said_at_once_with_both_ways_out() {
    let server = Server::start(vec![answer(500, "", "")]);
    let home = tempfile::tempdir().unwrap();
    let got =
        run(&providers(home.path(), &[], quick()), request(at(&server, Dialect::OpenaiCompletions), vec![]));
    let fault = fault(&got);
    assert_eq!((fault.cause, fault.stage), (Cause::Auth, Stage::Authorization));
    assert!(fault.summary.contains("/login p") && fault.summary.contains("P_KEY"), "{}", fault.summary);
    assert!(server.requests().is_empty());
}

#[test]
fn g57_statuses_have_their_causes_and_the_servers_words() {
    let error = |message: &str| format!("{{\"error\":{{\"message\":\"{message}\",\"type\":\"x\"}}}}");
    for (status, message, cause) in [
        (401, "invalid key sk-test-secret-0123456789 given", Cause::Auth),
        (403, "not for you", Cause::Auth),
        (402, "pay first", Cause::QuotaExhausted),
        (429, "slow down", Cause::RateLimited),
        (
            429,
            "You exceeded your current quota, please check your plan and billing details",
            Cause::QuotaExhausted,
        ),
        (400, "Your credit balance is too low to access the API", Cause::QuotaExhausted),
        (400, "messages.1: wrong", Cause::Rejected),
        (404, "no such model", Cause::Rejected),
        (413, "too big a body", Cause::Rejected),
        (422, "field x", Cause::Rejected),
        (400, "prompt is too long: 210000 tokens > 200000 maximum", Cause::Overflow),
        (400, "This model's maximum context length is 8192 tokens", Cause::Overflow),
        (400, "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000", Cause::Overflow),
        (500, "boom", Cause::Unavailable),
        (503, "later", Cause::Unavailable),
        (529, "Overloaded", Cause::Unavailable),
    ] {
        for dialect in ALL {
            let server = Server::start(vec![answer(status, "", &error(message))]);
            let fault = fault(&ask(&server, dialect));
            assert_eq!(fault.cause, cause, "{status} {message}");
            assert_eq!(fault.http_status, Some(status));
            assert_eq!(fault.request_id.as_deref(), Some("req_9"));
            let shown = message.replace(KEY, "*************************");
            assert!(fault.summary.contains(shown.trim_end_matches('.')), "{}", fault.summary);
            assert_eq!(server.requests().len(), 1, "asked again");
        }
    }
}

#[test]
fn g57_retry_after_in_every_form() {
    let wait = |headers: &str, body: &str| {
        let server = Server::start(vec![answer(429, headers, body)]);
        fault(&ask(&server, Dialect::OpenaiCompletions)).retry_after
    };
    assert_eq!(wait("retry-after: 3\r\n", ""), Some(3));
    assert_eq!(wait("retry-after: 0.2\r\n", ""), Some(1));
    assert_eq!(wait("retry-after-ms: 1500\r\n", ""), Some(2));
    assert_eq!(
        wait("date: Tue, 01 Dec 2026 10:00:00 GMT\r\nretry-after: Tue, 01 Dec 2026 10:00:42 GMT\r\n", ""),
        Some(42)
    );
    assert_eq!(
        wait("date: Tue, 01 Dec 2026 10:00:00 GMT\r\nretry-after: Tue, 01 Dec 2026 09:00:00 GMT\r\n", ""),
        Some(0)
    );
    assert_eq!(wait("retry-after: soon\r\n", ""), None);
    assert_eq!(wait("", "{\"error\":{\"message\":\"Please try again in 1.2s.\"}}"), Some(2));
    assert_eq!(wait("", "{\"error\":{\"message\":\"Try again in 2m3.5s\"}}"), Some(124));
    assert_eq!(
        wait("", "[{\"error\":{\"message\":\"quota\",\"details\":[{\"retryDelay\":\"37s\"}]}}]"),
        Some(37)
    );
    assert_eq!(wait("", ""), None);
}

#[test]
fn g57_a_refused_connection_is_a_network_fault() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let home = tempfile::tempdir().unwrap();
    let info = ModelInfo {
        base_url: format!("http://127.0.0.1:{port}/v1").into(),
        ..model("p/m", Dialect::OpenaiCompletions)
    };
    let fault = fault(&run(&providers(home.path(), &[("P_KEY", KEY)], quick()), request(info, vec![])));
    assert_eq!(fault.cause, Cause::Network);
    assert!(
        fault.summary.contains("refused") && fault.summary.contains(&port.to_string()),
        "{}",
        fault.summary
    );
}

#[test]
fn g57_a_reset_after_forty_deltas_is_stalled_and_keeps_them() {
    for dialect in ALL {
        let bytes = events(dialect, &"1234567".repeat(60), &[], "\n");
        let text = String::from_utf8(bytes).unwrap();
        let cut = text.match_indices("1234567").nth(40).unwrap().0;
        for end in [Some(Act::Reset), None] {
            let mut acts = vec![
                stream_head(),
                Act::Send(text.as_bytes()[..cut].to_vec()),
                Act::Wait(Duration::from_millis(50)),
            ];
            acts.extend(end);
            let server = Server::start(vec![acts]);
            let got = ask(&server, dialect);
            assert_eq!(text_of(&got), "1234567".repeat(40));
            let fault = fault(&got);
            assert_eq!((fault.cause, fault.stage), (Cause::Stalled, Stage::Stream));
            assert_eq!(fault.request_id.as_deref(), Some("req_77"));
        }
    }
}

#[test]
fn stalls_end_in_time_and_keep_alives_hold_the_line() {
    let started = Instant::now();
    let server = Server::start(vec![vec![Act::Hang]]);
    let slow = fault(&ask(&server, Dialect::OpenaiCompletions));
    assert_eq!((slow.cause, slow.stage), (Cause::Stalled, Stage::ResponseHeaders));

    let half = chat_chunk(serde_json::json!({"content": "half"}), None);
    // Bytes that finish no event are no sign of life.
    let drip: Vec<Act> =
        (0..100).flat_map(|_| [Act::Send(b"x".to_vec()), Act::Wait(Duration::from_millis(50))]).collect();
    let acts = [vec![stream_head(), Act::Send(half), Act::Send(b"data: {".to_vec())], drip].concat();
    let got = ask(&Server::start(vec![acts]), Dialect::OpenaiCompletions);
    assert_eq!(text_of(&got), "half");
    assert_eq!(fault(&got).cause, Cause::Stalled);
    assert!(started.elapsed() < Duration::from_secs(30), "the time limits did not hold");

    // g53: three times the limit in comments, then the reply.
    for dialect in ALL {
        let beat = [Act::Send(b": working\n\n".to_vec()), Act::Wait(Duration::from_millis(100))];
        let mut acts = vec![stream_head()];
        acts.extend((0..12).flat_map(|_| beat.clone()));
        acts.push(Act::Send(events(dialect, "fine", &[], "\n")));
        let got = ask(&Server::start(vec![acts]), dialect);
        assert_eq!((text_of(&got).as_str(), got.last()), ("fine", Some(&StreamMsg::Done(Stop::End))));
    }
}

#[test]
fn a_whole_reply_does_not_wait_for_a_server_that_keeps_the_line_open() {
    let bytes = [
        chat_chunk(serde_json::json!({"content": "hi"}), None),
        chat_chunk(serde_json::json!({}), Some("stop")),
    ]
    .concat();
    let server = Server::start(vec![vec![stream_head(), Act::Send(bytes), Act::Hang]]);
    let got = ask(&server, Dialect::OpenaiCompletions);
    assert_eq!(got.last(), Some(&StreamMsg::Done(Stop::End)));
}

#[test]
fn success_statuses_with_nonsense_are_clear_faults() {
    for dialect in BOTH {
        let get = |headers: &str, body: &str| {
            fault(&ask(&Server::start(vec![answer(200, headers, body)]), dialect))
        };
        let page = get(
            "content-type: text/html\r\n",
            "<!DOCTYPE html><html><head><title>Login | Corp</title></head></html>",
        );
        assert!(page.summary.contains("web page") && page.summary.contains("base_url"), "{}", page.summary);
        let error = get(
            "content-type: application/json\r\n",
            "{\"error\":{\"message\":\"Overloaded\",\"type\":\"overloaded_error\"}}",
        );
        assert_eq!(error.cause, Cause::Unavailable);
        assert!(error.summary.contains("Overloaded"));
        let other = get("content-type: application/json\r\n", "{\"hello\":1}");
        assert_eq!(other.cause, Cause::Rejected);
        let empty = get("content-type: text/event-stream\r\n", "");
        assert!(empty.summary.contains("empty body"), "{}", empty.summary);
        assert_eq!(empty.cause, Cause::Stalled);
        let garbage = get("content-type: text/event-stream\r\n", "\u{1}\u{2}\u{fffd}garbage\n\nmore");
        assert!(matches!(garbage.cause, Cause::Stalled | Cause::Rejected));
        let not_json = get("content-type: text/event-stream\r\n", "data: {oops\n\n");
        assert_eq!(not_json.cause, Cause::Rejected);
        let gateway = fault(&ask(
            &Server::start(vec![answer(
                502,
                "content-type: text/html\r\n",
                "<html><title>502 Bad Gateway</title></html>",
            )]),
            dialect,
        ));
        assert_eq!(gateway.cause, Cause::Unavailable);
        assert!(
            gateway.summary.contains("web page") && gateway.summary.contains("502 Bad Gateway"),
            "{}",
            gateway.summary
        );
        let moved = fault(&ask(
            &Server::start(vec![answer(302, "location: https://else.example/login?x\r\n", "")]),
            dialect,
        ));
        assert_eq!(moved.cause, Cause::Rejected);
        assert!(
            moved.summary.contains("redirect") && moved.summary.contains("https://else.example"),
            "{}",
            moved.summary
        );
    }
}

#[test]
fn a_server_that_ignores_streaming_is_understood() {
    let body = "{\"choices\":[{\"message\":{\"content\":\"whole\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":1}}";
    let got = ask(
        &Server::start(vec![answer(200, "content-type: application/json\r\n", body)]),
        Dialect::OpenaiCompletions,
    );
    assert_eq!((text_of(&got).as_str(), got.last()), ("whole", Some(&StreamMsg::Done(Stop::End))));
}

#[test]
fn gateways_that_refuse_an_option_are_asked_once_more_without_and_it_is_remembered() {
    let refuse = |what: &str| {
        answer(400, "", &format!("{{\"error\":{{\"message\":\"Unsupported parameter: '{what}'\"}}}}"))
    };
    let fine = vec![stream_head(), Act::Send(completions_events("ok", "", &[], "\n"))];
    let server = Server::start(vec![refuse("stream_options"), refuse("reasoning_effort"), fine]);
    let mut info = at(&server, Dialect::OpenaiCompletions);
    info.efforts = vec!["high".into()];
    let home = tempfile::tempdir().unwrap();
    let providers = providers(home.path(), &[("P_KEY", KEY)], quick());
    let mut asked = request(info, vec![Message::prompt("hi")]);
    asked.effort = Some("high".into());
    let got = run(&providers, asked.clone());
    assert_eq!(text_of(&got), "ok");
    assert_eq!(got.iter().filter(|m| matches!(m, StreamMsg::Notice(_))).count(), 2);
    assert_eq!(got.iter().filter(|m| **m == StreamMsg::Opened).count(), 1);
    let got = run(&providers, asked.clone());
    assert!(!got.iter().any(|m| matches!(m, StreamMsg::Notice(_))));
    let seen = server.requests();
    assert_eq!(seen.len(), 4);
    assert!(seen[0].body.get("stream_options").is_some() && seen[1].body.get("stream_options").is_none());
    assert!(seen[1].body.get("reasoning_effort").is_some() && seen[2].body.get("reasoning_effort").is_none());
    assert!(seen[3].body.get("stream_options").is_none() && seen[3].body.get("reasoning_effort").is_none());

    // One that refuses for ever is not asked for ever.
    let stubborn = Server::start(vec![refuse("stream_options")]);
    let got = run(
        &providers,
        request(
            ModelInfo {
                base_url: stubborn.base.as_str().into(),
                ..model("p/other", Dialect::OpenaiCompletions)
            },
            vec![],
        ),
    );
    assert_eq!(fault(&got).cause, Cause::Rejected);
    assert_eq!(stubborn.requests().len(), 2);
}

#[test]
fn g59_a_refused_image_is_left_out_and_text_works_again() {
    for dialect in BOTH {
        let refused = answer(400, "", "{\"error\":{\"message\":\"Could not process image\"}}");
        let fine = vec![stream_head(), Act::Send(events(dialect, "ok", &[], "\n"))];
        let server = Server::start(vec![refused, fine]);
        let mut info = at(&server, dialect);
        info.image_input = true;
        let image = Image {
            mime: "image/png".into(),
            data: "QUJD".into(),
            width: 9000,
            height: 50,
            name: "wide.png".into(),
        };
        let user = User {
            content: vec![UserPart::Text("see".into()), UserPart::Image(image)],
            internal: false,
            kind: UserKind::Prompt,
        };
        let home = tempfile::tempdir().unwrap();
        let got = run(
            &providers(home.path(), &[("P_KEY", KEY)], quick()),
            request(info, vec![Message::User(user)]),
        );
        assert_eq!(text_of(&got), "ok");
        let notice = got
            .iter()
            .find_map(|m| if let StreamMsg::Notice(n) = m { Some(n.to_string()) } else { None })
            .unwrap();
        assert!(notice.contains("image"), "{notice}");
        let seen = server.requests();
        assert!(seen[0].body.to_string().contains("QUJD") && !seen[1].body.to_string().contains("QUJD"));
        assert!(seen[1].body.to_string().contains("wide.png"));
    }
}

#[test]
fn a_dropped_stream_sends_nothing_more() {
    let server = Server::start(vec![vec![
        stream_head(),
        Act::Send(chat_chunk(serde_json::json!({"content": "first"}), None)),
        Act::Wait(Duration::from_millis(200)),
        Act::Send(chat_chunk(serde_json::json!({"content": "second"}), Some("stop"))),
    ]]);
    let home = tempfile::tempdir().unwrap();
    let providers = providers(home.path(), &[("P_KEY", KEY)], Timeouts::default());
    let got = Arc::new(Mutex::new(Vec::new()));
    let kept = got.clone();
    let request = Arc::new(request(at(&server, Dialect::OpenaiCompletions), vec![]));
    runtime().block_on(async {
        let running = providers.open(request, move |m| kept.lock().unwrap().push(m));
        while text_of(&got.lock().unwrap()).is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        drop(running);
        tokio::time::sleep(Duration::from_millis(400)).await;
    });
    assert_eq!(text_of(&got.lock().unwrap()), "first");
}

#[test]
fn pieces_that_come_together_are_one_message_and_nothing_is_lost() {
    let calls = [Call::new("a", "read", "{\"path\":\"one\"}"), Call::new("b", "read", "{\"path\":\"two\"}")];
    for dialect in ALL {
        let text = "word ".repeat(2000);
        let server =
            Server::start(vec![vec![stream_head(), Act::Send(events(dialect, &text, &calls, "\n"))]]);
        let got = ask(&server, dialect);
        assert_eq!(text_of(&got), text);
        assert!(got.len() < 500, "{} messages", got.len());
        let calls: Vec<String> = fixture::calls_of(&got).into_iter().map(|c| c.2).collect();
        assert_eq!(calls, ["{\"path\":\"one\"}", "{\"path\":\"two\"}"]);
    }
}

#[test]
fn the_captured_environments_proxy_is_used_and_its_exceptions_are_kept() {
    let proxy =
        Server::start(vec![vec![stream_head(), Act::Send(completions_events("by proxy", "", &[], "\n"))]]);
    let home = tempfile::tempdir().unwrap();
    let info =
        ModelInfo { base_url: "http://far.example/v1".into(), ..model("p/m", Dialect::OpenaiCompletions) };
    let got = run(
        &providers(home.path(), &[("P_KEY", KEY), ("http_proxy", &proxy.base)], quick()),
        request(info, vec![]),
    );
    assert_eq!(text_of(&got), "by proxy");
    assert_eq!(proxy.requests()[0].path, "http://far.example/v1/chat/completions");

    let direct =
        Server::start(vec![vec![stream_head(), Act::Send(completions_events("direct", "", &[], "\n"))]]);
    let pairs = [("P_KEY", KEY), ("HTTP_PROXY", proxy.base.as_str()), ("NO_PROXY", "127.0.0.1")];
    let got = run(
        &providers(home.path(), &pairs, quick()),
        request(at(&direct, Dialect::OpenaiCompletions), vec![]),
    );
    assert_eq!(text_of(&got), "direct");

    let wrong = [("P_KEY", KEY), ("https_proxy", "socks9://x")];
    let got = run(
        &providers(home.path(), &wrong, quick()),
        request(at(&direct, Dialect::OpenaiCompletions), vec![]),
    );
    assert!(fault(&got).summary.contains("https_proxy"));
}

#[test]
fn an_address_that_is_none_and_a_version_that_stands_twice() {
    let home = tempfile::tempdir().unwrap();
    let providers = providers(home.path(), &[("P_KEY", KEY)], quick());
    let info = ModelInfo { base_url: "not an address".into(), ..model("p/m", Dialect::OpenaiCompletions) };
    let bad = fault(&run(&providers, request(info, vec![])));
    assert_eq!(bad.cause, Cause::Rejected);
    assert!(bad.summary.contains("base_url"), "{}", bad.summary);
    let server = Server::start(vec![vec![stream_head(), Act::Send(anthropic_events("x", "", &[], "\n"))]]);
    let info = ModelInfo {
        base_url: format!("{}/v1/", server.base).into(),
        ..model("p/m", Dialect::AnthropicMessages)
    };
    run(&providers, request(info, vec![]));
    assert_eq!(server.requests()[0].path, "/v1/messages");
}
