//! Why a text is not in a file: the lines nearest to it, and exactly what differs there.

use similar::{ChangeTag, TextDiff};

pub use super::lookalike::name;
use super::lookalike::{fold, is_mark};

/// Larger files are not searched for near misses.
const LARGEST: usize = 4 * 1024 * 1024;
/// Differences named, lines shown, characters compared one by one.
const NAMED: usize = 6;
const SHOWN: usize = 12;
const COMPARED: usize = 4000;

/// Explains, for the model, why `old` is not in `text`. Both have plain line ends.
pub fn explain(text: &str, old: &str) -> String {
    if numbered(old) {
        return "It begins its lines with the line numbers that read shows; leave the numbers and tabs out."
            .into();
    }
    if text.trim().is_empty() {
        return "The file is empty.".into();
    }
    if text.len() > LARGEST {
        return "Look for the place with grep, read it, and give the text exactly as it is there.".into();
    }
    if let Some(range) = look_alike(text, old) {
        return compare(text, range, old, "It looks like");
    }
    match nearest_lines(text, old) {
        Some(range) => compare(text, range, old, "The nearest is"),
        None => {
            "No line of the file is like it. Read the file again: it may have changed, or it is another file."
                .into()
        }
    }
}

/// Whether every line starts like a line that `read` shows.
fn numbered(old: &str) -> bool {
    old.lines().all(|line| {
        let digits = line.trim_start().bytes().take_while(u8::is_ascii_digit).count();
        digits > 0 && line.trim_start().as_bytes().get(digits) == Some(&b'\t')
    })
}

/// A range of the text that reads the same but for white space, marks and look-alike characters.
fn look_alike(text: &str, old: &str) -> Option<(usize, usize)> {
    let wanted: String = old.chars().filter_map(fold).collect();
    if wanted.is_empty() {
        return None;
    }
    let mut folded = String::with_capacity(text.len());
    let mut origin = Vec::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        if let Some(c) = fold(c) {
            // One entry for each byte of the folded text, so that its offsets index this list.
            origin.extend(std::iter::repeat_n(at, c.len_utf8()));
            folded.push(c);
        }
    }
    let at = folded.find(&wanted)?;
    let from = *origin.get(at)?;
    let last = *origin.get(at + wanted.len() - 1)?;
    let after = text.get(last..)?.char_indices().skip(1).find(|(_, c)| !is_mark(*c));
    Some((widen(text, from, old), after.map_or(text.len(), |(n, _)| last + n)))
}

/// White space that the request begins with belongs to the place.
fn widen(text: &str, from: usize, old: &str) -> usize {
    if !old.starts_with(char::is_whitespace) {
        return from;
    }
    let line = text.get(..from).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    match text.get(line..from) {
        Some(lead) if lead.chars().all(char::is_whitespace) => line,
        _ => from,
    }
}

/// The lines most like the request: those that share most whole lines with it, or the one most like its longest line.
fn nearest_lines(text: &str, old: &str) -> Option<(usize, usize)> {
    let plain = |line: &str| line.chars().filter_map(fold).collect::<String>();
    let wanted: Vec<String> = old.trim_end_matches('\n').split('\n').map(plain).collect();
    let lines: Vec<(usize, String)> = offsets(text).map(|(at, line)| (at, plain(line))).collect();
    let mut votes: std::collections::BTreeMap<usize, usize> = std::collections::BTreeMap::new();
    for (row, (_, line)) in lines.iter().enumerate() {
        for (place, want) in wanted.iter().enumerate().take(64) {
            if !want.is_empty() && want == line && row >= place {
                *votes.entry(row - place).or_default() += want.len().min(40);
            }
        }
    }
    let best = votes.iter().max_by_key(|(row, weight)| (**weight, std::cmp::Reverse(**row)));
    let start = match best {
        Some((row, _)) => *row,
        None => {
            let (place, longest) = wanted.iter().enumerate().max_by_key(|(_, line)| line.len())?;
            let pairs = bigrams(longest);
            let scored = lines.iter().enumerate().map(|(row, (_, line))| (likeness(&pairs, line), row));
            let (score, row) = scored.max_by_key(|(score, row)| (*score, std::cmp::Reverse(*row)))?;
            if score < 50 {
                return None;
            }
            row.saturating_sub(place)
        }
    };
    let from = lines.get(start)?.0;
    let to = lines.get(start + wanted.len()).map_or(text.len(), |(at, _)| at.saturating_sub(1));
    Some((from, to))
}

/// Lines with the offsets where they begin.
fn offsets(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line.trim_end_matches('\n'))
    })
}

fn bigrams(text: &str) -> Vec<(char, char)> {
    let mut pairs: Vec<_> = text.chars().zip(text.chars().skip(1)).take(400).collect();
    pairs.sort_unstable();
    pairs
}

