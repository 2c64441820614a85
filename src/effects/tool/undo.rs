//! The undo store: the bytes that a session's last writes and edits replaced, beside its log, also after a resume.

use std::collections::VecDeque;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use super::seen::Print;

/// How many changes can be undone, and how many bytes a session without a log keeps in memory for it.
pub const KEPT: usize = 100;
const MEMORY: usize = 32 * 1024 * 1024;

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub path: PathBuf,
    /// `None`: there was no file.
    pub before: Option<Arc<[u8]>>,
    /// The fingerprint of what the change left, in hexadecimal.
    pub after: String,
}

impl Entry {
    pub fn new(path: &Path, before: Option<&[u8]>, after: &[u8]) -> Self {
        Entry { path: path.to_path_buf(), before: before.map(Arc::from), after: Print::of(after).hex() }
    }
}

/// The changes of one session, oldest first.
#[derive(Debug)]
pub struct Undo {
    /// Locked for each whole step: changes of one session come one after the other.
    place: Mutex<Place>,
}

#[derive(Debug)]
enum Place {
    Memory(VecDeque<(u64, Entry)>),
    /// One file a change, named by its number.
    Folder(PathBuf),
}

impl Undo {
    /// The store beside a session log, or in memory for a session that is not saved.
    pub fn beside(log: Option<&Path>) -> Self {
        let place = log.map_or_else(|| Place::Memory(VecDeque::new()), |log| Place::Folder(folder(log)));
        Undo { place: Mutex::new(place) }
    }

    /// The session has a log from here on: what is in memory moves beside it.
    pub fn move_beside(&self, log: &Path) {
        let folder = folder(log);
        let mut place = self.lock();
        if let Place::Memory(list) = &*place {
            for (number, entry) in list {
                // What can't be saved can't be undone; the change itself is made.
                let _ = save(&folder, *number, entry);
            }
        }
        *place = Place::Folder(folder);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Place> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers a change that is about to be made; the number takes it back out should it fail.
    pub fn push(&self, entry: &Entry) -> std::io::Result<u64> {
        match &mut *self.lock() {
            Place::Memory(list) => {
                let number = list.back().map_or(1, |(last, _)| last + 1);
                list.push_back((number, entry.clone()));
                while list.len() > KEPT || (list.len() > 1 && size(list) > MEMORY) {
                    list.pop_front();
                }
                Ok(number)
            }
            Place::Folder(folder) => {
                let numbers = numbers(folder);
                let number = numbers.last().map_or(1, |last| last + 1);
                save(folder, number, entry)?;
                for old in numbers.iter().rev().skip(KEPT - 1) {
                    let _ = fs::remove_file(file(folder, *old));
                }
                Ok(number)
            }
        }
    }

    /// Takes a change out: it was not made, or is undone.
    pub fn remove(&self, number: u64) {
        match &mut *self.lock() {
            Place::Memory(list) => list.retain(|(known, _)| *known != number),
            Place::Folder(folder) => drop(fs::remove_file(file(folder, number))),
        }
    }

    /// The last change, its number, and how many are before it.
    pub fn last(&self) -> Option<(u64, Entry, usize)> {
        match &*self.lock() {
            Place::Memory(list) => {
                list.back().map(|(number, entry)| (*number, entry.clone(), list.len() - 1))
            }
            Place::Folder(folder) => {
                let numbers = numbers(folder);
                let (place, number, entry) = numbers
                    .iter()
                    .enumerate()
                    .rev()
                    .find_map(|(place, number)| Some((place, *number, load(&file(folder, *number))?)))?;
                Some((number, entry, place))
            }
        }
    }
}

/// `<log>.undo`.
fn folder(log: &Path) -> PathBuf {
    let mut name = log.as_os_str().to_owned();
    name.push(".undo");
    name.into()
}

fn size(list: &VecDeque<(u64, Entry)>) -> usize {
    list.iter().map(|(_, entry)| entry.before.as_ref().map_or(0, |bytes| bytes.len())).sum()
}

fn file(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{number:08}"))
}

fn numbers(folder: &Path) -> Vec<u64> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut numbers: Vec<u64> =
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    numbers.sort_unstable();
    numbers
}

/// A line of JSON that says what, then the bytes as they were.
fn save(folder: &Path, number: u64, entry: &Entry) -> std::io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let head = json!({
        "format_version": 1,
        "path": entry.path.to_string_lossy(),
        "existed": entry.before.is_some(),
        "after": entry.after,
    });
    let path = file(folder, number);
    let mut out = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
    let written =
        writeln!(out, "{head}").and_then(|()| out.write_all(entry.before.as_deref().unwrap_or_default()));
    written.and_then(|()| out.sync_all()).inspect_err(|_| drop(fs::remove_file(&path)))
}

fn load(path: &Path) -> Option<Entry> {
    let bytes = fs::read(path).ok()?;
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let head: Value = serde_json::from_slice(bytes.get(..end)?).ok()?;
    if head.get("format_version")?.as_u64()? != 1 {
        return None;
    }
    let existed = head.get("existed")?.as_bool()?;
    Some(Entry {
        path: head.get("path")?.as_str()?.into(),
        before: if existed { Some(bytes.get(end + 1..)?.into()) } else { None },
        after: head.get("after")?.as_str()?.into(),
    })
}
