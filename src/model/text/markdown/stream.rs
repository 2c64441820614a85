//! Markdown that is still being written: what of it can never change, and how the unfinished end is shown meanwhile.

use std::borrow::Cow;

use super::{Carry, CodeColours, Options, blocks, render_part};
use crate::model::text::clip;
use crate::model::text::row::Row;

/// The byte offset up to which a growing text's rows can never change: all its blocks but the last, judged by whole
/// lines only, since half a line may still turn into anything; but a letter behind a blank line begins a block.
pub fn safe_prefix(md: &str) -> usize {
    if let Some(at) = new_paragraph(md) {
        return at;
    }
    let whole_lines = md.rfind('\n').map_or(0, |at| at + 1);
    match blocks(&md[..whole_lines]).as_slice() {
        [.., before, _] => before.source.end,
        _ => 0,
    }
}

/// Where the blocks before a last line end that has just begun and can only be a block of its own.
fn new_paragraph(md: &str) -> Option<usize> {
    let start = md.rfind('\n')? + 1;
    let begins =
        md.get(start..)?.starts_with(|c: char| c.is_alphabetic()) && md.get(..start)?.ends_with("\n\n");
    if !begins {
        return None;
    }
    match blocks(md).as_slice() {
        [.., before, last] if last.paragraph && last.start == start => Some(before.source.end),
        _ => None,
    }
}

/// A text that grows, with the rows of its unchangeable part kept.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    done: usize,
    carry: Carry,
    rows: Vec<Row>,
}

impl Progress {
    /// Takes in what was appended to `md`, which begins with the text it had before; options and colours must be the
    /// same each time. Only what may still change is rendered again.
    pub fn advance(&mut self, md: &str, options: Options, code: &dyn CodeColours) {
        let Some(rest) = md.get(self.done..) else { return };
        let safe = safe_prefix(rest);
        if safe > 0 {
            let options = Options { streaming: false, ..options };
            self.rows.extend(render_part(&rest[..safe], options, code, &mut self.carry));
            self.done += safe;
        }
    }

    /// The rows that can't change any more.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Bytes of the text those rows stand for.
    pub fn done(&self) -> usize {
        self.done
    }

    /// The rows of what may still change.
    pub fn rest(&self, md: &str, options: Options, code: &dyn CodeColours) -> Vec<Row> {
        let rest = md.get(self.done..).unwrap_or_default();
        render_part(rest, options, code, &mut self.carry.clone())
    }
}

/// The text with its unfinished end completed or left out, so that it looks as it will most likely look when whole.
pub(super) fn heal(md: &str) -> Cow<'_, str> {
    let kept = without_half_mark(md);
    let blocks = blocks(kept);
    let Some(last) = blocks.last().filter(|block| block.prose) else { return Cow::Borrowed(kept) };
    // In lists and quotes only the last line is looked at: lines before it may belong to other items.
    let line = kept.rfind('\n').map_or(0, |at| at + 1);
    let from = if last.paragraph { last.start } else { line.max(last.start) };
    let tail = &kept[from..];
    if (!last.paragraph || line == last.start)
        && let Some(row) = long_row(&kept[line..])
    {
        let shorter = format!("{}{row}", &kept[..line]);
        return Cow::Owned(heal(&shorter).into_owned());
    }
    let whole = if last.paragraph { table(tail) } else { None };
    match whole.or_else(|| closers(tail)) {
        Some(healed) => Cow::Owned(format!("{}{healed}", &kept[..from])),
        None => Cow::Borrowed(kept),
    }
}

/// Leaves out a last line that is only the start of a fence, an underline, a bullet, a number or a table.
fn without_half_mark(md: &str) -> &str {
    let start = md.rfind('\n').map_or(0, |at| at + 1);
    let line = md[start..].trim_start_matches([' ', '\t', '>']).trim_end();
    let mut marks = line.chars();
    let only =
        marks.next().is_some_and(|first| "`~=-|*_+#".contains(first) && marks.all(|mark| mark == first));
    let info = line.strip_prefix("```").is_some_and(|info| !info.contains('`')) || line.starts_with("~~~");
    let digits = line.trim_end_matches(['.', ')']);
    let number = start > 0 && (1..4).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    if info || only || number { &md[..start] } else { md }
}

/// Bytes of a table's last line beyond which only its ends are shown while it is written: the widths of all columns
/// hang on it, so that it cannot be laid out in parts.
const ROW: usize = 16 * 1024;
/// Bytes of those ends.
const ROW_HEAD: usize = 512;
const ROW_TAIL: usize = 4 * 1024;

