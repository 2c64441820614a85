//! The events of an `openai-responses` reply; what deltas left out is taken from the snapshots at the end of each item.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use super::super::args::{Args, ReplyIds};
use super::super::error;
use super::super::names::ToolNames;
use super::super::sse::Event;
use crate::model::provider::{ModelRef, Stop, StreamMsg, Usage};

#[derive(Debug)]
pub struct Stream {
    model: ModelRef,
    names: Arc<ToolNames>,
    ids: ReplyIds,
    calls: usize,
    /// By the provider's output index.
    items: BTreeMap<u64, Item>,
}

#[derive(Debug, Default)]
struct Item {
    /// Bytes of text that were handed on.
    text: usize,
    /// Bytes of reasoning that were handed on.
    thought: usize,
    call: Option<Call>,
    over: bool,
}

#[derive(Debug)]
struct Call {
    index: usize,
    args: Args,
    /// Bytes of arguments that came in deltas.
    came: usize,
}

#[derive(Debug, Deserialize)]
struct Frame {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    output_index: u64,
    delta: Option<String>,
    item: Option<Value>,
    response: Option<Value>,
    error: Option<Value>,
    message: Option<String>,
}

impl Stream {
    pub fn new(model: ModelRef, names: Arc<ToolNames>) -> Self {
        Stream { model, names, ids: ReplyIds::default(), calls: 0, items: BTreeMap::new() }
    }

    pub fn event(&mut self, event: &Event<'_>, out: &mut Vec<StreamMsg>) -> bool {
        let data = event.data.trim();
        if data.is_empty() || data == "[DONE]" {
            return false;
        }
        let Ok(frame) = serde_json::from_str::<Frame>(data) else {
            let fault = error::unreadable(&self.model, "an event that is not of this api", data);
            out.push(StreamMsg::Failed(fault));
            return true;
        };
        let at = frame.output_index;
        match frame.kind.as_str() {
            "response.output_item.added" => self.begin(at, &frame.item.unwrap_or_default(), out),
            "response.output_text.delta" | "response.refusal.delta" => {
                self.text(at, frame.delta.unwrap_or_default(), out);
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                self.reasoning(at, frame.delta.unwrap_or_default(), out);
            }
            "response.reasoning_summary_part.added" if self.item(at).thought > 0 => {
                self.reasoning(at, "\n\n".into(), out);
            }
            "response.function_call_arguments.delta" => {
                self.arguments(at, &frame.delta.unwrap_or_default(), out)
            }
            "response.output_item.done" => self.finish(at, &frame.item.unwrap_or_default(), out),
            "response.completed" | "response.incomplete" => {
                self.complete(&frame.response.unwrap_or_default(), out);
                return true;
            }
            "response.failed" => {
                let response = frame.response.unwrap_or_default();
                out.push(StreamMsg::Failed(error::of_event(&self.model, &response)));
                return true;
            }
            "error" | "" if frame.error.is_some() || frame.message.is_some() => {
                let value: Value = serde_json::from_str(data).unwrap_or_default();
                out.push(StreamMsg::Failed(error::of_event(&self.model, &value)));
                return true;
            }
            _ => {}
        }
        false
    }

    pub fn end(&mut self, broken: Option<&str>, out: &mut Vec<StreamMsg>) {
        let detail = broken.unwrap_or("the stream ended without response.completed");
        out.push(StreamMsg::Failed(error::cut_short(&self.model, detail)));
    }

    fn item(&mut self, at: u64) -> &mut Item {
        self.items.entry(at).or_default()
    }

    fn begin(&mut self, at: u64, item: &Value, out: &mut Vec<StreamMsg>) {
        if item["type"] != "function_call" || self.item(at).call.is_some() {
            return;
        }
        let index = self.calls;
        self.calls += 1;
        let text = |key: &str| item.get(key).and_then(Value::as_str).unwrap_or_default();
        let given = if text("call_id").is_empty() { text("id") } else { text("call_id") };
        let id = self.ids.unique(given, index);
        out.push(StreamMsg::CallStart { index, id, name: self.names.real(text("name")) });
        self.item(at).call = Some(Call { index, args: Args::default(), came: 0 });
    }

