//! Reads one line of a session log into its record. Strings go from the line's bytes straight to where they are kept, because
//! a log of 10,000 messages is opened as quickly as a new one.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::log::{
    Extra, FORMAT_VERSION, MessageRecord, NameRecord, Record, Response, ResponseRecord, SessionRecord,
};
use crate::model::provider::{
    Assistant, Message, ModelRef, Part, Purpose, ToolResult, Usage, User, UserKind, UserPart,
};
use crate::model::tool::{Display, Format, Image, Outcome};

/// Text that borrows from the line where it has no escapes.
#[derive(Deserialize)]
struct Str<'a>(#[serde(borrow)] Cow<'a, str>);

impl From<Str<'_>> for Arc<str> {
    fn from(s: Str<'_>) -> Self {
        match s.0 {
            Cow::Borrowed(b) => Arc::from(b),
            Cow::Owned(o) => Arc::from(o),
        }
    }
}

pub(super) fn record(line: &str) -> Result<Record, String> {
    let raw: RawRecord<'_> = serde_json::from_str(line).map_err(describe)?;
    match raw.kind.as_ref().map(|k| &*k.0) {
        Some("session") => raw.session(),
        Some("message") => raw.message(),
        Some("response") => raw.response(),
        Some("name") => {
            Ok(Record::Name(NameRecord { name: raw.name.map(Into::into), extra: Extra(raw.extra) }))
        }
        Some(_) => serde_json::from_str(line).map(Record::Other).map_err(describe),
        None => Err("it has no \"type\"".into()),
    }
}

fn describe(error: serde_json::Error) -> String {
    let what = error.to_string();
    let what = what.rsplit_once(" at line ").map_or(what.as_str(), |(head, _)| head);
    match error.classify() {
        serde_json::error::Category::Data => format!("column {}: {what}", error.column()),
        _ => format!("not JSON at column {}: {what}", error.column()),
    }
}

/// The known keys of every kind of record; which of them must be there is asked later.
#[derive(Default)]
struct RawRecord<'a> {
    kind: Option<Str<'a>>,
    id: Option<Str<'a>>,
    parent: Option<Str<'a>>,
    timestamp: Option<u64>,
    created: Option<u64>,
    format_version: Option<u64>,
    cwd: Option<Str<'a>>,
    model: Option<Str<'a>>,
    name: Option<Str<'a>>,
    message: Option<&'a RawValue>,
    response: Option<RawResponse>,
    extra: Option<Box<Map<String, Value>>>,
}

/// Keeps an unknown key.
fn keep<'de, A: MapAccess<'de>>(
    extra: &mut Option<Box<Map<String, Value>>>,
    key: &str,
    map: &mut A,
) -> Result<(), A::Error> {
    extra.get_or_insert_default().insert(key.to_owned(), map.next_value()?);
    Ok(())
}

impl<'de> Deserialize<'de> for RawRecord<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(RecordVisitor)
    }
}

struct RecordVisitor;

impl<'de> Visitor<'de> for RecordVisitor {
    type Value = RawRecord<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut r = RawRecord::default();
        while let Some(key) = map.next_key::<Str<'de>>()? {
            match &*key.0 {
                "type" => r.kind = map.next_value()?,
                "id" => r.id = map.next_value()?,
                "parent" => r.parent = map.next_value()?,
                "timestamp" => r.timestamp = map.next_value()?,
                "created" => r.created = map.next_value()?,
                "format_version" => r.format_version = map.next_value()?,
                "cwd" => r.cwd = map.next_value()?,
                "model" => r.model = map.next_value()?,
                "name" => r.name = map.next_value()?,
                "message" => r.message = map.next_value()?,
                "response" => r.response = map.next_value()?,
                other => keep(&mut r.extra, other, &mut map)?,
            }
        }
        Ok(r)
    }
}

impl RawRecord<'_> {
    fn session(self) -> Result<Record, String> {
        Ok(Record::Session(SessionRecord {
            format_version: self.format_version.unwrap_or(FORMAT_VERSION),
            id: self.id.map(Into::into).unwrap_or_default(),
            cwd: self.cwd.map(Into::into).unwrap_or_default(),
            created: self.created.or(self.timestamp).unwrap_or(0),
            model: self.model.and_then(|m| ModelRef::parse(&m.0)),
            extra: Extra(self.extra),
        }))
    }

    fn message(self) -> Result<Record, String> {
        let id = self.id.ok_or("the message has no \"id\"")?.into();
        let raw = self.message.ok_or("the record has no \"message\"")?;
        let response = self.response.map(RawResponse::finish);
        let parsed: RawMessage<'_> = serde_json::from_str(raw.get()).map_err(describe)?;
        let (message, message_extra) = parsed.finish(response.as_ref())?;
        Ok(Record::Message(MessageRecord {
            id,
            parent: self.parent.map(Into::into),
            timestamp: self.timestamp.unwrap_or(0),
            message: Arc::new(message),
            response,
            extra: Extra(self.extra),
            message_extra,
        }))
    }

    fn response(self) -> Result<Record, String> {
        let response = self.response.ok_or("the record has no \"response\"")?.finish();
        Ok(Record::Response(ResponseRecord {
            timestamp: self.timestamp.unwrap_or(0),
            response,
            extra: Extra(self.extra),
        }))
    }
}

