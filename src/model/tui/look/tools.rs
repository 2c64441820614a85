//! Tool groups as rows: one per call with its state, live tail, failure or diff; and `!command` blocks.

use std::ops::Range;

use super::super::block::{Call, CallState, Tools};
use super::super::viewer::Depth;
use super::{Look, formatted, history_hint, prefixed, rest, sign, took};
use crate::model::text::clean::Clean;
use crate::model::text::diff::{self, Diff, How, Laid, RowColours};
use crate::model::text::row::{Attrs, Row, Span, Token};
use crate::model::text::wrap;
use crate::model::tool::{Format, Outcome, spec};

use super::super::block::Words;
use super::super::shade::Shades;

/// Rows of a finished `!command`'s output, of a failure's text and of a diff in the transcript.
const SHELL_ROWS: usize = 20;
const DIFF_ROWS: usize = 40;
/// Lines and bytes of a diff that those rows are looked for in.
const HEAD_LINES: usize = 200;
const HEAD_BYTES: usize = 64 * 1024;

/// A part of a block's rows.
#[derive(Debug)]
pub enum Piece {
    Rows(Vec<Row>),
    /// A long diff, its colours, and the columns it is indented by.
    Diff(Box<Laid>, Box<Shades>, usize),
}

impl Piece {
    /// The number of its rows.
    pub fn height(&self) -> usize {
        match self {
            Piece::Rows(rows) => rows.len(),
            Piece::Diff(laid, ..) => laid.height(),
        }
    }

    /// Some of its rows.
    pub fn rows(&self, range: Range<usize>) -> Vec<Row> {
        match self {
            Piece::Rows(rows) => rows.get(range).unwrap_or_default().to_vec(),
            Piece::Diff(laid, shades, indent) => {
                let indent = Span::blanks(*indent);
                let rows = laid.rows(range, &**shades).into_iter();
                rows.flat_map(|row| prefixed(vec![row], &indent)).collect()
            }
        }
    }

    /// The first of some of its rows that has the words, which are in lower case; the last one when not `next`.
    pub fn find(&self, range: Range<usize>, words: &str, next: bool) -> Option<usize> {
        match self {
            Piece::Rows(rows) => {
                let has =
                    |at: &usize| rows.get(*at).is_some_and(|row| row.plain().to_lowercase().contains(words));
                let mut range = range.start..range.end.min(rows.len());
                if next { range.find(has) } else { range.rfind(has) }
            }
            Piece::Diff(laid, ..) => laid.find(range, words, next),
        }
    }
}

/// A block that an extension shows.
pub(super) fn shown(
    title: &Clean,
    body: &Words,
    format: Format,
    look: Look<'_>,
    shades: &Shades,
) -> Vec<Piece> {
    let mut out = Vec::new();
    if !title.is_empty() {
        let line = Row::from(Span::new(title.clone(), Token::CustomMessageLabel).attrs(Attrs::BOLD));
        out.extend(wrap::row(&line, look.wrap()));
    }
    let long = Some(body.raw()).filter(|text| format == Format::Diff && text.len() > LONG_DIFF);
    if let Some(laid) = long.and_then(|text| laid(text, look, Some(title))) {
        return vec![Piece::Rows(out), Piece::Diff(Box::new(laid), Box::new(shades.clone()), 0)];
    }
    out.extend(match format {
        Format::Text => wrap::text(&body.clean(), Token::CustomMessageText, look.wrap()),
        Format::Markdown => formatted(body, format, look, shades),
        Format::Diff => diff(body.raw(), look, shades, Some(title)),
    });
    vec![Piece::Rows(out)]
}

