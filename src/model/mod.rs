//! The model: every type the other houses speak, and pure functions over them. Imports no other house.

use std::sync::Arc;

pub mod ask;
pub mod boot;
pub mod config;
pub mod effect;
pub mod event;
pub mod ext;
pub mod fact;
pub mod front;
pub mod id;
pub mod msg;
pub mod provider;
pub mod session;
pub mod term;
pub mod text;
pub mod time;
pub mod tool;
pub mod tui;
pub mod wire;

/// Everything the core knows. Parts are boxed so that handing the whole through `update` moves a few words.
#[derive(Debug, PartialEq)]
pub struct Model {
    pub ids: id::Ids,
    /// Stamped by the last message.
    pub now: time::At,
    pub boot: Arc<boot::BootFacts>,
    pub config: Box<config::Config>,
    pub catalog: Box<provider::Catalog>,
    pub sessions: Box<session::Sessions>,
    pub exts: Box<ext::Exts>,
    /// What extensions declare; every room reads it.
    pub registry: Arc<ext::registry::Registry>,
    pub front: front::Front,
    pub faults: Faults,
}

impl Model {
    /// Before the first message, which carries everything it starts from.
    pub fn empty() -> Self {
        Model {
            ids: id::Ids::new(0),
            now: time::At::default(),
            boot: Arc::default(),
            config: Box::default(),
            catalog: Box::default(),
            sessions: Box::default(),
            exts: Box::default(),
            registry: Arc::default(),
            front: front::Front::Print(Box::new(front::Print::new(false))),
            faults: Faults::default(),
        }
    }
}

/// "Cannot happen" that did: surfaced once as a notice, never a panic.
#[derive(Debug, Default, PartialEq)]
pub struct Faults {
    pub seen: Vec<&'static str>,
}
