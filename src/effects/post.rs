//! How workers hand their answers to the loop.

use std::fmt;
use std::sync::Arc;

use crate::model::msg::Msg;

/// Sends messages into the loop; clones send into the same one. A loop that has ended swallows them.
#[derive(Clone)]
pub struct Post(Arc<dyn Fn(Msg) + Send + Sync>);

impl Post {
    pub fn new(send: impl Fn(Msg) + Send + Sync + 'static) -> Post {
        Post(Arc::new(send))
    }

    pub fn send(&self, msg: Msg) {
        (self.0)(msg);
    }
}

impl fmt::Debug for Post {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Post")
    }
}