pub(super) fn group(group: &Tools, done: bool, look: Look<'_>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut out = Vec::new();
    let ended = group.calls.iter().take_while(|c| c.outcome().is_some()).count();
    let limit = look.settings.tool_history_limit;
    let hidden = if look.depth == Depth::Whole { 0 } else { ended.saturating_sub(limit) };
    if done && group.calls.len() >= TALLY_FROM {
        let ends = group.calls.iter().filter_map(|c| Some((&*c.label.category, c.outcome()?)));
        let tally = Clean::collapsed(&spec::tally(ends));
        out.extend(wrap::row(&Row::from(Span::new(tally, Token::Muted)), look.wrap()));
    }
    if hidden > 0 {
        out.push(history_hint(hidden, look));
    }
    for call in group.calls.iter().skip(hidden) {
        if let Some(laid) = long_diff(call, look.narrower(2)) {
            out.extend(head(call, look).0);
            pieces.push(Piece::Rows(std::mem::take(&mut out)));
            pieces.push(Piece::Diff(Box::new(laid), Box::new(call.shades.clone()), 2));
        } else {
            one(&mut out, call, look);
        }
    }
    pieces.push(Piece::Rows(out));
    pieces
}

/// A group of so many calls gets a line that sums it up.
const TALLY_FROM: usize = 3;
/// Bytes of a diff from which its rows are made only when they are looked at.
const LONG_DIFF: usize = 64 * 1024;

/// A call's diff, when it is long and to be shown whole.
fn long_diff(call: &Call, look: Look<'_>) -> Option<Laid> {
    call.outcome()?;
    let text = call.diff().filter(|text| look.depth == Depth::Whole && text.len() > LONG_DIFF)?;
    laid(text, look, call.object().as_deref()).filter(|_| call.rendered.is_none())
}

/// A long diff that is laid out at once and painted later; none when it has no rows.
fn laid(text: &str, look: Look<'_>, above: Option<&Clean>) -> Option<Laid> {
    let parsed = diff::parse_plain(text);
    if parsed.rows.is_empty() {
        return None;
    }
    let named = names_one(&parsed, above);
    Some(Laid::new(parsed, how(look), |row| named && row.kind == diff::Kind::File))
}

fn one(out: &mut Vec<Row>, call: &Call, look: Look<'_>) {
    let (rows, cut) = head(call, look);
    out.extend(rows);
    let inner = look.narrower(2);
    let body = match (look.depth, call.state) {
        (Depth::Brief, CallState::Running { .. }) => tail(call, inner.settings.tool_preview_rows, inner),
        (Depth::Brief, CallState::Ended { outcome, .. }) => brief(call, outcome, cut, inner),
        (Depth::Whole, CallState::Running { .. }) => tail(call, usize::MAX, inner),
        (Depth::Whole, CallState::Ended { .. }) => whole(call, inner),
        (_, CallState::Waiting) => Vec::new(),
    };
    // A diff has grounds of its own; a rail beside them would only be noise.
    let is_diff = call.diff().is_some() && call.outcome().is_some();
    let rail = if is_diff { Span::blanks(2) } else { Span::decor("│ ", Token::ToolDetailRail) };
    out.extend(body.into_iter().flat_map(|row| prefixed(vec![row], &rail)));
}

/// Sign, verb, target, time and summary, on at most `tool_label_rows` rows; whether they were more.
fn head(call: &Call, look: Look<'_>) -> (Vec<Row>, bool) {
    let (mark, token) = sign(call);
    let verb = Clean::collapsed(spec::verb(&call.label, call.outcome()));
    let mut line = Row::from(Span::new(verb, Token::ToolTitle).attrs(Attrs::BOLD));
    if let Some(target) = call.object() {
        line.push(Span::new(" ", Token::Plain));
        Row::reviewed(&target.into_owned().on_one_line(), Token::ToolTitle)
            .spans
            .into_iter()
            .for_each(|span| line.push(span));
    } else if call.outcome().is_some_and(|outcome| outcome != Outcome::Completed) {
        // `Failed` alone would not say what.
        line.push(Span::new(" ", Token::Plain));
        line.push(Span::new(Clean::collapsed(&call.name), Token::ToolTitle));
    }
    let given = call.summary.as_ref().map(Clean::as_str);
    let content = call.content.clean();
    let suffix = call.outcome().and_then(|outcome| spec::suffix(outcome, given, content.as_str()));
    for (more, token) in
        [(suffix.unwrap_or_default(), Token::Muted), (&took(call.state, look.now), Token::Dim)]
    {
        let more = Clean::collapsed(more);
        if !more.is_empty() {
            line.push(Span::new("  ", Token::Plain));
            line.push(Span::new(more, token));
        }
    }
    let limit = match look.depth {
        Depth::Brief => look.settings.tool_label_rows.max(1),
        Depth::Whole => usize::MAX,
    };
    let inner = look.narrower(2);
    let mut rows = wrap::row(&line, inner.wrap());
    let cut = rows.len() > limit;
    if cut {
        rows.truncate(limit);
        if let Some(last) = rows.last_mut() {
            last.push(Span::new("…", Token::Muted));
            *last = last.ellipsis(inner.columns);
        }
    }
    (prefixed(rows, &Span::decor(mark, token)), cut)
}

