//! What one complete control sequence from the terminal means: kitty's keyboard protocol, xterm's modified keys, the
//! older forms, the mouse, and replies to questions. Pure tables; `input` finds where sequences begin and end.

use crate::model::config::chord::{Chord, Key, Mods};
use crate::model::term::{Mouse, MouseButton, MouseKind, Scheme, TermMsg};

/// What the terminal says about itself because it was asked. The core never sees these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// DA1: it is a terminal and has answered all that was asked before.
    Attributes,
    /// DA2: its kind and version.
    Kind(Vec<u32>),
    /// Its name and version (XTVERSION).
    Name(String),
    /// The kitty keyboard flags in force.
    KittyFlags(u32),
    /// DECRPM: a mode and its state (0 unknown, 1 set, 2 reset, 3 and 4 permanently so).
    Mode { mode: u32, state: u32 },
}

/// What a complete sequence meant.
#[derive(Debug, PartialEq)]
pub(super) enum Decoded {
    /// A key or text: something a person typed.
    Typed(TermMsg),
    /// The mouse, focus, a scheme: nothing that was typed.
    Report(TermMsg),
    Reply(Reply),
    PasteStart,
    /// The old mouse report, whose three bytes follow raw.
    OldMouse,
    Nothing,
    /// Not a sequence of this kind at all: the last byte may have been typed into the middle of a reply.
    Foreign,
}

/// Parameters between `;`, each of sub-parameters between `:`; an empty one is nothing.
type Params = Vec<Vec<Option<u32>>>;

fn params(text: &[u8]) -> Params {
    let number = |digits: &[u8]| std::str::from_utf8(digits).ok()?.parse().ok();
    text.split(|b| *b == b';').map(|param| param.split(|b| *b == b':').map(number).collect()).collect()
}

fn at(params: &Params, index: usize, sub: usize) -> Option<u32> {
    params.get(index)?.get(sub).copied().flatten()
}

/// The modifiers and the event of a key report.
#[derive(Clone, Copy)]
struct Held {
    mods: Mods,
    /// Super or hyper: such chords have no name.
    nameless: bool,
    caps_lock: bool,
    released: bool,
}

fn held(params: &Params, index: usize) -> Held {
    let bits = at(params, index, 0).unwrap_or(1).saturating_sub(1);
    let has = |bit: u32| bits & bit != 0;
    Held {
        mods: Mods { shift: has(1), alt: has(2) || has(32), ctrl: has(4) },
        nameless: has(8) || has(16),
        caps_lock: has(64),
        released: at(params, index, 1) == Some(3),
    }
}

fn named(key: Key, held: Held, alt: bool) -> Decoded {
    let mods = Mods { alt: held.mods.alt || alt, ..held.mods };
    match Chord::new(mods, key) {
        Some(chord) if !held.released && !held.nameless => typed_chord(chord),
        _ => Decoded::Nothing,
    }
}

/// A chord, but AltGr characters without the modifiers that made them.
fn typed_chord(chord: Chord) -> Decoded {
    let plain = chord.text().filter(|_| chord.ctrl() && chord.alt()).and_then(Chord::typed);
    Decoded::Typed(TermMsg::Key(plain.unwrap_or(chord)))
}

/// A `CSI` sequence: its parameter and intermediate bytes, its final byte, and whether an escape stood before it.
pub(super) fn csi(body: &[u8], end: u8, alt: bool) -> Decoded {
    match body.first() {
        Some(b'?') => return private(body.get(1..).unwrap_or_default(), end),
        Some(b'>') => return secondary(body.get(1..).unwrap_or_default(), end),
        Some(b'<') => return mouse(body.get(1..).unwrap_or_default(), end),
        _ => {}
    }
    let params = params(body);
    match end {
        b'u' => return kitty(&params, alt),
        b'~' => return tilde(&params, alt),
        b'M' if body.is_empty() => return Decoded::OldMouse,
        b'I' if body.is_empty() => return Decoded::Report(TermMsg::FocusGained),
        b'O' if body.is_empty() => return Decoded::Report(TermMsg::FocusLost),
        b'Z' => {
            let mut held = held(&params, 1);
            held.mods.shift = true;
            return named(Key::Tab, held, alt);
        }
        // rxvt: ctrl, shift and both as the final byte.
        b'^' | b'@' => {
            let mut held = held(&params, 1);
            held.mods.ctrl = true;
            held.mods.shift |= end == b'@';
            return numbered(at(&params, 0, 0)).map_or(Decoded::Nothing, |key| named(key, held, alt));
        }
        b'a'..=b'd' if body.is_empty() => {
            let mut held = held(&params, 1);
            held.mods.shift = true;
            return lettered(end.to_ascii_uppercase()).map_or(Decoded::Nothing, |key| named(key, held, alt));
        }
        // A cursor report looks like a modified F3; only the latter is ever wanted.
        b'R' if at(&params, 0, 0).unwrap_or(1) != 1 => return Decoded::Nothing,
        _ => {}
    }
    lettered(end).map_or(Decoded::Nothing, |key| named(key, held(&params, 1), alt))
}