    fn text(&mut self, at: u64, text: String, out: &mut Vec<StreamMsg>) {
        if !text.is_empty() {
            self.item(at).text += text.len();
            out.push(StreamMsg::Text(text));
        }
    }

    fn reasoning(&mut self, at: u64, text: String, out: &mut Vec<StreamMsg>) {
        if !text.is_empty() {
            self.item(at).thought += text.len();
            out.push(StreamMsg::Reasoning(text));
        }
    }

    fn arguments(&mut self, at: u64, delta: &str, out: &mut Vec<StreamMsg>) {
        if let Some(call) = &mut self.item(at).call {
            call.came += delta.len();
            let index = call.index;
            out.extend(call.args.push(delta).map(|delta| StreamMsg::CallArgs { index, delta }));
        }
    }

    /// An item is whole; its snapshot holds what no delta brought.
    fn finish(&mut self, at: u64, item: &Value, out: &mut Vec<StreamMsg>) {
        if self.item(at).over {
            return;
        }
        match item["type"].as_str().unwrap_or_default() {
            "message" => {
                let whole = joined(&item["content"], &["text", "refusal"]);
                let rest = whole.get(self.item(at).text..).unwrap_or_default().to_owned();
                self.text(at, rest, out);
            }
            "reasoning" => {
                if self.item(at).thought == 0 {
                    let whole = joined(&item["summary"], &["text"]) + &joined(&item["content"], &["text"]);
                    self.reasoning(at, whole, out);
                }
                let sealed: Option<Arc<str>> =
                    item["encrypted_content"].is_string().then(|| Arc::from(item.to_string()));
                if sealed.is_some() || self.item(at).thought > 0 {
                    out.push(StreamMsg::ReasoningEnd { signature: None, sealed });
                }
            }
            "function_call" => {
                self.begin(at, item, out);
                let whole = item["arguments"].as_str().unwrap_or_default();
                let came = self.item(at).call.as_ref().map_or(0, |c| c.came);
                self.arguments(at, whole.get(came..).unwrap_or_default(), out);
                if let Some(mut call) = self.item(at).call.take() {
                    let index = call.index;
                    out.extend(call.args.finish().map(|delta| StreamMsg::CallArgs { index, delta }));
                    out.push(StreamMsg::CallEnd { index, signature: None });
                }
            }
            _ => {}
        }
        self.item(at).over = true;
    }

    fn complete(&mut self, response: &Value, out: &mut Vec<StreamMsg>) {
        for (at, item) in response["output"].as_array().into_iter().flatten().enumerate() {
            self.finish(at as u64, item, out);
        }
        // A call that was begun and is in no snapshot.
        let open: Vec<u64> = self.items.iter().filter(|(_, i)| i.call.is_some()).map(|(at, _)| *at).collect();
        for at in open {
            self.finish(at, &serde_json::json!({"type": "function_call"}), out);
        }
        out.extend(counts(&response["usage"]).map(StreamMsg::Usage));
        out.push(StreamMsg::Done(match response["incomplete_details"]["reason"].as_str() {
            Some("content_filter") => Stop::Refused,
            Some(_) => Stop::Length,
            None => Stop::End,
        }));
    }
}

fn joined(parts: &Value, keys: &[&str]) -> String {
    let parts = parts.as_array().into_iter().flatten();
    parts.filter_map(|p| keys.iter().find_map(|k| p.get(*k)?.as_str())).collect()
}

fn counts(usage: &Value) -> Option<Usage> {
    let number = |path: &str| usage.pointer(path).and_then(Value::as_u64);
    let input = number("/input_tokens")?;
    let cache_read = number("/input_tokens_details/cached_tokens").unwrap_or(0).min(input);
    Some(Usage {
        input: input - cache_read,
        output: number("/output_tokens").unwrap_or(0),
        cache_read,
        ..Usage::default()
    })
}
