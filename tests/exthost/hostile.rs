//! Children that do everything wrong, under `e -p`: each costs a notice at most, and the turn goes on.

use serde_json::json;

use super::rig::{Rig, about, named, shell, speaking};

/// Runs a turn beside one extension; gives what was said about it.
#[track_caller]
fn beside(file: &str, text: &str) -> Vec<String> {
    let rig = Rig::new();
    rig.add(file, text);
    let done = rig.turn(&[]);
    assert_eq!((done.status, &*done.stdout), (Some(0), "Done.\n"), "{done:?}");
    let said = about(&done.stderr, file);
    assert_eq!(said.len(), done.stderr.lines().count(), "nothing else is said: {done:?}");
    said.into_iter().map(str::to_owned).collect()
}

#[track_caller]
fn one(file: &str, text: &str, words: &str) {
    let said = beside(file, text);
    assert!(said.len() == 1 && said[0].ends_with(words), "{words:?} in {said:?}");
}

#[test]
fn exthost_one_that_exits_at_once_fails_at_once() {
    one("a.sh", "#!/bin/sh\nexit 3\n", ": it exited (exit status 3)");
    one("a.sh", "#!/bin/sh\nkill -9 $$\n", ": it exited (signal 9)");
}

#[test]
fn exthost_one_that_closes_its_stdout_is_dead() {
    one("a.sh", "#!/bin/sh\nexec >&-\nsleep 100\n", ": it exited");
}

#[test]
fn x10_an_exit_behind_the_manifest_is_one_notice_that_names_every_runtime_hook() {
    let hooks = ["startup", "tool_call", "input", "before_turn", "tool_result", "compact_summary", "render"];
    let manifest = json!({"name": "gate", "hooks": hooks[1..]});
    let all = "it exited (exit status 0); its hooks tool_call, input, before_turn, tool_result, compact_summary and \
               render now fail open";
    one("gate.sh", &speaking("", &format!("answer '{manifest}'; exit 0"), ""), all);
    // The last line may lack its newline.
    let half = format!("printf '{{\"id\":%s,\"result\":%s}}' \"$i\" '{manifest}'; exit 0");
    one("gate.sh", &speaking("", &half, ""), all);
    // And somebody else may hold the pipes.
    let held = format!("answer '{manifest}'; sleep 100 & exit 0");
    one("gate.sh", &speaking("", &held, ""), all);
}

