//! Chords: one key with its modifiers, in one canonical form, as keys are named in every file and on every wire
//! (`extensions-notes.md`, 24). Knows nothing of terminals, key maps or what a chord does.

use std::fmt;
use std::str::FromStr;

/// A key without its modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    Enter,
    Backspace,
    Delete,
    Insert,
    Left,
    Right,
    Up,
    Down,
    Home,
    End,
    PageUp,
    PageDown,
    Tab,
    Space,
    Esc,
    /// F1 to F12; no other number is a key.
    F(u8),
    /// A character that is no control character and no space; lower case where the case can be turned back.
    Char(char),
}

/// The names of the keys that are not characters and not function keys.
const NAMES: &[(&str, Key)] = &[
    ("enter", Key::Enter),
    ("backspace", Key::Backspace),
    ("delete", Key::Delete),
    ("insert", Key::Insert),
    ("left", Key::Left),
    ("right", Key::Right),
    ("up", Key::Up),
    ("down", Key::Down),
    ("home", Key::Home),
    ("end", Key::End),
    ("pageup", Key::PageUp),
    ("pagedown", Key::PageDown),
    ("tab", Key::Tab),
    ("space", Key::Space),
    ("esc", Key::Esc),
];

/// The modifiers a chord can have. Chords with super have no name, so there is no field for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mods {
    pub ctrl: bool,
    pub alt: bool,
    pub shift: bool,
}

impl Mods {
    /// No modifier held.
    pub const NONE: Mods = Mods { ctrl: false, alt: false, shift: false };
    /// Ctrl alone.
    pub const CTRL: Mods = Mods { ctrl: true, alt: false, shift: false };
    /// Alt alone.
    pub const ALT: Mods = Mods { ctrl: false, alt: true, shift: false };
    /// Shift alone.
    pub const SHIFT: Mods = Mods { ctrl: false, alt: false, shift: true };
    /// Ctrl and shift.
    pub const CTRL_SHIFT: Mods = Mods { ctrl: true, alt: false, shift: true };
}

/// A key and its modifiers in canonical form: a capital is shift and its lower case, a shifted symbol is the symbol
/// alone. Two chords are the same exactly when they are equal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Chord {
    key: Key,
    mods: Mods,
}

/// Why a text names no chord, or not one that may be declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChordError {
    /// Nothing was written.
    Empty,
    /// Modifiers only.
    NoKey,
    /// The key has no such name.
    UnknownKey(String),
    /// Without ctrl or alt it would take what types text.
    Bare(Chord),
    /// One of the chords `e` keeps for itself.
    Reserved(Chord),
}

impl fmt::Display for ChordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChordError::Empty => write!(f, "the chord is empty; write for example ctrl+alt+g"),
            ChordError::NoKey => {
                write!(f, "the chord has modifiers but no key; write for example ctrl+alt+g")
            }
            ChordError::UnknownKey(key) => write!(
                f,
                "no key is called {key:?}; a key is one character or one of enter, backspace, delete, insert, left, \
                 right, up, down, home, end, pageup, pagedown, tab, space, esc, f1 to f12"
            ),
            ChordError::Bare(chord) => {
                write!(f, "{chord} has neither ctrl nor alt; such keys type text and cannot be shortcuts")
            }
            ChordError::Reserved(chord) => write!(f, "e keeps {chord} for itself"),
        }
    }
}

impl std::error::Error for ChordError {}

/// The lower case of a capital whose lower case turns back into it, so that a chord can be typed again from its name.
fn lowered(c: char) -> Option<char> {
    if !c.is_uppercase() {
        return None;
    }
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(l), None) if raised(l) == Some(c) => Some(l),
        _ => None,
    }
}

/// The single capital of a lower-case character, if it has one.
fn raised(c: char) -> Option<char> {
    let mut upper = c.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(u), None) if u != c => Some(u),
        _ => None,
    }
}

