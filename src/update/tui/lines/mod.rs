//! The accessible look: facts become plain lines, written once, downward. No row is rewritten, nothing moves, and every
//! change of state is said in words, so that a screen reader can follow.

mod ask;
mod rest;
mod surfaces;
mod tools;
mod typed;

pub use rest::rest;
pub use surfaces::{asked, show};
pub use typed::{end, interrupt, line};

use super::route::ModalOp;
use super::{apply, questions, rebuild, transcript};
use crate::model::effect::Effect;
use crate::model::event;
use crate::model::fact::{ExtFact, Fact, OpenReason, SessionFact, TextFact, TurnFact};
use crate::model::provider::{Message, User, UserKind};
use crate::model::session::Sessions;
use crate::model::session::notice::{Notice, Tone};
use crate::model::text::clean::Clean;
use crate::model::text::template;
use crate::model::tui::Tui;
use crate::model::tui::block::Body;
use crate::model::tui::lines::{Lines, Turning, Voice};
use crate::model::tui::modal::{Owner, Question};
use crate::update::{Cx, Out};

/// Writes whole lines.
pub fn say(lines: &mut Lines, text: &str, out: &mut Out) {
    let text = Clean::vanish(text);
    let text = text.as_str().trim_end_matches('\n');
    let head = if std::mem::take(&mut lines.open) { "\n" } else { "" };
    out.effect(Effect::Out(format!("{head}{text}\n").into()));
}

/// Something became true.
pub fn observe(lines: &mut Lines, fact: &Fact, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    match fact {
        Fact::Turn(_, fact) => turn(lines, fact, cx, out),
        Fact::Text(_, fact) => text(lines, fact, cx, out),
        Fact::Tool(_, fact) => tools::observe(lines, fact, sessions, cx, out),
        Fact::Session(_, fact) => session(lines, fact, cx, out),
        Fact::Notice(Notice { transient: false, tone, text }) if !text.trim().is_empty() => {
            flush(lines, out);
            say(lines, &toned(*tone, text), out);
        }
        Fact::Ext(ExtFact::Launched) => welcome(lines, cx, out),
        Fact::Notice(_) | Fact::Ext(_) => {}
    }
}

fn toned(tone: Tone, text: &str) -> String {
    let word = match tone {
        Tone::Info => "Note",
        Tone::Warning => "Warning",
        Tone::Error => "Error",
    };
    format!("{word}: {text}")
}

fn turn(lines: &mut Lines, fact: &TurnFact, cx: &Cx<'_>, out: &mut Out) {
    match fact {
        TurnFact::Began { message, .. } => {
            lines.turn = Some(Turning { since: cx.now, failed: false, waited: Default::default() });
            heard(lines, message, "You: ", out);
            say(lines, "e is thinking.", out);
        }
        TurnFact::Steered { message, .. } => {
            flush(lines, out);
            match echoed(lines, message) {
                true => say(lines, "Your message has joined the conversation.", out),
                false => heard(lines, message, "Joined the conversation: ", out),
            }
        }
        TurnFact::Joined { message, .. } => heard(lines, message, "You: ", out),
        TurnFact::Queue { waiting } => {
            if waiting.len() > lines.queued {
                say(lines, "Your message waits for the next step.", out);
            }
            lines.queued = waiting.len();
        }
        TurnFact::Waiting { extension, .. } => {
            if lines.turn.as_mut().is_none_or(|turn| turn.waited.insert(extension.clone())) {
                say(lines, &format!("Waiting for the extension {extension}."), out);
            }
        }
        TurnFact::Retry { attempt, limit, wait, fault } => {
            let seconds = wait.0.div_ceil(1000);
            let trouble = event::trouble(fault);
            say(lines, &format!("Trying again in {seconds} s, {attempt} of {limit}: {trouble}"), out);
        }
        TurnFact::Recovered => say(lines, "The model answers again.", out),
        TurnFact::Compacting => say(lines, "The conversation is being summarised to make room.", out),
        TurnFact::Compacted { summary } => {
            say(lines, &format!("The conversation is summarised:\n{summary}"), out);
        }
        TurnFact::CompactFailed { reason } => say(lines, &format!("Warning: not compacted: {reason}"), out),
        TurnFact::Warning(text) => say(lines, &toned(Tone::Warning, text), out),
        TurnFact::Failed { fault, .. } => {
            flush(lines, out);
            if let Some(turn) = &mut lines.turn {
                turn.failed = true;
            }
            say(lines, &toned(Tone::Error, &event::headline(fault)), out);
        }
        TurnFact::Ended { aborted } => ended(lines, *aborted, cx, out),
        TurnFact::Started { .. }
        | TurnFact::Asking { .. }
        | TurnFact::Waited { .. }
        | TurnFact::Usage { .. } => {}
    }
}

