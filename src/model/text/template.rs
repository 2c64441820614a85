//! Status and activity templates: tokens in braces, parts that vanish when theirs are empty, and the number formats.

use super::clean::Clean;

/// Separators of parts, the outer one first.
const SEPARATORS: [&str; 2] = [" · ", " / "];

/// Fills a template in (extensions-notes 23). `value` gives what a token stands for; an unknown one is empty.
/// Empty when the segment vanishes. A part whose tokens are all empty goes together with its separator.
pub fn fill(template: &str, value: &dyn Fn(&str) -> Clean) -> Clean {
    let template = Clean::one_line(template);
    let pieces = pieces(template.as_str());
    Clean::collapsed(&part(&pieces, &SEPARATORS, value).text)
}

/// The names of the tokens in a template, in order.
pub fn tokens(template: &str) -> Vec<String> {
    let named = pieces(template).into_iter();
    named
        .filter_map(|piece| if let Piece::Token(name) = piece { Some(name.to_owned()) } else { None })
        .collect()
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Piece<'a> {
    Words(&'a str),
    Token(&'a str),
}

fn pieces(template: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        let behind = &rest[open + 1..];
        match behind.find(['{', '}']) {
            Some(close) if behind[close..].starts_with('}') => {
                pieces.push(Piece::Words(&rest[..open]));
                pieces.push(Piece::Token(&behind[..close]));
                rest = &behind[close + 1..];
            }
            // Never closed: the brace is only a brace.
            _ => {
                pieces.push(Piece::Words(&rest[..=open]));
                rest = behind;
            }
        }
    }
    pieces.push(Piece::Words(rest));
    pieces
}

/// A part filled in.
struct Filled {
    text: String,
    tokens: usize,
    filled: usize,
}

fn part(pieces: &[Piece<'_>], separators: &[&str], value: &dyn Fn(&str) -> Clean) -> Filled {
    let mut whole = Filled { text: String::new(), tokens: 0, filled: 0 };
    let Some((separator, inner)) = separators.split_first() else {
        for piece in pieces {
            match piece {
                Piece::Words(words) => whole.text.push_str(words),
                Piece::Token(name) => {
                    let value = value(name);
                    whole.tokens += 1;
                    whole.filled += usize::from(!value.as_str().trim().is_empty());
                    whole.text.push_str(value.as_str());
                }
            }
        }
        return whole.settled();
    };
    for pieces in split(pieces, separator) {
        let one = part(&pieces, inner, value);
        whole.tokens += one.tokens;
        whole.filled += one.filled;
        if !one.text.is_empty() {
            if !whole.text.is_empty() {
                whole.text.push_str(separator);
            }
            whole.text.push_str(&one.text);
        }
    }
    whole.settled()
}

impl Filled {
    /// Nothing is left of a part that had tokens and got no value.
    fn settled(mut self) -> Self {
        self.text = match self {
            Filled { tokens: 1.., filled: 0, .. } => String::new(),
            _ => self.text.split_whitespace().collect::<Vec<_>>().join(" "),
        };
        self
    }
}

fn split<'a>(pieces: &[Piece<'a>], separator: &str) -> Vec<Vec<Piece<'a>>> {
    let mut parts = vec![Vec::new()];
    for piece in pieces {
        let Piece::Words(words) = piece else {
            parts.last_mut().into_iter().for_each(|part| part.push(*piece));
            continue;
        };
        for (at, words) in words.split(separator).enumerate() {
            if at > 0 {
                parts.push(Vec::new());
            }
            parts.last_mut().into_iter().for_each(|part| part.push(Piece::Words(words)));
        }
    }
    parts
}

/// A duration in milliseconds as `(3s)`, `(2m 05s)` or `(1h 02m)`.
pub fn elapsed(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, s) => format!("({s}s)"),
        (0, m, s) => format!("({m}m {s:02}s)"),
        (h, m, _) => format!("({h}h {m:02}m)"),
    }
}

/// A count as `20`, `1.2k`, `150k` or `2.5M`, rounded down.
pub fn count(n: u64) -> String {
    let (unit, letter) = match n {
        0..1_000 => return n.to_string(),
        1_000..1_000_000 => (1_000, 'k'),
        _ => (1_000_000, 'M'),
    };
    match (n / unit, n % unit * 10 / unit) {
        (whole, 0) | (whole @ 100.., _) => format!("{whole}{letter}"),
        (whole, tenth) => format!("{whole}.{tenth}{letter}"),
    }
}

/// Tokens sent and received as `(↑1.2k ↓20)`; empty while there are none.
pub fn traffic(up: u64, down: u64) -> String {
    if up == 0 && down == 0 { String::new() } else { format!("(↑{} ↓{})", count(up), count(down)) }
}

/// How much of the context window is used, as `12%`; empty under 1 % and where the window is not known.
pub fn context(used: u64, window: u64) -> String {
    match used.saturating_mul(100).checked_div(window) {
        None | Some(0) => String::new(),
        Some(percent) => format!("{percent}%"),
    }
}

/// A price in dollars as `$0.04`; empty where unpriced.
pub fn cost(dollars: Option<f64>) -> String {
    dollars.map_or_else(String::new, |dollars| format!("${dollars:.2}"))
}

/// A path with `~` for the person's home.
pub fn home_path(path: &str, home: &str) -> String {
    match path.strip_prefix(home).filter(|_| !home.is_empty()) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("~{rest}"),
        _ => path.to_owned(),
    }
}
