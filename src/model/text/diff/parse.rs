//! The tolerant parser: counts the lines a hunk announces instead of guessing from their looks, and drops what it
//! does not know.

use super::header::Header;
use super::{Diff, DiffFile, DiffRow, Hunk, Kind, RETURN, moved, words};
use crate::model::text::clean::{Clean, without_sequences};

/// Parses a unified diff of any kind: git's or plain, combined, of several files, cut off, coloured, with any line
/// ends. Text that is none gives no rows.
pub fn parse(text: &str) -> Diff {
    read(text).finish(words::compare)
}

/// The same without marks on words but where line ends changed: for long diffs, whose rows are marked when they are
/// looked at (see [`Laid`](super::Laid)).
pub fn parse_plain(text: &str) -> Diff {
    read(text).finish(words::compare_ends)
}

fn read(text: &str) -> Parser {
    let text = without_sequences(text);
    let mut parser = Parser::default();
    let most = text.bytes().filter(|byte| *byte == b'\n').count() + 1;
    parser.diff.rows.reserve(most);
    parser.returns.reserve(most);
    let mut lines = text.split('\n').peekable();
    while let Some(line) = lines.next() {
        if lines.peek().is_none() && line.is_empty() {
            break;
        }
        let pair = line.starts_with("--- ") && lines.peek().is_some_and(|next| next.starts_with("+++ "));
        // What stands before a patch may hold such a pair as well.
        parser.line(line, pair && (parser.header.is_some() || begins(lines.clone().skip(1))));
    }
    parser
}

/// Whether what follows the names of a file is a hunk, or cut off.
fn begins<'t>(mut lines: impl Iterator<Item = &'t str>) -> bool {
    match lines.next() {
        None => true,
        Some("") => lines.next().is_none(),
        Some(line) => line.starts_with("@@"),
    }
}

#[derive(Default)]
struct Parser {
    diff: Diff,
    /// Header lines whose file has no row yet.
    header: Option<Header>,
    body: Option<Body>,
    /// Whether the current file has had a hunk.
    hunks: bool,
    /// For each row, whether its line ended in a carriage return.
    returns: Vec<bool>,
}

/// What is left of a hunk's announced lines.
struct Body {
    /// Next line number and lines left, for each parent.
    old: Vec<(usize, usize)>,
    new: (usize, usize),
}

impl Body {
    fn is_done(&self) -> bool {
        self.new.1 == 0 && self.old.iter().all(|(_, left)| *left == 0)
    }
}

impl Parser {
    /// Takes a line; `is_pair` when it and the next are the two that name a file.
    fn line(&mut self, line: &str, is_pair: bool) {
        if self.body.is_some() && self.body_line(line) {
            return;
        }
        self.body = None;
        let plain = line.trim_end_matches('\r');
        let plain = plain.strip_suffix(RETURN).unwrap_or(plain);
        if let Some((body, function)) = hunk(plain) {
            self.begin_hunk(body, function);
        } else if plain.starts_with("diff ") {
            self.flush();
            self.header = Some(Header::begun(plain));
        } else if is_pair {
            // A plain patch has no line above these two, and one file's pair may follow another's.
            if self.header.as_ref().is_none_or(|header| header.after.is_some()) {
                self.flush();
            }
            self.header.get_or_insert_default().take(plain);
        } else if plain.starts_with("Binary files ") && plain.ends_with(" differ") {
            if let Some(header) = &mut self.header {
                header.is_binary = true;
            }
            self.flush();
            let file = self.diff.files.len().saturating_sub(1);
            self.push(DiffRow::new(Kind::Plain, file, Clean::review(plain)), false);
        } else if plain.starts_with("+++ ")
            && self.header.as_ref().is_some_and(|header| header.before.is_none())
        {
            // Without its partner above it is no header.
        } else if let Some(header) = &mut self.header {
            header.take(plain);
        }
    }

    /// Writes the row of the file whose header is complete.
    fn flush(&mut self) {
        let Some(header) = self.header.take() else { return };
        let file = header.file();
        if file.path.is_empty() {
            // The word "diff" at the start of a line of prose.
            return;
        }
        let at = self.diff.files.len();
        if !self.diff.rows.is_empty() {
            self.push(DiffRow::new(Kind::Blank, at, Clean::default()), false);
        }
        self.push(DiffRow::new(Kind::File, at, file.name.clone()), false);
        self.diff.files.push(file);
        self.hunks = false;
    }

