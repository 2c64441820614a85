//! Providers: codecs, the HTTP side against a real local server, keys, models and scripts.

mod codec;
mod fixture;
mod jsonc;
mod request;
mod secrets;
mod server;
mod strict;
mod wire;
