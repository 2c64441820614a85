//! The `openai-responses` dialect.

pub mod request;
pub mod stream;
