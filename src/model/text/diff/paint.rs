//! Diff rows to painted rows: a gutter of line number and signs, and the text in its colours.

use std::ops::Range;

use super::{Diff, DiffRow, Kind};
use crate::model::text::clean::{Clean, escapes};
use crate::model::text::row::{Attrs, Join, Kind as SpanKind, Row, Span, Token};
use crate::model::text::width::TAB;
use crate::model::text::wrap::{self, Wrap};

/// How to paint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct How {
    /// Columns of a row when long lines wrap; `None` leaves each line on one row, however wide.
    pub width: Option<usize>,
    /// Columns between tab stops, counted from the start of the text.
    pub tab: usize,
}

impl How {
    /// Long lines wrap at `width`.
    pub fn wrapped(width: usize) -> Self {
        Self { width: Some(width), tab: TAB }
    }

    /// One row a line.
    pub fn unwrapped() -> Self {
        Self { width: None, tab: TAB }
    }
}

/// Colours of the code in a diff, found elsewhere and later.
pub trait RowColours {
    /// The coloured byte ranges of the text of the row at `index` of `Diff::rows`, in order, if they are known.
    fn row(&self, index: usize) -> Option<&[(Range<usize>, Token)]>;
}

/// No colours.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uncoloured;

impl RowColours for Uncoloured {
    fn row(&self, _: usize) -> Option<&[(Range<usize>, Token)]> {
        None
    }
}

/// Digits of the number column before it grows.
const DIGITS: usize = 5;
/// Columns that must be left to the text; in less room the line numbers go.
const ROOM: usize = 10;

/// Beside the sign of a line that moved, and of one of which only white space changed.
const MOVED: char = '»';
const BLANKS: char = '␣';

/// All painted rows of a diff.
pub fn rows(diff: &Diff, how: How, colours: &dyn RowColours) -> Vec<Row> {
    (0..diff.rows.len()).flat_map(|index| row(diff, index, how, colours)).collect()
}

/// The painted rows of the diff row at `index`: one, or more where it wraps.
pub fn row(diff: &Diff, index: usize, how: How, colours: &dyn RowColours) -> Vec<Row> {
    diff.rows.get(index).map(|row| painted(diff, row, colours.row(index), how)).unwrap_or_default()
}

/// The painted rows of a row of a diff, or of such a row with other marks.
pub(super) fn painted(
    diff: &Diff,
    row: &DiffRow,
    colours: Option<&[(Range<usize>, Token)]>,
    how: How,
) -> Vec<Row> {
    let (gutter, text, wrap) = (gutter(diff, row, how), text(diff, row, colours), wrapping(diff, row, how));
    let blanks = Row::from(Span::blanks(gutter.width()));
    let wrapped = wrap::row(&text, wrap).into_iter();
    wrapped
        .map(|part| {
            let mut out = if part.join == Join::Line { gutter.clone() } else { blanks.clone() };
            (out.fill, out.join) = (text.fill, part.join);
            for span in part.spans {
                if row.blanks && span.bg.is_some() && span.bg != text.fill {
                    visible(&mut out, &span);
                } else {
                    out.push(span);
                }
            }
            out
        })
        .collect()
}

/// Puts blanks that differ where they can be seen: `·` for a space, `→` for a tab. They are copied as what they are.
fn visible(out: &mut Row, span: &Span) {
    let text = span.text.as_str();
    if span.kind == SpanKind::Tab {
        return out.push(Span { kind: SpanKind::Tab, ..span.like(&text.replacen(' ', "→", 1)) });
    }
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let spaces = rest.bytes().take_while(|b| *b == b' ').count();
        let other = rest.bytes().skip(spaces).take_while(|b| *b != b' ').count();
        out.push(Span { kind: SpanKind::Blanks, ..span.like(&"·".repeat(spaces)) });
        out.push(span.like(rest.get(spaces..spaces + other).unwrap_or_default()));
        at += spaces + other;
    }
}

/// The number of rows that `row` gives.
pub fn count(diff: &Diff, index: usize, how: How) -> usize {
    diff.rows.get(index).map_or(0, |row| match how.width {
        None => 1,
        Some(_) if fits(diff, row, how) => 1,
        Some(_) => wrap::count(&text(diff, row, None), wrapping(diff, row, how)),
    })
}

/// Whether it is plain to see that a line of code takes one row.
fn fits(diff: &Diff, row: &DiffRow, how: How) -> bool {
    let text = row.text.as_str();
    matches!(row.kind, Kind::Context | Kind::Added | Kind::Removed)
        && !row.carriage_return
        && how.width.is_some_and(|width| gutter_width(diff, row, how) + text.len() <= width)
        && text.bytes().all(|b| (b' '..=b'~').contains(&b))
}

fn wrapping(diff: &Diff, row: &DiffRow, how: How) -> Wrap {
    // Wider than any line, and far from overflow.
    let width =
        how.width.map_or(usize::MAX / 4, |width| width.max(1).saturating_sub(gutter_width(diff, row, how)));
    match row.kind {
        Kind::File | Kind::Gap | Kind::Plain => Wrap::words(width),
        _ => Wrap::anywhere(width),
    }
    .tab(how.tab)
}

/// Columns of numbers and signs; the numbers go where they would leave too little room.
fn gutter_width(diff: &Diff, row: &DiffRow, how: How) -> usize {
    let signs = signs_width(row);
    match row.kind {
        Kind::File | Kind::Blank | Kind::Plain => 0,
        _ if numbered(diff, row, how) => digits(diff) + 1 + signs,
        _ if how.width.is_some_and(|width| width <= signs) => 0,
        _ => signs,
    }
}

fn signs_width(row: &DiffRow) -> usize {
    row.signs.len().max(1) + 1
}

