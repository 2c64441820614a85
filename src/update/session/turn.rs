//! The turn machine: prelude, safe point, asking, back-off, and the end (architecture, section 6).

use std::sync::Arc;

use super::record::{self, Paid};
use super::{admit, batch, end, fold, request, retry};
use crate::model::ask::Ask;
use crate::model::effect::{Effect, StreamFx, TimerFx};
use crate::model::ext::HookValue;
use crate::model::fact::{Fact, TextFact, TurnFact};
use crate::model::id::TimerId;
use crate::model::provider::{Cause, Fault, Message, ModelInfo, Purpose, Stage, Stop, StreamMsg};
use crate::model::session::draft::Draft;
use crate::model::session::turn::{
    ATTEMPTS, Asking, Backoff, FoldWhy, Once, Phase, Queued, STEPS, Turn, Work,
};
use crate::model::session::{Session, history};
use crate::update::{Cx, Out};

/// Begins a turn with a message that is not in the tree yet.
pub fn begin(s: &mut Session, prompt: Queued, model: Arc<ModelInfo>, cx: &mut Cx<'_>, out: &mut Out) {
    admit::join_waiting(s, prompt.own, cx, out);
    let prompt = Arc::unwrap_or_clone(prompt.message);
    let words: Arc<str> = match &prompt {
        Message::User(user) => user.text().into(),
        Message::Assistant(_) | Message::Tool(_) => "".into(),
    };
    let (node, message) = record::commit(s, prompt, None, cx, out);
    let ticket = cx.ids.ticket();
    s.work = Work::Turn(Box::new(Turn {
        phase: Phase::Prelude(ticket),
        began: cx.now,
        prompt: words.clone(),
        model,
        effort: s.choice.effort.clone(),
        suffixes: Vec::new(),
        step: 0,
        offered: Vec::new(),
        once: Once::default(),
        fold_wanted: None,
    }));
    out.fact(Fact::Turn(s.id, TurnFact::Began { node, message }));
    let value = HookValue::BeforeTurn { prompt: words, suffixes: Vec::new(), messages: Vec::new() };
    out.ask(Ask::Hook { ticket, session: s.id, value });
}

/// The `before_turn` chain is done.
pub fn prelude_done(s: &mut Session, mut turn: Box<Turn>, value: HookValue, cx: &mut Cx<'_>, out: &mut Out) {
    if let HookValue::BeforeTurn { suffixes, messages, .. } = value {
        turn.suffixes = suffixes;
        for message in messages {
            let (node, message) = record::commit(s, Arc::unwrap_or_clone(message), None, cx, out);
            out.fact(Fact::Turn(s.id, TurnFact::Joined { node, message }));
        }
    }
    out.fact(Fact::Turn(s.id, TurnFact::Started { prompt: turn.prompt.clone() }));
    safe_point(s, turn, cx, out);
}

/// Between two requests: shorten if due, let in what waits, mind the cap, ask.
pub fn safe_point(s: &mut Session, mut turn: Box<Turn>, cx: &mut Cx<'_>, out: &mut Out) {
    let by_hand = turn.fold_wanted.take();
    let due = fold::due(s, &turn, cx);
    if by_hand.is_some() || due {
        let why = if by_hand.is_some() { FoldWhy::ByHand } else { FoldWhy::Full };
        return fold::begin_in_turn(s, turn, why, by_hand.flatten(), cx, out);
    }
    admit::join_waiting(s, false, cx, out);
    if turn.step >= STEPS {
        let fault = own_fault(format!("Stopped after {STEPS} steps. Say \"continue\" to go on."));
        return fail(s, turn, fault, 1, 0, cx, out);
    }
    turn.step += 1;
    open(s, turn, 1, cx, out);
}

/// Sends the request.
pub fn open(s: &mut Session, mut turn: Box<Turn>, attempt: u32, cx: &mut Cx<'_>, out: &mut Out) {
    let stream = cx.ids.stream();
    let request = request::of_turn(s, &mut turn, attempt, cx);
    out.fact(Fact::Turn(s.id, TurnFact::Asking { step: turn.step }));
    out.effect(Effect::Stream(StreamFx::Open { id: stream, request: Arc::new(request) }));
    let asking = Asking { stream, attempt, draft: Draft::default(), recovering: attempt > 1 };
    turn.phase = Phase::Asking(asking);
    s.work = Work::Turn(turn);
}

/// A piece of the answer that the turn is waiting for.
pub fn hear(s: &mut Session, mut turn: Box<Turn>, msg: StreamMsg, cx: &mut Cx<'_>, out: &mut Out) {
    let Phase::Asking(asking) = &mut turn.phase else {
        s.work = Work::Turn(turn);
        return out.oops("an answer outside its phase");
    };
    let failed = matches!(msg, StreamMsg::Failed(_));
    if asking.recovering && !failed && !matches!(msg, StreamMsg::Notice(_)) {
        asking.recovering = false;
        out.fact(Fact::Turn(s.id, TurnFact::Recovered));
    }
    match msg {
        StreamMsg::Done(stop) => return answered(s, turn, stop, cx, out),
        StreamMsg::Failed(fault) => return failed_reply(s, turn, fault, cx, out),
        piece => grow(s, &mut asking.draft, piece, out),
    }
    s.work = Work::Turn(turn);
}

