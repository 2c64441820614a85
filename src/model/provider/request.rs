//! One request to a model, complete and secret-free; a dialect turns it into bytes.

use std::sync::Arc;

use super::info::ModelInfo;
use super::message::Message;
use crate::model::tool::ToolSpec;

/// What a response is paid for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    Turn,
    Compact,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    pub model: Arc<ModelInfo>,
    pub effort: Option<Arc<str>>,
    pub system: Arc<str>,
    /// Valid for every provider: each call has exactly one result before the next reply.
    pub messages: Vec<Arc<Message>>,
    /// Empty: no tools are offered.
    pub tools: Arc<[ToolSpec]>,
    pub purpose: Purpose,
    /// Counts from 1; a script and the fault report use it.
    pub attempt: u32,
    /// The session's id, for providers that route caches by it.
    pub session: Arc<str>,
}
