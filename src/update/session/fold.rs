//! Compaction: a summary of the older part is asked of the same model, judged, and put in its place. The history is as it
//! was until the new one is in (`agent.md`, Compaction).

use std::sync::Arc;

use super::record::{self, Paid};
use super::{admit, request, retry, turn as machine};
use crate::model::ask::Ask;
use crate::model::effect::{Effect, StreamFx, TimerFx};
use crate::model::ext::HookValue;
use crate::model::fact::{Fact, TurnFact};
use crate::model::id::TimerId;
use crate::model::provider::{
    Fault, Message, ModelInfo, Purpose, Request, Stop, StreamMsg, User, UserKind, UserPart,
};
use crate::model::session::Session;
use crate::model::session::draft::Draft;
use crate::model::session::fold::{self, Plan};
use crate::model::session::prompt;
use crate::model::session::tree::{Node, Tree};
use crate::model::session::turn::{Asking, FoldStage, FoldWhy, Folding, Phase, Turn, Work};
use crate::update::{Cx, Out};

/// How far one message brought a compaction.
enum Step {
    Going,
    Failed(Arc<str>),
    Summary(Arc<str>),
}

const WORDS_FILL: &str =
    "your own words and the instructions alone fill the model's window, and they are not shortened";

/// Whether the window is so full that the older part must go before the next request.
pub fn due(s: &Session, turn: &Turn, cx: &Cx<'_>) -> bool {
    if !cx.config.settings.auto_compact || turn.once.fold_failed {
        return false;
    }
    let unseen = if s.tally.counted { 0 } else { request::overhead(s, cx) };
    s.tally.context + unseen > fold::threshold(turn.model.context_window)
}

/// Shortens between two requests of a turn.
pub fn begin_in_turn(
    s: &mut Session,
    mut turn: Box<Turn>,
    why: FoldWhy,
    focus: Option<Arc<str>>,
    cx: &mut Cx<'_>,
    out: &mut Out,
) {
    match prepare(s, turn.model.clone(), turn.effort.clone(), why.clone(), focus, cx) {
        Ok((folding, request)) => {
            send(s, &folding, request, out);
            turn.phase = Phase::Folding(folding);
            s.work = Work::Turn(turn);
        }
        Err(reason) => failed_in_turn(s, turn, &why, reason.into(), cx, out),
    }
}

/// `/compact` outside a turn. The session must be idle.
pub fn begin_by_hand(
    s: &mut Session,
    model: Arc<ModelInfo>,
    effort: Option<Arc<str>>,
    focus: Option<Arc<str>>,
    cx: &mut Cx<'_>,
    out: &mut Out,
) {
    match prepare(s, model, effort, FoldWhy::ByHand, focus, cx) {
        Ok((folding, request)) => {
            send(s, &folding, request, out);
            s.work = Work::Fold(Box::new(folding));
        }
        Err(reason) => out.fact(Fact::Turn(s.id, TurnFact::CompactFailed { reason: reason.into() })),
    }
}

/// The window to reckon with: what the provider found too long was too long, whatever its list says.
fn window(s: &Session, model: &ModelInfo, why: &FoldWhy) -> u64 {
    match why {
        FoldWhy::Overflow(_) => model.context_window.min((s.tally.context * 3 / 4).max(4_096)),
        FoldWhy::ByHand | FoldWhy::Full => model.context_window,
    }
}

fn prepare(
    s: &Session,
    model: Arc<ModelInfo>,
    effort: Option<Arc<str>>,
    why: FoldWhy,
    focus: Option<Arc<str>>,
    cx: &mut Cx<'_>,
) -> Result<(Folding, Request), &'static str> {
    let window = window(s, &model, &why);
    let plan = fold::plan(&s.tree.branch(), window)?;
    if !plan.can_fit(request::overhead(s, cx), window) {
        return Err(WORDS_FILL);
    }
    let request =
        summary_request(s, &plan, &model, effort.clone(), focus.as_deref(), window, 1).ok_or(WORDS_FILL)?;
    let asking = Asking { stream: cx.ids.stream(), attempt: 1, draft: Draft::default(), recovering: false };
    Ok((Folding { stage: FoldStage::Asking(asking), plan, why, focus, model, effort }, request))
}