#[test]
fn exthost_bad_handshakes_are_skipped_with_their_reason() {
    one("a.sh", &speaking("", "answer null", ""), "the manifest must be an object, not null");
    one("a.sh", &speaking("", r#"answer '{"name":" "}'"#, ""), "the manifest's `name` is blank");
    let error = r#"printf '{"id":%s,"error":"no licence"}\n' "$i""#;
    one("a.sh", &speaking("", error, ""), "it refused to start: no licence");
}

#[test]
fn exthost_what_cannot_be_started_says_why() {
    one(
        "a.sh",
        "#!/nowhere/sh\n",
        "its interpreter /nowhere/sh is not there; install it or correct its #! line",
    );
    one("a.sh", "echo hello\n", "a script begins with a line such as #!/bin/sh");
    one(
        "foo/index.sh",
        "#!/nowhere/sh\n",
        "its interpreter /nowhere/sh is not there; install it or correct its #! line",
    );
    one("a.sh", "#!/\n", "its interpreter / may not be executed; correct its #! line");
    let rig = Rig::new();
    std::fs::write(rig.place.home.path("extensions/notes.txt"), "#!/bin/sh\nexit 3\n").unwrap();
    std::os::unix::fs::symlink("/nowhere", rig.place.home.path("extensions/gone")).unwrap();
    let done = rig.turn(&[]);
    assert_eq!((done.status, &*done.stdout), (Some(0), "Done.\n"), "{done:?}");
    assert_eq!(about(&done.stderr, "gone").len(), 1, "{done:?}");
    assert_eq!(done.stderr.lines().count(), 1, "{done:?}");
}

#[test]
fn exthost_unreadable_lines_are_told_once_and_the_next_line_counts() {
    let manifest = named("a");
    let huge = "head -c 5000000 /dev/zero | tr '\\0' x; echo";
    one("a.sh", &speaking(huge, &format!("answer '{manifest}'"), ""), "a line longer than 4 MiB was dropped");
    let bytes = "printf 'x\\377\\n'";
    one(
        "a.sh",
        &speaking(bytes, &format!("answer '{manifest}'"), ""),
        "a line that is not UTF-8 was dropped",
    );
    let stderr = format!("{{ {huge}; {bytes}; echo; echo fine; }} >&2");
    let said = beside("a.sh", &speaking(&stderr, &format!("answer '{manifest}'"), ""));
    let ends = ["a line longer than 4 MiB was dropped", "a line that is not UTF-8 was dropped", "a.sh: fine"];
    assert_eq!(said.len(), 3, "{said:?}");
    assert!(said.iter().zip(ends).all(|(line, end)| line.ends_with(end)), "{said:?}");
}

#[test]
fn exthost_stray_prints_and_second_answers_are_nothing() {
    let manifest = named("a");
    let stray = "echo hello; echo '[1]'; echo '{\"id\":\"1\",\"result\":{}}'; echo '{}'";
    let twice = format!("answer '{manifest}'; answer '{manifest}'; answer null; i=77; answer null");
    assert_eq!(beside("a.sh", &speaking(stray, &twice, "")), Vec::<String>::new());
}

#[test]
fn exthost_a_closed_stdin_is_death() {
    let manifest = json!({"name": "a", "events": ["session_start"]});
    let text = speaking("", &format!("answer '{manifest}'; exec 0</dev/null; sleep 100"), "");
    one("a.sh", &text, ": it closed its input");
}

#[test]
fn exthost_one_that_ignores_shutdown_is_killed_with_its_children() {
    let manifest = named("a");
    let deaf = format!("trap '' TERM INT HUP; answer '{manifest}'; sleep 100 & while :; do sleep 1; done");
    assert_eq!(beside("a.sh", &speaking("", &deaf, "")), Vec::<String>::new());
}

#[test]
fn x8_progress_of_no_call_and_bad_requests_change_nothing() {
    let update = r#"echo '{"method":"tool.update","params":{"id":99,"stream":"stdout","chunk":"x"}}'"#;
    let ask = r#"echo '{"id":"q","method":"ui.confirm","params":{}}'; echo '{"id":null,"method":"no.such"}'"#;
    let log = "*'\"id\":\"q\"'*|*'\"id\":null'*) echo \"$line\" >>answers ;;";
    let rig = Rig::new();
    rig.add("a.sh", &speaking("", &format!("answer '{}'; {update}; {ask}", named("a")), log));
    let done = rig.turn(&[]);
    assert_eq!((done.status, &*done.stdout, &*done.stderr), (Some(0), "Done.\n", ""), "{done:?}");
    let answers = std::fs::read_to_string(rig.place.work.join("answers")).unwrap();
    let lines: Vec<&str> = answers.lines().collect();
    assert_eq!(
        lines,
        [r#"{"id":"q","error":"no ui"}"#, r#"{"id":null,"error":"unknown method \"no.such\""}"#]
    );
}

/// The only one that waits for a handshake's five seconds: everything that is slow waits in it at once.
#[test]
fn exthost_one_that_never_answers_is_skipped_after_five_seconds() {
    let rig = Rig::new();
    rig.add("never.sh", "#!/bin/sh\nsleep 100\n");
    let late = format!("sleep 6; answer '{}'", named("late"));
    rig.add("late.sh", &speaking("", &late, ""));
    rig.add("well.sh", &shell(&named("well"), ""));
    let done = rig.turn(&[]);
    assert_eq!((done.status, &*done.stdout), (Some(0), "Done.\n"), "{done:?}");
    for file in ["never.sh", "late.sh"] {
        let said = about(&done.stderr, file);
        assert!(said.len() == 1 && said[0].ends_with("no answer to initialize within 5 seconds"), "{done:?}");
    }
    assert_eq!(done.stderr.lines().count(), 2, "{done:?}");
}

#[test]
fn x9_only_subscribers_hear_events_and_without_the_field_turn_end_only() {
    let hears = |file: &str| format!("*'\"method\":\"event\"'*) echo \"$line\" >>{file} ;;");
    let rig = Rig::new();
    rig.add("none.sh", &shell(&json!({"name": "none", "events": []}), &hears("none")));
    rig.add("one.sh", &shell(&json!({"name": "one", "events": ["turn_start"]}), &hears("one")));
    rig.add("old.sh", &shell(&named("old"), &hears("old")));
    let done = rig.turn(&[]);
    assert_eq!(done.stderr, "", "{done:?}");
    let heard = |file: &str| -> Vec<String> {
        let text = std::fs::read_to_string(rig.place.work.join(file)).unwrap_or_default();
        let lines = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        lines.map(|line| line["params"]["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!((heard("none"), heard("one")), (vec![], vec!["turn_start".to_owned()]));
    assert_eq!(heard("old"), ["turn_end"]);
}
