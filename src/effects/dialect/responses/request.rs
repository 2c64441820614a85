//! A request as `openai-responses` wants it. Nothing is stored at the provider: sealed reasoning travels along.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::super::names::ToolNames;
use super::super::schema::{Offer, offers};
use super::super::{Leave, Wire, image_note, output_limit, tool_names};
use crate::model::provider::Request;
use crate::model::provider::history::{IdForm, Piece, Reply, Step, Turn, ordered};
use crate::model::tool::Image;

pub fn encode(request: &Request, leave: &Leave) -> Wire {
    let turns = ordered(&request.messages, &request.model.reference, IdForm::Loose);
    let names = tool_names(request);
    let (tools, notice) = offers(&request.tools, &names, false);

    let mut body = Map::new();
    body.insert("model".into(), json!(&*request.model.reference.id));
    body.insert("stream".into(), json!(true));
    body.insert("store".into(), json!(false));
    if !request.system.trim().is_empty() {
        body.insert("instructions".into(), json!(&*request.system));
    }
    let limit = output_limit(request, &turns);
    if limit > 0 {
        body.insert("max_output_tokens".into(), json!(limit));
    }
    if !request.model.efforts.is_empty() {
        body.insert("include".into(), json!(["reasoning.encrypted_content"]));
        if let Some(effort) = request.effort.as_deref().filter(|_| !leave.reasoning_effort) {
            body.insert("reasoning".into(), json!({"effort": effort, "summary": "auto"}));
        }
    }
    if request.model.quirks.cache_key && !leave.cache_key && !request.session.is_empty() {
        body.insert("prompt_cache_key".into(), json!(&*request.session));
    }
    if !tools.is_empty() {
        body.insert("tools".into(), tools.into_iter().map(tool).collect());
    }
    let mut writer = Writer { request, leave, names: &names, input: Vec::new(), user: Vec::new() };
    writer.write(&turns);
    body.insert("input".into(), Value::Array(writer.input));
    let path = "/responses".to_owned();
    Wire { path, headers: Vec::new(), body: Value::Object(body), names: Arc::new(names), notice }
}

fn tool(offer: Offer<'_>) -> Value {
    json!({"type": "function", "name": offer.name, "description": offer.description,
        "parameters": offer.parameters, "strict": false})
}

struct Writer<'a> {
    request: &'a Request,
    leave: &'a Leave,
    names: &'a ToolNames,
    input: Vec<Value>,
    /// The user's turn so far: images of answers and the words after them become one.
    user: Vec<Value>,
}

impl Writer<'_> {
    fn write(&mut self, turns: &[Turn<'_>]) {
        for turn in turns {
            match turn {
                Turn::User(pieces) => {
                    for piece in pieces {
                        let part = match piece {
                            Piece::Text(text) => json!({"type": "input_text", "text": text}),
                            Piece::Image(image) => self.image(image),
                        };
                        self.user.push(part);
                    }
                }
                Turn::Reply(reply) => {
                    self.end_user();
                    self.reply(reply);
                    self.answers(reply);
                }
            }
        }
        self.end_user();
    }

    fn end_user(&mut self) {
        if !self.user.is_empty() {
            self.input.push(json!({"role": "user", "content": std::mem::take(&mut self.user)}));
        }
    }

    /// Reasoning is never last here, so each item stands before the output that it led to.
    fn reply(&mut self, reply: &Reply<'_>) {
        for step in &reply.steps {
            let item = match step {
                Step::Text(text) => {
                    Some(json!({"type": "message", "role": "assistant", "status": "completed",
                    "content": [{"type": "output_text", "text": text, "annotations": []}]}))
                }
                Step::Reasoning { sealed, .. } => sealed
                    .and_then(|s| serde_json::from_str::<Value>(s).ok())
                    .filter(|v| v["type"] == "reasoning"),
                Step::Call(call) => Some(json!({"type": "function_call", "call_id": &*call.id,
                    "name": self.names.wire(call.name), "arguments": call.arguments})),
            };
            self.input.extend(item);
        }
    }

    fn answers(&mut self, reply: &Reply<'_>) {
        for answer in &reply.answers {
            self.input.push(
                json!({"type": "function_call_output", "call_id": &*answer.id, "output": answer.content}),
            );
        }
        for answer in reply.answers.iter().filter(|a| !a.images.is_empty()) {
            self.user.push(json!({"type": "input_text", "text": format!("Images from {}:", answer.name)}));
            for image in answer.images {
                let part = self.image(image);
                self.user.push(part);
            }
        }
    }

    fn image(&self, image: &Image) -> Value {
        match image_note(self.request, self.leave, image) {
            Some(note) => json!({"type": "input_text", "text": note}),
            None => {
                json!({"type": "input_image", "image_url": format!("data:{};base64,{}", image.mime, image.data)})
            }
        }
    }
}
