//! Reads the message of a session log's record. Strings go from the line's bytes straight to where they are kept: a log of
//! 10,000 messages is most of the work of resuming it.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::log::{Extra, Response};
use crate::model::provider::{Assistant, Message, ModelRef, Part, ToolResult, User, UserKind, UserPart};
use crate::model::tool::{Display, Format, Image, Outcome};

/// Text that borrows from the line where it has no escapes.
#[derive(Deserialize)]
pub(super) struct Str<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

impl From<Str<'_>> for Arc<str> {
    fn from(s: Str<'_>) -> Self {
        match s.0 {
            Cow::Borrowed(b) => Arc::from(b),
            Cow::Owned(o) => Arc::from(o),
        }
    }
}

impl From<Text> for Arc<str> {
    fn from(text: Text) -> Self {
        text.0
    }
}

/// Text that is kept: one copy, whether it has escapes or not.
struct Text(Arc<str>);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextVisitor)
    }
}

struct TextVisitor;

impl Visitor<'_> for TextVisitor {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Text, E> {
        Ok(Text(Arc::from(text)))
    }
}

pub(super) fn describe(error: serde_json::Error) -> String {
    let what = error.to_string();
    let what = what.rsplit_once(" at line ").map_or(what.as_str(), |(head, _)| head);
    match error.classify() {
        serde_json::error::Category::Data => format!("column {}: {what}", error.column()),
        _ => format!("not JSON at column {}: {what}", error.column()),
    }
}

/// Keeps an unknown key.
pub(super) fn keep<'de, A: MapAccess<'de>>(
    extra: &mut Option<Box<Map<String, Value>>>,
    key: &str,
    map: &mut A,
) -> Result<(), A::Error> {
    extra.get_or_insert_default().insert(key.to_owned(), map.next_value()?);
    Ok(())
}

/// The known keys of a message in every role.
#[derive(Default)]
pub(super) struct RawMessage<'a> {
    role: Option<Str<'a>>,
    content: Option<Content<'a>>,
    internal: Option<bool>,
    kind: Option<Str<'a>>,
    /// Outer `None`: not said.
    origin: Option<Option<Str<'a>>>,
    call: Option<Str<'a>>,
    name: Option<Str<'a>>,
    outcome: Option<Str<'a>>,
    summary: Option<Text>,
    display: Option<RawDisplay<'a>>,
    images: Option<Vec<RawPart<'a>>>,
    extra: Option<Box<Map<String, Value>>>,
}

#[derive(Deserialize)]
struct RawDisplay<'a> {
    text: Text,
    #[serde(borrow, default)]
    format: Option<Str<'a>>,
    #[serde(default)]
    cut: Option<bool>,
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
    #[serde(default)]
    text: Option<Text>,
    #[serde(default)]
    signature: Option<Text>,
    #[serde(default)]
    sealed: Option<Text>,
    #[serde(borrow, default)]
    id: Option<Str<'a>>,
    #[serde(borrow, default)]
    name: Option<Str<'a>>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    mime: Option<Str<'a>>,
    #[serde(default)]
    data: Option<Text>,
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
    pub(super) fn finish(mut self, response: Option<&Response>) -> Result<(Message, Extra), String> {
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
                texts.map(|t| t.0).collect::<Vec<_>>().join("\n").into()
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
        Display { text: self.text.into(), format, cut: self.cut.unwrap_or(false) }
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
    match serde_json::from_str::<Text>(raw.get()) {
        Ok(text) => text.0,
        Err(_) => Arc::from(raw.get()),
    }
}