/// `CSI ?`: replies only.
fn private(body: &[u8], end: u8) -> Decoded {
    let (body, mode) = match body.strip_suffix(b"$") {
        Some(body) => (body, true),
        None => (body, false),
    };
    let params = params(body);
    match end {
        b'c' => Decoded::Reply(Reply::Attributes),
        b'u' => Decoded::Reply(Reply::KittyFlags(at(&params, 0, 0).unwrap_or(0))),
        b'y' if mode => match (at(&params, 0, 0), at(&params, 1, 0)) {
            (Some(mode), Some(state)) => Decoded::Reply(Reply::Mode { mode, state }),
            _ => Decoded::Nothing,
        },
        b'n' => match (at(&params, 0, 0), at(&params, 1, 0)) {
            (Some(997), Some(1)) => Decoded::Report(TermMsg::ColorScheme(Scheme::Dark)),
            (Some(997), Some(2)) => Decoded::Report(TermMsg::ColorScheme(Scheme::Light)),
            _ => Decoded::Nothing,
        },
        b'R' | b'S' => Decoded::Nothing,
        _ => Decoded::Foreign,
    }
}

/// `CSI >`: the second attributes reply only.
fn secondary(body: &[u8], end: u8) -> Decoded {
    match end {
        b'c' => {
            Decoded::Reply(Reply::Kind(params(body).iter().filter_map(|p| p.first().copied()?).collect()))
        }
        _ => Decoded::Foreign,
    }
}

/// `CSI code:shifted:base ; modifiers:event ; text u`.
fn kitty(params: &Params, alt: bool) -> Decoded {
    let mut held = held(params, 1);
    held.mods.alt |= alt;
    if held.released || held.nameless {
        return Decoded::Nothing;
    }
    let text: String = params
        .get(2)
        .into_iter()
        .flatten()
        .filter_map(|code| char::from_u32((*code)?))
        .filter(|c| !c.is_control())
        .collect();
    if !text.is_empty() && held.mods.ctrl == held.mods.alt {
        return typed_text(text);
    }
    let Some(code) = at(params, 0, 0) else { return Decoded::Nothing };
    character(code, at(params, 0, 1), at(params, 0, 2), held)
}

fn typed_text(text: String) -> Decoded {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) => {
            Chord::typed(c).map_or(Decoded::Nothing, |chord| Decoded::Typed(TermMsg::Key(chord)))
        }
        _ => Decoded::Typed(TermMsg::Text(text)),
    }
}

/// A key given by its code point, with what shift makes of it and where it sits on a US keyboard, if told.
fn character(code: u32, shifted: Option<u32>, base: Option<u32>, mut held: Held) -> Decoded {
    let key = match code {
        27 => Key::Esc,
        13 => Key::Enter,
        9 => Key::Tab,
        8 | 127 => Key::Backspace,
        57344..=63743 => match keypad(code) {
            Some(key) => key,
            None => return Decoded::Nothing,
        },
        _ => {
            let Some(mut c) = char::from_u32(code) else { return Decoded::Nothing };
            let Mods { ctrl, alt, shift } = held.mods;
            let base = base.and_then(char::from_u32).filter(char::is_ascii);
            if ctrl != alt && !c.is_ascii() {
                // A chord on a keyboard of another script is the one its key has on a Latin one.
                c = base.unwrap_or(c);
            } else if shift {
                c = shifted.and_then(char::from_u32).unwrap_or_else(|| us_shifted(c));
            }
            held.mods.shift ^= held.caps_lock && !ctrl && !alt && c.is_alphabetic();
            Key::Char(c)
        }
    };
    named(key, held, false)
}

/// What shift makes of a symbol on a US keyboard: the best guess where the terminal does not say.
fn us_shifted(c: char) -> char {
    const PAIRS: &[u8] = b"-_=+[{]}\\|;:'\",<.>/?`~";
    let pair = PAIRS.chunks_exact(2).find(|pair| pair.first().is_some_and(|low| char::from(*low) == c));
    pair.and_then(|pair| pair.get(1)).map_or(c, |high| char::from(*high))
}

fn keypad(code: u32) -> Option<Key> {
    const SYMBOLS: [char; 5] = ['.', '/', '*', '-', '+'];
    const NAMED: [Key; 10] = [
        Key::Left,
        Key::Right,
        Key::Up,
        Key::Down,
        Key::PageUp,
        Key::PageDown,
        Key::Home,
        Key::End,
        Key::Insert,
        Key::Delete,
    ];
    let slot = |first: u32| usize::try_from(code - first).ok();
    match code {
        57399..=57408 => char::from_digit(code - 57399, 10).map(Key::Char),
        57409..=57413 => SYMBOLS.get(slot(57409)?).copied().map(Key::Char),
        57414 => Some(Key::Enter),
        57415 => Some(Key::Char('=')),
        57416 => Some(Key::Char(',')),
        57417..=57426 => NAMED.get(slot(57417)?).copied(),
        _ => None,
    }
}

