//! A section of a pane: its content, and where a person stands in it. Positions are items of a list, and rows of
//! everything else: the diff's and the extension's own rows are one row each, however wide; text and Markdown wrap.

use std::ops::Range;
use std::sync::Arc;

use crate::model::text::clean::Clean;
use crate::model::text::diff::{self, Diff, How, Kind};
use crate::model::text::markdown::{self, Options};
use crate::model::text::row::{Kind as SpanKind, Row, Span, Token};
use crate::model::text::wrap::{self, Wrap};
use crate::model::tui::code::Codes;
use crate::model::wire::ext;

use super::Step;
use super::tints::Tints;

/// Columns of a step sideways, and the most that are ever scrolled.
const SIDE_STEP: usize = 8;
const SIDE_MOST: usize = 4096;
/// No line is as wide.
const UNWRAPPED: usize = usize::MAX / 4;

#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    List(Vec<ext::Item>),
    Diff(Sheet),
    Text(Clean),
    Markdown { body: Clean, codes: Codes },
    Rows(Vec<Row>),
}

/// A diff that has rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Sheet {
    body: Clean,
    pub diff: Arc<Diff>,
    pub tints: Tints,
    /// Rows that are left out at the top: the file's path, where the section's title says it.
    pub skipped: usize,
}

/// Wrapped rows, and the source line that each begins in. Empty for content that does not wrap.
#[derive(Debug, Clone, PartialEq, Default)]
struct Laid {
    columns: usize,
    tab: usize,
    rows: Vec<Row>,
    lines: Vec<usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    pub id: Arc<str>,
    pub title: Clean,
    pub content: Content,
    /// A row behind the others says that the rest did not fit.
    pub cut: bool,
    /// Names this content for answers about its colours; 0 while nobody was asked.
    pub serial: u64,
    cursor: usize,
    /// The other end of the selection.
    mark: Option<usize>,
    /// The first row shown.
    top: usize,
    sideways: usize,
    /// Rows that are shown, 0 while it is hidden.
    height: usize,
    laid: Laid,
}

impl Content {
    fn new(body: ext::Body, title: &Clean) -> Content {
        match body {
            ext::Body::List { items, .. } => Content::List(items),
            ext::Body::Text(body) => Content::Text(body),
            ext::Body::Markdown(body) => {
                let mut codes = Codes::default();
                codes.finish(body.as_str());
                Content::Markdown { body, codes }
            }
            ext::Body::Rows(rows) => Content::Rows(rows),
            ext::Body::Diff(body) => {
                let diff = diff::parse(body.as_str());
                if diff.rows.is_empty() {
                    return Content::Text(body);
                }
                let (diff, tints) = (Arc::new(diff), Tints::default());
                let skipped = skipped(&diff, title);
                Content::Diff(Sheet { body, diff, tints, skipped })
            }
        }
    }

    /// Whether it is made of that.
    fn is(&self, body: &ext::Body) -> bool {
        match (self, body) {
            (Content::List(items), ext::Body::List { items: new, .. }) => items == new,
            (Content::Text(text), ext::Body::Text(new) | ext::Body::Diff(new)) => text == new,
            (Content::Markdown { body, .. }, ext::Body::Markdown(new)) => body == new,
            (Content::Rows(rows), ext::Body::Rows(new)) => rows == new,
            (Content::Diff(sheet), ext::Body::Diff(new)) => sheet.body == *new,
            _ => false,
        }
    }
}

/// The first row goes where the title says the same.
fn skipped(diff: &Diff, title: &Clean) -> usize {
    let plain = diff.files.first().is_some_and(|file| file.notes.is_empty());
    usize::from(plain && diff.rows.first().is_some_and(|row| row.kind == Kind::File && row.text == *title))
}

impl Section {
    pub fn new(asked: ext::Section) -> Section {
        let cursor = match &asked.body {
            ext::Body::List { selected, .. } => *selected,
            _ => 0,
        };
        let mut section = Section {
            id: asked.id,
            content: Content::new(asked.body, &asked.title),
            title: asked.title,
            cut: asked.cut,
            serial: 0,
            cursor,
            mark: None,
            top: 0,
            sideways: 0,
            height: 0,
            laid: Laid::default(),
        };
        section.lay(80, 4);
        section
    }