fn send(s: &Session, folding: &Folding, request: Request, out: &mut Out) {
    let FoldStage::Asking(asking) = &folding.stage else { return };
    if asking.attempt == 1 {
        out.fact(Fact::Turn(s.id, TurnFact::Compacting));
    }
    out.effect(Effect::Stream(StreamFx::Open { id: asking.stream, request: Arc::new(request) }));
}

/// One user message that holds the older part as text, so that no provider's rules about calls apply; no tools.
fn summary_request(
    s: &Session,
    plan: &Plan,
    model: &Arc<ModelInfo>,
    effort: Option<Arc<str>>,
    focus: Option<&str>,
    window: u64,
    attempt: u32,
) -> Option<Request> {
    const REPLY: u64 = 1_500;
    let room = fold::threshold(window).saturating_sub(REPLY + fold::tokens(prompt::SUMMARISER));
    // Three bytes a token: a digest of code and paths is denser than prose.
    let digest = fold::digest(&plan.folded, usize::try_from(room * 3).unwrap_or(usize::MAX))?;
    let text = prompt::summary_request(&digest, focus);
    let content = vec![UserPart::Text(text.into())];
    let message = Message::User(User { content, internal: true, kind: UserKind::Prompt });
    Some(Request {
        model: model.clone(),
        effort,
        system: prompt::SUMMARISER.into(),
        messages: vec![Arc::new(message)],
        tools: Vec::new().into(),
        purpose: Purpose::Compact,
        attempt,
        session: s.log.uuid.clone(),
    })
}

/// A piece of the summary, inside a turn.
pub fn hear_in_turn(s: &mut Session, mut turn: Box<Turn>, msg: StreamMsg, cx: &mut Cx<'_>, out: &mut Out) {
    let Phase::Folding(folding) = &mut turn.phase else { return s.work = Work::Turn(turn) };
    let step = hear(s, folding, msg, cx, out);
    go_on_in_turn(s, turn, step, cx, out);
}

/// A piece of the summary, by hand.
pub fn hear_by_hand(
    s: &mut Session,
    mut folding: Box<Folding>,
    msg: StreamMsg,
    cx: &mut Cx<'_>,
    out: &mut Out,
) {
    let step = hear(s, &mut folding, msg, cx, out);
    go_on_by_hand(s, folding, step, cx, out);
}

fn hear(s: &mut Session, folding: &mut Folding, msg: StreamMsg, cx: &mut Cx<'_>, out: &mut Out) -> Step {
    let FoldStage::Asking(asking) = &mut folding.stage else { return Step::Going };
    match msg {
        StreamMsg::Text(delta) => asking.draft.text(&delta),
        StreamMsg::Reasoning(delta) => asking.draft.reasoning(&delta),
        StreamMsg::CallStart { index, id, name } => asking.draft.call_start(index, id, name),
        StreamMsg::Usage(usage) => asking.draft.usage = usage,
        StreamMsg::Opened
        | StreamMsg::ReasoningEnd { .. }
        | StreamMsg::CallArgs { .. }
        | StreamMsg::CallEnd { .. }
        | StreamMsg::Notice(_) => {}
        StreamMsg::Done(stop) => return summarised(s, folding, stop, cx, out),
        StreamMsg::Failed(fault) => return failed(s, folding, fault, cx, out),
    }
    Step::Going
}

fn summarised(s: &mut Session, folding: &mut Folding, stop: Stop, cx: &mut Cx<'_>, out: &mut Out) -> Step {
    let FoldStage::Asking(asking) = &mut folding.stage else { return Step::Going };
    let draft = std::mem::take(&mut asking.draft);
    pay(s, folding, draft.usage, cx, out);
    if stop != Stop::End || draft.has_calls() {
        return Step::Failed("the model did not finish the summary".into());
    }
    let summary: Arc<str> = draft.finish(folding.model.reference.clone(), Default::default()).text().into();
    let window = window(s, &folding.model, &folding.why);
    if let Some(why) = folding.plan.refusal(&summary, request::overhead(s, cx), window) {
        return Step::Failed(why.into());
    }
    let ticket = cx.ids.ticket();
    folding.stage = FoldStage::Hook(ticket);
    out.ask(Ask::Hook { ticket, session: s.id, value: HookValue::CompactSummary { summary } });
    Step::Going
}

