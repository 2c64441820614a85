//! Wrapping rows to a width, and counting the rows without building them: one walk serves both.

use super::clean::Clean;
use super::row::{Join, Kind, Row, Span, Token};
use super::width::{Cluster, Clusters, TAB, clusters, tab_stop};

/// Where a row may be broken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Break {
    /// Between words; inside a word only when it is wider than a row. White space at a break is left out.
    #[default]
    Words,
    /// Between any two clusters, keeping all white space: for code and tool output.
    Anywhere,
}

/// How to wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wrap {
    /// Columns of a row, at least 1.
    pub width: usize,
    /// Columns between tab stops.
    pub tab: usize,
    /// Blanks before every row but a line's first; at most half the width is used.
    pub hanging: usize,
    /// Where rows break.
    pub at: Break,
}

impl Wrap {
    /// Word wrapping to `width`.
    pub fn words(width: usize) -> Self {
        Self { width, tab: TAB, hanging: 0, at: Break::Words }
    }

    /// Cluster wrapping to `width`.
    pub fn anywhere(width: usize) -> Self {
        Self { at: Break::Anywhere, ..Self::words(width) }
    }

    /// The same with tab stops every `tab` columns.
    #[must_use]
    pub fn tab(self, tab: usize) -> Self {
        Self { tab, ..self }
    }

    /// The same with a hanging indent.
    #[must_use]
    pub fn hanging(self, hanging: usize) -> Self {
        Self { hanging, ..self }
    }

    fn columns(&self) -> usize {
        self.width.max(1)
    }

    fn indent(&self) -> usize {
        // A wide cluster must fit behind it.
        self.hanging.min(self.columns() / 2).min(self.columns().saturating_sub(2))
    }
}

/// The rows of one line (or of several, where spans hold newlines), tabs expanded. At least one row.
pub fn row(line: &Row, wrap: Wrap) -> Vec<Row> {
    let mut rows = Vec::new();
    walk(Source::Spans(&line.spans), wrap, |cut| rows.push(build(line, cut, wrap)));
    rows
}

/// The rows of a line that is longer than what it begins with: what stands in the last rows may still change, so those
/// are given back as the line that is to go on, whose `join` is that of its first row. For wrapping without a hanging
/// indent; the rows of what follows are [`resumed`] ones.
pub fn settled(line: &Row, wrap: Wrap) -> (Vec<Row>, Row) {
    let mut cuts = Vec::new();
    walk(Source::Spans(&line.spans), wrap, |cut| cuts.push(cut));
    // The piece that ended a row stands in the next one, and the last piece of all may still grow: two rows stay.
    let Some(at) = cuts.len().checked_sub(2).filter(|at| *at > 0) else { return (Vec::new(), line.clone()) };
    let (done, open) = cuts.split_at(at);
    let mut rows: Vec<Row> = done.iter().map(|cut| build(line, *cut, wrap)).collect();
    if let Some(first) = rows.first_mut() {
        first.join = line.join;
    }
    let Some(first) = open.first() else { return (Vec::new(), line.clone()) };
    let mut rest = Row { spans: Vec::new(), fill: line.fill, join: first.join };
    for (at, span) in line.spans.iter().enumerate().skip(first.from.0) {
        let from = if at == first.from.0 { first.from.1 } else { 0 };
        rest.push(span.like(span.text.as_str().get(from..).unwrap_or_default()));
    }
    (rows, rest)
}

/// The rows of a line that goes on where rows before it ended.
pub fn resumed(line: &Row, wrap: Wrap) -> Vec<Row> {
    let mut rows = row(line, wrap);
    if let Some(first) = rows.first_mut() {
        first.join = line.join;
    }
    rows
}

/// The number of rows `row` gives.
pub fn count(line: &Row, wrap: Wrap) -> usize {
    let mut rows = 0;
    walk(Source::Spans(&line.spans), wrap, |_| rows += 1);
    rows
}

/// The rows of several lines.
pub fn rows(lines: &[Row], wrap: Wrap) -> Vec<Row> {
    lines.iter().flat_map(|line| row(line, wrap)).collect()
}