    /// Takes new content in; whoever stands in it keeps the place.
    pub fn refresh(&mut self, asked: ext::Section) {
        let (seen, item) = (self.shows(self.cursor), self.item().map(|item| item.id.clone()));
        self.cut = asked.cut;
        if self.content.is(&asked.body) {
            if let Content::Diff(sheet) = &mut self.content {
                sheet.skipped = skipped(&sheet.diff, &asked.title);
            }
        } else {
            let mut content = Content::new(asked.body, &asked.title);
            if let (Content::Diff(old), Content::Diff(new)) = (&self.content, &mut content) {
                new.tints = old.tints.carried(&old.diff, &new.diff);
            }
            self.content = content;
            self.serial = 0;
            self.laid = Laid::of(&self.content, self.laid.columns, self.laid.tab);
        }
        self.title = asked.title;
        if let (Content::List(items), Some(id)) = (&self.content, item)
            && let Some(at) = items.iter().position(|item| item.id == id)
        {
            self.cursor = at;
        }
        self.clamp();
        if seen {
            self.reveal();
        }
    }

    /// Lays the content out anew at another width; the cursor stays with its source line.
    pub fn lay(&mut self, columns: usize, tab: usize) {
        if (self.laid.columns, self.laid.tab) == (columns, tab) {
            return;
        }
        let laid = Laid::of(&self.content, columns, tab);
        let moved = |row: usize| {
            let Some(line) = self.laid.lines.get(row) else { return row };
            let before = self.laid.lines.partition_point(|l| l < line);
            let (first, behind) =
                (laid.lines.partition_point(|l| l < line), laid.lines.partition_point(|l| l <= line));
            (first + (row - before)).min(behind.saturating_sub(1)).max(first)
        };
        (self.cursor, self.mark, self.top) = (moved(self.cursor), self.mark.map(moved), moved(self.top));
        self.laid = laid;
        self.clamp();
    }

    /// The colours of its code have changed: the rows are made anew.
    pub fn recoloured(&mut self) {
        self.laid = Laid::of(&self.content, self.laid.columns, self.laid.tab);
    }

    /// So many rows of it are shown now.
    pub fn show(&mut self, height: usize) {
        let seen = self.height == 0 || self.shows(self.cursor);
        let changed = height != self.height;
        self.height = height;
        self.clamp();
        if changed && seen {
            self.reveal();
        }
    }

