//! A few rows that show what a theme paints, below the list it is chosen from.

use ratatui::layout::Rect;

use super::rows::Canvas;
use crate::model::text::clean::Clean;
use crate::model::text::row::{Attrs, Row, Span, Token};
use crate::model::tui::modal::SAMPLE_ROWS;

/// Rows the list above keeps.
const LIST: u16 = 4;

/// Takes its rows from the end of the area, when the list keeps enough.
pub fn paint(canvas: &mut Canvas<'_>, area: &mut Rect) {
    let height = SAMPLE_ROWS as u16;
    if area.height < LIST + height {
        return;
    }
    area.height -= height;
    let below = Rect { y: area.y + area.height, height, ..*area };
    canvas.rows(below, &rows());
}

fn rows() -> [Row; SAMPLE_ROWS] {
    use Token::*;
    let row = |spans: &[(&'static str, Token)]| {
        spans.iter().fold(Row::from(Span::blanks(2)), |row, (text, token)| row.with(words(text, *token)))
    };
    [
        Row::empty(),
        row(&[
            ("Heading", MdHeading),
            ("  words ", Text),
            ("`code`", MdCode),
            (" muted", Muted),
            (" dim", Dim),
            ("  ✓ done", Success),
            ("  ! careful", Warning),
            ("  ✗ failed", Error),
        ]),
        row(&[
            ("fn", SyntaxKeyword),
            (" area", SyntaxFunction),
            ("(", SyntaxPunctuation),
            ("side", SyntaxVariable),
            (": ", SyntaxPunctuation),
            ("u32", SyntaxType),
            (") ", SyntaxPunctuation),
            ("\"text\"", SyntaxString),
            (" 42 ", SyntaxNumber),
            ("// a comment", SyntaxComment),
        ]),
        changed(
            ("  41 ", "- ", "if next == ", "' '", " {"),
            ToolDiffRemovedMarker,
            ToolDiffRemoved,
            ToolDiffRemovedBg,
            ToolDiffRemovedWordBg,
        ),
        changed(
            ("  41 ", "+ ", "if next", ".is_whitespace()", " {"),
            ToolDiffAddedMarker,
            ToolDiffAdded,
            ToolDiffAddedBg,
            ToolDiffAddedWordBg,
        ),
    ]
}

fn words(text: &'static str, token: Token) -> Span {
    let bold = if token == Token::MdHeading { Attrs::BOLD } else { Attrs::NONE };
    Span::new(Clean::from(text), token).attrs(bold)
}

/// A line of a diff: number, marker, text with a changed word in it.
fn changed(
    (number, marker, before, word, after): (
        &'static str,
        &'static str,
        &'static str,
        &'static str,
        &'static str,
    ),
    mark: Token,
    text: Token,
    ground: Token,
    changed: Token,
) -> Row {
    let mut row = Row::from(words(number, Token::Dim))
        .with(words(marker, mark))
        .with(words(before, text))
        .with(words(word, text).bg(changed))
        .with(words(after, text));
    row.fill = Some(ground);
    row
}
