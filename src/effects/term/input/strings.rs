//! Strings that terminals write, from their introducer to their end: operating system commands, device control strings
//! and whatever else is swallowed whole.

use super::super::keys::{Decoded, Reply};
use super::{ESC, Input, MAX_SEQUENCE, State};
use crate::model::config::chord::{Key, Mods};
use crate::model::term::{Rgb, TermMsg};

impl Input {
    pub(super) fn in_osc(&mut self, byte: u8, mut body: Vec<u8>, escape: bool) {
        if escape {
            if byte == b'\\' {
                self.decoded(command(&body));
            } else {
                self.after_escape(byte, false);
            }
            return;
        }
        match byte {
            0x07 => self.decoded(command(&body)),
            ESC => self.state = State::Osc { body, escape: true },
            _ if accepts(&body, byte) => {
                if body.len() < MAX_SEQUENCE {
                    body.push(byte);
                }
                self.state = State::Osc { body, escape: false };
            }
            _ => {
                // Typed into the middle of a reply: the reply goes on behind it (G21).
                self.typed_byte(byte, false);
                self.state = State::Osc { body, escape: false };
            }
        }
    }

    pub(super) fn in_dcs(&mut self, byte: u8, mut body: Vec<u8>, escape: bool) {
        if escape {
            if byte == b'\\' {
                self.decoded(device(&body));
            } else {
                self.after_escape(byte, false);
            }
        } else if byte == ESC {
            self.state = State::Dcs { body, escape: true };
        } else if body.is_empty() && !matches!(byte, b'>' | b'!' | b'$' | b'+' | b'0'..=b'9') {
            self.key(Mods::ALT, Key::Char('P'));
            self.typed_byte(byte, false);
        } else {
            if body.len() < MAX_SEQUENCE {
                body.push(byte);
            }
            self.state = State::Dcs { body, escape: false };
        }
    }

    pub(super) fn in_foreign(&mut self, byte: u8, mut body: Vec<u8>, escape: bool) {
        match byte {
            b'\\' if escape => {}
            _ if escape => self.after_escape(byte, false),
            // Alt+_ was pressed, and something else behind it.
            _ if body.is_empty() && (byte < 0x20 || byte == 0x7f) => {
                self.key(Mods::ALT, Key::Char('_'));
                self.typed_byte(byte, false);
            }
            0x07 => {}
            ESC => self.state = State::Foreign { body, escape: true },
            _ => {
                if body.len() < MAX_SEQUENCE {
                    body.push(byte);
                }
                self.state = State::Foreign { body, escape: false };
            }
        }
    }
}

/// Whether a byte can come next in an operating system command; what cannot was typed into the middle of it.
fn accepts(body: &[u8], byte: u8) -> bool {
    let Some(split) = body.iter().position(|b| *b == b';') else {
        return byte.is_ascii_digit() || (byte == b';' && !body.is_empty());
    };
    let (number, value) = (body.get(..split).unwrap_or_default(), body.get(split + 1..).unwrap_or_default());
    if !matches!(number, b"10" | b"11" | b"12") {
        return byte >= 0x20;
    }
    match value.iter().position(|b| *b == b':') {
        Some(colon) => {
            let digits = value.get(colon + 1..).unwrap_or_default();
            let last = digits.rsplit(|b| *b == b'/').next().unwrap_or_default();
            let slashes = digits.iter().filter(|b| **b == b'/').count();
            (byte.is_ascii_hexdigit() && last.len() < 4) || (byte == b'/' && !last.is_empty() && slashes < 3)
        }
        None => match value {
            b"" => byte == b'r',
            b"r" => byte == b'g',
            b"rg" => byte == b'b',
            b"rgb" => byte == b'a' || byte == b':',
            _ => byte == b':',
        },
    }
}

/// A complete operating system command: only the background colour is of use.
fn command(body: &[u8]) -> Decoded {
    let Some(value) = body.strip_prefix(b"11;").and_then(|value| std::str::from_utf8(value).ok()) else {
        return Decoded::Nothing;
    };
    let Some((_, channels)) = value.split_once(':') else { return Decoded::Nothing };
    let mut channels = channels.split('/').map(|digits| {
        let value = u32::from_str_radix(digits, 16).ok()?;
        let top = 16u32.checked_pow(u32::try_from(digits.len()).ok()?)?.checked_sub(1)?;
        u8::try_from(value * 255 / top.max(1)).ok()
    });
    match (channels.next().flatten(), channels.next().flatten(), channels.next().flatten()) {
        (Some(r), Some(g), Some(b)) => Decoded::Report(TermMsg::Background(Rgb(r, g, b))),
        _ => Decoded::Nothing,
    }
}

/// A complete device control string: only the terminal's name is of use.
fn device(body: &[u8]) -> Decoded {
    match body.strip_prefix(b">|") {
        Some(name) => Decoded::Reply(Reply::Name(String::from_utf8_lossy(name).into_owned())),
        None => Decoded::Nothing,
    }
}
