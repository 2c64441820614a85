//! A session as a person lives it: typing, streaming, tools, the reader, pickers, ctrl+c, resizing.

use serde_json::json;

use super::rig::{QUIET, Rig, over, quit, submit, times};
use crate::term::written::foreign;

#[test]
fn the_first_frame_has_a_composer_and_the_cursor_in_it() {
    let (_rig, mut pty) = Rig::new(&json!([])).started();
    let screen = pty.screen();
    let (row, column) = screen.cursor_position();
    let line = screen.rows(0, 80).nth(row.into()).unwrap();
    assert!(line.starts_with("›") && column == 2, "{line:?} {column}");
    assert!(!screen.hide_cursor());
    assert!(!screen.alternate_screen());
    assert_eq!(quit(&mut pty), Some(0));
}

#[test]
fn a_reply_streams_into_scrollback_once_while_the_draft_stays_editable() {
    let paragraphs: String = (0..40).map(|at| format!("Paragraph {at:02} of the reply.\n\n")).collect();
    let code = "```rust\nfn answer() -> u32 {\n    42\n}\n```\n\nThe very end.";
    let (_rig, mut pty) = Rig::new(&json!([[paragraphs, {"pause_ms": 600}, code]])).started();
    submit(&pty, "tell me");
    pty.wait_for("Paragraph 39");
    pty.send("next");
    pty.wait_for("› next");
    // G02: whatever streams, the cursor stands behind what was typed.
    for _ in 0..5 {
        let screen = pty.screen();
        let (row, column) = screen.cursor_position();
        let line = screen.rows(0, 80).nth(row.into()).unwrap();
        assert!(line.starts_with("› next") && column == 6, "{line:?} {column}");
        std::thread::sleep(std::time::Duration::from_millis(60));
    }
    pty.wait_for("The very end.");
    over(&pty);
    for at in 0..40 {
        assert_eq!(times(&pty, &format!("Paragraph {at:02} ")), 1, "{at}: {:#?}", pty.history());
    }
    for once in ["tell me", "fn answer() -> u32 {", "The very end.", "› next"] {
        assert_eq!(times(&pty, once), 1, "{once}: {:#?}", pty.history());
    }
    assert!(!pty.text().contains("```"));
    // G14: nothing was ever cleared.
    let raw = String::from_utf8_lossy(&pty.raw()).into_owned();
    assert!(!raw.contains("\x1b[2J") && !raw.contains("\x1b[3J"));
    assert_eq!(foreign(&pty.raw()), None);
    pty.send("\x03");
    pty.wait_gone("next");
    assert_eq!(quit(&mut pty), Some(0));
}

#[test]
fn tools_show_their_rows_their_output_and_their_failures() {
    let rig = Rig::new(&json!([
        ["Let me look.", {"tool": "read", "args": {"path": "a.txt"}}, {"tool": "bash", "args": {"command": "echo seen-it; exit 3"}}],
        [{"tool": "edit", "args": {"path": "a.txt", "old_string": "two", "new_string": "TWO words"}}],
        ["All done."],
    ]));
    std::fs::write(rig.work().join("a.txt"), "one\ntwo\nthree\n").unwrap();
    let mut pty = rig.start();
    submit(&pty, "change it");
    pty.wait_for("All done.");
    over(&pty);
    let all = pty.history().join("\n");
    for seen in ["Read a.txt", "echo seen-it", "seen-it", "a.txt", "2 - two", "2 + TWO words"] {
        assert!(all.contains(seen), "{seen:?} is not in\n{all}");
    }
    assert_eq!(std::fs::read_to_string(rig.work().join("a.txt")).unwrap(), "one\nTWO words\nthree\n");
    assert_eq!(foreign(&pty.raw()), None);
    assert_eq!(quit(&mut pty), Some(0));
}

