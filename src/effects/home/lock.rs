//! Operating system locks beside the files they guard. A process that dies lets go of its locks.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a short write of another process is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// Held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// `<path>.lock`.
pub fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    PathBuf::from(name)
}

/// Takes the lock at once; `None` when another has it.
pub fn take(path: &Path) -> io::Result<Option<Lock>> {
    let file =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)?;
    match file.try_lock() {
        // Whoever held it may have removed it meanwhile: then another may have made and locked a new one.
        Ok(()) if !is_still(&file, path) => take(path),
        Ok(()) => Ok(Some(Lock { _file: file })),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Whether `path` names the file that is open.
fn is_still(file: &File, path: &Path) -> bool {
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(ours), Ok(there)) => (ours.dev(), ours.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

/// Takes the lock as soon as it is free.
pub fn wait(path: &Path) -> io::Result<Lock> {
    let start = Instant::now();
    loop {
        if let Some(lock) = take(path)? {
            return Ok(lock);
        }
        if start.elapsed() > PATIENCE {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "another e keeps it locked"));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
