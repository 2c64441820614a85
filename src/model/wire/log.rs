//! The records of a session log, one JSON object a line (`formats.md`): the types, and reading and writing one line.
//! Nothing here knows files; a torn last line is cut before its text gets here, a bad one inside is reported by its number.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::log_parse;
use crate::model::provider::{
    Assistant, Message, ModelRef, Part, Purpose, ToolResult, Usage, User, UserKind, UserPart,
};
use crate::model::tool::{Display, Format, Image};

/// The version this program writes.
pub const FORMAT_VERSION: u64 = 1;

#[derive(Debug, Clone, PartialEq)]
pub enum Record {
    /// The first line.
    Session(SessionRecord),
    Message(MessageRecord),
    /// A response that was billed and gave no message.
    Response(ResponseRecord),
    Name(NameRecord),
    /// A kind that a newer version wrote.
    Other(Map<String, Value>),
}

/// Keys of an object that this version does not know, in their order; they are written back.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Extra(pub Option<Box<Map<String, Value>>>);

#[derive(Debug, Clone, PartialEq)]
pub struct SessionRecord {
    pub format_version: u64,
    pub id: Arc<str>,
    pub cwd: Arc<str>,
    /// Wall milliseconds.
    pub created: u64,
    pub model: Option<ModelRef>,
    pub extra: Extra,
}

#[derive(Debug, Clone, PartialEq)]
pub struct MessageRecord {
    pub id: Arc<str>,
    /// None for the root.
    pub parent: Option<Arc<str>>,
    /// Wall milliseconds.
    pub timestamp: u64,
    pub message: Arc<Message>,
    /// What the model's reply cost.
    pub response: Option<Response>,
    pub extra: Extra,
    /// Unknown keys of the message itself.
    pub message_extra: Extra,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ResponseRecord {
    /// Wall milliseconds.
    pub timestamp: u64,
    pub response: Response,
    pub extra: Extra,
}

#[derive(Debug, Clone, PartialEq)]
pub struct NameRecord {
    /// None takes the name away.
    pub name: Option<Arc<str>>,
    pub extra: Extra,
}

/// Who answered, for what, and the tokens it took.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    pub model: ModelRef,
    pub purpose: Purpose,
    pub usage: Usage,
    pub extra: Extra,
}

/// A log that was read: what could be, and which lines could not.
#[derive(Debug, Default, PartialEq)]
pub struct Log {
    /// `(line number from 1, record)`.
    pub records: Vec<(usize, Record)>,
    pub bad: Vec<BadLine>,
}

/// A line inside a log that is no record. It costs itself alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    /// From 1.
    pub line: usize,
    pub why: Arc<str>,
}

/// Reads every line of a log; empty lines are passed over.
pub fn read<'a>(lines: impl IntoIterator<Item = &'a str>) -> Log {
    let mut log = Log::default();
    for (index, line) in lines.into_iter().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        match Record::parse(line) {
            Ok(record) => log.records.push((index + 1, record)),
            Err(why) => log.bad.push(BadLine { line: index + 1, why: Arc::from(why) }),
        }
    }
    log
}

impl Record {
    /// Reads one line. The error says what is wrong, in a few words.
    pub fn parse(line: &str) -> Result<Record, String> {
        log_parse::record(line)
    }

    /// The record as one line, without a line end.
    pub fn print(&self) -> String {
        let mut out = Map::new();
        match self {
            Record::Session(r) => session(&mut out, r),
            Record::Message(r) => message_record(&mut out, r),
            Record::Response(r) => {
                put(&mut out, "type", "response");
                put(&mut out, "timestamp", r.timestamp);
                put(&mut out, "response", response(&r.response));
                extra(&mut out, &r.extra);
            }
            Record::Name(r) => {
                put(&mut out, "type", "name");
                put(&mut out, "name", r.name.as_deref());
                extra(&mut out, &r.extra);
            }
            Record::Other(map) => out = map.clone(),
        }
        Value::Object(out).to_string()
    }

    /// The first line of a new log.
    pub fn session(id: Arc<str>, cwd: Arc<str>, created: u64, model: Option<ModelRef>) -> Record {
        Record::Session(SessionRecord {
            format_version: FORMAT_VERSION,
            id,
            cwd,
            created,
            model,
            extra: Extra::default(),
        })
    }

    pub fn message(
        id: Arc<str>,
        parent: Option<Arc<str>>,
        timestamp: u64,
        message: Arc<Message>,
        response: Option<Response>,
    ) -> Record {
        let (extra, message_extra) = (Extra::default(), Extra::default());
        Record::Message(MessageRecord { id, parent, timestamp, message, response, extra, message_extra })
    }

    pub fn response(timestamp: u64, response: Response) -> Record {
        Record::Response(ResponseRecord { timestamp, response, extra: Extra::default() })
    }

    pub fn name(name: Option<Arc<str>>) -> Record {
        Record::Name(NameRecord { name, extra: Extra::default() })
    }
}

impl Response {
    pub fn new(model: ModelRef, purpose: Purpose, usage: Usage) -> Self {
        Response { model, purpose, usage, extra: Extra::default() }
    }
}

/// The title of a conversation: the first line of its first prompt, at most 8 words and 60 characters.
pub fn title(prompt: &str) -> String {
    let line = prompt.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or_default();
    let words: Vec<&str> = line.split_whitespace().take(8).collect();
    let text: String = words.join(" ").chars().filter(|c| !c.is_control()).take(60).collect();
    text.trim_end().to_owned()
}

