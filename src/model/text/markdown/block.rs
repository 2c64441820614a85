//! Blocks to rows: a stack of open containers instead of recursion, so that hostile nesting costs no stack.

use std::collections::BTreeMap;
use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, LinkType, Tag, TagEnd};

use super::inline::Inline;
use super::table::Table;
use super::{Carry, CodeColours, Options, fold, language};
use crate::model::text::clean::Clean;
use crate::model::text::row::{Attrs, Row, Span, Token};
use crate::model::text::wrap::{self, Wrap};

/// Columns a container must leave to its content, or it is not drawn.
const ROOM: usize = 4;
const CODE_INDENT: usize = 2;
/// Bytes of a line of code beyond which it stays plain.
pub(super) const COLOURED: usize = 4 * 1024;

/// What is open around the place where the text stands.
enum Kind {
    Root,
    Quote,
    List {
        next: Option<u64>,
        depth: usize,
    },
    /// A list item or a footnote: what goes before its first row.
    Marked(Row),
    Table(Box<Table>),
}

struct Frame {
    kind: Kind,
    rows: Vec<Row>,
    /// For each row, the byte offset of what it shows: where its paragraph, line of code, table or other block begins.
    places: Vec<usize>,
    width: usize,
    /// Byte offset in the source where it begins.
    start: usize,
}

struct Code {
    language: Clean,
    text: String,
    /// Byte offset of each line's text.
    lines: Vec<usize>,
    start: usize,
}

pub(super) struct Renderer<'a> {
    /// The text the events' offsets are in.
    pub source: &'a str,
    /// Where that text begins in the whole.
    pub base: usize,
    options: Options,
    colours: &'a dyn CodeColours,
    /// Whether rows were rendered before these.
    continued: bool,
    codes: usize,
    frames: Vec<Frame>,
    inline: Inline,
    heading: Option<HeadingLevel>,
    code: Option<Code>,
    quotes: usize,
}

impl<'a> Renderer<'a> {
    pub fn new(options: Options, colours: &'a dyn CodeColours, carry: &Carry) -> Self {
        let (rows, places) = (Vec::new(), Vec::new());
        let root = Frame { kind: Kind::Root, rows, places, width: options.width.max(1), start: 0 };
        Self {
            source: "",
            base: 0,
            options,
            colours,
            continued: carry.rows,
            codes: carry.code,
            frames: vec![root],
            inline: Inline::default(),
            heading: None,
            code: None,
            quotes: 0,
        }
    }

    /// Puts what was written before in front of the line that comes next.
    pub fn go_on(&mut self, line: Row) {
        self.inline.row = line;
        self.inline.start = Some(0);
    }

    /// The line being written, not yet wrapped.
    pub fn line(mut self) -> Row {
        self.inline.take()
    }

    /// The rows and the number of code blocks so far.
    pub fn finish(self) -> (Vec<Row>, usize) {
        let (rows, _, codes) = self.finish_with_places();
        (rows, codes)
    }

    /// The same, with the byte offset of what each row shows.
    pub fn finish_with_places(mut self) -> (Vec<Row>, Vec<usize>, usize) {
        self.flush();
        while self.frames.len() > 1 {
            self.close();
        }
        let (rows, places) = self.frames.pop().map(|root| (root.rows, root.places)).unwrap_or_default();
        (rows, places, self.codes)
    }

