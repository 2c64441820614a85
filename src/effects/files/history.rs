//! Prompts that Up recalls (`history.jsonl`, newest 1000), and the unsent draft of each directory.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::effects::home::edit::replace;
use crate::effects::home::{Home, lock, private};
use crate::effects::store::logs::workspace_key;

/// Prompts kept.
pub const NEWEST: usize = 1000;
/// Lines at which the file is cut back to the newest.
const FULL: usize = 1200;
const NAME: &str = "history.jsonl";

/// The newest prompts, oldest first. A line that is no prompt is passed over.
pub fn load(home: &Home) -> Vec<Arc<str>> {
    let text = home.read(NAME).ok().flatten().unwrap_or_default();
    let prompts: Vec<Arc<str>> = text.lines().filter_map(prompt).collect();
    let from = prompts.len().saturating_sub(NEWEST);
    prompts.into_iter().skip(from).collect()
}

fn prompt(line: &str) -> Option<Arc<str>> {
    let value: Value = serde_json::from_str(line).ok()?;
    value.get("text")?.as_str().map(Arc::from)
}

/// Adds a prompt.
pub fn append(home: &Home, cwd: &str, text: &str) -> io::Result<()> {
    home.folder("")?;
    let path = home.path(NAME);
    let _lock = lock::wait(&lock::beside(&path))?;
    let mut file = private::open(&path, true)?;
    let old = fs::read(&path)?;
    // A line that a crash cut must not swallow the new one.
    let start = if old.last().is_none_or(|b| *b == b'\n') { "" } else { "\n" };
    let line = json!({"text": text, "cwd": cwd});
    file.write_all(format!("{start}{line}\n").as_bytes())?;
    let count = old.iter().filter(|b| **b == b'\n').count() + 1;
    if count > FULL {
        let all = fs::read_to_string(&path)?;
        let kept: String = all.lines().skip(count - NEWEST).map(|l| format!("{l}\n")).collect();
        replace(&path, kept.as_bytes(), true)?;
    }
    Ok(())
}

fn draft_name(cwd: &str) -> String {
    format!("drafts/{}", workspace_key(Path::new(cwd)))
}

/// Keeps the draft of a directory, or forgets it.
pub fn keep_draft(home: &Home, cwd: &str, draft: Option<&str>) -> io::Result<()> {
    let path = home.path(draft_name(cwd));
    match draft {
        Some(text) => {
            home.folder("drafts")?;
            replace(&path, text.as_bytes(), true)
        }
        None => match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        },
    }
}

/// The draft that a crash or quit left behind.
pub fn load_draft(home: &Home, cwd: &str) -> Option<Arc<str>> {
    let text = home.read(&draft_name(cwd)).ok().flatten()?;
    (!text.trim().is_empty()).then(|| Arc::from(text))
}
