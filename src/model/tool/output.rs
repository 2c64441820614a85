//! What a terminal would have been left with: command output without escape sequences, with progress lines collapsed.

/// Takes escape sequences and control characters out of a stream of text and collapses `\r` progress. Keeps its state
/// between pieces, so pieces give what the whole would.
#[derive(Debug, Clone, Default)]
pub struct Plainer {
    state: State,
    /// A carriage return was read and what follows it is not known yet.
    returned: bool,
    /// The line being written: a carriage return may still overwrite it.
    line: String,
    /// The beginning of this line was given out already.
    shown: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Ground,
    /// Behind ESC.
    Escape,
    /// Behind ESC and an intermediate: one more character.
    Intermediate,
    Csi,
    /// OSC, DCS, SOS, PM, APC: up to their terminator.
    Text,
    /// ESC inside such a text.
    TextEscape,
}

impl Plainer {
    /// Adds what a piece leaves to `out`; the last, unfinished line is held back until it can't be overwritten.
    pub fn push(&mut self, piece: &str, out: &mut String) {
        for c in piece.chars() {
            if let Some(c) = self.filter(c) {
                self.put(c, out);
            }
        }
    }

    /// Gives out the unfinished line as it stands: live views show it, and a later overwriting starts a new line.
    pub fn flush(&mut self, out: &mut String) {
        out.push_str(&self.line);
        self.shown |= !self.line.is_empty();
        self.line.clear();
    }

    fn put(&mut self, c: char, out: &mut String) {
        match c {
            '\n' => {
                self.returned = false;
                self.flush(out);
                self.shown = false;
                out.push('\n');
            }
            '\r' => self.returned = true,
            c => {
                if self.returned {
                    self.returned = false;
                    if self.shown {
                        out.push('\n');
                    }
                    self.shown = false;
                    self.line.clear();
                }
                self.line.push(c);
            }
        }
    }

    /// The character, when it is text.
    fn filter(&mut self, c: char) -> Option<char> {
        use State::{Csi, Escape, Ground, Intermediate, Text, TextEscape};
        // An unterminated sequence ends with its line.
        if c == '\n' {
            self.state = Ground;
            return Some(c);
        }
        let (next, kept) = match (self.state, c) {
            (TextEscape, '\\') => (Ground, None),
            (_, '\x1b') => (if matches!(self.state, Text | TextEscape) { TextEscape } else { Escape }, None),
            (Text | TextEscape, '\x07' | '\u{9C}') => (Ground, None),
            (Text, _) => (Text, None),
            (TextEscape | Escape, c) => (after_escape(c), None),
            (Intermediate, ' '..='/') => (Intermediate, None),
            (Intermediate, _) => (Ground, None),
            (Csi, '@'..='~') => (Ground, None),
            (Csi, _) => (Csi, None),
            (Ground, '\u{9B}') => (Csi, None),
            (Ground, '\u{90}' | '\u{98}' | '\u{9D}' | '\u{9E}' | '\u{9F}') => (Text, None),
            (Ground, '\t' | '\r') => (Ground, Some(c)),
            (Ground, c) => (Ground, (!c.is_control()).then_some(c)),
        };
        self.state = next;
        kept
    }
}

fn after_escape(c: char) -> State {
    match c {
        '[' => State::Csi,
        ']' | 'P' | 'X' | '^' | '_' => State::Text,
        ' '..='/' => State::Intermediate,
        _ => State::Ground,
    }
}

/// A whole output, plain.
pub fn plain(text: &str) -> String {
    let mut plainer = Plainer::default();
    let mut out = String::with_capacity(text.len());
    plainer.push(text, &mut out);
    plainer.flush(&mut out);
    out
}