fn ended(lines: &mut Lines, aborted: bool, cx: &Cx<'_>, out: &mut Out) {
    flush(lines, out);
    let turn = lines.turn.take();
    let (took, failed) = turn.map_or((0, false), |turn| (cx.now.since(turn.since).0, turn.failed));
    let word = match (aborted, failed) {
        (true, _) => "Interrupted",
        (false, true) => "Stopped",
        (false, false) => "Done",
    };
    let took = match (took / 60_000, took / 1000 % 60) {
        (0, seconds) => format!("{seconds} s"),
        (minutes, seconds) => format!("{minutes} min {seconds} s"),
    };
    say(lines, &format!("{word} after {took}."), out);
    lines.queued = 0;
}

/// Whether this is the prompt that was typed here; it is not said twice.
fn echoed(lines: &mut Lines, message: &Message) -> bool {
    let Message::User(user) = message else { return false };
    let text = user.text();
    let found = lines.typed.iter().position(|typed| **typed == *text.trim());
    found.is_some_and(|at| lines.typed.remove(at).is_some())
}

/// A message of the person's that the terminal may not have shown.
fn heard(lines: &mut Lines, message: &Message, who: &str, out: &mut Out) {
    let Message::User(user) = message else { return };
    if echoed(lines, message) {
        return;
    }
    if let Some(text) = told(user, who) {
        flush(lines, out);
        say(lines, &text, out);
    }
}

/// What the transcript tells of a message, in words.
fn told(user: &User, who: &str) -> Option<String> {
    // A `!command` has been said as it ran.
    if user.kind == UserKind::Shell {
        return None;
    }
    Some(match transcript::said(user)? {
        Body::User { text, attachments } => {
            let names: String = attachments.iter().map(|name| format!("\nAttached: {name}")).collect();
            format!("{who}{}{names}", text.clean())
        }
        Body::Summary { text } => format!("Summary: {}", text.clean()),
        Body::Notice { tone, text } => toned(tone, text.clean().as_str()),
        _ => return None,
    })
}

fn text(lines: &mut Lines, fact: &TextFact, cx: &Cx<'_>, out: &mut Out) {
    match fact {
        TextFact::Text(piece) => stream(lines, piece, Voice::Reply, out),
        TextFact::Reasoning(piece) if cx.config.settings.show_thinking => {
            stream(lines, piece, Voice::Thinking, out);
        }
        TextFact::Reasoning(_) => {}
        TextFact::Calling { .. } | TextFact::Committed { .. } => flush(lines, out),
        TextFact::Dropped => lines.said = Default::default(),
    }
}

fn stream(lines: &mut Lines, piece: &str, voice: Voice, out: &mut Out) {
    if lines.said.voice != voice {
        flush(lines, out);
        lines.said.voice = voice;
    }
    let whole = lines.said.line.push(piece);
    spoken(lines, whole, out);
}

/// What has no line end yet is said: nothing more of it comes.
fn flush(lines: &mut Lines, out: &mut Out) {
    let rest = lines.said.line.finish().filter(|rest| !rest.trim().is_empty());
    spoken(lines, rest.into_iter().collect(), out);
    lines.said.begun = false;
}

/// Whole lines of a reply or a thought; blank ones at its beginning say nothing.
fn spoken(lines: &mut Lines, whole: Vec<String>, out: &mut Out) {
    let mut text = String::new();
    for line in whole {
        if !lines.said.begun && line.trim().is_empty() {
            continue;
        }
        if !lines.said.begun && lines.said.voice == Voice::Thinking {
            text += "Thinking: ";
        }
        lines.said.begun = true;
        text += line.trim_end();
        text.push('\n');
    }
    if !text.is_empty() {
        let head = if std::mem::take(&mut lines.open) { "\n" } else { "" };
        out.effect(Effect::Out(format!("{head}{text}").into()));
    }
}

