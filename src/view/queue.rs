//! Messages that wait for the next tool boundary, one row each.

use ratatui::layout::Rect;

use super::Scene;
use super::rows::Canvas;
use crate::model::text::clean::Clean;
use crate::model::text::row::{Row, Span, Token};

/// Paints the oldest ones; the last row counts those that found no place.
pub fn paint(canvas: &mut Canvas<'_>, scene: Scene<'_>, area: Rect) {
    let waiting = &scene.tui.status.queue;
    let room = usize::from(area.height);
    let shown = if waiting.len() > room { room.saturating_sub(1) } else { waiting.len() };
    let mut rows: Vec<Row> = waiting.iter().take(shown).map(|steer| waits(steer.shown.clone())).collect();
    if shown < waiting.len() {
        let text = Clean::one_line(&format!("  … {} more queued", waiting.len() - shown));
        rows.push(Row::from(Span::decor(text, Token::Dim)));
    }
    let rows: Vec<Row> = rows.iter().map(|row| row.ellipsis(area.width.into())).collect();
    canvas.rows(area, &rows);
}

fn waits(text: Clean) -> Row {
    Row::from(Span::decor("  ↳ queued ", Token::Dim)).with(Span::new(text, Token::Muted))
}
