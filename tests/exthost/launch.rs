//! The launch: who is started, flags, startup hooks, relaunches, and what a refusal looks like.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use super::rig::{Rig, about, named, shell, speaking};
use crate::headless::place::Done;

/// A manifest with the startup hook.
fn hooked(name: &str) -> Value {
    json!({"name": name, "hooks": ["startup"]})
}

/// An arm that answers the startup hook.
fn startup(then: &str) -> String {
    format!("*'\"method\":\"hook.startup\"'*) {then} ;;")
}

#[test]
fn exthost_words_that_start_none_really_start_none() {
    let rig = Rig::new();
    rig.add("a.sh", &speaking("touch started", "answer '{\"name\":\"a\"}'", ""));
    let model = rig.model();
    let none: [&[&str]; 7] = [
        &["--version"],
        &["-V", "-p"],
        &["docs"],
        &["trust"],
        &["auth"],
        &["-p", "--ne", "-m", &model, "hello"],
        &["-p", "--no-extensions", "-m", &model, "hello"],
    ];
    for words in none {
        let done = rig.run(words);
        assert!(!rig.place.work.join("started").exists(), "{words:?}: {done:?}");
    }
    let done = rig.turn(&[]);
    assert!(rig.place.work.join("started").exists(), "{done:?}");
}

#[test]
fn exthost_flags_are_told_and_taken_out_of_the_command_line() {
    let rig = Rig::new();
    let flags = json!([{"name": "plan"}, {"name": "project", "type": "string"}, {"name": "quiet"}]);
    let manifest = json!({"name": "a", "flags": flags});
    rig.add("a.sh", &shell(&manifest, "*'\"method\":\"flags\"'*) echo \"$line\" >flags ;;"));
    let done = rig.turn(&["--plan", "--project", "here", "--no-quiet"]);
    assert_eq!((done.status, &*done.stdout, &*done.stderr), (Some(0), "Done.\n", ""), "{done:?}");
    let told = std::fs::read_to_string(rig.place.work.join("flags")).unwrap();
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["params"]["flags"], json!({"plan": true, "project": "here", "quiet": false}));

    let done = rig.turn(&["--plan=maybe"]);
    assert_eq!(done.status, Some(2), "{done:?}");
    assert!(done.stderr.contains("--plan=maybe") && done.stderr.contains("extension a"), "{done:?}");

    let done = rig.turn(&["--nobody"]);
    assert_eq!(done.status, Some(2), "{done:?}");
    assert!(done.stderr.contains("--nobody") && !done.stderr.contains("extension"), "{done:?}");
    rig.add("b.sh", "#!/bin/sh\nexit 1\n");
    let done = rig.turn(&["--nobody"]);
    assert_eq!(done.status, Some(2), "{done:?}");
    assert!(done.stderr.contains("an extension that did not start: b.sh"), "{done:?}");
    let done = rig.turn(&["--ne", "--plan"]);
    assert_eq!(done.status, Some(2), "{done:?}");
    assert!(done.stderr.contains("--plan") && done.stderr.contains("extensions are off"), "{done:?}");
}

#[test]
fn exthost_startup_hooks_rewrite_the_arguments_one_after_another() {
    let rig = Rig::new();
    let model = rig.model();
    let log = "echo \"$line\" >>asked";
    let argv = json!(["-p", "-m", model, "rewritten"]);
    rig.add("b.sh", &shell(&hooked("b"), &startup(&format!("{log}; answer '{{}}'"))));
    rig.add("a.sh", &shell(&hooked("a"), &startup(&format!("{log}; answer '{{\"argv\":{argv}}}'"))));
    let done = rig.run(&["-p", "--nonsense"]);
    assert_eq!((done.status, &*done.stdout, &*done.stderr), (Some(0), "Done.\n", ""), "{done:?}");
    let asked = std::fs::read_to_string(rig.place.work.join("asked")).unwrap();
    let asked: Vec<Value> = asked.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[0]["params"]["argv"], json!(["-p", "--nonsense"]));
    assert_eq!(asked[1]["params"]["argv"], argv);
    let work = rig.place.work.canonicalize().unwrap();
    assert_eq!(asked[0]["params"]["cwd"], json!(work.to_str().unwrap()));
}

