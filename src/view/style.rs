//! Theme words to cell styles. The only place of the view that knows colours exist.

use ratatui::style::{Color, Modifier, Style};

use crate::model::config::theme::{Colour, Theme};
use crate::model::term::ColorDepth;
use crate::model::text::row::{Attrs, Token};

/// A theme as one terminal can show it: every token's colour, ready to paint.
#[derive(Debug, Clone, PartialEq)]
pub struct Palette {
    depth: ColorDepth,
    colours: Vec<Option<Color>>,
}

impl Palette {
    /// The palette of a theme at a depth.
    pub fn new(theme: &Theme, depth: ColorDepth) -> Palette {
        let mut colours = vec![None; Token::ALL.len() + 1];
        for token in Token::ALL {
            let shown = theme.colour(fallback(*token, depth)).and_then(|colour| convert(colour, depth));
            if let Some(slot) = colours.get_mut(*token as usize) {
                *slot = shown;
            }
        }
        Palette { depth, colours }
    }

    /// How many colours it was made for.
    pub fn depth(&self) -> ColorDepth {
        self.depth
    }

    fn colour(&self, token: Token) -> Option<Color> {
        self.colours.get(token as usize).copied().flatten()
    }

    /// The style of letters in `token` on the ground `bg`.
    pub fn style(&self, token: Token, bg: Option<Token>, attrs: Attrs) -> Style {
        let mut style = Style { fg: self.colour(token), ..Style::default() };
        // A colour of its own says how faint a word is; both together could not be read.
        let mut modifiers = modifiers(Attrs { dim: attrs.dim && style.fg.is_none(), ..attrs });
        if self.depth == ColorDepth::None {
            modifiers |= stand_in(token);
        }
        if let Some(ground) = bg {
            if self.depth >= ColorDepth::Ansi256 {
                style.bg = self.colour(ground);
            } else {
                modifiers |= ground_stand_in(ground);
            }
        }
        if modifiers.contains(Modifier::REVERSED) && bg.is_some() && self.depth < ColorDepth::Ansi256 {
            // Reversed letters keep the terminal's own pair of colours, whatever the theme gave the letters.
            style.fg = None;
        }
        style.add_modifier(modifiers)
    }

    /// The style of the ground alone.
    pub fn ground(&self, bg: Token) -> Style {
        let style = self.style(Token::Plain, Some(bg), Attrs::NONE);
        // An underline under blanks would look like text.
        style.remove_modifier(Modifier::UNDERLINED | Modifier::BOLD)
    }
}

/// Markers have colours of their own where there is no true colour (`extensions-notes.md`, 22).
fn fallback(token: Token, depth: ColorDepth) -> Token {
    match token {
        Token::ToolDiffAddedMarker if depth < ColorDepth::True => Token::ToolDiffAddedMarkerFallback,
        Token::ToolDiffRemovedMarker if depth < ColorDepth::True => Token::ToolDiffRemovedMarkerFallback,
        _ => token,
    }
}

fn convert(colour: Colour, depth: ColorDepth) -> Option<Color> {
    Some(match (depth, colour) {
        (ColorDepth::None, _) => return None,
        (ColorDepth::Ansi16, colour) => named(colour.to_16()),
        (ColorDepth::Ansi256, colour) => Color::Indexed(colour.to_256()),
        (ColorDepth::True, Colour::Indexed(index)) => Color::Indexed(index),
        (ColorDepth::True, Colour::Rgb(r, g, b)) => Color::Rgb(r, g, b),
    })
}

fn named(index: u8) -> Color {
    const NAMES: [Color; 16] = [
        Color::Black,
        Color::Red,
        Color::Green,
        Color::Yellow,
        Color::Blue,
        Color::Magenta,
        Color::Cyan,
        Color::Gray,
        Color::DarkGray,
        Color::LightRed,
        Color::LightGreen,
        Color::LightYellow,
        Color::LightBlue,
        Color::LightMagenta,
        Color::LightCyan,
        Color::White,
    ];
    NAMES.get(usize::from(index)).copied().unwrap_or(Color::Reset)
}

fn modifiers(attrs: Attrs) -> Modifier {
    let pairs = [
        (attrs.bold, Modifier::BOLD),
        (attrs.italic, Modifier::ITALIC),
        (attrs.underline, Modifier::UNDERLINED),
        (attrs.reversed, Modifier::REVERSED),
        (attrs.strikethrough, Modifier::CROSSED_OUT),
        (attrs.dim, Modifier::DIM),
    ];
    pairs.iter().filter(|(on, _)| *on).fold(Modifier::empty(), |all, (_, one)| all | *one)
}

/// What tells a word apart where there is no colour.
fn stand_in(token: Token) -> Modifier {
    match token {
        Token::Error | Token::Warning | Token::UserMessageText => Modifier::BOLD,
        Token::Dim | Token::ThinkingText | Token::ToolDetailRail | Token::MdHr | Token::Border => {
            Modifier::DIM
        }
        Token::MdLink => Modifier::UNDERLINED,
        _ => Modifier::empty(),
    }
}

/// What tells a ground apart where soft grounds can't be shown: sixteen colours or none.
fn ground_stand_in(ground: Token) -> Modifier {
    match ground {
        Token::SelectedBg | Token::SearchMatchBg => Modifier::REVERSED,
        Token::ToolDiffAddedWordBg | Token::ToolDiffRemovedWordBg => {
            Modifier::BOLD.union(Modifier::UNDERLINED)
        }
        _ => Modifier::empty(),
    }
}
