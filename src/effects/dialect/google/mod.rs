//! The `google-generative-ai` dialect.

pub mod request;
pub mod stream;
