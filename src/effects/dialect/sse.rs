//! Server-sent events, pushed in as bytes cut anywhere: LF, CRLF or CR, comments, several `data:` lines, a byte-order mark.
//! Knows nothing of what the data means.

/// The most bytes of one event.
const LIMIT: usize = 8 * 1024 * 1024;

const MARK: &[u8] = b"\xEF\xBB\xBF";

/// One event: its name (empty when none was given) and its data lines joined by LF.
#[derive(Debug, PartialEq, Eq)]
pub struct Event<'a> {
    pub name: &'a str,
    pub data: &'a str,
}

/// An event was larger than the limit; nothing more is read.
#[derive(Debug, PartialEq, Eq)]
pub struct TooLarge;

#[derive(Debug, Default)]
pub struct Sse {
    /// An unfinished line.
    line: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    name: String,
    /// The last byte was a CR: an LF right after it belongs to it.
    after_cr: bool,
    started: bool,
    beats: u64,
}

impl Sse {
    /// Counts finished events and comments: while it moves, the other side is alive.
    pub fn beats(&self) -> u64 {
        self.beats
    }

    /// Takes bytes and hands on every event they finish.
    pub fn feed(&mut self, bytes: &[u8], on: &mut impl FnMut(Event<'_>)) -> Result<(), TooLarge> {
        let mut rest = bytes;
        if self.after_cr && !rest.is_empty() {
            self.after_cr = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(end) = rest.iter().position(|b| *b == b'\n' || *b == b'\r') {
            let (head, tail) = rest.split_at(end);
            if self.line.is_empty() {
                self.take_line(head, on)?;
            } else {
                self.line.extend_from_slice(head);
                let line = std::mem::take(&mut self.line);
                self.take_line(&line, on)?;
                self.line = line;
                self.line.clear();
            }
            rest = match tail {
                [b'\r', b'\n', rest @ ..] => rest,
                [b'\r'] => {
                    self.after_cr = true;
                    &[]
                }
                [_, rest @ ..] => rest,
                [] => &[],
            };
        }
        self.line.extend_from_slice(rest);
        self.check()
    }

    /// The stream is over: a last event without its empty line is handed on as it is, cut short perhaps.
    pub fn end(&mut self, on: &mut impl FnMut(Event<'_>)) {
        let line = std::mem::take(&mut self.line);
        if self.take_line(&line, on).is_ok() {
            self.dispatch(on);
        }
    }

    fn check(&self) -> Result<(), TooLarge> {
        if self.line.len() + self.data.len() > LIMIT { Err(TooLarge) } else { Ok(()) }
    }

    fn take_line(&mut self, line: &[u8], on: &mut impl FnMut(Event<'_>)) -> Result<(), TooLarge> {
        let line = if self.started { line } else { line.strip_prefix(MARK).unwrap_or(line) };
        self.started = true;
        if line.is_empty() {
            self.dispatch(on);
            return Ok(());
        }
        let (field, value) = match line.iter().position(|b| *b == b':') {
            Some(0) => {
                self.beats += 1;
                return Ok(());
            }
            Some(at) => line.split_at(at),
            None => (line, &[][..]),
        };
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.has_data = true;
                self.data.extend_from_slice(value);
                self.check()
            }
            b"event" => {
                self.name = String::from_utf8_lossy(value).into_owned();
                Ok(())
            }
            // `id`, `retry` and unknown fields mean nothing here.
            _ => Ok(()),
        }
    }

    fn dispatch(&mut self, on: &mut impl FnMut(Event<'_>)) {
        if self.has_data {
            self.beats += 1;
            match std::str::from_utf8(&self.data) {
                Ok(data) => on(Event { name: &self.name, data }),
                Err(_) => on(Event { name: &self.name, data: &String::from_utf8_lossy(&self.data) }),
            }
        }
        self.data.clear();
        self.has_data = false;
        self.name.clear();
    }
}
