//! `grep` over real trees.

use std::time::Duration;

use e::model::tool::{Outcome, limit};
use serde_json::json;

use super::Rig;
use super::read::png;

fn grep(rig: &mut Rig, arguments: serde_json::Value) -> String {
    let output = rig.call("grep", arguments);
    assert_eq!(output.outcome, Outcome::Completed, "{}", output.content);
    output.content.to_string()
}

fn tree() -> Rig {
    let rig = Rig::new();
    rig.put(".gitignore", "dist/\n*.log\n");
    rig.put(".github/w.yml", "a needle\n");
    rig.put("dist/o.js", "needle in dist\n");
    rig.put("src/a.rs", "one\n  needle two\n");
    rig.put("src/b.txt", "a needle, too\n");
    rig.put("pic.png", png());
    rig.put(".git/HEAD", "needle\n");
    rig
}

#[test]
fn g51_matches_come_as_path_line_text_and_what_was_skipped_is_said() {
    let mut rig = tree();
    let found = grep(&mut rig, json!({"pattern": "needle"}));
    let lines: Vec<&str> = found.lines().collect();
    assert_eq!(&lines[..2], ["src/a.rs:2:  needle two", "src/b.txt:1:a needle, too"]);
    assert!(found.contains("2 hidden (.github, .gitignore)"), "{found}");
    assert!(found.contains("1 ignored by .gitignore (dist)"), "{found}");
    assert!(found.contains("give such a file or folder as path"), "{found}");
}

#[test]
fn g51_no_match_is_success_and_names_the_skipped() {
    let mut rig = tree();
    let found = grep(&mut rig, json!({"pattern": "absent"}));
    assert!(found.starts_with("[no matches in 2 files]"), "{found}");
    for part in ["2 hidden (", "1 ignored by .gitignore (dist)", "1 binary"] {
        assert!(found.contains(part), "{found}");
    }
}

#[test]
fn g51_a_path_named_outright_is_always_searched() {
    let mut rig = tree();
    assert_eq!(
        grep(&mut rig, json!({"pattern": "needle", "path": "dist/o.js"})),
        "dist/o.js:1:needle in dist"
    );
    assert_eq!(grep(&mut rig, json!({"pattern": "needle", "path": "dist"})), "dist/o.js:1:needle in dist");
    assert_eq!(grep(&mut rig, json!({"pattern": "needle", "path": ".github"})), ".github/w.yml:1:a needle");
    assert_eq!(grep(&mut rig, json!({"pattern": "needle", "glob": "dist/**"})), "dist/o.js:1:needle in dist");
    assert_eq!(grep(&mut rig, json!({"pattern": "needle", "path": ".git"})), ".git/HEAD:1:needle");
    let all = grep(&mut rig, json!({"pattern": "needle", "glob": ".github/*.yml"}));
    assert_eq!(all, ".github/w.yml:1:a needle");
}

#[test]
fn globs_take_names_and_paths() {
    let mut rig = tree();
    let found = grep(&mut rig, json!({"pattern": "needle", "glob": "*.rs"}));
    assert!(found.starts_with("src/a.rs:2:  needle two"), "{found}");
    assert!(!found.contains("b.txt"));
    assert!(
        grep(&mut rig, json!({"pattern": "needle", "glob": "src/**/*.{txt,md}"})).starts_with("src/b.txt:1")
    );
    assert!(
        grep(&mut rig, json!({"pattern": "needle", "path": "src", "glob": "*.txt"}))
            .starts_with("src/b.txt:1")
    );
    let bad = rig.call("grep", json!({"pattern": "x", "glob": "a[b"}));
    assert!(bad.content.contains("`glob` is not a valid glob"), "{}", bad.content);
}

#[test]
fn a_bad_pattern_is_an_error_with_its_place() {
    let mut rig = tree();
    let bad = rig.call("grep", json!({"pattern": "fn main(x"}));
    assert_eq!(bad.outcome, Outcome::Failed);
    assert!(bad.content.contains("not a valid regular expression"), "{}", bad.content);
    assert!(bad.content.contains("    fn main(x\n           ^\nerror: unclosed group"), "{}", bad.content);
    let missing = rig.call("grep", json!({"pattern": "x", "path": "nowhere"}));
    assert!(missing.content.contains("nowhere does not exist"), "{}", missing.content);
}

#[test]
fn many_matches_and_long_lines_are_bounded() {
    let mut rig = Rig::new();
    rig.put("many", "needle\n".repeat(1000));
    let found = grep(&mut rig, json!({"pattern": "needle"}));
    assert_eq!(found.lines().filter(|l| l.starts_with("many:")).count(), 200);
    assert!(found.contains("the first 200 matches; narrow"), "{found}");
    rig.put("long", format!("{}é needle é{}\n", "x".repeat(100_000), "y".repeat(100_000)));
    let found = grep(&mut rig, json!({"pattern": "needle", "path": "long"}));
    assert!(found.starts_with("long:1:…xxx") && found.ends_with("yyy…"), "{found}");
    assert!(found.contains("é needle é") && found.len() < 600);
    for n in 0..300 {
        rig.put(&format!("wide/{n}"), format!("needle {}\n", "z".repeat(390)));
    }
    assert!(grep(&mut rig, json!({"pattern": "needle", "path": "wide"})).len() <= limit::MODEL);
}

#[test]
fn g12_a_name_with_a_line_break_stays_on_one_line() {
    let mut rig = Rig::new();
    rig.put("c\nd.txt", "needle\n");
    assert_eq!(grep(&mut rig, json!({"pattern": "needle"})), "c\\nd.txt:1:needle");
}

#[test]
fn line_anchors_and_patterns_over_lines_work() {
    let mut rig = Rig::new();
    rig.put("f", "alpha\r\nbeta\r\n");
    assert_eq!(grep(&mut rig, json!({"pattern": "^beta"})), "f:2:beta");
    assert_eq!(grep(&mut rig, json!({"pattern": "alpha\\r\\nbeta"})), "f:1:alpha\nf:2:beta");
}

#[test]
fn a_search_is_cancelled_and_special_files_do_not_stop_it() {
    let mut rig = Rig::new();
    assert!(std::process::Command::new("mkfifo").arg(rig.path("pipe")).status().unwrap().success());
    rig.put("f", "needle\n");
    std::os::unix::fs::symlink(".", rig.path("loop")).unwrap();
    assert_eq!(grep(&mut rig, json!({"pattern": "needle"})), "f:1:needle");
    let call = rig.start("grep", json!({"pattern": "needle", "path": "/usr"}));
    rig.handle(e::model::tool::ToolFx::Kill(call));
    assert!(rig.wait_at_most(call, Duration::from_millis(300)).is_none(), "a killed call answered");
}