impl Chord {
    /// The chord in canonical form, or nothing when the key has no name: a control character or an F key past 12.
    pub fn new(mods: Mods, key: Key) -> Option<Chord> {
        let mut mods = mods;
        let key = match key {
            Key::F(n) if !(1..=12).contains(&n) => return None,
            Key::Char(c) if c.is_control() => return None,
            Key::Char(' ') => Key::Space,
            Key::Char(c) => match lowered(c) {
                Some(lower) => {
                    mods.shift = true;
                    Key::Char(lower)
                }
                None => {
                    mods.shift &= c.is_alphanumeric();
                    Key::Char(c)
                }
            },
            named => named,
        };
        Some(Chord { key, mods })
    }

    /// Ctrl and an ASCII letter.
    pub const fn ctrl_letter(letter: char) -> Chord {
        Chord { key: Key::Char(letter.to_ascii_lowercase()), mods: Mods::CTRL }
    }

    /// The chord of a named key; for a character or an F number use [`Chord::new`].
    pub const fn named(mods: Mods, key: Key) -> Option<Chord> {
        match key {
            Key::F(_) | Key::Char(_) => None,
            _ => Some(Chord { key, mods }),
        }
    }

    /// What typing this character is as a chord; nothing for control characters.
    pub fn typed(c: char) -> Option<Chord> {
        Chord::new(Mods::NONE, Key::Char(c))
    }

    pub fn key(self) -> Key {
        self.key
    }

    pub fn mods(self) -> Mods {
        self.mods
    }

    pub fn ctrl(self) -> bool {
        self.mods.ctrl
    }

    pub fn alt(self) -> bool {
        self.mods.alt
    }

    pub fn shift(self) -> bool {
        self.mods.shift
    }

    /// The same key without shift: what a movement is when it also selects.
    #[must_use]
    pub fn without_shift(self) -> Chord {
        Chord { key: self.key, mods: Mods { shift: false, ..self.mods } }
    }

    /// The character this chord types where text is accepted. Ctrl and alt together with a symbol or a character
    /// outside ASCII are how AltGr arrives, and type it; with a letter or a digit they are a chord.
    pub fn text(self) -> Option<char> {
        let Mods { ctrl, alt, shift } = self.mods;
        match self.key {
            Key::Space if !ctrl && !alt => Some(' '),
            Key::Char(c) => {
                let alt_gr = ctrl && alt && !c.is_ascii_alphanumeric();
                let plain = !ctrl && !alt;
                (plain || alt_gr).then(|| if shift { raised(c).unwrap_or(c) } else { c })
            }
            _ => None,
        }
    }

    /// Whether the chord types a character.
    pub fn is_text(self) -> bool {
        self.text().is_some()
    }

    /// Whether `e` keeps the chord for itself: no extension may declare it.
    pub fn is_reserved(self) -> bool {
        RESERVED.contains(&self)
    }

    /// A chord an extension declares as its shortcut: it needs ctrl or alt and must not be reserved.
    pub fn for_extension(text: &str) -> Result<Chord, ChordError> {
        let chord: Chord = text.parse()?;
        if chord.is_reserved() {
            Err(ChordError::Reserved(chord))
        } else if !chord.mods.ctrl && !chord.mods.alt {
            Err(ChordError::Bare(chord))
        } else {
            Ok(chord)
        }
    }
}

const fn reserved(mods: Mods, c: char) -> Chord {
    Chord { key: Key::Char(c), mods }
}

