//! What the terminal tells the core, and what it can show: sizes, keys, pastes, the mouse, colours and capabilities.
//! Pure types; the bytes they are read from are the business of the effects house.

use super::config::chord::{Chord, Mods};
use std::collections::BTreeMap;

/// A terminal's size in character cells. Either number may be 0 while a window is being dragged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Size {
    pub cols: u16,
    pub rows: u16,
}

impl Size {
    pub const fn new(cols: u16, rows: u16) -> Size {
        Size { cols, rows }
    }
}

/// One message from the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TermMsg {
    /// A key press or repeat. Every typed character is one too (`Chord::text` gives it back), so that a pane or a
    /// panel can be sent its name; AltGr characters arrive without their ctrl and alt.
    Key(Chord),
    /// Typed text that no single key names: several characters an input method commits at once, or `"\n"` for a
    /// carriage return with bytes behind it in the same read, which is a paste without marks. Where text is not
    /// accepted, `"\n"` is Enter.
    Text(String),
    /// A marked paste; its line ends are line feeds, its control characters are kept.
    Paste(String),
    Mouse(Mouse),
    Resize(Size),
    FocusGained,
    FocusLost,
    /// The terminal's background colour, in answer to OSC 11.
    Background(Rgb),
    /// The terminal's scheme changed (`CSI ? 997 ; n n`).
    ColorScheme(Scheme),
    /// What became of a copy of so many characters.
    Copied {
        way: Copied,
        chars: usize,
    },
    /// A whole line without its end, edited by the terminal itself (accessible look).
    Line(String),
    /// Nothing more will be typed (accessible look).
    End,
}

/// The way a copy took, as far as it can be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copied {
    /// The terminal was asked (OSC 52). It never says whether it did it.
    Asked,
    /// This command of the desktop took it.
    Helper(&'static str),
    /// It is longer than a terminal takes, and no command took it.
    TooLong,
    /// The terminal cannot be asked, and no command took it.
    Nowhere,
}

/// A mouse report, in cells from the top left of the screen, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mouse {
    pub kind: MouseKind,
    pub col: u16,
    pub row: u16,
    pub mods: Mods,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseKind {
    Down(MouseButton),
    Up(MouseButton),
    /// Moved with the button held.
    Drag(MouseButton),
    /// Moved with no button held.
    Moved,
    WheelUp,
    WheelDown,
    WheelLeft,
    WheelRight,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseButton {
    Left,
    Middle,
    Right,
}

/// Whether the terminal paints light on dark or dark on light.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scheme {
    #[default]
    Dark,
    Light,
}

/// A colour of eight bits a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// Which scheme a background of this colour belongs to, by its perceived brightness.
    pub fn scheme(self) -> Scheme {
        let Rgb(r, g, b) = self;
        let luma = u32::from(r) * 299 + u32::from(g) * 587 + u32::from(b) * 114;
        if luma >= 128_000 { Scheme::Light } else { Scheme::Dark }
    }
}

/// How many colours the terminal is known to show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ColorDepth {
    /// No colour at all; bold, underline and reverse still work.
    None,
    /// The sixteen named ones.
    Ansi16,
    #[default]
    Ansi256,
    True,
}

/// The multiplexer between `e` and the terminal, which must be told to let some sequences through.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Multiplexer {
    #[default]
    None,
    Tmux,
    Screen,
}

/// What the terminal can do, judged from the environment alone: nothing is asked and nothing is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    pub colors: ColorDepth,
    /// No cursor addressing at all: a plain line mode, or a refusal.
    pub dumb: bool,
    /// Frames may be wrapped in DEC mode 2026; terminals without it ignore the marks.
    pub synchronized: bool,
    /// The kitty keyboard protocol may be asked for; terminals without it ignore the request.
    pub kitty_keys: bool,
    /// xterm's modifyOtherKeys is the only way to richer keys here.
    pub modify_other_keys: bool,
    /// OSC 8 links are worth writing.
    pub hyperlinks: bool,
    /// OSC sequences (title, clipboard, colour queries) are understood or at least swallowed.
    pub osc: bool,
    /// The terminal re-wraps what stands on its screen when its width changes.
    pub reflow: bool,
    pub multiplexer: Multiplexer,
    /// The session comes over ssh: bytes of one key may arrive apart.
    pub remote: bool,
}

