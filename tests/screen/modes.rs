//! Fullscreen, tiny windows, and an idle program.

use std::time::Duration;

use serde_json::json;

use super::rig::{QUIET, Rig, over, quit, submit};
use crate::term::written::foreign;

#[test]
fn fullscreen_stays_on_the_alternate_screen_and_reads_back() {
    let paragraphs: String = (0..60).map(|at| format!("Paragraph {at:02}.\n\n")).collect();
    let rig = Rig::new(&json!([[paragraphs]]));
    rig.settings(&json!({"tui_mode": "fullscreen"}));
    let mut pty = rig.start();
    pty.wait_until("the alternate screen", |screen| screen.alternate_screen());
    submit(&pty, "go");
    pty.wait_for("Paragraph 59.");
    over(&pty);
    pty.send("\x1b[5~\x1b[5~");
    pty.wait_gone("Paragraph 59.");
    pty.wait_for("Scrolled");
    let top = pty.text().lines().find(|line| !line.trim().is_empty()).map(str::to_owned);
    pty.send("draft");
    pty.wait_for("› draft");
    assert_eq!(
        pty.text().lines().find(|line| !line.trim().is_empty()).map(str::to_owned),
        top,
        "typing moves nothing"
    );
    pty.send("\x03");
    pty.wait_gone("draft");
    pty.send("\x1b[F");
    pty.wait_for("Paragraph 59.");
    assert_eq!(quit(&mut pty), Some(0));
    assert!(!pty.screen().alternate_screen());
    // The last lines stay, and the cursor stands below them.
    let left = pty.text();
    assert!(left.contains("Paragraph 59.") && left.contains("Paragraph 55."), "{left}");
    assert_eq!(pty.history().iter().filter(|row| row.contains("Paragraph 59.")).count(), 1);
    assert_eq!(foreign(&pty.raw()), None);
}

#[test]
fn g17_any_window_size_is_survived_with_everything_intact() {
    let (_rig, mut pty) = Rig::new(&json!([["An answer."]])).started();
    submit(&pty, "ask");
    pty.wait_for("An answer.");
    over(&pty);
    pty.send("/");
    pty.wait_for("enter run");
    for (cols, rows) in [(1, 1), (2, 2), (5, 3), (10, 2), (46, 10), (300, 1), (1, 1), (80, 24)] {
        pty.resize(cols, rows);
        std::thread::sleep(Duration::from_millis(40));
    }
    pty.wait_for("enter run");
    pty.send("\x1b");
    pty.wait_gone("enter run");
    pty.send("\x03");
    pty.wait_gone("› /");
    assert_eq!(quit(&mut pty), Some(0));
}

#[test]
fn g74_an_idle_program_writes_nothing_and_uses_no_time() {
    let (_rig, pty) = Rig::new(&json!([])).started();
    pty.settle(Duration::from_secs(2));
    let ticks = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pty.pid())).unwrap_or_default();
        let fields: Vec<u64> = stat
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .filter_map(|f| f.parse().ok())
            .collect();
        // Of the fields behind the name and the state letter: user and system time are the 11th and 12th.
        fields.get(10).zip(fields.get(11)).map(|(user, system)| user + system)
    };
    let (mark, before) = (pty.mark(), ticks());
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(pty.raw_since(mark), b"");
    assert_eq!(ticks(), before);
    pty.settle(QUIET);
}
