//! A whole task in a real repository: read, a failing test, an edit, a passing test; then the session goes on.

use std::process::Command;

use serde_json::json;

use super::place::{Place, whole_log};
use super::speak::{BOTH, known, strict};
use crate::providers::server::Server;

fn git(place: &Place, words: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=t", "-c", "user.email=t@localhost"]).args(words);
    place.surround(&mut command);
    let output = command.output().unwrap();
    assert!(output.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_task_in_a_repository_is_done_and_continued_in_both_dialects() {
    for dialect in BOTH {
        let place = Place::new();
        std::fs::write(place.work.join("sum.sh"), "echo $(($1 - $2))\n").unwrap();
        std::fs::write(place.work.join("test.sh"), "test \"$(sh sum.sh 2 3)\" = 5 && echo passed\n").unwrap();
        git(&place, &["init", "-q"]);
        git(&place, &["add", "-A"]);
        git(&place, &["commit", "-qm", "begin"]);
        let run = || json!({"command": "sh test.sh"});
        let edit = json!({"path": "sum.sh", "old_string": "$1 - $2", "new_string": "$1 + $2"});
        let server = Server::start(vec![
            dialect.reply("I look.", &[("a", "read", json!({"path": "sum.sh"})), ("b", "bash", run())]),
            dialect.reply("", &[("c", "edit", edit)]),
            dialect.reply("", &[("d", "bash", run())]),
            dialect.reply("The sign was wrong.", &[]),
            dialect.reply("Gladly.", &[]),
        ]);
        known(&place, dialect, &server, 64_000);

        let done = place.run(&["-p", "fix the test"]);
        let said = (done.status, &*done.stdout, &*done.stderr);
        assert_eq!(said, (Some(0), "I look.\nThe sign was wrong.\n", ""), "{dialect:?}");
        assert_eq!(std::fs::read_to_string(place.work.join("sum.sh")).unwrap(), "echo $(($1 + $2))\n");
        assert_eq!(git(&place, &["status", "--porcelain"]), " M sum.sh\n");
        let bodies = strict(&server);
        assert!(bodies[1].to_string().contains("echo $(($1 - $2))"), "the file was read");
        assert!(bodies[3].to_string().contains("passed"), "the test ran");

        let done = place.run(&["-p", "-c", "thank you"]);
        assert_eq!((done.status, &*done.stdout), (Some(0), "Gladly.\n"), "{done:?}");
        let bodies = strict(&server);
        assert_eq!(bodies.len(), 5);
        let last = bodies[4].to_string();
        for words in ["fix the test", "I look.", "$1 - $2", "passed", "The sign was wrong.", "thank you"] {
            assert!(last.contains(words), "{dialect:?}: {words} is in {last}");
        }
        let [log] = &place.logs()[..] else { panic!("one session") };
        whole_log(log);
    }
}
