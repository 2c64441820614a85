//! `e ext check` as a program: what it prints, its statuses, and what it leaves behind.

use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::Value;

use super::{everything, python};

/// The guide's own extension.
pub const PING: &str = r#"#!/bin/sh
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9][0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*)
      printf '{"id":%s,"result":{"name":"ping","version":"1","commands":[{"name":"ping","description":"are you there"}]}}\n' "$id" ;;
    *'"command"'*)
      printf '{"id":%s,"result":{"notice":"pong"}}\n' "$id" ;;
    *'"shutdown"'*) exit 0 ;;
  esac
done
"#;

pub struct Place {
    pub root: tempfile::TempDir,
}

impl Place {
    pub fn new() -> Place {
        let root = tempfile::tempdir().unwrap();
        for name in ["tmp", "home", "ext"] {
            std::fs::create_dir(root.path().join(name)).unwrap();
        }
        Place { root }
    }

    /// Puts a file there; executables are made by another process, so that no fork of a test holds them open for writing.
    pub fn put(&self, name: &str, text: &str, mode: &str) -> String {
        let path = self.root.path().join("ext").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let draft = self.root.path().join("draft");
        std::fs::write(&draft, text).unwrap();
        let status = Command::new("install").args(["-m", mode]).arg(&draft).arg(&path).status().unwrap();
        assert!(status.success());
        path.to_string_lossy().into_owned()
    }

    fn check(&self, args: &[&str], env: &[(&str, &str)]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_e"))
            .args(["ext", "check"])
            .args(args)
            .env("TMPDIR", self.root.path().join("tmp"))
            .env("E_HOME", self.root.path().join("home"))
            .envs(env.iter().copied())
            .output()
            .unwrap()
    }

