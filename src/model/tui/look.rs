//! A block as rows in theme words, at a width and a depth: what view paints and what update pages by.

use crate::model::config::settings::Settings;
use crate::model::config::words;
use crate::model::session::notice::Tone;
use crate::model::text::clean::Clean;
use crate::model::text::diff;
use crate::model::text::markdown::{self, Carry, Options, Uncoloured};
use crate::model::text::row::{Attrs, Row, Span, Token};
use crate::model::text::template;
use crate::model::text::wrap::{self, Wrap};
use crate::model::time::At;
use crate::model::tool::{Format, Outcome};

use super::block::{Block, Body, Call, CallState, Prose, Words};
use super::viewer::Depth;

pub use grow::Growth;
pub use tools::Piece;

mod grow;
mod said;
mod tools;

/// Columns of prose at most: longer lines are hard to read.
const PROSE: usize = 120;

/// How blocks are looked at.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    pub columns: usize,
    pub depth: Depth,
    pub settings: &'a Settings,
    /// The terminal shows hyperlinks, so that addresses need not be written out.
    pub links: bool,
    /// For the time a running call has taken.
    pub now: At,
}

/// The rows of a block, the blank row above it included; never wider than the columns.
pub fn rows(block: &Block, look: Look<'_>) -> Vec<Row> {
    let mut pieces = pieces(block, look).into_iter();
    let Some(Piece::Rows(mut out)) = pieces.next() else { return Vec::new() };
    pieces.for_each(|piece| out.extend(piece.rows(0..piece.height())));
    out
}

/// The number of these rows.
pub fn height(block: &Block, look: Look<'_>) -> usize {
    pieces(block, look).iter().map(Piece::height).sum()
}

/// The rows of a block in parts, some of which are made when they are wanted. The first is one of rows.
pub fn pieces(block: &Block, look: Look<'_>) -> Vec<Piece> {
    let mut out = ready(block, look);
    let mut pieces = match block.body() {
        Body::Tools(group) => tools::group(group, block.is_done(), look),
        Body::Show { title, body, format, cut, shades } => {
            let mut pieces = tools::shown(title, body, *format, look, shades);
            if *cut {
                let hint = Span::decor("… the rest was too long to show", Token::Dim);
                pieces.push(Piece::Rows(vec![Row::from(hint).ellipsis(look.columns)]));
            }
            pieces
        }
        _ => return vec![Piece::Rows(out)],
    };
    match pieces.first_mut() {
        Some(Piece::Rows(rows)) => {
            out.append(rows);
            *rows = out;
        }
        _ => pieces.insert(0, Piece::Rows(out)),
    }
    pieces
}

/// The rows of a block but for those of tools and of what extensions show.
fn ready(block: &Block, look: Look<'_>) -> Vec<Row> {
    let mut out = if block.is_tight() { Vec::new() } else { vec![Row::empty()] };
    match block.body() {
        Body::Banner { version, cwd, model } => banner(&mut out, version, cwd, model, look),
        Body::User { text, attachments } => user(&mut out, text, attachments, look),
        Body::Text(prose) => out.extend(prose_rows(prose, look, block.is_done())),
        Body::Thinking(prose) => thinking(&mut out, prose, look),
        Body::Tools(_) | Body::Show { .. } => {}
        Body::Shell { call, hidden } => tools::shell(&mut out, call, *hidden, look),
        Body::Notice { tone, text } => notice(&mut out, *tone, text, look),
        Body::Error { headline, detail } => error(&mut out, headline, detail, look),
        Body::Summary { text } => summary(&mut out, text, look),
    }
    out
}

/// Says that the end of an extension's text is missing.
fn rest(cut: bool, look: Look<'_>) -> Option<Row> {
    let hint = || Row::from(Span::decor("… the rest was too long to show", Token::Dim));
    cut.then(|| hint().ellipsis(look.columns))
}

/// The rows of a page of the reader: Markdown.
pub fn page(text: &Clean, look: Look<'_>) -> Vec<Row> {
    markdown::render(text.as_str(), look.markdown(Token::Plain), &Uncoloured)
}

impl Look<'_> {
    fn wrap(self) -> Wrap {
        Wrap::words(self.columns.max(1)).tab(self.settings.tab_width)
    }

    fn markdown(self, base: Token) -> Options {
        let (width, tab) = (self.columns.clamp(1, PROSE), self.settings.tab_width);
        Options { width, tab, base, urls: !self.links, streaming: false }
    }

    fn code(self) -> Wrap {
        Wrap::anywhere(self.columns.max(1)).tab(self.settings.tab_width)
    }

    /// The same with less room on the left.
    fn narrower(self, by: usize) -> Self {
        Look { columns: self.columns.saturating_sub(by).max(1), ..self }
    }
}

/// Puts `first` before the first row and as many blanks before the others.
fn prefixed(rows: Vec<Row>, first: &Span) -> Vec<Row> {
    let indent = first.width();
    let put = |(at, row): (usize, Row)| {
        let mut out = Row { spans: Vec::new(), ..row };
        out.push(if at == 0 { first.clone() } else { Span::blanks(indent) });
        row.spans.into_iter().for_each(|span| out.push(span));
        out
    };
    rows.into_iter().enumerate().map(put).collect()
}

fn banner(out: &mut Vec<Row>, version: &Clean, cwd: &Clean, model: &Clean, look: Look<'_>) {
    let head = Row::from(Span::new("e", Token::Accent).attrs(Attrs::BOLD))
        .with(Span::new(" ", Token::Plain))
        .with(Span::new(version.clone(), Token::Muted));
    let mut place = Row::of(model.clone(), Token::Muted);
    if !model.is_empty() {
        place.push(Span::new(" · ", Token::Dim));
    }
    place.push(Span::new(cwd.clone(), Token::Muted));
    let help = Row::of("/help shows keys and commands", Token::Dim);
    out.extend([head, place, help].iter().map(|row| row.ellipsis(look.columns)));
}

