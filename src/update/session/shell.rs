//! `!command`: a command the person runs beside the conversation; and `/undo`, which runs the same way.

use std::sync::Arc;

use serde_json::json;

use super::{admit, batch};
use crate::model::effect::Effect;
use crate::model::fact::{Fact, ToolFact};
use crate::model::provider::{Message, User, UserKind, UserPart};
use crate::model::session::notice::Tone;
use crate::model::session::turn::Work;
use crate::model::session::{Session, Shell};
use crate::model::tool::{CallView, Label, Outcome, ToolFx, ToolMsg, ToolOutput, limit, spec};
use crate::update::{Cx, Out};

/// Seconds that a person's command may run.
const TIMEOUT: u64 = 600;

pub fn run(s: &mut Session, command: Arc<str>, hidden: bool, cx: &mut Cx<'_>, out: &mut Out) {
    if command.trim().is_empty() {
        return out.flash("Write the command behind the !");
    }
    if s.shell.is_some() || matches!(s.work, Work::Opening(_)) {
        return out.notice(
            Tone::Warning,
            format!("`{command}` was not run: the command before it is still running."),
        );
    }
    let id = cx.ids.call();
    let arguments = Arc::new(json!({"command": &*command, "timeout": TIMEOUT}));
    let label = s.tools.set.find(spec::BASH).map_or_else(|| Label::generic(spec::BASH), |t| t.label.clone());
    let view = CallView {
        id,
        name: spec::BASH.into(),
        arguments: arguments.clone(),
        label,
        target: Some(command.clone()),
    };
    out.fact(Fact::Tool(s.id, ToolFact::Batch { calls: vec![view] }));
    out.fact(Fact::Tool(s.id, ToolFact::Start { id }));
    out.effect(Effect::Tool(ToolFx::Run {
        session: s.id,
        call: id,
        name: spec::BASH.into(),
        arguments,
        cwd: s.cwd.clone(),
    }));
    s.shell = Some(Shell { call: id, command, hidden, output: String::new() });
}

pub fn hear(s: &mut Session, msg: ToolMsg, cx: &mut Cx<'_>, out: &mut Out) {
    let Some(shell) = &mut s.shell else { return };
    match msg {
        ToolMsg::Identified(_) => {}
        ToolMsg::Output { pipe, chunk } => {
            shell.output.push_str(&chunk);
            let excess = shell.output.len().saturating_sub(limit::MODEL * 4);
            if excess > limit::MODEL {
                let cut = limit::ceil(&shell.output, excess);
                shell.output.drain(..cut);
            }
            out.fact(Fact::Tool(s.id, ToolFact::Output { id: shell.call, pipe, chunk }));
        }
        ToolMsg::Done(output) => finish(s, *output, cx, out),
    }
}

fn finish(s: &mut Session, output: ToolOutput, cx: &mut Cx<'_>, out: &mut Out) {
    let Some(shell) = s.shell.take() else { return };
    let content = limit::for_model(&output, &mut s.tools.kept, true);
    if !shell.hidden {
        s.queue.notes.push(Arc::new(note(&shell, &output, &content)));
    }
    out.fact(Fact::Tool(
        s.id,
        ToolFact::End {
            id: shell.call,
            outcome: output.outcome,
            summary: output.summary,
            content,
            whole: None,
            display: output.display,
            kept: None,
        },
    ));
    admit::settle(s, cx, out);
}

/// What the model is told of it.
fn note(shell: &Shell, output: &ToolOutput, content: &str) -> Message {
    let how = match (&output.summary, output.outcome) {
        (Some(summary), _) if !summary.trim().is_empty() => format!(" ({summary})"),
        (_, Outcome::Completed) => String::new(),
        (_, outcome) => format!(" ({})", outcome.name()),
    };
    let text = format!("I ran `{}` myself{how}:\n{}", shell.command, content.trim_end());
    Message::User(User { content: vec![UserPart::Text(text.into())], internal: false, kind: UserKind::Shell })
}

/// An interrupt ends the command with what it had said.
pub fn cut_short(s: &mut Session, cx: &mut Cx<'_>, out: &mut Out) {
    let Some(shell) = &s.shell else { return };
    out.effect(Effect::Tool(ToolFx::Kill(shell.call)));
    let words = batch::with_output(&shell.output);
    finish(s, ToolOutput::new(Outcome::Cancelled, words), cx, out);
}

/// Restores the bytes before the last write or edit.
pub fn undo(s: &mut Session, cx: &mut Cx<'_>, out: &mut Out) {
    if !s.idle() || s.tools.undo.is_some() {
        return out
            .notice(Tone::Warning, "/undo waits until nothing runs: interrupt the turn with esc first.");
    }
    let call = cx.ids.call();
    s.tools.undo = Some(call);
    out.effect(Effect::Tool(ToolFx::Undo { session: s.id, call, cwd: s.cwd.clone() }));
}

pub fn undone(s: &mut Session, msg: ToolMsg, out: &mut Out) {
    let ToolMsg::Done(output) = msg else { return };
    s.tools.undo = None;
    let tone = if output.outcome == Outcome::Completed { Tone::Info } else { Tone::Warning };
    out.notice(tone, output.content);
}
