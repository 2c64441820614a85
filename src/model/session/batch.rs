//! The calls of one reply, from their announcement until each has its result.

use std::sync::Arc;

use serde_json::Value;

use crate::model::id::{CallId, Ticket};
use crate::model::tool::order::{Slot, Stage, Touches};
use crate::model::tool::{Label, ToolOutput};

/// Live output kept for a call that may be cut short.
pub const TAIL: usize = 64 * 1024;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Batch {
    /// In the model's order.
    pub calls: Vec<Call>,
    /// `AGENTS.md` files met on the way; they join when every call is settled.
    pub instructions: Vec<(Arc<str>, Arc<str>)>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub id: CallId,
    /// The provider's id.
    pub wire: Arc<str>,
    pub name: Arc<str>,
    /// A JSON string of the raw text when that is not an object.
    pub arguments: Arc<Value>,
    /// Why the arguments can't be used.
    pub broken: Option<Arc<str>>,
    pub label: Label,
    pub touches: Touches,
    pub phase: CallPhase,
    /// The end of what it said so far.
    pub output: String,
}

#[derive(Debug, Clone, PartialEq)]
pub enum CallPhase {
    /// The `tool_call` chain decides.
    Gate(Ticket),
    /// Allowed; waits for its turn.
    Ready,
    Running,
    /// The `tool_result` chain has the result.
    Rewrite(Ticket, Box<ToolOutput>),
    Settled,
}

impl Batch {
    pub fn find(&mut self, id: CallId) -> Option<&mut Call> {
        self.calls.iter_mut().find(|c| c.id == id)
    }

    pub fn settled(&self) -> bool {
        self.calls.iter().all(|c| c.phase == CallPhase::Settled)
    }

    /// The batch as the order of calls sees it.
    pub fn slots(&self) -> Vec<Slot> {
        let stage = |call: &Call| match call.phase {
            CallPhase::Gate(_) => Stage::Held,
            CallPhase::Ready if call.touches == Touches::Unknown => Stage::Held,
            CallPhase::Ready => Stage::Ready,
            CallPhase::Running => Stage::Running,
            CallPhase::Rewrite(..) | CallPhase::Settled => Stage::Over,
        };
        self.calls.iter().map(|c| Slot { call: c.id, touches: c.touches.clone(), stage: stage(c) }).collect()
    }
}

impl Call {
    /// Keeps the end of what a call says, cut at a character.
    pub fn hear(&mut self, chunk: &str) {
        self.output.push_str(chunk);
        if self.output.len() > 2 * TAIL {
            let mut cut = self.output.len() - TAIL;
            while !self.output.is_char_boundary(cut) {
                cut += 1;
            }
            drop(self.output.drain(..cut));
        }
    }
}
