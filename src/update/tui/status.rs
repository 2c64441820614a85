//! Facts become what the status and activity rows tell.

use super::timers;
use crate::model::event;
use crate::model::ext::HookKind;
use crate::model::fact::{Fact, SessionFact, TextFact, ToolFact, TurnFact};
use crate::model::provider::{Message, Usage};
use crate::model::session::{Session, Sessions, turn};
use crate::model::text::clean::Clean;
use crate::model::time::{At, Span};
use crate::model::tui::status::{Flash, Phase, Running, Status, Steer};
use crate::model::tui::{Due, Tui};
use crate::update::{Cx, Out};

/// How long a transient notice stays.
const FLASH: Span = Span(3_000);

/// Takes a fact into the rows.
pub fn observe(tui: &mut Tui, fact: &Fact, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    match fact {
        Fact::Turn(_, fact) => turn(&mut tui.status, fact, sessions, cx.now),
        Fact::Text(_, TextFact::Text(piece) | TextFact::Reasoning(piece)) => {
            if let Some(running) = &mut tui.status.running {
                running.streamed += piece.chars().count();
            }
        }
        Fact::Text(..) => {}
        Fact::Tool(_, fact) => tool(&mut tui.status, fact, sessions, cx.now),
        Fact::Session(_, fact) => session(&mut tui.status, fact, sessions),
        Fact::Notice(notice) if notice.transient => flash(tui, &notice.text, cx, out),
        Fact::Notice(_) | Fact::Ext(_) => {}
    }
    tick(tui, cx, out);
}

/// Shows a line on the status row for a moment.
pub fn flash(tui: &mut Tui, text: &str, cx: &mut Cx<'_>, out: &mut Out) {
    let text = Clean::collapsed(text);
    if text.is_empty() {
        return;
    }
    tui.status.flash = Some(Flash { text });
    // Lines stay.
    if tui.lines.is_some() {
        return;
    }
    timers::set(&mut tui.pending, Due::Flash, FLASH, cx, out);
}

/// A person went on: what was said for a moment has been read.
pub fn unflash(tui: &mut Tui, out: &mut Out) {
    if tui.status.flash.take().is_some() {
        timers::drop_it(&mut tui.pending, Due::Flash, out);
    }
}

/// The one-second timer lives exactly as long as something runs.
pub fn tick(tui: &mut Tui, cx: &mut Cx<'_>, out: &mut Out) {
    if tui.lines.is_some() {
        return;
    }
    match &mut tui.status.running {
        Some(running) => {
            running.now = cx.now;
            timers::ensure(&mut tui.pending, Due::Tick, Span::secs(1), cx, out);
        }
        None => timers::drop_it(&mut tui.pending, Due::Tick, out),
    }
}

fn phase(status: &mut Status, phase: Phase, now: At) {
    let running = status.running.get_or_insert_with(|| Running { since: now, now, ..Running::default() });
    running.phase = phase;
}

fn turn(status: &mut Status, fact: &TurnFact, sessions: &Sessions, now: At) {
    match fact {
        TurnFact::Began { .. } => {
            status.running = Some(Running { since: now, now, ..Running::default() });
        }
        TurnFact::Asking { .. } | TurnFact::Recovered | TurnFact::Started { .. } => {
            phase(status, Phase::Thinking, now);
        }
        TurnFact::Waiting { extension, .. } => {
            phase(status, Phase::Hook { name: Clean::collapsed(extension) }, now);
        }
        TurnFact::Waited { hook, .. } => {
            let back = match hook {
                HookKind::ToolCall | HookKind::ToolResult => Phase::Tools,
                HookKind::CompactSummary => Phase::Compacting,
                HookKind::Input | HookKind::BeforeTurn | HookKind::Render => Phase::Thinking,
            };
            phase(status, back, now);
        }
        TurnFact::Retry { attempt, limit, wait, fault } => {
            let until = At { mono: now.mono + wait.0, wall: now.wall + wait.0 };
            let cause = Clean::collapsed(event::trouble(fault));
            phase(status, Phase::Retry { attempt: *attempt, limit: *limit, until, cause }, now);
        }
        TurnFact::Compacting => phase(status, Phase::Compacting, now),
        TurnFact::Compacted { .. } | TurnFact::CompactFailed { .. } => {
            // By hand, outside a turn, nothing else ends it.
            if sessions.front().is_none_or(Session::idle) {
                status.running = None;
            }
        }
        TurnFact::Usage { usage, cost } => used(status, *usage, *cost),
        TurnFact::Queue { waiting } => status.queue = waiting.iter().map(|m| steer(m)).collect(),
        TurnFact::Ended { .. } => {
            status.running = None;
            status.queue.clear();
        }
        TurnFact::Failed { .. }
        | TurnFact::Steered { .. }
        | TurnFact::Joined { .. }
        | TurnFact::Warning(_) => {}
    }
}

fn used(status: &mut Status, usage: Usage, cost: Option<f64>) {
    if let Some(running) = &mut status.running {
        running.usage += usage;
        running.streamed = 0;
    }
    let front = &mut status.front;
    front.usage += usage;
    front.responses += 1;
    if let Some(cost) = cost {
        *front.cost.get_or_insert(0.0) += cost;
    }
}

fn steer(message: &Message) -> Steer {
    let Message::User(user) = message else { return Steer::default() };
    let text = user.text();
    let images = user.content.iter().filter_map(|part| match part {
        crate::model::provider::UserPart::Image(image) => Some(image.clone()),
        crate::model::provider::UserPart::Text(_) => None,
    });
    Steer { shown: Clean::collapsed(&text), images: images.collect(), text: text.into() }
}

fn tool(status: &mut Status, fact: &ToolFact, sessions: &Sessions, now: At) {
    let front = sessions.front();
    let shell = front.is_some_and(|s| s.shell.is_some());
    let running = front.and_then(Session::turn);
    let tools = running.is_some_and(|t| matches!(t.phase, turn::Phase::Tools(_)));
    match fact {
        ToolFact::Batch { .. } if tools => phase(status, Phase::Tools, now),
        // A person's own command beside a reply leaves the row to the reply.
        ToolFact::Batch { .. } if running.is_none() => phase(status, Phase::Shell, now),
        ToolFact::End { .. } if running.is_none() && !shell => status.running = None,
        ToolFact::Batch { .. } | ToolFact::Start { .. } | ToolFact::Output { .. } | ToolFact::End { .. } => {}
    }
}

fn session(status: &mut Status, fact: &SessionFact, sessions: &Sessions) {
    let front = &mut status.front;
    match fact {
        SessionFact::Opened { path, .. } => {
            front.path.clone_from(path);
            if let Some(session) = sessions.front() {
                front.name = session.log.name.as_deref().map(Clean::collapsed);
                front.usage = session.tally.usage;
                front.cost = session.tally.cost;
                front.responses = 0;
                front.context.0 = session.tally.context;
            }
            status.queue.clear();
            status.running = None;
        }
        SessionFact::Named { name } => front.name = name.as_deref().map(Clean::collapsed),
        SessionFact::Saved { path } => front.path = Some(path.clone()),
        SessionFact::Model { model } => front.model = Some(model.clone()),
        SessionFact::Effort { effort } => front.effort.clone_from(effort),
        SessionFact::Context { tokens, window } => front.context = (*tokens, *window),
        SessionFact::Moved { .. }
        | SessionFact::Nearing { .. }
        | SessionFact::NoTurn { .. }
        | SessionFact::Returned { .. } => {}
    }
}
