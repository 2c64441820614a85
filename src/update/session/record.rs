//! What happens to the conversation is committed here: into the tree, into the log at once, and into the tallies.

use std::sync::Arc;

use crate::model::effect::{Effect, StoreFx};
use crate::model::fact::{Fact, SessionFact, TurnFact};
use crate::model::provider::{Message, ModelInfo, Purpose, Usage};
use crate::model::session::tree::{Node, NodeId};
use crate::model::session::{LogState, Session, fold, load};
use crate::model::wire::log::{Extra, Record, Response};
use crate::update::{Cx, Out};

/// What a response counted, for whom and for what.
#[derive(Debug, Clone)]
pub struct Paid {
    pub model: Arc<ModelInfo>,
    pub usage: Usage,
}

/// Adds a message below the head and writes it down.
pub fn commit(
    s: &mut Session,
    message: Message,
    paid: Option<Paid>,
    cx: &mut Cx<'_>,
    out: &mut Out,
) -> (NodeId, Arc<Message>) {
    let message = Arc::new(message);
    let id = fresh_id(s, cx);
    let response = paid.map(|p| (p.model.reference.clone(), p.usage));
    let counted = response.as_ref().map_or(0, |(_, usage)| usage.context());
    s.tally.grow(fold::estimate(&message), counted);
    let node = Node {
        id: id.clone(),
        parent: s.tree.head_id(),
        at: cx.now.wall,
        message: message.clone(),
        response,
    };
    let record = record_of(&node, Purpose::Turn);
    if !s.tree.push(node) {
        out.oops("a message found no place in the conversation");
    }
    append(s, &record, cx, out);
    (id, message)
}

fn fresh_id(s: &Session, cx: &mut Cx<'_>) -> NodeId {
    loop {
        let id: NodeId = cx.ids.short().into();
        if !s.tree.contains(&id) {
            return id;
        }
    }
}

fn record_of(node: &Node, purpose: Purpose) -> Record {
    let response = node.response.as_ref().map(|(model, usage)| Response::new(model.clone(), purpose, *usage));
    Record::message(node.id.clone(), node.parent.clone(), node.at, node.message.clone(), response)
}

/// Writes a record to the session's log, which is made with the first one.
pub fn append(s: &mut Session, record: &Record, cx: &mut Cx<'_>, out: &mut Out) {
    match &s.log.state {
        LogState::Off => {}
        LogState::Open { ticket, .. } => {
            let line = record.print().into();
            out.effect(Effect::Store(StoreFx::Append { ticket: *ticket, line }));
        }
        LogState::None => create(s, vec![record.print().into()], None, cx, out),
    }
}

/// Makes a log of these lines behind its first one; `continues` links it to the log it goes on from.
fn create(s: &mut Session, lines: Vec<Arc<str>>, continues: Option<Extra>, cx: &mut Cx<'_>, out: &mut Out) {
    let ticket = cx.ids.ticket();
    let mut first = Record::session(s.log.uuid.clone(), s.cwd.clone(), cx.now.wall, s.choice.model.clone());
    if let (Record::Session(session), Some(extra)) = (&mut first, continues) {
        session.extra = extra;
    }
    let name = s.log.name.clone().map(|name| Record::name(Some(name)).print().into());
    let lines = std::iter::once(first.print().into()).chain(name).chain(lines).collect();
    s.log.state = LogState::Open { ticket, path: None };
    out.effect(Effect::Store(StoreFx::Create { ticket, cwd: s.cwd.clone(), id: s.log.uuid.clone(), lines }));
}

/// Goes on in a new log that holds the session's branch as it is now; the old file stays as it was. `link` names it in
/// the new one.
pub fn move_to_new_log(s: &mut Session, link: bool, cx: &mut Cx<'_>, out: &mut Out) {
    let old = s.log.path().cloned();
    s.log.uuid = cx.ids.uuid(cx.now.wall).into();
    if s.log.state == LogState::Off {
        return;
    }
    let first = if link { s.log.first.clone().or_else(|| old.clone()) } else { None };
    let extra = old.filter(|_| link).map(|old| load::link(&old, first.as_deref().unwrap_or(&old)));
    s.log.first = first;
    let lines: Vec<Arc<str>> =
        s.tree.branch().into_iter().map(|node| record_of(node, Purpose::Turn).print().into()).collect();
    s.log.state = LogState::None;
    if !lines.is_empty() {
        create(s, lines, extra, cx, out);
    }
}

/// Counts a response; one that gave no message is written down as such.
pub fn pay(s: &mut Session, paid: &Paid, alone: Option<Purpose>, cx: &mut Cx<'_>, out: &mut Out) {
    if paid.usage.is_zero() {
        return;
    }
    if let Some(purpose) = alone {
        let response = Response::new(paid.model.reference.clone(), purpose, paid.usage);
        append(s, &Record::response(cx.now.wall, response), cx, out);
    }
    let cost = paid.model.pricing.map(|p| p.cost(paid.usage));
    s.tally.usage += paid.usage;
    if let Some(cost) = cost {
        *s.tally.cost.get_or_insert(0.0) += cost;
    }
    out.fact(Fact::Turn(s.id, TurnFact::Usage { usage: paid.usage, cost }));
}

/// Tells how full the window is.
pub fn tell_context(s: &Session, window: u64, out: &mut Out) {
    out.fact(Fact::Session(s.id, SessionFact::Context { tokens: s.tally.context, window }));
}
