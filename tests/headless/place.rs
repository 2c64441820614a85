//! A scratch home and a trusted scratch workspace, and the program started in them without a terminal.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use e::effects::home::{Home, trust};
use e::model::wire::log::{Log, read};
use serde_json::Value;

pub struct Place {
    pub dir: tempfile::TempDir,
    pub home: Home,
    pub work: PathBuf,
}

impl Place {
    pub fn new() -> Place {
        let dir = tempfile::tempdir().unwrap();
        let place = Place {
            home: Home::at(dir.path().join("user/.e"), dir.path().join("user")),
            work: dir.path().join("work"),
            dir,
        };
        std::fs::create_dir_all(&place.work).unwrap();
        trust::record(&place.home, &place.work, true).unwrap();
        place
    }

    /// The program with these words; no variable of the machine but `PATH` reaches it, stdin is empty.
    pub fn e(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_e"));
        command.args(words);
        self.surround(&mut command);
        command
    }

    /// Gives any command the same surroundings.
    pub fn surround(&self, command: &mut Command) {
        command
            .current_dir(&self.work)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.home.user())
            .env("E_HOME", self.home.root())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
    }

    /// Runs to the end.
    pub fn run(&self, words: &[&str]) -> Done {
        Done::of(&self.e(words).output().unwrap())
    }

    /// A model that plays these replies.
    pub fn script(&self, replies: &Value) -> String {
        let path = self
            .dir
            .path()
            .join(format!("script-{}.json", std::fs::read_dir(self.dir.path()).unwrap().count()));
        std::fs::write(&path, replies.to_string()).unwrap();
        format!("script/{}", path.display())
    }

    /// The logs of the workspace, oldest first.
    pub fn logs(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for folder in std::fs::read_dir(self.home.path("sessions")).into_iter().flatten().flatten() {
            for file in std::fs::read_dir(folder.path()).unwrap().flatten() {
                let name = file.file_name().to_string_lossy().into_owned();
                if name.ends_with(".jsonl") && !name.ends_with(".errors.jsonl") {
                    found.push(file.path());
                }
            }
        }
        found.sort();
        found
    }
}

/// A log that holds only whole records.
pub fn whole_log(path: &Path) -> Log {
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.ends_with('\n'), "no torn line in {text:?}");
    let log = read(text.lines());
    assert_eq!(log.bad, []);
    log
}

#[derive(Debug)]
pub struct Done {
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Done {
    pub fn of(output: &Output) -> Done {
        Done {
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout.clone()).unwrap(),
            stderr: String::from_utf8(output.stderr.clone()).unwrap(),
        }
    }

    /// Every line of stdout as the JSON that it must be.
    pub fn events(&self) -> Vec<Value> {
        let line = |l: &str| serde_json::from_str(l).unwrap_or_else(|e| panic!("{e} in {l:?}\n{self:?}"));
        self.stdout.lines().map(line).collect()
    }

    pub fn types(&self) -> Vec<String> {
        self.events().iter().map(|e| e["type"].as_str().unwrap().to_owned()).collect()
    }

    pub fn result(&self) -> Value {
        let last = self.events().pop().unwrap_or_else(|| panic!("a last line\n{self:?}"));
        assert_eq!(last["type"], "result", "{self:?}");
        last
    }
}