    fn begin_hunk(&mut self, body: Body, function: &str) {
        self.flush();
        if self.diff.files.is_empty() {
            self.diff.files.push(DiffFile::default());
        }
        let file = self.diff.files.len() - 1;
        let function = Clean::review(function).on_one_line();
        if self.hunks {
            self.push(DiffRow::new(Kind::Gap, file, function.clone()), false);
        }
        self.hunks = true;
        self.diff.hunks.push(Hunk { file, function });
        self.body = Some(body);
    }

    /// Takes a line of the hunk; false when the hunk is over or was cut off.
    fn body_line(&mut self, line: &str) -> bool {
        if line.starts_with('\\') {
            let row = DiffRow::new(Kind::NoNewline, 0, Clean::from("no newline at end"));
            self.push_in_hunk(row, false);
            return true;
        }
        let Some(body) = self.body.as_mut().filter(|body| !body.is_done()) else { return false };
        let columns = body.old.len();
        let returned = line.strip_suffix('\r').or_else(|| line.strip_suffix(RETURN));
        let line = returned.unwrap_or(line);
        // A blank context line may have lost its sign.
        let blank = if line.len() < columns { " ".repeat(columns) } else { String::new() };
        let (signs, text) = match line.split_at_checked(columns) {
            _ if line.trim_start_matches(' ').is_empty() && line.len() < columns => (blank.as_str(), ""),
            Some((signs, text)) if signs.bytes().all(|b| matches!(b, b' ' | b'+' | b'-')) => (signs, text),
            _ => return false,
        };
        let (kind, old, new) = body.number(signs);
        let mut row = DiffRow::new(kind, 0, Clean::review(text).on_one_line());
        (row.old, row.new, row.signs) = (old, new, Clean::trusted(signs));
        self.push_in_hunk(row, returned.is_some());
        true
    }

    fn push_in_hunk(&mut self, mut row: DiffRow, returned: bool) {
        row.file = self.diff.files.len().saturating_sub(1);
        row.hunk = self.diff.hunks.len().checked_sub(1);
        self.diff.highest = self.diff.highest.max(row.number().unwrap_or(0));
        self.push(row, returned);
    }

    fn push(&mut self, row: DiffRow, returned: bool) {
        self.diff.rows.push(row);
        self.returns.push(returned);
    }

    fn finish(mut self, compare: fn(&mut [DiffRow], &[bool])) -> Diff {
        self.flush();
        if self.diff.files.is_empty() {
            return Diff::default();
        }
        moved::mark(&mut self.diff.rows, &self.returns);
        compare(&mut self.diff.rows, &self.returns);
        self.diff
    }
}

impl Body {
    /// Counts a line: its kind and its numbers before and after.
    fn number(&mut self, signs: &str) -> (Kind, Option<usize>, Option<usize>) {
        let removed = signs.contains('-');
        let mut old = None;
        for (sign, (number, left)) in signs.chars().zip(&mut self.old) {
            if sign == if removed { '-' } else { ' ' } {
                old = old.or(Some(*number));
                *number = number.saturating_add(1);
                *left = left.saturating_sub(1);
            }
        }
        if removed {
            return (Kind::Removed, old, None);
        }
        let new = self.new.0;
        self.new = (new.saturating_add(1), self.new.1.saturating_sub(1));
        (if signs.contains('+') { Kind::Added } else { Kind::Context }, old, Some(new))
    }
}

/// A hunk header: `@@ -1,2 +3,4 @@ function`, with one more `@` for each further parent.
fn hunk(line: &str) -> Option<(Body, &str)> {
    let marks = line.bytes().take_while(|b| *b == b'@').count();
    let parents = marks.checked_sub(1).filter(|parents| *parents >= 1)?;
    let (mark, rest) = line.split_at(marks);
    let (ranges, function) = rest.split_once(mark)?;
    let mut ranges = ranges.split_whitespace();
    let old: Vec<(usize, usize)> =
        ranges.by_ref().take(parents).map(|r| range(r.strip_prefix('-')?)).collect::<Option<_>>()?;
    let new = range(ranges.next()?.strip_prefix('+')?)?;
    let complete = old.len() == parents && ranges.next().is_none();
    complete.then(|| (Body { old, new }, function.trim_start_matches('@').trim()))
}

fn range(text: &str) -> Option<(usize, usize)> {
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    Some((start.parse().ok()?, count.parse().ok()?))
}
