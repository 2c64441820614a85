//! A small Rust lexer: blanks comments, strings and character literals, and yields words with their lines.

/// A token of code: an identifier, or one punctuation character (`::` is one token).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tok {
    pub text: String,
    pub line: usize,
}

/// The code of a source text, without anything a compiler would not read as code.
pub fn lex(source: &str) -> Vec<Tok> {
    let chars: Vec<char> = source.chars().collect();
    let mut out = Vec::new();
    let (mut i, mut line) = (0, 1);
    while i < chars.len() {
        let c = chars[i];
        let next = chars.get(i + 1).copied().unwrap_or(' ');
        if c == '/' && next == '/' {
            while i < chars.len() && chars[i] != '\n' {
                i += 1;
            }
        } else if c == '/' && next == '*' {
            i = skip_block_comment(&chars, i, &mut line);
        } else if let Some(hashes) = raw_string(&chars, i) {
            i = skip_raw_string(&chars, i, hashes, &mut line);
        } else if c == '"' {
            i = skip_string(&chars, i, &mut line);
        } else if c == '\'' {
            i = skip_char_or_lifetime(&chars, i);
        } else if c.is_alphanumeric() || c == '_' {
            let start = i;
            while i < chars.len() && (chars[i].is_alphanumeric() || chars[i] == '_') {
                i += 1;
            }
            out.push(Tok { text: chars[start..i].iter().collect(), line });
        } else if c == ':' && next == ':' {
            out.push(Tok { text: "::".into(), line });
            i += 2;
        } else {
            if c == '\n' {
                line += 1;
            } else if !c.is_whitespace() {
                out.push(Tok { text: c.to_string(), line });
            }
            i += 1;
        }
    }
    out
}

fn skip_block_comment(chars: &[char], mut i: usize, line: &mut usize) -> usize {
    let mut depth = 0;
    while i < chars.len() {
        let pair = (chars[i], chars.get(i + 1).copied().unwrap_or(' '));
        if pair == ('/', '*') {
            depth += 1;
            i += 2;
        } else if pair == ('*', '/') {
            depth -= 1;
            i += 2;
            if depth == 0 {
                break;
            }
        } else {
            *line += usize::from(chars[i] == '\n');
            i += 1;
        }
    }
    i
}

/// The number of hashes when a raw string starts at `i` (`r"`, `r#"`, `br"`, `cr"`); raw identifiers are not one.
fn raw_string(chars: &[char], i: usize) -> Option<usize> {
    if i > 0 && (chars[i - 1].is_alphanumeric() || chars[i - 1] == '_') {
        return None;
    }
    let mut at = i;
    if matches!(chars[at], 'b' | 'c') {
        at += 1;
    }
    if chars.get(at) != Some(&'r') {
        return None;
    }
    at += 1;
    let hashes = chars[at..].iter().take_while(|c| **c == '#').count();
    (chars.get(at + hashes) == Some(&'"')).then_some(hashes)
}

fn skip_raw_string(chars: &[char], mut i: usize, hashes: usize, line: &mut usize) -> usize {
    while chars[i] != '"' {
        i += 1;
    }
    i += 1;
    while i < chars.len() {
        *line += usize::from(chars[i] == '\n');
        if chars[i] == '"' && chars[i + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes {
            return i + 1 + hashes;
        }
        i += 1;
    }
    i
}

fn skip_string(chars: &[char], mut i: usize, line: &mut usize) -> usize {
    i += 1;
    while i < chars.len() && chars[i] != '"' {
        if chars[i] == '\\' {
            *line += usize::from(chars.get(i + 1) == Some(&'\n'));
            i += 1;
        } else {
            *line += usize::from(chars[i] == '\n');
        }
        i += 1;
    }
    i + 1
}

fn skip_char_or_lifetime(chars: &[char], i: usize) -> usize {
    if chars.get(i + 1) == Some(&'\\') {
        let mut at = i + 3;
        while at < chars.len() && chars[at] != '\'' {
            at += 1;
        }
        return at + 1;
    }
    // 'x' is a character, 'x without the closing mark a lifetime.
    if chars.get(i + 2) == Some(&'\'') { i + 3 } else { i + 1 }
}
