//! Getters over what a stranger wrote. Request params are lenient: a wrong type is as if nothing were there. Answers and
//! manifests are strict: a wrong type is an error that names the field. `null` is as good as absent in both.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::model::text::clean::Clean;
use crate::model::text::clip;
use crate::model::text::diff;
use crate::model::tool::Format;

use super::{SHOW_BYTES, TITLE_CHARS};

/// JSON text as a value. A half surrogate pair, as programs leave behind that cut a string in the middle of a character,
/// is read as U+FFFD.
pub fn parse(text: &str) -> Result<Value, Arc<str>> {
    serde_json::from_str(text)
        .or_else(|error| match mended(text) {
            Some(mended) => serde_json::from_str(&mended),
            None => Err(error),
        })
        .map_err(|error| error.to_string().into())
}

/// The text with every lone surrogate escape replaced; `None` when there is none.
fn mended(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out = String::new();
    let (mut at, mut from) = (0, 0);
    while let Some(byte) = bytes.get(at) {
        if *byte != b'\\' {
            at += 1;
            continue;
        }
        match unit(text, at) {
            Some(0xD800..=0xDBFF) if matches!(unit(text, at + 6), Some(0xDC00..=0xDFFF)) => at += 12,
            Some(0xD800..=0xDFFF) => {
                out.push_str(text.get(from..at)?);
                out.push_str("\\ufffd");
                at += 6;
                from = at;
            }
            _ => at += 2,
        }
    }
    out.push_str(text.get(from..)?);
    (from > 0).then_some(out)
}

/// The code unit of a `\uXXXX` escape that starts at `at`.
fn unit(text: &str, at: usize) -> Option<u16> {
    let hex = text.get(at..at + 6)?.strip_prefix("\\u")?;
    u16::from_str_radix(hex, 16).ok()
}

/// A string, or nothing.
pub fn text<'v>(params: &'v Value, key: &str) -> Option<&'v str> {
    params.get(key)?.as_str()
}

/// A boolean, or nothing.
pub fn flag(params: &Value, key: &str) -> Option<bool> {
    params.get(key)?.as_bool()
}

/// A title or a label: one line of at most 60 characters.
pub fn title(raw: &str) -> Clean {
    Clean::collapsed(raw).chars(TITLE_CHARS)
}

/// A field that is a [`title`]; empty when absent.
pub fn titled(params: &Value, key: &str) -> Clean {
    text(params, key).map(title).unwrap_or_default()
}

/// A key or an id: one line; nothing when blank.
pub fn key(params: &Value, key: &str) -> Option<Arc<str>> {
    let clean = Clean::one_line(text(params, key)?);
    (!clean.as_str().trim().is_empty()).then(|| Arc::from(clean.as_str()))
}

/// The word for a format; an unknown one is text.
pub fn format(word: Option<&str>) -> Format {
    match word {
        Some("markdown") => Format::Markdown,
        Some("diff") => Format::Diff,
        _ => Format::Text,
    }
}

/// Raw text as it is painted in that format: people review diffs, so what is hidden in one shows.
pub fn painted(raw: &str, format: Format) -> Clean {
    match format {
        Format::Diff => diff::clean(raw),
        Format::Text | Format::Markdown => Clean::vanish(raw),
    }
}

/// The start of a text in whole lines, or a single long line cut at a cluster; whether anything was lost.
pub fn clipped(text: Clean, limit: usize) -> (Clean, bool) {
    if text.len() <= limit {
        return (text, false);
    }
    let whole = text.lines_within(limit);
    if !whole.is_empty() {
        return (whole, true);
    }
    (Clean::vanish(clip::bytes(text.as_str(), limit)), true)
}

/// A notice of bounded size: one that is longer says so.
pub fn notice(text: Clean) -> Clean {
    let (mut text, cut) = clipped(text, SHOW_BYTES);
    if cut {
        text.push(&Clean::from("\n… the rest of this notice was left out"));
    }
    text
}

/// What a JSON value is, for a complaint.
pub fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// An object read strictly; `what` is what a complaint calls it.
#[derive(Debug, Clone, Copy)]
pub struct Strict<'v> {
    what: &'v str,
    fields: &'v Map<String, Value>,
}

impl<'v> Strict<'v> {
    pub fn new(what: &'v str, value: &'v Value) -> Result<Self, String> {
        match value {
            Value::Object(fields) => Ok(Strict { what, fields }),
            other => Err(format!("{what} must be an object, not {}", kind(other))),
        }
    }

    /// The field as it is; nothing when it is null.
    pub fn any(&self, key: &str) -> Option<&'v Value> {
        self.fields.get(key).filter(|value| !value.is_null())
    }

    fn take<T>(
        &self,
        key: &str,
        wanted: &str,
        get: impl FnOnce(&'v Value) -> Option<T>,
    ) -> Result<Option<T>, String> {
        match self.any(key) {
            None => Ok(None),
            Some(value) => match get(value) {
                Some(found) => Ok(Some(found)),
                None => Err(format!("`{key}` of {} must be {wanted}, not {}", self.what, kind(value))),
            },
        }
    }

    pub fn text(&self, key: &str) -> Result<Option<&'v str>, String> {
        self.take(key, "a string", Value::as_str)
    }

    pub fn flag(&self, key: &str) -> Result<Option<bool>, String> {
        self.take(key, "true or false", Value::as_bool)
    }

    pub fn list(&self, key: &str) -> Result<&'v [Value], String> {
        Ok(self.take(key, "a list", Value::as_array)?.map_or(&[], Vec::as_slice))
    }

    pub fn object(&self, key: &str) -> Result<Option<&'v Map<String, Value>>, String> {
        self.take(key, "an object", Value::as_object)
    }

    /// A list of strings; nothing when it is not there.
    pub fn texts(&self, key: &str) -> Result<Option<Vec<&'v str>>, String> {
        let Some(list) = self.take(key, "a list", Value::as_array)? else { return Ok(None) };
        let one = |value: &'v Value| {
            value
                .as_str()
                .ok_or_else(|| format!("`{key}` of {} must hold strings, not {}", self.what, kind(value)))
        };
        list.iter().map(one).collect::<Result<Vec<_>, _>>().map(Some)
    }

    /// A string that must be there.
    pub fn needed(&self, key: &str) -> Result<&'v str, String> {
        self.text(key)?.ok_or_else(|| format!("{} has no `{key}`", self.what))
    }
}
