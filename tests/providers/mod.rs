//! Providers: codecs, the HTTP side against a real local server, keys, models and scripts.

mod auth;
mod codec;
mod fixture;
mod jsonc;
mod models;
mod request;
mod script;
mod secrets;
mod server;
mod strict;
mod wire;