#[derive(Deserialize)]
struct RawResponse {
    #[serde(default)]
    provider: String,
    #[serde(default)]
    model: String,
    #[serde(default)]
    purpose: Option<String>,
    #[serde(default)]
    usage: Option<RawUsage>,
    #[serde(flatten)]
    extra: Map<String, Value>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawUsage {
    input_tokens: u64,
    output_tokens: u64,
    cache_read_tokens: u64,
    cache_write_5m_tokens: u64,
    cache_write_1h_tokens: u64,
}

impl RawResponse {
    fn finish(self) -> Response {
        let u = self.usage.unwrap_or_default();
        Response {
            model: ModelRef { provider: self.provider.into(), id: self.model.into() },
            purpose: if self.purpose.as_deref() == Some("compact") {
                Purpose::Compact
            } else {
                Purpose::Turn
            },
            usage: Usage {
                input: u.input_tokens,
                output: u.output_tokens,
                cache_read: u.cache_read_tokens,
                cache_write_5m: u.cache_write_5m_tokens,
                cache_write_1h: u.cache_write_1h_tokens,
            },
            extra: Extra((!self.extra.is_empty()).then(|| Box::new(self.extra))),
        }
    }
}

/// The known keys of a message in every role.
#[derive(Default)]
struct RawMessage<'a> {
    role: Option<Str<'a>>,
    content: Option<Content<'a>>,
    internal: Option<bool>,
    kind: Option<Str<'a>>,
    /// Outer `None`: not said.
    origin: Option<Option<Str<'a>>>,
    call: Option<Str<'a>>,
    name: Option<Str<'a>>,
    outcome: Option<Str<'a>>,
    summary: Option<Str<'a>>,
    display: Option<RawDisplay<'a>>,
    images: Option<Vec<RawPart<'a>>>,
    extra: Option<Box<Map<String, Value>>>,
}

#[derive(Deserialize)]
struct RawDisplay<'a> {
    #[serde(borrow)]
    text: Str<'a>,
    #[serde(borrow, default)]
    format: Option<Str<'a>>,
}

/// Content is a list of parts, or (a tool's result, and older logs) one text.
enum Content<'a> {
    Text(Arc<str>),
    Parts(Vec<RawPart<'a>>),
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor).map(|c: Content<'de>| c)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or a list of parts")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Content::Text(Arc::from(text)))
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut parts = Vec::new();
        while let Some(part) = seq.next_element()? {
            parts.push(part);
        }
        Ok(Content::Parts(parts))
    }
}

#[derive(Deserialize)]
struct RawPart<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Option<Str<'a>>,
    #[serde(borrow, default)]
    text: Option<Str<'a>>,
    #[serde(borrow, default)]
    signature: Option<Str<'a>>,
    #[serde(borrow, default)]
    sealed: Option<Str<'a>>,
    #[serde(borrow, default)]
    id: Option<Str<'a>>,
    #[serde(borrow, default)]
    name: Option<Str<'a>>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    mime: Option<Str<'a>>,
    #[serde(borrow, default)]
    data: Option<Str<'a>>,
    #[serde(default)]
    width: u32,
    #[serde(default)]
    height: u32,
}

impl<'de> Deserialize<'de> for RawMessage<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MessageVisitor)
    }
}

struct MessageVisitor;

impl<'de> Visitor<'de> for MessageVisitor {
    type Value = RawMessage<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut m = RawMessage::default();
        while let Some(key) = map.next_key::<Str<'de>>()? {
            match &*key.0 {
                "role" => m.role = map.next_value()?,
                "content" => m.content = map.next_value()?,
                "internal" => m.internal = map.next_value()?,
                "kind" => m.kind = map.next_value()?,
                "origin" => m.origin = Some(map.next_value()?),
                "call" => m.call = map.next_value()?,
                "name" => m.name = map.next_value()?,
                "outcome" => m.outcome = map.next_value()?,
                "summary" => m.summary = map.next_value()?,
                "display" => m.display = map.next_value()?,
                "images" => m.images = map.next_value()?,
                other => keep(&mut m.extra, other, &mut map)?,
            }
        }
        Ok(m)
    }
}

