//! The composer between its two rules: prompt sign, draft, selection, markers, and the cursor.

use ratatui::layout::Rect;

use super::rows::Canvas;
use super::{Scene, rect};
use crate::model::text::clean::Clean;
use crate::model::text::row::{Attrs, Row, Span, Token};
use crate::model::tui::composer::LineMode;
use crate::model::tui::draft::Draft;
use crate::model::tui::geometry::{Regions, text_area};
use crate::model::tui::wrapped::{self, Frame};

/// Paints the composer and gives the cursor's cell.
pub fn paint(canvas: &mut Canvas<'_>, scene: Scene<'_>, regions: Regions) -> Option<(u16, u16)> {
    let composer = &scene.tui.composer;
    // The `!` itself stands in the text.
    let token = match composer.mode() {
        LineMode::Prompt => effort(scene),
        LineMode::Shell | LineMode::HiddenShell => Token::BashMode,
    };
    let rule = if composer.mode() == LineMode::Prompt { Token::Border } else { Token::BashMode };
    let area = rect(regions.composer);
    let text = rect(text_area(regions.composer));
    let drawn = field(canvas, text, &composer.draft, scene.tui.frame());
    if text.x > area.x && drawn.above == 0 {
        canvas.row(area, &Row::from(Span::decor("› ", token).attrs(Attrs::BOLD)));
    }
    rules(canvas, regions, rule, &drawn);
    drawn.cursor
}

/// The prompt sign has the colour of the effort in force.
fn effort(scene: Scene<'_>) -> Token {
    match scene.tui.status.front.effort.as_deref() {
        Some("off" | "none") => Token::ThinkingOff,
        Some("minimal") => Token::ThinkingMinimal,
        Some("low") => Token::ThinkingLow,
        Some("medium") => Token::ThinkingMedium,
        Some("high") => Token::ThinkingHigh,
        Some("xhigh") => Token::ThinkingXhigh,
        Some("max") => Token::ThinkingMax,
        _ => Token::Accent,
    }
}

/// A field as it was painted.
pub struct Drawn {
    pub cursor: Option<(u16, u16)>,
    /// Rows of the text above and below those shown.
    pub above: usize,
    pub below: usize,
}

/// Paints a draft so that the cursor's row is among those shown.
pub fn field(canvas: &mut Canvas<'_>, area: Rect, draft: &Draft, frame: Frame) -> Drawn {
    let lines = wrapped::lines(draft, frame);
    let (row, column) = wrapped::place(draft, &lines, draft.cursor(), frame);
    let height = usize::from(area.height);
    let first = wrapped::first_row(lines.len(), height, row);
    let shown = lines.get(first..lines.len().min(first + height)).unwrap_or_default();
    canvas.rows(area, &wrapped::rows(draft, shown, frame));
    let cursor = (!area.is_empty()).then(|| {
        let column = column.min(usize::from(area.width) - 1) as u16;
        let row = (row - first).min(height - 1) as u16;
        (area.x + column, area.y + row)
    });
    Drawn { cursor, above: first, below: lines.len().saturating_sub(first + height) }
}

/// Paints the rules above and below; they tell of rows that are not shown.
pub fn rules(canvas: &mut Canvas<'_>, regions: Regions, token: Token, drawn: &Drawn) {
    for (area, hidden, arrow) in [(regions.above, drawn.above, '↑'), (regions.below, drawn.below, '↓')] {
        let note = if hidden > 0 { format!(" {arrow} {hidden} more ") } else { String::new() };
        rule(canvas, rect(area), token, &Clean::one_line(&note));
    }
}

/// A line across with a note near its right end.
pub fn rule(canvas: &mut Canvas<'_>, area: Rect, token: Token, note: &Clean) {
    let note = Span::decor(note.clone(), Token::Dim);
    let width = usize::from(area.width);
    let tail = 2;
    let note = if note.width() + tail + 1 > width { Span::default() } else { note };
    let line = |columns: usize| Span::decor(Clean::one_line(&"─".repeat(columns)), token);
    let mut row = Row::empty();
    match note.width() {
        0 => row.push(line(width)),
        taken => {
            row.push(line(width - taken - tail));
            row.push(note);
            row.push(line(tail));
        }
    }
    canvas.row(area, &row);
}
