//! `e -p` as an observer: assistant text to stdout, notices to stderr, or JSON events; then the result and the exit status.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::model::ask::Ask;
use crate::model::effect::Effect;
use crate::model::event;
use crate::model::fact::{ExtFact, Fact, SessionFact, TextFact, ToolFact, TurnFact};
use crate::model::front::Print;
use crate::model::provider::Message;
use crate::model::session::notice::{Notice, Tone};
use crate::model::session::{LogState, Sessions};
use crate::model::text::clean::Clean;
use crate::model::tool::Outcome;
use crate::model::wire::ext::Show;
use crate::model::wire::log::usage_value;
use crate::update::{Cx, Out};

/// One fact happened. Everything the process prints and how it ends comes from here.
pub fn observe(print: &mut Print, fact: &Fact, sessions: &Sessions, _cx: &mut Cx<'_>, out: &mut Out) {
    if print.ended {
        return;
    }
    remember(print, fact);
    if print.json {
        for event in event::of(fact, print.facts.model.as_ref()) {
            out.effect(Effect::Out(Arc::from(event::line(&event))));
        }
        match fact {
            Fact::Turn(_, TurnFact::Failed { fault, .. }) => {
                error_line(print, &format!("error: {}", event::headline(fault)), out);
            }
            Fact::Notice(Notice { tone: Tone::Error, text, .. }) => {
                error_line(print, &format!("error: {text}"), out);
            }
            _ => {}
        }
    } else {
        say(print, fact, out);
    }
    match fact {
        Fact::Ext(ExtFact::Shown(shown)) => show(print, shown, out),
        Fact::Turn(_, TurnFact::Ended { .. }) => {
            let failed = print.outcome.error.is_some() || print.outcome.aborted;
            print.due = Some(print.signal.unwrap_or(u8::from(failed)));
        }
        Fact::Session(_, SessionFact::NoTurn { status }) => finish(print, *status, out),
        Fact::Ext(ExtFact::Refused { status, why }) => {
            error_line(print, &format!("error: {why}"), out);
            print.outcome.error = Some(why.clone());
            finish(print, *status, out);
        }
        _ => {}
    }
    if let Some(status) = print.due
        && (print.signal.is_some() || !is_being_made(sessions))
    {
        finish(print, status, out);
    }
}

/// What a command of an extension shows: its title and text on stdout.
fn show(print: &mut Print, show: &Show, out: &mut Out) {
    if print.json {
        return;
    }
    let title = show.title.as_str();
    let head = if title.is_empty() { String::new() } else { format!("{title}\n") };
    out.effect(Effect::Out(format!("{head}{}\n", show.body.as_str().trim_end()).into()));
}

/// The log's path is on its way: the result names it.
fn is_being_made(sessions: &Sessions) -> bool {
    sessions.front().is_some_and(|s| matches!(s.log.state, LogState::Open { path: None, .. }))
}

/// A signal ends the process. A running turn is interrupted by that, and its end tells the result; without one it is told here.
pub fn signal(print: &mut Print, status: u8, out: &mut Out) {
    if print.running {
        print.signal = Some(status);
        out.ask(Ask::Exit(status));
    } else if !print.ended {
        print.outcome.aborted = true;
        finish(print, status, out);
    }
}

/// What the result will need.
fn remember(print: &mut Print, fact: &Fact) {
    match fact {
        Fact::Turn(session, turn) => remember_turn(print, *session, turn),
        Fact::Text(_, text) => remember_text(print, text),
        Fact::Tool(_, ToolFact::Batch { calls }) => print.tally.calls += calls.len() as u64,
        Fact::Tool(_, ToolFact::End { outcome, .. }) => {
            print.tally.failures += u64::from(*outcome != Outcome::Completed);
        }
        Fact::Tool(_, ToolFact::Start { .. } | ToolFact::Output { .. }) => {}
        Fact::Session(session, about) => {
            print.session = Some(*session);
            match about {
                SessionFact::Model { model } => print.facts.model = Some(model.clone()),
                SessionFact::Effort { effort } => print.facts.effort.clone_from(effort),
                SessionFact::Saved { path } => print.facts.path = Some(path.clone()),
                SessionFact::Opened { path, .. } => print.facts.path.clone_from(path),
                SessionFact::NoTurn { status } if *status != 0 => {
                    print.outcome.error =
                        print.outcome.error.take().or_else(|| print.outcome.warnings.last().cloned());
                }
                _ => {}
            }
        }
        Fact::Notice(Notice { transient: false, text, .. }) => print.outcome.warnings.push(text.clone()),
        Fact::Notice(_) | Fact::Ext(_) => {}
    }
}

fn remember_turn(print: &mut Print, session: crate::model::id::SessionId, fact: &TurnFact) {
    match fact {
        TurnFact::Began { .. } => {
            print.session = Some(session);
            print.running = true;
        }
        TurnFact::Usage { usage, cost } => {
            print.tally.usage += *usage;
            if let Some(cost) = cost {
                *print.tally.cost.get_or_insert(0.0) += cost;
            }
        }
        TurnFact::Warning(text) | TurnFact::CompactFailed { reason: text } => {
            print.outcome.warnings.push(text.clone());
        }
        TurnFact::Failed { fault, attempt, limit, partial_bytes } => {
            let model = print.facts.model.as_ref();
            print.outcome.error = Some(fault.summary.clone());
            print.outcome.error_details =
                Some(event::error_details(fault, model, *attempt, *limit, *partial_bytes));
        }
        TurnFact::Ended { aborted } => {
            print.running = false;
            print.outcome.aborted = *aborted;
        }
        _ => {}
    }
}

