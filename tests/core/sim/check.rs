//! What must hold after every update, whatever happened: starts and ends, provenance, order, validity, leaks.

use std::collections::{BTreeMap, BTreeSet};

use e::model::fact::{Fact, TextFact, ToolFact, TurnFact};
use e::model::id::{CallId, StreamId};
use e::model::provider::{Message, Request, UserKind};
use e::model::session::turn::{STEPS, Work};
use e::model::session::{load, tree::Tree};
use e::model::tool::Outcome;

use super::{Job, World};

#[derive(Debug, Default)]
pub struct Counters {
    pub began: usize,
    pub ended: usize,
    pub step: u32,
    /// The stream whose message is being taken in.
    pub speaking: Option<StreamId>,
    pub announced: BTreeMap<CallId, usize>,
    pub finished: BTreeSet<CallId>,
    requests: usize,
    batch: usize,
}

impl World {
    /// T8: never more at once than allowed, calls on one file one after the other and in the model's order.
    pub fn start_job(&mut self, id: CallId, job: Job) {
        let running: Vec<(&CallId, &Job)> = self.open.jobs.iter().filter(|(_, j)| !j.hidden).collect();
        let limit = self.model().config.settings.tool_concurrency;
        if !job.hidden && !self.loose {
            assert!(running.len() < limit, "T8: {} calls run at once", running.len() + 1);
            assert!(!self.blocked.contains(&id), "T10: a blocked call runs");
            if let Some(path) = &job.path {
                let same = |j: &Job| {
                    j.path.as_ref().is_some_and(|p| super::scripts::key_of(p) == super::scripts::key_of(path))
                };
                assert!(!running.iter().any(|(_, j)| same(j)), "T8: two calls on {path} at once");
            }
        }
        assert!(self.open.jobs.insert(id, job).is_none() || self.loose, "a call runs twice");
    }

    pub fn check(&mut self, from: usize) {
        let new: Vec<Fact> = self.facts[from..].to_vec();
        for fact in &new {
            self.check_fact(fact);
        }
        assert!(self.model().faults.seen.is_empty(), "R4, oops: {:?}", self.model().faults.seen);
        for request in &self.requests[self.counters.requests..] {
            valid(request);
        }
        self.counters.requests = self.requests.len();
        assert!(self.open.streams.len() <= 1, "two streams at once");
        check_tree(&self.session().tree);
        self.check_leaks();
    }

    fn check_fact(&mut self, fact: &Fact) {
        match fact {
            Fact::Turn(_, TurnFact::Began { .. }) => {
                self.counters.began += 1;
                self.counters.step = 0;
                assert_eq!(self.counters.began, self.counters.ended + 1, "T1: a turn began inside a turn");
            }
            Fact::Turn(_, TurnFact::Ended { .. }) => {
                self.counters.ended += 1;
                assert_eq!(self.counters.began, self.counters.ended, "T1: an end without a start");
            }
            Fact::Turn(_, TurnFact::Asking { step }) => {
                self.counters.step = *step;
                assert!(*step <= STEPS, "T13: step {step}");
            }
            Fact::Text(_, TextFact::Committed { message, .. }) => self.check_provenance(message),
            Fact::Tool(_, ToolFact::Batch { calls }) => {
                self.counters.batch += 1;
                for call in calls {
                    let again = self.counters.announced.insert(call.id, self.counters.batch);
                    assert!(again.is_none(), "a call id announced twice");
                }
            }
            Fact::Tool(_, ToolFact::Output { id, .. }) => {
                assert!(!self.counters.finished.contains(id), "output after the end of a call");
            }
            Fact::Tool(_, ToolFact::End { id, outcome, content, .. }) => {
                assert!(self.counters.announced.contains_key(id), "an end of an unknown call");
                assert!(self.counters.finished.insert(*id), "a call ended twice");
                if self.blocked.contains(id) && *outcome != Outcome::Cancelled {
                    assert_eq!(*outcome, Outcome::Blocked, "T10");
                    assert!(content.contains("because the world says so"), "T10: {content}");
                }
            }
            _ => {}
        }
    }

