//! What extensions show and ask, from a real process to a real screen and back.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use rustix::termios::LocalModes;
use serde_json::json;

use super::rig::{Rig, children, named, shell, speaking};
use super::screen::until;
use crate::screen::rig::{QUIET, quit, ready, submit};
use crate::term::pty::Pty;

impl Rig {
    /// An example as the guide has people install it.
    fn install(&self, name: &str) {
        let from =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guides/extend/examples").join(name);
        self.add(name, &std::fs::read_to_string(from).unwrap());
    }

    fn settings(&self, settings: &serde_json::Value) {
        std::fs::write(self.place.home.path("settings.json"), settings.to_string()).unwrap();
    }
}

/// Waits until nothing moves, so that a lone Esc is one.
fn esc(pty: &Pty) {
    pty.settle(QUIET);
    pty.send("\x1b");
    pty.settle(QUIET);
}

#[test]
fn exthost_a_gate_that_asks_is_a_permission_prompt() {
    let rig = Rig::new();
    rig.install("gate.mjs");
    rig.settings(&json!({"extensions": {"gate": {"ask": true}}}));
    let model = rig.place.script(&json!([
        [{"tool": "bash", "args": {"command": "touch allowed"}}],
        [{"tool": "bash", "args": {"command": "touch refused"}}],
        [{"expect": "did not allow"}, "Well then."]
    ]));
    let mut pty = ready(rig.spawn_with(&model).start());
    submit(&pty, "do it");
    pty.wait_for("Run this command?");
    pty.wait_for("touch allowed");
    // Longer than a hook has: it is the person who thinks.
    std::thread::sleep(Duration::from_millis(5_500));
    assert!(!rig.place.work.join("allowed").exists() && pty.text().contains("Run this command?"));
    pty.send("\r");
    pty.wait_for("touch refused");
    assert!(rig.place.work.join("allowed").exists());
    pty.send("\x1b[B");
    pty.settle(QUIET);
    pty.send("\r");
    pty.wait_for("Well then.");
    assert!(!rig.place.work.join("refused").exists());
    assert_eq!(quit(&mut pty), Some(0));
    rig.nothing_left();
}

const SURFACES: &str = r#"
    *'"method":"command.complete"'*) answer '{"items":[{"value":"staging","description":"eu-west"}]}' ;;
    *'"method":"command"'*'"name":"open"'*)
      printf '%s\n' '{"id":"p","method":"ui.panel","params":{"title":"Checks","interactive":true,"lines":["row one"]}}'
      printf '%s\n' '{"id":"w","method":"ui.widget","params":{"lines":[[{"text":"ok ","token":"success"},"widget row"]]}}'
      printf '%s\n' '{"id":"s","method":"ui.status","params":{"text":"12 passed"}}'
      answer '{}' ;;
    *'"method":"command"'*'"name":"patch"'*)
      answer '{"show":{"title":"A patch","body":"--- a/x.rs\n+++ b/x.rs\n@@ -7 +7 @@\n-old words\n+new words\n","format":"diff"}}' ;;
    *'"method":"shortcut"'*) answer '{"notice":"the shortcut fired"}' ;;
    *'"method":"ui.key"'*'"key":"down"'*)
      printf '%s\n' '{"id":"p","method":"ui.panel","params":{"title":"Checks","interactive":true,"lines":["row two"]}}' ;;
    *'"method":"ui.panel_closed"'*) touch closed ;;
"#;

#[test]
fn exthost_every_surface_reaches_the_screen() {
    let manifest = json!({"name": "s", "events": [], "shortcuts": [{"key": "ctrl+alt+g"}], "commands": [
        {"name": "open"}, {"name": "patch"}, {"name": "env", "arguments": "<env>", "completions": true}]});
    let rig = Rig::new();
    rig.add("s.sh", &shell(&manifest, SURFACES));
    let mut pty = ready(rig.spawn().size(100, 30).start());
    submit(&pty, "/open");
    for shown in ["Checks", "row one", "ok widget row", "keys go to s"] {
        pty.wait_for(shown);
    }
    pty.send("\x1b[B");
    pty.wait_for("row two");
    esc(&pty);
    pty.wait_gone("row two");
    pty.wait_for("12 passed");
    until("the extension hears of it", || rig.place.work.join("closed").exists());
    pty.send("\x1b\x07");
    pty.wait_for("the shortcut fired");
    pty.send("/env st");
    pty.wait_for("eu-west");
    pty.send("\t");
    pty.wait_for("/env staging");
    pty.send("\x15");
    pty.wait_gone("/env staging");
    submit(&pty, "/patch");
    pty.wait_for("A patch");
    pty.wait_for("7 - old words");
    pty.wait_for("7 + new words");
    // Another process in its place, and nothing of the old one on the screen.
    let before = children(pty.pid());
    submit(&pty, "/extensions");
    pty.wait_for("s.sh");
    pty.send("r");
    let id = |stat: &String| stat.split(' ').next().map(str::to_owned);
    until("another process", || {
        let now = children(pty.pid());
        now.len() == 1 && id(&now[0]) != id(&before[0])
    });
    esc(&pty);
    pty.wait_gone("widget row");
    assert!(!pty.text().contains("12 passed"), "{}", pty.text());
    submit(&pty, "/open");
    pty.wait_for("widget row");
    esc(&pty);
    assert_eq!(quit(&mut pty), Some(0));
    rig.nothing_left();
}

