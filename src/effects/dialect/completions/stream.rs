//! The chunks of an `openai-completions` reply, in all the shapes that compatible servers send.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use super::super::error;
use super::super::names::ToolNames;
use super::super::sse::Event;
use super::calls::{Calls, ToolCall};
use crate::model::provider::{ModelRef, Stop, StreamMsg, Usage};

#[derive(Debug)]
pub struct Stream {
    model: ModelRef,
    calls: Calls,
    /// Reasoning is coming and its item is not closed.
    thinking: bool,
    stop: Option<Stop>,
}

/// Fields that servers send in more than one type are plain values.
#[derive(Debug, Deserialize)]
struct Chunk {
    choices: Option<Vec<Choice>>,
    usage: Option<Value>,
    x_groq: Option<Value>,
    error: Option<Value>,
    #[serde(default)]
    object: Value,
    #[serde(default)]
    message: Value,
}

#[derive(Debug, Deserialize)]
struct Choice {
    delta: Option<Delta>,
    /// Instead of a delta, when the server does not stream.
    message: Option<Delta>,
    #[serde(default)]
    finish_reason: Value,
    usage: Option<Value>,
    error: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct Delta {
    #[serde(default)]
    content: Value,
    #[serde(default)]
    reasoning_content: Value,
    #[serde(default)]
    reasoning: Value,
    #[serde(default)]
    refusal: Value,
    tool_calls: Option<Vec<ToolCall>>,
}

impl Stream {
    pub fn new(model: ModelRef, names: Arc<ToolNames>) -> Self {
        Stream { model, calls: Calls::new(names), thinking: false, stop: None }
    }

    /// The reply itself is whole; at most its usage follows.
    pub fn finishing(&self) -> bool {
        self.stop.is_some()
    }

    pub fn event(&mut self, event: &Event<'_>, out: &mut Vec<StreamMsg>) -> bool {
        let data = event.data.trim();
        match data {
            "" => false,
            "[DONE]" => {
                self.done(out);
                true
            }
            _ => match serde_json::from_str::<Chunk>(data) {
                Ok(chunk) => self.chunk(chunk, event.name == "error", data, out),
                Err(_) => {
                    let fault = error::unreadable(&self.model, "an event that is not of this api", data);
                    out.push(StreamMsg::Failed(fault));
                    true
                }
            },
        }
    }

    pub fn end(&mut self, broken: Option<&str>, out: &mut Vec<StreamMsg>) {
        // Not every server sends [DONE]; a finish reason says as much.
        if self.stop.is_some() {
            self.done(out);
        } else {
            let detail = broken.unwrap_or("the stream ended without a finish reason and without [DONE]");
            out.push(StreamMsg::Failed(error::cut_short(&self.model, detail)));
        }
    }

    /// A complete reply in one object; `None` when the body is none.
    pub fn whole(&mut self, body: &str) -> Option<Vec<StreamMsg>> {
        let chunk: Chunk = serde_json::from_str(body).ok()?;
        if chunk.error.is_none() && chunk.choices.as_ref().is_none_or(Vec::is_empty) {
            return None;
        }
        let mut out = Vec::new();
        if !self.chunk(chunk, false, body, &mut out) {
            self.done(&mut out);
        }
        Some(out)
    }

    fn chunk(&mut self, chunk: Chunk, error_event: bool, data: &str, out: &mut Vec<StreamMsg>) -> bool {
        let choice = chunk.choices.unwrap_or_default().into_iter().next();
        let inner = choice.as_ref().and_then(|c| c.error.clone());
        let bare = (error_event || chunk.object == "error") && choice.is_none() && !chunk.message.is_null();
        if let Some(error) = chunk.error.or(inner).or_else(|| bare.then_some(chunk.message)) {
            let mut fault = error::of_event(&self.model, &error);
            fault.detail = error::detail(data);
            out.push(StreamMsg::Failed(fault));
            return true;
        }
        let mut usage =
            chunk.usage.or_else(|| chunk.x_groq.and_then(|mut g| g.get_mut("usage").map(Value::take)));
        if let Some(choice) = choice {
            if let Some(delta) = choice.delta.or(choice.message) {
                self.delta(delta, out);
            }
            if let Some(reason) = choice.finish_reason.as_str().filter(|r| !r.is_empty()) {
                self.stop = Some(stop(reason));
                self.close(out);
            }
            usage = usage.or(choice.usage);
        }
        if let Some(usage) = usage.as_ref().and_then(counts) {
            out.push(StreamMsg::Usage(usage));
        }
        false
    }

