//! The events of an `anthropic-messages` reply, one after another.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::super::args::{Args, ReplyIds};
use super::super::error;
use super::super::names::ToolNames;
use super::super::sse::Event;
use crate::model::provider::{ModelRef, Stop, StreamMsg, Usage};

#[derive(Debug)]
pub struct Stream {
    model: ModelRef,
    names: Arc<ToolNames>,
    /// Open content blocks by the provider's index.
    blocks: BTreeMap<u64, Block>,
    calls: usize,
    ids: ReplyIds,
    usage: Usage,
    stop: Option<Stop>,
}

#[derive(Debug)]
enum Block {
    Text,
    Thinking { signature: String },
    Sealed(Arc<str>),
    Call { index: usize, args: Args, input: Option<String> },
    Other,
}

#[derive(Debug, Deserialize)]
struct Frame {
    #[serde(rename = "type", default)]
    kind: String,
    index: Option<u64>,
    delta: Option<Delta>,
    content_block: Option<Value>,
    message: Option<Value>,
    usage: Option<Value>,
    error: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct Delta {
    text: Option<String>,
    thinking: Option<String>,
    partial_json: Option<String>,
    signature: Option<String>,
    stop_reason: Option<String>,
}

impl Stream {
    pub fn new(model: ModelRef, names: Arc<ToolNames>) -> Self {
        Stream {
            model,
            names,
            blocks: BTreeMap::new(),
            calls: 0,
            ids: ReplyIds::default(),
            usage: Usage::default(),
            stop: None,
        }
    }

    pub fn event(&mut self, event: &Event<'_>, out: &mut Vec<StreamMsg>) -> bool {
        if event.data.trim().is_empty() {
            return false;
        }
        let frame: Frame = match serde_json::from_str(event.data) {
            Ok(frame) => frame,
            Err(_) => {
                let fault = error::unreadable(&self.model, "an event that is not of this api", event.data);
                out.push(StreamMsg::Failed(fault));
                return true;
            }
        };
        if let Some(error) = &frame.error {
            out.push(StreamMsg::Failed(error::of_event(&self.model, error)));
            return true;
        }
        match frame.kind.as_str() {
            "message_start" => {
                if let Some(usage) = frame.message.as_ref().and_then(|m| m.get("usage")) {
                    self.count(usage, out);
                }
            }
            "content_block_start" => {
                self.begin(frame.index.unwrap_or(0), frame.content_block.unwrap_or_default(), out)
            }
            "content_block_delta" => {
                if let Some(delta) = frame.delta {
                    self.delta(frame.index.unwrap_or(0), delta, out);
                }
            }
            "content_block_stop" => self.finish(frame.index.unwrap_or(0), out),
            "message_delta" => {
                if let Some(reason) = frame.delta.and_then(|d| d.stop_reason) {
                    self.stop = Some(stop(&reason));
                }
                if let Some(usage) = &frame.usage {
                    self.count(usage, out);
                }
            }
            "message_stop" => {
                self.finish_all(out);
                out.push(StreamMsg::Done(self.stop.unwrap_or(Stop::End)));
                return true;
            }
            // Pings, and whatever is invented later.
            _ => {}
        }
        false
    }

    pub fn end(&mut self, broken: Option<&str>, out: &mut Vec<StreamMsg>) {
        out.push(StreamMsg::Failed(error::cut_short(
            &self.model,
            broken.unwrap_or("the stream ended without message_stop"),
        )));
    }

    fn begin(&mut self, at: u64, block: Value, out: &mut Vec<StreamMsg>) {
        // A block that was never stopped ends where its index begins anew.
        self.finish(at, out);
        let text = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default();
        let open = match text("type") {
            "text" => {
                push_text(text("text").to_owned(), out);
                Block::Text
            }
            "thinking" => {
                push_reasoning(text("thinking").to_owned(), out);
                Block::Thinking { signature: text("signature").to_owned() }
            }
            "redacted_thinking" => {
                let sealed = json!({"type": "redacted_thinking", "data": text("data")});
                Block::Sealed(Arc::from(sealed.to_string()))
            }
            "tool_use" => {
                let index = self.calls;
                self.calls += 1;
                let id = self.ids.unique(text("id"), index);
                out.push(StreamMsg::CallStart { index, id, name: self.names.real(text("name")) });
                let input = block.get("input").filter(|v| v.as_object().is_some_and(|m| !m.is_empty()));
                Block::Call { index, args: Args::default(), input: input.map(Value::to_string) }
            }
            _ => Block::Other,
        };
        self.blocks.insert(at, open);
    }

