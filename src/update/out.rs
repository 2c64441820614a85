//! What a room is lent while it works: `Cx` to read and mint from, `Out` to speak into.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::model::ask::Ask;
use crate::model::boot::BootFacts;
use crate::model::config::Config;
use crate::model::effect::{Effect, Effects};
use crate::model::ext::HookValue;
use crate::model::ext::registry::Registry;
use crate::model::fact::Fact;
use crate::model::id::{Ids, Ticket};
use crate::model::provider::Catalog;
use crate::model::session::notice::{Notice, Tone};
use crate::model::time::At;

/// The shared surroundings of one update.
#[derive(Debug)]
pub struct Cx<'a> {
    pub now: At,
    pub ids: &'a mut Ids,
    pub boot: &'a mut Arc<BootFacts>,
    pub config: &'a mut Config,
    pub catalog: &'a mut Catalog,
    /// What extensions declare; only their own room changes it.
    pub registry: &'a mut Arc<Registry>,
}

/// Everything a room says: effects for the world, facts for observers, asks for other rooms.
#[derive(Debug, Default)]
pub struct Out {
    pub(crate) effects: Vec<Effect>,
    pub(crate) facts: VecDeque<Fact>,
    pub(crate) asks: VecDeque<Ask>,
    pub(crate) faults: Vec<&'static str>,
    /// The process ends with this status when everything else is done.
    pub(crate) exit: Option<u8>,
    /// What an onlooker is told beside the effects.
    pub(crate) seen: Option<Seen>,
}

/// What happened inside an update, for an onlooker: replay and the tests' simulated world.
#[derive(Debug, Default, PartialEq)]
pub struct Seen {
    /// In the order fronts observed them.
    pub facts: Vec<Fact>,
    /// Hooks that the onlooker took upon itself to answer.
    pub hooks: Vec<(Ticket, HookValue)>,
}

impl Out {
    pub fn effect(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    pub fn fact(&mut self, fact: Fact) {
        self.facts.push_back(fact);
    }

    pub fn ask(&mut self, ask: Ask) {
        self.asks.push_back(ask);
    }

    /// What other rooms were asked and have not answered yet.
    pub fn asks(&self) -> impl Iterator<Item = &Ask> {
        self.asks.iter()
    }

    /// A notice that stays in the transcript.
    pub fn notice(&mut self, tone: Tone, text: impl Into<Arc<str>>) {
        self.fact(Fact::Notice(Notice { tone, text: text.into(), transient: false }));
    }

    /// A notice on the status row that goes away by itself.
    pub fn flash(&mut self, text: impl Into<Arc<str>>) {
        self.fact(Fact::Notice(Notice { tone: Tone::Info, text: text.into(), transient: true }));
    }

    /// Something that cannot happen did; recorded, never a panic.
    pub fn oops(&mut self, what: &'static str) {
        self.faults.push(what);
    }

    pub fn into_effects(self) -> Effects {
        Effects(self.effects)
    }
}
