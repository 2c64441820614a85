//! An extension's panel below the composer, whose lower rule is its upper divider: title, a blank row, its lines
//! indented by two, a divider.

use ratatui::layout::Rect;

use super::composer::rule;
use super::rows::Canvas;
use crate::model::text::clean::Clean;
use crate::model::text::row::{Attrs, Row, Span, Token};
use crate::model::tui::panel::{FRAME_ROWS, Panel};

/// Columns in front of a line.
const INDENT: usize = 2;

pub fn paint(canvas: &mut Canvas<'_>, panel: &Panel, area: Rect) {
    let width = usize::from(area.width);
    // The frame is what gives way where there is little room.
    let framed = area.height > FRAME_ROWS;
    let frame = if framed { FRAME_ROWS } else { 1 };
    let title = Row::from(Span::new(panel.title.clone(), Token::UserMessageText).attrs(Attrs::BOLD));
    let mut rows = vec![title.ellipsis(width)];
    rows.extend(framed.then(Row::empty));
    let room = usize::from(area.height.saturating_sub(frame));
    rows.extend(panel.shown(room).iter().map(|row| {
        let mut line = Row::from(Span::blanks(INDENT));
        row.cut(width.saturating_sub(INDENT)).spans.into_iter().for_each(|span| line.push(span));
        line
    }));
    let last = Rect { y: area.y.saturating_add(rows.len() as u16), height: 1, ..area };
    canvas.rows(area, &rows);
    if framed && last.bottom() <= area.bottom() {
        rule(canvas, last, Token::Border, &Clean::default());
    }
}
