//! Killed without warning in the middle of a turn: what was settled is on disk, and the history stays valid.

use serde_json::json;

use super::place::Place;
use super::speak::{BOTH, Dialect, known, strict, until};
use crate::providers::server::{Act, Server};
#[cfg(target_os = "linux")]
use crate::tools::{runs, soon};

/// Starts a turn, kills `e` once `reached` holds, goes on with `-c`; gives back the last request.
fn killed(dialect: Dialect, mut replies: Vec<Vec<Act>>, reached: impl Fn(&Place, &Server) -> bool) -> String {
    let place = Place::new();
    std::fs::write(place.work.join("a.txt"), "the file\n").unwrap();
    let before = replies.len();
    replies.push(dialect.reply("Went on.", &[]));
    let server = Server::start(replies);
    known(&place, dialect, &server, 64_000);
    let mut child = place.e(&["-p", "--json", "first words"]).spawn().unwrap();
    until("the moment to kill", || reached(&place, &server));
    child.kill().unwrap();
    child.wait().unwrap();
    let [log] = &place.logs()[..] else { panic!("one session") };
    let kept = std::fs::read(log).unwrap();

    let done = place.run(&["-p", "-c", "more words"]);
    assert_eq!((done.status, &*done.stdout), (Some(0), "Went on.\n"), "{dialect:?}: {done:?}");
    assert!(std::fs::read(log).unwrap().starts_with(&kept), "what was written stays as it was");
    let bodies = strict(&server);
    assert_eq!(bodies.len(), before + 1);
    let last = bodies[before].to_string();
    assert!(last.contains("first words") && last.contains("more words"), "{last}");
    last
}

/// Whether the log of the place holds these words.
fn logged(place: &Place, words: &str) -> bool {
    place.logs().first().is_some_and(|log| std::fs::read_to_string(log).unwrap().contains(words))
}

#[test]
fn killed_while_a_reply_streams() {
    for dialect in BOTH {
        let replies = vec![dialect.stuck("A partial answer that never comes to its end.", 60)];
        killed(dialect, replies, |place, server| {
            server.requests().len() == 1 && logged(place, "first words")
        });
    }
}

#[test]
fn killed_while_a_tool_runs_keeps_the_results_that_were_settled() {
    for dialect in BOTH {
        let calls = [
            ("a", "bash", json!({"command": "touch started; exec sleep 30"})),
            ("b", "read", json!({"path": "a.txt"})),
            ("c", "bash", json!({"command": "echo quick"})),
        ];
        let last = killed(dialect, vec![dialect.reply("Working.", &calls)], |place, _| {
            place.work.join("started").exists() && logged(place, "the file") && logged(place, "\"quick")
        });
        for words in ["Working.", "the file", "quick", "No result of this call was kept"] {
            assert!(last.contains(words), "{dialect:?}: {words} is in {last}");
        }
    }
}

#[test]
fn killed_between_two_replies() {
    for dialect in BOTH {
        let replies = vec![
            dialect.reply("Step one.", &[("a", "read", json!({"path": "a.txt"}))]),
            dialect.stuck("Step two.", 0),
        ];
        let last = killed(dialect, replies, |_, server| server.requests().len() == 2);
        assert!(last.contains("Step one.") && last.contains("the file"), "{last}");
    }
}

#[test]
fn killed_again_and_again_at_any_moment_one_session_stays_whole() {
    for dialect in BOTH {
        let place = Place::new();
        std::fs::write(place.work.join("a.txt"), "the file\n").unwrap();
        let server = Server::answering(move |number, _| {
            let id = |n: usize| format!("c{number}-{n}");
            let calls = [
                (&*id(1), "bash", json!({"command": "sleep 0.02; echo slow"})),
                (&*id(2), "read", json!({"path": "a.txt"})),
                (&*id(3), "write", json!({"path": format!("{number}.txt"), "content": "z".repeat(300)})),
            ];
            let text = format!("Step {number}. {}", "words ".repeat(50));
            dialect.reply(&text, if number % 4 == 3 { &[] } else { &calls })
        });
        known(&place, dialect, &server, 64_000);
        place.run(&["-p", "prompt"]);
        let [log] = &place.logs()[..] else { panic!("one session") };
        for after in (0..12).map(|n| 12 * n) {
            let mut child = place.e(&["-p", "--json", "-c", "prompt"]).spawn().unwrap();
            std::thread::sleep(std::time::Duration::from_millis(after));
            let kept = std::fs::read(log).unwrap();
            child.kill().unwrap();
            child.wait().unwrap();
            // A line that was being written is cut; what was whole stays.
            let whole = kept.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
            assert!(std::fs::read(log).unwrap().starts_with(&kept[..whole]));
        }
        let done = place.run(&["-p", "-c", "prompt"]);
        assert_eq!((done.status, &*done.stderr), (Some(0), ""), "{dialect:?}");
        strict(&server);
        super::place::whole_log(log);
        assert_eq!(place.logs().len(), 1);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn g42_a_killed_e_leaves_none_of_its_commands_behind() {
    let place = Place::new();
    let nap = |n: u32| format!("{}.{n}", 10_000 + std::process::id());
    let naps: Vec<String> = (431..436).map(nap).collect();
    let [plain, daemon, jobs, last, back] = &naps[..] else { unreachable!() };
    let done = nap(436);
    let leave = format!(
        "setsid sh -c 'touch away; exec sleep {done}' >/dev/null 2>&1 & until test -e away; do sleep 0.02; done"
    );
    let command = format!("sleep {plain} & (setsid sleep {daemon} &); set -m; sleep {jobs} & sleep {last}");
    let model = place.script(&json!([
        [{"tool": "bash", "args": {"command": leave}}],
        [
            {"tool": "bash", "args": {"command": format!("sleep {back}"), "background": true}},
            {"tool": "bash", "args": {"command": command}}
        ]
    ]));
    let mut child = place.e(&["-p", "-m", &model, "go"]).spawn().unwrap();
    let guardian = format!("e-guardian-{}", child.id());
    until("all commands", || naps.iter().all(|nap| runs(nap)));
    assert!(runs(&guardian));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(soon(|| !naps.iter().any(|nap| runs(nap))));
    assert!(soon(|| !runs(&guardian)));
    // It left its call's session on purpose, and that call was over.
    assert!(runs(&done));
    crate::tools::end(&done);
}

#[cfg(target_os = "linux")]
#[test]
fn the_guardian_comes_with_the_first_command_and_goes_with_e() {
    let place = Place::new();
    let wait = "until test -e go; do sleep 0.02; done";
    let model = place.script(
        &json!([[{"pause_ms": 300}, "Hi."], [{"tool": "bash", "args": {"command": wait}}], ["Done."]]),
    );
    let mut child = place.e(&["-p", "-m", &model, "no command"]).spawn().unwrap();
    let guardian = format!("e-guardian-{}", child.id());
    while child.try_wait().unwrap().is_none() {
        assert!(!runs(&guardian));
    }
    let mut child = place.e(&["-p", "-c", "-m", &model, "a command"]).spawn().unwrap();
    let guardian = format!("e-guardian-{}", child.id());
    until("the guardian", || runs(&guardian));
    std::fs::write(place.work.join("go"), "").unwrap();
    assert!(child.wait().unwrap().success());
    assert!(soon(|| !runs(&guardian)));
}
