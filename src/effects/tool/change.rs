//! The `write` and `edit` tools and `/undo`: what they may change, how they say what they did.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::atomic::{self, Before, Failure};
use super::diff;
use super::paths::{self, Target};
use super::seen::{Freshness, Print, Seen};
use super::undo::{Entry, Undo};
use crate::model::tool::args::Args;
use crate::model::tool::edit;
use crate::model::tool::encoding::{self, Encoding, NotText};
use crate::model::tool::ends;
use crate::model::tool::{Outcome, ToolOutput, limit};

/// Larger files are not changed by these tools.
const LARGEST: u64 = 64 * 1024 * 1024;
/// How often a change is planned anew because the file changed in that moment.
const TRIES: usize = 3;

/// What of a session the changes need.
#[derive(Debug, Clone, Copy)]
pub struct Books<'a> {
    pub seen: &'a Seen,
    pub undo: &'a Undo,
    pub stop: &'a AtomicBool,
}

/// Runs `write`.
pub fn write(target: &Target, args: &Args<'_>, books: Books<'_>) -> Result<ToolOutput, String> {
    let content = args.text("content").map_err(|refusal| refusal.0)?;
    let before = current(target)?;
    if let Some(before) = &before {
        let now = Print::of(before);
        if books.seen.check(&target.real, now) == Freshness::Changed {
            return Ok(stale(target, before, now, books.seen));
        }
    }
    let Fitted { old, bytes, mut notes } = fitted(target, before.as_deref(), content)?;
    if before.as_deref() == Some(bytes.as_slice()) {
        books.seen.note(&target.real, Print::of(&bytes));
        return Ok(ToolOutput::new(
            Outcome::Completed,
            format!("{} already holds exactly this.", target.shown),
        ));
    }
    let besides = match commit(target, before.as_deref(), &bytes, books) {
        Ok(besides) => besides,
        Err(Failure::Changed) => {
            return Err(format!(
                "{} was changed by another program in this moment; nothing was written. Read it again.",
                target.shown
            ));
        }
        Err(Failure::Other(why)) => return Err(format!("{} {why}.", target.shown)),
    };
    books.seen.note(&target.real, Print::of(&bytes));
    let new = encoding::decode(&bytes).map_or_else(|_| content.to_owned(), |(_, text)| text);
    let shown = diff::between(&target.shown, old.as_deref(), Some(&new));
    let made = if old.is_some() { "Wrote" } else { "Made" };
    let lines = new.split_inclusive('\n').count();
    let s = if lines == 1 { "" } else { "s" };
    notes.insert(0, format!("{made} {}: {lines} line{s}, {}.", target.shown, limit::bytes(bytes.len())));
    notes.extend((!besides.is_empty()).then(|| besides.trim().to_owned()));
    Ok(done(notes.join(" "), shown))
}

/// A content made to fit the file it replaces.
struct Fitted {
    /// The text that was there.
    old: Option<String>,
    bytes: Vec<u8>,
    /// What is to be said about it.
    notes: Vec<String>,
}

/// What `content` becomes in this file, whose encoding, mark and line ends are kept.
fn fitted(target: &Target, before: Option<&[u8]>, content: &str) -> Result<Fitted, String> {
    let Some(before) = before else {
        return Ok(Fitted { old: None, bytes: content.as_bytes().to_vec(), notes: Vec::new() });
    };
    let (encoding, old) = match encoding::decode(before) {
        Ok(decoded) => decoded,
        Err(NotText::Binary) => {
            return Err(format!("{} is not a text file; write does not overwrite it.", target.shown));
        }
        Err(NotText::BrokenUtf16) => {
            return Err(format!(
                "{} begins like UTF-16 but is damaged; write does not overwrite it.",
                target.shown
            ));
        }
    };
    let mut notes = Vec::new();
    let body = content.strip_prefix('\u{FEFF}').unwrap_or(content);
    let (crlf, _) = ends::count(&old);
    let body = if crlf > 0 && !body.contains("\r\n") && body.contains('\n') {
        notes.push("Its CRLF line ends were kept.".into());
        ends::adopt(&old, body, ends::prevailing(&old))
    } else {
        body.to_owned()
    };
    let encoding = match encoding {
        Encoding::Bytes => {
            if !body.is_ascii() {
                notes.push("It was not UTF-8 and now is.".into());
            }
            Encoding::Utf8
        }
        Encoding::Utf8 if content.starts_with('\u{FEFF}') => Encoding::Utf8Mark,
        other => other,
    };
    let bytes = encoding::encode(encoding, &body)
        .map_err(|c| format!("{c:?} can't be written in {}, which is {}.", target.shown, encoding.name()))?;
    Ok(Fitted { old: Some(old), bytes, notes })
}

