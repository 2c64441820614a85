//! Lists to choose from: the composer's pickers, and the lists of questions.

use ratatui::layout::Rect;

use super::rows::Canvas;
use crate::model::text::clean::Clean;
use crate::model::text::row::{Attrs, Row, Span, Token};
use crate::model::text::width::width;
use crate::model::tui::list::{Item, List};
use crate::model::tui::picker::Picker;

/// Columns of labels at most, so that descriptions line up.
const LABEL: usize = 36;

/// Paints a picker.
pub fn paint(canvas: &mut Canvas<'_>, picker: &Picker, area: Rect) {
    let empty = if picker.loading.is_some() || picker.hold > 0 { "looking…" } else { "nothing matches" };
    list(canvas, &picker.list, area, &Clean::from(empty));
}

/// Paints the window of a list around its cursor, or `empty`.
pub fn list(canvas: &mut Canvas<'_>, list: &List, area: Rect, empty: &Clean) {
    let columns = usize::from(area.width);
    if list.is_empty() {
        let row = Row::from(Span::blanks(2)).with(Span::decor(empty.clone(), Token::Dim));
        canvas.row(Rect { height: area.height.min(1), ..area }, &row.ellipsis(columns));
        return;
    }
    let height = usize::from(area.height);
    let widest = list.window(height).map(|(_, item)| label_width(item)).max().unwrap_or(0);
    let label = widest.min(LABEL).min(columns / 2).max(1);
    let rows: Vec<Row> = list
        .window(height)
        .map(|(at, item)| {
            let more = more(list, at, height);
            line(item, at == list.cursor(), label, columns, more)
        })
        .collect();
    canvas.rows(area, &rows);
}

fn label_width(item: &Item) -> usize {
    usize::from(item.indent) + width(item.label.as_str())
}

/// What stands at the right end of the first and last row of a window that does not show everything.
fn more(list: &List, at: usize, height: usize) -> &'static str {
    let mut shown = list.window(height).map(|(at, _)| at);
    let first = shown.next().unwrap_or(0);
    let last = shown.last().unwrap_or(first);
    match at {
        _ if at == first && first > 0 => " ↑",
        _ if at == last && last + 1 < list.len() => " ↓",
        _ if list.len() > height => "  ",
        _ => "",
    }
}

/// `› label  description   right`, to the full width.
fn line(item: &Item, chosen: bool, label: usize, columns: usize, more: &'static str) -> Row {
    let look = if chosen { Attrs::BOLD } else { Attrs::NONE };
    let name = if chosen { Token::UserMessageText } else { Token::Dim };
    let rest = if chosen { Token::Muted } else { Token::Dim };
    let mut row = Row::empty();
    row.push(Span::decor(if chosen { "› " } else { "  " }, Token::Accent));
    row.push(Span::blanks(item.indent.into()));
    row.push(Span::new(item.label.clone(), name).attrs(look));
    if item.current {
        row.push(Span::decor(" ✓", Token::Success));
    }
    let tail = Row::from(Span::new(item.right.clone(), rest)).with(Span::decor(more, Token::Dim));
    let room = columns.saturating_sub(if tail.is_empty() { 0 } else { tail.width() + 1 });
    if !item.description.is_empty() {
        row = row.ellipsis((label + 4).max(2));
        let gap = (label + 4).saturating_sub(row.width());
        row.push(Span::blanks(gap));
        row.push(Span::new(item.description.clone(), rest));
    }
    let mut row = row.ellipsis(room);
    if row.width() + tail.width() < columns && !tail.is_empty() {
        row.push(Span::blanks(columns - row.width() - tail.width()));
        tail.spans.into_iter().for_each(|span| row.push(span));
    }
    row.fill = chosen.then_some(Token::SelectedBg);
    row
}