fn pay(
    s: &mut Session,
    folding: &Folding,
    usage: crate::model::provider::Usage,
    cx: &mut Cx<'_>,
    out: &mut Out,
) {
    record::pay(s, &Paid { model: folding.model.clone(), usage }, Some(Purpose::Compact), cx, out);
}

fn failed(s: &mut Session, folding: &mut Folding, fault: Fault, cx: &mut Cx<'_>, out: &mut Out) -> Step {
    let FoldStage::Asking(asking) = &mut folding.stage else { return Step::Going };
    let (draft, attempt) = (std::mem::take(&mut asking.draft), asking.attempt);
    pay(s, folding, draft.usage, cx, out);
    let again = if draft.is_empty() {
        retry::judge(&fault, attempt, cx.ids.chance())
    } else {
        retry::Verdict::GiveUp
    };
    match again {
        retry::Verdict::Wait(wait) => {
            folding.stage = FoldStage::Backoff(machine::back_off(s, fault, attempt, wait, cx, out));
            Step::Going
        }
        retry::Verdict::GiveUp => Step::Failed(fault.summary),
    }
}

/// The chain has had its last word on the summary.
pub fn hooked(value: HookValue) -> Option<Arc<str>> {
    match value {
        HookValue::CompactSummary { summary } => Some(summary),
        HookValue::Input { .. }
        | HookValue::BeforeTurn { .. }
        | HookValue::ToolCall { .. }
        | HookValue::ToolResult { .. }
        | HookValue::Render { .. } => None,
    }
}

pub fn hooked_in_turn(s: &mut Session, turn: Box<Turn>, value: HookValue, cx: &mut Cx<'_>, out: &mut Out) {
    let step = hooked(value).map_or(Step::Going, Step::Summary);
    go_on_in_turn(s, turn, step, cx, out);
}

pub fn hooked_by_hand(
    s: &mut Session,
    folding: Box<Folding>,
    value: HookValue,
    cx: &mut Cx<'_>,
    out: &mut Out,
) {
    let step = hooked(value).map_or(Step::Going, Step::Summary);
    go_on_by_hand(s, folding, step, cx, out);
}

fn go_on_in_turn(s: &mut Session, mut turn: Box<Turn>, step: Step, cx: &mut Cx<'_>, out: &mut Out) {
    let Phase::Folding(folding) = &turn.phase else { return s.work = Work::Turn(turn) };
    match finished(s, folding, step, cx, out) {
        None => s.work = Work::Turn(turn),
        Some(Ok(())) => machine::safe_point(s, turn, cx, out),
        Some(Err(reason)) => {
            let why = folding.why.clone();
            turn.once.fold_failed = true;
            failed_in_turn(s, turn, &why, reason, cx, out);
        }
    }
}

fn go_on_by_hand(s: &mut Session, folding: Box<Folding>, step: Step, cx: &mut Cx<'_>, out: &mut Out) {
    match finished(s, &folding, step, cx, out) {
        None => return s.work = Work::Fold(folding),
        Some(Ok(())) => {}
        Some(Err(reason)) => out.fact(Fact::Turn(s.id, TurnFact::CompactFailed { reason })),
    }
    s.work = Work::Idle;
    admit::settle(s, cx, out);
}

/// `None` while it goes on; otherwise the new history is in, or why not.
fn finished(
    s: &mut Session,
    folding: &Folding,
    step: Step,
    cx: &mut Cx<'_>,
    out: &mut Out,
) -> Option<Result<(), Arc<str>>> {
    match step {
        Step::Going => None,
        Step::Failed(reason) => Some(Err(reason)),
        Step::Summary(summary) => {
            let window = window(s, &folding.model, &folding.why);
            match folding.plan.refusal(&summary, request::overhead(s, cx), window) {
                Some(why) => Some(Err(why.into())),
                None => {
                    install(s, folding, &summary, cx, out);
                    Some(Ok(()))
                }
            }
        }
    }
}

