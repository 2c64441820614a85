//! Changing one of the home's JSON files: what is on disk now is merged into, comments stay, and the new file replaces the old
//! one in one step. A newer version's file is never written, an unreadable one never replaced, a corrupt one moved aside.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;

use super::{Home, lock, said};
use crate::model::config::jsonc;
use crate::model::config::settings::is_newer;

/// One place in the file and what it shall hold; `None` takes it away.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// Keys from the root down; objects on the way are made.
    pub path: Vec<String>,
    pub value: Option<Value>,
}

impl Change {
    pub fn set(path: &[&str], value: impl Into<Value>) -> Change {
        Change { path: path.iter().map(|&p| p.to_owned()).collect(), value: Some(value.into()) }
    }

    pub fn remove(path: &[&str]) -> Change {
        Change { path: path.iter().map(|&p| p.to_owned()).collect(), value: None }
    }
}

impl Home {
    /// Makes the changes in `name` under a lock, so that two processes at once lose nothing. The answer is a notice for the
    /// person when something was moved aside; the error is one too.
    pub fn edit(&self, name: &str, changes: &[Change]) -> Result<Option<String>, String> {
        let fail =
            |error: io::Error| format!("cannot write {}: {}", self.show(&self.path(name)), said(&error));
        self.folder("").map_err(fail)?;
        // A file that is a link (into a folder of dotfiles) is written where it really is.
        let path = std::fs::canonicalize(self.path(name)).unwrap_or_else(|_| self.path(name));
        let _lock = lock::wait(&lock::beside(&self.path(name))).map_err(fail)?;
        let (root, notice) = match std::fs::read(&path) {
            Ok(bytes) => self.take_in(name, &path, &bytes)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => (None, None),
            Err(error) => {
                let error = said(&error);
                return Err(format!(
                    "{} cannot be read ({error}), so it is not written either",
                    self.show(&path)
                ));
            }
        };
        let new = root.is_none();
        let root = match root {
            Some(root) => root,
            None => empty_root().map_err(fail)?,
        };
        let object = root.object_value_or_set();
        if new && name != "models.json" {
            put(&object, &["format_version".to_owned()], Some(&Value::from(1)));
        }
        for change in changes {
            put(&object, &change.path, change.value.as_ref());
        }
        let mut text = root.to_string();
        if !text.ends_with('\n') {
            text.push('\n');
        }
        replace(&path, text.as_bytes(), super::is_secret(name)).map_err(fail)?;
        Ok(notice)
    }

    /// The file as a tree that keeps comments; `None` (and a notice) when it was corrupt and is moved aside now.
    fn take_in(
        &self,
        name: &str,
        path: &Path,
        bytes: &[u8],
    ) -> Result<(Option<CstRootNode>, Option<String>), String> {
        let wrong = match jsonc::parse(name, bytes) {
            Ok(node) if is_newer(&node) => {
                return Err(format!(
                    "{} was written by a newer e; this one does not change it. Update e, or move the file away.",
                    self.show(path)
                ));
            }
            Ok(node) if matches!(node.json, jsonc::Json::Object(_)) => None,
            Ok(_) => Some(format!("{name}: it holds no JSON object")),
            Err(complaint) => Some(complaint.to_string()),
        };
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let parsed = std::str::from_utf8(bytes).ok().and_then(|t| CstRootNode::parse(t, &lenient()).ok());
        if let (None, Some(root)) = (&wrong, parsed) {
            return Ok((Some(root), None));
        }
        let aside = aside(path);
        std::fs::rename(path, &aside)
            .map_err(|e| format!("cannot move {} aside: {}", self.show(path), said(&e)))?;
        let wrong = wrong.unwrap_or_else(|| name.to_owned());
        Ok((None, Some(format!("{wrong}. The file was kept as {} and a new one begun.", self.show(&aside)))))
    }
}

/// What people may write by hand.
fn lenient() -> ParseOptions {
    ParseOptions { allow_comments: true, allow_trailing_commas: true, ..ParseOptions::default() }
}

fn empty_root() -> io::Result<CstRootNode> {
    CstRootNode::parse("{\n}", &lenient()).map_err(|e| io::Error::other(e.to_string()))
}

/// `<path>.corrupt-<time>`, a name that is free.
fn aside(path: &Path) -> PathBuf {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let name = |n: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(if n == 0 { format!(".corrupt-{seconds}") } else { format!(".corrupt-{seconds}-{n}") });
        PathBuf::from(name)
    };
    (0..1000).map(name).find(|p| !p.exists()).unwrap_or_else(|| name(0))
}

fn put(object: &CstObject, path: &[String], value: Option<&Value>) {
    match (path, value) {
        ([], _) => {}
        ([last], None) => {
            if let Some(property) = object.get(last) {
                property.remove();
            }
        }
        ([last], Some(value)) => match object.get(last) {
            Some(property) => property.set_value(input(value)),
            None => {
                object.append(last, input(value));
            }
        },
        ([next, ..], None) if object.get(next).is_none() => {}
        ([next, rest @ ..], value) => put(&object.object_value_or_set(next), rest, value),
    }
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(b) => CstInputValue::Bool(*b),
        Value::Number(n) => CstInputValue::Number(n.to_string()),
        Value::String(s) => CstInputValue::String(s.clone()),
        Value::Array(list) => CstInputValue::Array(list.iter().map(input).collect()),
        Value::Object(map) => CstInputValue::Object(map.iter().map(|(k, v)| (k.clone(), input(v))).collect()),
    }
}

/// Writes a temporary file beside `path`, makes sure that it is on the disk, and renames it over.
pub fn replace(path: &Path, bytes: &[u8], secret: bool) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    let mut file = tempfile::Builder::new().prefix(".e-").tempfile_in(folder)?;
    file.write_all(bytes)?;
    if let (false, Ok(old)) = (secret, std::fs::metadata(path)) {
        file.as_file().set_permissions(old.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map_err(|e| e.error)?;
    // The rename itself is on the disk once the folder is; a file system that cannot say so is no failure.
    if let Ok(folder) = std::fs::File::open(folder) {
        let _unsupported = folder.sync_all();
    }
    Ok(())
}
