//! A long session opened again: its end at once, the rest behind it, and nothing twice.

use std::sync::Arc;

use e::effects::home::Home;
use e::effects::store::logs::Logs;
use e::model::provider::{Assistant, Message, Part};
use e::model::wire::log::Record;
use serde_json::json;

use super::rig::{QUIET, Rig, over, quit, ready, submit, times};

/// Saves a conversation of that many exchanges in the rig's workspace.
fn saved(rig: &Rig, exchanges: usize) {
    let work = rig.work().canonicalize().unwrap();
    let cwd: Arc<str> = work.to_string_lossy().into();
    let mut lines: Vec<Arc<str>> = vec![Record::session("x".into(), cwd.clone(), 1, None).print().into()];
    let mut parent: Option<Arc<str>> = None;
    for n in 0..exchanges {
        let text = format!("Answer {n:04} {}", "and more of it ".repeat(8));
        let reply = Message::Assistant(Assistant { parts: vec![Part::Text(text.into())], origin: None });
        for (id, message) in
            [(format!("q{n}"), Message::prompt(format!("Question {n:04}"))), (format!("a{n}"), reply)]
        {
            let id: Arc<str> = id.into();
            lines.push(
                Record::message(id.clone(), parent.replace(id), 1, Arc::new(message), None).print().into(),
            );
        }
    }
    Logs::new(Home::at(rig.path("home"), rig.path("."))).create(&cwd, "x", &lines).unwrap();
}

#[test]
fn a_long_session_is_resumed_with_its_end_once_in_scrollback() {
    let rig = Rig::new(&json!([]));
    saved(&rig, 1_500);
    let mut pty = ready(rig.spawn().arg("-c").start());
    // How full the window is is known with the whole alone.
    pty.wait_for("%");
    pty.settle(QUIET);
    assert_eq!(times(&pty, "Resumed with 3000 messages"), 1, "{:#?}", pty.history());
    assert_eq!(times(&pty, "Answer 1499"), 1, "{:#?}", pty.history());
    assert_eq!(times(&pty, "Question 1498"), 1);
    assert_eq!(times(&pty, "Answer 0003"), 0, "the beginning is in the reader");
    submit(&pty, "go on");
    // A script answers by how many replies the history has: it was sent whole.
    pty.wait_for("The script has no more replies.");
    over(&pty);
    assert_eq!((times(&pty, "Answer 1499"), times(&pty, "go on")), (1, 1));
    // Read back to the very first message.
    pty.send("\x0f");
    pty.settle(QUIET);
    pty.send("g");
    pty.wait_for("Question 0000");
    pty.send("q");
    pty.settle(QUIET);
    assert_eq!(quit(&mut pty), Some(0));
}

#[test]
fn fullscreen_shows_the_end_and_scrolls_to_the_beginning() {
    let rig = Rig::new(&json!([]));
    rig.settings(&json!({"tui_mode": "fullscreen"}));
    saved(&rig, 1_500);
    let mut pty = ready(rig.spawn().arg("-c").start());
    pty.wait_for("Answer 1499");
    pty.settle(QUIET);
    for _ in 0..3 {
        pty.send("\x1b[5~");
    }
    pty.settle(QUIET);
    assert!(!pty.screen().contents().contains("Answer 1499"));
    pty.send("\x0f");
    pty.settle(QUIET);
    pty.send("g");
    pty.wait_for("Question 0000");
    pty.send("q");
    pty.settle(QUIET);
    assert_eq!(quit(&mut pty), Some(0));
}
