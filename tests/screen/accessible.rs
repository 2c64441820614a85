//! G73: the accessible look on a real terminal. What is written only grows downward, and everything is said in words.

use serde_json::json;

use super::rig::{QUIET, Rig};
use crate::term::pty::{Pty, Spawn};

fn plain(rig: &Rig) -> Spawn {
    rig.spawn().env("ACCESSIBLE", "1")
}

/// Waits for the prompt, with nothing behind it.
fn prompt(pty: &Pty) {
    pty.wait_until("the prompt", |screen| {
        let (row, column) = screen.cursor_position();
        column == 2 && screen.rows(0, 80).nth(row.into()).is_some_and(|line| line.trim_end() == ">")
    });
}

/// Not one byte that a line of text does not have.
#[track_caller]
fn lines(pty: &Pty) -> String {
    let raw = String::from_utf8(pty.raw()).unwrap();
    assert!(!raw.contains('\x1b'), "an escape sequence in {raw:?}");
    let text = raw.replace("\r\n", "\n");
    let odd = text.chars().find(|c| c.is_control() && *c != '\n' && *c != '\t');
    assert_eq!(odd, None, "{raw:?}");
    text
}

#[track_caller]
fn in_order(text: &str, wanted: &[&str]) {
    let mut rest = text.lines();
    for line in wanted {
        assert!(rest.any(|found| found == *line), "{line:?} is not a line, or not in its place, in\n{text}");
    }
}

#[test]
fn g73_a_turn_with_a_question_a_tool_and_a_diff_is_plain_lines() {
    let rig = Rig::new(&json!([
        ["Let me look.\n\n", "First **this**,\nthen that.", {"tool": "read", "args": {"path": "a.txt"}},
            {"tool": "bash", "args": {"command": "echo seen-it; exit 3"}}],
        [{"tool": "edit", "args": {"path": "a.txt", "old_string": "two", "new_string": "TWO words"}}],
        ["All done."],
    ]));
    std::fs::write(rig.work().join("a.txt"), "one\ntwo\nthree\n").unwrap();
    std::fs::remove_file(rig.path("home/trust.json")).unwrap();
    let mut pty = plain(&rig).start();
    pty.wait_for("An empty line leaves.");
    prompt(&pty);
    pty.send("what\n");
    pty.wait_for("Nothing matches what.");
    prompt(&pty);
    pty.send("2\n");
    pty.wait_for("Chosen: Trust it this time.");
    prompt(&pty);
    pty.send("change it\n");
    pty.wait_for("Done after");
    prompt(&pty);
    pty.send("\x04");
    assert_eq!(pty.wait_exit().code(), Some(0));
    pty.settle(QUIET);
    let text = lines(&pty);
    in_order(
        &text,
        &[
            "Question: Do you trust this directory?",
            "1. Trust this directory, remembered, with everything inside it",
            "> what",
            "Nothing matches what.",
            "> 2",
            "Chosen: Trust it this time.",
            "> change it",
            "e is thinking.",
            "Let me look.",
            "",
            "First **this**,",
            "then that.",
            "Reading a.txt.",
            "Editing a.txt.",
            "File a.txt:",
            "At line 1:",
            "  one",
            "- two",
            "+ TWO words",
            "  three",
            "All done.",
        ],
    );
    assert!(text.contains("Read a.txt"), "{text}");
    assert!(text.contains("Failed echo seen-it; exit 3"), "{text}");
    assert!(text.lines().any(|line| line == "seen-it"), "{text}");
    assert_eq!(text.matches("e is thinking.").count(), 1);
    assert_eq!(text.matches("change it").count(), 1, "what the terminal has shown is not said again");
    assert!(text.ends_with("Leaving.\n"), "{text}");
    assert_eq!(std::fs::read_to_string(rig.work().join("a.txt")).unwrap(), "one\nTWO words\nthree\n");
    assert!(!rig.path("home/trust.json").exists(), "this time only");
}