/// `CSI number ; modifiers ~`, a paste's start, and xterm's `CSI 27 ; modifiers ; code ~`.
fn tilde(params: &Params, alt: bool) -> Decoded {
    match at(params, 0, 0) {
        Some(200) => Decoded::PasteStart,
        Some(27) => {
            let mut held = held(params, 1);
            held.mods.alt |= alt;
            match at(params, 2, 0) {
                Some(code) if !held.released && !held.nameless => character(code, Some(code), None, held),
                _ => Decoded::Nothing,
            }
        }
        number => numbered(number).map_or(Decoded::Nothing, |key| named(key, held(params, 1), alt)),
    }
}

fn numbered(number: Option<u32>) -> Option<Key> {
    let key = match number? {
        1 | 7 => Key::Home,
        2 => Key::Insert,
        3 => Key::Delete,
        4 | 8 => Key::End,
        5 => Key::PageUp,
        6 => Key::PageDown,
        n @ 11..=15 => Key::F(u8::try_from(n - 10).ok()?),
        n @ 17..=21 => Key::F(u8::try_from(n - 11).ok()?),
        n @ 23..=24 => Key::F(u8::try_from(n - 12).ok()?),
        _ => return None,
    };
    Some(key)
}

fn lettered(end: u8) -> Option<Key> {
    let key = match end {
        b'A' => Key::Up,
        b'B' => Key::Down,
        b'C' => Key::Right,
        b'D' => Key::Left,
        b'F' => Key::End,
        b'H' => Key::Home,
        b'P'..=b'S' => Key::F(end - b'P' + 1),
        _ => return None,
    };
    Some(key)
}

/// The Linux console's F1 to F5: `CSI [ A` and on.
pub(super) fn console(end: u8) -> Decoded {
    let key = (b'A'..=b'E').contains(&end).then(|| Key::F(end - b'A' + 1));
    key.and_then(|key| Chord::new(Mods::NONE, key))
        .map_or(Decoded::Nothing, |chord| Decoded::Typed(TermMsg::Key(chord)))
}

/// An `SS3` sequence: cursor keys in application mode, F1 to F4 and the keypad.
pub(super) fn ss3(modifier: Option<u8>, end: u8, alt: bool) -> Decoded {
    let digit = modifier.and_then(|b| char::from(b).to_digit(10));
    let mut held = held(&vec![vec![digit]], 0);
    let key = match end {
        b'M' => Some(Key::Enter),
        b'X' => Some(Key::Char('=')),
        b'I' => Some(Key::Tab),
        b'j'..=b'y' => Some(Key::Char(char::from(end - b'j' + b'*'))),
        b'a'..=b'd' => {
            held.mods.ctrl = true;
            lettered(end.to_ascii_uppercase())
        }
        _ => lettered(end),
    };
    key.map_or(Decoded::Nothing, |key| named(key, held, alt))
}

/// A mouse report of the SGR kind.
fn mouse(body: &[u8], end: u8) -> Decoded {
    let params = params(body);
    let (Some(code), Some(col), Some(row)) = (at(&params, 0, 0), at(&params, 1, 0), at(&params, 2, 0)) else {
        return Decoded::Nothing;
    };
    if !matches!(end, b'M' | b'm') {
        return Decoded::Nothing;
    }
    let button = match code & 3 {
        0 => Some(MouseButton::Left),
        1 => Some(MouseButton::Middle),
        2 => Some(MouseButton::Right),
        _ => None,
    };
    let kind = match (code & 0b1110_0000, button) {
        (0, Some(button)) if end == b'm' => MouseKind::Up(button),
        (0, Some(button)) => MouseKind::Down(button),
        (32, Some(button)) => MouseKind::Drag(button),
        (32, None) => MouseKind::Moved,
        (64, Some(MouseButton::Left)) => MouseKind::WheelUp,
        (64, Some(MouseButton::Middle)) => MouseKind::WheelDown,
        (64, Some(MouseButton::Right)) => MouseKind::WheelLeft,
        (64, None) => MouseKind::WheelRight,
        _ => return Decoded::Nothing,
    };
    let cell = |n: u32| u16::try_from(n.saturating_sub(1)).unwrap_or(u16::MAX);
    let mods = Mods { shift: code & 4 != 0, alt: code & 8 != 0, ctrl: code & 16 != 0 };
    Decoded::Report(TermMsg::Mouse(Mouse { kind, col: cell(col), row: cell(row), mods }))
}
