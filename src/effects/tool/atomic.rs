//! Writing a file so that neither it nor anyone else's work is ever lost: staged beside it, fsynced, swapped in, and
//! checked that what was swapped out is what was meant to be replaced (`agent.md`, Writing).

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{Access, CWD, RenameFlags, XattrFlags, renameat_with};
use rustix::io::Errno;

use super::paths::{escape, reason};

/// What is believed to be at a path before the write.
#[derive(Debug, Clone, Copy)]
pub enum Before<'a> {
    Missing,
    Bytes(&'a [u8]),
}

#[derive(Debug)]
pub enum Failure {
    /// Something else is there than was believed; nothing was changed.
    Changed,
    /// Why it could not be written; reads on after the file's name.
    Other(String),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Other(format!("could not be written: {}", reason(&error)))
    }
}

/// Puts `after` at `path` (no symbolic link), if `before` is what is there.
pub fn replace(path: &Path, before: Before<'_>, after: &[u8]) -> Result<(), Failure> {
    match before {
        Before::Missing => create(path, after),
        Before::Bytes(bytes) => {
            let meta = fs::metadata(path)?;
            if rustix::fs::access(path, Access::WRITE_OK).is_err() {
                let mode = meta.permissions().mode() & 0o7777;
                return Err(Failure::Other(format!(
                    "can't be written (mode {mode:04o}); nothing was changed"
                )));
            }
            overwrite(path, &meta, bytes, after)
        }
    }
}

/// A new file: whoever makes one of that name meanwhile wins.
fn create(path: &Path, after: &[u8]) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder).map_err(|error| {
        Failure::Other(format!("can't be made, because its folder can't: {}", reason(&error)))
    })?;
    let stage = Stage::new(folder, path, after, 0o666)?;
    match renameat_with(CWD, &stage.path, CWD, path, RenameFlags::NOREPLACE) {
        Ok(()) => stage.gone(),
        Err(Errno::EXIST) => return Err(Failure::Changed),
        Err(_) => match fs::hard_link(&stage.path, path) {
            Ok(()) => drop(stage),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(Failure::Changed),
            // A file system without links: this much is left.
            Err(_) if path.symlink_metadata().is_ok() => return Err(Failure::Changed),
            Err(_) => {
                fs::rename(&stage.path, path)?;
                stage.gone();
            }
        },
    }
    sync_folder(folder);
    Ok(())
}

fn overwrite(path: &Path, meta: &Metadata, before: &[u8], after: &[u8]) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    let stage = match Stage::new(folder, path, after, 0o600) {
        Ok(stage) => stage,
        Err(error) if in_place_may_help(&error) => {
            let stage = Stage::new(&std::env::temp_dir(), path, after, 0o600)?;
            return in_place(path, before, after, stage);
        }
        Err(error) => return Err(error.into()),
    };
    if meta.nlink() > 1 || stage.take_after(path, meta).is_err() {
        return in_place(path, before, after, stage);
    }
    swap(path, before, stage)?;
    sync_folder(folder);
    Ok(())
}

fn in_place_may_help(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// Exchanges the two files in one step, looks at what came out, and exchanges them back when it is not what was to be
/// replaced.
fn swap(path: &Path, before: &[u8], stage: Stage) -> Result<(), Failure> {
    match renameat_with(CWD, &stage.path, CWD, path, RenameFlags::EXCHANGE) {
        Ok(()) => {}
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            // A file system that can't exchange: look, then rename over it.
            if fs::read(path)? != before {
                return Err(Failure::Changed);
            }
            fs::rename(&stage.path, path)?;
            stage.gone();
            return Ok(());
        }
        Err(Errno::NOENT) => return Err(Failure::Changed),
        Err(error) => return Err(io::Error::from(error).into()),
    }
    if fs::read(&stage.path).is_ok_and(|out| out == before) {
        return Ok(());
    }
    let ours = stage.inode;
    renameat_with(CWD, &stage.path, CWD, path, RenameFlags::EXCHANGE).map_err(io::Error::from)?;
    if fs::metadata(&stage.path).is_ok_and(|meta| meta.ino() == ours) {
        return Err(Failure::Changed);
    }
    // Someone replaced the file a second time in that moment: theirs stays where it came out.
    let kept = escape(&stage.path.to_string_lossy());
    stage.gone();
    Err(Failure::Other(format!(
        "was replaced by another program while it was written; its last version is at {kept}"
    )))
}

