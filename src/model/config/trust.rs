//! `trust.json`: which directories a person trusts. The nearest recorded one decides for what is inside.

use std::collections::BTreeMap;

use super::complaint::Complaint;
use super::jsonc::{self, Json, Reader};

/// Directories by absolute real path; `false` is a refusal that `e untrust` wrote.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Trust {
    pub directories: BTreeMap<String, bool>,
}

/// Reads the file's text; a wrong entry counts as not recorded.
pub fn parse(file: &str, text: &str) -> (Trust, Vec<Complaint>) {
    let mut trust = Trust::default();
    let root = match jsonc::parse(file, text.as_bytes()) {
        Ok(root) => root,
        Err(complaint) => return (trust, vec![complaint]),
    };
    let mut reader = Reader::new(file);
    for member in reader.object("the file", &root).unwrap_or_default() {
        if member.key != "directories" {
            continue;
        }
        for entry in reader.object("directories", &member.value).unwrap_or_default() {
            match &entry.value.json {
                Json::Bool(trusted) => {
                    trust.directories.insert(entry.key.clone(), *trusted);
                }
                _ => reader.wrong(&entry.key, &entry.value, "true or false"),
            }
        }
    }
    (trust, reader.finish())
}

impl Trust {
    /// What is recorded for a directory or its nearest recorded ancestor; `None` when nobody was asked.
    pub fn verdict(&self, real_path: &str) -> Option<bool> {
        let mut at = real_path.trim_end_matches('/');
        loop {
            let name = if at.is_empty() { "/" } else { at };
            if let Some(trusted) = self.directories.get(name) {
                return Some(*trusted);
            }
            at = at.rsplit_once('/')?.0;
        }
    }
}

/// Whether `dir` is `ancestor` or inside it; both absolute.
pub fn covers(ancestor: &str, dir: &str) -> bool {
    let ancestor = ancestor.trim_end_matches('/');
    let dir = dir.trim_end_matches('/');
    dir.strip_prefix(ancestor).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
