//! A reply while it streams: its parts as they grow, and the message they become.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::provider::{Assistant, ModelRef, Part, Usage};

/// Grows by stream pieces; splitting or joining neighbouring pieces gives the same draft (R6).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Draft {
    parts: Vec<Piece>,
    /// The reply's own index of a call → its place in `parts`.
    calls: BTreeMap<usize, usize>,
    pub usage: Usage,
}

#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Text(String),
    Reasoning { text: String, closed: bool, signature: Option<Arc<str>>, sealed: Option<Arc<str>> },
    Call { id: Arc<str>, name: Arc<str>, arguments: String, signature: Option<Arc<str>> },
}

impl Draft {
    pub fn text(&mut self, delta: &str) {
        match self.parts.last_mut() {
            Some(Piece::Text(text)) => text.push_str(delta),
            _ if !delta.is_empty() => self.parts.push(Piece::Text(delta.to_owned())),
            _ => {}
        }
    }

    pub fn reasoning(&mut self, delta: &str) {
        match self.parts.last_mut() {
            Some(Piece::Reasoning { text, closed: false, .. }) => text.push_str(delta),
            _ if !delta.is_empty() => self.parts.push(Piece::Reasoning {
                text: delta.to_owned(),
                closed: false,
                signature: None,
                sealed: None,
            }),
            _ => {}
        }
    }

    /// Seals the open reasoning; a seal without text is an item of its own.
    pub fn reasoning_end(&mut self, seal: Option<Arc<str>>, item: Option<Arc<str>>) {
        match self.parts.last_mut() {
            Some(Piece::Reasoning { closed, signature, sealed, .. }) if !*closed => {
                *closed = true;
                *signature = seal;
                *sealed = item;
            }
            _ if seal.is_some() || item.is_some() => self.parts.push(Piece::Reasoning {
                text: String::new(),
                closed: true,
                signature: seal,
                sealed: item,
            }),
            _ => {}
        }
    }

    pub fn call_start(&mut self, index: usize, id: Arc<str>, name: Arc<str>) {
        self.calls.insert(index, self.parts.len());
        self.parts.push(Piece::Call { id, name, arguments: String::new(), signature: None });
    }

    /// `false` when no such call began.
    pub fn call_args(&mut self, index: usize, delta: &str) -> bool {
        match self.call(index) {
            Some(Piece::Call { arguments, .. }) => arguments.push_str(delta),
            _ => return false,
        }
        true
    }

    pub fn call_end(&mut self, index: usize, seal: Option<Arc<str>>) {
        if let Some(Piece::Call { signature, .. }) = self.call(index) {
            *signature = seal;
        }
    }

    fn call(&mut self, index: usize) -> Option<&mut Piece> {
        self.calls.get(&index).and_then(|place| self.parts.get_mut(*place))
    }

    /// Nothing at all came: no text, no reasoning, no call.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// There is a call, or text that is not only white space.
    pub fn answers(&self) -> bool {
        self.parts.iter().any(|p| match p {
            Piece::Text(text) => !text.trim().is_empty(),
            Piece::Call { .. } => true,
            Piece::Reasoning { .. } => false,
        })
    }

    pub fn reasons(&self) -> bool {
        self.parts.iter().any(|p| matches!(p, Piece::Reasoning { .. }))
    }

    pub fn has_calls(&self) -> bool {
        self.parts.iter().any(|p| matches!(p, Piece::Call { .. }))
    }

    /// Bytes of visible text so far.
    pub fn text_bytes(&self) -> usize {
        self.parts.iter().map(|p| if let Piece::Text(t) = p { t.len() } else { 0 }).sum()
    }

    /// The message. Call ids are made unique against `taken`, which are those of the branch (case G55).
    pub fn finish(self, origin: ModelRef, mut taken: BTreeSet<Arc<str>>) -> Assistant {
        let parts = self.parts.into_iter().filter_map(|piece| match piece {
            Piece::Text(text) if text.is_empty() => None,
            Piece::Text(text) => Some(Part::Text(text.into())),
            Piece::Reasoning { text, signature, sealed, .. } => {
                Some(Part::Reasoning { text: text.into(), signature, sealed })
            }
            Piece::Call { id, name, arguments, signature } => {
                let id = unique(id, &mut taken);
                Some(Part::ToolCall { id, name, arguments: arguments.into(), signature })
            }
        });
        Assistant { parts: parts.collect(), origin: Some(origin) }
    }
}

fn unique(id: Arc<str>, taken: &mut BTreeSet<Arc<str>>) -> Arc<str> {
    let base: Arc<str> = if id.trim().is_empty() { "call".into() } else { id };
    let mut name = base.clone();
    let mut n = 2u32;
    while !taken.insert(name.clone()) {
        name = format!("{base}_{n}").into();
        n += 1;
    }
    name
}