    /// Takes the next event; `links` are the link targets defined before its block.
    pub fn event(&mut self, event: Event<'_>, range: Range<usize>, links: &BTreeMap<String, String>) {
        if self.inline.start.is_none() && !matches!(event, Event::Start(_) | Event::End(_)) {
            self.inline.start = Some(range.start);
        }
        match event {
            Event::Start(tag) => self.open(tag, range, links),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some(code) => {
                    let mut at = range.start;
                    for line in text.split_inclusive('\n') {
                        if code.text.is_empty() || code.text.ends_with('\n') {
                            code.lines.push(at);
                        }
                        code.text.push_str(line);
                        at += line.len();
                    }
                }
                None => self.prose(&Clean::one_line(&text)),
            },
            Event::Code(code) => self.inline.code(&code),
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::InlineHtml(text) => {
                self.prose(&Clean::one_line(&text));
            }
            Event::Html(text) => self.prose(&Clean::vanish(&text)),
            Event::FootnoteReference(label) => self.prose(&Clean::one_line(&format!("[^{label}]"))),
            Event::SoftBreak => self.prose(&Clean::from(" ")),
            Event::HardBreak if self.in_table() => self.prose(&Clean::from(" ")),
            Event::HardBreak => self.prose(&Clean::from("\n")),
            Event::Rule => self.rule(range.start),
            Event::TaskListMarker(done) => self.task(done),
        }
    }

    fn open(&mut self, tag: Tag<'_>, range: Range<usize>, links: &BTreeMap<String, String>) {
        match tag {
            Tag::Emphasis => self.inline.italic += 1,
            Tag::Strong => self.inline.bold += 1,
            Tag::Strikethrough => self.inline.strike += 1,
            Tag::Link { link_type, dest_url, id, .. } => {
                let reference = !matches!(link_type, LinkType::Inline | LinkType::Autolink | LinkType::Email);
                let known = reference.then(|| links.get(&fold(&id))).flatten().cloned();
                let mailto = if link_type == LinkType::Email { "mailto:" } else { "" };
                self.inline.start.get_or_insert(range.start);
                self.inline.open_link(&known.unwrap_or_else(|| format!("{mailto}{dest_url}")));
            }
            Tag::Image { dest_url, .. } => {
                self.inline.start.get_or_insert(range.start);
                self.inline.open_link(&dest_url);
            }
            Tag::Table(columns) => {
                self.flush();
                self.push(Kind::Table(Box::new(Table::new(columns))), 0, range.start);
            }
            Tag::TableHead | Tag::TableRow | Tag::TableCell => {
                if let Some(Frame { kind: Kind::Table(table), .. }) = self.frames.last_mut() {
                    table.open(&tag);
                }
            }
            _ => {
                self.flush();
                self.open_block(tag, range.start);
            }
        }
    }

    fn open_block(&mut self, tag: Tag<'_>, start: usize) {
        match tag {
            Tag::Heading { level, .. } => self.heading = Some(level),
            Tag::BlockQuote(_) => {
                self.quotes += 1;
                self.push(Kind::Quote, 2, start);
            }
            Tag::CodeBlock(kind) => {
                let language = language(&kind);
                self.code = Some(Code { language, text: String::new(), lines: Vec::new(), start });
            }
            Tag::List(next) => {
                let depth = self.frames.iter().filter(|f| matches!(f.kind, Kind::List { .. })).count();
                self.push(Kind::List { next, depth }, 0, start);
            }
            Tag::Item => {
                let marker = self.bullet();
                let width = marker.width();
                self.push(Kind::Marked(marker), width, start);
            }
            Tag::FootnoteDefinition(label) => {
                let marker = Row::of(Clean::one_line(&format!("[^{label}]: ")), Token::MdListBullet);
                let width = marker.width();
                self.push(Kind::Marked(marker), width, start);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Emphasis => self.inline.italic = self.inline.italic.saturating_sub(1),
            TagEnd::Strong => self.inline.bold = self.inline.bold.saturating_sub(1),
            TagEnd::Strikethrough => self.inline.strike = self.inline.strike.saturating_sub(1),
            TagEnd::Link => self.inline.close_link(self.options.urls),
            // An image can't be seen here: its address is all there is.
            TagEnd::Image => self.inline.close_link(true),
            TagEnd::Heading(_) => {
                self.flush();
                self.heading = None;
            }
            TagEnd::CodeBlock => self.code_block(),
            TagEnd::TableCell => {
                let cell = self.inline.take();
                if let Some(Frame { kind: Kind::Table(table), .. }) = self.frames.last_mut() {
                    table.cell(cell);
                }
            }
            TagEnd::TableHead | TagEnd::TableRow => {}
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.close();
                self.quotes = self.quotes.saturating_sub(1);
            }
            TagEnd::Table | TagEnd::List(_) | TagEnd::Item | TagEnd::FootnoteDefinition => {
                self.flush();
                self.close();
            }
            _ => self.flush(),
        }
    }

    fn prose(&mut self, text: &Clean) {
        let (token, look) = match self.heading {
            Some(HeadingLevel::H1) => (Token::MdHeading, Attrs { underline: true, ..Attrs::BOLD }),
            Some(_) => (Token::MdHeading, Attrs::BOLD),
            None if self.quotes > 0 => (Token::MdQuote, Attrs::NONE),
            None => (self.options.base, Attrs::NONE),
        };
        self.inline.text(text, token, look);
    }

    fn bullet(&mut self) -> Row {
        let text = match self.frames.last_mut() {
            Some(Frame { kind: Kind::List { next: Some(number), .. }, .. }) => {
                *number = number.saturating_add(1);
                format!("{}. ", number.saturating_sub(1))
            }
            Some(Frame { kind: Kind::List { depth, .. }, .. }) => match *depth % 3 {
                0 => "• ".to_owned(),
                1 => "◦ ".to_owned(),
                _ => "▪ ".to_owned(),
            },
            _ => String::new(),
        };
        Row::of(Clean::trusted(text), Token::MdListBullet)
    }

    fn task(&mut self, done: bool) {
        let marker = Row::of(if done { "[x] " } else { "[ ] " }, Token::MdListBullet);
        let outer =
            self.frames.len().checked_sub(2).and_then(|at| self.frames.get(at)).map_or(1, |f| f.width);
        if let Some(frame) = self.frames.last_mut()
            && let Kind::Marked(bullet) = &mut frame.kind
        {
            frame.width = inner(outer, marker.width()).unwrap_or(outer);
            *bullet = marker;
        }
    }

    fn rule(&mut self, start: usize) {
        self.flush();
        let width = self.frames.last().map_or(1, |frame| frame.width);
        let line = Clean::trusted("─".repeat(width));
        self.leaf(vec![Row::from(Span::decor(line, Token::MdHr))], start);
    }

    /// Ends the paragraph, heading or other line being written.
    fn flush(&mut self) {
        let Some(start) = self.inline.start else { return };
        let row = self.inline.take();
        let width = self.frames.last().map_or(1, |frame| frame.width);
        let mut rows = wrap::row(&row, Wrap::words(width).tab(self.options.tab));
        while rows.last().is_some_and(Row::is_empty) {
            rows.pop();
        }
        self.leaf(rows, start);
    }

    fn code_block(&mut self) {
        let Some(code) = self.code.take() else { return };
        self.inline.start = None;
        let ordinal = self.codes;
        self.codes += 1;
        let width = self.frames.last().map_or(1, |frame| frame.width);
        let (indent, how) = code_wrap(width, self.options.tab);
        let text = Clean::vanish(&code.text);
        let (mut rows, mut places) = (Vec::new(), Vec::new());
        for (at, line) in text.as_str().lines().enumerate() {
            let place = code.lines.get(at).copied().unwrap_or(code.start);
            let known = self.colours.line(ordinal, code.language.as_str(), at).unwrap_or_default();
            let colours = if line.len() > COLOURED { &[] } else { known };
            for row in wrap::row(&coloured(line, colours), how) {
                rows.push(prefixed(Span::blanks(indent).into(), row));
                places.push(place + self.base);
            }
        }
        self.append(rows, places, code.start);
    }

    fn in_table(&self) -> bool {
        matches!(self.frames.last(), Some(Frame { kind: Kind::Table(_), .. }))
    }

    fn push(&mut self, kind: Kind, taken: usize, start: usize) {
        let outer = self.frames.last().map_or(1, |frame| frame.width);
        let width = inner(outer, taken).unwrap_or(outer);
        self.frames.push(Frame { kind, rows: Vec::new(), places: Vec::new(), width, start });
    }

    /// Closes the innermost container and gives its rows to the one around it.
    fn close(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        let outer = self.frames.last().map_or(1, |frame| frame.width);
        let drawn = frame.width < outer;
        let mut places = frame.places;
        let rows = match frame.kind {
            Kind::Table(table) => {
                let rows = table.rows(frame.width, self.options);
                places = vec![frame.start + self.base; rows.len()];
                rows
            }
            Kind::Quote if drawn => {
                let bar = Row::from(Span::decor("│ ", Token::MdQuoteBorder));
                frame.rows.into_iter().map(|row| prefixed(bar.clone(), row)).collect()
            }
            Kind::Marked(marker) if drawn => {
                let rows = marked(marker, frame.rows);
                places.resize(rows.len(), frame.start + self.base);
                rows
            }
            _ => frame.rows,
        };
        self.append(rows, places, frame.start);
    }

    /// Appends rows that all show what begins at `start`.
    fn leaf(&mut self, rows: Vec<Row>, start: usize) {
        let places = vec![start + self.base; rows.len()];
        self.append(rows, places, start);
    }

    /// Appends a block. In lists a blank row stands where the source has a blank line, else between any two blocks.
    fn append(&mut self, rows: Vec<Row>, places: Vec<usize>, start: usize) {
        let (source, base) = (self.source, self.base);
        let Some(frame) = self.frames.last_mut() else { return };
        if rows.is_empty() {
            return;
        }
        let blank = match frame.kind {
            Kind::List { .. } | Kind::Marked(_) => !frame.rows.is_empty() && blank_before(source, start),
            Kind::Root => self.continued || !frame.rows.is_empty(),
            _ => !frame.rows.is_empty(),
        };
        if blank {
            frame.rows.push(Row::empty());
            // The end of the line before.
            frame.places.push((start + base).saturating_sub(1));
        }
        frame.rows.extend(rows);
        frame.places.extend(places);
    }
}

