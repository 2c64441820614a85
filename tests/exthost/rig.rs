//! A scratch home with extensions in it, and what is left of their processes.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::headless::place::{Done, Place};

/// Finds the processes of one test.
const MARK: &str = "EXTHOST_TEST";

pub struct Rig {
    pub place: Place,
}

/// A shell extension: answers the handshake with `manifest`, then runs `case` arms on each line. `$i` is the line's id and
/// `answer` answers it.
pub fn shell(manifest: &Value, arms: &str) -> String {
    speaking("", &format!("answer '{manifest}'"), arms)
}

/// The same with a prelude before the first line is read, and anything in place of the handshake's answer.
pub fn speaking(prelude: &str, greeting: &str, arms: &str) -> String {
    format!(
        r#"#!/bin/sh
answer() {{ printf '{{"id":%s,"result":%s}}\n' "$i" "$1"; }}
{prelude}
while read -r line; do
  i=${{line#*\"id\":}}; i=${{i%%,*}}
  case "$line" in
    *'"method":"initialize"'*) {greeting} ;;
    {arms}
    *'"method":"shutdown"'*) exit 0 ;;
  esac
done
"#
    )
}

/// A manifest with nothing but a name.
pub fn named(name: &str) -> Value {
    json!({"name": name})
}

impl Rig {
    pub fn new() -> Rig {
        let place = Place::new();
        std::fs::create_dir_all(place.home.path("extensions")).unwrap();
        Rig { place }
    }

    /// Adds an executable.
    pub fn add(&self, name: &str, text: &str) -> &Rig {
        let path = self.place.home.path("extensions").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        let mut mode = std::fs::metadata(&path).unwrap().permissions();
        mode.set_mode(0o755);
        std::fs::set_permissions(&path, mode).unwrap();
        self
    }

    /// The program with these words.
    pub fn e(&self, words: &[&str]) -> Command {
        let mut command = self.place.e(words);
        command.env(MARK, self.place.dir.path());
        command
    }

    /// Runs to the end; nothing of an extension is left then.
    #[track_caller]
    pub fn run(&self, words: &[&str]) -> Done {
        let done = Done::of(&self.e(words).output().unwrap());
        self.nothing_left();
        done
    }

    /// A turn with a script of one reply, after a pause in which extensions may do what they want.
    #[track_caller]
    pub fn turn(&self, words: &[&str]) -> Done {
        let model = self.model();
        let mut all = vec!["-p", "-m", &*model, "hello"];
        all.extend(words);
        self.run(&all)
    }

    pub fn model(&self) -> String {
        self.place.script(&json!([[{"pause_ms": 300}, "Done."]]))
    }

    /// The variables that the program has on a terminal.
    pub fn variables(&self) -> Vec<(String, String)> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        vec![
            ("HOME".into(), text(self.place.home.user())),
            ("E_HOME".into(), text(self.place.home.root())),
            (MARK.into(), text(self.place.dir.path())),
        ]
    }

    /// No process of this test but the program's own runs any more.
    #[track_caller]
    pub fn nothing_left(&self) {
        let mark = format!("{MARK}={}", self.place.dir.path().display());
        let left: Vec<String> = processes()
            .into_iter()
            .filter(|(pid, _, _)| {
                let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
                environ.split(|b| *b == 0).any(|entry| entry == mark.as_bytes())
            })
            .map(|(pid, _, stat)| format!("{pid}: {stat}"))
            .collect();
        assert_eq!(left, Vec::<String>::new(), "processes are left");
    }
}

/// Every process: its id, its parent's, and what the system says of it.
fn processes() -> Vec<(u32, u32, String)> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.filter_map(|pid| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let (_, behind) = stat.rsplit_once(") ")?;
        let parent = behind.split(' ').nth(1)?.parse().ok()?;
        Some((pid, parent, stat))
    })
    .collect()
}

/// The children of a process, dead ones that nobody reaped included.
pub fn children(of: u32) -> Vec<String> {
    processes().into_iter().filter(|(_, parent, _)| *parent == of).map(|(_, _, stat)| stat).collect()
}

/// The lines of `text` that speak of one extension.
pub fn about<'t>(text: &'t str, file: &str) -> Vec<&'t str> {
    let name = format!("extension {file}: ");
    text.lines().filter(|line| line.contains(&name)).collect()
}
