//! A provider in trouble, as a headless user meets it: what is tried again, what is said, and how it ends.

use serde_json::json;

use super::place::Place;
use super::speak::{BOTH, Dialect, known, strict};
use crate::providers::server::{Act, Server, answer};

fn run(dialect: Dialect, replies: Vec<Vec<Act>>, words: &[&str]) -> (super::place::Done, usize) {
    let place = Place::new();
    let server = Server::start(replies);
    known(&place, dialect, &server, 64_000);
    let done = place.run(words);
    (done, strict(&server).len())
}

fn error(message: &str) -> String {
    json!({"type": "error", "error": {"type": "error", "message": message}}).to_string()
}

#[test]
fn passing_trouble_is_waited_out_and_told_on_stderr() {
    for dialect in BOTH {
        let replies = vec![
            answer(529, "", &error("Overloaded")),
            answer(429, "retry-after: 1\r\n", &error("slow down")),
            answer(500, "", "<html>boom</html>"),
            dialect.reply("Fine.", &[]),
        ];
        let (done, requests) = run(dialect, replies, &["-p", "hi"]);
        assert_eq!((done.status, &*done.stdout, requests), (Some(0), "Fine.\n", 4), "{done:?}");
        let lines: Vec<&str> = done.stderr.lines().collect();
        assert_eq!(lines.len(), 3, "{done:?}");
        assert!(lines[0].starts_with("retrying 2/10 in 1s: ") && lines[0].contains("(529)"), "{done:?}");
        assert!(lines[1].contains("3/10") && lines[1].contains("slow down"), "{done:?}");
        assert!(lines[2].contains("4/10") && lines[2].contains("(500)"), "{done:?}");
    }
}

#[test]
fn a_long_wait_and_a_refusal_are_told_at_once_with_what_to_do() {
    let cases = [
        (answer(429, "retry-after: 300\r\n", &error("slow down")), "300 s", "/model"),
        (answer(401, "", &error("bad key")), "bad key", "/login mock"),
        (answer(400, "", &error("odd request")), "odd request", "/model"),
    ];
    for (reply, what, todo) in cases {
        let (done, requests) = run(Dialect::Anthropic, vec![reply], &["-p", "hi"]);
        assert_eq!((done.status, &*done.stdout, requests), (Some(1), "", 1), "{done:?}");
        assert!(done.stderr.contains(what) && done.stderr.contains(todo), "{done:?}");
    }
}

#[test]
fn a_reply_that_breaks_off_is_kept_and_not_asked_again() {
    for dialect in BOTH {
        let replies = vec![dialect.dropped("Half of an answer, and then", 70), dialect.reply("Never.", &[])];
        let (done, requests) = run(dialect, replies, &["-p", "--json", "hi"]);
        let result = done.result();
        assert_eq!((done.status, requests), (Some(1), 1), "{done:?}");
        assert!(result["output"].as_str().unwrap().starts_with("Half"), "{done:?}");
        assert_eq!(result["error_details"]["cause"], "stalled");
    }
}

#[test]
fn a_reply_that_breaks_off_before_its_first_word_is_asked_again() {
    for dialect in BOTH {
        let replies = vec![dialect.dropped("Words.", 4), dialect.reply("Fine.", &[])];
        let (done, requests) = run(dialect, replies, &["-p", "hi"]);
        assert_eq!((done.status, &*done.stdout, requests), (Some(0), "Fine.\n", 2), "{done:?}");
        assert!(done.stderr.starts_with("retrying 2/10"), "{done:?}");
        assert!(!done.stderr.contains("is kept"), "there was nothing to keep: {done:?}");
    }
}