fn user(out: &mut Vec<Row>, text: &Words, attachments: &[Clean], look: Look<'_>) {
    let inner = look.narrower(2);
    let mut rows = said::rows(text, inner);
    for name in attachments {
        let line = Row::from(Span::decor(name.clone(), Token::AttachmentText));
        rows.extend(wrap::row(&line, inner.wrap()));
    }
    let rail = Span::decor("▌ ", Token::Accent);
    if look.columns > 4 {
        rows = rows.into_iter().flat_map(|row| prefixed(vec![row], &rail)).collect();
    }
    out.extend(rows.into_iter().map(|row| Row { fill: Some(Token::UserMessageBg), ..row }));
}

fn prose_rows(prose: &Prose, look: Look<'_>, done: bool) -> Vec<Row> {
    let options = Options { streaming: !done, ..look.markdown(Token::Plain) };
    let mut carry = Carry::default();
    if let Some(links) = &prose.links {
        markdown::render_part(links, options, &Uncoloured, &mut carry);
    }
    markdown::render_part(prose.text().as_str(), options, &prose.codes, &mut carry)
}

fn thinking(out: &mut Vec<Row>, prose: &Prose, look: Look<'_>) {
    if !look.settings.show_thinking && look.depth == Depth::Brief {
        let hint = Clean::collapsed(&look.settings.words.thinking_hint);
        let row = Row::from(Span::decor(hint, Token::ThinkingText));
        out.push(row.ellipsis(look.columns));
        return;
    }
    let rows = wrap::text(&prose.text(), Token::ThinkingText, look.narrower(2).wrap());
    let rail = Span::decor("│ ", Token::ThinkingText);
    out.extend(rows.into_iter().flat_map(|row| prefixed(vec![row], &rail)));
}

fn notice(out: &mut Vec<Row>, tone: Tone, text: &Words, look: Look<'_>) {
    let (sign, token) = match tone {
        Tone::Info => ("· ", Token::Muted),
        Tone::Warning => ("! ", Token::Warning),
        Tone::Error => ("✗ ", Token::Error),
    };
    let rows = wrap::text(&text.clean(), token, look.narrower(2).wrap());
    out.extend(prefixed(rows, &Span::decor(sign, token)));
}

fn error(out: &mut Vec<Row>, headline: &Clean, detail: &Words, look: Look<'_>) {
    let rows = wrap::text(headline, Token::Error, look.narrower(2).wrap());
    out.extend(prefixed(rows, &Span::decor("✗ ", Token::Error)));
    if detail.is_blank() {
        return;
    }
    match look.depth {
        Depth::Brief => {
            out.push(Row::from(Span::decor("  details: ctrl+o", Token::Dim)).ellipsis(look.columns));
        }
        Depth::Whole => {
            let rows = wrap::text(&detail.clean(), Token::Muted, look.narrower(2).code());
            out.extend(prefixed(rows, &Span::blanks(2)));
        }
    }
}

fn summary(out: &mut Vec<Row>, text: &Words, look: Look<'_>) {
    let title = "Earlier conversation, summarised";
    let title =
        if look.depth == Depth::Brief { format!("{title} · ctrl+o to view") } else { title.to_owned() };
    let row = Row::from(Span::decor("── ", Token::BorderMuted))
        .with(Span::decor(Clean::one_line(&title), Token::Muted));
    out.push(row.ellipsis(look.columns));
    if look.depth == Depth::Whole {
        out.extend(formatted(text, Format::Markdown, look, &diff::Uncoloured));
    }
}

/// A text in one of the three formats.
fn formatted(text: &Words, format: Format, look: Look<'_>, colours: &dyn diff::RowColours) -> Vec<Row> {
    match format {
        Format::Text => wrap::text(&text.clean(), Token::Plain, look.wrap()),
        Format::Markdown => markdown::render(text.clean().as_str(), look.markdown(Token::Plain), &Uncoloured),
        Format::Diff => tools::diff(text.raw(), look, colours, None),
    }
}

/// Shows `(3s)` for what took a second or more.
fn took(state: CallState, now: At) -> String {
    let span = match state {
        CallState::Running { since } => Some(now.since(since)),
        CallState::Ended { took, .. } => took,
        CallState::Waiting => None,
    };
    span.filter(|s| s.as_secs() > 0).map(|s| template::elapsed(s.0)).unwrap_or_default()
}

/// The hint that stands for calls that are not shown.
fn history_hint(count: usize, look: Look<'_>) -> Row {
    let text = words::fill(&look.settings.words.tool_history_hint, &[("count", &count.to_string())]);
    Row::from(Span::decor(Clean::collapsed(&text), Token::Dim)).ellipsis(look.columns)
}

/// Sign and colour of a call.
fn sign(call: &Call) -> (&'static str, Token) {
    match call.outcome() {
        None => match call.state {
            CallState::Running { .. } => ("● ", Token::Accent),
            CallState::Waiting | CallState::Ended { .. } => ("○ ", Token::Dim),
        },
        Some(Outcome::Completed) => ("✓ ", Token::Success),
        Some(Outcome::Failed | Outcome::TimedOut) => ("✗ ", Token::Error),
        Some(Outcome::Blocked | Outcome::Cancelled) => ("⊘ ", Token::Warning),
    }
}
