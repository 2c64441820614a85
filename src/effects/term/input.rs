//! The terminal's bytes read into messages: one pure state machine that is told where reads end and when nothing has
//! come for a while. No bytes, in whatever pieces, make it panic or type a sequence's rest as text.

mod strings;

use super::keys::{self, Decoded};
use super::paste::Paste;
use crate::model::config::chord::{Chord, Key, Mods};
use crate::model::term::TermMsg;
use std::time::Duration;

pub use super::keys::Reply;

/// What some bytes meant.
#[derive(Debug, Default, PartialEq)]
pub struct Batch {
    pub msgs: Vec<TermMsg>,
    pub replies: Vec<Reply>,
}

impl Batch {
    pub fn is_empty(&self) -> bool {
        self.msgs.is_empty() && self.replies.is_empty()
    }
}

/// What the machine is in the middle of, and so how long it is right to wait for the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// An escape that may be the Esc key.
    Key,
    /// A sequence that has begun for certain.
    Sequence,
    Paste,
}

impl Wait {
    /// How long to wait before [`Input::flush`]. Over a slow link the bytes of one key come apart (G25).
    pub fn timeout(self, remote: bool) -> Duration {
        match self {
            Wait::Key if remote => Duration::from_millis(150),
            Wait::Key => Duration::from_millis(25),
            Wait::Sequence => Duration::from_secs(2),
            Wait::Paste => Duration::from_secs(3),
        }
    }
}

const ESC: u8 = 0x1b;
/// A foreign string whose end never came and that is no longer than this was typed. Bytes.
const TYPED: usize = 8;
/// The longest control sequence and device string kept; the rest of a longer one is swallowed. Bytes.
const MAX_SEQUENCE: usize = 512;

#[derive(Debug, Default)]
enum State {
    #[default]
    Ground,
    /// After an escape; `twice` when another stood before it.
    Escape {
        twice: bool,
    },
    Csi {
        body: Vec<u8>,
        alt: bool,
    },
    /// After `CSI [`: one byte follows.
    Console,
    Ss3 {
        modifier: Option<u8>,
        alt: bool,
    },
    Osc {
        body: Vec<u8>,
        escape: bool,
    },
    Dcs {
        body: Vec<u8>,
        escape: bool,
    },
    /// An application's command or another string that only terminals write: swallowed to its end.
    Foreign {
        body: Vec<u8>,
        escape: bool,
    },
    /// So many raw bytes of an old mouse report follow.
    OldMouse(u8),
    Paste(Paste),
}

/// The machine. Feed it each read whole.
#[derive(Debug, Default)]
pub struct Input {
    state: State,
    /// The bytes of a character whose end has not come.
    utf8: Vec<u8>,
    /// That character had an escape before it.
    utf8_alt: bool,
    /// Where in this read's messages a carriage return stands that nothing typed has followed yet.
    enter: Option<usize>,
    /// This read had a line break inside, so it is a paste of lines and its last one is no Enter either.
    broke: bool,
    /// The terminal's erase character is ^H, so that 0x08 is Backspace and not ctrl+h.
    erase_is_ctrl_h: bool,
    out: Batch,
}

impl Input {
    pub fn new(erase_is_ctrl_h: bool) -> Input {
        Input { erase_is_ctrl_h, ..Input::default() }
    }

    /// Reads the bytes of one read. A carriage return that ends a single line is Enter; one with typed bytes behind it is a
    /// line break of an unmarked paste, and so is the last one of several lines (G07).
    pub fn feed(&mut self, bytes: &[u8]) -> Batch {
        self.leave_stale_paste(bytes);
        let mut rest = bytes;
        while let Some((&byte, behind)) = rest.split_first() {
            if let State::Paste(paste) = &mut self.state {
                let taken = paste.take(rest);
                rest = rest.get(taken.used..).unwrap_or_default();
                if taken.ended {
                    self.state = State::Ground;
                }
                self.out.msgs.extend(taken.text.map(TermMsg::Paste));
            } else {
                self.byte(byte);
                rest = behind;
            }
        }
        if self.broke || self.pending() == Some(Wait::Key) {
            self.enter_was_a_break();
        }
        self.enter = None;
        self.broke = false;
        std::mem::take(&mut self.out)
    }

