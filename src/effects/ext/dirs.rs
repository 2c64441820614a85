//! The home's `extensions/` directory as the core's rules want it.

use std::fs::{self, DirEntry, Metadata};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;

use crate::effects::home::Home;
use crate::model::ext::discover::{self, Dir, Found, Kind, Listed, Skipped};

const FOLDER: &str = "extensions";

/// Whether there is anything at all: without, a launch has nothing to do with extensions.
pub fn any(home: &Home) -> bool {
    fs::read_dir(home.path(FOLDER)).is_ok_and(|mut entries| entries.next().is_some())
}

/// What is there to start, in launch order, and what is not.
pub fn look(home: &Home) -> (Vec<Found>, Vec<Skipped>) {
    let dir = list(&home.path(FOLDER));
    // Filters are the packages'.
    discover::discover(&[dir], |_, _| false)
}

fn list(path: &Path) -> Dir {
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    Dir { path: text(path), real: text(&real), filter: Vec::new(), entries: entries(path, true) }
}

fn entries(path: &Path, deeper: bool) -> Vec<Listed> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries.map(|entry| Listed { name: name(&entry), kind: kind(&entry.path(), deeper) }).collect()
}

fn name(entry: &DirEntry) -> Arc<str> {
    entry.file_name().to_string_lossy().into()
}

fn kind(path: &Path, deeper: bool) -> Kind {
    match fs::metadata(path) {
        Ok(meta) if meta.is_file() => Kind::File { executable: executable(&meta) },
        Ok(meta) if meta.is_dir() => Kind::Dir(if deeper { entries(path, false) } else { Vec::new() }),
        Ok(_) => Kind::Other,
        Err(_) => Kind::Dangling,
    }
}

fn executable(meta: &Metadata) -> bool {
    meta.permissions().mode() & 0o111 != 0
}

fn text(path: &Path) -> Arc<str> {
    path.to_string_lossy().into()
}
