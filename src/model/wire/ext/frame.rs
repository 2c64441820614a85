//! Bytes of an extension's stdout or stderr into lines of bounded length. A line past the limit is dropped up to its
//! newline and only its start is kept.

use super::{LEADING, LONGEST_LINE};

/// One line, without its newline and a carriage return before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    Line(Vec<u8>),
    /// Longer than the limit: its first KiB.
    Overlong(Vec<u8>),
}

/// Where a stream stands in its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Framer {
    held: Vec<u8>,
    dropping: bool,
    limit: usize,
}

impl Default for Framer {
    fn default() -> Self {
        Framer::with_limit(LONGEST_LINE)
    }
}

impl Framer {
    /// Lines of at most `limit` bytes.
    pub fn with_limit(limit: usize) -> Self {
        Framer { held: Vec::new(), dropping: false, limit }
    }

    /// Takes the bytes up to and with the first newline, and gives the line they end with the rest of the bytes.
    /// Without a newline everything is held, up to the limit.
    pub fn push<'b>(&mut self, bytes: &'b [u8]) -> Option<(Frame, &'b [u8])> {
        match bytes.iter().position(|b| *b == b'\n') {
            Some(end) => {
                self.hold(bytes.get(..end)?);
                Some((self.line(), bytes.get(end + 1..)?))
            }
            None => {
                self.hold(bytes);
                None
            }
        }
    }

    /// The stream's end: a last line without newline counts.
    pub fn finish(&mut self) -> Option<Frame> {
        (self.dropping || !self.held.is_empty()).then(|| self.line())
    }

    fn hold(&mut self, bytes: &[u8]) {
        // One byte more, which may turn out to be the carriage return of the line's end.
        if !self.dropping && self.held.len() + bytes.len() <= self.limit + 1 {
            self.held.extend_from_slice(bytes);
            return;
        }
        if !self.dropping {
            self.dropping = true;
            self.held.truncate(LEADING);
            self.held.shrink_to_fit();
        }
        let room = LEADING.saturating_sub(self.held.len()).min(bytes.len());
        self.held.extend_from_slice(&bytes[..room]);
    }

    fn line(&mut self) -> Frame {
        let mut line = std::mem::take(&mut self.held);
        if std::mem::take(&mut self.dropping) {
            return Frame::Overlong(line);
        }
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        if line.len() > self.limit {
            line.truncate(LEADING);
            return Frame::Overlong(line);
        }
        Frame::Line(line)
    }
}
