//! A line for the person that is not part of the conversation.

use std::sync::Arc;

pub use crate::model::text::tone::Tone;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    pub tone: Tone,
    pub text: Arc<str>,
    /// Shown on the status row for a moment instead of staying in the transcript.
    pub transient: bool,
}
