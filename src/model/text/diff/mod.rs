//! Diffs: a tolerant parser to numbered rows, their painted form, and unified diffs made of two texts.

mod compare;
mod header;
mod laid;
mod make;
mod moved;
mod paint;
mod parse;
mod words;

use std::ops::Range;

use super::clean::Clean;

pub use self::laid::Laid;
pub use self::make::{unified, unified_within};
pub use self::paint::{How, RowColours, Uncoloured, count, row, rows};
pub use self::parse::{parse, parse_plain};

/// A parsed diff of any number of files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// The rows from top to bottom.
    pub rows: Vec<DiffRow>,
    /// The files in order.
    pub files: Vec<DiffFile>,
    /// The hunks of all files in order.
    pub hunks: Vec<Hunk>,
    /// The highest line number shown.
    pub highest: usize,
}

/// A file of a diff.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiffFile {
    /// The name as it is shown.
    pub name: Clean,
    /// The true name, which need not be UTF-8: for opening and staging. Empty when the diff names none.
    pub path: Vec<u8>,
    /// The name before, when it is another.
    pub old_path: Option<Vec<u8>>,
    /// What else happened: `renamed from …`, `copied from …`, `new`, `deleted`, `mode 644 → 755`, `binary`.
    pub notes: Vec<Clean>,
}

/// A hunk of a diff.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunk {
    /// The file it is in, an index into `Diff::files`.
    pub file: usize,
    /// The enclosing function that its header names; often empty.
    pub function: Clean,
}

/// What a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A file's name.
    File,
    /// The blank row before a file.
    Blank,
    /// What stands between two hunks of a file; its text is the enclosing function of the second.
    Gap,
    /// A line that is the same before and after.
    Context,
    /// A line that came.
    Added,
    /// A line that went.
    Removed,
    /// The mark that the line above has no newline.
    NoNewline,
    /// A line of git's own words: `Binary files … differ`.
    Plain,
}

/// A row of a diff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffRow {
    /// What it is.
    pub kind: Kind,
    /// The file it belongs to, an index into `Diff::files`.
    pub file: usize,
    /// The hunk it belongs to, an index into `Diff::hunks`.
    pub hunk: Option<usize>,
    /// Line number before; in a combined diff that of the first parent which had the line.
    pub old: Option<usize>,
    /// Line number after.
    pub new: Option<usize>,
    /// The sign columns: one of `+`, `-` or blank, as many as the diff has parents.
    pub signs: Clean,
    /// The line without signs and line end.
    pub text: Clean,
    /// Byte ranges of the text that differ from the line it replaces or is replaced by.
    pub words: Vec<Range<usize>>,
    /// The line ends in a carriage return, and that is all that changed about it.
    pub carriage_return: bool,
    /// The line stands as it is elsewhere in the diff, on the other side.
    pub moved: bool,
    /// Only white space changed about it: `words` are the blanks that differ, if this side has any.
    pub blanks: bool,
}

impl DiffRow {
    /// The number shown: removed rows carry old numbers, added and context rows new ones.
    pub fn number(&self) -> Option<usize> {
        match self.kind {
            Kind::Removed => self.old,
            _ => self.new,
        }
    }

    fn new(kind: Kind, file: usize, text: Clean) -> Self {
        let (hunk, old, new, signs, words) = (None, None, None, Clean::default(), Vec::new());
        let (carriage_return, moved, blanks) = (false, false, false);
        Self { kind, file, hunk, old, new, signs, text, words, carriage_return, moved, blanks }
    }
}

impl Diff {
    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Lines added and removed.
    pub fn stats(&self) -> (usize, usize) {
        let count = |kind| self.rows.iter().filter(|row| row.kind == kind).count();
        (count(Kind::Added), count(Kind::Removed))
    }

    /// The enclosing function of a row's hunk; empty where none is known.
    pub fn function(&self, row: &DiffRow) -> &str {
        row.hunk.and_then(|at| self.hunks.get(at)).map_or("", |hunk| hunk.function.as_str())
    }
}

/// What takes the place of a carriage return at the end of a line in a diff that was sanitised before it is parsed.
const RETURN: &str = "<U+000D>";

/// A diff's text sanitised for review, the carriage returns at the ends of its lines kept where [`parse`] can see them.
pub fn clean(raw: &str) -> Clean {
    if !raw.contains("\r\n") || !raw.lines().any(|line| line.starts_with("@@")) {
        return Clean::review(raw);
    }
    let of_hunk = |line: &str| line.starts_with([' ', '+', '-']);
    let mut kept = String::with_capacity(raw.len());
    for line in raw.split_inclusive('\n') {
        match line.strip_suffix("\r\n").filter(|line| of_hunk(line)) {
            Some(line) => {
                kept.push_str(line);
                kept.push_str(RETURN);
                kept.push('\n');
            }
            None => kept.push_str(line),
        }
    }
    Clean::review(&kept)
}

/// The beginning of a diff's text: at most so many lines and, as far as lines allow, bytes.
pub fn head(text: &str, lines: usize, bytes: usize) -> &str {
    let mut end = 0;
    for line in text.split_inclusive('\n').take(lines) {
        if end + line.len() > bytes {
            break;
        }
        end += line.len();
    }
    if end == 0 {
        return super::clip::bytes(text, bytes);
    }
    text.get(..end).unwrap_or(text)
}

/// The word for a number of added and removed lines, `+3 -1`; empty when there are none.
pub fn stats_words((added, removed): (usize, usize)) -> String {
    match (added, removed) {
        (0, 0) => String::new(),
        (added, 0) => format!("+{added}"),
        (0, removed) => format!("-{removed}"),
        (added, removed) => format!("+{added} -{removed}"),
    }
}
