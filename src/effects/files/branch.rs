//! The branch of a workspace's repository, read from git's own files: no process is started for the status row.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The branch's name, or a detached head's first digits; `None` outside a repository.
pub fn of(cwd: &Path) -> Option<Arc<str>> {
    let git = cwd.ancestors().map(|dir| dir.join(".git")).find(|git| git.exists())?;
    let head = fs::read_to_string(folder(git)?.join("HEAD")).ok()?;
    let head = head.trim();
    match head.strip_prefix("ref: ") {
        Some(name) => Some(Arc::from(name.strip_prefix("refs/heads/").unwrap_or(name))),
        None => head.get(..8).map(Arc::from),
    }
}

/// In a worktree and a submodule `.git` is a file that names the folder.
fn folder(git: PathBuf) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git);
    }
    let text = fs::read_to_string(&git).ok()?;
    let named = text.trim().strip_prefix("gitdir:")?.trim();
    Some(git.parent()?.join(named))
}
