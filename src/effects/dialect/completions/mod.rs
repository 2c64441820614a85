//! The `openai-completions` dialect, as OpenAI and the many servers that imitate it speak it.

mod calls;
pub mod request;
pub mod stream;
