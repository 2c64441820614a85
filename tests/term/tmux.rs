//! A real tmux with one window of a program in it: a server of its own per test, gone with the value.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::pty::Spawn;

pub struct Tmux {
    /// The server's socket lies in a folder of its own.
    socket: PathBuf,
    _folder: tempfile::TempDir,
}

/// Whether there is a tmux to try things in; says so, counted by the suite's readers, when there is none.
pub fn present() -> bool {
    let present = Command::new("tmux")
        .arg("-V")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|s| s.success());
    if !present {
        crate::tools::not_run("there is no tmux here");
    }
    present
}

impl Tmux {
    /// Starts the program in a window of its size.
    pub fn start(spawn: &Spawn) -> Tmux {
        let folder = tempfile::tempdir().unwrap();
        let tmux = Tmux { socket: folder.path().join("s"), _folder: folder };
        let (cols, rows) = (spawn.cols.to_string(), spawn.rows.to_string());
        let cwd = spawn.cwd.display().to_string();
        let mut all: Vec<String> =
            ["-f", "/dev/null", "start-server", ";", "set", "-g", "status", "off", ";"]
                .iter()
                .chain(&["set", "-g", "history-limit", "20000", ";", "set", "-g", "escape-time", "0", ";"])
                .chain(&[
                    "new-session",
                    "-d",
                    "-x",
                    &cols,
                    "-y",
                    &rows,
                    "-c",
                    &cwd,
                    "env",
                    "TERM=tmux-256color",
                ])
                .map(ToString::to_string)
                .collect();
        all.extend(spawn.env.iter().map(|(name, value)| format!("{name}={value}")));
        all.push(spawn.program.display().to_string());
        all.extend(spawn.args.iter().cloned());
        tmux.run(&all.iter().map(String::as_str).collect::<Vec<_>>());
        tmux.resize(spawn.cols, spawn.rows);
        tmux
    }

    /// Runs one tmux command and gives what it prints.
    pub fn run(&self, args: &[&str]) -> String {
        let output = Command::new("tmux").arg("-S").arg(&self.socket).args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    pub fn resize(&self, cols: u16, rows: u16) {
        self.run(&["resize-window", "-x", &cols.to_string(), "-y", &rows.to_string()]);
    }

    pub fn type_text(&self, text: &str) {
        self.run(&["send-keys", "-l", text]);
    }

    pub fn key(&self, name: &str) {
        self.run(&["send-keys", name]);
    }

    /// The rows of the screen without trailing blanks.
    pub fn screen(&self) -> Vec<String> {
        self.run(&["capture-pane", "-p"]).lines().map(|row| row.trim_end().to_owned()).collect()
    }

    /// Scrollback and screen, oldest first; what the terminal wrapped is one line again.
    pub fn history(&self) -> Vec<String> {
        let all = self.run(&["capture-pane", "-p", "-J", "-S", "-20000"]);
        all.lines().map(|row| row.trim_end().to_owned()).collect()
    }

    /// The cursor's column and row.
    pub fn cursor(&self) -> (usize, usize) {
        let said = self.run(&["display", "-p", "#{cursor_x} #{cursor_y}"]);
        let mut numbers = said.split_whitespace().map(|n| n.parse().unwrap());
        (numbers.next().unwrap(), numbers.next().unwrap())
    }

    /// Waits until a text stands in scrollback or on the screen.
    #[track_caller]
    pub fn wait_for(&self, text: &str) {
        let deadline = Instant::now() + Duration::from_secs(20);
        while !self.history().iter().any(|row| row.contains(text)) {
            assert!(Instant::now() < deadline, "{text:?} never came:\n{}", self.history().join("\n"));
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until nothing has changed for a while.
    pub fn settle(&self) {
        let mut before = self.history();
        loop {
            std::thread::sleep(Duration::from_millis(500));
            let now = self.history();
            if now == before {
                return;
            }
            before = now;
        }
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = Command::new("tmux").arg("-S").arg(&self.socket).arg("kill-server").output();
    }
}