impl<'a> RawMessage<'a> {
    fn finish(mut self, response: Option<&Response>) -> Result<(Message, Extra), String> {
        let extra = Extra(self.extra.take());
        let message = match self.role.as_ref().map(|r| &*r.0) {
            Some("user") => Message::User(self.user()),
            Some("assistant") => Message::Assistant(self.assistant(response)),
            Some("tool") => Message::Tool(self.tool()?),
            Some(role) => return Err(format!("the message's role {role:?} is not known")),
            None => return Err("the message has no \"role\"".into()),
        };
        Ok((message, extra))
    }

    fn parts(content: Option<Content<'a>>) -> Vec<RawPart<'a>> {
        match content {
            Some(Content::Parts(parts)) => parts,
            Some(Content::Text(_)) | None => Vec::new(),
        }
    }

    fn user(self) -> User {
        let content = match self.content {
            Some(Content::Text(text)) => vec![UserPart::Text(text)],
            other => Self::parts(other).into_iter().filter_map(RawPart::user).collect(),
        };
        let kind = match self.kind.as_ref().map(|k| &*k.0) {
            Some("summary") => UserKind::Summary,
            Some("instructions") => UserKind::Instructions,
            Some("shell") => UserKind::Shell,
            _ => UserKind::Prompt,
        };
        User { content, internal: self.internal.unwrap_or(false), kind }
    }

    fn assistant(self, response: Option<&Response>) -> Assistant {
        let origin = match self.origin {
            Some(said) => said.and_then(|o| ModelRef::parse(&o.0)),
            None => response.map(|r| r.model.clone()),
        };
        let parts = match self.content {
            Some(Content::Text(text)) => vec![Part::Text(text)],
            other => Self::parts(other).into_iter().filter_map(RawPart::assistant).collect(),
        };
        Assistant { parts, origin }
    }

    fn tool(self) -> Result<ToolResult, String> {
        let content = match self.content {
            Some(Content::Text(text)) => text,
            other => {
                let texts = Self::parts(other).into_iter().filter_map(|p| p.text);
                texts.map(|t| t.0.into_owned()).collect::<Vec<_>>().join("\n").into()
            }
        };
        Ok(ToolResult {
            call: self.call.ok_or("the tool message has no \"call\"")?.into(),
            name: self.name.map(Into::into).unwrap_or_default(),
            outcome: self.outcome.and_then(|o| Outcome::parse(&o.0)).unwrap_or(Outcome::Completed),
            content,
            summary: self.summary.map(Into::into),
            display: self.display.map(RawDisplay::finish),
            images: self.images.into_iter().flatten().filter_map(RawPart::image).collect(),
        })
    }
}

impl RawDisplay<'_> {
    fn finish(self) -> Display {
        let format = match self.format.as_ref().map(|f| &*f.0) {
            Some("markdown") => Format::Markdown,
            Some("diff") => Format::Diff,
            _ => Format::Text,
        };
        Display { text: self.text.into(), format }
    }
}

impl RawPart<'_> {
    fn kind(&self) -> &str {
        self.kind.as_ref().map_or("", |k| &k.0)
    }

    fn user(self) -> Option<UserPart> {
        match self.kind() {
            "text" => Some(UserPart::Text(self.text?.into())),
            "image" => self.image().map(UserPart::Image),
            _ => None,
        }
    }

    fn image(self) -> Option<Image> {
        Some(Image {
            mime: self.mime?.into(),
            data: self.data?.into(),
            width: self.width,
            height: self.height,
            name: self.name.map(Into::into).unwrap_or_default(),
        })
    }

    fn assistant(self) -> Option<Part> {
        match self.kind() {
            "text" => Some(Part::Text(self.text?.into())),
            "reasoning" => Some(Part::Reasoning {
                text: self.text.map(Into::into).unwrap_or_default(),
                signature: self.signature.map(Into::into),
                sealed: self.sealed.map(Into::into),
            }),
            "tool_call" => Some(Part::ToolCall {
                id: self.id?.into(),
                name: self.name?.into(),
                arguments: arguments(self.arguments),
                signature: self.signature.map(Into::into),
            }),
            _ => None,
        }
    }
}

/// Arguments are a JSON string of what the model wrote; an object (older logs) is taken as it stands.
fn arguments(raw: Option<&RawValue>) -> Arc<str> {
    let Some(raw) = raw else { return Arc::from("{}") };
    match serde_json::from_str::<Str<'_>>(raw.get()) {
        Ok(text) => text.into(),
        Err(_) => Arc::from(raw.get()),
    }
}