fn remember_text(print: &mut Print, fact: &TextFact) {
    let said = &mut print.said;
    match fact {
        TextFact::Text(delta) => {
            if said.committed == said.output.len() && !said.output.is_empty() && !said.output.ends_with('\n')
            {
                said.output.push('\n');
            }
            said.output.push_str(delta);
        }
        TextFact::Committed { message, .. } => {
            if let Message::Assistant(reply) = &**message {
                let text = reply.text();
                if !text.trim().is_empty() {
                    said.last = text;
                }
            }
            said.committed = said.output.len();
        }
        TextFact::Dropped => said.output.truncate(said.committed),
        TextFact::Reasoning(_) | TextFact::Calling { .. } => {}
    }
}

/// Plain mode.
fn say(print: &mut Print, fact: &Fact, out: &mut Out) {
    match fact {
        Fact::Text(_, TextFact::Text(delta)) => text(print, delta, out),
        Fact::Text(_, TextFact::Committed { .. } | TextFact::Dropped) => {
            print.said.reply_over = print.said.line_open
        }
        Fact::Text(_, TextFact::Reasoning(_) | TextFact::Calling { .. }) => {}
        Fact::Turn(_, turn) => say_turn(print, turn, out),
        Fact::Notice(Notice { transient: false, text, tone }) => {
            let label = match tone {
                Tone::Info => "",
                Tone::Warning => "warning: ",
                Tone::Error => "error: ",
            };
            error_line(print, &format!("{label}{text}"), out);
        }
        Fact::Notice(_) | Fact::Tool(..) | Fact::Session(..) | Fact::Ext(_) => {}
    }
}

fn text(print: &mut Print, delta: &str, out: &mut Out) {
    let said = &mut print.said;
    let clean = said.cleaner.push(delta);
    if clean.is_empty() {
        return;
    }
    let break_first = std::mem::take(&mut said.reply_over) && said.line_open;
    let text = if break_first { format!("\n{}", clean.as_str()) } else { clean.as_str().to_owned() };
    said.line_open = !text.ends_with('\n');
    out.effect(Effect::Out(Arc::from(text)));
}

fn say_turn(print: &mut Print, fact: &TurnFact, out: &mut Out) {
    match fact {
        TurnFact::Retry { attempt, limit, wait, fault } => {
            let seconds = wait.0.div_ceil(1000);
            error_line(
                print,
                &format!("retrying {attempt}/{limit} in {seconds}s: {}", event::trouble(fault)),
                out,
            );
        }
        TurnFact::Compacting => {
            error_line(print, "summarising the conversation, which had filled the window", out)
        }
        TurnFact::CompactFailed { reason } => {
            let line = format!("warning: the conversation could not be shortened: {reason}");
            error_line(print, &line, out);
        }
        TurnFact::Warning(text) => error_line(print, &format!("warning: {text}"), out),
        TurnFact::Failed { fault, .. } => {
            error_line(print, &format!("error: {}", event::headline(fault)), out)
        }
        // A reader who went away is not told that the writer stopped; an output that fails was told.
        TurnFact::Ended { aborted: true } if !matches!(print.signal, Some(0 | 1)) => {
            error_line(print, "interrupted", out)
        }
        _ => {}
    }
}

/// One line for stderr, on a line of its own also where stdout and stderr are one terminal.
fn error_line(print: &mut Print, line: &str, out: &mut Out) {
    end_line(print, out);
    out.effect(Effect::Err(Arc::from(Clean::vanish(line).as_str())));
}

/// Gives stdout the line end that the text so far lacks.
fn end_line(print: &mut Print, out: &mut Out) {
    let held = print.said.cleaner.finish();
    if !held.is_empty() {
        print.said.line_open = true;
        out.effect(Effect::Out(Arc::from(held.as_str())));
    }
    if std::mem::take(&mut print.said.line_open) {
        out.effect(Effect::Out(Arc::from("\n")));
    }
}

/// The last words, and the exit.
fn finish(print: &mut Print, status: u8, out: &mut Out) {
    print.ended = true;
    print.due = None;
    if print.json {
        out.effect(Effect::Out(Arc::from(event::line(&result(print, status)))));
    } else {
        end_line(print, out);
    }
    out.ask(Ask::Exit(status));
}

/// The last line of `--json` (`cli.md`).
fn result(print: &Print, status: u8) -> Value {
    let error = match &print.outcome.error {
        Some(error) => Some(error.to_string()),
        None if print.outcome.aborted => Some("interrupted".to_owned()),
        None if status != 0 => Some("it could not be done".to_owned()),
        None => None,
    };
    json!({
        "type": "result",
        "output": print.said.output,
        "final_output": print.said.last,
        "model": print.facts.model.as_ref().map(ToString::to_string),
        "effort": print.facts.effort.as_deref(),
        "aborted": print.outcome.aborted,
        "error": error,
        "error_details": print.outcome.error_details,
        "warnings": print.outcome.warnings.iter().map(|w| &**w).collect::<Vec<_>>(),
        "usage": usage_value(print.tally.usage),
        "cost_usd": print.tally.cost,
        "tools": {"calls": print.tally.calls, "failures": print.tally.failures},
        "session": print.facts.path.as_deref(),
    })
}