/// Token counts under their public names, as in the log and in events.
pub fn usage_value(u: Usage) -> Value {
    json!({
        "input_tokens": u.input,
        "output_tokens": u.output,
        "cache_read_tokens": u.cache_read,
        "cache_write_5m_tokens": u.cache_write_5m,
        "cache_write_1h_tokens": u.cache_write_1h,
    })
}

fn put(out: &mut Map<String, Value>, key: &str, value: impl Into<Value>) {
    out.insert(key.to_owned(), value.into());
}

/// Unknown keys come after the known ones and never replace them.
fn extra(out: &mut Map<String, Value>, extra: &Extra) {
    for (key, value) in extra.0.iter().flat_map(|m| m.iter()) {
        if !out.contains_key(key) {
            out.insert(key.clone(), value.clone());
        }
    }
}

fn session(out: &mut Map<String, Value>, r: &SessionRecord) {
    put(out, "type", "session");
    put(out, "format_version", r.format_version);
    put(out, "id", &*r.id);
    put(out, "cwd", &*r.cwd);
    put(out, "created", r.created);
    if let Some(model) = &r.model {
        put(out, "model", model.to_string());
    }
    extra(out, &r.extra);
}

fn message_record(out: &mut Map<String, Value>, r: &MessageRecord) {
    put(out, "type", "message");
    put(out, "id", &*r.id);
    put(out, "parent", r.parent.as_deref());
    put(out, "timestamp", r.timestamp);
    let mut body = message(&r.message, r.response.as_ref());
    extra(&mut body, &r.message_extra);
    put(out, "message", body);
    if let Some(r) = &r.response {
        put(out, "response", response(r));
    }
    extra(out, &r.extra);
}

fn response(r: &Response) -> Value {
    let mut out = Map::new();
    put(&mut out, "provider", &*r.model.provider);
    put(&mut out, "model", &*r.model.id);
    put(&mut out, "purpose", purpose_name(r.purpose));
    put(&mut out, "usage", usage_value(r.usage));
    extra(&mut out, &r.extra);
    Value::Object(out)
}

fn purpose_name(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Turn => "turn",
        Purpose::Compact => "compact",
    }
}

fn message(message: &Message, response: Option<&Response>) -> Map<String, Value> {
    match message {
        Message::User(user) => user_value(user),
        Message::Assistant(assistant) => assistant_value(assistant, response),
        Message::Tool(result) => tool_value(result),
    }
}

fn user_value(user: &User) -> Map<String, Value> {
    let mut out = Map::new();
    put(&mut out, "role", "user");
    let parts = user.content.iter().map(|part| match part {
        UserPart::Text(text) => json!({"type": "text", "text": &**text}),
        UserPart::Image(image) => image_value(image),
    });
    put(&mut out, "content", parts.collect::<Vec<_>>());
    put(&mut out, "internal", user.internal);
    let kind = match user.kind {
        UserKind::Prompt => return out,
        UserKind::Summary => "summary",
        UserKind::Instructions => "instructions",
        UserKind::Shell => "shell",
    };
    put(&mut out, "kind", kind);
    out
}

fn image_value(image: &Image) -> Value {
    json!({
        "type": "image",
        "mime": &*image.mime,
        "name": &*image.name,
        "width": image.width,
        "height": image.height,
        "data": &*image.data,
    })
}

fn assistant_value(assistant: &Assistant, response: Option<&Response>) -> Map<String, Value> {
    let mut out = Map::new();
    put(&mut out, "role", "assistant");
    put(&mut out, "content", assistant.parts.iter().map(part_value).collect::<Vec<_>>());
    // The response already says who made it, in every ordinary line.
    if assistant.origin.as_ref() != response.map(|r| &r.model) {
        put(&mut out, "origin", assistant.origin.as_ref().map(ToString::to_string));
    }
    out
}

fn part_value(part: &Part) -> Value {
    let mut out = Map::new();
    match part {
        Part::Text(text) => {
            put(&mut out, "type", "text");
            put(&mut out, "text", &**text);
        }
        Part::Reasoning { text, signature, sealed } => {
            put(&mut out, "type", "reasoning");
            put(&mut out, "text", &**text);
            optional(&mut out, "signature", signature.as_deref());
            optional(&mut out, "sealed", sealed.as_deref());
        }
        Part::ToolCall { id, name, arguments, signature } => {
            put(&mut out, "type", "tool_call");
            put(&mut out, "id", &**id);
            put(&mut out, "name", &**name);
            put(&mut out, "arguments", &**arguments);
            optional(&mut out, "signature", signature.as_deref());
        }
    }
    Value::Object(out)
}

fn tool_value(result: &ToolResult) -> Map<String, Value> {
    let mut out = Map::new();
    put(&mut out, "role", "tool");
    put(&mut out, "call", &*result.call);
    put(&mut out, "name", &*result.name);
    put(&mut out, "outcome", result.outcome.name());
    put(&mut out, "content", &*result.content);
    optional(&mut out, "summary", result.summary.as_deref());
    if let Some(display) = &result.display {
        put(&mut out, "display", display_value(display));
    }
    if !result.images.is_empty() {
        put(&mut out, "images", result.images.iter().map(image_value).collect::<Vec<_>>());
    }
    out
}

fn display_value(display: &Display) -> Value {
    let format = match display.format {
        Format::Text => "text",
        Format::Markdown => "markdown",
        Format::Diff => "diff",
    };
    match display.cut {
        true => json!({"text": &*display.text, "format": format, "cut": true}),
        false => json!({"text": &*display.text, "format": format}),
    }
}

fn optional(out: &mut Map<String, Value>, key: &str, value: Option<&str>) {
    if let Some(value) = value {
        put(out, key, value);
    }
}
