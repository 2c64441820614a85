//! `--help`, `help` and `doctor` greet everyone, and do nothing else to them.

use serde_json::json;

use super::rig::{Rig, named, speaking};

/// An extension that writes down what it is told.
fn logged(file: &str, manifest: &serde_json::Value) -> String {
    speaking(
        "",
        &format!("echo \"$line\" >>{file}; answer '{manifest}'"),
        &format!("*) echo \"$line\" >>{file} ;;"),
    )
}

#[test]
fn exthost_help_lists_flags_commands_and_shortcuts() {
    let manifest = json!({
        "name": "plan",
        "flags": [
            {"name": "plan", "description": "Start planning"},
            {"name": "project", "type": "string", "description": "A directory"},
            {"name": "a b", "description": "Never parsed"},
        ],
        "commands": [{"name": "plan", "arguments": "[on]", "description": "Plans"}, {"name": "help"}],
        "shortcuts": [{"key": "ctrl+alt+p", "description": "Switches"}],
        "hooks": ["startup", "input"],
        "events": ["session_start", "turn_end"],
    });
    let rig = Rig::new();
    rig.add("plan.sh", &logged("told", &manifest));
    rig.add("broken.sh", "#!/bin/sh\nexit 4\n");
    for words in [&["--help"][..], &["-h"], &["help"], &["--plan", "--help"]] {
        let done = rig.run(words);
        assert_eq!(done.status, Some(0), "{words:?}: {done:?}");
        let at = done.stdout.find("Extension plan:").unwrap_or_else(|| panic!("{words:?}: {done:?}"));
        assert!(done.stdout[..at].contains("--continue"), "e's own help comes first");
        let rows: Vec<String> =
            done.stdout[at..].lines().map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        for row in [
            "--plan Start planning",
            "--project <value> A directory",
            "a b Never parsed",
            "/plan [on] Plans",
            "/plan:help",
            "ctrl+alt+p Switches",
        ] {
            assert!(rows.iter().any(|r| r == row), "{row:?} in {rows:?}");
        }
        assert_eq!(done.stderr, "e: extension broken.sh: it exited (exit status 4)\n", "{words:?}");
    }
    let told = std::fs::read_to_string(rig.place.work.join("told")).unwrap();
    let methods: Vec<String> = told
        .lines()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["method"].as_str().unwrap().into()
        })
        .collect();
    assert_eq!(methods, ["initialize", "shutdown"].repeat(4));
    let done = rig.run(&["help", "docs"]);
    assert!(done.status == Some(0) && !done.stdout.contains("Extension plan"), "{done:?}");
}

#[test]
fn exthost_the_doctor_reports_on_each() {
    let rig = Rig::new();
    let stray = format!(
        "echo hello; answer '{}'",
        json!({"name": "one", "version": "2.1", "tools": [{"name": "t"}]})
    );
    rig.add("a.sh", &speaking("", &stray, ""));
    rig.add("b.sh", "#!/nowhere/sh\n");
    rig.add("c/main.sh", &speaking("", &format!("answer '{}'", named("three")), ""));
    std::fs::write(rig.place.home.path("extensions/d.sh"), "#!/bin/sh\n").unwrap();
    let done = rig.run(&["doctor", "--no-network"]);
    assert_eq!(done.status, Some(0), "{done:?}");
    let line = |file: &str| {
        let found = done.stdout.lines().find(|line| line.starts_with(&format!("  {file}: ")));
        found.unwrap_or_else(|| panic!("{file} in {}", done.stdout)).to_owned()
    };
    let one = line("a.sh");
    assert!(one.contains("one 2.1: 1 tool; answered in") && one.contains("1 stray line on stdout"), "{one}");
    assert!(line("b.sh").contains("failed: it could not be started: its interpreter /nowhere/sh"));
    assert!(line("c/main.sh").contains("three: declares nothing"));
    assert!(line("d.sh").contains("not started: not executable; run chmod +x on it"));
    assert!(!done.stdout.contains(&*rig.place.dir.path().to_string_lossy()), "no path of the person's");
}
