//! A request as `openai-completions` wants it.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::super::names::ToolNames;
use super::super::schema::{Offer, offers};
use super::super::{Leave, Wire, image_note, output_limit, tool_names};
use crate::model::provider::Request;
use crate::model::provider::history::{IdForm, Piece, Reply, Step, Turn, ordered};
use crate::model::tool::Image;

pub fn encode(request: &Request, leave: &Leave) -> Wire {
    let quirks = &request.model.quirks;
    let form = if quirks.short_call_ids { IdForm::Nine } else { IdForm::Loose };
    let turns = ordered(&request.messages, &request.model.reference, form);
    let names = tool_names(request);
    let (tools, notice) = offers(&request.tools, &names, false);

    let mut body = Map::new();
    body.insert("model".into(), json!(&*request.model.reference.id));
    body.insert("stream".into(), json!(true));
    if !leave.stream_options {
        body.insert("stream_options".into(), json!({"include_usage": true}));
    }
    let limit = output_limit(request, &turns);
    if limit > 0 {
        let key = if quirks.max_completion_tokens { "max_completion_tokens" } else { "max_tokens" };
        body.insert(key.into(), json!(limit));
    }
    let effort =
        request.effort.as_deref().filter(|_| !request.model.efforts.is_empty() && !leave.reasoning_effort);
    if let Some(effort) = effort {
        body.insert("reasoning_effort".into(), json!(effort));
    }
    if quirks.cache_key && !leave.cache_key && !request.session.is_empty() {
        body.insert("prompt_cache_key".into(), json!(&*request.session));
    }
    if !tools.is_empty() {
        body.insert("tools".into(), tools.into_iter().map(tool).collect());
    }
    let mut writer = Writer { request, leave, names: &names, messages: Vec::new(), pieces: Vec::new() };
    writer.write(&turns);
    body.insert("messages".into(), Value::Array(writer.messages));
    Wire {
        path: "/chat/completions".into(),
        headers: Vec::new(),
        body: Value::Object(body),
        names: Arc::new(names),
        notice,
    }
}

fn tool(offer: Offer<'_>) -> Value {
    json!({"type": "function", "function": {
        "name": offer.name, "description": offer.description, "parameters": offer.parameters}})
}

/// A part of a user's turn before it is known whether the turn is plain text.
enum Said<'a> {
    Text(std::borrow::Cow<'a, str>),
    Image(&'a Image),
}

struct Writer<'a> {
    request: &'a Request,
    leave: &'a Leave,
    names: &'a ToolNames,
    messages: Vec<Value>,
    /// The user's turn so far: images of answers and the words after them become one.
    pieces: Vec<Said<'a>>,
}

impl<'a> Writer<'a> {
    fn write(&mut self, turns: &[Turn<'a>]) {
        if !self.request.system.trim().is_empty() {
            self.messages.push(json!({"role": "system", "content": &*self.request.system}));
        }
        for turn in turns {
            match turn {
                Turn::User(pieces) => {
                    for piece in pieces {
                        match piece {
                            Piece::Text(text) => self.pieces.push(Said::Text((*text).into())),
                            Piece::Image(image) => self.image(image),
                        }
                    }
                }
                Turn::Reply(reply) => {
                    self.end_user();
                    let message = self.reply(reply);
                    self.messages.push(message);
                    self.answers(reply);
                }
            }
        }
        self.end_user();
    }

    fn image(&mut self, image: &'a Image) {
        self.pieces.push(match image_note(self.request, self.leave, image) {
            Some(note) => Said::Text(note.into()),
            None => Said::Image(image),
        });
    }

    /// Many servers take a plain string only, so a turn without images is one.
    fn end_user(&mut self) {
        let pieces = std::mem::take(&mut self.pieces);
        if pieces.is_empty() {
            return;
        }
        let plain: Option<Vec<&str>> = pieces
            .iter()
            .map(|p| match p {
                Said::Text(text) => Some(&**text),
                Said::Image(_) => None,
            })
            .collect();
        let content: Value = match plain {
            Some(texts) => json!(texts.join("\n\n")),
            None => pieces.iter().map(part).collect(),
        };
        self.messages.push(json!({"role": "user", "content": content}));
    }

    fn reply(&self, reply: &Reply<'_>) -> Value {
        let mut text = String::new();
        let mut thought = String::new();
        let mut calls = Vec::new();
        for step in &reply.steps {
            match step {
                Step::Text(piece) => text.push_str(piece),
                Step::Reasoning { text, .. } => thought.push_str(text),
                Step::Call(call) => calls.push(json!({"id": &*call.id, "type": "function", "function": {
                    "name": self.names.wire(call.name), "arguments": call.arguments}})),
            }
        }
        let mut message = Map::new();
        message.insert("role".into(), json!("assistant"));
        message.insert("content".into(), if text.is_empty() { Value::Null } else { json!(text) });
        if let Some(field) = self.request.model.quirks.reasoning_replay.as_deref()
            && !thought.is_empty()
        {
            message.insert(field.into(), json!(thought));
        }
        if !calls.is_empty() {
            message.insert("tool_calls".into(), Value::Array(calls));
        }
        Value::Object(message)
    }

    /// A tool's message holds text only, so images follow in a user's turn.
    fn answers(&mut self, reply: &Reply<'a>) {
        for answer in &reply.answers {
            self.messages
                .push(json!({"role": "tool", "tool_call_id": &*answer.id, "content": answer.content}));
        }
        for answer in reply.answers.iter().filter(|a| !a.images.is_empty()) {
            self.pieces.push(Said::Text(format!("Images from {}:", answer.name).into()));
            for image in answer.images {
                self.image(image);
            }
        }
    }
}

fn part(piece: &Said<'_>) -> Value {
    match piece {
        Said::Text(text) => json!({"type": "text", "text": text}),
        Said::Image(image) => {
            json!({"type": "image_url", "image_url": {"url": format!("data:{};base64,{}", image.mime, image.data)}})
        }
    }
}