/// The newest live output, one row a line.
fn tail(call: &Call, rows: usize, look: Look<'_>) -> Vec<Row> {
    let line = |line: &Clean| {
        // Of the line that is being written its end is shown; of the others no more than their first row is looked at.
        let open = std::ptr::eq(line, call.tail.writing());
        let line = if open { line.clone() } else { line.chars(look.columns.saturating_mul(8)) };
        let mut rows = wrap::row(&Row::reviewed(&line, Token::ToolOutput), look.code()).into_iter();
        let row = if open { rows.next_back() } else { rows.next() };
        row.unwrap_or_default()
    };
    call.tail.last(rows).into_iter().map(line).collect()
}

/// A failure stays visible; a diff is shown; all else is behind the reader.
fn brief(call: &Call, outcome: Outcome, cut: bool, look: Look<'_>) -> Vec<Row> {
    if let Some(text) = call.diff() {
        return brief_diff(text, look, &call.shades, call.object().as_deref());
    }
    match outcome {
        // The row says it; the display is for the reader.
        Outcome::Failed if call.summary.is_some() && call.display.is_some() => Vec::new(),
        // A reason of one line stands in the call's own row already, if there was room for it.
        Outcome::Failed | Outcome::TimedOut | Outcome::Blocked
            if call.summary.is_none() && !cut && is_line(call) =>
        {
            Vec::new()
        }
        Outcome::Failed | Outcome::TimedOut | Outcome::Blocked => {
            let rows = output(call, look);
            last_rows(rows, look.settings.tool_preview_rows.max(1), look)
        }
        Outcome::Completed | Outcome::Cancelled => Vec::new(),
    }
}

fn is_line(call: &Call) -> bool {
    !call.content.clean().as_str().trim().contains('\n')
}

/// The last rows, with a count of those before.
fn last_rows(mut rows: Vec<Row>, limit: usize, look: Look<'_>) -> Vec<Row> {
    while rows.last().is_some_and(Row::is_empty) {
        rows.pop();
    }
    let more = rows.len().saturating_sub(limit);
    if more > 1 {
        rows.drain(..more);
        let hint = Clean::one_line(&format!("… {more} rows before · ctrl+o to view"));
        rows.insert(0, Row::from(Span::decor(hint, Token::Dim)).ellipsis(look.columns));
    }
    rows
}

/// What the tool gave, under review.
fn output(call: &Call, look: Look<'_>) -> Vec<Row> {
    wrap::row(&Row::reviewed(&call.content.reviewed(), Token::ToolOutput), look.code())
}

/// Everything: what an extension made of it, else the display, else the content.
fn whole(call: &Call, look: Look<'_>) -> Vec<Row> {
    let Some(shown) = call.rendered.as_ref().or(call.display.as_ref()) else { return output(call, look) };
    let mut rows = match shown.format {
        Format::Diff if call.rendered.is_none() => {
            diff(&shown.text, look, &call.shades, call.object().as_deref())
        }
        format => formatted(&Words::Raw(shown.text.clone()), format, look, &call.rendered_shades),
    };
    rows.extend(rest(shown.cut, look));
    rows
}

/// A diff as rows below what names it; one without hunks is plain text.
pub(super) fn diff(text: &str, look: Look<'_>, colours: &dyn RowColours, above: Option<&Clean>) -> Vec<Row> {
    let parsed = diff::parse(text);
    if parsed.rows.is_empty() {
        return wrap::row(&Row::reviewed(&Clean::review(text), Token::ToolOutput), look.code());
    }
    let (how, named) = (how(look), names_one(&parsed, above));
    let shown = (0..parsed.rows.len()).filter(|index| !(named && is_file(&parsed, *index)));
    shown.flat_map(|index| diff::row(&parsed, index, how, colours)).collect()
}

