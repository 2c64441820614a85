//! Reads one response: the stream of a good one, the words of a failed one.

use std::time::Duration;

use futures_util::FutureExt;
use reqwest::Response;
use reqwest::header::HeaderMap;
use tokio::time::Instant;

use super::super::dialect::{Decoder, error};
use super::super::http::{Timeouts, chain};
use super::within;
use crate::model::provider::{Cause, Fault, ModelRef, Request, Stage, StreamMsg};

/// The most bytes read of a body that is not a stream.
const BODY_LIMIT: usize = 8 * 1024 * 1024;
/// The most bytes decoded before what they said is passed on.
const BATCH: usize = 16 * 1024;
const ERROR_LIMIT: usize = 64 * 1024;

pub struct Answer<'a> {
    model: &'a ModelRef,
    response: Response,
    decoder: Decoder,
    timeouts: Timeouts,
    request_id: Option<String>,
}

impl<'a> Answer<'a> {
    pub fn new(request: &'a Request, response: Response, decoder: Decoder, timeouts: Timeouts) -> Self {
        let request_id = request_id(response.headers());
        Answer { model: &request.model.reference, response, decoder, timeouts, request_id }
    }

    /// Sends every piece up to the last one.
    pub async fn read(mut self, send: &(impl Fn(StreamMsg) + Sync)) -> Result<(), Fault> {
        let mut beats = self.decoder.beats();
        let mut deadline = Instant::now() + self.timeouts.event;
        let mut first = true;
        loop {
            let finishing = self.decoder.finishing();
            let until = if finishing { deadline.min(Instant::now() + self.timeouts.tail) } else { deadline };
            let chunk = match tokio::time::timeout_at(until, self.response.chunk()).await {
                Ok(Ok(Some(chunk))) => chunk,
                Ok(Ok(None)) if first => return Err(self.tag(self.empty())),
                Ok(Ok(None)) => return self.finish(None, send),
                Ok(Err(e)) => return self.finish(Some(chain(&e.without_url())), send),
                Err(_) if finishing => return self.finish(None, send),
                Err(_) => return Err(self.tag(self.silent())),
            };
            let start = chunk.trim_ascii_start();
            if first && start.is_empty() {
                continue;
            }
            if std::mem::take(&mut first) && matches!(start.first(), Some(b'{' | b'[' | b'<')) {
                let body = start.to_vec();
                return self.not_a_stream(body, send).await;
            }
            let ended = self.take(&chunk, send).await;
            if self.decoder.over() {
                return Ok(());
            }
            if let Some(broken) = ended {
                return self.finish(broken, send);
            }
            if self.decoder.beats() != beats {
                beats = self.decoder.beats();
                deadline = Instant::now() + self.timeouts.event;
            }
        }
    }

    /// Decodes a chunk and whatever else has come by now, so that a fast server makes few messages and a slow one none later.
    /// Gives how the body ended, if it did.
    async fn take(&mut self, chunk: &[u8], send: &(impl Fn(StreamMsg) + Sync)) -> Option<Option<String>> {
        let mut messages = self.decoder.feed(chunk);
        let mut taken = chunk.len();
        let mut ended = None;
        let mut asked_again = false;
        while taken < BATCH && ended.is_none() && !self.decoder.over() {
            match self.response.chunk().now_or_never() {
                Some(Ok(Some(more))) => {
                    taken += more.len();
                    asked_again = false;
                    messages.extend(self.decoder.feed(&more));
                }
                Some(Ok(None)) => ended = Some(None),
                Some(Err(e)) => ended = Some(Some(chain(&e.without_url()))),
                None if asked_again => break,
                None => {
                    // The connection's own task hands over one chunk at a time: it gets its turn for the next.
                    asked_again = true;
                    tokio::task::yield_now().await;
                }
            }
        }
        self.pass(messages, send);
        ended
    }

    fn finish(mut self, broken: Option<String>, send: &(impl Fn(StreamMsg) + Sync)) -> Result<(), Fault> {
        let messages = self.decoder.end(broken.as_deref());
        self.pass(messages, send);
        Ok(())
    }

    /// Neighbouring pieces of one kind that came in one read are one message, and of token counts only the last matter.
    fn pass(&self, messages: Vec<StreamMsg>, send: &(impl Fn(StreamMsg) + Sync)) {
        let mut held: Option<StreamMsg> = None;
        let last_usage = messages.iter().rposition(|m| matches!(m, StreamMsg::Usage(_)));
        for (at, message) in messages.into_iter().enumerate() {
            let message = match message {
                StreamMsg::Usage(_) if Some(at) != last_usage => continue,
                StreamMsg::Failed(fault) => StreamMsg::Failed(self.tag(fault)),
                other => other,
            };
            match (&mut held, message) {
                (Some(StreamMsg::Text(so_far)), StreamMsg::Text(more)) => so_far.push_str(&more),
                (Some(StreamMsg::Reasoning(so_far)), StreamMsg::Reasoning(more)) => so_far.push_str(&more),
                (
                    Some(StreamMsg::CallArgs { index, delta }),
                    StreamMsg::CallArgs { index: same, delta: more },
                ) if *index == same => {
                    delta.push_str(&more);
                }
                (held, message) => {
                    if let Some(before) = held.replace(message) {
                        send(before);
                    }
                }
            }
        }
        if let Some(last) = held {
            send(last);
        }
    }

