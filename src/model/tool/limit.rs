//! What the model reads of a long result: a head cut at a whole line, or a head and a tail, and how to read the rest.

use std::sync::Arc;

use super::ToolOutput;
use super::kept::Kept;

/// The most bytes of one result that the model reads.
pub const MODEL: usize = 32 * 1024;
/// Of a command's output the model reads this much of the beginning and of the end.
pub const HEAD: usize = 8 * 1024;
/// The line that names the gap is taken from the end's share.
pub const TAIL: usize = 24 * 1024 - 256;
/// A longer line counts as several, so that paging by line reaches every byte.
pub const LINE: usize = 8 * 1024;

/// Stands, in [`ToolOutput::excerpt`], for the words that say how to read the rest. Output never holds it: control
/// characters are taken out first.
pub const MARK: char = '\0';

/// What the model reads of a result. A text too long for it is kept, and the answer names the id, when `pageable` (the
/// `read_result` tool is in force); otherwise it only says that it was cut.
pub fn for_model(output: &ToolOutput, kept: &mut Kept, pageable: bool) -> Arc<str> {
    if output.excerpt.is_none() && output.content.len() <= MODEL {
        return Arc::clone(&output.content);
    }
    let id = pageable.then(|| kept.keep(Arc::clone(&output.content)));
    match &output.excerpt {
        Some(excerpt) => resolve(excerpt, id.as_deref()).into(),
        None => head(&output.content, id.as_deref()).into(),
    }
}

/// Puts the words for "how to read the rest" where an excerpt has [`MARK`].
pub fn resolve(excerpt: &str, id: Option<&str>) -> String {
    let words = match id {
        Some(id) => format!("read_result with {{\"id\":\"{id}\"}} pages or searches the whole"),
        None => "the rest can't be shown".into(),
    };
    excerpt.replace(MARK, &words)
}

/// The beginning of a text, at most [`MODEL`] bytes with the last line that says how to go on.
pub fn head(text: &str, id: Option<&str>) -> String {
    if text.len() <= MODEL {
        return text.to_owned();
    }
    let total = rows(text).count();
    let (shown, end) = fill(text, MODEL - 256);
    let size = bytes(text.len());
    let how = match id {
        Some(id) => format!("read_result with {{\"id\":\"{id}\",\"offset\":{}}} goes on", shown + 1),
        None => "the rest can't be shown".into(),
    };
    let body = text.get(..end).unwrap_or_default();
    let gap = if body.ends_with('\n') { "" } else { "\n" };
    format!("{body}{gap}[cut: lines 1-{shown} of {total} shown, {size} in all; {how}]")
}

/// How many whole rows fit into `room` bytes, and where they end.
fn fill(text: &str, room: usize) -> (usize, usize) {
    let (mut shown, mut end) = (0, 0);
    for row in rows(text) {
        if end + row.len() > room {
            break;
        }
        end += row.len();
        shown += 1;
    }
    (shown, end)
}

/// A command's output as the model reads it when it is too long: the first 8 KiB, the last 24 KiB, and between them a
/// line that names the gap. `None` when it fits whole.
pub fn excerpt(text: &str) -> Option<String> {
    if text.len() <= MODEL {
        return None;
    }
    let (_, start) = fill(text, HEAD);
    let mut end = ceil(text, text.len().saturating_sub(TAIL));
    // The tail begins at a whole line when one begins near.
    if let Some(rest) = text.get(end..)
        && let Some(line) = rest.find('\n')
        && line < LINE
        && line + 1 < rest.len()
    {
        end += line + 1;
    }
    let (first, last) = (text.get(..start)?, text.get(end..)?);
    let gap = text.get(start..end)?;
    let lines = gap.matches('\n').count();
    let newline = if first.is_empty() || first.ends_with('\n') { "" } else { "\n" };
    Some(format!("{first}{newline}[… {} left out here ({lines} lines); {MARK} …]\n{last}", bytes(gap.len())))
}

/// The lines of a text, each with its line end; a line over [`LINE`] bytes comes in several pieces.
pub fn rows(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n').flat_map(pieces)
}

fn pieces(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let cut = if rest.len() <= LINE { rest.len() } else { floor(rest, LINE) };
        let (piece, left) = rest.split_at_checked(cut)?;
        rest = left;
        Some(piece)
    })
}

/// The nearest character boundary at or below `at`.
pub fn floor(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The nearest character boundary at or above `at`.
pub fn ceil(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

/// A size a person reads: `512 bytes`, `31.4 KiB`, `4.0 MiB`.
pub fn bytes(count: usize) -> String {
    let tenths = |unit: usize| format!("{}.{}", count / unit, count % unit * 10 / unit);
    match count {
        1 => "1 byte".into(),
        0..1024 => format!("{count} bytes"),
        1024..1_048_576 => format!("{} KiB", tenths(1024)),
        _ => format!("{} MiB", tenths(1_048_576)),
    }
}