/// A delta becomes part of the draft and a fact.
fn grow(s: &Session, draft: &mut Draft, piece: StreamMsg, out: &mut Out) {
    match piece {
        StreamMsg::Text(delta) if !delta.is_empty() => {
            draft.text(&delta);
            out.fact(Fact::Text(s.id, TextFact::Text(delta.into())));
        }
        StreamMsg::Reasoning(delta) if !delta.is_empty() => {
            draft.reasoning(&delta);
            out.fact(Fact::Text(s.id, TextFact::Reasoning(delta.into())));
        }
        StreamMsg::ReasoningEnd { signature, sealed } => draft.reasoning_end(signature, sealed),
        StreamMsg::CallStart { index, id, name } => {
            out.fact(Fact::Text(s.id, TextFact::Calling { name: name.clone() }));
            draft.call_start(index, id, name);
        }
        StreamMsg::CallArgs { index, delta } => {
            if !draft.call_args(index, &delta) {
                out.oops("arguments of a call that never began");
            }
        }
        StreamMsg::CallEnd { index, signature } => draft.call_end(index, signature),
        StreamMsg::Usage(usage) => draft.usage = usage,
        StreamMsg::Notice(text) => out.notice(crate::model::session::notice::Tone::Info, text),
        StreamMsg::Text(_) | StreamMsg::Reasoning(_) | StreamMsg::Opened => {}
        StreamMsg::Done(_) | StreamMsg::Failed(_) => out.oops("an end among the pieces"),
    }
}

/// The draft and attempt of an asking turn.
fn take_asking(turn: &mut Turn) -> (Draft, u32) {
    match &mut turn.phase {
        Phase::Asking(asking) => (std::mem::take(&mut asking.draft), asking.attempt),
        Phase::Prelude(_) | Phase::Backoff(_) | Phase::Tools(_) | Phase::Folding(_) => (Draft::default(), 1),
    }
}

/// The reply ended as its provider wanted.
fn answered(s: &mut Session, mut turn: Box<Turn>, stop: Stop, cx: &mut Cx<'_>, out: &mut Out) {
    let (draft, _) = take_asking(&mut turn);
    if !draft.answers() && !draft.reasons() {
        return blank(s, turn, draft, stop, cx, out);
    }
    let answers = draft.answers();
    let calls = draft.has_calls();
    let message = commit_reply(s, &turn, draft, false, cx, out);
    match stop {
        Stop::Refused => warn(s, "The provider withheld the answer.", out),
        Stop::Length if !calls => {
            warn(s, "The reply was cut at the model's output limit. Ask it to continue.", out)
        }
        Stop::End if !answers => warn(s, cx.config.settings.words.no_answer_message.clone(), out),
        Stop::End | Stop::Length => {}
    }
    match &*message {
        Message::Assistant(reply) if calls => batch::begin(s, turn, reply, cx, out),
        _ => go_on_or_end(s, turn, cx, out),
    }
}

/// Nothing came, not even a thought: asked again once.
fn blank(s: &mut Session, mut turn: Box<Turn>, draft: Draft, stop: Stop, cx: &mut Cx<'_>, out: &mut Out) {
    let paid = Paid { model: turn.model.clone(), usage: draft.usage };
    record::pay(s, &paid, Some(Purpose::Turn), cx, out);
    out.fact(Fact::Text(s.id, TextFact::Dropped));
    if stop == Stop::Refused {
        warn(s, "The provider withheld the answer.", out);
    } else if !turn.once.blank {
        turn.once.blank = true;
        return open(s, turn, 1, cx, out);
    } else {
        warn(s, cx.config.settings.words.no_answer_message.clone(), out);
    }
    go_on_or_end(s, turn, cx, out);
}

/// What waits goes on with the run; nothing waiting ends it.
fn go_on_or_end(s: &mut Session, turn: Box<Turn>, cx: &mut Cx<'_>, out: &mut Out) {
    if s.queue.steers.is_empty() && turn.fold_wanted.is_none() {
        end::finish(s, turn, false, cx, out);
    } else if s.queue.steers.is_empty() {
        // A compaction asked for during the last reply is done, but nothing more is said to the model.
        let focus = turn.fold_wanted.clone().flatten();
        let model = turn.model.clone();
        let effort = turn.effort.clone();
        end::finish(s, turn, false, cx, out);
        if s.work == Work::Idle {
            fold::begin_by_hand(s, model, effort, focus, cx, out);
        }
    } else {
        safe_point(s, turn, cx, out);
    }
}

