//! Notices about extensions themselves.

use e::model::ext::words::{died, notice, stderr};
use e::model::wire::ext::manifest;
use serde_json::json;

#[test]
fn a_death_names_every_hook_that_now_fails_open() {
    let words = |hooks: serde_json::Value| {
        let (manifest, _) = manifest(&json!({"name": "x", "hooks": hooks}), &[]).unwrap();
        died("foo/index.mjs", &manifest, "it exited")
    };
    assert_eq!(words(json!([])), "extension foo/index.mjs: it exited");
    assert_eq!(
        words(json!(["startup", "input"])),
        "extension foo/index.mjs: it exited; its hook input now fails open"
    );
    assert_eq!(
        words(json!(["render", "input", "tool_call"])),
        "extension foo/index.mjs: it exited; its hooks tool_call, input and render now fail open"
    );
}

#[test]
fn stderr_is_sanitised_and_blank_lines_are_none() {
    assert_eq!(stderr("gate.sh", "\u{1b}[31moops\u{1b}[0m  ").as_deref(), Some("extension gate.sh: oops"));
    assert_eq!(stderr("gate.sh", " \t"), None);
    assert_eq!(stderr("gate.sh", "\u{1b}[2J"), None);
    assert_eq!(notice("a\u{202E}b", "why"), "extension a<U+202E>b: why");
}
