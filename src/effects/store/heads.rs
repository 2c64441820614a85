//! What a picker shows of saved sessions, read from each file's head and tail alone: 500 files of 200 MB list at once.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use super::text;
use crate::model::provider::{Message, ModelRef, UserKind};
use crate::model::session::head::SessionHead;
use crate::model::wire::log::{self, Record};

/// Bytes read of a file's end.
pub const TAIL: u64 = 16 * 1024;
/// Bytes read of its start.
const HEAD: u64 = 32 * 1024;

/// The folders of all workspaces.
pub fn folders(sessions: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(sessions).into_iter().flatten().flatten();
    entries.map(|e| e.path()).filter(|p| p.is_dir()).collect()
}

/// The logs of a folder with when they were last written.
pub(super) fn logs(folder: &Path) -> Vec<(std::time::SystemTime, u64, PathBuf)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if !name.ends_with(".jsonl") || name.ends_with(".errors.jsonl") {
            continue;
        }
        if let Ok(meta) = fs::metadata(&path)
            && meta.is_file()
            && meta.len() > 0
        {
            found.push((meta.modified().unwrap_or(UNIX_EPOCH), meta.len(), path));
        }
    }
    found
}

/// The log of a folder that was written last.
pub fn newest(folder: &Path) -> Option<PathBuf> {
    logs(folder).into_iter().max_by(|a, b| (a.0, &a.2).cmp(&(b.0, &b.2))).map(|(_, _, path)| path)
}

/// Every session of these folders, newest first.
pub fn list(folders: &[PathBuf]) -> Vec<SessionHead> {
    let mut found: Vec<_> = folders.iter().flat_map(|folder| logs(folder)).collect();
    found.sort_by(|a, b| (b.0, &b.2).cmp(&(a.0, &a.2)));
    found
        .into_iter()
        .filter_map(|(modified, size, path)| {
            let modified = modified.duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis());
            head(&path, size, u64::try_from(modified).unwrap_or(u64::MAX)).ok().flatten()
        })
        .collect()
}

/// `None` for a file that is no session.
fn head(path: &Path, size: u64, modified: u64) -> io::Result<Option<SessionHead>> {
    let mut file = File::open(path)?;
    let start = piece(&mut file, 0, HEAD)?;
    let mut lines = start.lines();
    let Some(Ok(Record::Session(session))) = lines.next().map(Record::parse) else { return Ok(None) };
    let mut shown = Shown::default();
    for line in lines {
        shown.see(line);
    }
    let mut model = answered(&start);
    if size > HEAD {
        let tail = piece(&mut file, size.saturating_sub(TAIL).max(HEAD), TAIL)?;
        // The first line of a tail is cut somewhere and is no record.
        for line in tail.lines().filter(|l| super::logs::is_name(l)) {
            shown.see(line);
        }
        model = answered(&tail).or(model);
    }
    Ok(Some(SessionHead {
        path: text(path),
        cwd: session.cwd,
        title: Arc::from(shown.title.unwrap_or_default()),
        name: shown.name,
        modified,
        size,
        turns: (size <= HEAD).then_some(shown.turns),
        model: model.or(session.model),
    }))
}

/// The model of the last response in a piece of a log.
fn answered(piece: &str) -> Option<ModelRef> {
    const KEY: &str = "\"response\":";
    let (_, response) = piece.rsplit_once(KEY)?;
    let value = serde_json::Deserializer::from_str(response).into_iter::<serde_json::Value>().next()?.ok()?;
    let word = |key: &str| value.get(key)?.as_str().map(Arc::from);
    Some(ModelRef { provider: word("provider")?, id: word("model")? })
}

fn piece(file: &mut File, from: u64, most: u64) -> io::Result<String> {
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[derive(Default)]
struct Shown {
    title: Option<String>,
    name: Option<Arc<str>>,
    turns: u32,
}

impl Shown {
    fn see(&mut self, line: &str) {
        // Replies and results are the bulk of a log and need not be read.
        if !line.contains("\"user\"") && !super::logs::is_name(line) {
            return;
        }
        match Record::parse(line) {
            Ok(Record::Name(record)) => self.name = record.name,
            Ok(Record::Message(record)) => {
                if let Message::User(user) = &*record.message
                    && user.kind == UserKind::Prompt
                    && !user.internal
                {
                    self.turns += 1;
                    self.title.get_or_insert_with(|| log::title(&user.text()));
                }
            }
            Ok(_) => {}
            Err(_) if self.title.is_none() => self.title = cut_title(line),
            Err(_) => {}
        }
    }
}

/// The title out of a first prompt so long that its line is cut.
fn cut_title(line: &str) -> Option<String> {
    let (_, text) = line.split_once("\"text\":")?;
    let text = text.trim_start().strip_prefix('"')?;
    let mut escaped = false;
    let end = |c: char| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    };
    let text = text.get(..text.find(end).unwrap_or(text.len()))?;
    // An escape at the cut may be half: shorter pieces are tried.
    let count = text.chars().count().min(400);
    let whole = (0..12).find_map(|less| {
        let piece: String = text.chars().take(count.saturating_sub(less)).collect();
        serde_json::from_str::<String>(&format!("\"{piece}\"")).ok()
    })?;
    Some(log::title(&whole))
}