/// The number of rows `rows` gives.
pub fn count_rows(lines: &[Row], wrap: Wrap) -> usize {
    lines.iter().map(|line| count(line, wrap)).sum()
}

/// The rows of a text in one token.
pub fn text(text: &Clean, token: Token, wrap: Wrap) -> Vec<Row> {
    row(&Row::from(Span::new(text.clone(), token)), wrap)
}

/// The number of rows `text` gives.
pub fn count_text(text: &Clean, wrap: Wrap) -> usize {
    let mut rows = 0;
    walk(Source::Text(text.as_str()), wrap, |_| rows += 1);
    rows
}

/// A place between two clusters: span and byte offset in it.
type Place = (usize, usize);

/// A row as a stretch of the line.
#[derive(Clone, Copy, Debug)]
struct Cut {
    from: Place,
    to: Place,
    join: Join,
}

/// What is wrapped.
#[derive(Clone, Copy)]
enum Source<'a> {
    Spans(&'a [Span]),
    Text(&'a str),
}

impl<'a> Source<'a> {
    fn get(self, at: usize) -> Option<&'a str> {
        match self {
            Source::Spans(spans) => spans.get(at).map(|span| span.text.as_str()),
            Source::Text(text) => (at == 0).then_some(text),
        }
    }
}

/// The clusters of all spans with their places. Cloning marks a place to come back to.
#[derive(Clone)]
struct Pieces<'a> {
    source: Source<'a>,
    span: usize,
    clusters: Clusters<'a>,
}

impl<'a> Pieces<'a> {
    fn new(source: Source<'a>) -> Self {
        Self { source, span: 0, clusters: clusters(source.get(0).unwrap_or_default()) }
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = (Place, Place, Cluster<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(cluster) = self.clusters.next() {
                return Some(((self.span, cluster.start), (self.span, cluster.end()), cluster));
            }
            self.clusters = clusters(self.source.get(self.span + 1)?);
            self.span += 1;
        }
    }
}

/// What the piece before was, as far as breaking behind it goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Gap,
    Word { ideograph: bool, opens: bool },
}

/// The row being filled.
struct Fill {
    from: Place,
    join: Join,
    column: usize,
    /// End of what fits.
    end: Place,
    /// White space ran over the edge: whatever follows belongs to the next row.
    over: bool,
    /// Where the row's text ends, white space behind it left out; `None` while there is only white space.
    text_end: Option<Place>,
    /// The text end in front of the current word, and how the word follows it: where the row may be broken.
    before: Option<(Place, Join)>,
    last: Last,
}

impl Fill {
    fn new(from: Place, join: Join, column: usize) -> Self {
        let (text_end, before) = (None, None);
        Self { from, join, column, end: from, over: false, text_end, before, last: Last::Gap }
    }

    fn cut(&self, to: Place) -> Cut {
        Cut { from: self.from, to, join: self.join }
    }

    /// White space never begins a row by itself; what does not fit is left out.
    fn gap(&mut self, cluster: Cluster<'_>, end: Place, wrap: Wrap) {
        let width = wrap.columns();
        let advance = advance(cluster, self.column, wrap);
        self.over |= self.column + advance > width;
        if !self.over {
            self.column += advance;
            self.end = end;
        }
        self.last = Last::Gap;
    }

    fn place(&mut self, cluster: Cluster<'_>, end: Place, advance: usize) {
        self.column += advance;
        self.end = end;
        self.text_end = Some(end);
        self.last = Last::Word { ideograph: is_ideograph(cluster), opens: cluster.text.starts_with(OPENING) };
    }
}

