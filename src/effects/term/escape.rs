//! The few sequences that may ever be written to the terminal, as one list, and how they are spelled. Text from
//! outside goes through here as titles, links and copies, and is reduced to what cannot end a sequence early.

use crate::model::term::{ColorDepth, Multiplexer};
use base64::Engine as _;
use ratatui::style::{Color, Modifier};
use std::fmt::Write as _;

/// One form of sequence that may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    /// The bytes; `#` stands for one or more digits, `;` and `:`, `*` for any run of printable characters.
    pub bytes: &'static str,
    pub purpose: &'static str,
}

const fn form(bytes: &'static str, purpose: &'static str) -> Form {
    Form { bytes, purpose }
}

/// Everything but printable text that `e` writes to a terminal. A test allows exactly these.
pub const WRITTEN: &[Form] = &[
    form("\r", "to the row's start"),
    form("\n", "to the next row, scrolling at the bottom"),
    form("\x07", "the bell"),
    form("\x1b[#A", "so many rows up"),
    form("\x1b[#B", "so many rows down"),
    form("\x1b[#G", "to a column"),
    form("\x1b[#H", "to a row and column of the alternate screen"),
    form("\x1b[K", "erase to the row's end"),
    form("\x1b[2K", "erase the row"),
    form("\x1b[J", "erase to the screen's end"),
    form("\x1b[2J", "erase the alternate screen, on entering, resizing and redrawing it"),
    form("\x1b[#m", "colours and attributes"),
    form(SYNC_ON, "a frame begins"),
    form(SYNC_OFF, "a frame ends"),
    form(WRAP_OFF, "do not wrap while rows of the live part are written"),
    form(WRAP_ON, "wrap again"),
    form(CURSOR_SHOW, "show the cursor"),
    form(CURSOR_HIDE, "hide the cursor"),
    form(ALTERNATE_ON, "enter the alternate screen"),
    form(ALTERNATE_OFF, "leave the alternate screen"),
    form("\x1b[?2004h", "mark pastes"),
    form("\x1b[?2004l", "stop marking pastes"),
    form("\x1b[?2031h", "tell of colour scheme changes"),
    form("\x1b[?2031l", "stop telling of them"),
    form("\x1b[?1000h", "report mouse buttons"),
    form("\x1b[?1000l", "stop"),
    form("\x1b[?1002h", "report mouse drags"),
    form("\x1b[?1002l", "stop"),
    form("\x1b[?1006h", "report the mouse in the SGR form"),
    form("\x1b[?1006l", "stop"),
    form(KITTY_PUSH, "ask for kitty's key reports: told apart, with the shifted and the Latin key"),
    form(KITTY_POP, "take that back"),
    form("\x1b[>4;1m", "ask for xterm's modified keys"),
    form("\x1b[>4m", "take that back"),
    form("\x1b[22;2t", "keep the title"),
    form("\x1b[23;2t", "put the kept title back"),
    form("\x1b]11;?\x1b\\", "ask for the background colour"),
    form("\x1b[>q", "ask for the terminal's name"),
    form("\x1b[c", "ask for attributes: the answer to the last question"),
    form("\x1b]2;*\x1b\\", "the title"),
    form("\x1b]8;*\x1b\\", "a link begins or ends"),
    form("\x1b]52;c;*\x1b\\", "copy to the clipboard"),
    form("\x1bPtmux;\x1b\x1b]52;c;*\x07\x1b\\", "the same, through tmux"),
    form("\x1bP\x1b]52;c;*", "the same, through screen: the first piece"),
    form("\x1b\\\x1bP*", "a further piece"),
    form("\x07\x1b\\", "the end of the last piece"),
];

pub const SYNC_ON: &str = "\x1b[?2026h";
pub const SYNC_OFF: &str = "\x1b[?2026l";
pub const WRAP_OFF: &str = "\x1b[?7l";
pub const WRAP_ON: &str = "\x1b[?7h";
pub const CURSOR_SHOW: &str = "\x1b[?25h";
pub const CURSOR_HIDE: &str = "\x1b[?25l";
pub const ALTERNATE_ON: &str = "\x1b[?1049h";
pub const ALTERNATE_OFF: &str = "\x1b[?1049l";
pub const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";
pub const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1002l\x1b[?1000l";
/// Flags 1 (tell keys apart) and 4 (the shifted and the Latin key): each screen has a stack of its own.
pub const KITTY_PUSH: &str = "\x1b[>5u";
pub const KITTY_POP: &str = "\x1b[<1u";

/// Colours and attributes as the terminal has them now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pen {
    pub fg: Color,
    pub bg: Color,
    pub modifier: Modifier,
}

impl Pen {
    pub const PLAIN: Pen = Pen { fg: Color::Reset, bg: Color::Reset, modifier: Modifier::empty() };
}

/// What each attribute is in SGR. Blinking and hidden text are not written.
const ATTRIBUTES: [(Modifier, &str); 6] = [
    (Modifier::BOLD, "1"),
    (Modifier::DIM, "2"),
    (Modifier::ITALIC, "3"),
    (Modifier::UNDERLINED, "4"),
    (Modifier::REVERSED, "7"),
    (Modifier::CROSSED_OUT, "9"),
];