    fn delta(&mut self, delta: Delta, out: &mut Vec<StreamMsg>) {
        // Some servers send the same words under both names.
        let thought = match delta.reasoning_content {
            Value::String(text) if !text.is_empty() => text,
            _ => delta.reasoning.as_str().unwrap_or_default().to_owned(),
        };
        self.reasoning(thought, out);
        match delta.content {
            Value::String(text) => self.text(text, out),
            Value::Array(parts) => parts.iter().for_each(|part| self.part(part, out)),
            _ => {}
        }
        if let Value::String(refusal) = delta.refusal {
            self.text(refusal, out);
        }
        for call in delta.tool_calls.unwrap_or_default() {
            self.end_thought(out);
            self.calls.piece(call, out);
        }
    }

    /// Content as a list of parts: text, and thinking that is itself a list of texts.
    fn part(&mut self, part: &Value, out: &mut Vec<StreamMsg>) {
        if let Some(text) = part.get("text").and_then(Value::as_str) {
            self.text(text.to_owned(), out);
        }
        match part.get("thinking") {
            Some(Value::String(text)) => self.reasoning(text.clone(), out),
            Some(Value::Array(texts)) => {
                let texts = texts.iter().filter_map(|t| t.get("text").and_then(Value::as_str));
                self.reasoning(texts.collect(), out);
            }
            _ => {}
        }
    }

    fn text(&mut self, text: String, out: &mut Vec<StreamMsg>) {
        if !text.is_empty() {
            self.end_thought(out);
            out.push(StreamMsg::Text(text));
        }
    }

    fn reasoning(&mut self, text: String, out: &mut Vec<StreamMsg>) {
        if !text.is_empty() {
            self.thinking = true;
            out.push(StreamMsg::Reasoning(text));
        }
    }

    fn end_thought(&mut self, out: &mut Vec<StreamMsg>) {
        if std::mem::take(&mut self.thinking) {
            out.push(StreamMsg::ReasoningEnd { signature: None, sealed: None });
        }
    }

    fn close(&mut self, out: &mut Vec<StreamMsg>) {
        self.end_thought(out);
        self.calls.close(out);
    }

    fn done(&mut self, out: &mut Vec<StreamMsg>) {
        self.close(out);
        out.push(StreamMsg::Done(self.stop.unwrap_or(Stop::End)));
    }
}

fn stop(reason: &str) -> Stop {
    match reason {
        "length" | "max_tokens" | "model_length" => Stop::Length,
        "content_filter" => Stop::Refused,
        _ => Stop::End,
    }
}

/// The five counts, disjoint: what was read from or written to a cache is part of `prompt_tokens` here.
fn counts(usage: &Value) -> Option<Usage> {
    let number = |path: &str| usage.pointer(path).and_then(Value::as_u64);
    let prompt = number("/prompt_tokens")?;
    let mut output = number("/completion_tokens").unwrap_or(0);
    let thought = number("/completion_tokens_details/reasoning_tokens").unwrap_or(0);
    // Where the total says so, reasoning was not counted among the completion tokens.
    if thought > 0 && number("/total_tokens") == Some(prompt + output + thought) {
        output += thought;
    }
    let cache_read = number("/prompt_tokens_details/cached_tokens")
        .or(number("/prompt_cache_hit_tokens"))
        .or(number("/cached_tokens"))
        .unwrap_or(0)
        .min(prompt);
    let cache_write =
        number("/prompt_tokens_details/cache_write_tokens").unwrap_or(0).min(prompt - cache_read);
    Some(Usage {
        input: prompt - cache_read - cache_write,
        output,
        cache_read,
        cache_write_5m: cache_write,
        cache_write_1h: 0,
    })
}
