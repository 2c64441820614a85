//! What the status row and the activity row tell: kept from facts, worded by settings and layout.

use std::sync::Arc;

use crate::model::provider::{ModelRef, Usage};
use crate::model::text::clean::Clean;
use crate::model::time::At;
use crate::model::tool::Image;

/// What a running turn is doing.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Phase {
    #[default]
    Thinking,
    Tools,
    Compacting,
    Retry {
        attempt: u32,
        limit: u32,
        /// When it is tried again.
        until: At,
        cause: Clean,
    },
    /// A hook of the named extension is awaited.
    Hook {
        name: Clean,
    },
    /// A `!command`.
    Shell,
}

/// The turn that runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Running {
    pub phase: Phase,
    pub since: At,
    /// The last whole-second tick, so that frames need no clock.
    pub now: At,
    /// Tokens of this turn.
    pub usage: Usage,
    /// Characters streamed since the last count, to show life between counts.
    pub streamed: usize,
}

/// A line on the right of the status row that goes away by itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Flash {
    pub text: Clean,
}

/// The session in front, for the status row.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Front {
    pub model: Option<ModelRef>,
    pub effort: Option<Arc<str>>,
    pub name: Option<Clean>,
    pub branch: Option<Clean>,
    pub path: Option<Arc<str>>,
    /// Tokens in the window, and its size.
    pub context: (u64, u64),
    /// Of the whole session.
    pub usage: Usage,
    /// Dollars, where priced.
    pub cost: Option<f64>,
    /// Responses counted in `usage`.
    pub responses: u64,
}

/// A message that waits for the next tool boundary.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Steer {
    /// On one row.
    pub shown: Clean,
    pub text: Arc<str>,
    pub images: Vec<Image>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Status {
    pub front: Front,
    pub running: Option<Running>,
    /// Steers that wait, oldest first.
    pub queue: Vec<Steer>,
    pub flash: Option<Flash>,
    /// Ctrl+c was pressed: once more quits.
    pub armed: bool,
    /// The clipboard is being read.
    pub pasting: bool,
}
