//! Reading a call's arguments leniently, with refusals a model can act on: the field, what was expected, the schema.

use serde_json::{Map, Value};

use super::ToolSpec;

/// Stands between what is wrong and the tool's schema, which is for the model alone.
pub const SCHEMA: &str = "\nParameters: ";

/// Why a call's arguments can't be used; its text is the result the model reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal(pub String);

/// What a call wrote as its arguments: a JSON object. Nothing at all counts as no arguments; broken JSON is refused
/// with its place and the tool's schema (case G54).
pub fn parse(spec: &ToolSpec, text: &str) -> Result<Value, Refusal> {
    object(text).map_err(|why| {
        Refusal(format!(
            "The arguments of {} {why}\nThe tool was not run.{SCHEMA}{}",
            spec.name, spec.parameters
        ))
    })
}

/// Parses an argument text without a schema to quote; the error reads on after "the arguments".
pub fn object(text: &str) -> Result<Value, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Null) => Ok(Value::Object(Map::new())),
        Ok(object @ Value::Object(_)) => Ok(object),
        // Some gateways encode the object a second time.
        Ok(Value::String(inner)) => match serde_json::from_str::<Value>(&inner) {
            Ok(object @ Value::Object(_)) => Ok(object),
            _ if inner.trim().is_empty() => Ok(Value::Object(Map::new())),
            _ => Err("are a JSON string, but must be a JSON object.".into()),
        },
        Ok(other) => Err(format!("are {}, but must be a JSON object.", kind(&other))),
        Err(error) => Err(format!("are not valid JSON: {}", place(text, &error))),
    }
}

/// Names the place of a syntax error and quotes the text around it.
fn place(text: &str, error: &serde_json::Error) -> String {
    let line = text.split('\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
    let at = floor(line, error.column().saturating_sub(1).min(line.len()));
    let from = floor(line, at.saturating_sub(40));
    let to = floor(line, (at + 20).min(line.len()));
    let lead = if from > 0 { "…" } else { "" };
    let (before, after) = (line.get(from..at).unwrap_or_default(), line.get(at..to).unwrap_or_default());
    let tail = if to < line.len() { "…" } else { "" };
    format!("{error}, here: {lead}{before}⟨here⟩{after}{tail}")
}

/// The nearest character boundary at or below `at`.
fn floor(text: &str, mut at: usize) -> usize {
    while at > 0 && !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn kind(value: &Value) -> String {
    let word = match value {
        Value::Null => "null",
        Value::Bool(true) => "true",
        Value::Bool(false) => "false",
        Value::Number(_) => "the number",
        Value::String(_) => "the text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    match value {
        Value::Number(_) | Value::String(_) => {
            let mut shown: String = value.to_string().chars().take(40).collect();
            if shown.len() < value.to_string().len() {
                shown.push('…');
            }
            format!("{word} {shown}")
        }
        _ => word.to_owned(),
    }
}

/// Typed access to the arguments of one call.
#[derive(Debug, Clone, Copy)]
pub struct Args<'a> {
    spec: &'a ToolSpec,
    value: &'a Value,
}

impl<'a> Args<'a> {
    pub fn new(spec: &'a ToolSpec, value: &'a Value) -> Self {
        Args { spec, value }
    }

    fn find(&self, field: &str) -> Option<&'a Value> {
        self.value.get(field).filter(|value| !value.is_null())
    }

    /// A refusal about one field: `read: "offset" must be …, got …`, and the schema.
    pub fn refuse(&self, field: &str, expected: &str) -> Refusal {
        let got = match self.find(field) {
            Some(value) => format!("must be {expected}, got {}", kind(value)),
            None => format!("is missing; expected {expected}"),
        };
        Refusal(format!("{}: `{field}` {got}.{SCHEMA}{}", self.spec.name, self.spec.parameters))
    }

    pub fn text(&self, field: &str) -> Result<&'a str, Refusal> {
        self.find(field).and_then(Value::as_str).ok_or_else(|| self.refuse(field, "a text"))
    }

    pub fn opt_text(&self, field: &str) -> Result<Option<&'a str>, Refusal> {
        if self.find(field).is_none() { Ok(None) } else { self.text(field).map(Some) }
    }

    /// A text that says something.
    pub fn filled(&self, field: &str) -> Result<&'a str, Refusal> {
        let text = self.text(field)?;
        if text.trim().is_empty() { Err(self.refuse(field, "a text that is not empty")) } else { Ok(text) }
    }

    /// A whole number in a range: a JSON integer, an integral float or a string of digits.
    pub fn opt_int(&self, field: &str, least: u64, most: u64) -> Result<Option<u64>, Refusal> {
        let Some(value) = self.find(field) else { return Ok(None) };
        let expected = match (least, most) {
            (least, u64::MAX) => format!("a whole number, {least} or more"),
            (least, most) => format!("a whole number from {least} to {most}"),
        };
        whole(value)
            .filter(|n| (least..=most).contains(n))
            .map(Some)
            .ok_or_else(|| self.refuse(field, &expected))
    }

    /// `true`, `false`, or one of the two as a text; missing is false.
    pub fn flag(&self, field: &str) -> Result<bool, Refusal> {
        match self.find(field) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(Value::String(word)) if word.trim().eq_ignore_ascii_case("true") => Ok(true),
            Some(Value::String(word)) if word.trim().eq_ignore_ascii_case("false") => Ok(false),
            Some(_) => Err(self.refuse(field, "true or false")),
        }
    }
}

/// The largest float below which every whole number has a float of its own.
const EXACT: f64 = 9_007_199_254_740_992.0;

fn whole(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64().or_else(|| {
            let float = number.as_f64()?;
            let fits = float.fract() == 0.0 && (0.0..=EXACT).contains(&float);
            // In range and integral, so the conversion is exact.
            fits.then_some(float as u64)
        }),
        Value::String(text) => {
            let text = text.trim();
            let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            if digits { text.parse().ok() } else { None }
        }
        _ => None,
    }
}
