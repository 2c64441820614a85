//! The newest live output of a call: whole lines, bounded, with carriage returns taken at their word.

use std::collections::VecDeque;

use crate::model::text::clean::{Clean, Cleaner, Mode};

/// The newest live output of a running call.
#[derive(Debug, Clone, PartialEq)]
pub struct Tail {
    /// Whole lines, oldest first.
    lines: VecDeque<Clean>,
    /// The line that is being written.
    current: Clean,
    cleaner: Cleaner,
    /// A carriage return came last: what follows overwrites the line, unless it is a newline.
    returned: bool,
}

impl Default for Tail {
    fn default() -> Self {
        Tail {
            lines: VecDeque::new(),
            current: Clean::default(),
            cleaner: Cleaner::new(Mode::Review),
            returned: false,
        }
    }
}

/// Lines of live output that are kept, and bytes of one of them.
const TAIL_LINES: usize = 400;
const TAIL_LINE_BYTES: usize = 8 * 1024;

impl Tail {
    /// Appends output as it came; a carriage return begins the line anew.
    pub fn push(&mut self, raw: &str) {
        for (at, part) in raw.split('\r').enumerate() {
            self.returned |= at > 0;
            if part.is_empty() {
                continue;
            }
            if self.returned && !part.starts_with('\n') {
                self.current = Clean::default();
            }
            self.returned = false;
            for piece in part.split_inclusive('\n') {
                let more = self.cleaner.push(piece.strip_suffix('\n').unwrap_or(piece));
                self.current.push(&more);
                self.shorten();
                if piece.ends_with('\n') {
                    self.lines.push_back(std::mem::take(&mut self.current));
                }
            }
        }
        while self.lines.len() > TAIL_LINES {
            self.lines.pop_front();
        }
    }

    /// A line that does not end keeps its newest part.
    fn shorten(&mut self) {
        let text = self.current.as_str();
        if text.len() <= TAIL_LINE_BYTES {
            return;
        }
        let mut from = text.len() - TAIL_LINE_BYTES / 2;
        while !text.is_char_boundary(from) {
            from += 1;
        }
        self.current = Clean::review(text.get(from..).unwrap_or_default());
    }

    /// The line that is being written.
    pub fn writing(&self) -> &Clean {
        &self.current
    }

    /// The newest lines, at most `rows`, oldest first; blank ones at the end are left out.
    pub fn last(&self, rows: usize) -> Vec<&Clean> {
        let all = self.lines.iter().chain((!self.current.is_empty()).then_some(&self.current));
        let mut lines: Vec<&Clean> =
            all.rev().skip_while(|l| l.as_str().trim().is_empty()).take(rows).collect();
        lines.reverse();
        lines
    }

    pub fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.current.is_empty()
    }
}
