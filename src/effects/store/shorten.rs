//! Giant results without their middles: what one holds is far more than a model would be sent, so memory goes with what is
//! shown and sent, not with the file. A line is shortened as its bytes come, and is never held whole.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::model::provider::{Message, User, UserPart};

/// Where the bytes so far have led.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Outside,
    Text,
    Escape,
    /// Hexadecimal digits to come.
    Unicode(u8),
    /// No JSON, and no record: the beginning is enough to say so.
    Garbage,
}

/// Longest text that is looked at as a key or a role.
const WORD: usize = 16;

/// Takes the bytes of one record and gives the same record, the content and the display of a tool's result cut in the
/// middle. Everything else comes out as it went in, but of what is no JSON only the beginning does.
#[derive(Debug)]
pub struct Shortener {
    kept: usize,
    out: Vec<u8>,
    state: State,
    /// Open objects and lists.
    depth: usize,
    /// The key last read in each of the outermost objects.
    keys: [Vec<u8>; 4],
    /// The text being read, as far as it may be a key.
    word: Vec<u8>,
    /// The message is a tool's: its role comes before its content.
    tool: bool,
    /// The byte before ended a `\u` escape, which may be half of a pair.
    paired: bool,
    cut: Option<Cut>,
}

/// A text whose middle may go.
#[derive(Debug, Default)]
struct Cut {
    head: usize,
    tail: VecDeque<Vec<u8>>,
    held: usize,
    dropped: usize,
}

impl Shortener {
    /// Keeps about `kept` bytes of each end.
    pub fn new(kept: usize) -> Shortener {
        Shortener {
            kept,
            out: Vec::new(),
            state: State::Outside,
            depth: 0,
            keys: Default::default(),
            word: Vec::new(),
            tool: false,
            paired: false,
            cut: None,
        }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.byte(*byte));
    }

    pub fn finish(mut self) -> Vec<u8> {
        self.close();
        self.out
    }

    fn byte(&mut self, byte: u8) {
        let state = self.state;
        self.state = match (state, byte) {
            (State::Outside, _) => return self.outside(byte),
            (State::Garbage, _) if self.out.len() >= self.kept => return,
            (State::Garbage, _) => return self.out.push(byte),
            (State::Text, b'"') => {
                self.close();
                self.out.push(byte);
                if self.depth == 2 && self.key(2) == b"role" {
                    self.tool = self.word == b"tool";
                }
                self.state = State::Outside;
                return;
            }
            (State::Text, b'\\') => State::Escape,
            (State::Escape, b'u') => State::Unicode(4),
            (State::Unicode(left), _) if left > 1 => State::Unicode(left - 1),
            (State::Text | State::Escape | State::Unicode(_), _) => State::Text,
        };
        let begins = state == State::Text && byte & 0xC0 != 0x80 && !self.paired;
        self.paired = matches!(state, State::Unicode(1));
        if self.word.len() < WORD {
            self.word.push(byte);
        }
        match &mut self.cut {
            Some(cut) if cut.head >= self.kept && (begins || !cut.tail.is_empty()) => {
                cut.hold(byte, begins, self.kept);
            }
            Some(cut) => {
                cut.head += 1;
                self.out.push(byte);
            }
            None => self.out.push(byte),
        }
    }

    fn outside(&mut self, byte: u8) {
        self.out.push(byte);
        let (depth, word) = (self.depth, std::mem::take(&mut self.word));
        match byte {
            b'"' => {
                self.state = State::Text;
                self.paired = false;
                if self.may_cut() {
                    self.cut = Some(Cut::default());
                }
            }
            b'{' | b'[' => {
                self.depth += 1;
                self.set_key(depth + 1, Vec::new());
            }
            b'}' | b']' => self.depth = depth.saturating_sub(1),
            b':' => self.set_key(depth, word),
            b',' => self.set_key(depth, Vec::new()),
            _ if depth == 0 && !byte.is_ascii_whitespace() => self.state = State::Garbage,
            _ => self.word = word,
        }
    }

    fn may_cut(&self) -> bool {
        let message = self.tool && self.key(1) == b"message";
        let content = self.depth == 2 && self.key(2) == b"content";
        let display = self.depth == 3 && self.key(2) == b"display" && self.key(3) == b"text";
        message && (content || display)
    }

    fn key(&self, depth: usize) -> &[u8] {
        self.keys.get(depth).map_or(&[], Vec::as_slice)
    }

    fn set_key(&mut self, depth: usize, key: Vec<u8>) {
        if let Some(place) = self.keys.get_mut(depth) {
            *place = key;
        }
    }

    /// The text is over: what is left of its tail follows its head.
    fn close(&mut self) {
        let Some(cut) = self.cut.take() else { return };
        if cut.dropped > 0 {
            self.out.extend_from_slice(b"\\n");
            self.out.extend_from_slice(left_out(cut.dropped).as_bytes());
            self.out.extend_from_slice(b"\\n");
        }
        cut.tail.iter().for_each(|piece| self.out.extend_from_slice(piece));
    }
}

