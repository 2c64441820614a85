//! The scripted provider: steps, order, errors, expectations, and what is wrong in a script.

use std::path::Path;
use std::sync::Arc;

use e::effects::provider::Providers;
use e::effects::script::{Step, read};
use e::model::provider::resolve::resolve;
use e::model::provider::{Assistant, Cause, Message, Part, Request, Stop, StreamMsg};

use super::fixture::{calls_of, reasoning_of, text_of};
use super::request::request;
use super::wire::{providers, run};
use e::effects::http::Timeouts;

struct Script {
    dir: tempfile::TempDir,
    providers: Arc<Providers>,
}

impl Script {
    fn new(text: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("s.json"), text).unwrap();
        let providers = providers(dir.path(), &[], Timeouts::default());
        Script { dir, providers }
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    fn request(&self, session: &str, messages: Vec<Message>) -> Request {
        let info = resolve(&[], &format!("script/{}/s.json", self.path().display())).unwrap();
        Request { session: session.into(), ..request((*info).clone(), messages) }
    }

    fn play(&self, session: &str, messages: Vec<Message>) -> Vec<StreamMsg> {
        run(&self.providers, self.request(session, messages))
    }
}

fn fault(got: &[StreamMsg]) -> e::model::provider::Fault {
    match got.last() {
        Some(StreamMsg::Failed(fault)) => fault.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn replies_are_played_one_per_request_and_per_session() {
    let script = Script::new(
        r#"[[{"reasoning": "hmm"}, "Looking at it, in small pieces.", {"tool": "bash", "args": {"command": "ls"}}, {"tool": "read", "args": "{broken"}, {"tool": "x"}],
            [{"pause_ms": 1}, "done 日本"],]"#,
    );
    let first = script.play("s1", vec![Message::prompt("go")]);
    assert_eq!(first[0], StreamMsg::Opened);
    assert_eq!(
        (reasoning_of(&first).as_str(), text_of(&first).as_str()),
        ("hmm", "Looking at it, in small pieces.")
    );
    assert!(first.iter().filter(|m| matches!(m, StreamMsg::Text(_))).count() > 2, "text streams");
    let calls = calls_of(&first);
    assert_eq!(
        calls.iter().map(|c| (&*c.1, &*c.2)).collect::<Vec<_>>(),
        [("bash", "{\"command\":\"ls\"}"), ("read", "{broken"), ("x", "{}")]
    );
    assert!(first.iter().any(|m| matches!(m, StreamMsg::Usage(u) if u.output > 0 && u.input > 0)));
    assert_eq!(text_of(&script.play("s1", vec![])), "done 日本");
    assert_eq!(text_of(&script.play("s1", vec![])), "The script has no more replies.");
    // Another session begins anew, and a continued one goes on where its history is.
    assert_eq!(calls_of(&script.play("s2", vec![])), calls);
    let reply = Assistant { parts: vec![Part::Text("x".into())], origin: None };
    assert_eq!(
        text_of(&script.play("s3", vec![Message::prompt("go"), Message::Assistant(reply)])),
        "done 日本"
    );
}

#[test]
fn errors_have_the_class_of_their_status_and_take_one_request() {
    let script = Script::new(
        r#"[["partial ", {"error": {"status": 429, "message": "slow down", "retry_after": 2}}], ["fine"]]"#,
    );
    let got = script.play("s", vec![]);
    assert_eq!(text_of(&got), "partial ");
    let fault = fault(&got);
    assert_eq!((fault.cause, fault.http_status, fault.retry_after), (Cause::RateLimited, Some(429), Some(2)));
    assert!(fault.summary.contains("slow down"));
    let got = script.play("s", vec![]);
    assert_eq!((text_of(&got).as_str(), got.last()), ("fine", Some(&StreamMsg::Done(Stop::End))));
}

#[test]
fn expectations_look_at_the_last_user_or_tool_message() {
    let script = Script::new(
        r#"[[{"expect": "^fix .* test$"}, "ok"], [{"expect": "failed"}, "ok"], [{"expect": "("}]]"#,
    );
    assert_eq!(text_of(&script.play("s", vec![Message::prompt("please\nfix the test")])), "ok");
    let miss = fault(&script.play("s", vec![Message::prompt("all passed")]));
    assert_eq!(miss.cause, Cause::Rejected);
    assert!(miss.summary.contains("\"failed\"") && miss.summary.contains("all passed"), "{}", miss.summary);
    assert!(fault(&script.play("s", vec![])).summary.contains("regular expression"));
}

#[test]
fn a_wrong_script_names_the_place_and_a_missing_one_itself() {
    let wrong = |text: &str| fault(&Script::new(text).play("s", vec![])).summary.to_string();
    assert!(wrong("{}").contains("s.json:1:1: a script must be a list"));
    assert!(wrong("[[\"a\",\n {\"wait\": 3}]]").contains("s.json:2:3: a step must be"));
    assert!(wrong("[[{\"pause_ms\": \"3\"}]]").contains("pause_ms must be a whole number"));
    assert!(wrong("[").contains("s.json:1:"));
    let script = Script::new("[]");
    std::fs::remove_file(script.path().join("s.json")).unwrap();
    assert!(fault(&script.play("s", vec![])).summary.contains("Can't read the script"));
    assert_eq!(read("f", b"[[\"a\"]]"), Ok(vec![vec![Step::Text("a".into())]]));
}
