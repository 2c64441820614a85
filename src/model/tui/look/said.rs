//! What a person said: whole when it is of a usual length; of a long paste its beginning and its end, with a count of
//! what lies between.

use super::super::block::Words;
use super::super::viewer::Depth;
use super::Look;
use crate::model::text::clean::Clean;
use crate::model::text::clip;
use crate::model::text::row::{Join, Row, Span, Token};
use crate::model::text::wrap;
use crate::model::tool::limit;

/// Rows that are shown whole in the transcript; of more only so many at the beginning and at the end.
const ROWS: usize = 24;
const FIRST: usize = 16;
const LAST: usize = 4;
/// Bytes that these rows are looked for in, at either end of a text that is longer than both.
const HEAD: usize = 16 * 1024;
const TAIL: usize = 4 * 1024;

pub(super) fn rows(text: &Words, look: Look<'_>) -> Vec<Row> {
    if look.depth == Depth::Whole {
        return wrapped(&text.clean(), look);
    }
    let raw = text.raw().trim_end();
    if raw.len() <= HEAD + TAIL {
        let rows = wrapped(&Clean::vanish(raw), look);
        if rows.len() <= ROWS {
            return rows;
        }
        let tail = rows.get(rows.len() - LAST..).unwrap_or_default().to_vec();
        return shortened(raw, rows, tail, look);
    }
    let head = wrapped(&Clean::vanish(clip::bytes(raw, HEAD)), look);
    let mut from = raw.len() - TAIL;
    while !raw.is_char_boundary(from) {
        from += 1;
    }
    let mut tail = wrapped(&Clean::vanish(raw.get(from..).unwrap_or_default()), look);
    tail.drain(..tail.len().saturating_sub(LAST));
    shortened(raw, head, tail, look)
}

fn wrapped(text: &Clean, look: Look<'_>) -> Vec<Row> {
    wrap::text(text, Token::UserMessageText, look.wrap())
}

/// The first rows, what is left out, and the last rows.
fn shortened(raw: &str, mut rows: Vec<Row>, tail: Vec<Row>, look: Look<'_>) -> Vec<Row> {
    rows.truncate(FIRST);
    let begun = |rows: &[Row]| rows.iter().filter(|row| row.join == Join::Line).count();
    let lines = 1 + raw.bytes().filter(|byte| *byte == b'\n').count();
    let more = match lines.saturating_sub(begun(&rows) + begun(&tail)) {
        // One long line, or a few.
        0..LAST => {
            let shown: usize = rows.iter().chain(&tail).map(|row| row.plain().len()).sum();
            format!("{} more", limit::bytes(raw.len().saturating_sub(shown)))
        }
        lines => format!("{lines} more lines"),
    };
    let hint = Clean::one_line(&format!("… {more} · ctrl+o to view"));
    rows.push(Row::from(Span::decor(hint, Token::Dim)).ellipsis(look.columns));
    rows.extend(tail);
    rows
}
