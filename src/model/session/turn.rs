//! A running turn as data: where it stands and what it is waiting for. Everything outstanding is named here, so that
//! ending the turn can drop it all (T4, R5).

use std::sync::Arc;

use super::batch::Batch;
use super::draft::Draft;
use super::fold::Plan;
use crate::model::id::{StreamId, Ticket, TimerId};
use crate::model::provider::{Fault, Message, ModelInfo};
use crate::model::time::At;

/// The most requests of one turn.
pub const STEPS: u32 = 256;
/// The most attempts at one request.
pub const ATTEMPTS: u32 = 10;

/// What a session is busy with.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Work {
    #[default]
    Idle,
    Turn(Box<Turn>),
    /// A compaction by hand, outside a turn.
    Fold(Box<Folding>),
    /// Another log is being opened; the ticket is its.
    Opening(Ticket),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    pub phase: Phase,
    pub began: At,
    /// The message that started it.
    pub prompt: Arc<str>,
    /// Holds for the whole turn.
    pub model: Arc<ModelInfo>,
    pub effort: Option<Arc<str>>,
    /// What `before_turn` hooks added to the system prompt.
    pub suffixes: Vec<Arc<str>>,
    /// Requests made, from 1 with the first.
    pub step: u32,
    /// The tools that the last request offered.
    pub offered: Vec<Arc<str>>,
    pub once: Once,
    /// A compaction asked for by hand during the turn; its focus.
    pub fold_wanted: Option<Option<Arc<str>>>,
}

/// Things a turn does at most once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Once {
    /// A blank reply was asked again.
    pub blank: bool,
    /// The provider said the conversation is too long, and it was shortened.
    pub overflow: bool,
    /// Compaction failed; it is not tried again by itself.
    pub fold_failed: bool,
    /// A request went out again without images.
    pub images: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Phase {
    /// The `before_turn` chain runs.
    Prelude(Ticket),
    Asking(Asking),
    Backoff(Backoff),
    Tools(Batch),
    Folding(Folding),
}

/// A request went out; its answer grows.
#[derive(Debug, Clone, PartialEq)]
pub struct Asking {
    pub stream: StreamId,
    /// From 1.
    pub attempt: u32,
    pub draft: Draft,
    /// An earlier attempt failed and this one has not been answered yet.
    pub recovering: bool,
}

/// Nothing came; the request goes out again when the timer rings.
#[derive(Debug, Clone, PartialEq)]
pub struct Backoff {
    pub timer: TimerId,
    /// The attempt that comes next.
    pub attempt: u32,
    pub until: At,
    pub fault: Arc<Fault>,
}

/// A compaction under way.
#[derive(Debug, Clone, PartialEq)]
pub struct Folding {
    pub stage: FoldStage,
    pub plan: Plan,
    pub why: FoldWhy,
    pub focus: Option<Arc<str>>,
    pub model: Arc<ModelInfo>,
    pub effort: Option<Arc<str>>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum FoldStage {
    Asking(Asking),
    Backoff(Backoff),
    /// The `compact_summary` chain has it.
    Hook(Ticket),
}

#[derive(Debug, Clone, PartialEq)]
pub enum FoldWhy {
    ByHand,
    /// The window fills.
    Full,
    /// The provider refused the request as too long; its fault, should shortening not help.
    Overflow(Arc<Fault>),
}

/// A message that waits for the next request.
#[derive(Debug, Clone, PartialEq)]
pub struct Queued {
    pub message: Arc<Message>,
    /// The person's own words: they go back to the composer when nothing takes them.
    pub own: bool,
}

impl Queued {
    /// The queue shows it.
    pub fn shown(&self) -> bool {
        !matches!(&*self.message, Message::User(user) if user.internal)
    }
}

/// What waits to join the conversation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Queue {
    /// Visible, editable, removable; joins before the next request.
    pub steers: Vec<Queued>,
    /// Results of `!commands` that ended while a turn ran; join before the steers.
    pub notes: Vec<Arc<Message>>,
    /// A prompt was queued while something other than a turn ran: it starts one when that is over.
    pub run_next: bool,
    /// Held for the next prompt of the person's own.
    pub next_turn: Vec<Arc<Message>>,
}