    fn delta(&mut self, at: u64, delta: Delta, out: &mut Vec<StreamMsg>) {
        if let Some(text) = delta.text {
            push_text(text, out);
        }
        if let Some(text) = delta.thinking {
            push_reasoning(text, out);
        }
        match self.blocks.get_mut(&at) {
            Some(Block::Thinking { signature }) => {
                signature.push_str(delta.signature.as_deref().unwrap_or_default())
            }
            Some(Block::Call { index, args, .. }) => {
                if let Some(delta) = delta.partial_json.and_then(|json| args.push(&json)) {
                    out.push(StreamMsg::CallArgs { index: *index, delta });
                }
            }
            _ => {}
        }
    }

    fn finish(&mut self, at: u64, out: &mut Vec<StreamMsg>) {
        match self.blocks.remove(&at) {
            Some(Block::Thinking { signature }) => {
                let signature = (!signature.is_empty()).then(|| Arc::from(signature));
                out.push(StreamMsg::ReasoningEnd { signature, sealed: None });
            }
            Some(Block::Sealed(sealed)) => {
                out.push(StreamMsg::ReasoningEnd { signature: None, sealed: Some(sealed) })
            }
            Some(Block::Call { index, mut args, input }) => {
                if let Some(rest) = args.finish() {
                    out.push(StreamMsg::CallArgs { index, delta: input.unwrap_or(rest) });
                }
                out.push(StreamMsg::CallEnd { index, signature: None });
            }
            Some(Block::Text | Block::Other) | None => {}
        }
    }

    fn finish_all(&mut self, out: &mut Vec<StreamMsg>) {
        while let Some(at) = self.blocks.keys().next().copied() {
            self.finish(at, out);
        }
    }

    /// Later counts replace earlier ones; what a frame leaves out stays.
    fn count(&mut self, usage: &Value, out: &mut Vec<StreamMsg>) {
        let number = |value: &Value, key: &str| value.get(key).and_then(Value::as_u64);
        let set = |slot: &mut u64, value: Option<u64>| *slot = value.unwrap_or(*slot);
        set(&mut self.usage.input, number(usage, "input_tokens"));
        set(&mut self.usage.output, number(usage, "output_tokens"));
        set(&mut self.usage.cache_read, number(usage, "cache_read_input_tokens"));
        let written = number(usage, "cache_creation_input_tokens");
        match usage.get("cache_creation").filter(|v| v.is_object()) {
            Some(by_age) => {
                let hour = number(by_age, "ephemeral_1h_input_tokens").unwrap_or(0);
                set(
                    &mut self.usage.cache_write_5m,
                    number(by_age, "ephemeral_5m_input_tokens").or(written.map(|w| w.saturating_sub(hour))),
                );
                self.usage.cache_write_1h = hour;
            }
            None => set(
                &mut self.usage.cache_write_5m,
                written.map(|w| w.saturating_sub(self.usage.cache_write_1h)),
            ),
        }
        out.push(StreamMsg::Usage(self.usage));
    }
}

fn push_text(text: String, out: &mut Vec<StreamMsg>) {
    if !text.is_empty() {
        out.push(StreamMsg::Text(text));
    }
}

fn push_reasoning(text: String, out: &mut Vec<StreamMsg>) {
    if !text.is_empty() {
        out.push(StreamMsg::Reasoning(text));
    }
}

fn stop(reason: &str) -> Stop {
    match reason {
        "max_tokens" | "model_context_window_exceeded" => Stop::Length,
        "refusal" => Stop::Refused,
        _ => Stop::End,
    }
}
