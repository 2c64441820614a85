//! Paths as calls give them: made absolute, links followed, checked for what can be opened, and shown on one line.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::{self, Metadata};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Component, Path, PathBuf};

use crate::model::tool::FileKey;

/// A path that a call names.
#[derive(Debug, Clone)]
pub struct Target {
    /// Absolute, links followed as far as there is anything; may name nothing yet.
    pub real: PathBuf,
    /// As the results call it: relative to the workspace when inside, on one line.
    pub shown: String,
}

/// Finds out what a call's `path` names. `home` is where `~/` leads.
pub fn target(cwd: &Path, home: Option<&Path>, given: &str) -> Target {
    let mut path = absolute(cwd, home, given);
    if fs::symlink_metadata(&path).is_err() {
        // Results show control characters as escapes; a name copied from one still finds its file.
        let plain = absolute(cwd, home, &unescape(given));
        if fs::symlink_metadata(&plain).is_ok() {
            path = plain;
        }
    }
    let real = follow(&path);
    Target { shown: shown(cwd, &path), real }
}

fn absolute(cwd: &Path, home: Option<&Path>, given: &str) -> PathBuf {
    match (given.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) if fs::symlink_metadata(cwd.join("~")).is_err() => tidy(&home.join(rest)),
        _ => tidy(&cwd.join(given)),
    }
}

/// Without `.` and empty parts. `..` stays: behind a link it does not lead back.
fn tidy(path: &Path) -> PathBuf {
    path.components().filter(|part| !matches!(part, Component::CurDir)).collect()
}

/// The real path of what there is, and the rest as it was given; a link that leads nowhere yet is followed too.
pub fn follow(path: &Path) -> PathBuf {
    let mut path = path.to_path_buf();
    for _ in 0..40 {
        if let Ok(real) = path.canonicalize() {
            return real;
        }
        match fs::read_link(&path) {
            Ok(to) => path = path.parent().unwrap_or(Path::new("/")).join(to),
            Err(_) => break,
        }
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => follow(parent).join(name),
        _ => path,
    }
}

/// One key for all paths of one file (`agent.md`, Tool batches).
pub fn key(cwd: &Path, home: Option<&Path>, given: &str) -> FileKey {
    let real = target(cwd, home, given).real;
    match fs::metadata(&real) {
        Ok(meta) => FileKey::Inode { dev: meta.dev(), ino: meta.ino() },
        Err(_) => FileKey::Path(real.to_string_lossy().into()),
    }
}

/// A path as results show it: relative to the workspace when inside it, control characters as escapes (case G12).
pub fn shown(cwd: &Path, path: &Path) -> String {
    let inside = path.strip_prefix(cwd).ok().filter(|rest| !rest.as_os_str().is_empty());
    escape(&inside.unwrap_or(path).to_string_lossy())
}

pub fn escape(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(out, "\\x{:02x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

fn unescape(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let hex = escape.get(2..4).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let (c, used) = match (escape.as_bytes().get(1), hex) {
            (Some(b'n'), _) => ('\n', 2),
            (Some(b'r'), _) => ('\r', 2),
            (Some(b't'), _) => ('\t', 2),
            (Some(b'x'), Some(byte)) => (char::from(byte), 4),
            _ => ('\\', 1),
        };
        out.push(c);
        rest = escape.get(used..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// What is wrong with the workspace, when it can't be worked in (case G64).
pub fn workspace(cwd: &Path) -> Result<(), String> {
    match fs::metadata(cwd) {
        Ok(meta) if meta.is_dir() => Ok(()),
        Ok(_) => Err(format!("The workspace {} is no folder any more.", escape(&cwd.to_string_lossy()))),
        Err(error) => Err(format!(
            "The workspace {} is gone ({}). Make it again, or work in another folder.",
            escape(&cwd.to_string_lossy()),
            reason(&error)
        )),
    }
}

/// The facts of a regular file; anything else is refused at once, without opening it.
pub fn regular(target: &Target) -> Result<Metadata, String> {
    let meta = fs::metadata(&target.real).map_err(|error| missing(target, &error))?;
    let kind = meta.file_type();
    if kind.is_file() {
        return Ok(meta);
    }
    Err(match kind {
        kind if kind.is_dir() => folder(target),
        kind if kind.is_fifo() => format!("{} is a named pipe, not a file; it was not opened.", target.shown),
        kind if kind.is_socket() => format!("{} is a socket, not a file; it was not opened.", target.shown),
        _ => format!("{} is a device, not a file; it was not opened.", target.shown),
    })
}

/// Says that a path is a folder, and what is in it.
fn folder(target: &Target) -> String {
    const NAMED: usize = 60;
    let mut names: Vec<String> = Vec::new();
    let mut more = 0;
    for entry in fs::read_dir(&target.real).into_iter().flatten().flatten() {
        if names.len() < 4096 {
            let slash = if entry.path().is_dir() { "/" } else { "" };
            names.push(format!("{}{slash}", escape(&entry.file_name().to_string_lossy())));
        } else {
            more += 1;
        }
    }
    names.sort();
    more += names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    let list = match (names.is_empty(), more) {
        (true, _) => "It is empty.".into(),
        (false, 0) => format!("It holds: {}", names.join(", ")),
        (false, more) => format!("It holds: {} and {more} more", names.join(", ")),
    };
    format!(
        "{} is a folder, not a file. {list}\nName a file in it, search it with grep, or list it with bash.",
        target.shown
    )
}

/// Says that a path can't be opened, and which names are near when it does not exist.
pub fn missing(target: &Target, error: &std::io::Error) -> String {
    if error.kind() != std::io::ErrorKind::NotFound {
        return format!("{}: {}.", target.shown, reason(error));
    }
    let mut gone = target.real.as_path();
    while let Some(parent) = gone.parent() {
        if parent.is_dir() {
            break;
        }
        gone = parent;
    }
    let near = near_names(gone);
    let hint = if near.is_empty() { String::new() } else { format!(" Near it are: {}.", near.join(", ")) };
    if gone == target.real {
        format!("{} does not exist.{hint}", target.shown)
    } else {
        let folder = escape(&gone.file_name().unwrap_or_default().to_string_lossy());
        format!("{} does not exist: there is no folder {folder}.{hint}", target.shown)
    }
}

/// Names beside a missing one that are like it.
fn near_names(gone: &Path) -> Vec<String> {
    let wanted = gone.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let stem = wanted.split('.').next().unwrap_or_default().to_owned();
    let entries = gone.parent().map(fs::read_dir).into_iter().flatten().flatten().flatten().take(4096);
    let names = entries.map(|entry| entry.file_name()).filter(|name: &OsString| {
        let name = name.to_string_lossy().to_lowercase();
        let other = name.split('.').next().unwrap_or_default();
        !stem.is_empty() && !other.is_empty() && (name.contains(&stem) || wanted.contains(other))
    });
    let mut names: Vec<String> = names.map(|name| escape(&name.to_string_lossy())).collect();
    names.sort_by_key(|name| (name.len().abs_diff(wanted.len()), name.clone()));
    names.truncate(5);
    names
}

/// The system's reason in words, without its error number.
pub fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    let words = text.split(" (os error").next().unwrap_or_default();
    let mut letters = words.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}