#[test]
fn exthost_a_startup_hooks_environment_reaches_what_is_started_later() {
    let rig = Rig::new();
    let env = json!({"env": {"FROM_HOOK": "yes", "SHUT": null}});
    rig.add("a.sh", &shell(&hooked("a"), &startup(&format!("answer '{env}'"))));
    let model = rig.place.script(&json!([
        [{"tool": "bash", "args": {"command": "echo \"[$FROM_HOOK$SHUT]\" >seen"}}],
        ["Done."]
    ]));
    let done = Done::of(&rig.e(&["-p", "-m", &model, "hello"]).env("SHUT", "no").output().unwrap());
    assert_eq!((done.status, &*done.stderr), (Some(0), ""), "{done:?}");
    assert_eq!(std::fs::read_to_string(rig.place.work.join("seen")).unwrap(), "[yes]\n");
}

#[test]
fn x6_a_startup_hook_that_goes_wrong_stops_the_launch() {
    let wrong = [
        ("printf '{\"id\":%s,\"error\":\"no such project\"}\\n' \"$i\"", "no such project"),
        ("exit 1", "extension exited"),
        ("answer null", "a.sh: its startup hook failed"),
        ("answer '{\"argv\":\"-p\"}'", "argv"),
        ("answer '{\"env\":{\"A=B\":\"\"}}'", "env"),
        ("answer '{\"relaunch\":{\"cwd\":\" \"}}'", "cwd"),
    ];
    for (then, words) in wrong {
        let rig = Rig::new();
        rig.add("a.sh", &shell(&hooked("a"), &startup(then)));
        rig.add("b.sh", &shell(&named("b"), ""));
        let done = rig.turn(&[]);
        assert_eq!((done.status, &*done.stdout), (Some(1), ""), "{then}: {done:?}");
        let said = about(&done.stderr, "a.sh");
        let fatal = said.iter().filter(|line| line.contains("its startup hook failed")).count();
        assert!(fatal == 1 && said.iter().any(|line| line.contains(words)), "{words:?} in {done:?}");
        let done = rig.turn(&["--json"]);
        assert_eq!(done.status, Some(1), "{done:?}");
        let events = done.events();
        let error =
            |event: &&Value| event["type"] == "error" && event.to_string().contains("startup hook failed");
        assert!(events.iter().any(|event| error(&event)), "{done:?}");
        assert_eq!(done.result()["error"].as_str().map(|e| e.contains("startup hook failed")), Some(true));
    }
}

/// The only one that waits for a startup hook's five seconds.
#[test]
fn x6_a_startup_hook_that_never_answers_stops_the_launch() {
    let rig = Rig::new();
    rig.add("a.sh", &shell(&hooked("a"), &startup(":")));
    let done = rig.turn(&[]);
    assert_eq!((done.status, &*done.stdout), (Some(1), ""), "{done:?}");
    assert!(about(&done.stderr, "a.sh")[0].contains("no answer within 5 seconds"), "{done:?}");
}

#[test]
fn x6_a_runtime_hook_that_fails_never_stops_a_turn() {
    let rig = Rig::new();
    let manifest = json!({"name": "a", "hooks": ["input", "before_turn"]});
    let arms = "*'\"method\":\"hook.input\"'*) answer 7 ;; *'\"method\":\"hook.before_turn\"'*) exit 1 ;;";
    rig.add("a.sh", &shell(&manifest, arms));
    let done = rig.turn(&[]);
    assert_eq!((done.status, &*done.stdout), (Some(0), "Done.\n"), "{done:?}");
    assert_eq!(about(&done.stderr, "a.sh").len(), 1, "{done:?}");
}

