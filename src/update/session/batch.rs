//! Running the calls of one reply: announced whole, gated side by side, run in waves with same-file order, each result
//! written down as soon as it is settled (`agent.md`, Tool batches).

use std::sync::Arc;

use serde_json::Value;

use super::{record, turn as machine};
use crate::model::ask::{Ask, ExtAsk};
use crate::model::effect::Effect;
use crate::model::ext::HookValue;
use crate::model::fact::{Fact, ToolFact, TurnFact};
use crate::model::id::{CallId, SessionId, Ticket};
use crate::model::provider::{Assistant, Message, ToolResult, User, UserKind, UserPart};
use crate::model::session::batch::{Batch, Call, CallPhase};
use crate::model::session::turn::{Phase, Turn, Work};
use crate::model::session::{Session, history, prompt};
use crate::model::tool::order::{self, Touches};
use crate::model::tool::{CallView, Label, Outcome, Owner, ToolFx, ToolMsg, ToolOutput, args, limit, spec};
use crate::update::{Cx, Out};

/// Announces the calls of a reply and asks the gates.
pub fn begin(s: &mut Session, mut turn: Box<Turn>, reply: &Assistant, cx: &mut Cx<'_>, out: &mut Out) {
    let calls: Vec<Call> = reply
        .calls()
        .map(|(wire, name, arguments)| announce(s, wire.clone(), name.clone(), arguments, cx))
        .collect();
    out.fact(Fact::Tool(s.id, ToolFact::Batch { calls: calls.iter().map(view).collect() }));
    let mut batch = Batch { calls, instructions: Vec::new() };
    for call in &mut batch.calls {
        out.fact(Fact::Tool(s.id, ToolFact::Start { id: call.id }));
        if let Some(why) = refused(s, &turn, &call.name) {
            let words = format!("The tool {} was not run: {why}.", call.name);
            rewrite(s.id, call, ToolOutput::new(Outcome::Blocked, words), cx, out);
            continue;
        }
        if let Some(path) =
            call.broken.is_none().then(|| spec::file_of(&call.name, &call.arguments)).flatten()
        {
            call.touches = Touches::Unknown;
            let fx = ToolFx::Identify { call: call.id, cwd: s.cwd.clone(), path: path.into() };
            out.effect(Effect::Tool(fx));
        }
        let ticket = cx.ids.ticket();
        call.phase = CallPhase::Gate(ticket);
        let (name, arguments) = (call.name.clone(), call.arguments.clone());
        let value = HookValue::ToolCall { name, arguments, block: None };
        out.ask(Ask::Hook { ticket, session: s.id, value });
    }
    turn.phase = Phase::Tools(batch);
    s.work = Work::Turn(turn);
}

fn announce(s: &Session, wire: Arc<str>, name: Arc<str>, text: &str, cx: &mut Cx<'_>) -> Call {
    let tool = s.tools.set.find(&name);
    let parsed = match tool {
        Some(tool) => args::parse(tool, text).map_err(|refusal| refusal.0),
        None => args::object(text).map_err(|why| format!("The arguments of {name} {why}")),
    };
    let foreign = matches!(s.tools.set.owner(&name), Owner::Ext(_));
    let (arguments, broken) = match parsed {
        Ok(value) => (value, None),
        // An extension judges its own arguments; what is no JSON reaches it as one string.
        Err(_) if foreign => {
            (serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned())), None)
        }
        Err(why) => (Value::String(text.to_owned()), Some(why.into())),
    };
    Call {
        id: cx.ids.call(),
        wire,
        label: tool.map_or_else(|| Label::generic(&name), |tool| tool.label.clone()),
        name,
        arguments: Arc::new(arguments),
        broken,
        touches: Touches::Nothing,
        phase: CallPhase::Ready,
        output: String::new(),
    }
}

fn view(call: &Call) -> CallView {
    CallView {
        id: call.id,
        name: call.name.clone(),
        arguments: call.arguments.clone(),
        label: call.label.clone(),
        target: spec::target(&call.label, &call.arguments).map(Arc::from),
    }
}

