//! Small promises of the screen, on a real terminal.

use serde_json::json;

use super::rig::{QUIET, Rig, over, quit, ready, submit};

#[test]
fn how_to_leave_survives_a_narrow_screen() {
    let rig = Rig::new(&json!([["Hi."]]));
    let mut pty = ready(rig.spawn().size(24, 20).start());
    pty.send("\x0f");
    pty.wait_for("esc close");
    pty.send("\x1b");
    pty.wait_gone("esc close");
    pty.settle(QUIET);
    pty.send("/");
    pty.wait_for("esc close");
    pty.send("\x1b");
    pty.wait_gone("esc close");
    pty.send("\x7f");
    assert_eq!(quit(&mut pty), Some(0));
}

#[test]
fn bad_arguments_are_one_line_to_the_person_and_the_schema_to_the_model() {
    let rig = Rig::new(&json!([
        [{"tool": "read", "args": {"file": "a"}}, {"tool": "grep", "args": "{\"pattern\": "}],
        [{"expect": "Parameters: .*\"pattern\""}, "Sorry."]
    ]));
    let mut pty = rig.start();
    submit(&pty, "go");
    pty.wait_for("Sorry.");
    over(&pty);
    let shown = pty.history().join("\n");
    assert!(shown.contains("`path` is missing") && shown.contains("not valid JSON"), "{shown}");
    assert!(!shown.contains("Parameters") && !shown.contains("properties"), "{shown}");
    pty.send("\x0f");
    pty.wait_for("Parameters");
    pty.send("\x1b");
    pty.wait_gone("esc close");
    assert_eq!(quit(&mut pty), Some(0));
}

#[test]
fn trust_for_this_time_is_handed_to_children() {
    let rig = Rig::new(&json!([["Hi."]]));
    std::fs::remove_file(rig.path("home/trust.json")).unwrap();
    let mut pty = rig.spawn().start();
    pty.wait_for("Trust it this time");
    pty.settle(QUIET);
    pty.send("\x1b[B");
    pty.settle(QUIET);
    pty.send("\r");
    pty.wait_gone("Trust it this time");
    pty.settle(QUIET);
    submit(&pty, "!echo \"in=${E_TRUSTED##*/}\"; test \"$E_TRUSTED\" -ef . && echo same");
    pty.wait_for("in=work");
    over(&pty);
    assert!(pty.history().iter().any(|row| row.trim_end().ends_with("same") && !row.contains("echo")));
    assert!(!rig.path("home/trust.json").exists());
    assert_eq!(quit(&mut pty), Some(0));
}
