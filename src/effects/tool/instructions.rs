//! Nested `AGENTS.md`: those between the workspace and a path that a tool touches (`home.md`). Whether the conversation
//! has one already, the core knows.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use crate::model::tool::limit;

/// The most bytes taken of one file.
const LIMIT: usize = 32 * 1024;
const NAME: &str = "AGENTS.md";

/// The files that hold for `touched`, outermost first, as `(path, text)`. The workspace's own is part of the system
/// prompt and not among them, nor is the touched file itself.
pub fn on_the_way(workspace: &Path, touched: &Path) -> Vec<(Arc<str>, Arc<str>)> {
    let workspace = workspace.canonicalize().unwrap_or_else(|_| workspace.to_path_buf());
    let Ok(inside) = touched.strip_prefix(&workspace) else { return Vec::new() };
    let mut folder = workspace;
    let mut found = Vec::new();
    for part in inside.components() {
        folder.push(part);
        let path = folder.join(NAME);
        if path != *touched
            && path.is_file()
            && let Some(text) = head(&path)
        {
            found.push((path.to_string_lossy().into(), text.into()));
        }
    }
    found
}

fn head(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(LIMIT as u64 + 1).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
    if bytes.len() <= LIMIT {
        return Some(text.to_owned());
    }
    let end = limit::floor(text, LIMIT);
    Some(format!(
        "{}\n[cut: only the first 32 KiB of this file are used]",
        text.get(..end).unwrap_or_default()
    ))
}
