//! Reads one line of a session log into its record; the message inside is [`log_message`](super::log_message)'s.

use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::log::{
    Extra, FORMAT_VERSION, MessageRecord, NameRecord, Record, Response, ResponseRecord, SessionRecord,
};
use super::log_message::{RawMessage, Str, describe, keep};
use crate::model::provider::{ModelRef, Purpose, Usage};

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

/// A message that was read already, or stood where nothing had said yet that it is one.
enum Body<'a> {
    Read(Box<RawMessage<'a>>),
    Raw(&'a RawValue),
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
    message: Option<Body<'a>>,
    response: Option<RawResponse<'a>>,
    extra: Option<Box<Map<String, Value>>>,
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
                // Our own lines say what they are first: their message is read on the way.
                "message" => {
                    let known = r.kind.as_ref().is_some_and(|k| &*k.0 == "message");
                    r.message = match known {
                        true => map.next_value::<Option<RawMessage<'de>>>()?.map(|m| Body::Read(Box::new(m))),
                        false => map.next_value::<Option<&RawValue>>()?.map(Body::Raw),
                    };
                }
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
        let response = self.response.map(RawResponse::finish);
        let parsed = match self.message.ok_or("the record has no \"message\"")? {
            Body::Read(message) => *message,
            Body::Raw(raw) => serde_json::from_str(raw.get()).map_err(describe)?,
        };
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

#[derive(Default)]
struct RawResponse<'a> {
    provider: Option<Str<'a>>,
    model: Option<Str<'a>>,
    purpose: Option<Str<'a>>,
    usage: Option<RawUsage>,
    extra: Option<Box<Map<String, Value>>>,
}

impl<'de> Deserialize<'de> for RawResponse<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ResponseVisitor)
    }
}

struct ResponseVisitor;

impl<'de> Visitor<'de> for ResponseVisitor {
    type Value = RawResponse<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a response object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut r = RawResponse::default();
        while let Some(key) = map.next_key::<Str<'de>>()? {
            match &*key.0 {
                "provider" => r.provider = map.next_value()?,
                "model" => r.model = map.next_value()?,
                "purpose" => r.purpose = map.next_value()?,
                "usage" => r.usage = map.next_value()?,
                other => keep(&mut r.extra, other, &mut map)?,
            }
        }
        Ok(r)
    }
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

impl RawResponse<'_> {
    fn finish(self) -> Response {
        let u = self.usage.unwrap_or_default();
        Response {
            model: ModelRef {
                provider: self.provider.map(Into::into).unwrap_or_default(),
                id: self.model.map(Into::into).unwrap_or_default(),
            },
            purpose: if self.purpose.is_some_and(|p| &*p.0 == "compact") {
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
            extra: Extra(self.extra),
        }
    }
}
