//! Hook chains: one extension after another, in launch order, each with five seconds; whatever goes wrong is the empty
//! answer and the chain goes on (`extensions-notes.md` 9).

use super::calls;
use crate::model::ask::Ask;
use crate::model::ext::chain::{Asked as Turn, Chain, Step};
use crate::model::ext::live::{Asked, Running};
use crate::model::ext::{Exts, HookKind, HookValue};
use crate::model::fact::{Fact, TurnFact};
use crate::model::id::{ExtId, SessionId, Ticket, TimerId};
use crate::model::wire::ext::{HOOK_TIME, HookAnswer};
use crate::update::{Cx, Out};

pub fn run(
    exts: &mut Exts,
    ticket: Ticket,
    session: SessionId,
    value: HookValue,
    cx: &mut Cx<'_>,
    out: &mut Out,
) {
    let order = match &value {
        HookValue::Render { entry, .. } => cx.registry.renderers(entry),
        other => cx.registry.hooked(other.kind()).to_vec(),
    };
    let chain = Chain::new(ticket, value, exts.living(&order));
    exts.chains.insert(ticket, Running { session, chain });
    advance(exts, ticket, cx, out);
}

/// Asks the next one who lives, or gives the asker its value.
fn advance(exts: &mut Exts, ticket: Ticket, cx: &mut Cx<'_>, out: &mut Out) {
    loop {
        let Some(running) = exts.chains.get_mut(&ticket) else { return };
        match running.chain.step() {
            Step::Ask(ext, call) => {
                let kind = running.chain.value.kind();
                let asked = Asked::Hook(ticket, kind);
                let Some(number) = calls::open(exts, ext, &call, asked, HOOK_TIME, cx, out) else { continue };
                told(exts, ticket, ext, kind, true, out);
                if let Some(running) = exts.chains.get_mut(&ticket) {
                    // The deadline is the request's own: it stands still while the extension asks something.
                    running.chain.asking(Turn { ext, call: number, timer: TimerId::default() });
                }
                return;
            }
            Step::Done => {
                if let Some(done) = exts.chains.remove(&ticket) {
                    out.ask(Ask::HookDone { ticket, value: done.chain.value });
                }
                return;
            }
        }
    }
}

/// For hooks that a turn or a compaction waits for: the activity row says for whom.
fn told(exts: &Exts, ticket: Ticket, ext: ExtId, hook: HookKind, waiting: bool, out: &mut Out) {
    let Some(running) = exts.chains.get(&ticket) else { return };
    if matches!(hook, HookKind::Input | HookKind::Render) {
        return;
    }
    let Some(extension) = exts.all.get(&ext).map(|e| e.name().clone()) else { return };
    let fact = match waiting {
        true => TurnFact::Waiting { hook, extension },
        false => TurnFact::Waited { hook, extension },
    };
    out.fact(Fact::Turn(running.session, fact));
}

/// The one that was asked has answered, ran out of time or died.
pub fn answered(
    exts: &mut Exts,
    ticket: Ticket,
    ext: ExtId,
    number: u64,
    answer: HookAnswer,
    cx: &mut Cx<'_>,
    out: &mut Out,
) {
    let Some(name) = exts.all.get(&ext).map(|e| e.name().clone()) else { return };
    let Some(running) = exts.chains.get_mut(&ticket) else { return };
    let kind = running.chain.value.kind();
    if running.chain.answer(ext, number, &name, answer) {
        told(exts, ticket, ext, kind, false, out);
        advance(exts, ticket, cx, out);
    }
}

/// Nobody waits any more for what a turn or a compaction had asked when that has ended.
pub fn observe(exts: &mut Exts, fact: &Fact, _cx: &mut Cx<'_>, _out: &mut Out) {
    let (session, fold) = match fact {
        Fact::Turn(session, TurnFact::Ended { .. }) => (*session, false),
        Fact::Turn(session, TurnFact::CompactFailed { .. }) => (*session, true),
        _ => return,
    };
    exts.chains.retain(|_, running| {
        let kind = running.chain.value.kind();
        let ended = match kind {
            HookKind::Input | HookKind::Render => false,
            HookKind::CompactSummary => true,
            HookKind::BeforeTurn | HookKind::ToolCall | HookKind::ToolResult => !fold,
        };
        !(running.session == session && ended)
    });
}

/// An extension is gone: it is not asked any more.
pub fn without(exts: &mut Exts, ext: ExtId, cx: &mut Cx<'_>, out: &mut Out) {
    let waiting: Vec<Ticket> = exts
        .chains
        .iter_mut()
        .filter_map(|(ticket, running)| running.chain.died(ext).then_some(*ticket))
        .collect();
    for ticket in waiting {
        advance(exts, ticket, cx, out);
    }
}