/// For a file with several names, or in a folder that can't be written. The staged copy stays until the file is whole.
fn in_place(path: &Path, before: &[u8], after: &[u8], stage: Stage) -> Result<(), Failure> {
    let mut file = OpenOptions::new().read(true).write(true).open(path)?;
    let mut now = Vec::new();
    file.read_to_end(&mut now)?;
    if now != before {
        return Err(Failure::Changed);
    }
    match put(&mut file, after) {
        Ok(()) => Ok(()),
        Err(error) => {
            let why = reason(&error);
            if put(&mut file, before).is_ok() {
                return Err(Failure::Other(format!("could not be written ({why}); it is as it was")));
            }
            let kept = escape(&stage.path.to_string_lossy());
            stage.gone();
            Err(Failure::Other(format!("could not be written whole ({why}); the new content is at {kept}")))
        }
    }
}

fn put(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(0))?;
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)?;
    file.sync_all()
}

fn sync_folder(folder: &Path) {
    // Not every file system can; the file itself is on disk.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

static COUNTER: AtomicU64 = AtomicU64::new(0);

/// A staged copy, removed when dropped.
#[derive(Debug)]
struct Stage {
    path: PathBuf,
    file: File,
    inode: u64,
    keep: bool,
}

impl Stage {
    /// Writes and fsyncs a new file in `folder`.
    fn new(folder: &Path, target: &Path, bytes: &[u8], mode: u32) -> io::Result<Self> {
        let (path, file) = Self::open(folder, target, mode)?;
        let mut stage = Stage { path, inode: file.metadata()?.ino(), file, keep: false };
        stage.file.write_all(bytes)?;
        stage.file.sync_all()?;
        Ok(stage)
    }

    fn open(folder: &Path, target: &Path, mode: u32) -> io::Result<(PathBuf, File)> {
        let stem: String =
            target.file_name().unwrap_or_default().to_string_lossy().chars().take(40).collect();
        loop {
            let number = COUNTER.fetch_add(1, Ordering::Relaxed);
            let name = OsString::from(format!(".{stem}.e-{}-{number}", std::process::id()));
            let path = folder.join(name);
            match OpenOptions::new().write(true).create_new(true).mode(mode).open(&path) {
                Ok(file) => return Ok((path, file)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Takes over owner, extended attributes and mode of the file it will replace; an error when it can't.
    fn take_after(&self, path: &Path, meta: &Metadata) -> io::Result<()> {
        let own = self.file.metadata()?;
        if (own.uid(), own.gid()) != (meta.uid(), meta.gid()) {
            chown(&self.path, Some(meta.uid()), Some(meta.gid()))?;
        }
        copy_attributes(path, &self.file)?;
        self.file.set_permissions(Permissions::from_mode(meta.permissions().mode() & 0o7777))?;
        self.file.sync_all()
    }

    /// It was moved to its place, or stays where it is: nothing is removed.
    fn gone(mut self) {
        self.keep = true;
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if !self.keep {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn copy_attributes(from: &Path, to: &File) -> io::Result<()> {
    let mut names = vec![0; 64 * 1024];
    let length = match rustix::fs::listxattr(from, names.as_mut_slice()) {
        Ok(length) => length,
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    names.truncate(length);
    for name in names.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        let mut value = vec![0; 64 * 1024];
        let length = rustix::fs::getxattr(from, name, value.as_mut_slice())?;
        value.truncate(length);
        match rustix::fs::fsetxattr(to, name, &value, XattrFlags::empty()) {
            Ok(()) => {}
            // Labels of the system's own, which the new file gets by itself.
            Err(_) if name.starts_with(b"security.") => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
