//! What is captured before anything else: the place, and the person's files.

use std::path::PathBuf;
use std::sync::Arc;

use crate::effects::home::Home;
use crate::effects::themes;

/// The working directory; the error says what to do.
pub fn cwd() -> Result<PathBuf, String> {
    const GONE: &str = "the working directory is gone; change to one that is there";
    let cwd = std::env::current_dir().map_err(|_| GONE.to_owned())?;
    if cwd.is_dir() { Ok(cwd) } else { Err(GONE.into()) }
}

/// What a person wrote by hand, `(name, text)`, and behind it the themes that come with the program. What cannot be read is
/// said in `complaints`.
pub fn files(home: &Home, complaints: &mut Vec<Arc<str>>) -> Vec<(Arc<str>, Arc<str>)> {
    let mut names: Vec<String> = ["settings.json", "layout.json", "keybindings.json", "trust.json"]
        .iter()
        .map(|&n| n.to_owned())
        .collect();
    let folder = std::fs::read_dir(home.path("themes")).into_iter().flatten().flatten();
    let mut own: Vec<String> = folder
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.ends_with(".json") && !name.starts_with('.'))
        .map(|name| format!("themes/{name}"))
        .collect();
    own.sort();
    names.append(&mut own);
    let mut files = Vec::new();
    for name in names {
        match home.read(&name) {
            Ok(Some(text)) => files.push((Arc::from(name), Arc::from(text))),
            Ok(None) => {}
            Err(error) => complaints.push(Arc::from(error)),
        }
    }
    let builtin = themes::BUILTIN
        .iter()
        .map(|(name, text)| (Arc::from(format!("themes/{name}.json")), Arc::from(*text)));
    files.extend(builtin);
    files
}