impl Default for Caps {
    /// A capable xterm of 256 colours.
    fn default() -> Caps {
        Caps {
            colors: ColorDepth::Ansi256,
            dumb: false,
            synchronized: true,
            kitty_keys: true,
            modify_other_keys: false,
            hyperlinks: true,
            osc: true,
            reflow: false,
            multiplexer: Multiplexer::None,
            remote: false,
        }
    }
}

impl Caps {
    /// Judges the terminal by a snapshot of the environment.
    pub fn from_env(env: &BTreeMap<String, String>) -> Caps {
        let get = |name: &str| env.get(name).map(String::as_str).unwrap_or_default();
        let set = |name: &str| !get(name).is_empty();
        let term = get("TERM");
        let program = get("TERM_PROGRAM");
        let dumb = term.is_empty() || term == "dumb" || term == "unknown";
        let console = matches!(term, "linux" | "cons25" | "vt220" | "vt100");
        let apple = program == "Apple_Terminal";
        let multiplexer = if set("TMUX") {
            Multiplexer::Tmux
        } else if set("STY") {
            Multiplexer::Screen
        } else {
            Multiplexer::None
        };
        Caps {
            colors: color_depth(dumb, set("NO_COLOR"), term, program, get("COLORTERM")),
            dumb,
            synchronized: !dumb && !console,
            kitty_keys: !dumb && !console && !apple,
            modify_other_keys: !dumb && (multiplexer == Multiplexer::Tmux || set("XTERM_VERSION")),
            hyperlinks: !dumb && !console && !apple,
            osc: !dumb && !console,
            reflow: reflows(env, term, program),
            multiplexer,
            remote: set("SSH_CONNECTION") || set("SSH_TTY"),
        }
    }
}

impl Caps {
    /// What the terminal's own name (XTVERSION) adds to the judgement.
    #[must_use]
    pub fn named(self, name: &str) -> Caps {
        const WRAPS: [&str; 15] = [
            "kitty",
            "wezterm",
            "foot",
            "ghostty",
            "iterm2",
            "vte",
            "konsole",
            "tmux",
            "mintty",
            "contour",
            "xterm.js",
            "windows terminal",
            "rio",
            "warp",
            "alacritty",
        ];
        let name = name.trim().to_ascii_lowercase();
        if WRAPS.iter().any(|known| name.starts_with(known)) {
            Caps { reflow: true, ..self }
        } else if name.starts_with("xterm(") {
            Caps { reflow: false, ..self }
        } else {
            self
        }
    }
}

/// Only evidence counts (G18): 24-bit colours are never guessed from the name of a common terminal type.
fn color_depth(dumb: bool, no_color: bool, term: &str, program: &str, colorterm: &str) -> ColorDepth {
    let direct =
        term.ends_with("-direct") || matches!(term, "xterm-kitty" | "xterm-ghostty" | "alacritty" | "foot");
    if dumb || no_color {
        ColorDepth::None
    } else if program == "Apple_Terminal" {
        if term.contains("256color") { ColorDepth::Ansi256 } else { ColorDepth::Ansi16 }
    } else if matches!(colorterm, "truecolor" | "24bit") || direct {
        ColorDepth::True
    } else if term.contains("256color") {
        ColorDepth::Ansi256
    } else if term.starts_with("vt1") || term.starts_with("vt2") {
        ColorDepth::None
    } else {
        ColorDepth::Ansi16
    }
}

/// Whether the terminal is known to re-wrap its screen at a new width. xterm and the consoles do not.
fn reflows(env: &BTreeMap<String, String>, term: &str, program: &str) -> bool {
    const MARKS: [&str; 8] = [
        "TMUX",
        "VTE_VERSION",
        "KITTY_WINDOW_ID",
        "WT_SESSION",
        "KONSOLE_VERSION",
        "ALACRITTY_WINDOW_ID",
        "WEZTERM_PANE",
        "GHOSTTY_RESOURCES_DIR",
    ];
    const PROGRAMS: [&str; 8] =
        ["Apple_Terminal", "iTerm.app", "WezTerm", "ghostty", "vscode", "tmux", "rio", "WarpTerminal"];
    const TERMS: [&str; 6] = ["xterm-kitty", "xterm-ghostty", "alacritty", "foot", "tmux", "wezterm"];
    MARKS.iter().any(|name| env.get(*name).is_some_and(|value| !value.is_empty()))
        || PROGRAMS.contains(&program)
        || TERMS.iter().any(|name| term.starts_with(name))
}
