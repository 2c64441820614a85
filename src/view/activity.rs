//! The activity row: what a running turn does and for how long; between turns, what extensions put there.

use ratatui::layout::Rect;

use super::Scene;
use super::rows::Canvas;
use crate::model::config::words;
use crate::model::text::clean::Clean;
use crate::model::text::row::{Attrs, Row, Span, Token};
use crate::model::text::template;
use crate::model::tui::slots::Place;
use crate::model::tui::status::{Phase, Running};

/// Characters of a token, about: for what streamed since the last count.
const CHARACTERS: usize = 4;

/// Paints the row at the bottom of its area.
pub fn paint(canvas: &mut Canvas<'_>, scene: Scene<'_>, area: Rect) {
    if area.is_empty() {
        return;
    }
    let area = Rect { y: area.bottom() - 1, height: 1, ..area };
    let extensions = Clean::collapsed(&scene.tui.slots.joined(Place::Activity, None));
    let row = match &scene.tui.status.running {
        Some(running) => during(scene, running, &extensions, area.width),
        None => Row::of(extensions, Token::Dim),
    };
    canvas.row(area, &row.ellipsis(area.width.into()));
}

fn during(scene: Scene<'_>, running: &Running, extensions: &Clean, width: u16) -> Row {
    let seconds = running.now.since(running.since).as_secs();
    let value = |token: &str| match token {
        "phase" => phase(scene, running),
        "elapsed" => Clean::collapsed(&template::elapsed(running.now.since(running.since).0)),
        "tokens" => {
            let usage = running.usage;
            let streamed = (running.streamed / CHARACTERS) as u64;
            let up = usage.context().saturating_sub(usage.output);
            Clean::collapsed(&template::traffic(up, usage.output + streamed))
        }
        "activity" => extensions.clone(),
        _ => Clean::default(),
    };
    let text = template::fill(&scene.model.config.layout.activity, &value);
    let dot = if seconds.is_multiple_of(2) { "● " } else { "○ " };
    let mut row = Row::from(Span::decor(dot, Token::Accent)).with(Span::new(text, Token::Muted));
    let hint = Clean::collapsed(&scene.model.config.settings.words.interrupt_hint);
    let room = usize::from(width).saturating_sub(row.width());
    let hint = Span::decor(hint, Token::Dim).attrs(Attrs::NONE);
    if hint.width() + 2 <= room {
        row.push(Span::blanks(room - hint.width()));
        row.push(hint);
    }
    row
}

fn phase(scene: Scene<'_>, running: &Running) -> Clean {
    let words = &scene.model.config.settings.words;
    Clean::collapsed(&match &running.phase {
        Phase::Thinking => words.phase_thinking.to_string(),
        Phase::Tools | Phase::Shell => words.phase_tools.to_string(),
        Phase::Compacting => words.phase_compacting.to_string(),
        Phase::Retry { attempt, limit, until, cause } => {
            let wait = until.since(running.now).0.div_ceil(1000).to_string();
            let (attempt, limit) = (attempt.to_string(), limit.to_string());
            let values =
                [("attempt", &*attempt), ("limit", &limit), ("seconds", &wait), ("cause", cause.as_str())];
            words::fill(&words.phase_retry, &values)
        }
        Phase::Hook { name } => words::fill(&words.phase_hook, &[("name", name.as_str())]),
    })
}