    /// What the machine waits for; nothing when it may wait for ever.
    pub fn pending(&self) -> Option<Wait> {
        match &self.state {
            State::Ground if self.utf8.is_empty() => None,
            State::Ground | State::Escape { .. } | State::Ss3 { .. } | State::Console => Some(Wait::Key),
            State::Csi { body, .. }
            | State::Osc { body, .. }
            | State::Dcs { body, .. }
            | State::Foreign { body, .. }
                if body.is_empty() =>
            {
                Some(Wait::Key)
            }
            State::Csi { .. }
            | State::Osc { .. }
            | State::Dcs { .. }
            | State::Foreign { .. }
            | State::OldMouse(_) => Some(Wait::Sequence),
            State::Paste(paste) if paste.is_stale() => None,
            State::Paste(_) => Some(Wait::Paste),
        }
    }

    /// Nothing came for as long as [`Input::pending`] asked to wait: takes what there is for what it can only be.
    pub fn flush(&mut self) -> Batch {
        self.end_character();
        match std::mem::take(&mut self.state) {
            State::Ground | State::OldMouse(_) => {}
            State::Escape { twice } => {
                for _ in 0..=u8::from(twice) {
                    self.key(Mods::NONE, Key::Esc);
                }
            }
            State::Csi { body, alt } if body.is_empty() => self.late_alt('[', alt),
            State::Ss3 { modifier: None, alt } => self.late_alt('O', alt),
            State::Osc { body, escape: false } if body.is_empty() => self.late_alt(']', false),
            State::Dcs { body, escape: false } if body.is_empty() => self.late_alt('P', false),
            State::Foreign { body, escape: false } if body.len() <= TYPED => {
                self.key(Mods::ALT, Key::Char('_'));
                body.into_iter().for_each(|byte| self.typed_byte(byte, false));
            }
            State::Osc { escape: true, .. }
            | State::Dcs { escape: true, .. }
            | State::Foreign { escape: true, .. } => self.key(Mods::NONE, Key::Esc),
            State::Csi { .. }
            | State::Console
            | State::Ss3 { .. }
            | State::Osc { .. }
            | State::Dcs { .. }
            | State::Foreign { .. } => {}
            State::Paste(mut paste) => {
                self.out.msgs.extend(paste.flush().map(TermMsg::Paste));
                self.state = State::Paste(paste);
            }
        }
        self.enter = None;
        std::mem::take(&mut self.out)
    }

    /// A paste whose end never came must not keep ctrl+c from its work.
    fn leave_stale_paste(&mut self, bytes: &[u8]) {
        if let State::Paste(paste) = &self.state
            && paste.is_stale()
            && bytes.first() == Some(&0x03)
        {
            self.state = State::Ground;
        }
    }

    fn late_alt(&mut self, c: char, escape: bool) {
        if escape {
            self.key(Mods::NONE, Key::Esc);
        }
        self.key(Mods::ALT, Key::Char(c));
    }

    fn byte(&mut self, byte: u8) {
        match std::mem::take(&mut self.state) {
            State::Ground => self.typed_byte(byte, false),
            State::Escape { twice } => self.after_escape(byte, twice),
            State::Csi { body, alt } => self.in_csi(byte, body, alt),
            State::Console => self.decoded(keys::console(byte)),
            State::Ss3 { modifier, alt } => self.in_ss3(byte, modifier, alt),
            State::Osc { body, escape } => self.in_osc(byte, body, escape),
            State::Dcs { body, escape } => self.in_dcs(byte, body, escape),
            State::Foreign { body, escape } => self.in_foreign(byte, body, escape),
            State::OldMouse(left) if left > 1 => self.state = State::OldMouse(left - 1),
            State::OldMouse(_) => {}
            // `feed` hands the bytes of a paste on before they get here.
            State::Paste(paste) => self.state = State::Paste(paste),
        }
    }

    /// A byte outside any sequence, or one typed into the middle of a reply.
    fn typed_byte(&mut self, byte: u8, alt: bool) {
        if byte >= 0x80 {
            self.utf8_byte(byte, alt);
            return;
        }
        self.end_character();
        let mods = Mods { alt, ..Mods::NONE };
        let ctrl = Mods { ctrl: true, alt, shift: false };
        match byte {
            ESC => self.state = State::Escape { twice: false },
            b'\r' if alt => self.key(mods, Key::Enter),
            b'\r' => {
                self.key(mods, Key::Enter);
                self.enter = self.out.msgs.len().checked_sub(1);
            }
            b'\n' if self.enter.is_some() => self.enter_was_a_break(),
            b'\t' => self.key(mods, Key::Tab),
            0x08 if self.erase_is_ctrl_h => self.key(mods, Key::Backspace),
            0x7f => self.key(mods, Key::Backspace),
            0x00 => self.key(ctrl, Key::Space),
            0x01..=0x1a => self.key(ctrl, Key::Char(char::from(byte - 1 + b'a'))),
            0x1c..=0x1f => self.key(ctrl, Key::Char(char::from(byte - 0x1c + b'\\'))),
            _ => self.key(mods, Key::Char(char::from(byte))),
        }
    }