/// Changes the pen in the fewest codes; colours the terminal does not show are left out.
pub(super) fn set_pen(out: &mut String, pen: &mut Pen, wanted: Pen, depth: ColorDepth) {
    if *pen == wanted {
        return;
    }
    let mut codes: Vec<String> = Vec::new();
    if !wanted.modifier.contains(pen.modifier) {
        codes.push("0".to_owned());
        *pen = Pen::PLAIN;
    }
    let added = wanted.modifier.difference(pen.modifier);
    codes.extend(ATTRIBUTES.iter().filter(|(m, _)| added.contains(*m)).map(|(_, code)| (*code).to_owned()));
    if pen.fg != wanted.fg {
        codes.extend(color_code(wanted.fg, 30, depth));
    }
    if pen.bg != wanted.bg {
        codes.extend(color_code(wanted.bg, 40, depth));
    }
    *pen = wanted;
    if !codes.is_empty() {
        let _ = write!(out, "\x1b[{}m", codes.join(";"));
    }
}

/// The SGR code of a colour, `base` being 30 for the text and 40 for what is behind it.
fn color_code(color: Color, base: u8, depth: ColorDepth) -> Option<String> {
    let indexed = |n: u8| match (n, depth) {
        (_, ColorDepth::None) => None,
        (0..=7, _) => Some((base + n).to_string()),
        (8..=15, _) => Some((base + 60 + n - 8).to_string()),
        (_, ColorDepth::Ansi16) => Some((base + 9).to_string()),
        _ => Some(format!("{};5;{n}", base + 8)),
    };
    match color {
        Color::Reset => (depth != ColorDepth::None).then(|| (base + 9).to_string()),
        Color::Rgb(r, g, b) if depth == ColorDepth::True => Some(format!("{};2;{r};{g};{b}", base + 8)),
        Color::Rgb(..) => (depth != ColorDepth::None).then(|| (base + 9).to_string()),
        Color::Indexed(n) => indexed(n),
        Color::Black => indexed(0),
        Color::Red => indexed(1),
        Color::Green => indexed(2),
        Color::Yellow => indexed(3),
        Color::Blue => indexed(4),
        Color::Magenta => indexed(5),
        Color::Cyan => indexed(6),
        Color::Gray => indexed(7),
        Color::DarkGray => indexed(8),
        Color::LightRed => indexed(9),
        Color::LightGreen => indexed(10),
        Color::LightYellow => indexed(11),
        Color::LightBlue => indexed(12),
        Color::LightMagenta => indexed(13),
        Color::LightCyan => indexed(14),
        Color::White => indexed(15),
    }
}

/// The longest link written; a longer one stays text. Bytes.
const MAX_LINK: usize = 2000;

/// A link's target as it may be written: printable ASCII only, the rest in percent form; nothing when too long.
pub(super) fn link_target(url: &str) -> Option<String> {
    let mut target = String::new();
    for byte in url.bytes() {
        if byte.is_ascii_graphic() {
            target.push(char::from(byte));
        } else {
            let _ = write!(target, "%{byte:02X}");
        }
    }
    (!target.is_empty() && target.len() <= MAX_LINK).then_some(target)
}

/// Begins a link; pieces of one link on several rows carry one id, so that they light up together.
pub(super) fn link_on(out: &mut String, id: u64, target: &str) {
    let _ = write!(out, "\x1b]8;id=e{id:x};{target}\x1b\\");
}

pub(super) const LINK_OFF: &str = "\x1b]8;;\x1b\\";

/// The longest title written. Characters.
const MAX_TITLE: usize = 120;

/// Sets the title; whatever could end the sequence or turn the text around is left out.
pub fn title(text: &str) -> String {
    let turns =
        |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}');
    let text: String = text
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .filter(|c| !c.is_control() && !turns(*c))
        .take(MAX_TITLE)
        .collect();
    format!("\x1b]2;{text}\x1b\\")
}

/// The longest copy terminals take. Base64 characters.
const MAX_COPY: usize = 100_000;

/// How much of a device string GNU screen takes at once. Bytes.
const SCREEN_PIECE: usize = 76;

/// The sequence that copies text to the clipboard of the terminal the person sits at (OSC 52); nothing when it is too
/// long for terminals to take. Whether the terminal obeys cannot be known.
pub fn copy(text: &str, multiplexer: Multiplexer) -> Option<String> {
    let data = base64::engine::general_purpose::STANDARD.encode(text);
    if data.len() > MAX_COPY {
        return None;
    }
    let plain = format!("\x1b]52;c;{data}\x1b\\");
    Some(match multiplexer {
        Multiplexer::None => plain,
        // tmux takes one or the other, depending on its settings; taking both copies the same text twice.
        Multiplexer::Tmux => format!("{plain}\x1bPtmux;\x1b\x1b]52;c;{data}\x07\x1b\\"),
        Multiplexer::Screen => {
            let whole = format!("\x1b]52;c;{data}");
            let pieces: Vec<&str> = whole
                .as_bytes()
                .chunks(SCREEN_PIECE)
                .filter_map(|piece| std::str::from_utf8(piece).ok())
                .collect();
            format!("\x1bP{}\x07\x1b\\", pieces.join("\x1b\\\x1bP"))
        }
    })
}
