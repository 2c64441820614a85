//! No row of the screen, no byte to the terminal and no page shows a loaded key that a model, a file or a command brought up.

use serde_json::json;

use super::rig::{Rig, over, ready, submit};

const KEY: &str = "sk-ant-api03-0123456789abcdef";

#[test]
fn no_key_is_shown_or_exported() {
    let rig = Rig::new(&json!([[
        {"reasoning": format!("I think of {KEY}.")},
        format!("Your key is `{KEY}`, I say."),
        {"tool": "bash", "args": {"command": format!("echo {KEY}; cat .env")}}
    ], ["All told."]]));
    rig.settings(&json!({"show_thinking": "on"}));
    std::fs::write(rig.work().join(".env"), format!("KEY={KEY}\n")).unwrap();
    let mut pty = ready(rig.spawn().env("ANTHROPIC_API_KEY", KEY).start());
    submit(&pty, "tell");
    pty.wait_for("All told.");
    over(&pty);
    submit(&pty, "!cat .env");
    pty.wait_for("KEY=***");
    over(&pty);
    submit(&pty, "/export page.html");
    pty.wait_for("page.html");
    pty.settle(super::rig::QUIET);
    let page = std::fs::read_to_string(rig.work().join("page.html")).unwrap();
    assert!(page.contains("Your key is") && page.contains("***") && !page.contains(KEY));
    assert_eq!(super::rig::quit(&mut pty), Some(0));
    let written = String::from_utf8_lossy(&pty.raw()).into_owned();
    let shown = pty.history().join("\n");
    for words in ["I think of ***", "Your key is ***", "echo xxx"] {
        assert!(shown.contains(words), "{words} in {shown}");
    }
    assert!(!written.contains(KEY) && !shown.contains(KEY) && !shown.contains("0123456789abcdef"));
}
