//! What the saved sessions of a period used, by model (`/usage`).

use crate::model::provider::{ModelRef, Usage};

#[derive(Debug, Clone, PartialEq, Default)]
pub struct SavedUsage {
    /// By model, in the order of their names.
    pub models: Vec<ModelUsage>,
    /// Sessions with a response in the period.
    pub sessions: usize,
    /// Logs that could not be read to their end.
    pub unread: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ModelUsage {
    pub model: ModelRef,
    pub responses: u64,
    pub usage: Usage,
}
