//! The conversation as a tree of messages by id and parent, and the one history a provider is sent of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::provider::{Message, ModelRef, Usage};

/// A message's id within its session log.
pub type NodeId = Arc<str>;

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
    places: BTreeMap<NodeId, usize>,
    head: Option<usize>,
}

impl Tree {
    /// Adds a node below `parent` and makes it the head. Refused (`false`) when its id is taken or its parent unknown.
    #[must_use]
    pub fn push(&mut self, node: Node) -> bool {
        let known = node.parent.as_ref().is_none_or(|p| self.places.contains_key(p));
        if !known || self.places.contains_key(&node.id) {
            return false;
        }
        let place = self.nodes.len();
        self.places.insert(node.id.clone(), place);
        self.nodes.push(node);
        self.head = Some(place);
        true
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn contains(&self, id: &str) -> bool {
        self.places.contains_key(id)
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
            at = node.parent.as_ref().and_then(|p| self.places.get(p)).copied();
        }
        out.reverse();
        out
    }

    /// The branch as fronts rebuild from it.
    pub fn shown(&self) -> Vec<(NodeId, Arc<Message>)> {
        self.branch().into_iter().map(|n| (n.id.clone(), n.message.clone())).collect()
    }
}
