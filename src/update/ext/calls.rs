//! What `e` asks of extensions: each request has a deadline, ends once, and stands still while a question of the
//! extension's own waits for the person (`extensions-notes.md` 4, 8).

use std::sync::Arc;

use serde_json::Value;

use super::{chains, commands, launch, life};
use crate::model::ask::Ask;
use crate::model::effect::{Effect, TimerFx};
use crate::model::ext::Exts;
use crate::model::ext::live::{Asked, Call, Deadline};
use crate::model::ext::words::EXITED;
use crate::model::ext::world::ExtFx;
use crate::model::id::{CallId, ExtId, SessionId};
use crate::model::text::clean::{Cleaner, Mode};
use crate::model::time::Span;
use crate::model::tool::{Outcome, ToolMsg, ToolOutput};
use crate::model::wire::ext::{self as wire, HOOK_TIME, HookAnswer, Scope, TOOL_TIME, ToolUpdate};
use crate::update::{Cx, Out};

/// Asks an extension that lives (or is being greeted); gives `e`'s id of the request, or nothing when it is gone.
pub fn open(
    exts: &mut Exts,
    id: ExtId,
    call: &wire::Call,
    about: Asked,
    time: Span,
    cx: &mut Cx<'_>,
    out: &mut Out,
) -> Option<u64> {
    let ext = exts.all.get_mut(&id)?;
    if !ext.live() && about != Asked::Initialize {
        return None;
    }
    ext.last_call += 1;
    let number = ext.last_call;
    out.effect(Effect::Ext(ExtFx::Send { ext: id, line: call.line(number, &Scope::ONLY).into() }));
    let deadline = match ext.questioning() {
        true => Deadline::Paused(time),
        false => {
            let timer = cx.ids.timer();
            out.effect(Effect::Timer(TimerFx::Set { id: timer, after: time }));
            exts.timers.insert(timer, (id, number));
            Deadline::Running { timer, since: cx.now, left: time }
        }
    };
    ext.calls.insert(number, Call { about, deadline });
    Some(number)
}

/// Takes a request off the list, its deadline with it.
fn close(exts: &mut Exts, id: ExtId, number: u64, out: &mut Out) -> Option<Call> {
    let call = exts.all.get_mut(&id)?.calls.remove(&number)?;
    if let Deadline::Running { timer, .. } = call.deadline
        && exts.timers.remove(&timer).is_some()
    {
        out.effect(Effect::Timer(TimerFx::Drop(timer)));
    }
    Some(call)
}

/// A request of the extension's own was opened or answered: deadlines stand still while a question waits, and go on
/// with what was left.
pub fn pace(exts: &mut Exts, id: ExtId, cx: &mut Cx<'_>, out: &mut Out) {
    let Some(ext) = exts.all.get_mut(&id) else { return };
    let still = ext.questioning();
    for (number, call) in &mut ext.calls {
        match (still, call.deadline) {
            (true, Deadline::Running { timer, since, left }) => {
                exts.timers.remove(&timer);
                out.effect(Effect::Timer(TimerFx::Drop(timer)));
                call.deadline = Deadline::Paused(Span(left.0.saturating_sub(cx.now.since(since).0)));
            }
            (false, Deadline::Paused(left)) => {
                let timer = cx.ids.timer();
                out.effect(Effect::Timer(TimerFx::Set { id: timer, after: left }));
                exts.timers.insert(timer, (id, *number));
                call.deadline = Deadline::Running { timer, since: cx.now, left };
            }
            (true, Deadline::Paused(_)) | (false, Deadline::Running { .. }) => {}
        }
    }
}

/// How long a hook has taken: without the time in which the person thought.
fn spent(deadline: &Deadline, cx: &Cx<'_>) -> Span {
    let (left, since) = match deadline {
        Deadline::Running { left, since, .. } => (*left, cx.now.since(*since)),
        Deadline::Paused(left) => (*left, Span(0)),
    };
    Span(HOOK_TIME.0.saturating_sub(left.0).saturating_add(since.0))
}

/// How a request ended.
#[derive(Debug, Clone)]
pub enum End {
    Answer(Result<Value, Arc<str>>),
    Late,
    Gone,
}

/// It answered. Unknown ids and answers after the end are dropped.
pub fn answered(
    exts: &mut Exts,
    id: ExtId,
    number: u64,
    result: Result<Value, Arc<str>>,
    cx: &mut Cx<'_>,
    out: &mut Out,
) {
    if let Some(call) = close(exts, id, number, out) {
        ended(exts, id, number, call, End::Answer(result), cx, out);
    }
}

/// A deadline has passed.
pub fn late(exts: &mut Exts, id: ExtId, number: u64, cx: &mut Cx<'_>, out: &mut Out) {
    let Some(ext) = exts.all.get_mut(&id) else { return };
    let Some(call) = ext.calls.remove(&number) else { return };
    ext.stats.timeouts += 1;
    ended(exts, id, number, call, End::Late, cx, out);
}

