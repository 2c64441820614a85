//! The sanitiser and `Clean`, the only text that may be painted. It must not know where text comes from or goes to.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use unicode_width::UnicodeWidthChar;

/// Text without escape sequences, control characters (newline and tab stay), direction controls or stray
/// invisible characters. Only this module makes one; a cut at cluster boundaries of one is one again.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Clean(String);

impl Clean {
    /// What a person reads: whatever is removed leaves nothing behind.
    pub fn vanish(raw: &str) -> Self {
        Self::whole(raw, Mode::Vanish)
    }

    /// What a person decides on or reviews: removed characters show as `<U+202E>`; escape sequences still vanish.
    pub fn review(raw: &str) -> Self {
        Self::whole(raw, Mode::Review)
    }

    /// For spans, keys, ids and item labels: each newline becomes a space, other spacing is kept.
    pub fn one_line(raw: &str) -> Self {
        Self::vanish(raw).on_one_line()
    }

    /// For titles, statuses, labels and names: every run of white space becomes one space, none at the ends.
    pub fn collapsed(raw: &str) -> Self {
        let clean = Self::vanish(raw);
        let mut out = String::with_capacity(clean.0.len());
        for word in clean.0.split_whitespace() {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(word);
        }
        Self(out)
    }

    /// For paths and other names under review: as `review`, and newlines and tabs show as escapes too.
    pub fn name(raw: &str) -> Self {
        let clean = Self::review(raw);
        if !clean.0.contains(['\n', '\t']) {
            return clean;
        }
        Self(clean.0.replace('\n', "<U+000A>").replace('\t', "<U+0009>"))
    }

    /// The same text with a space for each newline.
    pub fn on_one_line(self) -> Self {
        if self.0.contains('\n') { Self(self.0.replace('\n', " ")) } else { self }
    }

    /// For this room only: text cut from or put together of clean text.
    pub(in crate::model::text) fn trusted(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Appends clean text.
    pub fn push(&mut self, more: &Clean) {
        self.0.push_str(&more.0);
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The lines, without their newlines; a newline at the very end begins no further line.
    pub fn lines(&self) -> impl Iterator<Item = Clean> + '_ {
        self.0.lines().map(|line| Clean(line.to_owned()))
    }
}

impl fmt::Debug for Clean {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for Clean {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for Clean {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// The house's own words, written in the source; sanitised all the same.
impl From<&'static str> for Clean {
    fn from(words: &'static str) -> Self {
        Self::vanish(words)
    }
}

/// What becomes of removed characters that are no escape sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// They leave nothing.
    Vanish,
    /// They show as `<U+202E>`.
    Review,
}

/// Where a stream of raw text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Ground,
    /// A carriage return that a newline may follow (review only).
    Return,
    /// After ESC and its intermediates, if any came.
    Escape {
        intermediate: bool,
    },
    Csi,
    /// A string up to ST, or for OSC up to BEL as well.
    Str {
        bell_ends: bool,
        escape: bool,
    },
    /// After a black flag, whose tag characters are held back until they prove to be a flag's.
    Flag,
}

/// What the last kept character offers to the invisible ones behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    None,
    Visible,
}

/// A sanitiser that keeps its state between the chunks of one stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Cleaner {
    mode: Mode,
    state: State,
    base: Base,
    tags: String,
}

/// Longest run of tag characters that names a region; the known ones have five.
const FLAG_TAGS: usize = 6;
const BLACK_FLAG: char = '\u{1F3F4}';
const CANCEL_TAG: char = '\u{E007F}';

impl Cleaner {
    /// A sanitiser at the start of a stream.
    pub fn new(mode: Mode) -> Self {
        Self { mode, state: State::Ground, base: Base::None, tags: String::new() }
    }

    /// Cleans the next chunk. What can't be decided yet is held back.
    pub fn push(&mut self, raw: &str) -> Clean {
        let mut out = String::with_capacity(raw.len());
        let bytes = raw.as_bytes();
        let mut at = 0;
        while let Some(rest) = raw.get(at..) {
            if self.state == State::Ground {
                let run = plain_run(bytes, at);
                if run > at {
                    out.push_str(&raw[at..run]);
                    self.base = if bytes[run - 1] > b' ' { Base::Visible } else { Base::None };
                    at = run;
                    continue;
                }
            }
            let Some(c) = rest.chars().next() else { break };
            at += c.len_utf8();
            self.step(c, &mut out);
        }
        Clean(out)
    }

    /// Ends the stream: gives what was held back, and is ready for another.
    pub fn finish(&mut self) -> Clean {
        let mut out = String::new();
        match self.state {
            State::Flag => self.drop_tags(&mut out),
            State::Return => self.removed('\r', &mut out),
            _ => {}
        }
        *self = Self::new(self.mode);
        Clean(out)
    }

    fn step(&mut self, c: char, out: &mut String) {
        match self.state {
            State::Ground => self.ground(c, out),
            State::Return => {
                self.state = State::Ground;
                if c != '\n' {
                    self.removed('\r', out);
                }
                self.ground(c, out);
            }
            State::Flag => self.flag(c, out),
            State::Escape { .. } | State::Csi | State::Str { .. } => {
                if !self.in_sequence(c) {
                    self.ground(c, out);
                }
            }
        }
    }

