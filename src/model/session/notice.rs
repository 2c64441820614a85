//! A line for the person that is not part of the conversation.

use std::sync::Arc;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    #[default]
    Info,
    Warning,
    Error,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    pub tone: Tone,
    pub text: Arc<str>,
    /// Shown on the status row for a moment instead of staying in the transcript.
    pub transient: bool,
}
