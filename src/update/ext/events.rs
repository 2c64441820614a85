//! Events: what extensions that subscribed hear of a session, in order and in pairs (`extensions-notes.md` 11).

use std::sync::Arc;

use crate::model::ask::Ask;
use crate::model::effect::Effect;
use crate::model::ext::Exts;
use crate::model::ext::world::ExtFx;
use crate::model::fact::{Fact, OpenReason, SessionFact, ToolFact, TurnFact};
use crate::model::id::{ExtId, SessionId};
use crate::model::session::Sessions;
use crate::model::wire::ext::{Event, Note, Scope};
use crate::update::{Cx, Out};

/// A notification for one that lives.
pub fn tell(exts: &Exts, ext: ExtId, note: &Note, out: &mut Out) {
    if exts.live(ext).is_some() {
        out.effect(Effect::Ext(ExtFx::Send { ext, line: note.line(&Scope::ONLY).into() }));
    }
}

/// Everyone who subscribed to it and lives.
pub fn send(exts: &Exts, event: Event, cx: &Cx<'_>, out: &mut Out) {
    let to = exts.living(cx.registry.subscribers(event.name()));
    if to.is_empty() {
        return;
    }
    let line: Arc<str> = Note::Event(event).line(&Scope::ONLY).into();
    for ext in to {
        out.effect(Effect::Ext(ExtFx::Send { ext, line: line.clone() }));
    }
}

/// One of them, if it subscribed.
pub fn send_to(exts: &Exts, ext: ExtId, event: Event, cx: &Cx<'_>, out: &mut Out) {
    if cx.registry.subscribers(event.name()).contains(&ext) {
        tell(exts, ext, &Note::Event(event), out);
    }
}

pub fn observe(exts: &mut Exts, fact: &Fact, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    match fact {
        Fact::Turn(id, fact) => turn(exts, *id, fact, cx, out),
        Fact::Tool(id, fact) => tool(exts, *id, fact, sessions, cx, out),
        Fact::Session(_, fact) => session(exts, fact, cx, out),
        Fact::Text(..) | Fact::Notice(_) | Fact::Ext(_) => {}
    }
}

fn turn(exts: &mut Exts, id: SessionId, fact: &TurnFact, cx: &mut Cx<'_>, out: &mut Out) {
    match fact {
        TurnFact::Started { prompt } => {
            exts.heard.turns.insert(id);
            send(exts, Event::TurnStart { prompt: prompt.clone() }, cx, out);
        }
        // A turn cancelled inside `before_turn` was never announced.
        TurnFact::Ended { aborted } if exts.heard.turns.remove(&id) => {
            send(exts, Event::TurnEnd { aborted: *aborted }, cx, out);
        }
        TurnFact::Compacting => send(exts, Event::CompactStart, cx, out),
        TurnFact::Compacted { summary } => {
            send(exts, Event::CompactEnd { summary: summary.clone() }, cx, out);
        }
        _ => {}
    }
}

fn tool(
    exts: &mut Exts,
    id: SessionId,
    fact: &ToolFact,
    sessions: &Sessions,
    cx: &mut Cx<'_>,
    out: &mut Out,
) {
    match fact {
        ToolFact::Batch { calls } => {
            // A person's own command is no call of the model's.
            let shell = sessions.get(id).and_then(|s| s.shell.as_ref()).map(|shell| shell.call);
            for call in calls.iter().filter(|call| Some(call.id) != shell) {
                exts.heard.calls.insert(call.id, (call.name.clone(), call.arguments.clone()));
            }
        }
        ToolFact::Start { id } => {
            let Some((name, arguments)) = exts.heard.calls.get(id).cloned() else { return };
            // What the model wrote was no JSON.
            let arguments = if arguments.is_string() { Arc::default() } else { arguments };
            send(exts, Event::ToolStart { id: *id, name, arguments }, cx, out);
        }
        ToolFact::End { id, outcome, content, whole, .. } => {
            let Some((name, _)) = exts.heard.calls.remove(id) else { return };
            // What the hooks left, also where the model reads only a part of it.
            let content = whole.as_ref().unwrap_or(content).clone();
            let event = Event::ToolEnd { id: *id, name, outcome: *outcome, content };
            send(exts, event, cx, out);
        }
        ToolFact::Output { .. } => {}
    }
}

fn session(exts: &mut Exts, fact: &SessionFact, cx: &mut Cx<'_>, out: &mut Out) {
    match fact {
        SessionFact::Opened { reason, path, .. } => {
            exts.heard.path.clone_from(path);
            switched(exts, *reason, path.clone(), cx, out);
        }
        SessionFact::Saved { path } => exts.heard.path = Some(path.clone()),
        SessionFact::Moved { .. } => exts.era += 1,
        SessionFact::Model { model } => {
            let model: Arc<str> = model.to_string().into();
            let before = exts.heard.model.replace(model.clone());
            // The model at launch is no change, and neither is its effort.
            exts.heard.changed |= before.is_some();
            if exts.line.launched && before.is_some_and(|before| before != model) {
                send(exts, Event::ModelChange { model }, cx, out);
            }
        }
        SessionFact::Effort { effort } => {
            let before = std::mem::replace(&mut exts.heard.effort, effort.clone());
            let first = before.is_none() && !exts.heard.changed;
            if let Some(effort) = effort
                && exts.line.launched
                && !first
                && before.as_ref() != Some(effort)
            {
                send(exts, Event::EffortChange { effort: effort.clone() }, cx, out);
            }
        }
        SessionFact::Named { .. }
        | SessionFact::Nearing { .. }
        | SessionFact::NoTurn { .. }
        | SessionFact::Returned { .. }
        | SessionFact::Context { .. } => {}
    }
}

/// Another conversation is in front: what extensions had asked about the old one ends with an error.
fn switched(exts: &mut Exts, reason: OpenReason, path: Option<Arc<str>>, cx: &mut Cx<'_>, out: &mut Out) {
    if matches!(reason, OpenReason::Startup | OpenReason::Reload) {
        return;
    }
    exts.era += 1;
    end_requests(exts, "the session was switched", cx, out);
    let reason: Arc<str> = reason.name().into();
    send(exts, Event::SessionShutdown { reason: reason.clone() }, cx, out);
    send(exts, Event::SessionStart { reason, path }, cx, out);
}

/// Answers everything that extensions asked and still wait for with one error.
pub fn end_requests(exts: &mut Exts, why: &str, cx: &mut Cx<'_>, out: &mut Out) {
    let mut gone = Vec::new();
    let ids: Vec<ExtId> = exts.all.keys().copied().collect();
    for ext in ids {
        gone.extend(end_requests_of(exts, ext, why, cx, out));
    }
    if !gone.is_empty() {
        out.ask(Ask::ExtWithdraw(gone));
    }
}

/// The same for one of them; gives what was open.
pub fn end_requests_of(
    exts: &mut Exts,
    id: ExtId,
    why: &str,
    cx: &mut Cx<'_>,
    out: &mut Out,
) -> Vec<crate::model::ext::Debt> {
    let Some(ext) = exts.all.get_mut(&id) else { return Vec::new() };
    let ended = ext.budget.end_all(why);
    let debts = ended
        .into_iter()
        .map(|(owed, _, line)| {
            out.effect(Effect::Ext(ExtFx::Send { ext: id, line: line.into() }));
            crate::model::ext::Debt { ext: id, owed }
        })
        .collect();
    super::calls::pace(exts, id, cx, out);
    debts
}