#[test]
fn exthost_a_relaunch_is_the_same_process_elsewhere() {
    let rig = Rig::new();
    let there = rig.place.dir.path().join("there");
    std::fs::create_dir(&there).unwrap();
    let there = there.canonicalize().unwrap();
    e::effects::home::trust::record(&rig.place.home, &there, true).unwrap();
    let model = rig.place.script(&json!([
        [{"tool": "bash", "args": {"command": "echo \"$PWD $PPID [$E_RELAUNCHES] $GUARD\" >seen"}}],
        ["Done."]
    ]));
    let relaunch = json!({"relaunch": {"cwd": "../there", "env": {"GUARD": "1"}}});
    let go = format!("if [ -n \"$GUARD\" ]; then answer '{{}}'; else answer '{relaunch}'; fi");
    rig.add(
        "a.sh",
        &shell(&json!({"name": "a", "hooks": ["startup"], "flags": [{"name": "go"}]}), &startup(&go)),
    );
    let child = rig.e(&["-p", "--go", "-m", &model, "hello"]).spawn().unwrap();
    let pid = child.id();
    let done = Done::of(&child.wait_with_output().unwrap());
    assert_eq!((done.status, &*done.stdout, &*done.stderr), (Some(0), "Done.\n", ""), "{done:?}");
    let seen = std::fs::read_to_string(there.join("seen")).unwrap();
    assert_eq!(seen, format!("{} {pid} [] 1\n", there.display()));
    rig.nothing_left();
}

#[test]
fn exthost_relaunches_in_a_row_are_counted() {
    let rig = Rig::new();
    let relaunch = json!({"relaunch": {"cwd": ".", "env": {"E_RELAUNCHES": "0"}}});
    rig.add("a.sh", &shell(&hooked("a"), &startup(&format!("echo x >>count; answer '{relaunch}'"))));
    let done = rig.turn(&[]);
    assert_eq!((done.status, &*done.stdout), (Some(1), ""), "{done:?}");
    assert!(about(&done.stderr, "a.sh")[0].contains("after 8 in a row"), "{done:?}");
    assert_eq!(std::fs::read_to_string(rig.place.work.join("count")).unwrap().lines().count(), 9);
}

#[test]
fn exthost_a_relaunch_into_nowhere_names_the_place() {
    let rig = Rig::new();
    let relaunch = json!({"relaunch": {"cwd": "/nowhere/at/all"}});
    rig.add("a.sh", &shell(&hooked("a"), &startup(&format!("answer '{relaunch}'"))));
    let done = rig.turn(&[]);
    assert_eq!((done.status, &*done.stdout), (Some(1), ""), "{done:?}");
    assert!(done.stderr.contains("/nowhere/at/all, which does not exist"), "{done:?}");
}

#[test]
fn exthost_arguments_that_mean_something_else_are_followed_without_a_second_chain() {
    let rig = Rig::new();
    let model = rig.model();
    let log = "echo x >>asked";
    let json = json!({"argv": ["-p", "--json", "-m", model, "hello"]});
    let arm = startup(&format!("{log}; answer '{json}'"));
    rig.add("a.sh", &speaking("echo x >>started", &format!("answer '{}'", hooked("a")), &arm));
    let done = rig.run(&["-p"]);
    assert_eq!(done.status, Some(0), "{done:?}");
    assert_eq!(done.result()["final_output"], "Done.", "{done:?}");
    let lines = |file: &str| std::fs::read_to_string(rig.place.work.join(file)).unwrap().lines().count();
    assert_eq!((lines("started"), lines("asked")), (2, 1));

    let rig = Rig::new();
    rig.add("a.sh", &shell(&hooked("a"), &startup("answer '{\"argv\":[\"docs\"]}'")));
    let done = rig.run(&["-p"]);
    assert_eq!((done.status, &*done.stderr), (Some(0), ""), "{done:?}");
    assert!(done.stdout.contains("extensions") || done.stdout.contains("models"), "{done:?}");
}

#[test]
fn exthost_a_piped_prompt_is_read_when_the_launch_is_known() {
    let rig = Rig::new();
    rig.add("a.sh", &shell(&json!({"name": "a", "flags": [{"name": "plan"}]}), ""));
    let model = rig.place.script(&json!([[{"expect": "from the argument\n\nfrom the pipe"}, "Done."]]));
    let mut command = rig.e(&["-p", "--plan", "-m", &model, "from the argument"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"from the pipe\n").unwrap();
    let done = Done::of(&child.wait_with_output().unwrap());
    assert_eq!((done.status, &*done.stdout, &*done.stderr), (Some(0), "Done.\n", ""), "{done:?}");
    let done = rig.run(&["-p", "--plan"]);
    assert_eq!(done.status, Some(2), "{done:?}");
    assert!(done.stderr.contains("-p needs a prompt"), "{done:?}");
}