/// Finds every row of the line, in order.
fn walk(source: Source<'_>, wrap: Wrap, mut emit: impl FnMut(Cut)) {
    let words = wrap.at == Break::Words;
    let mut pieces = Pieces::new(source);
    let mut word = (pieces.clone(), (0, 0));
    let mut fill = Fill::new((0, 0), Join::Line, 0);
    loop {
        let here = pieces.clone();
        let Some((start, end, cluster)) = pieces.next() else { break };
        if cluster.text.ends_with('\n') {
            emit(fill.cut(fill.end));
            fill = Fill::new(end, Join::Line, 0);
            continue;
        }
        if words && is_gap(cluster.text) {
            fill.gap(cluster, end, wrap);
            continue;
        }
        if words && starts_word(fill.last, cluster) {
            let join = if fill.last == Last::Gap { Join::Space } else { Join::Glue };
            fill.before = fill.text_end.map(|end| (end, join));
            word = (here.clone(), start);
        }
        let advance = advance(cluster, fill.column, wrap);
        let full = fill.over || fill.column + advance > wrap.columns();
        if full && let Some((before, join)) = fill.before {
            // The whole word moves to a new row, where it may still have to be broken.
            emit(fill.cut(before));
            fill = Fill::new(word.1, join, wrap.indent());
            pieces = word.0.clone();
            continue;
        }
        if full && fill.end != fill.from {
            emit(fill.cut(fill.end));
            let join = if fill.over { Join::Space } else { Join::Glue };
            fill = Fill::new(start, join, wrap.indent());
            pieces = here;
            continue;
        }
        if fill.over {
            // White space wider than a row: nothing of it fitted.
            fill = Fill::new(start, fill.join, fill.column);
        }
        fill.place(cluster, end, advance);
    }
    emit(fill.cut(fill.end));
}

/// Columns of a piece that starts at `column`. A tab ends at the edge at the latest.
fn advance(cluster: Cluster<'_>, column: usize, wrap: Wrap) -> usize {
    match cluster.text {
        "\t" => tab_stop(column, wrap.tab).min(wrap.columns()).saturating_sub(column).max(1),
        _ => cluster.width,
    }
}

fn build(line: &Row, cut: Cut, wrap: Wrap) -> Row {
    let mut row = Row { spans: Vec::new(), fill: line.fill, join: cut.join };
    let mut column = 0;
    if cut.join != Join::Line && wrap.indent() > 0 {
        column = wrap.indent();
        row.push(Span::blanks(column));
    }
    for at in cut.from.0..=cut.to.0 {
        let Some(span) = line.spans.get(at) else { break };
        let text = span.text.as_str();
        let from = if at == cut.from.0 { cut.from.1 } else { 0 };
        let to = if at == cut.to.0 { cut.to.1 } else { text.len() };
        let mut parts = text[from..to].split('\t');
        let Some(first) = parts.next() else { continue };
        column += super::width::width(first);
        row.push(span.like(first));
        for part in parts {
            let blanks = tab_stop(column, wrap.tab).min(wrap.columns()).saturating_sub(column).max(1);
            row.push(Span { kind: Kind::Tab, ..span.like(&" ".repeat(blanks)) });
            row.push(span.like(part));
            column += blanks + super::width::width(part);
        }
    }
    row
}

/// Brackets that keep what follows on their row.
const OPENING: [char; 14] = ['(', '[', '{', '（', '「', '『', '【', '〔', '〈', '《', '［', '｛', '“', '‘'];

/// Ideographs and their kin have break opportunities around each of them, unless punctuation forbids it.
fn is_ideograph(cluster: Cluster<'_>) -> bool {
    cluster.width >= 2 && cluster.text.starts_with(|c| c >= '\u{2300}')
}

fn starts_word(last: Last, cluster: Cluster<'_>) -> bool {
    match last {
        Last::Gap => true,
        Last::Word { opens: true, .. } => false,
        Last::Word { ideograph, .. } => {
            (is_ideograph(cluster) && !cluster.text.starts_with(closes))
                || (ideograph
                    && cluster.text.starts_with(char::is_alphanumeric)
                    && !cluster.text.starts_with(closes))
        }
    }
}

/// Characters that never begin a row of ideographs.
fn closes(c: char) -> bool {
    "、。，．！？：；）］｝」』】〕〉》・ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ…”’".contains(c)
}

fn is_gap(cluster: &str) -> bool {
    match cluster {
        " " | "\t" => true,
        "\u{A0}" | "\u{2007}" | "\u{202F}" => false,
        _ => cluster.chars().all(char::is_whitespace),
    }
}
