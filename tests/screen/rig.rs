//! A scratch home and workspace, a script to play, and the program on a pseudo-terminal.

use std::path::PathBuf;
use std::time::Duration;

use crate::term::pty::{Pty, Spawn};

pub struct Rig {
    folder: tempfile::TempDir,
}

/// Nothing was written for this long.
pub const QUIET: Duration = Duration::from_millis(250);

impl Rig {
    /// A trusted workspace with a script of replies.
    pub fn new(script: &serde_json::Value) -> Rig {
        let rig = Rig { folder: tempfile::tempdir().unwrap() };
        for folder in ["home", "work"] {
            std::fs::create_dir(rig.path(folder)).unwrap();
        }
        let work = rig.work().canonicalize().unwrap();
        let trust = serde_json::json!({"format_version": 1, "directories": {work.to_str().unwrap(): true}});
        std::fs::write(rig.path("home/trust.json"), trust.to_string()).unwrap();
        std::fs::write(rig.path("script.json"), script.to_string()).unwrap();
        rig
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn work(&self) -> PathBuf {
        self.path("work")
    }

    pub fn settings(&self, settings: &serde_json::Value) {
        std::fs::write(self.path("home/settings.json"), settings.to_string()).unwrap();
    }

    /// How `e` would be started.
    pub fn spawn(&self) -> Spawn {
        let home = self.path("home");
        Spawn::new(self.work())
            .env("HOME", self.folder.path().to_str().unwrap())
            .env("E_HOME", home.to_str().unwrap())
            .env("COLORTERM", "truecolor")
            .arg("-m")
            .arg(format!("script/{}", self.path("script.json").display()))
    }

    /// `e` started, its composer on the screen.
    pub fn start(&self) -> Pty {
        ready(self.spawn().start())
    }
}

impl Rig {
    /// The same, and the rig, whose folder is gone with it.
    pub fn started(self) -> (Rig, Pty) {
        let pty = self.start();
        (self, pty)
    }
}

/// Waits for the composer.
pub fn ready(pty: Pty) -> Pty {
    pty.wait_for("›");
    pty.settle(QUIET);
    pty
}

/// Types a prompt and sends it, each in a read of its own.
pub fn submit(pty: &Pty, prompt: &str) {
    pty.send(prompt);
    pty.wait_for(prompt);
    pty.send("\r");
}

/// Waits until the turn is over.
pub fn over(pty: &Pty) {
    pty.settle(QUIET);
    pty.wait_gone("esc to interrupt");
    pty.settle(QUIET);
}

/// Leaves by two ctrl+c and gives the exit status.
pub fn quit(pty: &mut Pty) -> Option<i32> {
    pty.settle(QUIET);
    pty.send("\x03");
    pty.wait_for("ctrl+c again to quit");
    pty.send("\x03");
    pty.wait_exit().code()
}

/// How often a text stands in scrollback and screen together.
pub fn times(pty: &Pty, text: &str) -> usize {
    pty.history().iter().filter(|row| row.contains(text)).count()
}