fn session(lines: &mut Lines, fact: &SessionFact, cx: &Cx<'_>, out: &mut Out) {
    match fact {
        SessionFact::Opened { reason: OpenReason::Startup, branch, .. } if branch.is_empty() => {
            // Extensions may yet have it start elsewhere.
            if !cx.boot.calling.pending {
                welcome(lines, cx, out);
            }
        }
        SessionFact::Opened { reason: OpenReason::New, branch, .. } if branch.is_empty() => {
            say(lines, "A new session.", out);
        }
        SessionFact::Opened { reason, branch, .. } => reopened(lines, Some(*reason), branch, out),
        SessionFact::Moved { branch, prompt } => {
            reopened(lines, None, branch, out);
            if let Some(prompt) = prompt {
                say(lines, &format!("The prompt that was taken back: {prompt}"), out);
            }
        }
        SessionFact::Returned { text, .. } => {
            if lines.typed.back() == Some(text) {
                lines.typed.pop_back();
            }
            say(lines, &format!("Not sent: {text}"), out);
        }
        SessionFact::Named { name: Some(name) } => {
            say(lines, &format!("This session is called {name}."), out);
        }
        SessionFact::Named { name: None } => say(lines, "This session has no name.", out),
        SessionFact::Model { model } => {
            let name: std::sync::Arc<str> = model.to_string().into();
            if lines.model != name {
                say(lines, &format!("Model: {name}."), out);
                lines.model = name;
            }
        }
        SessionFact::Effort { effort } => {
            let effort = effort.clone().unwrap_or_default();
            if lines.effort != effort && !effort.is_empty() {
                say(lines, &format!("Effort: {effort}."), out);
            }
            lines.effort = effort;
        }
        SessionFact::Nearing { .. }
        | SessionFact::NoTurn { .. }
        | SessionFact::Saved { .. }
        | SessionFact::Context { .. } => {}
    }
}

fn welcome(lines: &mut Lines, cx: &Cx<'_>, out: &mut Out) {
    let place = template::home_path(&cx.boot.cwd, &cx.boot.user_home);
    let text = format!("e {}. Directory: {place}.\nType /help for help.", cx.boot.version);
    say(lines, &text, out);
}

/// Another conversation, or another branch of this one: its last words, to go on from.
fn reopened(lines: &mut Lines, reason: Option<OpenReason>, branch: &super::Branch, out: &mut Out) {
    lines.said = Default::default();
    lines.calls.clear();
    if let Body::Notice { text, .. } = rebuild::opened(reason, branch.len()) {
        say(lines, &format!("{}.", text.clean()), out);
    }
    let messages = || branch.iter().rev().map(|(_, message)| &**message);
    let asked = messages().find_map(|message| match message {
        Message::User(user) if user.kind == UserKind::Prompt => told(user, "You: "),
        _ => None,
    });
    let replied = messages().find_map(|message| match message {
        Message::Assistant(reply) if !reply.text().trim().is_empty() => Some(reply.text()),
        _ => None,
    });
    for text in asked.into_iter().chain(replied) {
        say(lines, &text, out);
    }
}

/// A signal ends the process.
pub fn ending(tui: &mut Tui, out: &mut Out) {
    let Some(lines) = &mut tui.lines else { return };
    flush(lines, out);
    say(lines, "Ended by a signal.", out);
    lines.left = true;
}

/// Ends the process.
fn leave(tui: &mut Tui, cx: &mut Cx<'_>, out: &mut Out) {
    if let Some(lines) = &mut tui.lines {
        flush(lines, out);
        say(lines, "Leaving.", out);
        lines.left = true;
    }
    questions::leave(tui, cx, out);
}

/// Answers the open question as a key would, and says what became of it.
fn press(tui: &mut Tui, op: ModalOp, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    let chosen = tui.modals.open().and_then(|modal| match (op, &modal.question) {
        (ModalOp::Answer, Question::Select { list, .. }) => {
            Some(format!("Chosen: {}.", list.chosen()?.label))
        }
        (ModalOp::Cancel, _) if modal.owner == Owner::ScopedModel => None,
        (ModalOp::Cancel, _) => Some("Cancelled.".to_owned()),
        _ => None,
    });
    if let Some(lines) = &mut tui.lines {
        lines.asked.clear();
        chosen.into_iter().for_each(|text| say(lines, &text, out));
    }
    apply::modal(tui, op, sessions, cx, out);
}
