//! `AGENTS.md` of the home and of a trusted workspace, and the home's own `system_prompt`.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use crate::effects::home::{Home, said};
use crate::model::msg::FilesMsg;

/// Bytes taken of one file.
const LIMIT: usize = 32 * 1024;

pub fn load(home: &Home, cwd: &str, trusted: bool) -> FilesMsg {
    let mut complaints = Vec::new();
    let mut places = vec![home.path("AGENTS.md")];
    if trusted {
        let own = Path::new(cwd).join("AGENTS.md");
        // Started in the home itself, there is one file and not two.
        if std::fs::canonicalize(&own).ok() != std::fs::canonicalize(&places[0]).ok() || !own.exists() {
            places.push(own);
        }
    }
    let mut files = Vec::new();
    for place in places {
        if let Some(text) = head(&place, home, &mut complaints) {
            files.push((Arc::from(place.to_string_lossy()), Arc::from(text)));
        }
    }
    let system_prompt = head(&home.path("system_prompt"), home, &mut complaints).map(Arc::from);
    FilesMsg::Instructions { files, system_prompt, complaints }
}

/// A file's first 32 KiB; `None` when there is none or it is blank.
fn head(path: &Path, home: &Home, complaints: &mut Vec<Arc<str>>) -> Option<String> {
    match read(path) {
        Ok((text, cut)) => {
            if cut {
                complaints.push(format!("{}: only its first 32 KiB are used", home.show(path)).into());
            }
            (!text.trim().is_empty()).then_some(text)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => {
            complaints.push(format!("{} cannot be read: {}", home.show(path), said(&error)).into());
            None
        }
    }
}

/// The text, and whether it was cut.
fn read(path: &Path) -> io::Result<(String, bool)> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(LIMIT as u64 + 4).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes)).into_owned();
    if text.len() <= LIMIT {
        return Ok((text, false));
    }
    let mut end = LIMIT;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    Ok((text.get(..end).unwrap_or_default().to_owned(), true))
}
