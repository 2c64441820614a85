//! What providers say when they fail, in any dialect, made into a [`Fault`]: its cause, one line for a person, the details.

use serde_json::Value;

use crate::model::provider::{Cause, Fault, ModelRef, Stage};

/// Most characters of a provider's words in the headline, and in the details.
const HEADLINE: usize = 300;
const DETAIL: usize = 4096;

/// What a failed response says, wherever its provider puts it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Said {
    pub message: String,
    /// Type, code and status words, joined, in lower case.
    pub kind: String,
    /// Seconds to wait, when the body names them.
    pub retry_after: Option<u64>,
    /// An HTTP status inside the body.
    pub code: Option<u16>,
    /// A web page, not an API's answer.
    pub html: bool,
}

/// Reads an error body: JSON of several shapes, a web page, or plain text.
pub fn read_body(body: &str) -> Said {
    let text = body.trim();
    if text.starts_with('<') {
        return Said { message: page_title(text).unwrap_or_default(), html: true, ..Said::default() };
    }
    match serde_json::from_str::<Value>(text) {
        Ok(value) => read_value(&value),
        Err(_) => Said { message: first_line(text), ..Said::default() },
    }
}

/// Reads an error object, bare or under `error`, or a list of one.
pub fn read_value(value: &Value) -> Said {
    let value = value.as_array().and_then(|list| list.first()).unwrap_or(value);
    let error = value.get("error").filter(|e| !e.is_null()).unwrap_or(value);
    let mut message = ["message", "msg", "detail", "error", "error_description"]
        .iter()
        .find_map(|key| words(error.get(*key)?))
        .or_else(|| words(error))
        .or_else(|| words(value.get("message")?))
        .unwrap_or_default();
    if let Some(upstream) = error.pointer("/metadata/raw").and_then(words) {
        message = format!("{message}: {upstream}");
    }
    let kinds: Vec<String> =
        ["type", "code", "status", "param"].iter().filter_map(|key| scalar(error.get(*key)?)).collect();
    Said {
        kind: kinds.join(" ").to_lowercase(),
        code: error.get("code").or_else(|| error.get("status")).and_then(http_code),
        retry_after: delay_in_details(error).or_else(|| delay_in_words(&message)),
        message,
        html: false,
    }
}

fn words(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.trim().is_empty() => Some(first_line(text)),
        Value::Array(list) => {
            let all: Vec<String> = list.iter().filter_map(|v| words(v.get("msg").unwrap_or(v))).collect();
            (!all.is_empty()).then(|| all.join("; "))
        }
        Value::Object(map) => words(map.get("message")?),
        _ => None,
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(s) => Some(s.clone()),
        Value::Number(n) => Some(n.to_string()),
        _ => None,
    }
}

fn http_code(value: &Value) -> Option<u16> {
    let code = value.as_u64().or_else(|| value.as_str()?.parse().ok())?;
    u16::try_from(code).ok().filter(|c| (400..600).contains(c))
}

/// Google's `retryDelay: "37s"`.
fn delay_in_details(error: &Value) -> Option<u64> {
    error
        .get("details")?
        .as_array()?
        .iter()
        .find_map(|d| seconds(d.get("retryDelay")?.as_str()?.strip_suffix('s')?))
}

/// `Please try again in 1.2s`, `retry in 37.5s`, `in 600ms`, `in 2m3.4s`.
fn delay_in_words(message: &str) -> Option<u64> {
    let lower = message.to_lowercase();
    let at = ["try again in ", "retry in ", "retry after "]
        .iter()
        .find_map(|p| lower.find(p).map(|i| i + p.len()))?;
    let rest = lower.get(at..)?;
    let number_end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    let (number, unit) = rest.split_at(number_end);
    let unit = unit.trim_start();
    if unit.starts_with("ms") {
        return number.parse::<f64>().ok().map(|n| (n / 1000.0).ceil() as u64);
    }
    if let Some(after) = unit.strip_prefix('m') {
        let minutes: u64 = number.parse().ok()?;
        let end = after.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(after.len());
        return Some(minutes * 60 + after.get(..end).and_then(seconds).unwrap_or(0));
    }
    if unit.starts_with('s') { seconds(number) } else { None }
}

