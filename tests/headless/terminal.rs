//! The same work in the terminal, against a real server: a task, a kill, going on; queued words; a key; broken files.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::place::Place;
use super::speak::{BOTH, Dialect, known, strict, until};
use crate::providers::server::Server;
use crate::term::pty::{Pty, Spawn};

/// `e` with these words on a terminal of its own, its composer shown.
fn start(place: &Place, words: &[&str]) -> Pty {
    let mut spawn = Spawn::new(&place.work)
        .size(100, 30)
        .env("HOME", place.home.user().to_str().unwrap())
        .env("E_HOME", place.home.root().to_str().unwrap());
    for word in words {
        spawn = spawn.arg(*word);
    }
    let pty = spawn.start();
    pty.wait_for("›");
    pty
}

/// Types a line and sends it, each in a read of its own.
fn submit(pty: &Pty, line: &str) {
    pty.send(line);
    pty.wait_for(line);
    pty.send("\r");
}

#[test]
fn a_task_is_done_killed_and_continued_in_both_dialects() {
    for dialect in BOTH {
        let place = Place::new();
        fs::write(place.work.join("a.txt"), "one\ntwo\n").unwrap();
        let edit = json!({"path": "a.txt", "old_string": "two", "new_string": "three"});
        let server = Server::start(vec![
            dialect.reply("I look.", &[("a", "read", json!({"path": "a.txt"}))]),
            dialect.reply("", &[("b", "edit", edit), ("c", "bash", json!({"command": "grep three a.txt"}))]),
            dialect.stuck("Now this reply never comes to its end, whatever one does.", 60),
            dialect.reply("Went on.", &[]),
        ]);
        known(&place, dialect, &server, 64_000);
        let mut pty = start(&place, &[]);
        submit(&pty, "change two to three");
        pty.wait_for("Edited a.txt");
        until("the third request", || server.requests().len() == 3);
        assert_eq!(fs::read_to_string(place.work.join("a.txt")).unwrap(), "one\nthree\n");
        pty.signal(rustix::process::Signal::KILL);
        pty.wait_exit();

        let pty = start(&place, &["-c"]);
        pty.wait_for("change two to three");
        pty.wait_for("Edited a.txt");
        submit(&pty, "and now");
        pty.wait_for("Went on.");
        let last = strict(&server).pop().unwrap().to_string();
        for words in ["change two to three", "I look.", "2\\ttwo", "Edited a.txt", "and now"] {
            assert!(last.contains(words), "{dialect:?}: {words} is in {last}");
        }
    }
}

#[test]
fn queued_words_come_back_with_the_draft_when_the_turn_is_interrupted() {
    let dialect = Dialect::Anthropic;
    let place = Place::new();
    let server = Server::start(vec![
        dialect.stuck("These words stream and then no more of them come.", 70),
        dialect.reply("Both are here.", &[]),
    ]);
    known(&place, dialect, &server, 64_000);
    let pty = start(&place, &[]);
    submit(&pty, "begin");
    pty.wait_for("These words");
    submit(&pty, "queued words");
    pty.wait_for("queued queued words");
    pty.send("half typed");
    pty.wait_for("› half typed");
    pty.send("\x1b");
    pty.wait_for("› queued words");
    pty.wait_for("half typed");
    pty.send("\r");
    pty.wait_for("Both are here.");
    let last = strict(&server).pop().unwrap().to_string();
    assert!(last.contains("queued words\\nhalf typed"), "{last}");
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn a_key_reaches_auth_json_and_the_provider_and_nothing_else() {
    let key = "sk-ant-api03-Zq7Zq7Zq7Zq7Zq7Zq7Zq7Zq7Zq7Zq7";
    let dialect = Dialect::Anthropic;
    let place = Place::new();
    let show = json!({"command": format!("cat {}", place.home.path("auth.json").display())});
    let server =
        Server::start(vec![dialect.reply("I look.", &[("a", "bash", show)]), dialect.reply("Masked.", &[])]);
    known(&place, dialect, &server, 64_000);
    let pty = start(&place, &[]);
    submit(&pty, "/login mock");
    pty.wait_for("API key for mock");
    pty.send(format!("\x1b[200~{key}\x1b[201~"));
    pty.wait_for("•");
    pty.send("\r");
    pty.wait_for("Signed in to mock");
    submit(&pty, "show it");
    pty.wait_for("Masked.");

    let auth = place.home.path("auth.json");
    assert_eq!(fs::metadata(&auth).unwrap().permissions().mode() & 0o777, 0o600);
    for path in files(place.dir.path()) {
        let holds = String::from_utf8_lossy(&fs::read(&path).unwrap()).contains(key);
        assert_eq!(holds, path == auth, "{}", path.display());
    }
    assert!(!String::from_utf8_lossy(&pty.raw()).contains(&key[..20]), "no part of it is painted");
    let seen = server.requests();
    assert_eq!(seen.len(), 2);
    for request in seen {
        assert!(request.head.contains(&format!("x-api-key: {key}")), "{}", request.head);
        assert!(!request.body.to_string().contains(key));
    }
}

#[test]
fn broken_files_of_the_look_are_told_at_the_start_and_cost_only_themselves() {
    let place = Place::new();
    let server = Server::start(vec![Dialect::Completions.reply("Fine.", &[])]);
    known(&place, Dialect::Completions, &server, 64_000);
    fs::write(place.home.path("settings.json"), "{\"model\": \"mock/m\", \"theme\": \"drak\"}").unwrap();
    fs::write(place.home.path("keybindings.json"), "{\"ctrl+q\": \"nosuch\"}").unwrap();
    fs::write(place.home.path("layout.json"), "{\"split_min\": }").unwrap();
    let pty = start(&place, &[]);
    for words in ["did you mean \"dark\"?", "keybindings.json:1:", "\"nosuch\"", "layout.json:1:"] {
        pty.wait_for(words);
    }
    submit(&pty, "hello");
    pty.wait_for("Fine.");
}