/// A row of a table without its middle, if it is too long; cells that begin there are empty.
fn long_row(line: &str) -> Option<String> {
    if line.len() <= ROW || !line.trim_start().starts_with('|') {
        return None;
    }
    let head = clip::bytes(line, ROW_HEAD).trim_end_matches(['\\', '|']);
    let mut tail = line.len() - ROW_TAIL;
    while !line.is_char_boundary(tail) {
        tail += 1;
    }
    let bars = line.get(head.len()..tail)?.matches('|').count();
    let row = format!("{head} … {} … {}", "|".repeat(bars), line.get(tail..)?);
    (row.len() <= ROW).then_some(row)
}

/// A paragraph that is the first line or two of a table, made one.
fn table(paragraph: &str) -> Option<String> {
    let mut lines = paragraph.split_terminator('\n');
    let (head, rule) = (lines.next()?.trim(), lines.next());
    let columns = cells(head)?;
    let half_rule = rule.is_none_or(|rule| rule.trim().chars().all(|c| matches!(c, '|' | ':' | '-' | ' ')));
    if lines.next().is_some() || !half_rule {
        return None;
    }
    let mut written: Vec<&str> =
        rule.unwrap_or_default().trim().trim_matches('|').split('|').map(str::trim).collect();
    written.resize(columns, "-");
    let rule: Vec<&str> =
        written.into_iter().map(|cell| if cell.contains('-') { cell } else { "-" }).collect();
    Some(format!("{head}\n|{}|", rule.join("|")))
}

/// The number of cells of a line that begins like a table's.
fn cells(line: &str) -> Option<usize> {
    let inside = line.strip_prefix('|')?;
    let inside = inside.strip_suffix('|').filter(|rest| !rest.ends_with('\\')).unwrap_or(inside);
    Some(1 + inside.replace("\\|", "").matches('|').count())
}

/// Marks that are open at the end of a paragraph, by where they stand.
struct Marks {
    /// And how many backticks it has.
    code: Option<(usize, usize)>,
    strong: Option<usize>,
    link: bool,
}

/// Whether a paragraph has no mark that what follows could close.
pub(super) fn is_even(paragraph: &str) -> bool {
    let open = marks(paragraph);
    open.code.is_none() && open.strong.is_none() && !open.link
}

fn marks(paragraph: &str) -> Marks {
    let (mut code, mut strong, mut link) = (None, None, false);
    let bytes = paragraph.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        // Only backticks count beyond three; a long run of one letter is not counted anew at each of its letters.
        let most = if *byte == b'`' { usize::MAX } else { 3 };
        let run = bytes[at..].iter().take(most).take_while(|b| *b == byte).count();
        match byte {
            b'\\' if code.is_none() => at += 2,
            b'`' => {
                code = match code {
                    None => Some((at, run)),
                    Some((_, opened)) if opened == run => None,
                    open => open,
                };
                at += run;
            }
            b'*' if code.is_none() && run == 2 => {
                strong = if strong.is_none() { Some(at) } else { None };
                at += 2;
            }
            b']' if code.is_none() && bytes.get(at + 1) == Some(&b'(') => {
                link = true;
                at += 2;
            }
            b')' | b' ' | b'\n' => {
                link = false;
                at += 1;
            }
            _ => at += 1,
        }
    }
    Marks { code, strong, link }
}

/// A paragraph whose code, strong text or link is not closed yet, with the end it lacks.
fn closers(paragraph: &str) -> Option<String> {
    let Marks { code, strong, link } = marks(paragraph);
    let text = paragraph.trim_end();
    if let Some((start, run)) = code {
        let inside = text.get(start + run..)?.trim_end_matches('`');
        let closed = if inside.is_empty() {
            String::new()
        } else {
            format!("{}{inside}{}", &text[start..start + run], "`".repeat(run))
        };
        return Some(format!("{}{closed}", &text[..start]));
    }
    let link_end = if link { ")" } else { "" };
    if let Some(start) = strong {
        let inside = text.get(start + 2..)?.trim_end_matches('*').trim_end();
        let closed = match inside {
            "" => String::new(),
            _ if inside.starts_with(char::is_whitespace) => return None,
            _ => format!("**{inside}{link_end}**"),
        };
        return Some(format!("{}{closed}", &text[..start]));
    }
    link.then(|| format!("{text})"))
}
