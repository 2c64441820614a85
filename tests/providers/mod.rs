//! Providers: codecs, the HTTP side against a real local server, keys, models and scripts.

mod jsonc;
mod secrets;
