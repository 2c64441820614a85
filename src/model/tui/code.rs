//! Finds the fenced code blocks of a text as it grows and keeps their colours. It must not know how Markdown is painted.

use std::ops::Range;
use std::sync::Arc;

use crate::model::text::row::Token;

/// One line's colours: byte ranges within the line.
pub type Colours = Vec<(Range<usize>, Token)>;

/// A fenced code block at the left margin (or in a list, indented), in the order of the text.
#[derive(Debug, Clone, PartialEq)]
pub struct Code {
    /// The first word of the info string; empty when there is none.
    pub language: Arc<str>,
    /// Its whole lines so far, within the block's text, as they stand there.
    pub body: Range<usize>,
    /// Blanks in front of the fence; as many are taken off each line.
    pub indent: usize,
    pub closed: bool,
    /// Colours of its first lines; the rest has none yet.
    pub lines: Vec<Colours>,
    /// Lines that colours were asked for.
    pub asked: usize,
}

/// The fenced code blocks of a text, and where the scan stands.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Codes {
    pub all: Vec<Code>,
    /// Everything before this offset is whole lines that were looked at.
    scanned: usize,
    fence: Option<Fence>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Fence {
    mark: char,
    length: usize,
}

impl Codes {
    /// Looks at the whole lines that are new.
    pub fn scan(&mut self, text: &str) {
        while let Some(rest) = text.get(self.scanned..)
            && let Some(end) = rest.find('\n')
        {
            let start = self.scanned;
            self.scanned = start + end + 1;
            self.line(rest.get(..end).unwrap_or_default(), start);
        }
    }

    /// The text is complete: its last line needs no newline.
    pub fn finish(&mut self, text: &str) {
        self.scan(text);
        let start = self.scanned;
        if let Some(rest) = text.get(start..)
            && !rest.is_empty()
        {
            self.scanned = text.len();
            self.line(rest, start);
        }
        if self.fence.take().is_some()
            && let Some(code) = self.all.last_mut()
        {
            code.closed = true;
        }
    }

    /// Whether the scan stands inside a code block.
    pub fn inside(&self) -> bool {
        self.fence.is_some()
    }

    /// Everything before it was scanned.
    pub fn scanned(&self) -> usize {
        self.scanned
    }

    fn line(&mut self, line: &str, start: usize) {
        let body = line.trim_start_matches(' ');
        let indent = line.len() - body.len();
        let next = start + line.len() + 1;
        match self.fence {
            Some(fence) => {
                let run = body.len() - body.trim_start_matches(fence.mark).len();
                let closes = run >= fence.length && body.get(run..).is_some_and(|r| r.trim().is_empty());
                let Some(code) = self.all.last_mut() else { return };
                if closes {
                    code.closed = true;
                    self.fence = None;
                } else {
                    code.body.end = next;
                }
            }
            None => {
                let mark = if body.starts_with("```") {
                    '`'
                } else if body.starts_with("~~~") {
                    '~'
                } else {
                    return;
                };
                let info = body.trim_start_matches(mark);
                if mark == '`' && info.contains('`') {
                    return;
                }
                self.fence = Some(Fence { mark, length: body.len() - info.len() });
                let language = info.split_whitespace().next().unwrap_or_default();
                self.all.push(Code {
                    language: Arc::from(language),
                    body: next..next,
                    indent,
                    closed: false,
                    lines: Vec::new(),
                    asked: 0,
                });
            }
        }
    }

    /// A code block whose new lines have not been asked for, when none of its answers is awaited.
    pub fn wanting(&self, text: &str) -> Option<(usize, usize)> {
        self.all.iter().enumerate().find_map(|(index, code)| {
            let idle = code.asked == code.lines.len();
            (!code.language.is_empty() && idle && code.count(text) > code.asked)
                .then_some((index, code.asked))
        })
    }

    /// Whether colours were asked for and have not come.
    pub fn awaiting(&self) -> bool {
        self.all.iter().any(|c| c.asked > c.lines.len())
    }
}

impl Code {
    /// The source, its indentation taken off.
    pub fn source(&self, text: &str) -> String {
        let body =
            text.get(self.body.start.min(text.len())..self.body.end.min(text.len())).unwrap_or_default();
        if self.indent == 0 {
            return body.to_owned();
        }
        let mut out = String::with_capacity(body.len());
        for line in body.split_inclusive('\n') {
            let blanks = line.bytes().take(self.indent).take_while(|b| *b == b' ').count();
            out.push_str(line.get(blanks..).unwrap_or(line));
        }
        out
    }

    /// Whole lines so far.
    pub fn count(&self, text: &str) -> usize {
        text.get(self.body.start.min(text.len())..self.body.end.min(text.len()))
            .unwrap_or_default()
            .lines()
            .count()
    }
}