/// The first rows of a diff, however long it is, and a count of the lines that follow.
fn brief_diff(text: &str, look: Look<'_>, colours: &dyn RowColours, above: Option<&Clean>) -> Vec<Row> {
    let head = diff::head(text, HEAD_LINES, HEAD_BYTES);
    let rest = text.get(head.len()..).unwrap_or_default();
    let parsed = diff::parse(head);
    let mut rows = Vec::new();
    let mut seen = 0;
    if parsed.rows.is_empty() {
        rows = wrap::row(&Row::reviewed(&Clean::review(head), Token::ToolOutput), look.code());
    }
    let named = names_one(&parsed, above) && !rest.contains("\n+++ ");
    for index in 0..parsed.rows.len() {
        if rows.len() > DIFF_ROWS {
            break;
        }
        seen = index + 1;
        if !(named && is_file(&parsed, index)) {
            rows.extend(diff::row(&parsed, index, how(look), colours));
        }
    }
    let after = rest.bytes().filter(|byte| *byte == b'\n').count();
    let cut = rows.len().saturating_sub(DIFF_ROWS);
    if after > 0 || cut > 1 || seen < parsed.rows.len() {
        rows.truncate(DIFF_ROWS);
        let more = parsed.rows.len().saturating_sub(seen) + after + usize::from(cut > 0);
        let s = if more == 1 { "" } else { "s" };
        let hint = Clean::one_line(&format!("… {more} more line{s} · ctrl+o to view"));
        rows.push(Row::from(Span::decor(hint, Token::Dim)).ellipsis(look.columns));
    }
    rows
}

fn how(look: Look<'_>) -> How {
    How { width: Some(look.columns.max(1)), tab: look.settings.tab_width }
}

/// Whether the name of the only file stands above already and nothing more is to be said of it.
fn names_one(diff: &Diff, above: Option<&Clean>) -> bool {
    let [file] = diff.files.as_slice() else { return false };
    file.notes.is_empty() && above.is_some_and(|above| same_file(above.as_str(), file.name.as_str()))
}

/// Whether one path is the other, or its end.
fn same_file(one: &str, two: &str) -> bool {
    let ends = |long: &str, short: &str| long.strip_suffix(short).is_some_and(|rest| rest.ends_with('/'));
    one == two || ends(one, two) || ends(two, one)
}

fn is_file(diff: &Diff, index: usize) -> bool {
    diff.rows.get(index).is_some_and(|row| row.kind == diff::Kind::File)
}

pub(super) fn shell(out: &mut Vec<Row>, call: &Call, hidden: bool, look: Look<'_>) {
    let sign = if hidden { "!! " } else { "! " };
    let command = call.object().map(std::borrow::Cow::into_owned).unwrap_or_default();
    let rows = wrap::text(&command, Token::BashMode, look.narrower(sign.len()).wrap());
    out.extend(prefixed(rows, &Span::decor(sign, Token::BashMode)));
    let inner = look.narrower(2);
    let body = match (call.state, look.depth) {
        (CallState::Ended { .. }, Depth::Whole) => whole(call, inner),
        (CallState::Ended { .. }, Depth::Brief) => {
            let rows = output(call, inner);
            last_rows(rows, SHELL_ROWS, inner)
        }
        (CallState::Running { .. } | CallState::Waiting, _) => {
            tail(call, inner.settings.tool_preview_rows.max(1), inner)
        }
    };
    let rail = Span::decor("│ ", Token::ToolDetailRail);
    out.extend(body.into_iter().flat_map(|row| prefixed(vec![row], &rail)));
    if let Some(outcome) = call.outcome()
        && outcome != Outcome::Completed
    {
        let text = Clean::one_line(&format!("{} {}", outcome.name(), took(call.state, look.now)));
        out.push(Row::from(Span::new(text, Token::Error)).ellipsis(look.columns));
    }
}