#[test]
fn the_reader_opens_on_the_alternate_screen_and_loses_no_line() {
    let (_rig, mut pty) =
        Rig::new(&json!([[{"reasoning": "A secret thought."}, "The answer is here."]])).started();
    submit(&pty, "think");
    pty.wait_for("The answer is here.");
    over(&pty);
    let before = pty.history();
    pty.send("\x0f");
    pty.wait_until("the alternate screen", |screen| screen.alternate_screen());
    pty.send("\x1b[C");
    pty.wait_for("A secret thought.");
    pty.send("/");
    pty.wait_for("enter find");
    pty.send("secret\r");
    pty.settle(QUIET);
    pty.send("\x1b");
    pty.settle(QUIET);
    pty.send("\x1b");
    pty.wait_until("the main screen", |screen| !screen.alternate_screen());
    pty.settle(QUIET);
    assert_eq!(pty.history(), before);
    assert_eq!(foreign(&pty.raw()), None);
    assert_eq!(quit(&mut pty), Some(0));
}

#[test]
fn the_command_picker_opens_narrows_and_closes() {
    let (_rig, mut pty) = Rig::new(&json!([])).started();
    pty.send("/");
    pty.wait_for("/fork");
    pty.send("eff");
    pty.wait_for("/effort");
    pty.wait_gone("/fork");
    pty.send("\x1b");
    pty.wait_gone("enter run");
    pty.wait_for("› /eff");
    pty.send("\x03");
    pty.wait_gone("/eff");
    assert_eq!(quit(&mut pty), Some(0));
}

#[test]
fn ctrl_c_interrupts_first_and_quits_only_on_the_second_press() {
    let (_rig, mut pty) =
        Rig::new(&json!([["Starting", {"pause_ms": 60_000}, "never"], ["again"]])).started();
    submit(&pty, "go");
    pty.wait_for("Starting");
    pty.send("\x03");
    pty.wait_gone("esc to interrupt");
    submit(&pty, "more");
    pty.wait_for("again");
    over(&pty);
    assert_eq!(times(&pty, "Starting"), 1);
    assert_eq!(quit(&mut pty), Some(0));
}

#[test]
fn g19_the_terminal_is_as_it_was_after_an_end() {
    let rig = Rig::new(&json!([["Some words."]]));
    let mut pty = rig.spawn().start();
    pty.wait_for("›");
    submit(&pty, "hello");
    pty.wait_for("Some words.");
    over(&pty);
    assert_eq!(quit(&mut pty), Some(0));
    let screen = pty.screen();
    assert!(!screen.hide_cursor() && !screen.alternate_screen() && !screen.bracketed_paste());
    assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    let modes = pty.termios().local_modes;
    assert!(modes.contains(rustix::termios::LocalModes::ICANON | rustix::termios::LocalModes::ECHO));
    let all = pty.history();
    assert!(all.iter().any(|row| row.contains("Some words.")), "{all:#?}");
    // The shell's prompt gets a row of its own below all that was written.
    let (row, column) = screen.cursor_position();
    assert_eq!(column, 0);
    assert!(screen.rows(0, 80).skip(row.into()).all(|row| row.trim().is_empty()), "{}", screen.contents());
}

/// G16: a window being dragged leaves one screen and one history.
#[test]
fn g16_a_storm_of_sizes_leaves_one_copy_of_everything() {
    let table = "| name | value |\n|---|---|\n| alpha | 1 |\n| beta | 2 |\n\n```rust\nlet unique_line = 1;\n```\n\nLast words.";
    let (_rig, mut pty) = Rig::new(&json!([[table]])).started();
    submit(&pty, "show");
    pty.wait_for("Last words.");
    over(&pty);
    pty.send("half a draft");
    pty.wait_for("half a draft");
    for at in 0..60u16 {
        pty.resize(60 + at * 7 % 60, 20 + at % 10);
        std::thread::sleep(std::time::Duration::from_millis(12));
    }
    pty.resize(80, 24);
    pty.settle(QUIET);
    for once in ["Last words.", "let unique_line = 1;", "› half a draft"] {
        assert_eq!(times(&pty, once), 1, "{once}: {:#?}", pty.history());
    }
    let screen = pty.screen();
    let (row, column) = screen.cursor_position();
    assert!(screen.rows(0, 80).nth(row.into()).unwrap().starts_with("› half a draft"));
    assert_eq!(column, 14);
    pty.send("\x03");
    pty.wait_gone("half a draft");
    assert_eq!(quit(&mut pty), Some(0));
}
