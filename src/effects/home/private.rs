//! Folders 0700 and files 0600, also when an older, looser one is found.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Makes a folder (and those above it) open to its owner alone; tightens one that is there.
pub fn folder(path: &Path) -> io::Result<()> {
    match fs::DirBuilder::new().recursive(true).mode(0o700).create(path) {
        Ok(()) => {}
        // A link to a folder is one too.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => {}
        Err(error) => return Err(error),
    }
    set(path, 0o700);
    Ok(())
}

/// Opens a file for reading and appending, made 0600.
pub fn open(path: &Path, create: bool) -> io::Result<File> {
    let file = OpenOptions::new().read(true).append(true).create(create).mode(0o600).open(path)?;
    set(path, 0o600);
    Ok(file)
}

/// Makes a new file 0600; one that is there is an error.
pub fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).append(true).create_new(true).mode(0o600).open(path)
}

/// Takes everybody else's rights away from a file that is there.
pub fn tighten(path: &Path) {
    set(path, 0o600);
}

/// Somebody else's file stays as it is: that is no reason to fail.
fn set(path: &Path, mode: u32) {
    let Ok(meta) = fs::metadata(path) else { return };
    if meta.permissions().mode() & 0o077 != 0 {
        let _denied = fs::set_permissions(path, Permissions::from_mode(mode));
    }
}