    /// Rows that the cursor reaches.
    pub fn len(&self) -> usize {
        match &self.content {
            Content::List(items) => items.len(),
            Content::Diff(sheet) => sheet.diff.rows.len() - sheet.skipped,
            Content::Text(_) | Content::Markdown { .. } => self.laid.rows.len(),
            Content::Rows(rows) => rows.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All rows, that which says what is missing included.
    pub fn total(&self) -> usize {
        self.len() + usize::from(self.cut)
    }

    pub fn cursor(&self) -> usize {
        self.cursor
    }

    pub fn top(&self) -> usize {
        self.top
    }

    pub fn sideways(&self) -> usize {
        self.sideways
    }

    /// The rows that are selected, if any are.
    pub fn selection(&self) -> Option<Range<usize>> {
        self.mark.map(|mark| mark.min(self.cursor)..mark.max(self.cursor) + 1)
    }

    pub fn deselect(&mut self) {
        self.mark = None;
    }

    /// The item under the cursor of a list.
    pub fn item(&self) -> Option<&ext::Item> {
        match &self.content {
            Content::List(items) => items.get(self.cursor),
            _ => None,
        }
    }

    pub fn is_list(&self) -> bool {
        matches!(self.content, Content::List(_))
    }

    fn shows(&self, row: usize) -> bool {
        (self.top..self.top + self.height).contains(&row)
    }

    fn clamp(&mut self) {
        let last = self.len().saturating_sub(1);
        self.cursor = self.cursor.min(last);
        self.mark = self.mark.filter(|_| !self.is_empty() && !self.is_list()).map(|mark| mark.min(last));
        self.top = self.top.min(self.total().saturating_sub(self.height.max(1)));
    }

    /// Scrolls so that the cursor shows, with the last row what stands behind it.
    fn reveal(&mut self) {
        let end =
            if self.cursor + 1 == self.len() && self.height > 1 { self.total() } else { self.cursor + 1 };
        self.top = self.top.max(end.saturating_sub(self.height.max(1))).min(self.cursor);
    }

    /// Moves the cursor; `select` keeps or starts a selection. Whether it moved.
    pub fn step(&mut self, step: Step, select: bool) -> bool {
        let page = self.height.max(1);
        let to = match step {
            Step::Up => self.cursor.saturating_sub(1),
            Step::Down => self.cursor + 1,
            Step::PageUp => self.cursor.saturating_sub(page),
            Step::PageDown => self.cursor + page,
            Step::Home => 0,
            Step::End => usize::MAX,
        };
        self.go(to, select)
    }

    /// Puts the cursor on a row, or on the nearest there is.
    pub fn go(&mut self, to: usize, select: bool) -> bool {
        self.mark = if select { self.mark.or(Some(self.cursor)) } else { None };
        let before = std::mem::replace(&mut self.cursor, to);
        self.clamp();
        self.reveal();
        self.cursor != before
    }

    /// Starts a selection at the cursor, or ends it.
    pub fn toggle_mark(&mut self) {
        self.mark = if self.mark.is_some() { None } else { Some(self.cursor) };
        self.clamp();
    }

    /// Scrolls by so many rows; the cursor stays.
    pub fn scroll(&mut self, down: bool, by: usize) {
        self.top = if down { self.top + by } else { self.top.saturating_sub(by) };
        self.clamp();
    }

    /// Scrolls sideways, to the right as long as something that is shown goes on there.
    pub fn shift(&mut self, right: bool) {
        if !right {
            self.sideways = self.sideways.saturating_sub(SIDE_STEP);
            return;
        }
        let wraps = matches!(self.content, Content::Text(_) | Content::Markdown { .. } | Content::List(_));
        let hidden = |row: usize| self.line(row).width() > self.laid.columns + self.sideways;
        if !wraps && (self.top..(self.top + self.height).min(self.len())).any(hidden) {
            self.sideways = (self.sideways + SIDE_STEP).min(SIDE_MOST);
        }
    }

    /// A row as wide as it is; none of a list.
    fn line(&self, row: usize) -> Row {
        match &self.content {
            Content::Diff(sheet) => {
                let how = How { width: None, tab: self.laid.tab };
                let rows = diff::row(&sheet.diff, row + sheet.skipped, how, &sheet.tints);
                rows.into_iter().next().unwrap_or_default()
            }
            Content::Rows(rows) => {
                let line =
                    rows.get(row).map(|row| wrap::row(row, Wrap::anywhere(UNWRAPPED).tab(self.laid.tab)));
                line.and_then(|rows| rows.into_iter().next()).unwrap_or_default()
            }
            Content::Text(_) | Content::Markdown { .. } => {
                self.laid.rows.get(row).cloned().unwrap_or_default()
            }
            Content::List(_) => Row::empty(),
        }
    }

    /// A row as it is shown, scrolled sideways but for the numbers of a diff; not yet cut to the width.
    pub fn row(&self, row: usize) -> Row {
        if row >= self.len() {
            return if self.cut {
                Row::from(Span::decor("… the rest is left out", Token::Warning))
            } else {
                Row::empty()
            };
        }
        let line = self.line(row);
        if self.sideways == 0 || matches!(self.content, Content::Text(_) | Content::Markdown { .. }) {
            return line;
        }
        let gutter = line.spans.iter().take_while(|span| span.kind == SpanKind::Decor).count();
        let gutter = if matches!(self.content, Content::Diff(_)) { gutter } else { 0 };
        let (kept, text) = line.spans.split_at(gutter);
        let text = Row { spans: text.to_vec(), ..Row::empty() }.scrolled(self.sideways);
        let mut out = Row { spans: kept.to_vec(), fill: line.fill, join: line.join };
        text.spans.into_iter().for_each(|span| out.push(span));
        out
    }

    /// The source lines that rows cover, of content that wraps.
    pub fn source_lines(&self, rows: Range<usize>) -> Range<usize> {
        let lines = &self.laid.lines;
        let from = lines.get(rows.start).copied().unwrap_or(0);
        let last = lines.get(rows.end.saturating_sub(1)).copied().unwrap_or(from);
        let next = lines.get(lines.partition_point(|line| *line <= last)).copied();
        from..next.unwrap_or(usize::MAX).max(last + 1)
    }
}

impl Laid {
    fn of(content: &Content, columns: usize, tab: usize) -> Laid {
        let (rows, lines) = match content {
            Content::Text(body) => {
                let how = Wrap::words(columns).tab(tab);
                let (mut rows, mut lines) = (Vec::new(), Vec::new());
                for (at, line) in body.lines().enumerate() {
                    rows.extend(wrap::text(&line, Token::Plain, how));
                    lines.resize(rows.len(), at);
                }
                (rows, lines)
            }
            Content::Markdown { body, codes } => {
                let options = Options { tab, base: Token::Plain, ..Options::new(columns) };
                markdown::render_lines(body.as_str(), options, codes)
            }
            Content::List(_) | Content::Diff(_) | Content::Rows(_) => (Vec::new(), Vec::new()),
        };
        Laid { columns, tab, rows, lines }
    }
}
