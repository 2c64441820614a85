//! The conversation as a tree of messages by id and parent.

use std::sync::Arc;

/// A message's id within its session log.
pub type NodeId = Arc<str>;
