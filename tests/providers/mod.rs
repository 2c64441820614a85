//! Providers: codecs, the HTTP side against a real local server, keys, models and scripts.

mod auth;
mod codec;
pub mod fixture;
mod jsonc;
mod models;
mod request;
mod script;
mod secrets;
pub mod server;
pub mod strict;
mod veil;
mod wire;
