//! A strict provider of the test's own in two dialects, and a place whose `models.json` names it.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::place::Place;
use crate::providers::fixture::{Call, anthropic_events, completions_events};
use crate::providers::server::{Act, Server, stream_head};
use crate::providers::strict;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Dialect {
    Completions,
    Anthropic,
}

pub const BOTH: [Dialect; 2] = [Dialect::Completions, Dialect::Anthropic];

impl Dialect {
    /// A whole streamed reply.
    pub fn reply(self, text: &str, calls: &[(&str, &str, Value)]) -> Vec<Act> {
        vec![stream_head(), Act::Send(self.bytes(text, calls))]
    }

    /// A reply of which the first `share` of a hundred comes, and then nothing for as long as someone listens.
    pub fn stuck(self, text: &str, share: usize) -> Vec<Act> {
        let bytes = self.bytes(text, &[]);
        vec![stream_head(), Act::Send(bytes[..bytes.len() * share / 100].to_vec()), Act::Hang]
    }

    /// A reply whose connection ends after `share` of a hundred.
    pub fn dropped(self, text: &str, share: usize) -> Vec<Act> {
        let bytes = self.bytes(text, &[]);
        vec![stream_head(), Act::Send(bytes[..bytes.len() * share / 100].to_vec())]
    }

    fn bytes(self, text: &str, calls: &[(&str, &str, Value)]) -> Vec<u8> {
        let calls: Vec<Call> =
            calls.iter().map(|(id, name, args)| Call::new(id, name, &args.to_string())).collect();
        match self {
            Dialect::Completions => completions_events(text, "", &calls, "\n"),
            Dialect::Anthropic => anthropic_events(text, "hm", &calls, "\n"),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Dialect::Completions => "openai-completions",
            Dialect::Anthropic => "anthropic-messages",
        }
    }
}

/// The only model that the place knows: `mock/m`, which `server` plays.
pub fn known(place: &Place, dialect: Dialect, server: &Server, window: u64) {
    let provider =
        json!({"base_url": server.base, "api": dialect.name(), "context_window": window, "models": ["m"]});
    std::fs::write(place.home.path("models.json"), json!({"providers": {"mock": provider}}).to_string())
        .unwrap();
    std::fs::write(place.home.path("settings.json"), json!({"model": "mock/m"}).to_string()).unwrap();
}

/// Every request holds to its dialect's rules; gives back their bodies.
pub fn strict(server: &Server) -> Vec<Value> {
    let own = BTreeSet::from(["sig".to_owned()]);
    let seen = server.requests();
    seen.iter().for_each(|request| strict::check(&request.path, &request.body, &own));
    seen.into_iter().map(|request| request.body).collect()
}

/// Waits until something is true.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(20), "{what} within 20 s");
        std::thread::sleep(Duration::from_millis(10));
    }
}