fn failed_in_turn(
    s: &mut Session,
    mut turn: Box<Turn>,
    why: &FoldWhy,
    reason: Arc<str>,
    cx: &mut Cx<'_>,
    out: &mut Out,
) {
    turn.once.fold_failed = true;
    out.fact(Fact::Turn(s.id, TurnFact::CompactFailed { reason }));
    match why {
        FoldWhy::Overflow(fault) => {
            let fault = hopeless(s, fault);
            machine::fail(s, turn, fault, 1, 0, cx, out);
        }
        FoldWhy::ByHand | FoldWhy::Full => machine::safe_point(s, turn, cx, out),
    }
}

/// The folded history takes the old one's place, in a log of its own that names the old.
fn install(s: &mut Session, folding: &Folding, summary: &str, cx: &mut Cx<'_>, out: &mut Out) {
    let mut tree = Tree::default();
    let first = (cx.ids.short().into(), Arc::new(fold::summary_message(summary)));
    let mut parent = None;
    for (id, message) in std::iter::once(first).chain(folding.plan.kept.iter().cloned()) {
        // Their responses were paid in the old log.
        let node = Node {
            id: Arc::clone(&id),
            parent: parent.replace(id),
            at: cx.now.wall,
            message,
            response: None,
        };
        if !tree.push(node) {
            out.oops("a kept message found no place");
        }
    }
    s.tree = tree;
    s.tally.estimated = folding.plan.after(summary);
    s.tally.context = s.tally.estimated + request::overhead(s, cx);
    s.tally.counted = true;
    record::move_to_new_log(s, true, cx, out);
    out.fact(Fact::Turn(s.id, TurnFact::Compacted { summary: summary.into() }));
    record::tell_context(s, folding.model.context_window, out);
}

/// A retry of the summary request is due.
pub fn ring(s: &mut Session, mut turn: Box<Turn>, cx: &mut Cx<'_>, out: &mut Out) {
    if let Phase::Folding(folding) = &mut turn.phase {
        again(s, folding, cx, out);
    }
    s.work = Work::Turn(turn);
}

/// Sends the summary request once more, after a wait.
pub fn again(s: &Session, folding: &mut Folding, cx: &mut Cx<'_>, out: &mut Out) {
    let FoldStage::Backoff(wait) = &folding.stage else { return };
    let attempt = wait.attempt;
    let window = window(s, &folding.model, &folding.why);
    let (model, effort, focus) = (&folding.model, folding.effort.clone(), folding.focus.as_deref());
    let Some(request) = summary_request(s, &folding.plan, model, effort, focus, window, attempt) else {
        return;
    };
    let asking = Asking { stream: cx.ids.stream(), attempt, draft: Draft::default(), recovering: true };
    folding.stage = FoldStage::Asking(asking);
    send(s, folding, request, out);
}

/// Whether a compaction waits for this timer.
pub fn rings(folding: &Folding, id: TimerId) -> bool {
    matches!(&folding.stage, FoldStage::Backoff(wait) if wait.timer == id)
}

/// An interrupt: nothing of a compaction stays outstanding.
pub fn drop_outstanding(s: &mut Session, folding: Folding, cx: &mut Cx<'_>, out: &mut Out) {
    match &folding.stage {
        FoldStage::Asking(asking) => {
            out.effect(Effect::Stream(StreamFx::Abort(asking.stream)));
            pay(s, &folding, asking.draft.usage, cx, out);
        }
        FoldStage::Backoff(wait) => out.effect(Effect::Timer(TimerFx::Drop(wait.timer))),
        FoldStage::Hook(_) => {}
    }
}

/// The fault that a person reads when the conversation is too long and shortening cannot help (case G58).
pub fn hopeless(s: &Session, fault: &Fault) -> Fault {
    let items: Vec<String> = fold::largest(&s.tree.branch(), 3)
        .into_iter()
        .map(|(what, size)| format!("{what} (about {size} tokens)"))
        .collect();
    let summary = format!(
        "The conversation is too long for this model and could not be shortened. The largest parts: {}. Go back before \
         one with /tree, choose a model with a larger window with /model, or start anew with /new.",
        items.join(", ")
    );
    Fault { summary: summary.into(), ..fault.clone() }
}
