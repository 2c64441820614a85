//! The `read` tool: numbered lines of a text file in bounded memory, or an image.

use std::fs::File;
use std::io::{BufRead, BufReader, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::OpenOptionsExt as _;
use std::sync::atomic::{AtomicBool, Ordering};

use sha2::{Digest as _, Sha256};

use super::images;
use super::paths::{self, Target};
use super::seen::{Print, Seen};
use crate::model::tool::args::Args;
use crate::model::tool::encoding::{self, Encoding, NotText};
use crate::model::tool::{Outcome, ToolOutput, limit};

/// What a page leaves for its last line.
const FOOTER: usize = 512;
/// Lines are counted and the content fingerprinted up to here; what is behind is "more".
const SCANNED: u64 = 512 * 1024 * 1024;
/// UTF-16 files are decoded whole, up to this size.
const WIDE: u64 = 32 * 1024 * 1024;

/// Reads what the arguments ask for; the error is what the model reads.
pub fn run(target: &Target, args: &Args<'_>, seen: &Seen, stop: &AtomicBool) -> Result<ToolOutput, String> {
    let offset = args.opt_int("offset", 1, u64::MAX).map_err(|r| r.0)?.unwrap_or(1);
    let limit = args.opt_int("limit", 1, u64::MAX).map_err(|r| r.0)?.unwrap_or(u64::MAX);
    let meta = paths::regular(target)?;
    let mut file = open(target)?;
    let mut start = vec![0; images::START];
    let length = fill(&mut file, &mut start).map_err(|error| paths::missing(target, &error))?;
    start.truncate(length);
    if images::mime(&start).is_some() {
        let image = images::load(&target.real, &target.shown)?;
        return Ok(picture(target, image, meta.len()));
    }
    let (encoding, reader): (Encoding, Box<dyn BufRead>) = match encoding::decode(&start) {
        Ok((Encoding::Utf16Le | Encoding::Utf16Be, _)) | Err(NotText::BrokenUtf16) => {
            wide(target, meta.len())?
        }
        Err(NotText::Binary) => return Err(binary(target, &start, meta.len())),
        Ok((encoding, _)) => {
            file.seek(SeekFrom::Start(0)).map_err(|error| paths::missing(target, &error))?;
            (encoding, Box::new(BufReader::with_capacity(64 * 1024, file)))
        }
    };
    let mut page = Page::new(offset, limit);
    page.scan(reader, stop).map_err(|error| paths::missing(target, &error))?;
    if stop.load(Ordering::Relaxed) {
        return Err("cancelled".into());
    }
    match (encoding, page.print()) {
        (Encoding::Utf16Le | Encoding::Utf16Be, _) => {
            if let Ok(bytes) = std::fs::read(&target.real) {
                seen.note(&target.real, Print::of(&bytes));
            }
        }
        (_, Some(print)) => seen.note(&target.real, print),
        (_, None) => {}
    }
    page.answer(target, encoding)
}

/// Opens without waiting: what was a file a moment ago might be a pipe now.
fn open(target: &Target) -> Result<File, String> {
    let nonblock = rustix::fs::OFlags::NONBLOCK.bits();
    std::fs::OpenOptions::new()
        .read(true)
        .custom_flags(i32::try_from(nonblock).unwrap_or_default())
        .open(&target.real)
        .map_err(|error| paths::missing(target, &error))
}

fn fill(file: &mut File, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while let Some(room) = buffer.get_mut(filled..).filter(|room| !room.is_empty()) {
        match file.read(room)? {
            0 => break,
            n => filled += n,
        }
    }
    Ok(filled)
}

fn wide(target: &Target, length: u64) -> Result<(Encoding, Box<dyn BufRead>), String> {
    if length > WIDE {
        return Err(format!(
            "{} is UTF-16 and over 32 MiB; convert it with bash (iconv) to read it.",
            target.shown
        ));
    }
    let bytes = std::fs::read(&target.real).map_err(|error| paths::missing(target, &error))?;
    match encoding::decode(&bytes) {
        Ok((encoding, text)) => Ok((encoding, Box::new(std::io::Cursor::new(text)))),
        Err(_) => Err(format!("{} begins like UTF-16, but is not valid UTF-16.", target.shown)),
    }
}

fn picture(target: &Target, image: crate::model::tool::Image, length: u64) -> ToolOutput {
    let size = limit::bytes(usize::try_from(length).unwrap_or(usize::MAX));
    let facts = format!("{}×{}", image.width, image.height);
    let mut output = ToolOutput::new(
        Outcome::Completed,
        format!("[image {}: {}, {facts} pixels, {size}]", target.shown, image.mime),
    );
    output.summary = Some(facts.into());
    output.images.push(image);
    output
}

fn binary(target: &Target, start: &[u8], length: u64) -> String {
    let kind = infer::get(start).map(|kind| format!(" ({})", kind.mime_type())).unwrap_or_default();
    let size = limit::bytes(usize::try_from(length).unwrap_or(usize::MAX));
    format!(
        "{} is a binary file{kind}, {size}; read shows text and images only. Inspect it with bash.",
        target.shown
    )
}

/// One page of a file while it is read.
struct Page {
    offset: u64,
    limit: u64,
    out: String,
    /// The line being read: its number and as much of it as could be shown.
    number: u64,
    line: Vec<u8>,
    length: usize,
    /// The next line that is not shown, once the page is full.
    full: Option<u64>,
    last_shown: u64,
    crlf: u64,
    ends: u64,
    lossy: bool,
    cut_line: bool,
    hasher: Sha256,
    scanned: u64,
    whole: bool,
}

impl Page {
    fn new(offset: u64, limit: u64) -> Self {
        Page {
            offset,
            limit,
            out: String::new(),
            number: 1,
            line: Vec::new(),
            length: 0,
            full: None,
            last_shown: 0,
            crlf: 0,
            ends: 0,
            lossy: false,
            cut_line: false,
            hasher: Sha256::new(),
            scanned: 0,
            whole: false,
        }
    }

    fn scan(&mut self, mut reader: Box<dyn BufRead>, stop: &AtomicBool) -> std::io::Result<()> {
        while self.scanned < SCANNED && !stop.load(Ordering::Relaxed) {
            let buffer = reader.fill_buf()?;
            if buffer.is_empty() {
                self.whole = true;
                break;
            }
            self.hasher.update(buffer);
            let mut rest = buffer;
            while let Some(at) = rest.iter().position(|b| *b == b'\n') {
                let (line, after) = rest.split_at(at);
                self.add(line);
                self.ends += 1;
                self.end();
                rest = after.get(1..).unwrap_or_default();
            }
            self.add(rest);
            let used = buffer.len();
            self.scanned += used as u64;
            reader.consume(used);
        }
        if self.length > 0 {
            self.end();
        }
        Ok(())
    }

    fn wanted(&self) -> bool {
        self.number >= self.offset && self.number - self.offset < self.limit && self.full.is_none()
    }

    fn add(&mut self, bytes: &[u8]) {
        self.length += bytes.len();
        if self.wanted() {
            let room = (limit::MODEL + 8).saturating_sub(self.line.len());
            self.line.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
        } else if let Some(last) = bytes.last() {
            // Only the last byte matters: it tells CRLF.
            self.line.clear();
            self.line.push(*last);
        }
    }

    fn end(&mut self) {
        if self.line.last() == Some(&b'\r') && self.length > 0 {
            self.crlf += 1;
            self.line.pop();
        }
        if self.wanted() {
            self.show();
        } else if self.number >= self.offset && self.full.is_none() {
            self.full = Some(self.number);
        }
        self.line.clear();
        self.length = 0;
        self.number += 1;
    }

    fn show(&mut self) {
        let line = self.line.as_slice();
        let line = if self.number == 1 { line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line) } else { line };
        let text = String::from_utf8_lossy(line);
        self.lossy |= matches!(text, std::borrow::Cow::Owned(_)) && self.length <= limit::MODEL;
        let room = limit::MODEL - FOOTER;
        let numbered = format!("{}\t{text}\n", self.number);
        if self.out.len() + numbered.len() <= room {
            self.out.push_str(&numbered);
            self.last_shown = self.number;
        } else if self.out.is_empty() {
            // A line that alone is too long: its beginning, said so.
            let end = limit::floor(&numbered, room);
            self.out.push_str(numbered.get(..end).unwrap_or_default());
            self.out.push('\n');
            self.cut_line = true;
            self.last_shown = self.number;
        } else {
            self.full = Some(self.number);
        }
    }

    fn print(&self) -> Option<Print> {
        self.whole.then(|| Print::finish(self.hasher.clone()))
    }

    fn answer(mut self, target: &Target, encoding: Encoding) -> Result<ToolOutput, String> {
        let lines = self.number - 1;
        let total = if self.whole { format!("{lines}") } else { format!("more than {lines}") };
        if lines == 0 {
            let mut output = ToolOutput::new(Outcome::Completed, format!("[{} is empty]", target.shown));
            output.summary = Some("empty".into());
            return Ok(output);
        }
        if self.last_shown == 0 {
            return Err(format!("{} has {total} lines; line {} is past its end.", target.shown, self.offset));
        }
        let all = self.offset == 1 && self.full.is_none() && self.whole;
        let mut notes = Vec::new();
        if !all {
            let next = self.full.map(|line| format!("; go on with offset {line}")).unwrap_or_default();
            notes.push(format!("lines {}-{} of {total}{next}", self.offset, self.last_shown));
        }
        if self.cut_line {
            notes.push(format!(
                "line {} is too long and was cut; see the rest with bash, such as cut -c",
                self.last_shown
            ));
        }
        if self.crlf > 0 && self.crlf == self.ends {
            notes.push("line ends are CRLF".into());
        } else if self.crlf > 0 {
            notes.push(format!(
                "line ends are mixed, {} CRLF and {} LF",
                self.crlf,
                self.ends.saturating_sub(self.crlf)
            ));
        }
        match encoding {
            Encoding::Utf16Le | Encoding::Utf16Be => notes.push(format!("the file is {}", encoding.name())),
            _ if self.lossy => notes.push("not UTF-8: bytes that are none show as \u{FFFD}".into()),
            Encoding::Utf8Mark => notes.push("begins with a byte-order mark".into()),
            Encoding::Utf8 | Encoding::Bytes => {}
        }
        if !notes.is_empty() {
            self.out.push_str(&format!("[{}]", notes.join("; ")));
        }
        let shown = self.last_shown + 1 - self.offset;
        let summary = match (all, shown) {
            (true, 1) => "1 line".into(),
            (true, _) => format!("{shown} lines"),
            (false, _) => format!("lines {}-{} of {total}", self.offset, self.last_shown),
        };
        let mut output = ToolOutput::new(Outcome::Completed, self.out);
        output.summary = Some(summary.into());
        Ok(output)
    }
}
