//! notify_tests.py: test runs in the background, and their outcome on screen.

use std::path::Path;
use std::time::{Duration, Instant};

use e::model::wire::ext::{Event, Manifest, Note, Reply};
use serde_json::{Value, json};

use super::rig::{Bundle, Ext, here};

fn bundle(command: Value) -> Bundle {
    Bundle::shipped(&["notify_tests.py"]).config(json!({"notify_tests": {"command": command}}))
}

fn turn_end(ext: &mut Ext) {
    ext.tell(Note::Event(Event::TurnEnd { aborted: false }));
}

/// The next slot text and the widget's lines that come with it.
fn outcome(ext: &mut Ext) -> (String, Vec<String>) {
    let slot = ext.done("ui.status")["text"].as_str().unwrap().to_owned();
    let widget = ext.done("ui.widget");
    let line = |line: &Value| line[0]["text"].as_str().unwrap().to_owned();
    let lines: Vec<String> = widget["lines"].as_array().unwrap().iter().map(line).collect();
    assert_eq!(lines[0], slot);
    (slot, lines[1..].to_vec())
}

fn running(ext: &mut Ext) {
    assert_eq!(outcome(ext), ("tests …".into(), vec![]));
}

fn until(what: &str, met: impl Fn() -> bool) {
    let began = Instant::now();
    while !met() {
        assert!(began.elapsed() < Duration::from_secs(60), "waited for {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Whether a process is gone or only waits to be reaped.
fn gone(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).map_or(true, |stat| stat.contains(") Z "))
}

fn pid_in(file: &Path) -> Option<String> {
    std::fs::read_to_string(file).ok().filter(|pid| pid.ends_with('\n')).map(|pid| pid.trim().to_owned())
}

#[test]
fn notify_tests_shows_a_pass_and_a_failure() {
    if !here("python3") {
        return;
    }
    let (mut ext, manifest) = bundle(json!("seq 9; echo; echo 'ü' >&2; test -e pass")).greeted();
    assert_eq!(manifest.events.iter().map(|event| &**event).collect::<Vec<_>>(), ["turn_end"]);
    turn_end(&mut ext);
    running(&mut ext);
    let (slot, lines) = outcome(&mut ext);
    assert!(slot.starts_with("✗ tests "), "{slot}");
    assert_eq!(lines[1..], ["7", "8", "9", "ü"]);
    assert!(lines[0].ends_with(": exit 1"), "{lines:?}");
    std::fs::write(ext.dir().join("pass"), "").unwrap();
    turn_end(&mut ext);
    running(&mut ext);
    let (slot, lines) = outcome(&mut ext);
    assert!(slot.starts_with("✓ tests ") && lines.is_empty(), "{slot} {lines:?}");
    let show = ext.command("tests", "").show.unwrap();
    assert!(show.body.as_str().starts_with("1\n2\n") && show.body.as_str().ends_with('ü'), "{show:?}");
    ext.shutdown();
}

#[test]
fn notify_tests_never_blocks() {
    if !here("python3") {
        return;
    }
    let (mut ext, _) = bundle(json!(["sleep", "600"])).greeted();
    turn_end(&mut ext);
    running(&mut ext);
    let show = ext.command("tests", "").show.unwrap();
    assert_eq!((show.title.as_str(), show.body.as_str()), ("sleep 600", "no output yet"));
    ext.shutdown();
}

#[test]
fn notify_tests_kills_the_run_that_a_turn_overtakes() {
    if !here("python3") {
        return;
    }
    // The first run starts a child of its own and hangs; the second passes.
    let command = "if [ -e pid ]; then exit 0; fi; sleep 600 & echo $! > pid; wait";
    let (mut ext, _) = bundle(json!(command)).greeted();
    let file = ext.dir().join("pid");
    turn_end(&mut ext);
    running(&mut ext);
    until("the first run", || pid_in(&file).is_some());
    turn_end(&mut ext);
    running(&mut ext);
    let (slot, _) = outcome(&mut ext);
    assert!(slot.starts_with('✓'), "only the second reports: {slot}");
    let pid = pid_in(&file).unwrap();
    until("the end of the first run's child", || gone(&pid));
    assert_eq!(ext.settled(), []);
    ext.shutdown();
}

#[test]
fn notify_tests_leaves_no_process_behind() {
    if !here("python3") {
        return;
    }
    for abandoned in [false, true] {
        let (mut ext, _) = bundle(json!("sleep 600 & echo $! > pid; wait")).greeted();
        let kept = tempfile::tempdir().unwrap();
        let file = kept.path().join("pid");
        std::os::unix::fs::symlink(&file, ext.dir().join("pid")).unwrap();
        turn_end(&mut ext);
        running(&mut ext);
        until("the run", || pid_in(&file).is_some());
        if abandoned {
            ext.abandoned()
        } else {
            ext.shutdown()
        }
        let pid = pid_in(&file).unwrap();
        until("its end", || gone(&pid));
    }
}

/// What is declared in a directory with these files.
fn found(files: &[(&str, &str)], config: Value, ui: bool) -> (Ext, Manifest) {
    let bundle = Bundle::shipped(&["notify_tests.py"]).config(config);
    for (name, content) in files {
        std::fs::write(bundle.dir.path().join(name), content).unwrap();
    }
    let mut ext = bundle.start();
    let manifest = ext.greet(ui);
    (ext, manifest)
}

#[test]
fn notify_tests_finds_the_project_s_command() {
    if !here("python3") {
        return;
    }
    let cases: &[(&[(&str, &str)], &str)] = &[
        (&[("Cargo.toml", "")], "cargo test --quiet"),
        (&[("package.json", r#"{"scripts": {"test": "x"}}"#)], "npm test --silent"),
        (&[("package.json", "{}"), ("Makefile", "all:\n\ntest: all\n\ttrue\n")], "make test"),
        (&[("package.json", "not json"), ("pytest.ini", "")], "python3 -m pytest -q"),
        (&[("pyproject.toml", "[tool.pytest.ini_options]\n")], "python3 -m pytest -q"),
    ];
    for (files, name) in cases {
        let (mut ext, _) = found(files, json!({}), true);
        assert_eq!(ext.command("tests", "").show.unwrap().title.as_str(), *name);
        ext.shutdown();
    }
    // Configured words count more, what is no command does not count.
    let mine = json!({"notify_tests": {"command": ["just", "test"]}});
    let (mut ext, _) = found(cases[0].0, mine, true);
    assert_eq!(ext.command("tests", "").show.unwrap().title.as_str(), "just test");
    ext.shutdown();
    for bad in [
        json!({"notify_tests": {"command": []}}),
        json!({"notify_tests": 1}),
        json!({"notify_tests": {"command": " "}}),
    ] {
        let (mut ext, _) = found(cases[0].0, bad, true);
        assert_eq!(ext.command("tests", "").show.unwrap().title.as_str(), "cargo test --quiet");
        ext.shutdown();
    }
}

#[test]
fn notify_tests_declares_nothing_where_it_is_of_no_use() {
    if !here("python3") {
        return;
    }
    let cargo: &[(&str, &str)] = &[("Cargo.toml", "")];
    for (files, ui) in [(&[] as &[(&str, &str)], true), (cargo, false)] {
        let (mut ext, manifest) = found(files, json!({}), ui);
        assert!(manifest.events.is_empty() && manifest.commands.is_empty());
        turn_end(&mut ext);
        assert_eq!(ext.settled(), []);
        ext.shutdown();
    }
}

#[test]
fn notify_tests_says_that_a_command_is_not_there() {
    if !here("python3") {
        return;
    }
    let (mut ext, _) = bundle(json!(["/nowhere/at-all"])).greeted();
    turn_end(&mut ext);
    let (slot, lines) = outcome(&mut ext);
    assert_eq!((&*slot, lines), ("tests: No such file or directory", vec!["/nowhere/at-all".to_owned()]));
    ext.shutdown();
}

/// Where there is a person and no screen (`e rpc`) it goes on all the same.
#[test]
fn notify_tests_does_not_mind_a_refusal() {
    if !here("python3") {
        return;
    }
    let (mut ext, _) = bundle(json!("true")).greeted();
    turn_end(&mut ext);
    for _ in 0..4 {
        let request = ext.request();
        ext.reply(&request, Reply::no_ui());
    }
    assert_eq!(ext.settled(), []);
    ext.abandoned();
}