    /// T6: a reply's text is what its own stream said, all of it and nothing else.
    fn check_provenance(&self, message: &Message) {
        let Message::Assistant(reply) = message else { panic!("a reply that is none") };
        let text = reply.text();
        let said = match self.counters.speaking {
            Some(id) => self.said.get(&id).cloned().unwrap_or_default(),
            // Committed by an interrupt: of the stream that was let go of last.
            None => self.dead.streams.last().and_then(|id| self.said.get(id)).cloned().unwrap_or_default(),
        };
        assert_eq!(text, said, "T6");
    }

    /// R5, T4: nothing is outstanding that nobody waits for.
    fn check_leaks(&self) {
        let s = self.session();
        if matches!(s.work, Work::Idle) {
            assert!(self.open.streams.is_empty(), "T4: a stream outlives its turn");
            assert!(self.open.timers.is_empty(), "T4: a timer outlives its turn");
        }
        if s.idle() && s.tools.undo.is_none() {
            assert!(self.open.jobs.is_empty(), "T4: a call outlives its turn");
        }
    }

    /// N4: what is on disk is what is in memory.
    pub fn check_disk(&self) {
        let Some(path) = self.session().log.path() else { return };
        let loaded = load::load(self.disk[&**path].iter().map(|l| &**l));
        assert!(loaded.bad.is_empty(), "{:?}", loaded.bad);
        let tree = &self.session().tree;
        assert_eq!(loaded.tree.len(), tree.len(), "N4");
        for (read, kept) in loaded.tree.nodes().iter().zip(tree.nodes()) {
            assert_eq!(
                (&read.id, &read.parent, &read.message),
                (&kept.id, &kept.parent, &kept.message),
                "N4"
            );
        }
        assert_eq!(loaded.uuid.as_ref(), Some(&s_uuid(self)), "the log's id");
    }
}

fn s_uuid(world: &World) -> std::sync::Arc<str> {
    world.session().log.uuid.clone()
}

/// N1, N2.
fn check_tree(tree: &Tree) {
    let mut seen = BTreeSet::new();
    for node in tree.nodes() {
        assert!(node.parent.as_ref().is_none_or(|p| seen.contains(p)), "N1: a child before its parent");
        assert!(seen.insert(node.id.clone()), "N1: an id twice");
    }
    if let Some(head) = tree.head() {
        assert!(seen.contains(&head.id), "N2");
    }
}

/// N6, T7: what a strict provider demands of a request.
pub fn valid(request: &Request) {
    let mut open: Vec<String> = Vec::new();
    let mut ids = BTreeSet::new();
    for message in &request.messages {
        match &**message {
            Message::Tool(result) => {
                assert!(!open.is_empty(), "N6: a result without a call");
                assert_eq!(open.remove(0), *result.call, "N6: results out of order");
            }
            Message::User(user) => {
                assert!(open.is_empty(), "T7: {:?} between a call and its result", user.kind);
            }
            Message::Assistant(reply) => {
                assert!(open.is_empty(), "N6: a reply before the results");
                for (id, ..) in reply.calls() {
                    assert!(ids.insert(id.clone()), "call id {id} twice");
                    open.push(id.to_string());
                }
            }
        }
    }
    assert!(open.is_empty(), "N6: calls without results");
    assert!(
        !matches!(request.messages.last().map(|m| &**m), None | Some(Message::Assistant(_))),
        "ends with a reply"
    );
}

/// How often a user's words stand in the conversation.
pub fn times_said(world: &World, words: &str) -> usize {
    let said = |m: &Message| match m {
        Message::User(user) => user.kind == UserKind::Prompt && user.text() == words,
        Message::Assistant(_) | Message::Tool(_) => false,
    };
    world.session().tree.nodes().iter().filter(|n| said(&n.message)).count()
}
