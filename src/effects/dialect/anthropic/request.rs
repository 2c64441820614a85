//! A request as `anthropic-messages` wants it.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::super::schema::{Offer, offers};
use super::super::{Leave, Wire, image_note, output_limit, tool_names};
use crate::model::provider::history::{Answer, IdForm, Piece, Reply, Step, Turn, ordered};
use crate::model::provider::{Request, Thinking};
use crate::model::tool::Image;

/// Asked of a model whose output limit is unknown; the dialect demands a number.
const USUAL_OUTPUT: u64 = 8192;
/// The least thinking budget the provider takes.
const LEAST_BUDGET: u64 = 1024;

pub fn encode(request: &Request, leave: &Leave) -> Wire {
    let turns = ordered(&request.messages, &request.model.reference, IdForm::Plain);
    let names = tool_names(request);
    let (tools, notice) = offers(&request.tools, &names, true);
    let limit = match output_limit(request, &turns) {
        0 => USUAL_OUTPUT,
        n => n,
    };
    let thinking = thinking(request, &turns, limit);

    let mut body = Map::new();
    body.insert("model".into(), json!(&*request.model.reference.id));
    body.insert("max_tokens".into(), json!(limit));
    body.insert("stream".into(), json!(true));
    if !request.system.trim().is_empty() {
        let block = json!({"type": "text", "text": &*request.system, "cache_control": {"type": "ephemeral"}});
        body.insert("system".into(), json!([block]));
    }
    if !tools.is_empty() {
        body.insert("tools".into(), tools.into_iter().map(tool).collect());
    }
    let mut headers = vec![("anthropic-version", "2023-06-01".to_owned())];
    match thinking {
        Think::No => {}
        Think::Budget(tokens) => {
            body.insert("thinking".into(), json!({"type": "enabled", "budget_tokens": tokens}));
            headers.push(("anthropic-beta", "interleaved-thinking-2025-05-14".to_owned()));
        }
        Think::Adaptive(effort) => {
            body.insert("thinking".into(), json!({"type": "adaptive", "display": "summarized"}));
            body.insert("output_config".into(), json!({"effort": effort}));
        }
    }
    let writer = Writer { request, leave, names: &names };
    let mut messages = writer.messages(&turns);
    cache_last_block(&mut messages);
    body.insert("messages".into(), Value::Array(messages));
    Wire { path: "/v1/messages".into(), headers, body: Value::Object(body), names: Arc::new(names), notice }
}

fn tool(offer: Offer<'_>) -> Value {
    json!({"name": offer.name, "description": offer.description, "input_schema": offer.parameters})
}

enum Think<'a> {
    No,
    Budget(u64),
    Adaptive(&'a str),
}

fn thinking<'a>(request: &'a Request, turns: &[Turn<'_>], limit: u64) -> Think<'a> {
    let effort = match request.effort.as_deref() {
        None | Some("off" | "none") => return Think::No,
        Some(effort) => effort,
    };
    if request.model.efforts.is_empty() {
        return Think::No;
    }
    if request.model.quirks.thinking == Thinking::Adaptive {
        return Think::Adaptive(effort);
    }
    let wanted = match effort {
        "minimal" => LEAST_BUDGET,
        "low" => 4096,
        "medium" => 10_000,
        "high" => 20_000,
        _ => 32_000,
    };
    // Half of the room at least is for the answer.
    let budget = wanted.min(limit / 2);
    if budget < LEAST_BUDGET || !loop_began_thinking(turns) { Think::No } else { Think::Budget(budget) }
}

/// With a budget, a run of tool calls that goes on must have begun with the model's own signed thinking.
fn loop_began_thinking(turns: &[Turn<'_>]) -> bool {
    let run = turns.iter().rev().take_while(|t| matches!(t, Turn::Reply(_)));
    match run.last() {
        Some(Turn::Reply(reply)) => reply.steps.first().is_some_and(|s| reasoning(s).is_some()),
        _ => true,
    }
}

/// A reasoning step as it is sent back; `None` for any other step and for reasoning without a seal.
fn reasoning(step: &Step<'_>) -> Option<Value> {
    match step {
        Step::Reasoning { sealed: Some(sealed), .. } => {
            serde_json::from_str(sealed).ok().filter(|v: &Value| v["type"] == "redacted_thinking")
        }
        Step::Reasoning { text, signature: Some(signature), .. } => {
            Some(json!({"type": "thinking", "thinking": text, "signature": signature}))
        }
        _ => None,
    }
}

struct Writer<'a> {
    request: &'a Request,
    leave: &'a Leave,
    names: &'a super::super::names::ToolNames,
}

impl Writer<'_> {
    fn messages(&self, turns: &[Turn<'_>]) -> Vec<Value> {
        let mut messages: Vec<Value> = Vec::new();
        // Answers wait here, so that they and a user's words after them are one turn.
        let mut user: Vec<Value> = Vec::new();
        for turn in turns {
            match turn {
                Turn::User(pieces) => user.extend(pieces.iter().map(|p| self.piece(p))),
                Turn::Reply(reply) => {
                    let blocks = self.reply(reply);
                    if !user.is_empty() {
                        messages.push(json!({"role": "user", "content": std::mem::take(&mut user)}));
                    }
                    messages.push(json!({"role": "assistant", "content": blocks}));
                    user.extend(reply.answers.iter().map(|a| self.answer(a)));
                }
            }
        }
        if !user.is_empty() {
            messages.push(json!({"role": "user", "content": user}));
        }
        messages
    }

    fn reply(&self, reply: &Reply<'_>) -> Vec<Value> {
        let steps = reply.steps.iter();
        steps
            .filter_map(|step| match step {
                Step::Text(text) => Some(json!({"type": "text", "text": text})),
                Step::Reasoning { .. } => reasoning(step),
                Step::Call(call) => {
                    let input: Value = serde_json::from_str(&call.arguments).unwrap_or_else(|_| json!({}));
                    Some(json!({"type": "tool_use", "id": &*call.id, "name": self.names.wire(call.name), "input": input}))
                }
            })
            .collect()
    }

    fn answer(&self, answer: &Answer<'_>) -> Value {
        let content = if answer.images.is_empty() {
            json!(answer.content)
        } else {
            let text = json!({"type": "text", "text": answer.content});
            std::iter::once(text).chain(answer.images.iter().map(|i| self.image(i))).collect()
        };
        let mut block = json!({"type": "tool_result", "tool_use_id": &*answer.id, "content": content});
        if answer.failed {
            block["is_error"] = json!(true);
        }
        block
    }

    fn piece(&self, piece: &Piece<'_>) -> Value {
        match piece {
            Piece::Text(text) => json!({"type": "text", "text": text}),
            Piece::Image(image) => self.image(image),
        }
    }

    fn image(&self, image: &Image) -> Value {
        match image_note(self.request, self.leave, image) {
            Some(note) => json!({"type": "text", "text": note}),
            None => {
                json!({"type": "image", "source": {"type": "base64", "media_type": &*image.mime, "data": &*image.data}})
            }
        }
    }
}

fn cache_last_block(messages: &mut [Value]) {
    let last = messages.last_mut().and_then(|m| m.get_mut("content")?.as_array_mut()?.last_mut());
    if let Some(block) = last {
        block["cache_control"] = json!({"type": "ephemeral"});
    }
}
