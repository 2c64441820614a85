//! Prompt templates and skills: a trusted repository's, then the home's; the closer wins (`home.md`).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::front_matter;
use crate::effects::home::{Home, said};
use crate::model::msg::FilesMsg;
use crate::model::session::library::{Skill, Template};

/// The most that is read of one file.
const LIMIT: u64 = 256 * 1024;

pub fn load(home: &Home, cwd: &Path, trusted: bool) -> FilesMsg {
    let mut roots: Vec<PathBuf> = Vec::new();
    if trusted {
        roots.push(cwd.join(".e"));
    }
    roots.push(home.root().to_path_buf());
    let mut found = Found::default();
    for root in &roots {
        for path in entries(&root.join("prompts")) {
            found.prompt(&path);
        }
        for path in entries(&root.join("skills")) {
            found.skill(&path.join("SKILL.md"), &path);
        }
    }
    FilesMsg::Templates {
        prompts: found.prompts.into_values().collect(),
        skills: found.skills.into_values().collect(),
        complaints: found.complaints,
    }
}

/// By name; the first that comes stays.
#[derive(Default)]
struct Found {
    prompts: BTreeMap<String, Template>,
    skills: BTreeMap<String, Skill>,
    complaints: Vec<Arc<str>>,
}

impl Found {
    fn prompt(&mut self, path: &Path) {
        let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned());
        let Some(name) = stem.filter(|_| path.extension().is_some_and(|e| e == "md")) else { return };
        if name.is_empty() || name.starts_with('.') || self.prompts.contains_key(&name) {
            return;
        }
        if name.contains(char::is_whitespace) || name.contains('/') {
            self.complaints.push(format!("{}: a prompt's name cannot hold spaces", path.display()).into());
            return;
        }
        let Some(text) = self.read(path) else { return };
        let (keys, body) = front_matter::split(&text);
        let text_of = |key: &str| keys.get(key).filter(|v| !v.is_empty()).map(|v| Arc::from(v.as_str()));
        let template = Template {
            name: Arc::from(name.as_str()),
            description: text_of("description").unwrap_or_default(),
            argument_hint: text_of("argument-hint"),
            body: Arc::from(body.trim()),
        };
        self.prompts.insert(name, template);
    }

    fn skill(&mut self, path: &Path, folder: &Path) {
        if !path.is_file() {
            return;
        }
        let Some(text) = self.read(path) else { return };
        let (keys, _) = front_matter::split(&text);
        let folder = folder.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let name = keys.get("name").filter(|n| !n.is_empty()).cloned().unwrap_or(folder);
        if self.skills.contains_key(&name) {
            return;
        }
        let description = keys.get("description").cloned().unwrap_or_default();
        if description.is_empty() {
            self.complaints.push(
                format!("{}: it has no description, so the model is not told of it", path.display()).into(),
            );
        }
        let hidden =
            keys.get("disable-model-invocation").is_some_and(|v| matches!(v.as_str(), "true" | "yes" | "on"));
        let skill = Skill {
            name: Arc::from(name.as_str()),
            for_model: !hidden && !description.is_empty(),
            description: Arc::from(description),
            path: Arc::from(path.to_string_lossy()),
        };
        self.skills.insert(name, skill);
    }

    fn read(&mut self, path: &Path) -> Option<String> {
        let mut wrong = |what: &str| {
            self.complaints.push(format!("{}: {what}", path.display()).into());
            None
        };
        match fs::metadata(path) {
            Ok(meta) if !meta.is_file() => wrong("it is not a file"),
            Ok(meta) if meta.len() > LIMIT => wrong("it is larger than 256 KiB and is not used"),
            Ok(_) => match fs::read(path) {
                Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
                Err(error) => wrong(&format!("it cannot be read: {}", said(&error))),
            },
            Err(error) => wrong(&format!("it cannot be read: {}", said(&error))),
        }
    }
}

/// What is in a folder, by name; nothing when there is no folder.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    paths.sort();
    paths
}
