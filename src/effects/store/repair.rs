//! Reading a log whole: a torn last line is cut off the file, a giant tool result is read without its middle.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

use super::logs::is_name;
use crate::model::provider::Message;
use crate::model::wire::log::Record;

/// A longer line is looked into: what it holds is far more than a model would be sent.
const LONG: usize = 2 * 1024 * 1024;
/// Bytes kept of a giant result's head and of its tail.
const KEPT: usize = 32 * 1024;

/// A log as it is on disk now.
pub struct Read {
    pub lines: Vec<Arc<str>>,
    /// Bytes of the file after the repair.
    pub length: u64,
    /// Where the newest `name` record ends, and its index in `lines`.
    pub name: Option<(u64, usize)>,
}

/// Reads from the start to the end; cuts a torn last line, or ends a whole one that only lacks its line end.
pub fn read(file: &File) -> io::Result<Read> {
    let mut reader = BufReader::with_capacity(256 * 1024, file);
    reader.seek(SeekFrom::Start(0))?;
    let mut read = Read { lines: Vec::new(), length: 0, name: None };
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let count = reader.read_until(b'\n', &mut bytes)?;
        if count == 0 {
            return Ok(read);
        }
        let whole = bytes.last() == Some(&b'\n');
        let text = String::from_utf8_lossy(bytes.strip_suffix(b"\n").unwrap_or(&bytes));
        if !whole {
            if !is_object(&text) {
                file.set_len(read.length)?;
                return Ok(read);
            }
            let mut end: &File = file;
            end.write_all(b"\n")?;
            read.length += 1;
        }
        read.length += count as u64;
        if is_name(&text) {
            read.name = Some((read.length, read.lines.len()));
        }
        read.lines.push(if text.len() > LONG { shorten(&text).into() } else { Arc::from(&*text) });
        if bytes.capacity() > LONG {
            bytes = Vec::new();
        }
    }
}

/// The lines of a log that another process may be writing: nothing is cut off, a torn last line is left out.
pub fn look(path: &Path) -> io::Result<Vec<Arc<str>>> {
    let bytes = std::fs::read(path)?;
    let text = String::from_utf8_lossy(&bytes);
    let lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n') || is_object(line));
    Ok(lines
        .map(|line| line.trim_end_matches('\n'))
        .map(|l| if l.len() > LONG { shorten(l).into() } else { Arc::from(l) })
        .collect())
}

fn is_object(text: &str) -> bool {
    serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(text).is_ok()
}

/// The same record, its giant tool result cut in the middle. Memory goes with what is shown and sent, not with the file.
fn shorten(line: &str) -> String {
    let Ok(Record::Message(mut record)) = Record::parse(line) else { return line.to_owned() };
    let Message::Tool(result) = &*record.message else { return line.to_owned() };
    let mut result = result.clone();
    let text = &result.content;
    if text.len() <= 2 * KEPT {
        return line.to_owned();
    }
    let (head, tail) = (floor(text, KEPT), floor(text, text.len() - KEPT));
    let gap = tail - head;
    result.content = format!(
        "{}\n[{gap} bytes left out here; they are in the session's file]\n{}",
        text.get(..head).unwrap_or_default(),
        text.get(tail..).unwrap_or_default()
    )
    .into();
    record.message = Arc::new(Message::Tool(result));
    Record::Message(record).print()
}

/// The nearest character boundary at or before `at`.
fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