#[test]
fn exthost_one_that_stops_reading_is_dead_when_4_mib_wait() {
    let rig = Rig::new();
    // Each request is answered with its id: these answers alone are more than may wait.
    let asks = "id=$(head -c 1000000 /dev/zero | tr '\\0' x)\n\
                for n in 1 2 3 4 5 6; do printf '{\"id\":\"%s\",\"method\":\"ui.status\",\"params\":{}}\\n' \"$id\"; done\n\
                touch asked; sleep 100";
    rig.add("a.sh", &speaking("", &format!("answer '{}'\n{asks}", named("a")), ""));
    let mut pty = ready(rig.spawn().size(120, 24).start());
    pty.wait_for("extension a.sh: it stopped reading: 4 MiB waited for it");
    assert_eq!(children(pty.pid()), Vec::<String>::new());
    assert_eq!(quit(&mut pty), Some(0));
    rig.nothing_left();
}

#[test]
fn exthost_a_panic_leaves_no_extension_behind() {
    let rig = Rig::new();
    let deaf = format!(
        "trap '' TERM INT HUP PIPE; touch up; answer '{}'; sleep 100 & while :; do sleep 1; done",
        named("a")
    );
    rig.add("a.sh", &speaking("", &deaf, ""));
    let model = rig.model();
    let script = model.strip_prefix("script/").unwrap();
    let mut spawn = rig.spawn().program(std::env::current_exe().unwrap());
    let words = ["screen::panicking::as_a_program", "--exact", "--ignored", "--nocapture", "--quiet"];
    spawn.args = words.map(str::to_owned).to_vec();
    let mut pty = ready(spawn.env("PANICKING_SCRIPT", script).start());
    until("the extension is up", || rig.place.work.join("up").exists());
    pty.send("boom");
    pty.wait_for("a bug ended this program");
    assert_eq!(pty.wait_exit().code(), Some(70));
    assert!(pty.termios().local_modes.contains(LocalModes::ICANON | LocalModes::ECHO));
    rig.nothing_left();
}

#[test]
fn exthost_a_command_needs_no_model() {
    let rig = Rig::new();
    let arms = "*'\"method\":\"command\"'*) answer '{\"notice\":\"pong\"}' ;; \
                *'\"text\":\"psst\"'*) answer '{\"consume\":true,\"notice\":\"heard\"}' ;; \
                *'\"method\":\"hook.'*) answer '{}' ;;";
    let manifest = json!({"name": "a", "commands": [{"name": "ping"}], "hooks": ["input"], "events": []});
    rig.add("a.sh", &shell(&manifest, arms));
    for (prompt, said) in [("/ping", "pong\n"), ("/a:ping x", "pong\n"), ("psst", "heard\n")] {
        let done = rig.run(&["-p", prompt]);
        assert_eq!((done.status, &*done.stdout, &*done.stderr), (Some(0), "", said), "{prompt}");
    }
    let done = rig.run(&["-p", "hello"]);
    assert!(done.status == Some(1) && done.stderr.contains("No model can be used yet"), "{done:?}");
}

#[test]
fn exthost_a_loaded_key_is_masked_in_what_an_extension_says() {
    let rig = Rig::new();
    // Keys are known when the models are, which a turn waits for.
    let says = r#"*'"name":"turn_start"'*)
        printf '{"method":"notify","params":{"message":"key %s"}}\n' "$ANTHROPIC_API_KEY"
        echo "on stderr: $ANTHROPIC_API_KEY" >&2
        printf '{"id":"%s","method":"no.such"}\n' "$ANTHROPIC_API_KEY" ;;
        *'no.such'*) printf '%s\n' "$line" >echoed ;;"#;
    rig.add("a.sh", &shell(&json!({"name": "a", "events": ["turn_start"]}), says));
    let key = "sk-ant-0123456789abcdef";
    let model = rig.model();
    let mut command = rig.e(&["-p", "-m", &model, "hello"]);
    let done = crate::headless::place::Done::of(&command.env("ANTHROPIC_API_KEY", key).output().unwrap());
    assert_eq!((done.status, &*done.stdout), (Some(0), "Done.\n"), "{done:?}");
    let masked = "*".repeat(key.len());
    assert!(done.stderr.contains(&format!("key {masked}\n")), "{done:?}");
    assert!(done.stderr.contains(&format!("on stderr: {masked}\n")), "{done:?}");
    assert!(!done.stderr.contains(key), "{done:?}");
    // An id is the extension's own and comes back as it was.
    let echoed = std::fs::read_to_string(rig.place.work.join("echoed")).unwrap();
    assert!(echoed.contains(&format!("{{\"id\":\"{key}\"")), "{echoed}");
    rig.nothing_left();
}

#[test]
fn exthost_a_missing_execute_bit_is_no_extension() {
    let rig = Rig::new();
    rig.add("a.sh", "#!/bin/sh\ntouch ran\n");
    let path = rig.place.home.path("extensions/a.sh");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let done = rig.turn(&[]);
    assert_eq!((done.status, &*done.stdout, &*done.stderr), (Some(0), "Done.\n", ""), "{done:?}");
    assert!(!rig.place.work.join("ran").exists());
}