#[test]
fn g73_ctrl_c_interrupts_and_twice_leaves() {
    let rig = Rig::new(&json!([["Starting\n", {"pause_ms": 60_000}, "never"], ["again"]]));
    rig.settings(&json!({"accessible": "on"}));
    let mut pty = rig.spawn().env("TERM", "dumb").start();
    prompt(&pty);
    pty.send("go\n");
    pty.wait_for("Starting");
    pty.send("\x03");
    pty.wait_for("Interrupted after");
    prompt(&pty);
    pty.send("more\n");
    pty.wait_for("again");
    pty.wait_for("Done after");
    prompt(&pty);
    pty.send("\x03");
    pty.wait_for("Press ctrl+c again to leave");
    prompt(&pty);
    pty.send("\x03");
    assert_eq!(pty.wait_exit().code(), Some(0));
    pty.settle(QUIET);
    in_order(&lines(&pty), &["> go", "e is thinking.", "Starting", "> more", "again", "Leaving."]);
}

#[test]
fn g73_a_typed_key_is_not_shown_and_the_terminal_is_as_it_was() {
    let key = "not-shown-0123456789";
    let rig = Rig::new(&json!([]));
    let mut pty = plain(&rig).start();
    prompt(&pty);
    pty.send("/login anthropic\n");
    pty.wait_for("What you type does not show.");
    prompt(&pty);
    let echo = rustix::termios::LocalModes::ECHO;
    assert!(!pty.termios().local_modes.contains(echo));
    pty.send(format!("{key}\n"));
    pty.wait_for("Signed in to anthropic");
    prompt(&pty);
    assert!(pty.termios().local_modes.contains(echo));
    // Left in the middle of the question.
    pty.send("/login openai\n");
    pty.wait_for("API key for openai");
    prompt(&pty);
    pty.signal(rustix::process::Signal::TERM);
    assert_eq!(pty.wait_exit().code(), Some(143));
    assert!(pty.termios().local_modes.contains(echo));
    pty.settle(QUIET);
    let text = lines(&pty);
    assert!(!text.contains(key), "{text}");
    assert!(std::fs::read_to_string(rig.path("home/auth.json")).unwrap().contains(key));
    assert!(text.ends_with("Ended by a signal.\n"), "{text}");
}

#[test]
fn g73_commands_pages_long_lines_and_steers_are_lines() {
    let rig = Rig::new(&json!([
        ["Working.\n", {"tool": "bash", "args": {"command": "sleep 1; seq 1 9"}}],
        ["Heard you."],
        ["Two lines came."],
    ]));
    let pty = plain(&rig).start();
    prompt(&pty);
    pty.send("/help\n");
    pty.wait_for("`e docs` has the pages.");
    prompt(&pty);
    pty.send("!printf 'a\\nb\\n'\n");
    pty.wait_for("Ran printf");
    prompt(&pty);
    pty.send("go\n");
    pty.wait_for("Running sleep 1");
    pty.send("and this\n");
    pty.wait_for("Your message has joined the conversation.");
    pty.wait_for("Done after");
    prompt(&pty);
    pty.send("first \\\n");
    pty.wait_for("> first");
    pty.settle(QUIET);
    prompt(&pty);
    pty.send("second\n");
    pty.wait_for("Two lines came.");
    prompt(&pty);
    pty.send("/usage\n");
    pty.wait_for("Saved sessions");
    prompt(&pty);
    let text = lines(&pty);
    in_order(
        &text,
        &[
            "a",
            "b",
            "> go",
            "Working.",
            "Your message waits for the next step.",
            "Output, without 4 lines before:",
            "5",
            "9",
            "Your message has joined the conversation.",
            "Heard you.",
            "> first \\",
            "> second",
            "Two lines came.",
            "# Usage of this session",
        ],
    );
    assert!(!text.contains("Being counted"), "a page is said when it is whole: {text}");
}
