//! Reading a log. First its end alone ([`ending`]), for the screen; then the whole ([`whole`]), line by line through one
//! buffer into the session's tree, while a torn last line is cut off the file.
//!
//! Memory goes with what is shown and sent, not with the file:
//! - Of a line too long to be sent to any model, the middle of its result is never held.
//! - Of a file larger than any model's window several times over, results lose their middles and messages their images
//!   ([`shorten::message`]), but for the newest [`Limits::whole`] bytes of the branch that is in front: those are read again, whole.
//! - Ids, parents, order, bad lines and counts are those of the file, whatever its size.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use super::logs::is_name;
use super::shorten::{self, Images, Shortener};
use crate::model::provider::Message;
use crate::model::session::load::{self, Loaded, Loader};
use crate::model::session::tree::{Branch, NodeId};
use crate::model::wire::log::{FORMAT_VERSION, MessageRecord, Record};

/// How much of a log is held, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// A longer line is shortened as it comes.
    pub long: u64,
    /// Kept of either end of such a line's result.
    pub kept: usize,
    /// A larger file is kept whole in part only.
    pub large: u64,
    /// Records of it that are.
    pub whole: u64,
    /// Kept of either end of its older results.
    pub old: usize,
    /// Looked at for the end of a log, until that holds enough messages.
    pub ends: [u64; 3],
}

impl Default for Limits {
    fn default() -> Self {
        const KIB: u64 = 1024;
        Limits {
            long: 2 * KIB * KIB,
            kept: 32 * 1024,
            large: 32 * KIB * KIB,
            whole: 16 * KIB * KIB,
            old: 256,
            ends: [64 * KIB, 256 * KIB, KIB * KIB],
        }
    }
}

/// A log as it is on disk now.
#[derive(Debug)]
pub struct Log {
    pub loaded: Loaded,
    /// Bytes of the file after the repair.
    pub length: u64,
    pub lines: usize,
    /// Where the newest `name` record ends, and its line.
    pub name: Option<(u64, Arc<str>)>,
}

/// Whether a torn last line may be cut off, or the line end that a whole one lacks be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Torn {
    Repair,
    /// Another process may be writing it.
    LeaveOut,
}

/// Reads from the start to the end.
pub fn whole(file: &File, torn: Torn, limits: &Limits) -> io::Result<Log> {
    let large = file.metadata()?.len() > limits.large;
    let mut reader = BufReader::with_capacity(256 * 1024, file);
    reader.seek(SeekFrom::Start(0))?;
    let (mut loader, mut short) = (Loader::default(), Short { limits, large, places: BTreeMap::new() });
    let mut log = Log { loaded: Loaded::default(), length: 0, lines: 0, name: None };
    let mut line = Line::default();
    while line.next(&mut reader, limits)? {
        let text = String::from_utf8_lossy(&line.bytes);
        if !line.ended {
            if !is_object(&text) {
                if torn == Torn::Repair {
                    file.set_len(log.length)?;
                }
                break;
            }
            if torn == Torn::Repair {
                let mut end: &File = file;
                end.write_all(b"\n")?;
                line.length += 1;
            }
        }
        let place = (log.length, line.length);
        log.length += line.length;
        log.lines += 1;
        if is_name(&text) {
            log.name = Some((log.length, Arc::from(&*text)));
        }
        match Record::parse(&text) {
            _ if text.trim().is_empty() => loader.line(&text),
            Ok(Record::Message(message)) if large || line.length > limits.long => {
                short.take(&mut loader, message, place);
            }
            Err(_) if line.length > limits.long => {
                let why = format!("its {} bytes are no record", line.length);
                let _never = loader.record(Err(why));
            }
            record => {
                let _joined = loader.record(record);
            }
        }
    }
    log.loaded = loader.finish();
    short.restore(&mut log.loaded, file);
    Ok(log)
}

fn is_object(text: &str) -> bool {
    serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(text).is_ok()
}

/// One line of the file, and where it ends.
#[derive(Debug, Default)]
struct Line {
    /// Without the line end; shortened when it was long.
    bytes: Vec<u8>,
    /// Bytes in the file.
    length: u64,
    ended: bool,
}

impl Line {
    /// Reads the next one; false at the end of the file.
    fn next(&mut self, reader: &mut BufReader<&File>, limits: &Limits) -> io::Result<bool> {
        // One giant must not be paid for until the end.
        if self.bytes.capacity() as u64 > limits.long {
            self.bytes = Vec::new();
        }
        self.bytes.clear();
        self.length = reader.by_ref().take(limits.long).read_until(b'\n', &mut self.bytes)? as u64;
        self.ended = self.bytes.pop_if(|last| *last == b'\n').is_some();
        if self.length == limits.long && !self.ended {
            self.rest(reader, limits.kept)?;
        }
        Ok(self.length > 0)
    }

