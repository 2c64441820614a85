//! Session logs on disk: made, locked, appended to and opened (`agent.md`, Sessions).

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::read::{self, Limits, Torn};
use super::{heads, text};
use crate::effects::home::lock::{self, Lock};
use crate::effects::home::{Home, private, said};
use crate::model::effect::Which;
use crate::model::session::head::SessionHead;
use crate::model::session::load::Loaded;
use crate::model::session::tree::Branch;

/// The logs of one home, and the one that this process writes.
#[derive(Debug)]
pub struct Logs {
    home: Home,
    open: Option<OpenLog>,
}

#[derive(Debug)]
struct OpenLog {
    path: PathBuf,
    file: File,
    length: u64,
    /// The newest `name` record and where it stands: it is repeated at the end when the log has outgrown it, because
    /// pickers read heads and tails only.
    name: Option<(u64, Arc<str>)>,
    _lock: Lock,
}

/// What opening came to.
#[derive(Debug, PartialEq)]
pub enum Opened {
    Log { path: Arc<str>, session: Box<Loaded> },
    Busy { path: Arc<str> },
    Missing,
    Failed(String),
}

impl Logs {
    pub fn new(home: Home) -> Logs {
        Logs { home, open: None }
    }

    /// Makes and locks a new log whose first lines are these.
    pub fn create(&mut self, cwd: &str, id: &str, lines: &[Arc<str>]) -> Result<Arc<str>, String> {
        self.close();
        let folder = format!("sessions/{}", workspace_key(Path::new(cwd)));
        self.create_in(&folder, id, lines).map_err(|e| {
            format!(
                "the session cannot be saved under {}: {}",
                self.home.show(&self.home.path(&folder)),
                said(&e)
            )
        })
    }

    fn create_in(&mut self, folder: &str, id: &str, lines: &[Arc<str>]) -> io::Result<Arc<str>> {
        let folder = self.home.folder(folder)?;
        let time = jiff::Timestamp::now().strftime("%Y-%m-%dT%H-%M-%S").to_string();
        let safe_id: String = id.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
        let path = folder.join(format!("{time}_{safe_id}.jsonl"));
        let lock = lock::take(&lock::beside(&path))?
            .ok_or_else(|| io::Error::other("another e has just made it"))?;
        let file = private::create_new(&path)?;
        let mut log = OpenLog { path, file, length: 0, name: None, _lock: lock };
        let written = log.write(&lines.iter().fold(String::new(), |all, line| all + line + "\n"));
        if let Err(error) = written {
            // Nothing of it may look like a session.
            let _still_there = fs::remove_file(&log.path);
            let _left = fs::remove_file(lock::beside(&log.path));
            return Err(error);
        }
        let name = lines.iter().rev().find(|l| is_name(l)).cloned();
        log.name = name.map(|line| (log.length, line));
        let shown = text(&log.path);
        self.open = Some(log);
        Ok(shown)
    }

    /// Adds one record: all of it, or on failure nothing.
    pub fn append(&mut self, line: &Arc<str>) -> Result<(), String> {
        let Some(log) = &mut self.open else { return Err("no session log is open".into()) };
        log.write(&format!("{line}\n")).map_err(|e| said(&e))?;
        if is_name(line) {
            log.name = Some((log.length, line.clone()));
        }
        Ok(())
    }

    /// Lets go of the open log and its lock.
    pub fn close(&mut self) {
        let Some(mut log) = self.open.take() else { return };
        if let Some((at, line)) = log.name.take()
            && log.length - at > heads::TAIL / 2
        {
            let _only_a_convenience = log.write(&format!("{line}\n"));
        }
        // Removed while it is still held; `lock::take` sees that a lock it got is of a removed file.
        let _left_behind = fs::remove_file(lock::beside(&log.path));
    }

    /// Locks and reads a log. `early` is given its end before the rest is read.
    pub fn open(&mut self, which: &Which, early: &mut dyn FnMut(Branch)) -> Opened {
        let path = match which {
            Which::Path(path) => PathBuf::from(&**path),
            Which::Latest { cwd } => match heads::newest(&self.folder_of(Path::new(&**cwd))) {
                Some(path) => path,
                None => return Opened::Missing,
            },
        };
        if self.open.as_ref().is_some_and(|log| log.path == path) {
            self.close();
        }
        match self.open_at(&path, early) {
            Ok(opened) => opened,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Opened::Missing,
            Err(error) => {
                Opened::Failed(format!("{} cannot be opened: {}", self.home.show(&path), said(&error)))
            }
        }
    }

    fn open_at(&mut self, path: &Path, early: &mut dyn FnMut(Branch)) -> io::Result<Opened> {
        // A folder, a pipe or a device would block or be no log.
        if !fs::metadata(path)?.is_file() {
            return Ok(Opened::Failed(format!("{} is not a file", self.home.show(path))));
        }
        let Some(lock) = lock::take(&lock::beside(path))? else {
            return Ok(Opened::Busy { path: text(path) });
        };
        let file = private::open(path, false)?;
        let limits = Limits::default();
        if let Some(branch) = read::ending(&file, &limits)? {
            early(branch);
        }
        let log = read::whole(&file, Torn::Repair, &limits)?;
        if log.lines == 0 {
            return Ok(Opened::Failed(format!("{} holds no session", self.home.show(path))));
        }
        self.close();
        let read::Log { loaded, length, name, .. } = log;
        self.open = Some(OpenLog { path: path.to_path_buf(), file, length, name, _lock: lock });
        Ok(Opened::Log { path: text(path), session: Box::new(loaded) })
    }

    /// Heads of the saved sessions, of one directory or of all, newest first.
    pub fn list(&self, cwd: Option<&str>) -> Vec<SessionHead> {
        match cwd {
            Some(cwd) => heads::list(&[self.folder_of(Path::new(cwd))]),
            None => heads::list(&heads::folders(&self.home.path("sessions"))),
        }
    }

    /// One line for `<session>.errors.jsonl`; losing it is no failure.
    pub fn error_details(&self, line: &str) {
        let Some(log) = &self.open else { return };
        let path = log.path.with_extension("errors.jsonl");
        if let Ok(mut file) = private::open(&path, true) {
            let _lost = file.write_all(format!("{line}\n").as_bytes());
        }
    }

    fn folder_of(&self, cwd: &Path) -> PathBuf {
        self.home.path("sessions").join(workspace_key(cwd))
    }
}

impl Drop for Logs {
    fn drop(&mut self) {
        self.close();
    }
}

impl OpenLog {
    /// One write and flush; on failure what got through is taken back.
    fn write(&mut self, text: &str) -> io::Result<()> {
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.flush());
        match written {
            Ok(()) => {
                self.length += text.len() as u64;
                Ok(())
            }
            Err(error) => {
                self.file.set_len(self.length)?;
                Err(error)
            }
        }
    }
}

pub(super) fn is_name(line: &str) -> bool {
    line.starts_with(r#"{"type":"name""#) || line.starts_with(r#"{"type": "name""#)
}

/// The folder of a workspace's sessions (`formats.md`): its name cut to 40 safe characters, and a hash of its real path.
pub fn workspace_key(cwd: &Path) -> String {
    let real = fs::canonicalize(cwd).unwrap_or_else(|_| cwd.to_path_buf());
    let name = real.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_else(|| "root".into());
    let safe = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '-' };
    let name: String = name.chars().map(safe).take(40).collect();
    let digest = Sha256::digest(real.as_os_str().as_bytes());
    let hash: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("{name}-{hash}")
}