    fn utf8_byte(&mut self, byte: u8, alt: bool) {
        if byte & 0xc0 != 0x80 {
            self.end_character();
        }
        if self.utf8.is_empty() {
            self.utf8_alt = alt;
        }
        self.utf8.push(byte);
        match std::str::from_utf8(&self.utf8) {
            Ok(text) => {
                let c = text.chars().next();
                self.utf8.clear();
                let mods = Mods { alt: self.utf8_alt, ..Mods::NONE };
                if let Some(c) = c {
                    self.key(mods, Key::Char(c));
                }
            }
            Err(error) if error.error_len().is_some() => self.end_character(),
            Err(_) => {}
        }
    }

    /// What is left of a character that cannot be finished becomes one replacement character.
    fn end_character(&mut self) {
        if !self.utf8.is_empty() {
            self.utf8.clear();
            self.key(Mods::NONE, Key::Char(char::REPLACEMENT_CHARACTER));
        }
    }

    fn after_escape(&mut self, byte: u8, twice: bool) {
        match byte {
            ESC => {
                if twice {
                    self.key(Mods::NONE, Key::Esc);
                }
                self.state = State::Escape { twice: true };
            }
            b'[' => self.state = State::Csi { body: Vec::new(), alt: twice },
            b'O' => self.state = State::Ss3 { modifier: None, alt: twice },
            _ => {
                if twice {
                    self.key(Mods::NONE, Key::Esc);
                }
                match byte {
                    b']' => self.state = State::Osc { body: Vec::new(), escape: false },
                    b'P' => self.state = State::Dcs { body: Vec::new(), escape: false },
                    b'_' => self.state = State::Foreign { body: Vec::new(), escape: false },
                    _ => self.typed_byte(byte, true),
                }
            }
        }
    }

    fn in_csi(&mut self, byte: u8, mut body: Vec<u8>, alt: bool) {
        match byte {
            0x20..=0x3f => {
                if body.len() < MAX_SEQUENCE {
                    body.push(byte);
                }
                self.state = State::Csi { body, alt };
            }
            b'[' if body.is_empty() => self.state = State::Console,
            0x40..=0x7e => match keys::csi(&body, byte, alt) {
                Decoded::Foreign => {
                    // Typed into the middle of a reply: the reply goes on behind it (G21).
                    self.typed_byte(byte, false);
                    self.state = State::Csi { body, alt };
                }
                decoded => self.decoded(decoded),
            },
            _ => {
                if body.is_empty() {
                    self.late_alt('[', alt);
                }
                self.typed_byte(byte, false);
                if matches!(body.first(), Some(b'?')) && matches!(self.state, State::Ground) {
                    self.state = State::Csi { body, alt };
                }
            }
        }
    }

    fn in_ss3(&mut self, byte: u8, modifier: Option<u8>, alt: bool) {
        match byte {
            b'0'..=b'9' if modifier.is_none() => self.state = State::Ss3 { modifier: Some(byte), alt },
            0x40..=0x7e => self.decoded(keys::ss3(modifier, byte, alt)),
            _ => {
                if modifier.is_none() {
                    self.late_alt('O', alt);
                }
                self.typed_byte(byte, false);
            }
        }
    }

    fn decoded(&mut self, decoded: Decoded) {
        match decoded {
            Decoded::Typed(msg) => self.typed(msg),
            Decoded::Report(msg) => self.out.msgs.push(msg),
            Decoded::Reply(reply) => self.out.replies.push(reply),
            Decoded::PasteStart => self.state = State::Paste(Paste::default()),
            Decoded::OldMouse => self.state = State::OldMouse(3),
            Decoded::Nothing | Decoded::Foreign => {}
        }
    }

    fn key(&mut self, mods: Mods, key: Key) {
        if let Some(chord) = Chord::new(mods, key) {
            self.typed(TermMsg::Key(chord));
        }
    }

    fn typed(&mut self, msg: TermMsg) {
        self.enter_was_a_break();
        self.out.msgs.push(msg);
    }

    /// Bytes stand behind the carriage return of this read: it was a line break.
    fn enter_was_a_break(&mut self) {
        if let Some(msg) = self.enter.take().and_then(|index| self.out.msgs.get_mut(index)) {
            *msg = TermMsg::Text("\n".to_owned());
            self.broke = true;
        }
    }
}
