//! A request as `google-generative-ai` wants it.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::super::names::ToolNames;
use super::super::schema::{Offer, offers};
use super::super::{Leave, Wire, image_note, output_limit, tool_names};
use crate::model::provider::history::{IdForm, Piece, Reply, Step, Turn, ordered};
use crate::model::provider::{Request, Thinking};
use crate::model::tool::Image;

/// Stands for the seal of a call that another model made, where the provider demands one.
const NO_SEAL: &str = "skip_thought_signature_validator";

pub fn encode(request: &Request, leave: &Leave) -> Wire {
    let turns = ordered(&request.messages, &request.model.reference, IdForm::Loose);
    let names = tool_names(request);
    let (tools, notice) = offers(&request.tools, &names, false);

    let mut body = Map::new();
    if !request.system.trim().is_empty() {
        body.insert("systemInstruction".into(), json!({"parts": [{"text": &*request.system}]}));
    }
    if !tools.is_empty() {
        let declarations: Vec<Value> = tools.into_iter().map(tool).collect();
        body.insert("tools".into(), json!([{"functionDeclarations": declarations}]));
    }
    let mut config = Map::new();
    let limit = output_limit(request, &turns);
    if limit > 0 {
        config.insert("maxOutputTokens".into(), json!(limit));
    }
    if let Some(thinking) = thinking(request) {
        config.insert("thinkingConfig".into(), thinking);
    }
    if !config.is_empty() {
        body.insert("generationConfig".into(), Value::Object(config));
    }
    let writer = Writer { request, leave, names: &names };
    body.insert("contents".into(), Value::Array(writer.contents(&turns)));
    let path = format!("/models/{}:streamGenerateContent?alt=sse", request.model.reference.id);
    Wire { path, headers: Vec::new(), body: Value::Object(body), names: Arc::new(names), notice }
}

fn tool(offer: Offer<'_>) -> Value {
    let mut declaration = json!({"name": offer.name, "description": offer.description});
    // An object without properties is refused; a function without parameters is not.
    if offer.parameters["properties"].as_object().is_some_and(|p| !p.is_empty()) {
        declaration["parametersJsonSchema"] = offer.parameters;
    }
    declaration
}

fn thinking(request: &Request) -> Option<Value> {
    let effort = request.effort.as_deref().filter(|_| !request.model.efforts.is_empty())?;
    if request.model.quirks.thinking == Thinking::Adaptive {
        return Some(json!({"includeThoughts": true, "thinkingLevel": effort}));
    }
    let budget = match effort {
        "none" | "off" => return Some(json!({"thinkingBudget": 0})),
        "minimal" => 1024,
        "low" => 4096,
        "medium" => 12_288,
        _ => 24_576,
    };
    Some(json!({"includeThoughts": true, "thinkingBudget": budget}))
}

struct Writer<'a> {
    request: &'a Request,
    leave: &'a Leave,
    names: &'a ToolNames,
}

impl Writer<'_> {
    fn contents(&self, turns: &[Turn<'_>]) -> Vec<Value> {
        let mut contents = Vec::new();
        // Answers, their images and the words after them are one turn of the user.
        let mut user: Vec<Value> = Vec::new();
        for turn in turns {
            match turn {
                Turn::User(pieces) => user.extend(pieces.iter().map(|p| match p {
                    Piece::Text(text) => json!({"text": text}),
                    Piece::Image(image) => self.image(image),
                })),
                Turn::Reply(reply) => {
                    if !user.is_empty() {
                        contents.push(json!({"role": "user", "parts": std::mem::take(&mut user)}));
                    }
                    contents.push(json!({"role": "model", "parts": self.reply(reply)}));
                    user = self.answers(reply);
                }
            }
        }
        if !user.is_empty() {
            contents.push(json!({"role": "user", "parts": user}));
        }
        contents
    }

    fn reply(&self, reply: &Reply<'_>) -> Vec<Value> {
        let mut parts = Vec::new();
        let mut first_call = true;
        for step in &reply.steps {
            match step {
                Step::Text(text) => parts.push(json!({"text": text})),
                // What was thought is not sent back; its seal is on the call.
                Step::Reasoning { .. } => {}
                Step::Call(call) => {
                    let args: Value = serde_json::from_str(&call.arguments).unwrap_or_else(|_| json!({}));
                    let mut part =
                        json!({"functionCall": {"name": self.names.wire(call.name), "args": args}});
                    let demanded = first_call && self.request.model.quirks.thinking == Thinking::Adaptive;
                    if let Some(seal) = call.signature.or(demanded.then_some(NO_SEAL)) {
                        part["thoughtSignature"] = json!(seal);
                    }
                    first_call = false;
                    parts.push(part);
                }
            }
        }
        parts
    }

    fn answers(&self, reply: &Reply<'_>) -> Vec<Value> {
        let mut parts: Vec<Value> = Vec::new();
        for answer in &reply.answers {
            let key = if answer.failed { "error" } else { "output" };
            parts.push(json!({"functionResponse": {"name": self.names.wire(answer.name), "response": {key: answer.content}}}));
        }
        for answer in reply.answers.iter().filter(|a| !a.images.is_empty()) {
            parts.push(json!({"text": format!("Images from {}:", answer.name)}));
            parts.extend(answer.images.iter().map(|i| self.image(i)));
        }
        parts
    }

    fn image(&self, image: &Image) -> Value {
        match image_note(self.request, self.leave, image) {
            Some(note) => json!({"text": note}),
            None => json!({"inlineData": {"mimeType": &*image.mime, "data": &*image.data}}),
        }
    }
}