/// How alike two texts are by pairs of neighbouring characters, 0 to 100.
fn likeness(pairs: &[(char, char)], line: &str) -> usize {
    let other = bigrams(line);
    if pairs.is_empty() || other.is_empty() {
        return 0;
    }
    let (mut a, mut b) = (pairs.iter().peekable(), other.iter().peekable());
    let mut shared = 0;
    while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => drop(a.next()),
            std::cmp::Ordering::Greater => drop(b.next()),
            std::cmp::Ordering::Equal => {
                shared += 1;
                a.next();
                b.next();
            }
        }
    }
    200 * shared / (pairs.len() + other.len())
}

/// Shows a range of the file and what differs between it and the request.
fn compare(text: &str, (from, to): (usize, usize), old: &str, lead: &str) -> String {
    let before = text.get(..from).unwrap_or_default();
    let first = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let found = text.get(from..to).unwrap_or_default();
    let end = text.get(to..).and_then(|rest| rest.find('\n')).map_or(text.len(), |at| to + at);
    let whole = text.get(start..end).unwrap_or_default();
    let last = first + whole.matches('\n').count();
    let place = if last == first { format!("line {first}") } else { format!("lines {first}-{last}") };
    let mut out = format!("{lead} {place}:\n");
    for (number, line) in (first..).zip(whole.split('\n')).take(SHOWN) {
        let shown: String = line.chars().take(300).collect();
        out.push_str(&format!("{number}\t{shown}\n"));
    }
    if last - first >= SHOWN {
        out.push_str("…\n");
    }
    out.push_str("What differs:\n");
    let column = text.get(start..from).unwrap_or_default().chars().count() + 1;
    for difference in differences(found, old, first, column) {
        out.push_str(&format!("- {difference}\n"));
    }
    out.truncate(out.trim_end().len());
    out
}

fn differences(found: &str, old: &str, mut line: usize, mut column: usize) -> Vec<String> {
    if found.chars().count().max(old.chars().count()) > COMPARED {
        return by_line(found, old, line);
    }
    let mut list = Vec::new();
    let (mut has, mut wants) = (String::new(), String::new());
    let mut place = (line, column);
    let diff = TextDiff::from_chars(found, old);
    for change in diff.iter_all_changes() {
        let (value, tag) = (change.value(), change.tag());
        if tag == ChangeTag::Equal {
            flush(&mut list, place, &mut has, &mut wants);
        } else if has.is_empty() && wants.is_empty() {
            place = (line, column);
        }
        match tag {
            ChangeTag::Insert => wants.push_str(value),
            ChangeTag::Delete => has.push_str(value),
            ChangeTag::Equal => {}
        }
        if tag != ChangeTag::Insert {
            (line, column) = if value == "\n" { (line + 1, 1) } else { (line, column + 1) };
        }
    }
    flush(&mut list, place, &mut has, &mut wants);
    if list.len() > NAMED {
        let more = list.len() - NAMED;
        list.truncate(NAMED);
        list.push(format!("and {more} more places"));
    }
    list
}

fn flush(list: &mut Vec<String>, (line, column): (usize, usize), has: &mut String, wants: &mut String) {
    if !has.is_empty() || !wants.is_empty() {
        let (has, wants) = (describe(has), describe(wants));
        list.push(format!("line {line}, column {column}: the file has {has}, `old_string` has {wants}"));
    }
    has.clear();
    wants.clear();
}

fn by_line(found: &str, old: &str, first: usize) -> Vec<String> {
    let pairs = (first..).zip(found.split('\n').zip(old.split('\n'))).filter(|(_, (a, b))| a != b);
    let mut lines: Vec<String> = pairs.map(|(number, _)| number.to_string()).take(SHOWN).collect();
    if lines.is_empty() {
        lines.push("the number of lines".into());
    }
    vec![format!("lines that are not equal: {}", lines.join(", "))]
}

/// A short text as a person can tell it from its look-alikes.
fn describe(text: &str) -> String {
    let mut chars = text.chars();
    match (chars.next(), text.chars().count()) {
        (None, _) => return "nothing".into(),
        (Some(' '), 1) => return name(' '),
        (Some(' '), n) if text.bytes().all(|b| b == b' ') => return format!("{n} spaces"),
        (Some('\t'), n) if n > 1 && text.bytes().all(|b| b == b'\t') => return format!("{n} tabs"),
        _ => {}
    }
    let plain = text.chars().all(|c| c.is_ascii_graphic() || c == ' ');
    let telling = plain && text.chars().any(char::is_alphanumeric);
    if telling || text.chars().count() > 8 {
        let shown: String = text.chars().take(80).flat_map(char::escape_debug).collect();
        return format!("`{shown}{}`", if text.chars().count() > 80 { "…" } else { "" });
    }
    text.chars().map(name).collect::<Vec<_>>().join(" ")
}