    /// Whether a character opens or belongs to an escape sequence. A newline never does: it ends one.
    fn in_sequence(&mut self, c: char) -> bool {
        let in_one = matches!(self.state, State::Escape { .. } | State::Csi | State::Str { .. });
        match self.state {
            _ if in_one && c == '\n' => self.state = State::Ground,
            State::Escape { intermediate } => self.escape(c, intermediate),
            State::Csi => {
                if let Some(opened) = introducer(c) {
                    self.state = opened;
                } else if ('\u{40}'..='\u{7E}').contains(&c) {
                    self.state = State::Ground;
                }
            }
            State::Str { bell_ends, escape } => {
                let ended = c == '\u{9C}' || (bell_ends && c == '\u{07}') || (escape && c == '\\');
                self.state =
                    if ended { State::Ground } else { State::Str { bell_ends, escape: c == '\u{1B}' } };
            }
            State::Ground | State::Return | State::Flag => {
                let Some(opened) = introducer(c) else { return false };
                self.state = opened;
                return true;
            }
        }
        c != '\n'
    }

    fn escape(&mut self, c: char, intermediate: bool) {
        self.state = match c {
            '\u{20}'..='\u{2F}' => State::Escape { intermediate: true },
            '\u{1B}' => State::Escape { intermediate: false },
            '[' if !intermediate => State::Csi,
            ']' if !intermediate => State::Str { bell_ends: true, escape: false },
            'P' | 'X' | '^' | '_' if !intermediate => State::Str { bell_ends: false, escape: false },
            _ => introducer(c).unwrap_or(State::Ground),
        };
    }

    fn ground(&mut self, c: char, out: &mut String) {
        if self.in_sequence(c) {
            return;
        }
        match c {
            '\n' | '\t' => self.keep(c, Base::None, out),
            '\r' if self.mode == Mode::Review => self.state = State::Return,
            // Terminals disagree about their width, so they never stay; where nothing is reviewed they break the line.
            '\u{2028}' | '\u{2029}' if self.mode == Mode::Vanish => self.keep('\n', Base::None, out),
            _ if is_removed(c) || is_tag(c) => self.removed(c, out),
            _ if c.width() == Some(0) => match self.base {
                Base::Visible => out.push(c),
                Base::None => self.removed(c, out),
            },
            _ if c.is_whitespace() => self.keep(c, Base::None, out),
            _ => {
                self.keep(c, Base::Visible, out);
                if c == BLACK_FLAG {
                    self.state = State::Flag;
                }
            }
        }
    }

    fn flag(&mut self, c: char, out: &mut String) {
        let tags = self.tags.chars().count();
        if c == CANCEL_TAG && tags >= 3 {
            out.push_str(&self.tags);
            out.push(c);
            self.tags.clear();
            self.state = State::Ground;
        } else if matches!(c, '\u{E0030}'..='\u{E0039}' | '\u{E0061}'..='\u{E007A}') && tags < FLAG_TAGS {
            self.tags.push(c);
        } else {
            self.drop_tags(out);
            self.ground(c, out);
        }
    }

    fn drop_tags(&mut self, out: &mut String) {
        self.state = State::Ground;
        for tag in std::mem::take(&mut self.tags).chars() {
            self.removed(tag, out);
        }
    }

    fn keep(&mut self, c: char, base: Base, out: &mut String) {
        out.push(c);
        self.base = base;
    }

    fn removed(&mut self, c: char, out: &mut String) {
        if self.mode == Mode::Review {
            out.push_str(&format!("<U+{:04X}>", u32::from(c)));
            // A mark behind the escape would hang on its `>`.
            self.base = Base::None;
        }
    }
}

impl Clean {
    fn whole(raw: &str, mode: Mode) -> Self {
        let mut cleaner = Cleaner::new(mode);
        let mut clean = cleaner.push(raw);
        clean.push(&cleaner.finish());
        clean
    }
}

/// Raw text without its escape sequences; all else stays. For parsers of text that programs coloured.
pub(in crate::model::text) fn without_sequences(raw: &str) -> Cow<'_, str> {
    if !raw.contains(|c| introducer(c).is_some()) {
        return Cow::Borrowed(raw);
    }
    let mut cleaner = Cleaner::new(Mode::Vanish);
    Cow::Owned(raw.chars().filter(|c| !cleaner.in_sequence(*c)).collect())
}

/// The end of the run of plain ASCII, newlines and tabs that starts at `at`.
fn plain_run(bytes: &[u8], at: usize) -> usize {
    let len = bytes[at..].iter().take_while(|b| matches!(b, 0x20..=0x7E | b'\n' | b'\t')).count();
    at + len
}

fn introducer(c: char) -> Option<State> {
    Some(match c {
        '\u{1B}' => State::Escape { intermediate: false },
        '\u{9B}' => State::Csi,
        '\u{9D}' => State::Str { bell_ends: true, escape: false },
        '\u{90}' | '\u{98}' | '\u{9E}' | '\u{9F}' => State::Str { bell_ends: false, escape: false },
        _ => return None,
    })
}

/// Characters that never stay: controls but newline and tab, direction controls, zero-width ones, Unicode's own line and
/// paragraph separators.
fn is_removed(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c,
            '\u{061C}' | '\u{180E}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{FEFF}'
            | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206F}')
}

fn is_tag(c: char) -> bool {
    matches!(c, '\u{E0000}'..='\u{E007F}')
}

/// The visible escapes (`<U+202E>`) in text cleaned for review, as byte ranges: painters give them the warning token.
pub fn escapes(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + text.get(at..)?.find("<U+")?;
            at = start + 3;
            let digits: usize = text[at..].bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
            let end = at + digits;
            let c = u32::from_str_radix(&text[at..end], 16).ok().and_then(char::from_u32);
            if text[end..].starts_with('>') && digits >= 4 && c.is_some_and(may_be_escaped) {
                at = end + 1;
                return Some(start..at);
            }
        }
    })
}

fn may_be_escaped(c: char) -> bool {
    c.is_control() || is_removed(c) || is_tag(c) || c.width() == Some(0)
}