    fn rest(&mut self, reader: &mut BufReader<&File>, kept: usize) -> io::Result<()> {
        let mut shortener = Shortener::new(kept);
        shortener.push(&self.bytes);
        while !self.ended {
            self.bytes.clear();
            let count = reader.by_ref().take(64 * 1024).read_until(b'\n', &mut self.bytes)?;
            self.length += count as u64;
            self.ended = self.bytes.pop_if(|last| *last == b'\n').is_some();
            shortener.push(&self.bytes);
            if count == 0 {
                break;
            }
        }
        self.bytes = shortener.finish();
        Ok(())
    }
}

/// Messages that lost something, by where they stand in the file.
#[derive(Debug)]
struct Short<'a> {
    limits: &'a Limits,
    large: bool,
    places: BTreeMap<NodeId, (u64, u64)>,
}

impl Short<'_> {
    fn take(&mut self, loader: &mut Loader, mut message: MessageRecord, place: (u64, u64)) {
        let giant = place.1 > self.limits.long;
        let kept = if giant { self.limits.kept } else { self.limits.old };
        let images = if self.large { Images::LeftOut } else { Images::Kept };
        let mut lost = None;
        if let Some(short) = shorten::message(&message.message, kept, images) {
            message.message = Arc::new(short);
            lost = self.large.then(|| message.id.clone());
        }
        let joined = loader.record(Ok(Record::Message(message)));
        self.places.extend(lost.filter(|_| joined).map(|id| (id, place)));
    }

    /// Reads the newest messages of the branch again, as they are. What cannot be read stays short.
    fn restore(&self, loaded: &mut Loaded, file: &File) {
        let mut left = self.limits.whole;
        let mut again = Vec::new();
        for node in loaded.tree.branch().into_iter().rev() {
            let bytes = self.places.get(&node.id).map_or(self.limits.old as u64, |(_, length)| *length);
            let Some(rest) = left.checked_sub(bytes) else { break };
            left = rest;
            again.extend(self.places.get(&node.id).map(|place| (node.id.clone(), *place)));
        }
        for (id, place) in again {
            if let Ok(Some(message)) = self.again(file, place) {
                loaded.tree.restore(&id, message);
            }
        }
    }

    /// One message as it stands in the file, but for the middle of a giant.
    fn again(&self, file: &File, (at, length): (u64, u64)) -> io::Result<Option<Arc<Message>>> {
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
        file.read_exact_at(&mut bytes, at)?;
        if length > self.limits.long {
            let mut shortener = Shortener::new(self.limits.kept);
            shortener.push(&bytes);
            bytes = shortener.finish();
        }
        Ok(match Record::parse(String::from_utf8_lossy(&bytes).trim_end()) {
            Ok(Record::Message(record)) => Some(record.message),
            _ => None,
        })
    }
}

/// As many messages fill a screen, mostly.
const ENOUGH: usize = 40;

/// The messages that the log ends with; none of a log so short that reading the whole is as quick.
pub fn ending(file: &File, limits: &Limits) -> io::Result<Option<Branch>> {
    let size = file.metadata()?.len();
    let [first, ..] = limits.ends;
    if size <= 2 * first || is_newer(file)? {
        return Ok(None);
    }
    let mut found = Branch::new();
    for most in limits.ends {
        let mut bytes = vec![0; usize::try_from(most.min(size)).unwrap_or(0)];
        file.read_exact_at(&mut bytes, size - most.min(size))?;
        let text = String::from_utf8_lossy(&bytes);
        // The first line is cut somewhere.
        let lines = text.split_once('\n').map_or("", |(_, lines)| lines);
        found = load::ending(lines.lines());
        if found.len() >= ENOUGH || most >= size {
            break;
        }
    }
    Ok((!found.is_empty()).then_some(found))
}

/// A log of a version that will be left alone, or without a first line in the usual place.
fn is_newer(file: &File) -> io::Result<bool> {
    let mut bytes = vec![0; 8 * 1024];
    let count = file.read_at(&mut bytes, 0)?;
    bytes.truncate(count);
    let text = String::from_utf8_lossy(&bytes);
    let first = text.split_once('\n').map(|(first, _)| Record::parse(first));
    Ok(!matches!(first, Some(Ok(Record::Session(s))) if s.format_version <= FORMAT_VERSION))
}