fn numbered(diff: &Diff, row: &DiffRow, how: How) -> bool {
    how.width.is_none_or(|width| width >= digits(diff) + 1 + signs_width(row) + ROOM)
}

fn digits(diff: &Diff) -> usize {
    DIGITS.max(diff.highest.max(1).ilog10() as usize + 1)
}

fn gutter(diff: &Diff, row: &DiffRow, how: How) -> Row {
    let width = gutter_width(diff, row, how);
    if width == 0 {
        return Row::empty();
    }
    let marker = match row.kind {
        Kind::Added => Token::ToolDiffAddedMarker,
        Kind::Removed => Token::ToolDiffRemovedMarker,
        _ => Token::Dim,
    };
    let mark = match row {
        DiffRow { moved: true, .. } => MOVED,
        DiffRow { blanks: true, .. } => BLANKS,
        _ => ' ',
    };
    let signs = match row.kind {
        Kind::Gap => "⋯",
        _ => row.signs.as_str(),
    };
    let columns = signs_width(row) - 1;
    let text = if numbered(diff, row, how) {
        let number = row.number().map(|number| number.to_string()).unwrap_or_default();
        let digits = digits(diff);
        format!("{number:>digits$}{mark}{signs:<columns$} ")
    } else {
        format!("{signs:<columns$}{mark}")
    };
    Row::from(Span::decor(Clean::trusted(text), marker))
}

/// The text of a row as one unwrapped line.
fn text(diff: &Diff, row: &DiffRow, colours: Option<&[(Range<usize>, Token)]>) -> Row {
    let (token, ground, word) = match row.kind {
        Kind::File => return file(diff, row),
        Kind::Gap => return Row::reviewed(&row.text, Token::Muted),
        Kind::NoNewline => return Row::from(Span::decor(row.text.clone(), Token::Dim).attrs(Attrs::DIM)),
        Kind::Blank => return Row::empty(),
        Kind::Plain => return Row::reviewed(&row.text, Token::Muted),
        // What only moved steps back: it was read once, or will be.
        _ if row.moved => return Row::reviewed(&row.text, Token::Muted),
        Kind::Context => (Token::ToolDiffContext, None, None),
        Kind::Added => (Token::ToolDiffAdded, Some(Token::ToolDiffAddedBg), Some(Token::ToolDiffAddedWordBg)),
        Kind::Removed => {
            (Token::ToolDiffRemoved, Some(Token::ToolDiffRemovedBg), Some(Token::ToolDiffRemovedWordBg))
        }
    };
    let text = row.text.as_str();
    let marks: Vec<Range<usize>> = escapes(text).collect();
    let mut line = Row { fill: ground, ..Row::empty() };
    let mut paint = Layers { colours: colours.unwrap_or_default(), words: &row.words, marks: &marks };
    let mut at = 0;
    while at < text.len() {
        let (end, colour, is_word, is_mark) = paint.at(at, text.len());
        let Some(piece) = text.get(at..end) else { break };
        let token = if is_mark { Token::Warning } else { colour.unwrap_or(token) };
        let mut span = Span::new(Clean::trusted(piece), token);
        span.bg = if is_word { word } else { ground };
        line.push(span);
        at = end;
    }
    if row.carriage_return {
        line.push(Span { bg: word, ..Span::decor("␍", Token::Warning) });
    }
    line
}

/// Ranges that lie over each other, each sorted and walked once.
struct Layers<'a> {
    colours: &'a [(Range<usize>, Token)],
    words: &'a [Range<usize>],
    marks: &'a [Range<usize>],
}

impl Layers<'_> {
    /// What lies at `at`, and where the next change is.
    fn at(&mut self, at: usize, len: usize) -> (usize, Option<Token>, bool, bool) {
        while self.colours.first().is_some_and(|(range, _)| range.end <= at) {
            self.colours = &self.colours[1..];
        }
        let (mut end, mut colour) = (len, None);
        if let Some((range, token)) = self.colours.first() {
            let (next, inside) = edge(range, at, end);
            (end, colour) = (next, inside.then_some(*token));
        }
        let (end, is_word) = plain(&mut self.words, at, end);
        let (end, is_mark) = plain(&mut self.marks, at, end);
        (end, colour, is_word, is_mark)
    }
}

fn plain(layer: &mut &[Range<usize>], at: usize, end: usize) -> (usize, bool) {
    while layer.first().is_some_and(|range| range.end <= at) {
        *layer = &layer[1..];
    }
    layer.first().map_or((end, false), |range| edge(range, at, end))
}

/// The nearer of `end` and the next edge of `range`, and whether `at` lies in it.
fn edge(range: &Range<usize>, at: usize, end: usize) -> (usize, bool) {
    if at < range.start { (end.min(range.start), false) } else { (end.min(range.end), true) }
}

fn file(diff: &Diff, row: &DiffRow) -> Row {
    let mut out = Row::empty();
    let token = Span::new(Clean::default(), Token::ToolTitle).attrs(Attrs::BOLD);
    let text = row.text.as_str();
    let mut at = 0;
    for mark in escapes(text) {
        out.push(token.like(&text[at..mark.start]));
        out.push(Span { token: Token::Warning, ..token.like(&text[mark.clone()]) });
        at = mark.end;
    }
    out.push(token.like(&text[at..]));
    let notes = diff.files.get(row.file).map(|file| file.notes.as_slice()).unwrap_or_default();
    for (at, note) in notes.iter().enumerate() {
        out.push(Span::decor(if at == 0 { "  " } else { " · " }, Token::Dim));
        let note = Row::reviewed(note, Token::Muted).spans.into_iter();
        note.for_each(|span| out.push(Span { kind: SpanKind::Decor, ..span }));
    }
    out
}
