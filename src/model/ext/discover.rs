//! Which files are extensions, and in what order they start: a function of directory listings
//! (`extensions-notes.md` 2).

use std::collections::BTreeSet;
use std::sync::Arc;

/// One `extensions/` directory as it was found; missing and unreadable ones are empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Dir {
    pub path: Arc<str>,
    /// The path with links resolved: a directory reached twice counts once.
    pub real: Arc<str>,
    /// A package's glob filter; empty for everything.
    pub filter: Vec<Arc<str>>,
    /// In any order.
    pub entries: Vec<Listed>,
}

/// One name in a directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Listed {
    pub name: Arc<str>,
    pub kind: Kind,
}

/// What a name is, links followed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A regular file; whether any execute bit is set, always so where the system has none.
    File { executable: bool },
    /// The names directly inside. Of what is deeper nothing counts.
    Dir(Vec<Listed>),
    /// A link to nothing.
    Dangling,
    /// A socket, a pipe, a device.
    Other,
}

/// An extension to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub path: Arc<str>,
    /// What notices call it: `gate.sh`, or `foo/index.mjs` for a bundle.
    pub file: Arc<str>,
    /// The file or bundle directory, by which startup hooks are ordered.
    pub top: Arc<str>,
}

/// Something in a directory that is not started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    pub path: Arc<str>,
    pub file: Arc<str>,
    pub why: Skip,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skip {
    NotExecutable,
    Dangling,
    NotAFile,
    /// A directory none of whose files is its entry point, and how many executables it has.
    NoEntryPoint {
        executables: usize,
    },
    /// By the package's filter.
    Filtered,
}

impl Skip {
    /// What to tell about it, and what to do.
    pub fn words(self) -> String {
        match self {
            Skip::NotExecutable => "not executable; run chmod +x on it".into(),
            Skip::Dangling => "a link to a file that does not exist".into(),
            Skip::NotAFile => "not a regular file".into(),
            Skip::NoEntryPoint { executables: 0 } => "a directory without an executable file".into(),
            Skip::NoEntryPoint { executables } => format!(
                "a directory with {executables} executables and no entry point; call one of them index.* or like \
                 the directory"
            ),
            Skip::Filtered => "left out by the package's filter in settings.json".into(),
        }
    }

    /// Whether the transcript says so; the rest is listed by diagnostics only.
    pub fn notice(self) -> bool {
        self == Skip::Dangling
    }
}

/// What is in the directories: extensions in launch order, and everything else. `matches(pattern, path)` is glob matching.
pub fn discover(dirs: &[Dir], matches: impl Fn(&str, &str) -> bool) -> (Vec<Found>, Vec<Skipped>) {
    let (mut found, mut skipped) = (Vec::new(), Vec::new());
    let mut seen = BTreeSet::new();
    for dir in dirs.iter().filter(|dir| seen.insert(dir.real.clone())) {
        for entry in sorted(&dir.entries) {
            let path: Arc<str> = format!("{}/{}", dir.path, entry.name).into();
            let choice = if allowed(&dir.filter, &format!("extensions/{}", entry.name), &matches) {
                entry_point(entry)
            } else {
                Err(Skip::Filtered)
            };
            match choice {
                Ok(None) => found.push(Found { path, file: entry.name.clone(), top: entry.name.clone() }),
                Ok(Some(inner)) => found.push(Found {
                    path: format!("{path}/{inner}").into(),
                    file: format!("{}/{inner}", entry.name).into(),
                    top: entry.name.clone(),
                }),
                Err(why) => skipped.push(Skipped { path, file: entry.name.clone(), why }),
            }
        }
    }
    (found, skipped)
}

/// In the order startup hooks are asked: by the top-level name over all directories, equal names in launch order.
pub fn startup_order(found: &[Found]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by_key(|at| found.get(*at).map(|found| &found.top));
    order
}

/// Whether a package's filter lets a path through: `!` always wins, and any inclusion makes inclusions the rule.
fn allowed(filter: &[Arc<str>], path: &str, matches: &impl Fn(&str, &str) -> bool) -> bool {
    let (out, into): (Vec<&str>, Vec<&str>) = filter.iter().map(|p| &**p).partition(|p| p.starts_with('!'));
    if out.iter().filter_map(|pattern| pattern.strip_prefix('!')).any(|pattern| matches(pattern, path)) {
        return false;
    }
    into.is_empty() || into.iter().any(|pattern| matches(pattern, path))
}

fn sorted(entries: &[Listed]) -> Vec<&Listed> {
    let mut entries: Vec<&Listed> = entries.iter().collect();
    entries.sort();
    entries
}

/// The entry point of a top-level entry: itself, or the name inside a directory.
fn entry_point(entry: &Listed) -> Result<Option<Arc<str>>, Skip> {
    let inside = match &entry.kind {
        Kind::File { executable: true } => return Ok(None),
        Kind::File { executable: false } => return Err(Skip::NotExecutable),
        Kind::Dangling => return Err(Skip::Dangling),
        Kind::Other => return Err(Skip::NotAFile),
        Kind::Dir(inside) => inside,
    };
    let executables: Vec<&Arc<str>> = sorted(inside)
        .into_iter()
        .filter(|listed| listed.kind == Kind::File { executable: true })
        .map(|listed| &listed.name)
        .collect();
    let named = |name: &&&Arc<str>| ***name == entry.name || stem(name) == &*entry.name;
    let sole = || if let [only] = executables.as_slice() { Some(only) } else { None };
    executables
        .iter()
        .find(|name| name.starts_with("index."))
        .or_else(|| executables.iter().find(named))
        .or_else(sole)
        .map(|name| Some((*name).clone()))
        .ok_or(Skip::NoEntryPoint { executables: executables.len() })
}

/// The name without its last extension; a leading dot begins none.
fn stem(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}
