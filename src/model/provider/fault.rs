//! How asking a model fails: a headline for a person, a class for the machine, details for the reader (`formats.md`, `error_details`).

use std::sync::Arc;

/// The class of a failure; decides whether asking again can help.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    Auth,
    Network,
    Stalled,
    RateLimited,
    QuotaExhausted,
    Unavailable,
    Rejected,
    /// The conversation is too large for the model (`agent.md`, Compaction). Reported as `rejected`.
    Overflow,
}

impl Cause {
    pub fn name(self) -> &'static str {
        match self {
            Cause::Auth => "auth",
            Cause::Network => "network",
            Cause::Stalled => "stalled",
            Cause::RateLimited => "rate_limited",
            Cause::QuotaExhausted => "quota_exhausted",
            Cause::Unavailable => "unavailable",
            Cause::Rejected | Cause::Overflow => "rejected",
        }
    }

    /// Asking again may help, as long as nothing was produced.
    pub fn retryable(self) -> bool {
        match self {
            Cause::Network | Cause::Stalled | Cause::RateLimited | Cause::Unavailable => true,
            Cause::Auth | Cause::QuotaExhausted | Cause::Rejected | Cause::Overflow => false,
        }
    }
}

/// How far the request had come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    Authorization,
    Request,
    ResponseHeaders,
    ResponseBody,
    Stream,
}

impl Stage {
    pub fn name(self) -> &'static str {
        match self {
            Stage::Authorization => "authorization",
            Stage::Request => "request",
            Stage::ResponseHeaders => "response_headers",
            Stage::ResponseBody => "response_body",
            Stage::Stream => "stream",
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    pub cause: Cause,
    pub stage: Stage,
    /// One line a person understands, with what to do.
    pub summary: Arc<str>,
    /// What the provider or the system said, redacted.
    pub detail: Arc<str>,
    pub http_status: Option<u16>,
    pub request_id: Option<Arc<str>>,
    /// The wait the provider asked for, in seconds.
    pub retry_after: Option<u64>,
}