    /// A success status with one JSON object or a web page instead of events.
    async fn not_a_stream(mut self, start: Vec<u8>, send: &(impl Fn(StreamMsg) + Sync)) -> Result<(), Fault> {
        let body = rest(&mut self.response, start, BODY_LIMIT, self.timeouts.event).await;
        if let Some(messages) = self.decoder.whole(&body) {
            self.pass(messages, send);
            return Ok(());
        }
        let said = error::read_body(&body);
        let status = self.response.status().as_u16();
        let mut fault = match serde_json::from_str::<serde_json::Value>(&body) {
            Ok(value) if value.get("error").is_some() || value.get("message").is_some() => {
                error::of_event(self.model, &value)
            }
            _ if said.html => error::unreadable(self.model, "a web page instead of an answer", &body),
            _ => error::unreadable(self.model, "something else than a stream of events", &body),
        };
        fault.stage = Stage::ResponseBody;
        fault.http_status = fault.http_status.or(Some(status));
        Err(self.tag(fault))
    }

    fn empty(&self) -> Fault {
        let summary =
            format!("{} answered with an empty body. Try again, or check its base_url", self.model.provider);
        error::fault(Cause::Stalled, Stage::ResponseBody, summary, "")
    }

    fn silent(&self) -> Fault {
        let summary = format!(
            "{} sent nothing for {} s; what came is kept. Send a message to go on",
            self.model.provider,
            self.timeouts.event.as_secs()
        );
        error::fault(Cause::Stalled, Stage::Stream, summary, "no complete event within the time limit")
    }

    fn tag(&self, mut fault: Fault) -> Fault {
        fault.request_id = fault.request_id.or_else(|| self.request_id.as_deref().map(Into::into));
        fault
    }
}

/// The body of a failed response, as far as it comes.
pub async fn error_body(mut response: Response, limit: Duration) -> String {
    rest(&mut response, Vec::new(), ERROR_LIMIT, limit.min(Duration::from_secs(10))).await
}

async fn rest(response: &mut Response, start: Vec<u8>, most: usize, limit: Duration) -> String {
    let mut bytes = start;
    while bytes.len() < most {
        match within(limit, response.chunk()).await {
            Some(Ok(Some(chunk))) => bytes.extend_from_slice(&chunk),
            _ => break,
        }
    }
    bytes.truncate(most);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The fault of a response whose status is no success.
pub fn refused(model: &ModelRef, base_url: &str, status: u16, headers: &HeaderMap, body: &str) -> Fault {
    let mut fault = error::of_status(model, status, retry_after(headers), body);
    if (300..400).contains(&status) {
        let to = headers.get("location").and_then(|v| v.to_str().ok()).unwrap_or("elsewhere");
        let summary = format!(
            "{} at {} answers with a redirect ({status}) to {}. Correct base_url in models.json",
            model.provider,
            super::host(base_url),
            super::host(to)
        );
        fault = Fault { cause: Cause::Rejected, summary: summary.into(), ..fault };
    }
    fault.request_id = request_id(headers).map(Into::into);
    fault
}

fn request_id(headers: &HeaderMap) -> Option<String> {
    let names = ["request-id", "x-request-id", "x-amzn-requestid", "x-goog-request-id", "cf-ray"];
    names.iter().find_map(|n| headers.get(*n)?.to_str().ok().map(|v| v.chars().take(200).collect()))
}

/// Seconds to wait: `retry-after-ms`, or `retry-after` in seconds or as a date.
fn retry_after(headers: &HeaderMap) -> Option<u64> {
    let text = |name: &str| headers.get(name).and_then(|v| v.to_str().ok()).map(str::trim);
    let number = |t: &str| t.parse::<f64>().ok().filter(|n| n.is_finite() && (0.0..1e9).contains(n));
    if let Some(ms) = text("retry-after-ms").and_then(number) {
        return Some((ms / 1000.0).ceil() as u64);
    }
    let value = text("retry-after")?;
    if let Some(seconds) = number(value) {
        return Some(seconds.ceil() as u64);
    }
    let date = |t: &str| jiff::fmt::rfc2822::parse(t).ok().map(|d| d.timestamp().as_second());
    // Measured by the server's own clock where it tells it.
    let now = text("date").and_then(date).unwrap_or_else(|| jiff::Timestamp::now().as_second());
    u64::try_from(date(value)? - now).ok().or(Some(0))
}
