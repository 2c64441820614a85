//! What is known of a saved session without reading it whole.

use std::sync::Arc;

use crate::model::provider::ModelRef;

/// What a picker shows of a saved session, from the file's head and tail alone.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionHead {
    pub path: Arc<str>,
    pub cwd: Arc<str>,
    pub title: Arc<str>,
    pub name: Option<Arc<str>>,
    /// Wall milliseconds.
    pub modified: u64,
    /// Bytes on disk.
    pub size: u64,
    /// User turns, when the file is small enough to count.
    pub turns: Option<u32>,
    /// That answered last, as far as head and tail tell.
    pub model: Option<ModelRef>,
}