fn seconds(text: &str) -> Option<u64> {
    let n: f64 = text.trim().parse().ok()?;
    (n.is_finite() && (0.0..1e9).contains(&n)).then_some(n.ceil() as u64)
}

fn page_title(html: &str) -> Option<String> {
    let lower = html.to_ascii_lowercase();
    let from = lower.find("<title")?;
    let from = from + lower.get(from..)?.find('>')? + 1;
    let to = from + lower.get(from..)?.find("</title")?;
    Some(first_line(html.get(from..to)?))
}

/// All on one line, controls out, not too long.
fn first_line(text: &str) -> String {
    let flat: String = text.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    cut(&flat.split_whitespace().collect::<Vec<_>>().join(" "), HEADLINE)
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

const OVERFLOW: &[&str] = &[
    "prompt is too long",
    "input is too long",
    "context_length_exceeded",
    "context window",
    "context length",
    "context limit",
    "context size",
    "maximum prompt length",
    "exceeds the maximum number of tokens",
    "exceeded model token limit",
    "model_max_prompt_tokens_exceeded",
    "reduce the length of the messages",
    "too many input tokens",
    "prompt too long",
];

const QUOTA: &[&str] = &[
    "insufficient_quota",
    "credit balance",
    "insufficient balance",
    "insufficient credit",
    "insufficient funds",
    "billing",
    "payment required",
    "out of credits",
    "spending limit",
    "exceeded your current quota",
    "quota_exceeded",
    "usage limit",
    "more credits",
];

/// Which class a failed response belongs to.
pub fn cause(status: Option<u16>, said: &Said, retry_after: Option<u64>) -> Cause {
    let text = format!("{} {}", said.kind, said.message.to_lowercase());
    let any = |phrases: &[&str]| phrases.iter().any(|p| text.contains(p));
    let quota = any(QUOTA);
    match status.or(said.code) {
        Some(402) => Cause::QuotaExhausted,
        // Google speaks of the current quota when it means the rate, and then says how long to wait.
        Some(429) if quota && retry_after.is_none() => Cause::QuotaExhausted,
        Some(429) => Cause::RateLimited,
        Some(400 | 403 | 404 | 413 | 422) if quota => Cause::QuotaExhausted,
        Some(401 | 403 | 407) => Cause::Auth,
        Some(400 | 413 | 422) if any(OVERFLOW) => Cause::Overflow,
        Some(400) if text.contains("api key not valid") || text.contains("api_key_invalid") => Cause::Auth,
        Some(408 | 409 | 425) => Cause::Unavailable,
        Some(500..) => {
            if any(OVERFLOW) {
                Cause::Overflow
            } else {
                Cause::Unavailable
            }
        }
        Some(_) => Cause::Rejected,
        None => cause_by_words(&text, quota, any(OVERFLOW)),
    }
}

/// An error inside a stream has no status of its own.
fn cause_by_words(text: &str, quota: bool, overflow: bool) -> Cause {
    let any = |phrases: &[&str]| phrases.iter().any(|p| text.contains(p));
    if quota {
        Cause::QuotaExhausted
    } else if overflow {
        Cause::Overflow
    } else if any(&["rate_limit", "rate limit", "too many requests", "resource_exhausted"]) {
        Cause::RateLimited
    } else if any(&["authentication", "permission", "unauthorized", "invalid api key"]) {
        Cause::Auth
    } else if any(&["invalid_request", "invalid_argument", "not_found", "invalid_prompt", "not supported"]) {
        Cause::Rejected
    } else {
        Cause::Unavailable
    }
}

/// A response with a failing status.
pub fn of_status(model: &ModelRef, status: u16, retry_after: Option<u64>, body: &str) -> Fault {
    let said = read_body(body);
    let retry_after = retry_after.or(said.retry_after);
    let cause = cause(Some(status), &said, retry_after);
    Fault {
        cause,
        stage: Stage::ResponseHeaders,
        summary: headline(model, cause, Some(status), &said, retry_after).into(),
        detail: detail(body),
        http_status: Some(status),
        request_id: None,
        retry_after,
    }
}

/// An error the provider sent inside a response that began well.
pub fn of_event(model: &ModelRef, value: &Value) -> Fault {
    let said = read_value(value);
    let cause = cause(None, &said, said.retry_after);
    Fault {
        cause,
        stage: Stage::Stream,
        summary: headline(model, cause, said.code, &said, said.retry_after).into(),
        detail: detail(&value.to_string()),
        http_status: None,
        request_id: None,
        retry_after: said.retry_after,
    }
}

/// A reply that ended, or broke, before its last frame.
pub fn cut_short(model: &ModelRef, detail: &str) -> Fault {
    fault(
        Cause::Stalled,
        Stage::Stream,
        format!(
            "The reply of {} stopped before its end; what came is kept. Send a message to go on",
            model.provider
        ),
        detail,
    )
}

/// Bytes that are not what the dialect promises.
pub fn unreadable(model: &ModelRef, what: &str, detail: &str) -> Fault {
    fault(
        Cause::Rejected,
        Stage::Stream,
        format!("{} sent {what}. Check the provider's base_url and api in models.json", model.provider),
        detail,
    )
}

/// Details as they may be kept: not too long.
pub fn detail(text: &str) -> std::sync::Arc<str> {
    cut(text.trim(), DETAIL).into()
}

/// A fault that no HTTP status stands behind.
pub fn fault(cause: Cause, stage: Stage, summary: impl Into<String>, text: &str) -> Fault {
    Fault {
        cause,
        stage,
        summary: summary.into().into(),
        detail: detail(text),
        http_status: None,
        request_id: None,
        retry_after: None,
    }
}

fn headline(model: &ModelRef, cause: Cause, status: Option<u16>, said: &Said, wait: Option<u64>) -> String {
    let who = &model.provider;
    let code = status.map(|s| format!(" ({s})")).unwrap_or_default();
    let page = if said.html { "the answer is a web page: " } else { "" };
    let message = match said.message.trim_end_matches(['.', ' ']) {
        "" if said.html => ": the answer is a web page, not the API's".to_owned(),
        "" => String::new(),
        words => format!(": {page}{words}"),
    };
    match cause {
        Cause::Auth if status == Some(403) => {
            format!(
                "{who} refused access{code}{message}. Check what the key may do, or /login {who} with another"
            )
        }
        Cause::Auth => {
            format!("{who} did not accept the API key{code}{message}. Use /login {who} to enter a valid one")
        }
        Cause::QuotaExhausted => {
            format!(
                "The credit or quota at {who} is used up{code}{message}. Check its billing page, or choose another /model"
            )
        }
        Cause::RateLimited => {
            let wait = wait.map(|s| format!(" It asks to wait {s} s.")).unwrap_or_default();
            format!(
                "{who} limits the rate of requests{code}{message}.{wait} Wait a little, or choose another /model"
            )
        }
        Cause::Overflow => {
            format!("The conversation is too long for {model}{code}{message}. /compact makes it shorter")
        }
        Cause::Unavailable if said.html => {
            format!("{who} is not available{code}{message}. Try again in a moment, or check its base_url")
        }
        Cause::Unavailable => {
            format!("{who} is overloaded or has a problem{code}{message}. Try again in a moment")
        }
        Cause::Rejected if status == Some(404) => {
            format!(
                "{who} knows no model {:?} at this address{code}{message}. Choose with /model, or check base_url",
                &*model.id
            )
        }
        Cause::Rejected if said.html => {
            format!("{who} did not answer as an API{code}{message}. Check its base_url")
        }
        Cause::Rejected => {
            let hint = if message.is_empty() { ". Choose another /model, or see the details" } else { "" };
            format!("{who} rejected the request{code}{message}{hint}")
        }
        Cause::Network | Cause::Stalled => {
            format!("The connection to {who} failed{code}{message}. Try again")
        }
    }
}
