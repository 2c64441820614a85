//! A paragraph or a code block that grows, however long it becomes: rows that are settled are given away, and only what
//! follows them is rendered again. What it gives is always what rendering the whole text would.

use pulldown_cmark::{Event, Tag, TagEnd};

use super::block::{COLOURED, Renderer, code_wrap};
use super::stream::{heal, is_even};
use super::{Carry, CodeColours, Options, parser, render_part};
use crate::model::text::clean::Clean;
use crate::model::text::row::{Row, Token};
use crate::model::text::width::clusters;
use crate::model::text::wrap::{self, Wrap};

/// Bytes at the end of a paragraph that are always rendered again.
const STEP: usize = 1024;
/// Bytes that are searched for a place to settle at.
const REACH: usize = 256;

/// A growing text, and how much of it is settled.
#[derive(Clone, Debug)]
pub struct Growing {
    /// Offset in the text of what is not settled.
    from: usize,
    /// What was written before that and stands in the row that goes on there.
    line: Row,
    kind: Kind,
    step: usize,
    /// Bytes of the rest below which looking for a place to settle at is in vain.
    wait: usize,
}

#[derive(Clone, Debug)]
enum Kind {
    Unknown,
    Paragraph,
    Code {
        /// The line that opens it.
        open: String,
        /// Lines settled.
        lines: usize,
        /// The rest begins inside a line.
        inside: bool,
    },
}

/// Rows of a growing text.
#[derive(Debug)]
pub struct Rows {
    /// Those that have become settled: they will never be given again.
    pub settled: Vec<Row>,
    /// Those behind all that is settled.
    pub rest: Vec<Row>,
}

impl Default for Growing {
    fn default() -> Self {
        Growing::in_steps(STEP)
    }
}

/// What stands in for the text before a rest that begins inside a line: it keeps the rest from being taken for the
/// beginning of a block.
const GUARD: &str = "a";

impl Growing {
    /// One that keeps at least `step` bytes of a paragraph unsettled.
    pub fn in_steps(step: usize) -> Self {
        let wait = step.max(1) * 2;
        Growing { from: 0, line: Row::empty(), kind: Kind::Unknown, step: step.max(1), wait }
    }

    /// Takes in what was appended to `md`, which begins with the text it had before; options and width must be the same
    /// each time, and the text one that more may be appended to. None when it is nothing that this can do in parts:
    /// what was given before is void then.
    pub fn advance(&mut self, md: &str, options: Options, code: &dyn CodeColours) -> Option<Rows> {
        if let Kind::Unknown = self.kind {
            self.kind = kind(md)?;
            if let Kind::Code { open, .. } = &self.kind {
                self.from = md.len() - md.trim_start_matches('\n').len() + open.len();
            }
        }
        match &self.kind {
            Kind::Unknown => None,
            Kind::Paragraph => self.paragraph(md, options, code),
            Kind::Code { .. } => self.code(md, options, code),
        }
    }

    fn paragraph(&mut self, md: &str, options: Options, code: &dyn CodeColours) -> Option<Rows> {
        let mut settled = Vec::new();
        let how = Wrap::words(options.width.max(1)).tab(options.tab);
        while let Some(rest) = md.get(self.from..)
            && rest.len() > self.wait
        {
            let Some((at, more)) = self.piece(rest, options, code) else {
                self.wait = rest.len() + rest.len() / 4;
                break;
            };
            self.wait = self.step * 2;
            self.from += at;
            more.spans.into_iter().for_each(|span| self.line.push(span));
            let (rows, line) = wrap::settled(&self.line, how);
            settled.extend(rows);
            self.line = line;
        }
        let rest = md.get(self.from..)?;
        if may_define(rest, self.from > 0) {
            return None;
        }
        let rest = if self.from == 0 { rest.to_owned() } else { format!("{GUARD}{rest}") };
        let rest = heal(&rest);
        let carry = Carry::default();
        let mut renderer = Renderer::new(options, code, &carry);
        renderer.source = &rest;
        let mut events = parser(&rest, &carry.links).into_offset_iter();
        // An underline or a table's rule makes something else of the lines before it.
        let Some((Event::Start(Tag::Paragraph), _)) = events.next() else { return None };
        renderer.go_on(self.line.clone());
        let mut guarded = self.from > 0;
        for (event, range) in events {
            let event = match event {
                Event::Text(text) if std::mem::take(&mut guarded) => {
                    Event::Text(text.get(GUARD.len()..).unwrap_or_default().to_owned().into())
                }
                other => other,
            };
            renderer.event(event, range, &carry.links);
        }
        let mut rest = renderer.finish().0;
        if let Some(first) = rest.first_mut() {
            first.join = self.line.join;
        }
        Some(Rows { settled, rest })
    }