    /// What a check left in the place for temporary files.
    fn left(&self) -> usize {
        std::fs::read_dir(self.root.path().join("tmp")).unwrap().count()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn the_guides_ping_passes_and_nothing_stays_behind() {
    let place = Place::new();
    let ping = place.put("ping.sh", PING, "755");
    let out = place.check(&[&ping], &[]);
    let said = text(&out.stdout);
    assert_eq!(out.status.code(), Some(0), "{said}");
    assert!(said.lines().any(|line| line.starts_with("pass") && line.contains("command.answers")), "{said}");
    assert!(
        said.lines().any(|line| line.starts_with("not declared") && line.contains("tools.names")),
        "{said}"
    );
    assert!(said.lines().last().unwrap().starts_with("ping: 2") && said.contains(" 0 failed, "), "{said}");
    assert_eq!((place.left(), out.stderr.len()), (0, 0));
}

#[test]
fn a_failure_is_status_1_with_the_lines_that_show_it() {
    let Some(env) = python() else { return };
    let place = Place::new();
    let path = everything();
    let args = [path.to_str().unwrap()];
    let env = [("MUTANT", "tool-shape"), ("PATH", env["PATH"].as_str())];
    let out = place.check(&args, &env);
    let said = text(&out.stdout);
    assert_eq!(out.status.code(), Some(1), "{said}");
    let lines: Vec<&str> = said.lines().skip_while(|line| !line.starts_with("fail")).take(4).collect();
    let [fail, why, sent, received] = lines.as_slice() else { panic!("{said}") };
    assert!(fail.contains("tool_call.shape"), "{fail}");
    assert!(why.contains("`content` of the result must be a string, not a list"), "{why}");
    assert!(
        sent.contains(r#""method":"tool_call""#) && received.contains(r#""content":["hi"]"#),
        "{sent}\n{received}"
    );
    let out = place.check(&[args[0], "--json"], &env);
    assert_eq!(out.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&out.stdout).unwrap();
    let rules = report["rules"].as_array().unwrap();
    let count = |word: &str| rules.iter().filter(|rule| rule["outcome"] == word).count();
    for (word, key) in [("pass", "passed"), ("fail", "failed"), ("skipped", "skipped")] {
        assert_eq!(report[key], count(word), "{key}");
    }
    assert_eq!((&report["extension"], report["failed"].as_u64()), (&"everything".into(), Some(1)));
    let failed = rules.iter().find(|rule| rule["outcome"] == "fail").unwrap();
    assert_eq!(failed["id"], "tool_call.shape");
    assert!(failed["received"].as_str().unwrap().contains(r#"["hi"]"#));
    assert_eq!(place.left(), 0);
}

#[test]
fn what_cannot_be_started_is_told_with_its_reason() {
    let place = Place::new();
    let plain = place.put("plain.sh", PING, "644");
    let out = place.check(&[&plain], &[]);
    let said = text(&out.stdout);
    assert_eq!(out.status.code(), Some(1));
    assert!(said.starts_with("fail          start.entry") && said.contains("chmod +x"), "{said}");
    let lost = place.put("lost.sh", "#!/no/such/interpreter\n", "755");
    let out = place.check(&[&lost], &[]);
    let said = text(&out.stdout);
    assert_eq!(out.status.code(), Some(1));
    assert!(said.contains("fail          start.runs") && said.contains("/no/such/interpreter"), "{said}");
    let out = place.check(&["nothing-here"], &[]);
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("nothing-here"), "{}", text(&out.stderr));
    assert_eq!(place.check(&[], &[]).status.code(), Some(2));
    assert_eq!(place.left(), 0);
}

#[test]
fn a_bundle_is_its_entry_point() {
    let place = Place::new();
    place.put("ping/index.sh", PING, "755");
    place.put("ping/other.sh", "#!/bin/sh\nexit 7\n", "755");
    let bundle = place.root.path().join("ext/ping");
    let out = place.check(&[bundle.to_str().unwrap()], &[]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stdout));
    place.put("two/a.sh", PING, "755");
    place.put("two/b.sh", PING, "755");
    let two = place.root.path().join("ext/two");
    let out = place.check(&[two.to_str().unwrap()], &[]);
    assert_eq!(out.status.code(), Some(1));
    assert!(text(&out.stdout).contains("2 executables and no entry point"), "{}", text(&out.stdout));
}

#[test]
fn it_plays_in_a_scratch_folder_with_an_empty_home() {
    let place = Place::new();
    let script = PING.replace(
        r#""notice":"pong""#,
        r#""notice":"'"$(pwd) $HOME $E_HOME $(ls -A "$HOME" . | tr '\n' ' ')"'""#,
    );
    let script = script.replace(
        r#"printf '{"id":%s,"result":{"notice""#,
        r#"{ echo "$PWD $HOME $E_HOME"; ls -A "$HOME" .; } >>"$SEEN"; printf '{"id":%s,"result":{"notice""#,
    );
    let path = place.put("where.sh", &script, "755");
    let seen = place.root.path().join("seen");
    let out = place.check(&[&path], &[("SEEN", seen.to_str().unwrap())]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stdout));
    let seen = std::fs::read_to_string(&seen).unwrap();
    let first = seen.lines().next().unwrap();
    let [cwd, home, own] = first.split(' ').collect::<Vec<_>>()[..] else { panic!("{first}") };
    assert!(cwd.contains("e-ext-check-") && home.contains("e-ext-check-") && cwd != home, "{first}");
    assert_eq!(own, format!("{home}/.e"));
    assert!(!seen.lines().any(|line| line.ends_with(".sh")), "both are empty: {seen}");
    assert!(!Path::new(cwd).exists());
}

#[test]
fn a_signal_ends_the_check_and_the_extension() {
    let place = Place::new();
    let path = place.put("deaf.sh", "#!/bin/sh\necho $$ >\"$SEEN\"\nwhile :; do sleep 1; done\n", "755");
    let seen = place.root.path().join("seen");
    let mut check = Command::new(env!("CARGO_BIN_EXE_e"))
        .args(["ext", "check", "--patience", "200", &path])
        .env("TMPDIR", place.root.path().join("tmp"))
        .env("E_HOME", place.root.path().join("home"))
        .env("SEEN", &seen)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let child = loop {
        match std::fs::read_to_string(&seen) {
            Ok(text) if text.ends_with('\n') => break text.trim().parse().unwrap(),
            _ => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let of = |id: i32| Pid::from_raw(id).unwrap();
    kill_process(of(i32::try_from(check.id()).unwrap()), Signal::TERM).unwrap();
    assert_eq!(check.wait().unwrap().code(), Some(143));
    assert!(test_kill_process(of(child)).is_err(), "it is gone");
    assert_eq!(place.left(), 0);
}

#[test]
fn settings_are_sent_on_request_and_a_misleading_id_in_them_is_told() {
    let place = Place::new();
    let script = PING.replace(
        "while IFS= read -r line; do",
        "while IFS= read -r line; do\n  printf '%s\\n' \"$line\" >>\"$SEEN\"",
    );
    let path = place.put("ping.sh", &script, "755");
    let seen = place.root.path().join("seen");
    let env = [("SEEN", seen.to_str().unwrap())];
    let settings = place.put("settings.json", r#"{"extensions": {"ping": {"greeting": "hey"}}}"#, "644");
    let out = place.check(&[&path, "--settings", &settings], &env);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stdout));
    let heard = std::fs::read_to_string(&seen).unwrap();
    assert!(
        heard.lines().next().unwrap().contains(r#""extensions_config":{"ping":{"greeting":"hey"}}"#),
        "{heard}"
    );
    assert!(!text(&out.stdout).contains("config.id"));
    // The person's own settings are only looked at.
    std::fs::write(place.root.path().join("home/settings.json"), r#"{"extensions": {"ping": {"id": 7}}}"#)
        .unwrap();
    let out = place.check(&[&path], &env);
    let said = text(&out.stdout);
    assert_eq!(out.status.code(), Some(0), "{said}");
    assert!(said.lines().any(|line| line.starts_with("warn") && line.contains("config.id")), "{said}");
}
