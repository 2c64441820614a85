//! A line from an extension's stdout, read as one of the five things it can be; the first match decides
//! (`extensions-notes.md` 4).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::model::text::clean::Clean;
use crate::model::tool::Pipe;

use super::frame::Frame;
use super::salvage::{Salvaged, salvage};
use super::ui::Ask;
use super::{WireId, get};

/// What an extension said.
#[derive(Debug, Clone, PartialEq)]
pub enum Incoming {
    /// A notice, never blank.
    Notify(Clean),
    ToolUpdate(ToolUpdate),
    Request(Box<Request>),
    Response(Response),
    /// The line could not be read.
    Lost {
        why: Lost,
        salvaged: Option<Salvaged>,
    },
    /// Nothing to do.
    Ignored(Why),
}

/// Progress of a tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolUpdate {
    /// `e`'s id of the `tool_call` request.
    pub call: u64,
    pub pipe: Pipe,
    /// Not empty and not sanitised: the stream's sanitiser keeps its state between chunks.
    pub chunk: Arc<str>,
}

/// Something the extension asks of `e`, which must be answered exactly once.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    pub id: WireId,
    pub method: Arc<str>,
    /// As sent, for a front that hands questions on to a client.
    pub params: Arc<Value>,
    /// The session meant, where one process has several.
    pub session: Option<Arc<str>>,
    pub ask: Ask,
}

impl Request {
    /// Whether it is for the screen, known or not: where nobody can answer, all of these fail alike.
    pub fn is_ui(&self) -> bool {
        self.method.starts_with("ui.")
    }
}

/// The answer to a request of `e`'s.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    pub id: u64,
    pub result: Result<Value, Arc<str>>,
}

/// Why a line could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lost {
    Overlong,
    NotUtf8,
}

impl Lost {
    /// What the notice, and the error to whoever waits, says.
    pub fn words(self) -> &'static str {
        match self {
            Lost::Overlong => "a line longer than 4 MiB was dropped",
            Lost::NotUtf8 => "a line that is not UTF-8 was dropped",
        }
    }
}

/// Why a line means nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    NotJson,
    NotObject,
    /// An object that is no message of the protocol.
    NoShape,
    BlankNotice,
    /// A `tool.update` without a call's id, a stream's name or a chunk.
    BadUpdate,
}

impl Why {
    /// Whether it counts as stray output, which diagnostics show.
    pub fn stray(self) -> bool {
        matches!(self, Why::NotJson | Why::NotObject | Why::NoShape)
    }
}

/// Reads what the framer cut out of the stream.
pub fn read_frame(frame: &Frame) -> Incoming {
    match frame {
        Frame::Overlong(head) => Incoming::Lost { why: Lost::Overlong, salvaged: salvage(head) },
        Frame::Line(line) => match std::str::from_utf8(line) {
            Ok(line) => read(line),
            Err(_) => Incoming::Lost { why: Lost::NotUtf8, salvaged: salvage(line) },
        },
    }
}

/// The members of a line's object as they are written; of equal keys the last counts.
type Members<'l> = BTreeMap<Cow<'l, str>, &'l RawValue>;

/// Reads one line, without its newline.
pub fn read(line: &str) -> Incoming {
    let members: Members<'_> = match serde_json::from_str(line) {
        Ok(members) => members,
        Err(_) => {
            let json = serde_json::from_str::<&RawValue>(line).is_ok_and(|v| !v.get().starts_with('{'));
            return Incoming::Ignored(if json { Why::NotObject } else { Why::NotJson });
        }
    };
    let method = members.get("method").and_then(|m| get::parse(m.get()).ok()).and_then(|m| match m {
        Value::String(method) => Some(method),
        _ => None,
    });
    let id = members.get("id").map(|id| id.get());
    let params = || members.get("params").map_or(Ok(Value::Null), |p| get::parse(p.get()));
    match (method.as_deref(), id) {
        (Some("notify"), _) => notify(&params().unwrap_or_default()),
        (Some("tool.update"), _) => update(&params().unwrap_or_default()),
        (Some(method), Some(id)) => Incoming::Request(Box::new(request(id, method, params()))),
        (None, Some(id)) => match id.parse::<u64>() {
            Ok(id) => Incoming::Response(response(id, &members)),
            Err(_) => Incoming::Ignored(Why::NoShape),
        },
        _ => Incoming::Ignored(Why::NoShape),
    }
}

fn notify(params: &Value) -> Incoming {
    let text = get::text(params, "message").map(Clean::vanish).unwrap_or_default();
    if text.as_str().trim().is_empty() {
        return Incoming::Ignored(Why::BlankNotice);
    }
    Incoming::Notify(get::notice(text))
}

fn update(params: &Value) -> Incoming {
    let pipe = match get::text(params, "stream") {
        Some("stdout") => Some(Pipe::Stdout),
        Some("stderr") => Some(Pipe::Stderr),
        _ => None,
    };
    let call = params.get("id").and_then(Value::as_u64);
    let chunk = get::text(params, "chunk").filter(|chunk| !chunk.is_empty());
    match (call, pipe, chunk) {
        (Some(call), Some(pipe), Some(chunk)) => {
            Incoming::ToolUpdate(ToolUpdate { call, pipe, chunk: chunk.into() })
        }
        _ => Incoming::Ignored(Why::BadUpdate),
    }
}

fn request(id: &str, method: &str, params: Result<Value, Arc<str>>) -> Request {
    let (params, ask) = match params {
        Ok(params) => {
            let ask = Ask::read(method, &params);
            (params, ask)
        }
        Err(why) => (Value::Null, Ask::Refused(format!("{method}: params cannot be read: {why}").into())),
    };
    Request {
        id: WireId(id.into()),
        method: method.into(),
        session: get::text(&params, "session").map(Arc::from),
        params: Arc::new(params),
        ask,
    }
}

fn response(id: u64, members: &Members<'_>) -> Response {
    let value = |key: &str| members.get(key).map(|raw| get::parse(raw.get()));
    let result = match (value("error"), value("result")) {
        (Some(Ok(Value::String(error))), _) => Err(error.into()),
        (Some(Ok(error)), _) if !error.is_null() => Err(error.to_string().into()),
        (Some(Err(_)), _) => Err(members.get("error").map_or("", |raw| raw.get()).into()),
        (_, Some(Err(why))) => Err(format!("the result cannot be read: {why}").into()),
        (_, result) => Ok(result.and_then(Result::ok).unwrap_or_default()),
    };
    Response { id, result }
}
