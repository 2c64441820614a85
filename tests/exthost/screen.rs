//! Extensions while a person looks at the screen: the first frame waits for nobody, floods cost nobody a key, and what
//! fails or starts anew leaves the terminal as it was.

use std::time::{Duration, Instant};

use serde_json::json;

use super::rig::{Rig, children, named, shell, speaking};
use crate::screen::rig::{quit, ready};
use crate::term::pty::{Pty, Spawn};

impl Rig {
    pub fn spawn(&self) -> Spawn {
        self.spawn_with(&self.model())
    }

    pub fn spawn_with(&self, model: &str) -> Spawn {
        let spawn = self.variables().into_iter().fold(Spawn::new(&self.place.work), |s, (k, v)| s.env(k, v));
        spawn.arg("-m").arg(model)
    }
}

/// Waits until something outside the screen is true.
#[track_caller]
pub fn until(what: &str, fulfilled: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !fulfilled() {
        assert!(Instant::now() < end, "never came: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn exthost_the_screen_waits_for_no_handshake_and_submitted_lines_do() {
    let rig = Rig::new();
    let wait = "while [ ! -e go ]; do sleep 0.05; done";
    rig.add("a.sh", &speaking("", &format!("{wait}; answer '{}'", named("a")), ""));
    let mut pty = rig.spawn().start();
    pty.wait_for("›");
    pty.send("first words");
    pty.wait_for("first words");
    pty.send("\r");
    pty.settle(Duration::from_millis(300));
    assert!(!pty.text().contains("Done."), "{}", pty.text());
    std::fs::write(rig.place.work.join("go"), "").unwrap();
    pty.wait_for("Done.");
    assert_eq!(quit(&mut pty), Some(0));
    rig.nothing_left();
}

#[test]
fn x10_a_crash_is_one_notice_and_leaves_no_zombie() {
    let rig = Rig::new();
    let manifest = json!({"name": "a", "hooks": ["tool_call", "input"]});
    let wait = "while [ ! -e die ]; do sleep 0.05; done; kill -SEGV $$";
    rig.add("a.sh", &speaking("", &format!("answer '{manifest}'; {wait}"), ""));
    rig.add("b.sh", &speaking("", &format!("answer '{}'; sleep 100 & exit 5", named("b")), ""));
    let mut pty = ready(rig.spawn().size(120, 30).start());
    pty.wait_for("extension b.sh: it exited (exit status 5)");
    assert_eq!(children(pty.pid()).len(), 1, "{:?}", children(pty.pid()));
    std::fs::write(rig.place.work.join("die"), "").unwrap();
    pty.wait_for("extension a.sh: it exited (signal 11); its hooks tool_call and input now fail open");
    assert_eq!(children(pty.pid()), Vec::<String>::new());
    assert_eq!(quit(&mut pty), Some(0));
    let said = pty.history().iter().filter(|row| row.contains("it exited")).count();
    assert_eq!(said, 2, "{:?}", pty.history());
    rig.nothing_left();
}

#[test]
fn exthost_a_signal_ends_the_extensions_too() {
    let rig = Rig::new();
    let deaf = format!("trap '' TERM INT HUP; touch up; answer '{}'; while :; do sleep 1; done", named("a"));
    rig.add("a.sh", &speaking("", &deaf, ""));
    let mut pty = ready(rig.spawn().start());
    until("the extension is up", || rig.place.work.join("up").exists());
    pty.signal(rustix::process::Signal::TERM);
    assert_eq!(pty.wait_exit().code(), Some(143));
    rig.nothing_left();
}

#[test]
fn exthost_a_launch_that_fails_leaves_the_terminal_as_it_was() {
    let rig = Rig::new();
    let arm = "*'\"method\":\"hook.startup\"'*) while [ ! -e go ]; do sleep 0.05; done; answer null ;;";
    rig.add("a.sh", &shell(&json!({"name": "a", "hooks": ["startup"]}), arm));
    let mut pty = ready(rig.spawn().size(120, 24).start());
    pty.send("some draft");
    pty.wait_for("some draft");
    std::fs::write(rig.place.work.join("go"), "").unwrap();
    assert_eq!(pty.wait_exit().code(), Some(1));
    let rows: Vec<String> = pty.history().into_iter().filter(|row| !row.is_empty()).collect();
    assert!(
        rows[0].starts_with("e: extension a.sh: its startup hook failed, so e does not start"),
        "{rows:?}"
    );
    assert!(rows.iter().all(|row| !row.contains("some draft") && !row.contains('›')), "{rows:?}");
    rig.nothing_left();
}

#[test]
fn exthost_a_relaunch_keeps_process_and_terminal() {
    let rig = Rig::new();
    let there = rig.place.dir.path().join("over-there");
    std::fs::create_dir(&there).unwrap();
    e::effects::home::trust::record(&rig.place.home, &there, true).unwrap();
    let relaunch = json!({"relaunch": {"cwd": there, "env": {"GUARD": "1"}}});
    let go = format!("if [ -n \"$GUARD\" ]; then answer '{{}}'; else answer '{relaunch}'; fi");
    let arms =
        format!("*'\"method\":\"hook.startup\"'*) {go} ;; *'\"name\":\"session_start\"'*) touch up ;;");
    let manifest = json!({"name": "a", "hooks": ["startup"], "events": ["session_start"]});
    rig.add("a.sh", &shell(&manifest, &arms));
    let mut pty = rig.spawn().start();
    let pid = pty.pid();
    until("the relaunched session", || there.join("up").exists());
    let pty_ready = ready(pty);
    pty = pty_ready;
    assert_eq!(std::fs::read_link(format!("/proc/{pid}/cwd")).unwrap(), there.canonicalize().unwrap());
    assert_eq!(children(pid).len(), 1, "the old process is reaped, the new one runs: {:?}", children(pid));
    let prompts = pty.text().matches('›').count();
    assert_eq!(prompts, 1, "{}", pty.text());
    assert_eq!(quit(&mut pty), Some(0));
    rig.nothing_left();
}

/// Kibibytes of memory a process has at most had.
fn peak(pty: &Pty) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", pty.pid())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn exthost_a_flood_costs_no_key_and_little_memory() {
    let idle = {
        let rig = Rig::new();
        rig.add("a.sh", &shell(&named("a"), ""));
        let mut pty = ready(rig.spawn().start());
        let peak = peak(&pty);
        assert_eq!(quit(&mut pty), Some(0));
        peak
    };
    let rig = Rig::new();
    let flood = r#"yes '{"method":"notify","params":{"message":"notice"}}' | head -n 100000
        yes 'no message of the protocol, only a line that somebody printed' | head -c 50000000
        yes 'a line of stderr' | head -n 100000 >&2
        yes '{"id":1,"result":null}' | head -n 100000
        yes '{"id":"q","method":"ui.notify","params":{"message":""}}' | head -n 20000
        touch flooded"#;
    rig.add("a.sh", &speaking("", &format!("answer '{}'\n{flood}", named("a")), ""));
    let mut pty = rig.spawn().start();
    pty.wait_for("notice");
    let mut typed = String::new();
    while !rig.place.work.join("flooded").exists() {
        let word = format!("w{} ", typed.len());
        pty.send(&word);
        typed += &word;
        pty.wait_for(word.trim_end());
        if typed.len() > 60 {
            pty.send("\x15");
            pty.wait_gone(word.trim_end());
            typed.clear();
        }
    }
    pty.send("\x15");
    let more = peak(&pty).saturating_sub(idle);
    assert!(more < 48 * 1024, "{more} KiB more than the {idle} KiB without a flood");
    assert_eq!(quit(&mut pty), Some(0));
    rig.nothing_left();
}
