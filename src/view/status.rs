//! The status row: model, effort and context on the left; on the right what matters most right now.

use ratatui::layout::Rect;

use super::Scene;
use super::rows::Canvas;
use crate::model::text::clean::Clean;
use crate::model::text::row::{Row, Span, Token};
use crate::model::text::template;
use crate::model::tui::geometry::{self, Split};
use crate::model::tui::slots::Place;

/// Between two segments.
const GAP: &str = "   ";

/// Paints the row.
pub fn paint(canvas: &mut Canvas<'_>, scene: Scene<'_>, area: Rect) {
    let width = usize::from(area.width);
    if let Some((hint, asker)) = hint(scene) {
        let mut row = fitting(hint.as_str(), width).ellipsis(width);
        let asker = Row::from(Span::decor(asker, Token::Muted));
        if !asker.is_empty() && row.width() + asker.width() + 2 <= width {
            row.push(Span::blanks(width - row.width() - asker.width()));
            asker.spans.into_iter().for_each(|span| row.push(span));
        }
        canvas.row(area, &row);
        return;
    }
    let right = right(scene);
    let mut row = left(scene);
    if right.is_empty() {
        // The left has it alone.
    } else if row.width() + right.width() + 2 <= width {
        row.push(Span::blanks(width - row.width() - right.width()));
        right.spans.into_iter().for_each(|span| row.push(span));
    } else {
        row = right;
    }
    canvas.row(area, &row.ellipsis(width));
}

/// A key hint in so many columns: what can be guessed goes first, and how to leave stays.
pub fn fitting(hint: &str, columns: usize) -> Row {
    const DOT: &str = " · ";
    let mut parts: Vec<&str> = hint.split(DOT).collect();
    loop {
        let row = Row::from(Span::decor(Clean::one_line(&parts.join(DOT)), Token::Dim));
        if row.width() <= columns || parts.len() < 2 {
            return row;
        }
        parts.remove(0);
    }
}

/// The key hint of a question, picker or panel replaces the row; beside it, the extension that asks.
fn hint(scene: Scene<'_>) -> Option<(Clean, Clean)> {
    if scene.tui.status.armed {
        return None;
    }
    match (scene.tui.modals.open(), &scene.tui.picker) {
        (Some(modal), _) => Some((Clean::from(modal.hint()), modal.asker.clone())),
        (None, Some(picker)) => Some((Clean::from(picker.hint()), Clean::default())),
        // What is only there for a moment comes first.
        (None, None) if scene.tui.status.flash.is_some() => None,
        (None, None) => scene.tui.panel().map(|panel| (panel.hint(), Clean::default())),
    }
}

fn left(scene: Scene<'_>) -> Row {
    let mut row = Row::empty();
    let segments = scene.model.config.layout.left.iter();
    for (at, text) in
        segments.map(|segment| template::fill(segment, &|token| value(scene, token))).enumerate()
    {
        if text.is_empty() {
            continue;
        }
        if !row.is_empty() {
            row.push(Span::decor(GAP, Token::Muted));
        }
        row.push(Span::new(text, if at == 0 { Token::Accent } else { Token::Muted }));
    }
    row
}

/// The right side.
fn right(scene: Scene<'_>) -> Row {
    let status = &scene.tui.status;
    let words = &scene.model.config.settings.words;
    let said = if status.armed {
        Some((Clean::collapsed(&words.exit_hint), Token::Warning))
    } else if let Some(flash) = &status.flash {
        Some((flash.text.clone(), Token::Text))
    } else if status.pasting {
        Some((Clean::from("reading the clipboard…"), Token::Muted))
    } else if let Some(hidden) = hidden(scene) {
        Some((hidden, Token::Muted))
    } else if !scene.tui.transcript.scroll.is_tail() && scene.tui.canvas() == geometry::Canvas::Full {
        Some((Clean::collapsed(&words.scroll_hint), Token::Muted))
    } else {
        None
    };
    if let Some((text, token)) = said {
        return Row::from(Span::decor(text, token));
    }
    let mut row = Row::empty();
    let segments = scene.model.config.layout.right.iter();
    for text in segments.map(|segment| template::fill(segment, &|token| value(scene, token))) {
        if !row.is_empty() && !text.is_empty() {
            row.push(Span::decor(GAP, Token::Muted));
        }
        row.push(Span::new(text, Token::Muted));
    }
    row
}

/// How to reach the one of conversation and pane that there is no room for.
fn hidden(scene: Scene<'_>) -> Option<Clean> {
    let pane = scene.tui.pane.as_ref()?;
    let (title, focus) = (&pane.title, pane.place.focus);
    match scene.tui.split() {
        Split::Beside { .. } => None,
        Split::Pane => Some(Clean::collapsed(&format!("conversation · {focus}"))),
        Split::None => Some(Clean::collapsed(&format!("{title} pane · {focus}"))),
    }
}

/// What a token of a status template stands for; an unknown one is empty.
fn value(scene: Scene<'_>, token: &str) -> Clean {
    let front = &scene.tui.status.front;
    let slot = |name| Clean::collapsed(&scene.tui.slots.joined(Place::Status, name));
    match token {
        "model" => front.model.as_ref().map(|model| Clean::collapsed(&model.id)).unwrap_or_default(),
        "effort" => front.effort.as_ref().map(|effort| Clean::collapsed(effort)).unwrap_or_default(),
        "context" => Clean::collapsed(&template::context(front.context.0, front.context.1)),
        "cwd" => Clean::collapsed(&template::home_path(&scene.model.boot.cwd, &scene.model.boot.user_home)),
        "session" => front.name.clone().unwrap_or_default(),
        "branch" => front.branch.clone().unwrap_or_default(),
        "cost" => Clean::collapsed(&template::cost(front.cost)),
        "tokens" => {
            let up = front.usage.context().saturating_sub(front.usage.output);
            Clean::collapsed(&template::traffic(up, front.usage.output))
        }
        "status" => slot(None),
        _ => token.strip_prefix("status:").map(|name| slot(Some(name))).unwrap_or_default(),
    }
}
