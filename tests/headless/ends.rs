//! How headless runs end: failures, signals, closed pipes, crashes, full disks; each with its status and nothing lost.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use super::place::{Done, Place, whole_log};
use e::model::provider::Message;
use e::model::wire::log::{Log, Record};

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([format!("-{name}"), child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

/// Reads stdout until a line holds `text`.
fn wait_for(stdout: &mut impl BufRead, text: &str) {
    let mut line = String::new();
    while !line.contains(text) {
        line.clear();
        assert_ne!(stdout.read_line(&mut line).unwrap(), 0, "{text} comes before the end");
    }
}

/// Every call has exactly one result.
fn calls_are_answered(log: &Log) -> bool {
    let messages = || {
        log.records
            .iter()
            .filter_map(|(_, r)| if let Record::Message(m) = r { Some(&*m.message) } else { None })
    };
    let calls =
        messages().map(|m| if let Message::Assistant(a) = m { a.calls().count() } else { 0 }).sum::<usize>();
    calls == messages().filter(|m| matches!(m, Message::Tool(_))).count()
}

#[test]
fn g71_a_providers_error_is_told_and_the_status_is_1() {
    let place = Place::new();
    let model = place.script(&json!([["Half an ans", {"error": {"status": 401, "message": "bad key"}}]]));
    let done = place.run(&["-p", "-m", &model, "hi"]);
    assert_eq!((done.status, &*done.stdout), (Some(1), "Half an ans\n"), "{done:?}");
    assert!(done.stderr.starts_with("error: "), "{done:?}");
    let done = place.run(&["-p", "--json", "-m", &model, "hi"]);
    let result = done.result();
    assert_eq!(done.status, Some(1));
    assert_eq!(
        (&result["error_details"]["cause"], &result["error_details"]["http_status"]),
        (&json!("auth"), &json!(401))
    );
    assert_eq!(result["output"], "Half an ans");
    let errors = place.logs()[0].with_extension("errors.jsonl");
    assert!(std::fs::read_to_string(errors).unwrap().contains("bad key"));
}

#[test]
fn g71_every_line_is_json_whatever_tools_print() {
    let place = Place::new();
    let command = "printf '{\"type\": \"fake\"}\\n\\033[31mred\\033[0m\\n\\377\\n'; echo oops >&2";
    let model = place.script(&json!([[{"tool": "bash", "args": {"command": command}}], ["Done."]]));
    let done = place.run(&["-p", "--json", "-m", &model, "hi"]);
    assert_eq!(done.status, Some(0));
    assert!(done.types().iter().all(|t| t != "fake"));
    assert!(!done.stdout.contains('\u{1b}'));
}

#[test]
fn g71_sigint_ends_the_turn_kills_its_tools_and_keeps_a_valid_history() {
    let place = Place::new();
    let command = "echo $$ > pid; echo started; sleep 60";
    let model = place.script(&json!([["Running.", {"tool": "bash", "args": {"command": command}}]]));
    let mut child = place.e(&["-p", "--json", "-m", &model, "go"]).spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    wait_for(&mut stdout, "\"chunk\":\"started");
    signal(&child, "INT");
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let result: serde_json::Value = serde_json::from_str(rest.lines().last().unwrap()).unwrap();
    assert_eq!((&result["type"], &result["aborted"]), (&json!("result"), &json!(true)));
    let pid = std::fs::read_to_string(place.work.join("pid")).unwrap();
    let gone =
        || !Command::new("kill").args(["-0", pid.trim()]).stderr(Stdio::null()).status().unwrap().success();
    let start = Instant::now();
    while !gone() {
        assert!(start.elapsed() < Duration::from_secs(10), "the tool's group is killed");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(calls_are_answered(&whole_log(&place.logs()[0])));
}

#[test]
fn signals_have_their_statuses() {
    for (name, status) in [("TERM", 143), ("HUP", 129)] {
        let place = Place::new();
        let model = place.script(&json!([["Now waiting.", {"pause_ms": 60_000}, "never"]]));
        let mut child = place.e(&["-p", "--json", "-m", &model, "go"]).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        wait_for(&mut stdout, "delta");
        signal(&child, name);
        let mut rest = String::new();
        stdout.read_to_string(&mut rest).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(status), "{name}: {rest}");
    }
}

#[test]
fn g72_a_reader_that_stops_early_ends_the_run_quietly_and_the_log_is_complete() {
    let place = Place::new();
    let replies: Vec<_> = (0..40)
        .map(|_| json!([{"tool": "bash", "args": {"command": "head -c 200000 /dev/zero | tr '\\0' x"}}]))
        .collect();
    let model = place.script(&json!(replies));
    let mut child = place.e(&["-p", "--json", "-m", &model, "go"]).spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    drop(stdout);
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), &*stderr), (Some(0), ""));
    assert!(calls_are_answered(&whole_log(&place.logs()[0])));
}

