//! The prompt of `-p` in every form that a caller without a terminal gives it (case G70).

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use serde_json::json;

use super::place::{Done, Place};

#[test]
fn g70_a_piped_prompt_is_used_alone_or_behind_the_argument() {
    let place = Place::new();
    let with_stdin = |words: &[&str], text: &str| {
        let mut child = place.e(words).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        Done::of(&child.wait_with_output().unwrap())
    };
    let model = place.script(&json!([[{"expect": "^only the pipe$"}, "Yes."]]));
    let done = with_stdin(&["-p", "-m", &model], "only the pipe\n");
    assert_eq!((done.status, &*done.stdout), (Some(0), "Yes.\n"), "{done:?}");
    let model = place.script(&json!([[{"expect": "^review this\n\nthe diff$"}, "Both."]]));
    let done = with_stdin(&["-p", "-m", &model, "review this"], "the diff\n");
    assert_eq!((done.status, &*done.stdout), (Some(0), "Both.\n"), "{done:?}");
}

#[test]
fn g70_an_empty_or_closed_stdin_is_no_prompt_and_no_hang() {
    let place = Place::new();
    let done = place.run(&["-p"]);
    assert_eq!((done.status, &*done.stdout), (Some(2), ""));
    assert!(done.stderr.contains("needs a prompt"), "{done:?}");
    let model = place.script(&json!([["Hi."]]));
    for end in ["<&-", "</dev/null", "</"] {
        let mut command = Command::new("sh");
        command.args([
            "-c",
            &format!("exec \"$0\" -p -m \"$1\" hello {end}"),
            env!("CARGO_BIN_EXE_e"),
            &model,
        ]);
        place.surround(&mut command);
        let done = Done::of(&command.output().unwrap());
        assert_eq!((done.status, &*done.stdout), (Some(0), "Hi.\n"), "{end}: {done:?}");
    }
}

#[test]
fn g70_an_open_silent_pipe_is_named_and_waited_for() {
    let place = Place::new();
    let model = place.script(&json!([[{"expect": "^hello$"}, "Hi."]]));
    let mut child = place.e(&["-p", "-m", &model, "hello"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    assert!(line.contains("waiting") && line.contains("stdin"), "{line}");
    drop(child.stdin.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), &*output.stdout), (Some(0), &b"Hi.\n"[..]));
}

#[test]
fn g70_no_terminal_is_needed() {
    let place = Place::new();
    let model = place.script(&json!([["Hi."]]));
    let mut command = Command::new("setsid");
    command.args(["--wait", env!("CARGO_BIN_EXE_e"), "-p", "-m", &model, "hello"]);
    place.surround(&mut command);
    let done = Done::of(&command.output().unwrap());
    assert_eq!((done.status, &*done.stdout, &*done.stderr), (Some(0), "Hi.\n", ""));
}

#[test]
fn g70_without_a_key_or_a_known_model_the_run_ends_at_once_and_says_what_to_do() {
    let place = Place::new();
    let done = place.run(&["-p", "hello"]);
    assert_eq!((done.status, &*done.stdout), (Some(1), ""), "{done:?}");
    assert!(done.stderr.contains("/login"), "{done:?}");
    let done = place.run(&["-p", "--json", "-m", "anthropic/no-such-model", "hello"]);
    assert_eq!(done.status, Some(2), "{done:?}");
    assert!(done.result()["error"].is_string(), "{done:?}");
}
