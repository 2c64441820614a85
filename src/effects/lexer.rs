//! A small lexer for the common languages: comments, strings, numbers, words and signs, a line at a time.

use std::ops::Range;

use super::languages::{CONSTANTS, Language, Manner, Quote};
use crate::model::text::row::Token;

/// What is open at the end of a line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum State {
    #[default]
    Ground,
    /// Inside this many block comments.
    Comment(u8),
    /// Inside the string of this kind.
    Text(Quote),
}

/// The colours of one line.
pub fn line(language: &Language, state: &mut State, line: &str) -> Vec<(Range<usize>, Token)> {
    let text = line.trim_end_matches(['\n', '\r']);
    if language.manner == Manner::Diff {
        return diff(text);
    }
    let mut lexer = Lexer { language, text, at: 0, out: Vec::new(), command: true };
    match *state {
        State::Ground => {}
        State::Comment(depth) => *state = lexer.comment(0, depth),
        State::Text(quote) => *state = lexer.string(0, quote),
    }
    while lexer.at < text.len() && *state == State::Ground {
        *state = lexer.step();
    }
    lexer.out
}

fn diff(text: &str) -> Vec<(Range<usize>, Token)> {
    let token = match text.as_bytes() {
        [b'+', ..] => Token::ToolDiffAddedMarker,
        [b'-', ..] => Token::ToolDiffRemovedMarker,
        [b'@', b'@', ..] => Token::SyntaxFunction,
        [b'd', b'i', b'f', b'f', ..] | [b'i', b'n', b'd', b'e', b'x', ..] => Token::SyntaxComment,
        _ => return Vec::new(),
    };
    vec![(0..text.len(), token)]
}