/// Why a call must not run by the lists in force now, or because its step did not offer it (T9).
fn refused(s: &Session, turn: &Turn, name: &str) -> Option<&'static str> {
    s.tools.set.refusal(name).or_else(|| {
        let known = s.tools.set.find(name).is_some();
        let offered = turn.offered.iter().any(|n| &**n == name);
        (known && !offered).then_some("it was not offered to you")
    })
}

/// Lends the batch out; everything that changes it goes through here.
fn with(
    s: &mut Session,
    mut turn: Box<Turn>,
    cx: &mut Cx<'_>,
    out: &mut Out,
    change: impl FnOnce(&mut Batch, &mut Cx<'_>, &mut Out),
) {
    if let Phase::Tools(batch) = &mut turn.phase {
        change(batch, cx, out);
    }
    pump(s, turn, cx, out);
}

/// The world said something about a call. What it says is held back while an extension may rewrite the result.
pub fn hear(s: &mut Session, turn: Box<Turn>, id: CallId, msg: ToolMsg, cx: &mut Cx<'_>, out: &mut Out) {
    let (session, held) = (s.id, s.tools.held);
    with(s, turn, cx, out, |batch, cx, out| {
        let Some(call) = batch.find(id) else { return };
        match msg {
            ToolMsg::Identified(key) => {
                if call.touches == Touches::Unknown {
                    call.touches = key.map_or(Touches::Nothing, Touches::File);
                }
            }
            ToolMsg::Output { pipe, chunk } if call.phase == CallPhase::Running => {
                call.hear(&chunk);
                if held {
                    return;
                }
                out.fact(Fact::Tool(session, ToolFact::Output { id, pipe, chunk }));
            }
            ToolMsg::Done(output) if call.phase == CallPhase::Running => {
                rewrite(session, call, *output, cx, out)
            }
            ToolMsg::Output { .. } | ToolMsg::Done(_) => {}
        }
    });
}

/// A result goes through the `tool_result` chain before anyone else sees it.
fn rewrite(session: SessionId, call: &mut Call, output: ToolOutput, cx: &mut Cx<'_>, out: &mut Out) {
    let ticket = cx.ids.ticket();
    let value = HookValue::ToolResult {
        name: call.name.clone(),
        content: output.content.clone(),
        is_error: output.outcome != Outcome::Completed,
        rewritten: false,
    };
    call.phase = CallPhase::Rewrite(ticket, Box::new(output));
    out.ask(Ask::Hook { ticket, session, value });
}

/// Whether a batch waits for this hook.
pub fn awaits(batch: &Batch, ticket: Ticket) -> bool {
    batch
        .calls
        .iter()
        .any(|c| matches!(&c.phase, CallPhase::Gate(t) | CallPhase::Rewrite(t, _) if *t == ticket))
}

/// A gate has decided, or a result is final.
pub fn hook_done(
    s: &mut Session,
    mut turn: Box<Turn>,
    ticket: Ticket,
    value: HookValue,
    cx: &mut Cx<'_>,
    out: &mut Out,
) {
    let Phase::Tools(batch) = &mut turn.phase else { return s.work = Work::Turn(turn) };
    let waiting =
        |c: &&mut Call| matches!(&c.phase, CallPhase::Gate(t) | CallPhase::Rewrite(t, _) if *t == ticket);
    let Some(call) = batch.calls.iter_mut().find(waiting) else { return s.work = Work::Turn(turn) };
    match (std::mem::replace(&mut call.phase, CallPhase::Ready), value) {
        (CallPhase::Gate(_), HookValue::ToolCall { block: Some(reason), .. }) => {
            let words = format!("The call was blocked by an extension, which gave this reason: {reason}");
            rewrite(s.id, call, ToolOutput::new(Outcome::Blocked, words), cx, out);
        }
        (CallPhase::Gate(_), _) => admitted(s, call, cx, out),
        (CallPhase::Rewrite(_, output), value) => {
            let id = call.id;
            call.phase = CallPhase::Settled;
            let foreign = matches!(s.tools.set.owner(&call.name), Owner::Ext(_));
            settle(s, &mut turn, id, rewritten(*output, foreign, value), cx, out);
        }
        (other, _) => call.phase = other,
    }
    pump(s, turn, cx, out);
}

/// The gates let a call pass: it waits for its turn, unless there is nothing to run.
fn admitted(s: &Session, call: &mut Call, cx: &mut Cx<'_>, out: &mut Out) {
    call.phase = CallPhase::Ready;
    if s.tools.set.find(&call.name).is_none() {
        let names: Vec<&str> = s.tools.set.all.iter().map(|t| &*t.name).collect();
        let words = format!("There is no tool named {}. The tools are: {}.", call.name, names.join(", "));
        rewrite(s.id, call, ToolOutput::failed(words), cx, out);
    } else if let Some(why) = call.broken.clone() {
        rewrite(s.id, call, ToolOutput::failed(why), cx, out);
    }
}

/// What the hooks left of a result.
fn rewritten(mut output: ToolOutput, foreign: bool, value: HookValue) -> ToolOutput {
    if let HookValue::ToolResult { content, rewritten: true, .. } = value {
        output.content = content;
        output.excerpt = None;
        output.display = None;
        output.images.clear();
        // A built-in's counts stay; an extension's words are dropped with the rest.
        if foreign {
            output.summary = None;
        }
    }
    output
}

/// Starts what may start; goes on to the next request when every call is settled.
fn pump(s: &mut Session, mut turn: Box<Turn>, cx: &mut Cx<'_>, out: &mut Out) {
    let Phase::Tools(batch) = &turn.phase else { return s.work = Work::Turn(turn) };
    if batch.settled() {
        let instructions = batch.instructions.clone();
        join_instructions(s, instructions, cx, out);
        return machine::safe_point(s, turn, cx, out);
    }
    for id in order::startable(&batch.slots(), cx.config.settings.tool_concurrency) {
        start(s, &mut turn, id, cx, out);
    }
    s.work = Work::Turn(turn);
}

fn start(s: &mut Session, turn: &mut Turn, id: CallId, cx: &mut Cx<'_>, out: &mut Out) {
    let refusals = |turn: &Turn, name: &str| refused(s, turn, name);
    let name = match &turn.phase {
        Phase::Tools(batch) => batch.calls.iter().find(|c| c.id == id).map(|c| c.name.clone()),
        Phase::Prelude(_) | Phase::Asking(_) | Phase::Backoff(_) | Phase::Folding(_) => None,
    };
    let Some(name) = name else { return };
    let refusal = refusals(turn, &name);
    let Phase::Tools(batch) = &mut turn.phase else { return };
    let Some(call) = batch.find(id) else { return };
    if let Some(why) = refusal {
        let words = format!("The tool {name} was not run: {why}.");
        rewrite(s.id, call, ToolOutput::new(Outcome::Blocked, words), cx, out);
    } else if &*name == spec::READ_RESULT && s.tools.set.owner(&name) == Owner::Builtin {
        let output = s.tools.kept.run(&call.arguments);
        rewrite(s.id, call, output, cx, out);
    } else {
        call.phase = CallPhase::Running;
        let (arguments, cwd) = (call.arguments.clone(), s.cwd.clone());
        match s.tools.set.owner(&name) {
            Owner::Ext(ext) => {
                out.ask(Ask::Ext(ExtAsk::Tool { ext, call: id, session: s.id, name, arguments }))
            }
            Owner::Builtin => {
                let fx = ToolFx::Run { session: s.id, call: id, name, arguments, cwd };
                out.effect(Effect::Tool(fx));
            }
        }
    }
}

/// A result is final: cut for the model, written down, told.
fn settle(s: &mut Session, turn: &mut Turn, id: CallId, output: ToolOutput, cx: &mut Cx<'_>, out: &mut Out) {
    let pageable = refused(s, turn, spec::READ_RESULT).is_none() && !turn.offered.is_empty();
    let Phase::Tools(batch) = &mut turn.phase else { return };
    let Some(call) = batch.find(id) else { return };
    let (wire, name) = (call.wire.clone(), call.name.clone());
    batch.instructions.extend(output.instructions.iter().cloned());
    let before = s.tools.kept.newest().cloned();
    let content = limit::for_model(&output, &mut s.tools.kept, pageable);
    let kept = s.tools.kept.newest().filter(|id| Some(*id) != before.as_ref()).cloned();
    let whole = (*output.content != *content).then(|| output.content.clone());
    let ToolOutput { outcome, summary, display, images, .. } = output;
    let end = ToolFact::End {
        id,
        outcome,
        summary: summary.clone(),
        content: content.clone(),
        whole,
        display: display.clone(),
        kept,
    };
    let result = ToolResult { call: wire, name, outcome, content, summary, display, images };
    let _node = record::commit(s, Message::Tool(result), None, cx, out);
    out.fact(Fact::Tool(s.id, end));
}

/// Nested `AGENTS.md` files that the calls came upon join after the last result, each once in a session.
fn join_instructions(s: &mut Session, files: Vec<(Arc<str>, Arc<str>)>, cx: &mut Cx<'_>, out: &mut Out) {
    for (path, text) in files {
        let in_prompt = s.desk.instructions.iter().any(|(known, _)| *known == path);
        if in_prompt || text.trim().is_empty() || joined_before(s, &path) {
            continue;
        }
        let content = vec![UserPart::Text(prompt::tagged(&path, &text).into())];
        let message = Message::User(User { content, internal: true, kind: UserKind::Instructions });
        let (node, message) = record::commit(s, message, None, cx, out);
        out.fact(Fact::Turn(s.id, TurnFact::Joined { node, message }));
    }
}

/// Whether the branch holds this file's text already.
fn joined_before(s: &Session, path: &str) -> bool {
    let opening = prompt::opening(path);
    s.tree.branch().into_iter().any(|node| match &*node.message {
        Message::User(user) => user.kind == UserKind::Instructions && user.text().starts_with(&opening),
        Message::Assistant(_) | Message::Tool(_) => false,
    })
}

/// An interrupt: what runs is killed, and every call without a result gets one of fixed words and its output so far,
/// unless that is held back.
pub fn cut_short(s: &mut Session, batch: Batch, cx: &mut Cx<'_>, out: &mut Out) {
    for call in batch.calls {
        let ran = match &call.phase {
            CallPhase::Settled => continue,
            CallPhase::Running => {
                match s.tools.set.owner(&call.name) {
                    Owner::Ext(_) => out.ask(Ask::Ext(ExtAsk::Cancel(call.id))),
                    Owner::Builtin => out.effect(Effect::Tool(ToolFx::Kill(call.id))),
                }
                true
            }
            CallPhase::Rewrite(..) => true,
            CallPhase::Gate(_) | CallPhase::Ready => false,
        };
        let words = match ran {
            true if s.tools.held => history::INTERRUPTED.to_owned(),
            true => with_output(&call.output),
            false => history::NOT_RUN.to_owned(),
        };
        let result = history::made_up(call.wire, call.name, words);
        let content = result.content.clone();
        let _node = record::commit(s, Message::Tool(result), None, cx, out);
        out.fact(Fact::Tool(
            s.id,
            ToolFact::End {
                id: call.id,
                outcome: Outcome::Cancelled,
                summary: None,
                content,
                whole: None,
                display: None,
                kept: None,
            },
        ));
    }
    join_instructions(s, batch.instructions, cx, out);
}

/// The fixed words, and what the call had said, cut as any result.
pub fn with_output(output: &str) -> String {
    if output.trim().is_empty() {
        return history::INTERRUPTED.to_owned();
    }
    let text = format!("{}\nIts output until then:\n{output}", history::INTERRUPTED);
    match limit::excerpt(&text) {
        Some(excerpt) => limit::resolve(&excerpt, None),
        None => text,
    }
}