/// A refusal that shows what the file holds now; having seen that, the agent may write.
fn stale(target: &Target, now: &[u8], print: Print, seen: &Seen) -> ToolOutput {
    let text = encoding::decode(now).map_or_else(|_| "[not text]".into(), |(_, text)| text);
    let fits = text.len() <= limit::MODEL - 1024;
    let end = limit::floor(&text, limit::MODEL - 1024);
    let (word, tail) = if fits {
        seen.note(&target.real, print);
        ("It now holds", String::new())
    } else {
        ("It now begins", "\n[cut: read the file before you write it]".into())
    };
    let mut output = ToolOutput::failed(format!(
        "stale: {} changed on disk since you last saw it, so nothing was written. {word}:\n{}{tail}",
        target.shown,
        text.get(..end).unwrap_or_default(),
    ));
    output.summary = Some("changed on disk".into());
    output
}

/// Runs `edit`.
pub fn edit(target: &Target, args: &Args<'_>, books: Books<'_>) -> Result<ToolOutput, String> {
    let old = args.text("old_string").map_err(|refusal| refusal.0)?;
    let new = args.text("new_string").map_err(|refusal| refusal.0)?;
    let all = args.flag("replace_all").map_err(|refusal| refusal.0)?;
    for _ in 0..TRIES {
        let meta = paths::regular(target)?;
        if meta.len() > LARGEST {
            return Err(format!("{} is over 64 MiB; change it with bash.", target.shown));
        }
        let before = fs::read(&target.real).map_err(|error| paths::missing(target, &error))?;
        let fresh = books.seen.check(&target.real, Print::of(&before));
        let changed = match fresh {
            Freshness::Changed => "\nThe file had changed on disk since you last saw it.",
            Freshness::Unknown | Freshness::Same => "",
        };
        let request = edit::Request { old, new, all };
        let plan = edit::plan(&before, request).map_err(|why| format!("{}: {why}{changed}", target.shown))?;
        match commit(target, Some(&before), &plan.bytes, books) {
            // Planned anew on what is there now.
            Err(Failure::Changed) => {}
            Err(Failure::Other(why)) => return Err(format!("{} {why}.", target.shown)),
            Ok(besides) => {
                // What changed behind the agent's back it has still not seen: a later write must be refused.
                if fresh != Freshness::Changed {
                    books.seen.note(&target.real, Print::of(&plan.bytes));
                }
                let shown = diff::between(&target.shown, Some(&plan.before), Some(&plan.after));
                return Ok(done(format!("{}{}{besides}", edited(target, &plan.lines), note(fresh)), shown));
            }
        }
    }
    Err(format!("{} keeps being changed by another program; nothing was edited.", target.shown))
}

fn note(fresh: Freshness) -> &'static str {
    match fresh {
        Freshness::Changed => {
            " The file had changed on disk since you last saw it; the edit was made on top of that. Read it again before \
             you rely on the rest of it."
        }
        Freshness::Unknown | Freshness::Same => "",
    }
}