/// The width inside a container that takes some columns, if enough is left to draw it.
fn inner(width: usize, taken: usize) -> Option<usize> {
    width.checked_sub(taken).filter(|width| *width >= ROOM)
}

/// The indent of code in `width` columns, and how it wraps behind that.
pub(super) fn code_wrap(width: usize, tab: usize) -> (usize, Wrap) {
    let indent = if inner(width, CODE_INDENT).is_some() { CODE_INDENT } else { 0 };
    (indent, Wrap::anywhere(width - indent).tab(tab))
}

fn prefixed(mut prefix: Row, row: Row) -> Row {
    prefix.join = row.join;
    row.spans.into_iter().for_each(|span| prefix.push(span));
    prefix
}

fn marked(marker: Row, rows: Vec<Row>) -> Vec<Row> {
    if rows.is_empty() {
        return vec![marker];
    }
    let blanks = Row::from(Span::blanks(marker.width()));
    let mut rows = rows.into_iter();
    let first = rows.next().map(|row| prefixed(marker, row));
    let rest = rows.map(|row| if row.is_empty() { row } else { prefixed(blanks.clone(), row) });
    first.into_iter().chain(rest).collect()
}

/// A line of code in its colours, as far as they are known.
fn coloured(line: &str, colours: &[(Range<usize>, Token)]) -> Row {
    let plain = Span::new(Clean::default(), Token::MdCodeBlock);
    let mut row = Row::empty();
    let mut at = 0;
    for (range, token) in colours {
        let (Some(before), Some(text)) = (line.get(at..range.start), line.get(range.clone())) else {
            continue;
        };
        row.push(plain.like(before));
        row.push(Span { token: *token, ..plain.like(text) });
        at = range.end;
    }
    row.push(plain.like(&line[at..]));
    row
}

/// Whether the line before the one that holds `start` is blank but for quote marks.
fn blank_before(source: &str, start: usize) -> bool {
    let Some(line) = source.get(..start).and_then(|before| before.rfind('\n')) else { return false };
    let before = source[..line].rsplit('\n').next().unwrap_or_default();
    before.chars().all(|c| matches!(c, ' ' | '\t' | '>'))
}
