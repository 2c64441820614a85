//! The values of loaded keys never leave a tool.

use e::model::tool::Outcome;
use serde_json::json;

use super::Rig;

const KEY: &str = "sk-test-0123456789abcdef";

fn rig() -> Rig {
    let rig = Rig::new();
    rig.secrets.add(KEY);
    rig.put("env", format!("KEY={KEY}\n"));
    rig
}

#[test]
fn results_diffs_and_instructions_are_masked() {
    let mut rig = rig();
    rig.put("d/AGENTS.md", format!("use {KEY}"));
    rig.put("d/f", format!("{KEY}\n"));
    for (name, arguments) in [
        ("read", json!({"path": "env"})),
        ("grep", json!({"pattern": "KEY"})),
        ("bash", json!({"command": "cat env"})),
        ("bash", json!({"command": "printf 'sk-test-\\033[1m0123456789abcdef\\n'"})),
        ("edit", json!({"path": "env", "old_string": "KEY=", "new_string": "KEY2="})),
        ("read", json!({"path": "d/f"})),
    ] {
        let output = rig.call(name, arguments);
        assert_eq!(output.outcome, Outcome::Completed, "{}", output.content);
        let whole = format!("{output:?}");
        assert!(!whole.contains(KEY), "{name}: {whole}");
        assert!(whole.contains("***"), "{name}: {whole}");
    }
    assert!(rig.text("env").contains(KEY), "the file itself is not masked");
    assert!(!rig.live.contains(KEY));
}

#[test]
fn a_key_printed_in_pieces_is_masked_live_and_in_polls() {
    let mut rig = rig();
    let slow = "printf 'a sk-test-01'; sleep 0.3; printf '23456789'; sleep 0.3; printf 'abcdef z\\n'";
    let output = rig.bash(slow);
    assert_eq!(&*output.content, format!("a {} z", "*".repeat(KEY.len())));
    assert_eq!(rig.live, format!("a {} z\n", "*".repeat(KEY.len())));
    rig.call("bash", json!({"command": format!("{slow}; sleep 30"), "background": true}));
    let mut seen = String::new();
    for _ in 0..40 {
        let poll = rig.call("bash", json!({"handle": "b1"}));
        seen.push_str(&poll.content);
        if seen.contains('z') {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!(seen.contains('z'), "{seen}");
    for part in ["sk-test-0", "23456789", "abcdef"] {
        assert!(!seen.contains(part), "{seen}");
    }
}

#[test]
fn the_gap_of_a_flood_shows_no_half_of_a_key() {
    let mut rig = rig();
    // One line of keys without an end: wherever the gap is cut, it cuts a key.
    let output = rig.bash(&format!("head -c 9000000 < <(yes {KEY} | tr -d '\\n')"));
    assert!(output.content.len() <= 4 * 1024 * 1024);
    assert!(output.content.contains("were dropped here"));
    for part in ["sk-test", "456789", "abcdef"] {
        let half = output.content.find(part).map(|at| &output.content[at.saturating_sub(40)..at + 20]);
        assert_eq!(half, None);
    }
}
