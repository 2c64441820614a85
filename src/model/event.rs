//! Facts as public JSON events (`cli.md`, `e -p --json`). `-p` and `rpc` both speak through this one function.

use serde_json::{Map, Value, json};

use super::fact::{ExtFact, Fact, SessionFact, TextFact, ToolFact, TurnFact};
use super::provider::{Cause, Fault, Message, ModelRef};
use super::session::notice::Notice;
use super::tool::{CallView, Pipe};
use super::wire::log::usage_value;

/// The events of one fact; most have one, a failure has two, and what only a screen shows has none.
pub fn of(fact: &Fact, model: Option<&ModelRef>) -> Vec<Value> {
    match fact {
        Fact::Turn(_, turn) => of_turn(turn, model),
        Fact::Text(_, TextFact::Text(delta)) => vec![json!({"type": "text", "delta": &**delta})],
        Fact::Text(_, TextFact::Reasoning(delta)) => vec![json!({"type": "reasoning", "delta": &**delta})],
        Fact::Text(_, TextFact::Calling { .. } | TextFact::Committed { .. } | TextFact::Dropped) => {
            Vec::new()
        }
        Fact::Tool(_, tool) => vec![of_tool(tool)],
        Fact::Session(_, SessionFact::Named { name }) => {
            vec![json!({"type": "session_name", "name": name.as_deref()})]
        }
        Fact::Ext(ExtFact::Refused { why, .. }) => vec![json!({"type": "error", "message": &**why})],
        Fact::Session(..) | Fact::Ext(_) => Vec::new(),
        Fact::Notice(Notice { transient: true, .. }) => Vec::new(),
        Fact::Notice(notice) => vec![warning(&notice.text)],
    }
}

fn of_turn(fact: &TurnFact, model: Option<&ModelRef>) -> Vec<Value> {
    let event = match fact {
        TurnFact::Started { .. } => json!({"type": "turn_start"}),
        TurnFact::Retry { attempt, limit, wait, fault } => json!({
            "type": "retry",
            "attempt": attempt,
            "max_attempts": limit,
            "wait_ms": wait.0,
            "cause": fault.cause.name(),
            "message": &*fault.summary,
        }),
        TurnFact::Recovered => json!({"type": "recovered"}),
        TurnFact::Steered { message, .. } => json!({"type": "steered", "text": text(message)}),
        TurnFact::Compacting => json!({"type": "compacting"}),
        TurnFact::Compacted { summary } => json!({"type": "compacted", "summary": &**summary}),
        TurnFact::CompactFailed { reason } => warning(reason),
        TurnFact::Usage { usage, .. } => tagged("usage", usage_value(*usage)),
        TurnFact::Warning(message) => warning(message),
        TurnFact::Failed { fault, attempt, limit, partial_bytes } => {
            let details = error_details(fault, model, *attempt, *limit, *partial_bytes);
            return vec![
                json!({"type": "error", "message": &*fault.summary}),
                tagged("error_details", details),
            ];
        }
        TurnFact::Ended { aborted } => json!({"type": "turn_end", "aborted": aborted}),
        TurnFact::Began { .. }
        | TurnFact::Asking { .. }
        | TurnFact::Waiting { .. }
        | TurnFact::Waited { .. }
        | TurnFact::Queue { .. }
        | TurnFact::Joined { .. } => return Vec::new(),
    };
    vec![event]
}

fn of_tool(fact: &ToolFact) -> Value {
    match fact {
        ToolFact::Batch { calls } => {
            json!({"type": "tool_batch", "calls": calls.iter().map(call).collect::<Vec<_>>()})
        }
        ToolFact::Start { id } => json!({"type": "tool_start", "id": id.0}),
        ToolFact::Output { id, pipe, chunk } => {
            let stream = match pipe {
                Pipe::Stdout => "stdout",
                Pipe::Stderr => "stderr",
            };
            json!({"type": "tool_output", "id": id.0, "stream": stream, "chunk": &**chunk})
        }
        ToolFact::End { id, outcome, summary, content, .. } => json!({
            "type": "tool_end",
            "id": id.0,
            "outcome": outcome.name(),
            "summary": summary.as_deref(),
            "content": &**content,
        }),
    }
}

fn call(call: &CallView) -> Value {
    json!({
        "id": call.id.0,
        "name": &*call.name,
        "arguments": &*call.arguments,
        "category": &*call.label.category,
        "target": call.target.as_deref(),
    })
}

fn warning(message: &str) -> Value {
    json!({"type": "warning", "message": message})
}

fn text(message: &Message) -> String {
    match message {
        Message::User(user) => user.text(),
        Message::Assistant(assistant) => assistant.text(),
        Message::Tool(result) => result.content.to_string(),
    }
}

/// An object with its type in front.
fn tagged(kind: &str, fields: Value) -> Value {
    let mut out = Map::from_iter([("type".to_owned(), Value::from(kind))]);
    if let Value::Object(fields) = fields {
        out.extend(fields);
    }
    Value::Object(out)
}

/// A failure in full (`formats.md`, `error_details`): for events, the result, and `<session>.errors.jsonl`.
pub fn error_details(
    fault: &Fault,
    model: Option<&ModelRef>,
    attempt: u32,
    max_attempts: u32,
    partial_bytes: usize,
) -> Value {
    json!({
        "summary": &*fault.summary,
        "detail": &*fault.detail,
        "cause": fault.cause.name(),
        "stage": fault.stage.name(),
        "http_status": fault.http_status,
        "request_id": fault.request_id.as_deref(),
        "provider": model.map(|m| &*m.provider),
        "model": model.map(|m| &*m.id),
        "attempt": attempt,
        "max_attempts": max_attempts,
        "retry_after_secs": fault.retry_after,
        "partial_text_bytes": partial_bytes,
        "recovery": recovery(fault.cause),
    })
}

/// What a person can do about a failure.
pub fn recovery(cause: Cause) -> &'static str {
    match cause {
        Cause::Auth => "check the key: /login, or the provider's variable",
        Cause::Network => "check the connection and the provider's address, then send the message again",
        Cause::Stalled => "send the message again",
        Cause::RateLimited => "wait a little, then send the message again",
        Cause::QuotaExhausted => "check the account's plan, or choose another model with /model",
        Cause::Unavailable => {
            "the provider is in trouble; try again later, or choose another model with /model"
        }
        Cause::Rejected => "change the request or choose another model with /model",
        Cause::Overflow => "shorten the conversation with /compact, or start anew with /new",
    }
}

/// What went wrong, without what to do: for a fault that is being dealt with already.
pub fn trouble(fault: &Fault) -> &str {
    let end = [". ", "; "].iter().filter_map(|stop| fault.summary.find(stop)).min();
    end.and_then(|end| fault.summary.get(..end)).unwrap_or(&fault.summary)
}

/// The fault's summary, with what to do when it does not say so itself.
pub fn headline(fault: &Fault) -> String {
    if fault.summary.contains("; ") || fault.summary.contains(". ") {
        fault.summary.to_string()
    } else {
        format!("{}; {}", fault.summary.trim_end_matches('.'), recovery(fault.cause))
    }
}

/// One event as one line. JSON leaves DEL and the eight-bit controls as they are; a terminal that shows the line must not
/// get them.
pub fn line(event: &Value) -> String {
    let mut out = String::new();
    for c in event.to_string().chars() {
        match c {
            '\u{7f}'..='\u{9f}' => out += &format!("\\u{:04x}", u32::from(c)),
            c => out.push(c),
        }
    }
    out.push('\n');
    out
}
