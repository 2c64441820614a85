//! The chunks of a `google-generative-ai` reply; a finish reason ends it.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use super::super::args::ReplyIds;
use super::super::error;
use super::super::names::ToolNames;
use super::super::sse::Event;
use crate::model::provider::{Cause, ModelRef, Stage, Stop, StreamMsg, Usage};

#[derive(Debug)]
pub struct Stream {
    model: ModelRef,
    names: Arc<ToolNames>,
    ids: ReplyIds,
    calls: usize,
    thinking: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Chunk {
    candidates: Option<Vec<Candidate>>,
    usage_metadata: Option<Value>,
    prompt_feedback: Option<Value>,
    error: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    content: Option<Content>,
    finish_reason: Option<String>,
    finish_message: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Content {
    parts: Option<Vec<Part>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    text: Option<String>,
    thought: Option<bool>,
    thought_signature: Option<String>,
    function_call: Option<FunctionCall>,
}

#[derive(Debug, Deserialize)]
struct FunctionCall {
    id: Option<String>,
    #[serde(default)]
    name: String,
    #[serde(default)]
    args: Value,
}

impl Stream {
    pub fn new(model: ModelRef, names: Arc<ToolNames>) -> Self {
        Stream { model, names, ids: ReplyIds::default(), calls: 0, thinking: false }
    }

    pub fn event(&mut self, event: &Event<'_>, out: &mut Vec<StreamMsg>) -> bool {
        if event.data.trim().is_empty() {
            return false;
        }
        let chunk: Chunk = match serde_json::from_str(event.data) {
            Ok(chunk) => chunk,
            Err(_) => {
                let fault = error::unreadable(&self.model, "an event that is not of this api", event.data);
                out.push(StreamMsg::Failed(fault));
                return true;
            }
        };
        if let Some(error) = &chunk.error {
            out.push(StreamMsg::Failed(error::of_event(&self.model, error)));
            return true;
        }
        if let Some(usage) = chunk.usage_metadata.as_ref().and_then(counts) {
            out.push(StreamMsg::Usage(usage));
        }
        let blocked = chunk.prompt_feedback.as_ref().is_some_and(|f| f.get("blockReason").is_some());
        let Some(candidate) = chunk.candidates.unwrap_or_default().into_iter().next() else {
            if blocked {
                out.push(StreamMsg::Done(Stop::Refused));
            }
            return blocked;
        };
        for part in candidate.content.and_then(|c| c.parts).unwrap_or_default() {
            self.part(part, out);
        }
        match candidate.finish_reason {
            Some(reason) if reason != "FINISH_REASON_UNSPECIFIED" => {
                self.end_thought(out);
                out.push(self.last(&reason, candidate.finish_message.as_deref().unwrap_or_default()));
                true
            }
            _ => false,
        }
    }

    pub fn end(&mut self, broken: Option<&str>, out: &mut Vec<StreamMsg>) {
        let detail = broken.unwrap_or("the stream ended without a finishReason");
        out.push(StreamMsg::Failed(error::cut_short(&self.model, detail)));
    }

    fn part(&mut self, part: Part, out: &mut Vec<StreamMsg>) {
        let seal = part.thought_signature.map(Arc::<str>::from);
        if let Some(text) = part.text.filter(|t| !t.is_empty()) {
            if part.thought == Some(true) {
                self.thinking = true;
                out.push(StreamMsg::Reasoning(text));
            } else {
                self.end_thought(out);
                out.push(StreamMsg::Text(text));
            }
        }
        if let Some(call) = part.function_call {
            self.end_thought(out);
            let index = self.calls;
            self.calls += 1;
            let id = self.ids.unique(call.id.as_deref().unwrap_or_default(), index);
            out.push(StreamMsg::CallStart { index, id, name: self.names.real(&call.name) });
            let delta = if call.args.is_null() { "{}".to_owned() } else { call.args.to_string() };
            out.push(StreamMsg::CallArgs { index, delta });
            out.push(StreamMsg::CallEnd { index, signature: seal });
        }
    }

    fn end_thought(&mut self, out: &mut Vec<StreamMsg>) {
        if std::mem::take(&mut self.thinking) {
            out.push(StreamMsg::ReasoningEnd { signature: None, sealed: None });
        }
    }

    fn last(&self, reason: &str, message: &str) -> StreamMsg {
        match reason {
            "STOP" => StreamMsg::Done(Stop::End),
            "MAX_TOKENS" => StreamMsg::Done(Stop::Length),
            "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" | "TOO_MANY_TOOL_CALLS" => {
                let summary = format!(
                    "{} wrote a tool call that can't be read. Send a message to try again",
                    self.model
                );
                StreamMsg::Failed(error::fault(
                    Cause::Unavailable,
                    Stage::Stream,
                    summary,
                    &format!("{reason} {message}"),
                ))
            }
            _ => StreamMsg::Done(Stop::Refused),
        }
    }
}

/// The prompt's count has the cached part in it; thoughts are counted apart from the candidates.
fn counts(usage: &Value) -> Option<Usage> {
    let number = |key: &str| usage.get(key).and_then(Value::as_u64);
    let prompt = number("promptTokenCount")?;
    let cache_read = number("cachedContentTokenCount").unwrap_or(0).min(prompt);
    let output = number("candidatesTokenCount").unwrap_or(0) + number("thoughtsTokenCount").unwrap_or(0);
    Some(Usage { input: prompt - cache_read, output, cache_read, ..Usage::default() })
}
