//! Which file a path means: itself, or the entry point of a bundle, by the rules of discovery.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::effects::home::said;
use crate::model::ext::discover::{Dir, Kind, Listed, discover};

/// The file to start, or why there is none. The outer error is for a path that names nothing.
pub fn find(path: &Path) -> Result<Result<PathBuf, String>, String> {
    if let Err(error) = fs::symlink_metadata(path) {
        let why = said(&error);
        return Err(format!("{}: {why}; give an extension's file or its folder", path.display()));
    }
    let path = std::path::absolute(path).map_err(|error| format!("{}: {}", path.display(), said(&error)))?;
    let entry = Listed { name: name(&path).into(), kind: kind(&path, true) };
    let parent = path.parent().map(|parent| parent.to_string_lossy().trim_end_matches('/').to_owned());
    let parent: Arc<str> = parent.unwrap_or_default().into();
    let dir = Dir { path: parent.clone(), real: parent, filter: Vec::new(), entries: vec![entry] };
    let (found, skipped) = discover(&[dir], |_, _| true);
    Ok(match (found.into_iter().next(), skipped.into_iter().next()) {
        (Some(found), _) => Ok(PathBuf::from(&*found.path)),
        (None, skipped) => Err(skipped.map_or_else(String::new, |skipped| skipped.why.words())),
    })
}

/// The last part of a path.
pub fn name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.to_string_lossy(), |name| name.to_string_lossy()).into_owned()
}

fn kind(path: &Path, deep: bool) -> Kind {
    match fs::metadata(path) {
        Err(_) => Kind::Dangling,
        Ok(meta) if meta.is_file() => Kind::File { executable: meta.permissions().mode() & 0o111 != 0 },
        Ok(meta) if meta.is_dir() => Kind::Dir(if deep { inside(path) } else { Vec::new() }),
        Ok(_) => Kind::Other,
    }
}

fn inside(path: &Path) -> Vec<Listed> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let listed = |entry: fs::DirEntry| Listed {
        name: entry.file_name().to_string_lossy().into(),
        kind: kind(&entry.path(), false),
    };
    entries.map(listed).collect()
}
