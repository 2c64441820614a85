//! Prompt templates: a command's arguments put into a body (`home.md`).

/// Splits arguments at white space; a word that begins with a quote ends at the next one of its kind.
pub fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (word, after) = quoted(rest).unwrap_or_else(|| {
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            (word.to_owned(), after)
        });
        words.push(word);
        rest = after.trim_start();
    }
    words
}

/// A quoted word at the start, followed by white space or the end; `None` when the quote is only an apostrophe.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut chars = text.char_indices();
    let quote = chars.next().map(|(_, c)| c).filter(|c| matches!(c, '"' | '\''))?;
    let mut word = String::new();
    let mut escaped = false;
    for (at, c) in chars {
        match c {
            _ if escaped => {
                if c != quote && c != '\\' {
                    word.push('\\');
                }
                word.push(c);
                escaped = false;
            }
            '\\' if quote == '"' => escaped = true,
            _ if c == quote => {
                let after = text.get(at + c.len_utf8()..)?;
                let ends = after.is_empty() || after.starts_with(char::is_whitespace);
                return ends.then_some((word, after));
            }
            _ => word.push(c),
        }
    }
    None
}

/// Fills a body in. Arguments are put in as they are: nothing in them is read as a placeholder. A body without any
/// placeholder gets them at its end, so that nothing typed is lost.
pub fn fill(body: &str, arguments: &str) -> String {
    let words = split(arguments);
    let mut out = String::new();
    let mut rest = body;
    let mut used = false;
    while let Some(at) = rest.find('$') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        match placeholder(from, &words) {
            Some((value, after)) => {
                out.push_str(&value);
                rest = after;
                used = true;
            }
            None => {
                out.push('$');
                rest = from.get(1..).unwrap_or_default();
            }
        }
    }
    out.push_str(rest);
    if !used && !arguments.trim().is_empty() {
        out = format!("{}\n\n{}", out.trim_end(), arguments.trim());
    }
    out
}

/// The placeholder that a text starts with: its value and what follows.
fn placeholder<'a>(text: &'a str, words: &[String]) -> Option<(String, &'a str)> {
    if let Some(inner) = text.strip_prefix("${") {
        let end = inner.find('}')?;
        let value = braced(inner.get(..end)?, words)?;
        return Some((value, inner.get(end + 1..)?));
    }
    if let Some(after) = text.strip_prefix("$ARGUMENTS") {
        return Some((words.join(" "), after));
    }
    if let Some(after) = text.strip_prefix("$@") {
        return Some((words.join(" "), after));
    }
    let digit = text.chars().nth(1)?.to_digit(10).filter(|d| *d > 0)? as usize;
    Some((word(words, digit), text.get(2..)?))
}

fn word(words: &[String], number: usize) -> String {
    number.checked_sub(1).and_then(|place| words.get(place)).cloned().unwrap_or_default()
}

/// What stands between `${` and `}`: `1`, `1:-default`, `@`, `@:-default`, `@:2`, `@:2:3`.
fn braced(inner: &str, words: &[String]) -> Option<String> {
    let (name, rest) = match inner.find(':') {
        Some(at) => (inner.get(..at)?, inner.get(at + 1..)?),
        None => (inner, ""),
    };
    let all = name == "@" || name == "ARGUMENTS";
    let value = if all { words.join(" ") } else { word(words, name.parse().ok().filter(|n| *n > 0)?) };
    if let Some(default) = rest.strip_prefix('-') {
        return Some(if value.is_empty() { default.to_owned() } else { value });
    }
    if rest.is_empty() {
        return (!inner.ends_with(':')).then_some(value);
    }
    let (from, count) = match rest.split_once(':') {
        Some((from, count)) => (from.trim(), count.trim().parse().ok()?),
        None => (rest.trim(), usize::MAX),
    };
    let from: usize = from.parse().ok().filter(|_| all)?;
    Some(words.iter().skip(from.saturating_sub(1)).take(count).cloned().collect::<Vec<_>>().join(" "))
}
