//! The home (`~/.e`, or where `E_HOME` points): found once at start, its folders private, its files read and written by the
//! rules that `home.md` sets for every store.

pub mod edit;
pub mod lock;
pub mod private;
pub mod trust;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where everything `e` remembers lives. Clones share one path.
#[derive(Debug, Clone)]
pub struct Home {
    root: Arc<Path>,
    /// The person's own home directory.
    user: Arc<Path>,
}

impl Home {
    /// Reads the place out of a snapshot of the environment.
    pub fn find(env: &BTreeMap<String, String>, cwd: &Path) -> Result<Home, String> {
        let set = |name: &str| env.get(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let user = set("HOME").or_else(std::env::home_dir).unwrap_or_default();
        let root = match set("E_HOME") {
            Some(path) => cwd.join(path),
            None if user.as_os_str().is_empty() => {
                return Err(
                    "neither E_HOME nor HOME is set, so there is no place for settings and sessions".into()
                );
            }
            None => user.join(".e"),
        };
        Ok(Home::at(root, user))
    }

    /// A home at a known place.
    pub fn at(root: impl Into<PathBuf>, user: impl Into<PathBuf>) -> Home {
        Home { root: Arc::from(root.into()), user: Arc::from(user.into()) }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The person's own home directory, for `~`.
    pub fn user(&self) -> &Path {
        &self.user
    }

    /// A file or folder of the home.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root.join(name)
    }

    /// Makes the home and a folder in it, each open to their owner alone.
    pub fn folder(&self, name: &str) -> io::Result<PathBuf> {
        private::folder(&self.root)?;
        let mut path = self.root.to_path_buf();
        for part in name.split('/').filter(|p| !p.is_empty()) {
            path.push(part);
            private::folder(&path)?;
        }
        Ok(path)
    }

    /// A file's text; `None` when there is none. A file that holds secrets is made private when it is found looser.
    pub fn read(&self, name: &str) -> Result<Option<String>, String> {
        let path = self.path(name);
        if is_secret(name) {
            private::tighten(&path);
        }
        match std::fs::read(&path) {
            Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(format!("cannot read {}: {}", self.show(&path), said(&error))),
        }
    }

    /// A path as a person knows it, with `~` for their home directory.
    pub fn show(&self, path: &Path) -> String {
        match path.strip_prefix(&*self.user) {
            Ok(rest) if !self.user.as_os_str().is_empty() => format!("~/{}", rest.display()),
            _ => path.display().to_string(),
        }
    }
}

/// Files that hold keys or what a person wrote to a model.
fn is_secret(name: &str) -> bool {
    matches!(name, "auth.json" | "history.jsonl" | "trust.json") || name.starts_with("drafts/")
}

/// An IO error without its number.
pub fn said(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut chars = text.chars();
    chars.next().map(|c| c.to_lowercase().collect::<String>() + chars.as_str()).unwrap_or_default()
}
