//! A draft on rows of a width: soft wrap that loses nothing, places to columns and back, and the rows as painted.

use std::ops::Range;

use crate::model::text::clean::Clean;
use crate::model::text::row::{Row, Span, Token};
use crate::model::text::width::{tab_stop, width};

use super::draft::{Draft, Unit};

/// What stands for a character that cannot be shown.
const REPLACEMENT: &str = "\u{FFFD}";
/// What a masked cluster shows.
const MASK: &str = "•";

/// How a draft is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// Columns, at least 1.
    pub columns: usize,
    pub tab: usize,
    /// Every cluster shows as a mask.
    pub secret: bool,
}

/// One row: a stretch of the draft, newlines left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub range: Range<usize>,
    /// The row ends with a newline or the text; else it goes on in the next row.
    pub hard: bool,
}

/// The text of one unit as it may be shown, without tabs and newlines.
fn shown(unit: &Unit<'_>, frame: Frame) -> Clean {
    if frame.secret {
        return Clean::from(MASK);
    }
    if let [byte] = unit.text.as_bytes()
        && (b' '..=b'~').contains(byte)
    {
        return Clean::one_line(unit.text);
    }
    let clean = Clean::one_line(unit.text);
    let whole = unit.mark.is_some() || clean.as_str() == unit.text;
    if whole && width(clean.as_str()) > 0 { clean } else { Clean::from(REPLACEMENT) }
}

/// Columns of a unit that starts at `column`.
fn columns(unit: &Unit<'_>, column: usize, frame: Frame) -> usize {
    match unit.text {
        _ if frame.secret => 1,
        "\t" => tab_stop(column, frame.tab).min(frame.columns.max(1)).saturating_sub(column).max(1),
        text => match text.as_bytes() {
            [byte] if (b' '..=b'~').contains(byte) => 1,
            _ => width(shown(unit, frame).as_str()),
        },
    }
}

/// The rows of a draft; at least one. A word moves to the next row when it fits there. Behind a row that is full to
/// the edge at a line's end there is an empty one, so that the cursor always has a cell.
pub fn lines(draft: &Draft, frame: Frame) -> Vec<Line> {
    let wide = frame.columns.max(1);
    let mut out = Vec::new();
    let (mut start, mut column) = (0, 0);
    // Behind the last white space of the row: where it may break.
    let mut break_at: Option<(usize, usize)> = None;
    for unit in draft.units() {
        if unit.text == "\n" && unit.mark.is_none() {
            end_line(&mut out, start..unit.start, column, wide);
            (start, column, break_at) = (unit.end, 0, None);
            continue;
        }
        let mut advance = columns(&unit, column, frame);
        // Twice where what moved down with the word still leaves no room.
        while column + advance > wide && column > 0 {
            let at = match break_at {
                Some((at, before)) if at > start && unit.text != " " => {
                    column -= before;
                    at
                }
                _ => {
                    column = 0;
                    unit.start
                }
            };
            out.push(Line { range: start..at, hard: false });
            start = at;
            break_at = None;
            advance = columns(&unit, column, frame);
        }
        column += advance;
        if matches!(unit.text, " " | "\t") || unit.mark.is_some() {
            break_at = Some((unit.end, column));
        }
    }
    end_line(&mut out, start..draft.text().len(), column, wide);
    out
}

fn end_line(out: &mut Vec<Line>, range: Range<usize>, column: usize, wide: usize) {
    let end = range.end;
    let full = column >= wide;
    out.push(Line { range, hard: !full });
    if full {
        out.push(Line { range: end..end, hard: true });
    }
}

/// Row and column of a place in the draft.
pub fn place(draft: &Draft, lines: &[Line], at: usize, frame: Frame) -> (usize, usize) {
    let row = lines.partition_point(|l| l.range.start <= at).saturating_sub(1);
    let Some(line) = lines.get(row) else { return (0, 0) };
    let mut column = 0;
    for unit in draft.units_from(line.range.start).take_while(|u| u.end <= at) {
        column += columns(&unit, column, frame);
    }
    (row, column.min(frame.columns.saturating_sub(1)))
}

/// The place in the draft that is nearest to a column of a row.
pub fn at(draft: &Draft, lines: &[Line], row: usize, column: usize, frame: Frame) -> usize {
    let Some(line) = lines.get(row.min(lines.len().saturating_sub(1))) else { return 0 };
    let (mut here, mut at) = (0, line.range.start);
    for unit in draft.units_from(line.range.start).take_while(|u| u.end <= line.range.end) {
        let next = here + columns(&unit, here, frame);
        // The end of a soft-wrapped row is the start of the next.
        if next > column || (!line.hard && unit.end == line.range.end) {
            break;
        }
        (here, at) = (next, unit.end);
    }
    at
}

/// The rows as they are painted: markers in their colour, the selection on its ground.
pub fn rows(draft: &Draft, lines: &[Line], frame: Frame) -> Vec<Row> {
    let selection = draft.selection().unwrap_or(0..0);
    lines
        .iter()
        .map(|line| {
            let mut row = Row::empty();
            let mut column = 0;
            for unit in draft.units_from(line.range.start).take_while(|u| u.end <= line.range.end) {
                let advance = columns(&unit, column, frame);
                let token = if unit.mark.is_some() { Token::AttachmentText } else { Token::Plain };
                let mut span = match unit.text {
                    "\t" if !frame.secret => Span::blanks(advance),
                    _ => Span::new(shown(&unit, frame).columns(frame.columns), token),
                };
                if selection.contains(&unit.start) {
                    span = span.bg(Token::SelectedBg);
                }
                row.push(span);
                column += advance;
            }
            row
        })
        .collect()
}

/// The first row shown of `count` when `height` are visible and the cursor is in row `cursor`.
pub fn first_row(count: usize, height: usize, cursor: usize) -> usize {
    // Stays at the end as far as the cursor allows, so that the newest text is seen.
    count.saturating_sub(height).min(cursor)
}