/// The extension is gone: everything it was asked fails.
pub fn fail_all(exts: &mut Exts, id: ExtId, cx: &mut Cx<'_>, out: &mut Out) {
    let numbers: Vec<u64> =
        exts.all.get(&id).map(|ext| ext.calls.keys().copied().collect()).unwrap_or_default();
    for number in numbers {
        if let Some(call) = close(exts, id, number, out) {
            ended(exts, id, number, call, End::Gone, cx, out);
        }
    }
}

fn ended(exts: &mut Exts, id: ExtId, number: u64, call: Call, end: End, cx: &mut Cx<'_>, out: &mut Out) {
    match call.about {
        Asked::Initialize => life::greeted(exts, id, end, cx, out),
        Asked::Startup => launch::spoken(exts, id, end, cx, out),
        Asked::Hook(ticket, kind) => {
            let answer = match end {
                End::Answer(Ok(value)) => wire::hook(kind, &value).ok(),
                End::Answer(Err(_)) | End::Late | End::Gone => None,
            };
            if let Some(ext) = exts.all.get_mut(&id) {
                ext.stats.took(kind, spent(&call.deadline, cx));
            }
            let answer = answer.unwrap_or_else(|| HookAnswer::empty(kind));
            chains::answered(exts, ticket, id, number, answer, cx, out);
        }
        Asked::Tool { call, name, session, .. } => tool_ended(call, &name, session, end, out),
        Asked::Command { shown, session, era } => {
            commands::ended(exts, &shown, session, era, end, out);
        }
        Asked::Complete(ticket) => commands::completed(ticket, end, out),
    }
}

/// Runs a call of an extension's tool.
#[expect(clippy::too_many_arguments, reason = "one ask taken apart")]
pub fn tool(
    exts: &mut Exts,
    id: ExtId,
    call: CallId,
    session: SessionId,
    name: Arc<str>,
    arguments: Arc<Value>,
    cx: &mut Cx<'_>,
    out: &mut Out,
) {
    let cleaner = Cleaner::new(Mode::Review);
    let asked = Asked::Tool { call, name: name.clone(), session, cleaner };
    let request = wire::Call::ToolCall { name: name.clone(), arguments };
    if open(exts, id, &request, asked, TOOL_TIME, cx, out).is_none() {
        tool_ended(call, &name, session, End::Gone, out);
    }
}

fn tool_ended(call: CallId, name: &str, session: SessionId, end: End, out: &mut Out) {
    let failed = |why: &str| ToolOutput::failed(format!("{name}: {why}"));
    let output = match end {
        End::Answer(Ok(value)) => match wire::tool(&value) {
            Ok(answer) => {
                if let Some(name) = &answer.session_name {
                    out.ask(Ask::ExtName { session, name: name.as_str().into() });
                }
                let outcome = if answer.is_error { Outcome::Failed } else { Outcome::Completed };
                ToolOutput {
                    summary: answer.summary.map(|summary| summary.as_str().into()),
                    display: answer.display,
                    ..ToolOutput::new(outcome, answer.content)
                }
            }
            Err(why) => failed(&format!("the tool answered badly: {why}")),
        },
        End::Answer(Err(why)) => failed(&why),
        End::Late => ToolOutput::new(
            Outcome::TimedOut,
            format!("{name}: no answer within {} seconds", TOOL_TIME.as_secs()),
        ),
        End::Gone => failed(EXITED),
    };
    out.ask(Ask::ToolSaid(call, ToolMsg::Done(Box::new(output))));
}

/// Progress counts only for a tool call that is open on that extension.
pub fn update(exts: &mut Exts, id: ExtId, update: ToolUpdate, out: &mut Out) {
    let asked = exts.all.get_mut(&id).and_then(|ext| ext.calls.get_mut(&update.call));
    if let Some(Call { about: Asked::Tool { call, cleaner, .. }, .. }) = asked {
        let chunk = cleaner.push(&update.chunk);
        if !chunk.is_empty() {
            let said = ToolMsg::Output { pipe: update.pipe, chunk: chunk.as_str().into() };
            out.ask(Ask::ToolSaid(*call, said));
        }
    }
}

/// A tool call was cut short; the extension is not told and its answer is not waited for.
pub fn cancel(exts: &mut Exts, call: CallId, out: &mut Out) {
    let open = exts.all.iter().find_map(|(id, ext)| {
        let mine = |(_, c): &(&u64, &Call)| matches!(c.about, Asked::Tool { call: mine, .. } if mine == call);
        ext.calls.iter().find(mine).map(|(number, _)| (*id, *number))
    });
    if let Some((id, number)) = open {
        let _cut = close(exts, id, number, out);
    }
}

/// Takes a request off the list without telling anyone.
pub fn forget(exts: &mut Exts, id: ExtId, number: u64, out: &mut Out) {
    let _dropped = close(exts, id, number, out);
}