fn edited(target: &Target, lines: &[usize]) -> String {
    match lines {
        [line] => format!("Edited {} at line {line}.", target.shown),
        many => {
            let listed: Vec<String> = many.iter().take(20).map(usize::to_string).collect();
            let more = if many.len() > 20 { ", …" } else { "" };
            format!("Edited {} in {} places, at lines {}{more}.", target.shown, many.len(), listed.join(", "))
        }
    }
}

fn done(content: String, shown: diff::Shown) -> ToolOutput {
    let mut output = ToolOutput::new(Outcome::Completed, content);
    output.summary = Some(shown.summary.into());
    output.display = Some(shown.display);
    output
}

/// The bytes of the file as it is, `None` when there is none; what is no regular file is refused.
fn current(target: &Target) -> Result<Option<Vec<u8>>, String> {
    match fs::symlink_metadata(&target.real) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(paths::missing(target, &error)),
        Ok(_) => {}
    }
    let meta = paths::regular(target)?;
    if meta.size() > LARGEST {
        return Err(format!("{} is over 64 MiB; write does not replace so large a file.", target.shown));
    }
    fs::read(&target.real).map(Some).map_err(|error| paths::missing(target, &error))
}

/// Remembers the change for `/undo` and makes it; the answer is what is to be said besides.
fn commit(
    target: &Target,
    before: Option<&[u8]>,
    after: &[u8],
    books: Books<'_>,
) -> Result<&'static str, Failure> {
    if books.stop.load(Ordering::Relaxed) {
        return Err(Failure::Other("was not changed: the call was cancelled".into()));
    }
    let number = books.undo.push(&Entry::new(&target.real, before, after));
    let written = atomic::replace(&target.real, before.map_or(Before::Missing, Before::Bytes), after);
    match (written, number) {
        (Ok(()), Ok(_)) => Ok(""),
        // The change need not fail for want of a place to remember it in.
        (Ok(()), Err(_)) => Ok(" It can't be undone: what was there before could not be saved."),
        (Err(failure), Ok(number)) => {
            books.undo.remove(number);
            Err(failure)
        }
        (Err(failure), Err(_)) => Err(failure),
    }
}

/// Restores what the session's last change replaced (`/undo`).
pub fn undo(cwd: &Path, undo: &Undo) -> Result<ToolOutput, String> {
    let Some((number, entry, left)) = undo.last() else {
        return Err("There is nothing to undo in this session.".into());
    };
    let name = paths::shown(cwd, &entry.path);
    let now = match fs::read(&entry.path) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(format!("{name}: {}.", paths::reason(&error))),
    };
    if now.as_deref() == entry.before.as_deref() {
        undo.remove(number);
        return Err(format!("{name} is already as it was before the last change.{}", more(left)));
    }
    let unchanged = now.as_deref().is_some_and(|bytes| Print::of(bytes).hex() == entry.after);
    let Some(now) = now.filter(|_| unchanged) else {
        return Err(format!("{name} changed since the agent changed it, so nothing was undone."));
    };
    let restored = match &entry.before {
        Some(before) => atomic::replace(&entry.path, Before::Bytes(&now), before),
        None => fs::remove_file(&entry.path).map_err(Failure::from),
    };
    match restored {
        Ok(()) => undo.remove(number),
        Err(Failure::Changed) => {
            return Err(format!("{name} changed in this moment, so nothing was undone."));
        }
        Err(Failure::Other(why)) => return Err(format!("{name} {why}.")),
    }
    let text = |bytes: &[u8]| encoding::decode(bytes).map_or_else(|_| String::new(), |(_, text)| text);
    let shown = diff::between(&name, Some(&text(&now)), entry.before.as_deref().map(text).as_deref());
    let what = if entry.before.is_some() { "Restored" } else { "Removed" };
    let why = if entry.before.is_some() {
        "as it was before the last change"
    } else {
        "which the last change had made"
    };
    Ok(done(format!("{what} {name}, {why}.{}", more(left)), shown))
}

fn more(left: usize) -> String {
    match left {
        0 => String::new(),
        1 => " 1 earlier change can be undone.".into(),
        n => format!(" {n} earlier changes can be undone."),
    }
}
