//! What the core knows of model providers: models as data, one request, the pieces of its answer, and how it fails.

pub mod fault;
pub mod history;
pub mod info;
pub mod key;
pub mod message;
pub mod models;
pub mod request;
pub mod resolve;
pub mod stream;
pub mod usage;

pub use fault::{Cause, Fault, Stage};
pub use info::{Catalog, Dialect, ModelInfo, ModelRef, Pricing, ProviderInfo, Quirks, Thinking};
pub use message::{Assistant, Message, Part, ToolResult, User, UserKind, UserPart};
pub use request::{Purpose, Request};
pub use stream::{Stop, StreamMsg};
pub use usage::Usage;
