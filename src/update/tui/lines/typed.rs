//! Typed lines, ctrl+c and the end of the input.

use std::sync::Arc;

use super::{ask, leave, press, say};
use crate::model::ask::{Ask, SessionAsk};
use crate::model::provider::key::looks_like_key;
use crate::model::session::{Session, Sessions};
use crate::model::tui::Tui;
use crate::model::tui::draft::Fragment;
use crate::model::tui::modal::Question;
use crate::update::tui::compose;
use crate::update::tui::route::ModalOp;
use crate::update::{Cx, Out};

/// Typed prompts that are remembered until they are in the conversation.
const TYPED: usize = 64;

/// A whole line: the answer to the open question, a part of a longer text, or what is sent.
pub fn line(tui: &mut Tui, text: &str, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    let question = tui.modals.open().map(|modal| matches!(modal.question, Question::Editor(_)));
    let Some(lines) = &mut tui.lines else { return };
    // The terminal ended the row as enter was pressed.
    lines.open = false;
    lines.armed = false;
    if question == Some(false) {
        return ask::answer(tui, text, sessions, cx, out);
    }
    if let Some(begun) = text.strip_suffix('\\') {
        lines.held += begun;
        lines.held.push('\n');
        return;
    }
    let whole = std::mem::take(&mut lines.held) + text;
    match question {
        Some(_) => ask::answer(tui, &whole, sessions, cx, out),
        None => send(tui, &whole, sessions, cx, out),
    }
}

fn send(tui: &mut Tui, text: &str, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return;
    }
    if let Some(lines) = tui.lines.as_mut().filter(|_| looks_like_key(trimmed).is_none()) {
        lines.typed.push_back(Arc::from(trimmed));
        if lines.typed.len() > TYPED {
            lines.typed.pop_front();
        }
    }
    tui.composer.draft.set(Fragment::whole(&compose::normal(text)));
    compose::submit(tui, sessions, cx, out);
}

/// ctrl+c: cancels a question, else interrupts, else leaves at the second press.
pub fn interrupt(tui: &mut Tui, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    let asking = tui.modals.open().is_some();
    let Some(lines) = &mut tui.lines else { return };
    // The terminal wrote `^C` or stands behind the prompt.
    lines.open = true;
    lines.held.clear();
    if asking {
        press(tui, ModalOp::Cancel, sessions, cx, out);
    } else if sessions.front().is_some_and(|s| !Session::idle(s)) {
        out.ask(Ask::Session(sessions.front, SessionAsk::Interrupt));
    } else if lines.armed {
        leave(tui, cx, out);
    } else {
        lines.armed = true;
        say(lines, "Press ctrl+c again to leave, or type on.", out);
    }
}

/// Nothing more will be typed.
pub fn end(tui: &mut Tui, cx: &mut Cx<'_>, out: &mut Out) {
    if tui.lines.is_some() {
        leave(tui, cx, out);
    }
}