    /// The longest start of the rest that nothing behind it can change, and what is written there.
    fn piece(&self, rest: &str, options: Options, code: &dyn CodeColours) -> Option<(usize, Row)> {
        let mut most = rest.len() - self.step;
        while most >= self.step {
            if let Some(at) = boundary(rest, most)
                && let Some(row) = self.written(rest.get(..at)?, options, code)
            {
                return Some((at, row));
            }
            most /= 2;
        }
        None
    }

    /// What a piece of the paragraph is as written, if no mark in it could belong to one behind it.
    fn written(&self, piece: &str, options: Options, code: &dyn CodeColours) -> Option<Row> {
        if may_define(piece, self.from > 0) || !is_even(piece) {
            return None;
        }
        let guarded = self.from > 0;
        let text = if guarded { format!("{GUARD}{piece}") } else { piece.to_owned() };
        let carry = Carry::default();
        let mut renderer = Renderer::new(options, code, &carry);
        renderer.source = &text;
        let (mut open, mut ended, mut brackets) = (false, false, 0usize);
        for (event, range) in parser(&text, &carry.links).into_offset_iter() {
            match &event {
                Event::Start(Tag::Paragraph) if !open => {
                    open = true;
                    continue;
                }
                Event::End(TagEnd::Paragraph) => {
                    ended = true;
                    continue;
                }
                Event::Start(tag) if ended || !is_inline(tag) => return None,
                Event::Text(found) if text.get(range.clone()) == Some(&**found) => {
                    brackets = literal(&text, range.clone(), brackets)?;
                }
                _ if !open || ended => return None,
                _ => {}
            }
            renderer.event(event, range, &carry.links);
        }
        if brackets > 0 {
            return None;
        }
        let mut row = renderer.line();
        if guarded {
            let first = row.spans.first_mut()?;
            first.text = Clean::trusted(first.text.as_str().strip_prefix(GUARD)?);
        }
        Some(row)
    }

    fn code(&mut self, md: &str, options: Options, code: &dyn CodeColours) -> Option<Rows> {
        let Kind::Code { open, lines, inside } = &mut self.kind else { return None };
        let rest = md.get(self.from..)?;
        let mut fresh = *inside;
        for line in rest.split('\n') {
            if !std::mem::take(&mut fresh) && may_close(open, line) {
                return None;
            }
        }
        let mut settled = Vec::new();
        loop {
            let rest = md.get(self.from..)?;
            let end = rest.find('\n');
            let line = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            let source = format!("{open}{line}\n");
            let render = |line: usize, inside: bool| {
                let options = Options { streaming: false, ..options };
                let below = Below { code, lines: line, inside };
                render_part(&source, options, &below, &mut Carry::default())
            };
            match end {
                Some(end) if *inside || code.is_final(0, *lines) => {
                    settled.extend(joined(render(*lines, *inside), &self.line));
                    self.from += end + 1;
                    (*inside, self.line) = (false, Row::empty());
                    *lines += 1;
                }
                // A line that will have no colours settles row by row.
                None if *inside || line.len() > COLOURED => {
                    let (_, how) = code_wrap(options.width.max(1), options.tab);
                    let whole =
                        Row { join: self.line.join, ..Row::of(Clean::vanish(line), Token::MdCodeBlock) };
                    let (rows, open_line) = wrap::settled(&whole, how);
                    let left: usize = open_line.spans.iter().map(|span| span.text.len()).sum();
                    if rows.is_empty() || rows.len() < 8 {
                        break;
                    }
                    settled.extend(joined(render(*lines, *inside), &self.line).into_iter().take(rows.len()));
                    self.from += line.len() - left;
                    (*inside, self.line.join) = (true, open_line.join);
                    break;
                }
                _ => break,
            }
        }
        let rest = md.get(self.from..)?;
        let source = format!("{open}{rest}");
        let options = Options { streaming: options.streaming && !*inside, ..options };
        let below = Below { code, lines: *lines, inside: *inside };
        let rest = joined(render_part(&source, options, &below, &mut Carry::default()), &self.line);
        Some(Rows { settled, rest })
    }
}

/// The colours of a code block from a line on.
struct Below<'a> {
    code: &'a dyn CodeColours,
    lines: usize,
    /// The first line is the end of one, which has none.
    inside: bool,
}