/// The reply, whole or partial, joins the conversation.
pub fn commit_reply(
    s: &mut Session,
    turn: &Turn,
    draft: Draft,
    partial: bool,
    cx: &mut Cx<'_>,
    out: &mut Out,
) -> Arc<Message> {
    let usage = draft.usage;
    let reply = draft.finish(turn.model.reference.clone(), request::call_ids(s));
    let paid = Paid { model: turn.model.clone(), usage };
    let (node, message) = record::commit(s, Message::Assistant(reply), Some(paid.clone()), cx, out);
    out.fact(Fact::Text(s.id, TextFact::Committed { node, message: message.clone(), partial }));
    record::pay(s, &paid, None, cx, out);
    record::tell_context(s, turn.model.context_window, out);
    message
}

/// The stream failed.
fn failed_reply(s: &mut Session, mut turn: Box<Turn>, fault: Fault, cx: &mut Cx<'_>, out: &mut Out) {
    let (draft, attempt) = take_asking(&mut turn);
    if !draft.is_empty() {
        let bytes = draft.text_bytes();
        cut_short(s, &turn, draft, cx, out);
        return fail(s, turn, fault, attempt, bytes, cx, out);
    }
    record::pay(s, &Paid { model: turn.model.clone(), usage: draft.usage }, Some(Purpose::Turn), cx, out);
    if let retry::Verdict::Wait(wait) = retry::judge(&fault, attempt, cx.ids.chance()) {
        let backoff = back_off(s, fault, attempt, wait, cx, out);
        turn.phase = Phase::Backoff(backoff);
        s.work = Work::Turn(turn);
        return;
    }
    if fault.cause == Cause::Overflow && !turn.once.overflow {
        turn.once.overflow = true;
        return fold::begin_in_turn(s, turn, FoldWhy::Overflow(Arc::new(fault)), None, cx, out);
    }
    if fault.cause == Cause::Rejected && !turn.once.images && request::images_refused(s, &fault) {
        turn.once.images = true;
        s.tools.images_refused = true;
        warn(
            s,
            format!("The provider refused an image ({}). It is left out from now on.", fault.summary),
            out,
        );
        return open(s, turn, 1, cx, out);
    }
    let fault = if fault.cause == Cause::Overflow { fold::hopeless(s, &fault) } else { fault };
    fail(s, turn, fault, attempt, 0, cx, out);
}

/// Keeps what came of a reply; its calls get results at once, so that the history stays valid.
pub fn cut_short(s: &mut Session, turn: &Turn, draft: Draft, cx: &mut Cx<'_>, out: &mut Out) {
    let message = commit_reply(s, turn, draft, true, cx, out);
    let Message::Assistant(reply) = &*message else { return };
    for (id, name, _) in reply.calls() {
        let result = history::made_up(id.clone(), name.clone(), history::NOT_RUN);
        let _known = record::commit(s, Message::Tool(result), None, cx, out);
    }
}

/// Sets the timer of the next attempt and says so.
pub fn back_off(
    s: &Session,
    fault: Fault,
    attempt: u32,
    wait: crate::model::time::Span,
    cx: &mut Cx<'_>,
    out: &mut Out,
) -> Backoff {
    let timer = cx.ids.timer();
    let fault = Arc::new(fault);
    out.effect(Effect::Timer(TimerFx::Set { id: timer, after: wait }));
    out.fact(Fact::Turn(
        s.id,
        TurnFact::Retry { attempt: attempt + 1, limit: ATTEMPTS, wait, fault: fault.clone() },
    ));
    let mut until = cx.now;
    until.mono += wait.0;
    until.wall += wait.0;
    Backoff { timer, attempt: attempt + 1, until, fault }
}

/// The back-off is over, if the timer is its own.
pub fn ring(s: &mut Session, turn: Box<Turn>, id: TimerId, cx: &mut Cx<'_>, out: &mut Out) {
    match &turn.phase {
        Phase::Backoff(wait) if wait.timer == id => {
            let attempt = wait.attempt;
            open(s, turn, attempt, cx, out);
        }
        Phase::Folding(_) => fold::ring(s, turn, cx, out),
        Phase::Backoff(_) | Phase::Prelude(_) | Phase::Asking(_) | Phase::Tools(_) => {
            s.work = Work::Turn(turn)
        }
    }
}

/// Ends the turn with an error that a person reads.
pub fn fail(
    s: &mut Session,
    turn: Box<Turn>,
    fault: Fault,
    attempt: u32,
    partial_bytes: usize,
    cx: &mut Cx<'_>,
    out: &mut Out,
) {
    end::note_failure(s, &turn, &fault, attempt, partial_bytes, out);
    let fault = Arc::new(fault);
    out.fact(Fact::Turn(s.id, TurnFact::Failed { fault, attempt, limit: ATTEMPTS, partial_bytes }));
    end::finish(s, turn, false, cx, out);
}

pub fn warn(s: &Session, text: impl Into<Arc<str>>, out: &mut Out) {
    out.fact(Fact::Turn(s.id, TurnFact::Warning(text.into())));
}

/// A failure of `e`'s own making.
pub fn own_fault(summary: impl Into<Arc<str>>) -> Fault {
    Fault {
        cause: Cause::Rejected,
        stage: Stage::Request,
        summary: summary.into(),
        detail: "".into(),
        http_status: None,
        request_id: None,
        retry_after: None,
    }
}
