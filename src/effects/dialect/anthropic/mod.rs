//! The `anthropic-messages` dialect.

pub mod request;
pub mod stream;
