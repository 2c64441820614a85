//! Finds the fenced code blocks of a text as it grows and keeps their colours. It must not know how colours are found.

use std::ops::Range;
use std::sync::Arc;

use crate::model::text::markdown::{CodeColours, code_blocks};
use crate::model::text::row::Token;

/// One line's colours: byte ranges within the line.
pub type Colours = Vec<(Range<usize>, Token)>;

/// A code block, in the order of the text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Code {
    /// The first word of the info string; empty when there is none.
    pub language: Arc<str>,
    /// Its whole lines so far.
    pub source: String,
    /// Whole lines in `source`.
    pub count: usize,
    /// Colours of its first lines; the rest has none yet.
    pub lines: Vec<Colours>,
    /// How many lines colours were asked for.
    pub asked: usize,
}

/// The code blocks of a text, and where the scan stands.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Codes {
    pub all: Vec<Code>,
    /// Everything before this offset is whole lines that were looked at.
    scanned: usize,
    /// There is no newline between `scanned` and this.
    searched: usize,
    fence: Option<Fence>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Fence {
    mark: char,
    length: usize,
    /// Blanks in front of it; as many are taken off each line.
    indent: usize,
}

/// Lines of one block that are ever coloured.
const LINES: usize = 5_000;

impl Codes {
    /// Looks at the whole lines that are new.
    pub fn scan(&mut self, text: &str) {
        while let Some(at) = text.get(self.searched.max(self.scanned)..).and_then(|rest| rest.find('\n')) {
            let end = self.searched.max(self.scanned) + at;
            let line = text.get(self.scanned..end).unwrap_or_default();
            self.scanned = end + 1;
            self.line(line);
        }
        self.searched = text.len();
    }

    /// The text is complete: its code blocks are those that the Markdown reader finds.
    pub fn finish(&mut self, text: &str) {
        self.fence = None;
        self.scanned = text.len();
        if !text.contains("```") && !text.contains("~~~") {
            self.all.clear();
            return;
        }
        let mut before = std::mem::take(&mut self.all).into_iter();
        for block in code_blocks(text) {
            let (language, source) = (block.language.as_str(), block.text.as_str());
            let old = before.next().filter(|c| *c.language == *language && source.starts_with(&c.source));
            let (lines, asked) = old.map(|c| (c.lines, c.asked)).unwrap_or_default();
            self.all.push(Code {
                language: Arc::from(language),
                source: source.to_owned(),
                count: source.lines().count(),
                lines,
                asked,
            });
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

    fn line(&mut self, line: &str) {
        let body = line.trim_start_matches(' ');
        let indent = line.len() - body.len();
        match self.fence {
            Some(fence) => {
                let run = body.len() - body.trim_start_matches(fence.mark).len();
                if run >= fence.length && body.get(run..).is_some_and(|r| r.trim().is_empty()) {
                    self.fence = None;
                } else if let Some(code) = self.all.last_mut() {
                    code.source.push_str(line.get(indent.min(fence.indent)..).unwrap_or_default());
                    code.source.push('\n');
                    code.count += 1;
                }
            }
            None => {
                let Some((mark, length)) = fence(body) else { return };
                self.fence = Some(Fence { mark, length, indent });
                let info = body.get(length..).unwrap_or_default();
                let word = info.split([' ', ',', '{', '\t']).find(|word| !word.is_empty());
                let language = Arc::from(word.unwrap_or_default());
                self.all.push(Code { language, ..Code::default() });
            }
        }
    }

    /// A code block with lines that were not asked for, when none of its answers is awaited.
    pub fn wanting(&self) -> Option<usize> {
        self.all.iter().position(|code| {
            !code.language.is_empty() && code.asked == code.lines.len() && code.count.min(LINES) > code.asked
        })
    }

    /// Whether colours were asked for and have not come.
    pub fn awaiting(&self) -> bool {
        self.all.iter().any(|c| c.asked > c.lines.len())
    }

    /// Colours have come for the lines from `from` on. An answer of before, which is about other lines than are wanted
    /// now, changes nothing; one of fewer lines leaves the rest to be asked for again; one without any means that there
    /// are none.
    pub fn coloured(&mut self, index: usize, from: usize, lines: Vec<Colours>) {
        let Some(code) = self.all.get_mut(index) else { return };
        if lines.is_empty() {
            code.lines.resize(code.asked.max(code.lines.len()), Colours::new());
        } else if from != code.lines.len() {
            return;
        }
        code.lines.extend(lines);
        code.lines.truncate(code.count.max(from));
        code.asked = code.lines.len();
    }
}

impl Code {
    /// Takes over the colours of the same code in another block. Answers still awaited go there and not here.
    pub fn keep(&mut self, other: &Code) {
        self.lines.clone_from(&other.lines);
        self.asked = self.lines.len();
    }
}

/// Mark and length of the code fence that a line is.
pub fn fence(line: &str) -> Option<(char, usize)> {
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let info = line.trim_start_matches(mark);
    let length = line.len() - info.len();
    (length >= 3 && !(mark == '`' && info.contains('`'))).then_some((mark, length))
}

impl CodeColours for Codes {
    fn line(&self, block: usize, _: &str, line: usize) -> Option<&[(Range<usize>, Token)]> {
        self.all.get(block)?.lines.get(line).map(Vec::as_slice)
    }

    fn is_final(&self, block: usize, line: usize) -> bool {
        let Some(code) = self.all.get(block) else { return false };
        code.language.is_empty() || line < code.lines.len() || line >= LINES
    }
}