impl CodeColours for Below<'_> {
    fn line(&self, block: usize, language: &str, line: usize) -> Option<&[(std::ops::Range<usize>, Token)]> {
        if self.inside && line == 0 {
            return None;
        }
        self.code.line(block, language, self.lines + line)
    }

    fn is_final(&self, block: usize, line: usize) -> bool {
        self.code.is_final(block, self.lines + line)
    }
}

/// Rows of which the first goes on as the line says.
fn joined(mut rows: Vec<Row>, line: &Row) -> Vec<Row> {
    if let Some(first) = rows.first_mut() {
        first.join = line.join;
    }
    rows
}

/// What a text begins as, if that can be rendered in parts.
fn kind(md: &str) -> Option<Kind> {
    let text = md.trim_start_matches('\n');
    if text.starts_with(char::is_alphanumeric) {
        return Some(Kind::Paragraph);
    }
    let end = text.find('\n')?;
    let line = text.get(..=end)?;
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let info = line.trim_start_matches(mark);
    let fence = line.len() - info.len() >= 3 && !(mark == '`' && info.contains('`'));
    fence.then(|| Kind::Code { open: line.to_owned(), lines: 0, inside: false })
}

/// Whether a text may define what links lead to; `inside`: it begins inside a line.
fn may_define(text: &str, inside: bool) -> bool {
    let opens =
        |line: &str| line.split_once('[').is_some_and(|(before, _)| !before.contains(char::is_alphabetic));
    text.contains("]:") && text.lines().skip(usize::from(inside)).any(opens)
}

/// Whether a line may be the end of a code block that `open` begins.
fn may_close(open: &str, line: &str) -> bool {
    let Some(mark) = open.chars().next() else { return true };
    let length = open.len() - open.trim_start_matches(mark).len();
    let line = line.trim_start_matches([' ', '\t']);
    line.len() - line.trim_start_matches(mark).len() >= length
}

fn is_inline(tag: &Tag<'_>) -> bool {
    matches!(tag, Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. })
}

/// The last place at or before `most` where a text can be cut: before a single blank between words, or between two
/// letters of a script that is written without blanks.
fn boundary(text: &str, most: usize) -> Option<usize> {
    let mut at = most;
    for _ in 0..REACH {
        if at == 0 {
            return None;
        }
        if text.is_char_boundary(at) && is_boundary(text, at) {
            return Some(at);
        }
        at -= 1;
    }
    None
}

fn is_boundary(text: &str, at: usize) -> bool {
    let (Some(before), Some(after)) = (text.get(..at), text.get(at..)) else { return false };
    let letter = |c: char| !c.is_ascii() && c.is_alphanumeric();
    let Some(last) = before.chars().next_back() else { return false };
    let mut next = after.chars();
    let (Some(first), second) = (next.next(), next.next()) else { return false };
    let between = if first == ' ' {
        let word = last.is_alphanumeric() || matches!(last, '.' | ',' | ';' | ':' | '!' | '?' | ')');
        word && second.is_some_and(|c| c.is_alphanumeric() && is_apart(' ', c))
    } else {
        // Not inside an address, which goes on to the next white space.
        let word = before.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let address = || before.get(word..).is_some_and(|word| word.contains("://"));
        letter(last) && letter(first) && is_apart(last, first) && !address()
    };
    // A number at the start of a line may become that of a list.
    let line = before.rfind('\n').map_or(before, |at| &before[at + 1..]).trim_start();
    let digits = line.trim_end_matches(['.', ')']);
    between && !(digits.len() < line.len() && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether two characters are two clusters, each of which is something by itself.
fn is_apart(one: char, other: char) -> bool {
    clusters(&String::from_iter([one, other])).filter(|cluster| cluster.width > 0).count() == 2
}

/// Looks at the marks that are literally text: none may be left that something behind could make more of. Takes and
/// gives the brackets that are open.
fn literal(source: &str, range: std::ops::Range<usize>, mut brackets: usize) -> Option<usize> {
    let start = range.start;
    let text = source.get(range)?;
    for (at, c) in text.char_indices().filter(|(_, c)| "*_~`[]<".contains(*c)) {
        let before = source.get(..start + at)?.chars().next_back();
        let after = source.get(start + at + 1..)?.chars().next();
        // The parser begins a text behind a backslash.
        if at == 0 && before == Some('\\') {
            continue;
        }
        let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
        match c {
            '_' if word(before) && word(after) => {}
            '*' | '_' | '~' if blank(before) && after.is_some_and(char::is_whitespace) => {}
            '[' => brackets += 1,
            ']' if matches!(after, Some('(' | '[')) => return None,
            ']' => brackets = brackets.saturating_sub(1),
            '<' if !after.is_none_or(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')) => {}
            _ => return None,
        }
    }
    Some(brackets)
}