impl Cut {
    /// A tail is let go of in pieces that begin with a character.
    fn hold(&mut self, byte: u8, begins: bool, kept: usize) {
        let size = kept / 8;
        match self.tail.back_mut() {
            Some(piece) if !begins || piece.len() < size => piece.push(byte),
            _ => {
                let mut piece = Vec::with_capacity(size + WORD);
                piece.push(byte);
                self.tail.push_back(piece);
            }
        }
        self.held += 1;
        if let Some(first) = self.tail.front()
            && self.held - first.len() >= kept
        {
            self.held -= first.len();
            self.dropped += first.len();
            self.tail.pop_front();
        }
    }
}

fn left_out(bytes: usize) -> String {
    format!("[{bytes} bytes left out here; they are in the session's file]")
}

/// The message without the middle of its result, and without its images unless they are kept; `None` when that would save
/// little.
pub fn message(message: &Message, kept: usize, images: Images) -> Option<Message> {
    let without = images == Images::LeftOut;
    match message {
        Message::Tool(result) => {
            let content = text(&result.content, kept);
            let display = result.display.as_ref().and_then(|d| text(&d.text, kept));
            if content.is_none() && display.is_none() && (result.images.is_empty() || !without) {
                return None;
            }
            let mut short = result.clone();
            short.content = content.unwrap_or(short.content);
            if let (Some(display), Some(text)) = (&mut short.display, display) {
                display.text = text;
            }
            let gone = if without { std::mem::take(&mut short.images) } else { Vec::new() };
            for image in gone {
                short.content = format!("{}\n{}", short.content, no_image(&image.name)).into();
            }
            Some(Message::Tool(short))
        }
        Message::User(user) if without && user.images().next().is_some() => {
            let part = |part: &UserPart| match part {
                UserPart::Image(image) => UserPart::Text(no_image(&image.name).into()),
                text => text.clone(),
            };
            Some(Message::User(User { content: user.content.iter().map(part).collect(), ..user.clone() }))
        }
        Message::User(_) | Message::Assistant(_) => None,
    }
}

/// What becomes of images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Images {
    Kept,
    LeftOut,
}

fn no_image(name: &str) -> String {
    format!("[{name} is left out here; it is in the session's file]")
}

/// A text without its middle; `None` where that would save little.
fn text(text: &str, kept: usize) -> Option<Arc<str>> {
    if text.len() <= 4 * kept {
        return None;
    }
    let (head, tail) = (floor(text, kept), floor(text, text.len() - kept));
    let (head, gap, tail) = (text.get(..head)?, tail - head, text.get(tail..)?);
    Some(format!("{head}\n{}\n{tail}", left_out(gap)).into())
}

/// The nearest character boundary at or before `at`.
fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