struct Lexer<'a> {
    language: &'a Language,
    text: &'a str,
    at: usize,
    out: Vec<(Range<usize>, Token)>,
    /// The next word is a command's name (shells).
    command: bool,
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Gives what lies from `from` to here a token.
    fn emit(&mut self, from: usize, token: Token) {
        if self.at == from || token == Token::Plain {
            return;
        }
        match self.out.last_mut() {
            Some((last, known)) if last.end == from && *known == token => last.end = self.at,
            _ => self.out.push((from..self.at, token)),
        }
    }

    /// One thing, at least one character long.
    fn step(&mut self) -> State {
        let (rest, from) = (self.rest(), self.at);
        let Some(first) = rest.chars().next() else { return State::Ground };
        if first.is_whitespace() {
            self.at += rest.len() - rest.trim_start().len();
            return State::Ground;
        }
        if self.line_comment(rest) {
            self.at = self.text.len();
            self.emit(from, Token::SyntaxComment);
            return State::Ground;
        }
        if let Some((open, _)) = self.language.block
            && rest.starts_with(open)
        {
            self.at += open.len();
            return self.comment(from, 1);
        }
        if let Some(quote) = self.language.quotes.iter().find(|quote| rest.starts_with(quote.open)) {
            self.at += quote.open.len();
            return self.string(from, *quote);
        }
        match first {
            '\'' if self.language.manner == Manner::Rust => self.rust_tick(from),
            '0'..='9' => self.number(from),
            '$' if self.language.manner == Manner::Shell => {
                self.at += 1;
                self.at += word(self.rest()).len();
                self.emit(from, Token::SyntaxVariable);
            }
            '@' if self.rest().chars().nth(1).is_some_and(char::is_alphabetic)
                && self.language.names.contains(&"py") =>
            {
                self.at += 1;
                self.at += word(self.rest()).len();
                self.emit(from, Token::SyntaxFunction);
            }
            '[' if self.language.names.contains(&"toml")
                && self.text.trim_start().starts_with('[')
                && from == self.indent() =>
            {
                self.at += rest.find(']').map_or(rest.len(), |end| rest[..=end].len());
                self.emit(from, Token::SyntaxFunction);
            }
            _ if is_word(first) => return self.word(from),
            _ => self.sign(from, first),
        }
        State::Ground
    }

    fn indent(&self) -> usize {
        self.text.len() - self.text.trim_start().len()
    }

    fn line_comment(&self, rest: &str) -> bool {
        let before = self.text.get(..self.at).unwrap_or_default();
        let loose = matches!(self.language.manner, Manner::Shell | Manner::Keys);
        let block = self.language.block.is_some_and(|(open, _)| rest.starts_with(open));
        let opens = self.language.line.iter().any(|mark| rest.starts_with(mark)) && !block;
        opens && (!loose || before.is_empty() || before.ends_with(char::is_whitespace))
    }

    /// Goes on in a block comment to its end, or the line's.
    fn comment(&mut self, from: usize, mut depth: u8) -> State {
        let Some((open, close)) = self.language.block else { return State::Ground };
        while depth > 0 {
            let rest = self.rest();
            let nests = self.language.manner == Manner::Rust;
            let inner = rest.find(open).filter(|_| nests);
            match (rest.find(close), inner) {
                (end, Some(inner)) if end.is_none_or(|end| inner < end) => {
                    self.at += inner + open.len();
                    depth = depth.saturating_add(1);
                }
                (Some(end), _) => {
                    self.at += end + close.len();
                    depth -= 1;
                }
                (None, _) => {
                    self.at = self.text.len();
                    self.emit(from, Token::SyntaxComment);
                    return State::Comment(depth);
                }
            }
        }
        self.emit(from, Token::SyntaxComment);
        State::Ground
    }

    /// Goes on in a string to its end, or the line's.
    fn string(&mut self, from: usize, quote: Quote) -> State {
        loop {
            let rest = self.rest();
            let end = rest.find(quote.close);
            let escape = rest.find('\\').filter(|at| quote.escapes && end.is_none_or(|end| *at < end));
            match (escape, end) {
                (Some(at), _) => {
                    let skipped = rest[at + 1..].chars().next().map_or(0, char::len_utf8);
                    self.at += at + 1 + skipped;
                }
                (None, Some(at)) => {
                    self.at += at + quote.close.len();
                    let key = self.language.manner == Manner::Keys
                        && self.rest().trim_start().starts_with([':', '=']);
                    self.emit(from, if key { Token::SyntaxFunction } else { Token::SyntaxString });
                    self.command = false;
                    return State::Ground;
                }
                (None, None) => {
                    self.at = self.text.len();
                    self.emit(from, Token::SyntaxString);
                    return if quote.multi { State::Text(quote) } else { State::Ground };
                }
            }
        }
    }

    /// A character, or a lifetime.
    fn rust_tick(&mut self, from: usize) {
        let rest = &self.rest()[1..];
        let length = match rest.strip_prefix('\\') {
            Some(escaped) => escaped.chars().next().and_then(|c| {
                let behind = 1 + c.len_utf8();
                rest.get(behind..)?.find('\'').map(|end| behind + end + 1)
            }),
            None => rest
                .chars()
                .next()
                .and_then(|c| rest[c.len_utf8()..].starts_with('\'').then_some(c.len_utf8() + 1)),
        };
        match length {
            Some(length) => {
                self.at += 1 + length;
                self.emit(from, Token::SyntaxString);
            }
            None => {
                self.at += 1 + word(rest).len();
                self.emit(from, Token::SyntaxType);
            }
        }
    }

    fn number(&mut self, from: usize) {
        let mut length = 0;
        let rest = self.rest();
        for (at, c) in rest.char_indices() {
            let dot = c == '.' && rest[at + 1..].starts_with(|next: char| next.is_ascii_digit());
            if !is_word(c) && !dot {
                break;
            }
            length = at + c.len_utf8();
        }
        self.at += length;
        self.emit(from, Token::SyntaxNumber);
        self.command = false;
    }

    fn word(&mut self, from: usize) -> State {
        let loose = matches!(self.language.manner, Manner::Shell | Manner::Keys);
        let take = |c: char| is_word(c) || (loose && matches!(c, '-' | '.' | '/'));
        let rest = self.rest();
        let length = rest.find(|c| !take(c)).unwrap_or(rest.len());
        let name = &rest[..length];
        self.at += length;
        let behind = self.rest();
        // The letter in front of a string belongs to it.
        if name.len() <= 2 && self.language.names.contains(&"py") && behind.starts_with(['"', '\'']) {
            let quotes = self.language.quotes;
            if let Some(quote) = quotes.iter().find(|quote| behind.starts_with(quote.open)) {
                self.at += quote.open.len();
                return self.string(from, *quote);
            }
        }
        let token = self.meaning(name, behind);
        self.emit(from, token);
        self.command = self.command && token == Token::SyntaxKeyword;
        State::Ground
    }

    fn meaning(&self, name: &str, behind: &str) -> Token {
        let listed = |words: &str| {
            words.split_ascii_whitespace().any(|word| match self.language.caseless {
                true => word.eq_ignore_ascii_case(name),
                false => word == name,
            })
        };
        if listed(self.language.keywords) {
            return Token::SyntaxKeyword;
        }
        if listed(CONSTANTS) {
            return Token::SyntaxNumber;
        }
        if listed(self.language.types) {
            return Token::SyntaxType;
        }
        match self.language.manner {
            Manner::Keys if behind.trim_start().starts_with([':', '=']) => Token::SyntaxFunction,
            Manner::Shell if self.command && !behind.starts_with('=') => Token::SyntaxFunction,
            Manner::Shell | Manner::Keys | Manner::Diff => Token::Plain,
            Manner::Rust if behind.starts_with('!') && !behind.starts_with("!=") => Token::SyntaxFunction,
            _ if behind.starts_with('(') && !name.starts_with(char::is_uppercase) => Token::SyntaxFunction,
            Manner::Code | Manner::Rust if name.starts_with(char::is_uppercase) => {
                // Shouted names are constants.
                let shouted = name.len() > 1 && !name.contains(char::is_lowercase);
                if shouted { Token::SyntaxNumber } else { Token::SyntaxType }
            }
            _ => Token::Plain,
        }
    }

    fn sign(&mut self, from: usize, first: char) {
        self.at += first.len_utf8();
        let token = match first {
            '(' | ')' | '[' | ']' | '{' | '}' | ',' | ';' | '.' | ':' | '#' | '@' => Token::SyntaxPunctuation,
            '+' | '-' | '*' | '/' | '%' | '=' | '<' | '>' | '!' | '&' | '|' | '^' | '~' | '?' => {
                Token::SyntaxOperator
            }
            _ => Token::Plain,
        };
        self.emit(from, token);
        self.command = matches!(first, '|' | '&' | ';' | '(' | '{' | '`') || (self.command && first == '!');
    }
}

/// The word at the start of a text.
fn word(text: &str) -> &str {
    text.get(..text.find(|c| !is_word(c)).unwrap_or(text.len())).unwrap_or_default()
}