#[test]
fn g72_help_and_guides_into_a_closed_pipe_are_no_failure() {
    let place = Place::new();
    for words in [&["--help"][..], &["docs", "settings"], &["--version"]] {
        let mut child = place.e(words).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]), "{words:?}");
    }
    let model = place.script(&json!([["Hi."]]));
    let mut closed = Command::new("sh");
    closed.args(["-c", "exec \"$0\" -p -m \"$1\" hello 2>&-", env!("CARGO_BIN_EXE_e"), &model]);
    place.surround(&mut closed);
    assert_eq!(Done::of(&closed.output().unwrap()).stdout, "Hi.\n");
}

#[test]
fn g62_a_session_that_is_open_elsewhere_is_status_75() {
    let place = Place::new();
    let model = place.script(&json!([["First."], ["Busy.", {"pause_ms": 60_000}], ["Other."]]));
    assert_eq!(place.run(&["-p", "-m", &model, "begin"]).status, Some(0));
    let mut holder = place.e(&["-p", "--json", "-c", "-m", &model, "ALPHA"]).spawn().unwrap();
    let mut stdout = BufReader::new(holder.stdout.take().unwrap());
    wait_for(&mut stdout, "delta");
    let done = place.run(&["-p", "-c", "-m", &model, "BETA"]);
    assert_eq!((done.status, &*done.stdout), (Some(75), ""), "{done:?}");
    assert!(!done.stderr.is_empty());
    holder.kill().unwrap();
    holder.wait().unwrap();
    let text = std::fs::read_to_string(&place.logs()[0]).unwrap();
    assert!(text.contains("ALPHA") && !text.contains("BETA"));
}

#[test]
fn after_kill_9_in_a_turn_c_goes_on_with_everything_that_was_said() {
    let place = Place::new();
    let model = place.script(&json!([
        ["One.", {"tool": "bash", "args": {"command": "echo kept"}}],
        ["Two.", {"tool": "bash", "args": {"command": "echo started; sleep 60"}}],
        [{"expect": "go on"}, "Three."],
    ]));
    let mut child = place.e(&["-p", "--json", "-m", &model, "begin"]).spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    wait_for(&mut stdout, "\"chunk\":\"started");
    child.kill().unwrap();
    child.wait().unwrap();
    let text = std::fs::read_to_string(&place.logs()[0]).unwrap();
    assert!(
        text.contains("begin") && text.contains("One.") && text.contains("kept") && text.contains("Two.")
    );
    let done = place.run(&["-p", "-c", "-m", &model, "go on"]);
    assert_eq!((done.status, &*done.stdout), (Some(0), "Three.\n"), "{done:?}");
    whole_log(&place.logs()[0]);
}

#[test]
fn a_full_disk_costs_the_log_and_not_the_turn() {
    let place = Place::new();
    let model = place.script(&json!([[{"tool": "bash", "args": {"command": "head -c 30000 /dev/zero | tr '\\0' x"}}], ["Still here."]]));
    let mut command = Command::new("bash");
    let script = "trap '' XFSZ; ulimit -f 8; exec \"$0\" -p -m \"$1\" hi";
    command.args(["-c", script, env!("CARGO_BIN_EXE_e"), &model]);
    place.surround(&mut command);
    let done = Done::of(&command.output().unwrap());
    assert_eq!((done.status, &*done.stdout), (Some(0), "Still here.\n"), "{done:?}");
    assert!(done.stderr.contains("saved"), "{done:?}");
    whole_log(&place.logs()[0]);
}

#[test]
fn g64_a_working_directory_that_is_gone_is_said() {
    let place = Place::new();
    let model = place.script(&json!([[{"tool": "bash", "args": {"command": "rmdir \"$PWD\"; echo gone"}}], [{"tool": "bash", "args": {"command": "pwd"}}], ["Over."]]));
    let done = place.run(&["-p", "--json", "-m", &model, "go"]);
    assert_eq!(done.status, Some(0), "{done:?}");
    let ends: Vec<_> = done.events().into_iter().filter(|e| e["type"] == "tool_end").collect();
    assert_eq!(ends[1]["outcome"], "failed", "{done:?}");
    whole_log(&place.logs()[0]);
    let mut command = Command::new("sh");
    command.args(["-c", "mkdir x && cd x && rmdir ../x && exec \"$0\" -p hi", env!("CARGO_BIN_EXE_e")]);
    std::fs::create_dir_all(&place.work).unwrap();
    place.surround(&mut command);
    let done = Done::of(&command.output().unwrap());
    assert_eq!(done.status, Some(1), "{done:?}");
    assert!(done.stderr.contains("working directory is gone"), "{done:?}");
}