/// The chords `e` keeps for itself (the guide, Shortcuts).
pub const RESERVED: [Chord; 15] = [
    reserved(Mods::CTRL, 'c'),
    reserved(Mods::CTRL, 'd'),
    reserved(Mods::CTRL, 'g'),
    reserved(Mods::CTRL, 'i'),
    reserved(Mods::CTRL, 'j'),
    reserved(Mods::CTRL, 'l'),
    reserved(Mods::CTRL, 'm'),
    reserved(Mods::CTRL, 'o'),
    reserved(Mods::CTRL, 'p'),
    reserved(Mods::CTRL_SHIFT, 'p'),
    reserved(Mods::CTRL, 's'),
    reserved(Mods::CTRL, 'v'),
    reserved(Mods::CTRL_SHIFT, 'v'),
    reserved(Mods::CTRL, 'x'),
    reserved(Mods::CTRL, 'z'),
];

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.mods.ctrl {
            f.write_str("ctrl+")?;
        }
        if self.mods.alt {
            f.write_str("alt+")?;
        }
        if self.mods.shift {
            f.write_str("shift+")?;
        }
        match self.key {
            Key::F(n) => write!(f, "f{n}"),
            Key::Char(c) => write!(f, "{c}"),
            named => f.write_str(NAMES.iter().find(|(_, key)| *key == named).map_or("", |(name, _)| name)),
        }
    }
}

impl fmt::Debug for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Chord({self})")
    }
}

/// Sets the modifier of that name; false when the word is no modifier.
fn set_modifier(mods: &mut Mods, word: &str) -> bool {
    let is = |names: &[&str]| names.iter().any(|name| word.eq_ignore_ascii_case(name));
    let flag = if is(&["ctrl", "control"]) {
        &mut mods.ctrl
    } else if is(&["alt", "option", "meta"]) {
        &mut mods.alt
    } else if is(&["shift"]) {
        &mut mods.shift
    } else {
        return false;
    };
    *flag = true;
    true
}

const SEPARATORS: [char; 2] = ['+', '-'];

/// Takes the modifiers off both ends; what is left is the key, which may itself be a separator.
fn split_modifiers(text: &str) -> (Mods, &str) {
    let mut mods = Mods::NONE;
    let mut rest = text;
    while let Some((word, behind)) = rest.split_once(SEPARATORS) {
        if !set_modifier(&mut mods, word) {
            break;
        }
        rest = behind;
    }
    while let Some((before, word)) = rest.rsplit_once(SEPARATORS) {
        if before.is_empty() || !set_modifier(&mut mods, word) {
            break;
        }
        rest = before;
    }
    (mods, rest)
}

impl FromStr for Chord {
    type Err = ChordError;

    /// Reads a chord in any case and order, with `+` or `-` between and with the aliases of the guide. A capital
    /// letter alone means shift; beside ctrl or alt its case is ignored, so that `Ctrl+C` is ctrl+c.
    fn from_str(text: &str) -> Result<Chord, ChordError> {
        let text = text.trim_matches([' ', '\t', '\r', '\n']);
        if text.is_empty() {
            return Err(ChordError::Empty);
        }
        let (mut mods, key) = split_modifiers(text);
        if key.is_empty() || set_modifier(&mut Mods::default(), key) {
            return Err(ChordError::NoKey);
        }
        let unknown = || ChordError::UnknownKey(key.to_owned());
        let mut chars = key.chars();
        if let (Some(c), None) = (chars.next(), chars.next()) {
            let c = if mods == Mods::NONE { c } else { lowered(c).unwrap_or(c) };
            return Chord::new(mods, Key::Char(c)).ok_or_else(unknown);
        }
        let word = key.to_ascii_lowercase();
        let named = match word.as_str() {
            "escape" => Key::Esc,
            "backtab" | "back-tab" => {
                mods.shift = true;
                Key::Tab
            }
            word => match NAMES.iter().find(|(name, _)| *name == word) {
                Some((_, key)) => *key,
                None => Key::F(function_number(word).ok_or_else(unknown)?),
            },
        };
        Chord::new(mods, named).ok_or_else(unknown)
    }
}

fn function_number(word: &str) -> Option<u8> {
    let digits = word.strip_prefix('f')?;
    let canonical = !digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit());
    canonical.then(|| digits.parse().ok()).flatten()
}
