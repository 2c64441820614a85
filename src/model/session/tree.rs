//! The conversation as a tree of messages by id and parent, and the one history a provider is sent of it.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use crate::model::provider::{Message, ModelRef, Usage};

/// A message's id within its session log.
pub type NodeId = Arc<str>;

/// Messages along a branch, oldest first, as fronts show them.
pub type Branch = Vec<(NodeId, Arc<Message>)>;

#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub id: NodeId,
    pub parent: Option<NodeId>,
    /// Wall milliseconds.
    pub at: u64,
    pub message: Arc<Message>,
    /// What the response that made it counted, and who answered.
    pub response: Option<(ModelRef, Usage)>,
}

/// Only grows; a node's parent was there before it, so there are no cycles (N1).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    /// Where each node's parent stands, so that a branch is walked without looking ids up.
    parents: Vec<Option<usize>>,
    places: BTreeMap<NodeId, usize>,
    head: Option<usize>,
}

impl Tree {
    /// Adds a node below `parent` and makes it the head. Refused (`false`) when its id is taken or its parent unknown.
    #[must_use]
    pub fn push(&mut self, node: Node) -> bool {
        let parent = node.parent.as_ref().map(|id| self.place(id));
        if parent == Some(None) {
            return false;
        }
        let place = self.nodes.len();
        let Entry::Vacant(entry) = self.places.entry(node.id.clone()) else { return false };
        entry.insert(place);
        self.nodes.push(node);
        self.parents.push(parent.flatten());
        self.head = Some(place);
        true
    }

    /// A node's place; the newest node, which the next one mostly hangs on, is found without a search.
    fn place(&self, id: &str) -> Option<usize> {
        match self.nodes.last() {
            Some(last) if *last.id == *id => Some(self.nodes.len() - 1),
            _ => self.places.get(id).copied(),
        }
    }

    /// Puts the whole message where a shortened one stood.
    pub fn restore(&mut self, id: &str, message: Arc<Message>) {
        if let Some(node) = self.places.get(id).and_then(|place| self.nodes.get_mut(*place)) {
            node.message = message;
        }
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn contains(&self, id: &str) -> bool {
        self.place(id).is_some()
    }

    pub fn get(&self, id: &str) -> Option<&Node> {
        self.places.get(id).and_then(|p| self.nodes.get(*p))
    }

    /// Every node, in the order they were made.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub fn head(&self) -> Option<&Node> {
        self.head.and_then(|p| self.nodes.get(p))
    }

    pub fn head_id(&self) -> Option<NodeId> {
        self.head().map(|n| n.id.clone())
    }

    /// Moves the head to a known node, or before the first one; nothing is removed (N3).
    pub fn move_head(&mut self, to: Option<&str>) -> bool {
        match to {
            None => self.head = None,
            Some(id) => match self.places.get(id) {
                Some(place) => self.head = Some(*place),
                None => return false,
            },
        }
        true
    }

    /// Root to head.
    pub fn branch(&self) -> Vec<&Node> {
        self.path(self.head)
    }

    /// Root to the named node; empty when there is none.
    pub fn path_to(&self, id: &str) -> Vec<&Node> {
        self.path(self.places.get(id).copied())
    }

    fn path(&self, mut at: Option<usize>) -> Vec<&Node> {
        let mut out = Vec::new();
        while let Some(node) = at.and_then(|p| self.nodes.get(p)) {
            out.push(node);
            at = at.and_then(|p| self.parents.get(p)).copied().flatten();
        }
        out.reverse();
        out
    }

    /// The branch as fronts rebuild from it.
    pub fn shown(&self) -> Branch {
        self.branch().into_iter().map(|n| (n.id.clone(), n.message.clone())).collect()
    }
}
