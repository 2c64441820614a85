//! Changes a JSON file of the home in place: under a lock, merged into what is on disk now, comments and unknown keys kept,
//! written beside it and renamed over it; a newer format is never overwritten, a corrupt file is moved aside first.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};

use crate::model::config::jsonc::options;

/// The `format_version` that this program writes.
pub const FORMAT_VERSION: u64 = 1;

/// Applies `change` to the file's object and writes it with `mode`. Gives the path that a corrupt file was moved to.
pub fn edit(path: &Path, mode: u32, change: impl FnOnce(&CstObject)) -> Result<Option<PathBuf>, String> {
    let name = path.display();
    let path = &resolve(path);
    let folder = path.parent().ok_or_else(|| format!("{name} is in no directory"))?;
    make_folder(folder).map_err(|e| format!("can't create {}: {e}", folder.display()))?;
    // The folder itself is the lock: the file is replaced by each write, so a lock on it would be lost.
    let lock = File::open(folder).map_err(|e| format!("can't open {}: {e}", folder.display()))?;
    lock.lock().map_err(|e| format!("can't lock {}: {e}", folder.display()))?;

    let (root, aside) = read(path)?;
    let object = root.object_value_or_set();
    let version = object.get("format_version").map(|p| p.value().and_then(|v| v.as_number_lit()));
    match version.map(|v| v.map_or(0, |n| n.to_string().parse::<u64>().unwrap_or(0))) {
        Some(version) if version > FORMAT_VERSION => {
            return Err(format!(
                "{name} was written by a newer version (format {version}) and is left as it is"
            ));
        }
        Some(_) => {}
        None => {
            object.insert(0, "format_version", CstInputValue::Number(FORMAT_VERSION.to_string()));
        }
    }
    change(&object);
    let mut text = root.to_string();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    replace(path, folder, text.as_bytes(), mode).map_err(|e| format!("can't write {name}: {e}"))?;
    Ok(aside)
}

/// Through a symlink to the file it names, so that the link stays.
fn resolve(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// A private folder.
pub fn make_folder(folder: &Path) -> std::io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

fn read(path: &Path) -> Result<(CstRootNode, Option<PathBuf>), String> {
    let empty = || CstRootNode::parse("{}", &options()).map_err(|e| e.to_string());
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok((empty()?, None)),
        Err(e) => return Err(format!("can't read {}: {e}", path.display())),
    };
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
    let parsed = std::str::from_utf8(bytes).ok().and_then(|text| CstRootNode::parse(text, &options()).ok());
    match parsed {
        Some(root) if root.value().is_none() || root.object_value().is_some() => Ok((root, None)),
        _ => {
            let aside = move_aside(path).map_err(|e| format!("can't move {} aside: {e}", path.display()))?;
            Ok((empty()?, Some(aside)))
        }
    }
}

/// `auth.json` becomes `auth.json.corrupt-<time>`.
fn move_aside(path: &Path) -> std::io::Result<PathBuf> {
    let seconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let mut round = 0;
    loop {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".corrupt-{seconds}"));
        if round > 0 {
            name.push(format!("-{round}"));
        }
        let aside = PathBuf::from(name);
        if !aside.exists() {
            fs::rename(path, &aside)?;
            return Ok(aside);
        }
        round += 1;
    }
}

fn replace(path: &Path, folder: &Path, bytes: &[u8], mode: u32) -> std::io::Result<()> {
    let mut staged = tempfile::Builder::new()
        .prefix(".e-")
        .permissions(fs::Permissions::from_mode(mode))
        .tempfile_in(folder)?;
    staged.write_all(bytes)?;
    staged.as_file().sync_all()?;
    staged.persist(path)?;
    Ok(())
}
