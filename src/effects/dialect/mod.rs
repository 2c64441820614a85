//! Dialects: pure codecs between one [`Request`] and the bytes a provider understands, and between its bytes and [`StreamMsg`]s.
//! No IO, no keys, no clock: `provider.rs` moves the bytes.

pub mod anthropic;
pub mod args;
pub mod completions;
pub mod error;
pub mod google;
pub mod names;
pub mod responses;
pub mod schema;
pub mod sse;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use self::names::ToolNames;
use crate::model::provider::history::{Piece, Turn, fnv};
use crate::model::provider::{Cause, Dialect, Fault, ModelRef, Part, Request, Stage, StreamMsg};
use crate::model::tool::Image;

/// What a provider refused earlier in this process and is not sent again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Leave {
    pub stream_options: bool,
    pub reasoning_effort: bool,
    pub cache_key: bool,
    /// Keys of images, see [`image_key`].
    pub images: BTreeSet<u64>,
}

/// A request ready to be sent, but for its key.
#[derive(Debug)]
pub struct Wire {
    /// After the provider's `base_url`.
    pub path: String,
    pub headers: Vec<(&'static str, String)>,
    pub body: Value,
    pub names: Arc<ToolNames>,
    /// What had to be changed for this dialect.
    pub notice: Option<Arc<str>>,
}

/// Turns a request into its provider's form.
pub fn encode(request: &Request, leave: &Leave) -> Result<Wire, Fault> {
    match request.model.dialect {
        Dialect::AnthropicMessages => Ok(anthropic::request::encode(request, leave)),
        Dialect::OpenaiCompletions => Ok(completions::request::encode(request, leave)),
        Dialect::OpenaiResponses => Ok(responses::request::encode(request, leave)),
        Dialect::GoogleGenerativeAi => Ok(google::request::encode(request, leave)),
        Dialect::Script => Err(error::fault(
            Cause::Rejected,
            Stage::Request,
            format!("{} is a script and has no address", request.model.reference),
            "",
        )),
    }
}

/// How a key travels in this dialect.
pub fn key_header(dialect: Dialect, key: &str) -> (&'static str, String) {
    match dialect {
        Dialect::AnthropicMessages => ("x-api-key", key.to_owned()),
        Dialect::GoogleGenerativeAi => ("x-goog-api-key", key.to_owned()),
        Dialect::OpenaiCompletions | Dialect::OpenaiResponses | Dialect::Script => {
            ("authorization", format!("Bearer {key}"))
        }
    }
}

/// Where a provider lists its models, after `base_url`.
pub fn models_path(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::AnthropicMessages => "/v1/models",
        _ => "/models",
    }
}

/// Decodes the answer to one request; the same bytes cut anywhere give the same messages.
#[derive(Debug)]
pub struct Decoder {
    sse: sse::Sse,
    codec: Codec,
    model: ModelRef,
    over: bool,
}

#[derive(Debug)]
enum Codec {
    Anthropic(anthropic::stream::Stream),
    Completions(completions::stream::Stream),
    Responses(responses::stream::Stream),
    Google(google::stream::Stream),
}

impl Decoder {
    pub fn new(dialect: Dialect, model: ModelRef, names: Arc<ToolNames>) -> Self {
        let codec = match dialect {
            Dialect::AnthropicMessages => {
                Codec::Anthropic(anthropic::stream::Stream::new(model.clone(), names))
            }
            Dialect::OpenaiResponses => {
                Codec::Responses(responses::stream::Stream::new(model.clone(), names))
            }
            Dialect::GoogleGenerativeAi => Codec::Google(google::stream::Stream::new(model.clone(), names)),
            Dialect::OpenaiCompletions | Dialect::Script => {
                Codec::Completions(completions::stream::Stream::new(model.clone(), names))
            }
        };
        Decoder { sse: sse::Sse::default(), codec, model, over: false }
    }

    /// Takes bytes of the body; after `Done` or `Failed` there is nothing more.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<StreamMsg> {
        let mut out = Vec::new();
        if self.over {
            return out;
        }
        let (codec, over) = (&mut self.codec, &mut self.over);
        let fed = self.sse.feed(bytes, &mut |event| {
            if !*over {
                *over = codec.event(&event, &mut out);
            }
        });
        if fed.is_err() && !self.over {
            self.over = true;
            out.push(StreamMsg::Failed(error::unreadable(&self.model, "an event of more than 8 MiB", "")));
        }
        out
    }

    /// The body is over; `broken` says why when it did not end in order.
    pub fn end(&mut self, broken: Option<&str>) -> Vec<StreamMsg> {
        let mut out = Vec::new();
        let (codec, over) = (&mut self.codec, &mut self.over);
        self.sse.end(&mut |event| {
            // A last event without its end may be cut short; what can't be read of it is no news.
            if !*over
                && serde_json::from_str::<serde::de::IgnoredAny>(event.data).is_ok()
                    | (event.data == "[DONE]")
            {
                *over = codec.event(&event, &mut out);
            }
        });
        if !self.over {
            self.over = true;
            self.codec.end(broken, &mut out);
        }
        out
    }

    /// Moves with every finished event and every keep-alive.
    pub fn beats(&self) -> u64 {
        self.sse.beats()
    }

    /// `Done` or `Failed` was given.
    pub fn over(&self) -> bool {
        self.over
    }

    /// The reply is whole, though its stream goes on: only little can follow.
    pub fn finishing(&self) -> bool {
        match &self.codec {
            Codec::Completions(stream) => stream.finishing(),
            _ => false,
        }
    }

    /// A server that was asked to stream and answered whole, as one JSON object.
    pub fn whole(&mut self, body: &str) -> Option<Vec<StreamMsg>> {
        match &mut self.codec {
            Codec::Completions(stream) if !self.over => {
                let out = stream.whole(body)?;
                self.over = true;
                Some(out)
            }
            _ => None,
        }
    }
}

impl Codec {
    /// True when the event was the last one.
    fn event(&mut self, event: &sse::Event<'_>, out: &mut Vec<StreamMsg>) -> bool {
        match self {
            Codec::Anthropic(stream) => stream.event(event, out),
            Codec::Completions(stream) => stream.event(event, out),
            Codec::Responses(stream) => stream.event(event, out),
            Codec::Google(stream) => stream.event(event, out),
        }
    }

    fn end(&mut self, broken: Option<&str>, out: &mut Vec<StreamMsg>) {
        match self {
            Codec::Anthropic(stream) => stream.end(broken, out),
            Codec::Completions(stream) => stream.end(broken, out),
            Codec::Responses(stream) => stream.end(broken, out),
            Codec::Google(stream) => stream.end(broken, out),
        }
    }
}

/// Tells images apart without reading megabytes.
pub fn image_key(image: &Image) -> u64 {
    let data = image.data.as_bytes();
    let (head, tail) =
        (data.get(..256).unwrap_or(data), data.get(data.len().saturating_sub(256)..).unwrap_or(data));
    fnv(head) ^ fnv(tail).rotate_left(17) ^ (data.len() as u64).rotate_left(40)
}

/// The note that stands where an image can't be sent; `None` when it can.
fn image_note(request: &Request, leave: &Leave, image: &Image) -> Option<String> {
    if !request.model.image_input {
        return Some(format!("[image {} left out: this model takes no images]", image.name));
    }
    (!leave.images.is_empty() && leave.images.contains(&image_key(image)))
        .then(|| format!("[image {} left out: the provider refused it]", image.name))
}

/// Keys of all images in the turns.
pub fn image_keys(turns: &[Turn<'_>]) -> BTreeSet<u64> {
    let mut keys = BTreeSet::new();
    for turn in turns {
        match turn {
            Turn::User(pieces) => keys.extend(pieces.iter().filter_map(|p| match p {
                Piece::Image(image) => Some(image_key(image)),
                Piece::Text(_) => None,
            })),
            Turn::Reply(reply) => keys.extend(reply.answers.iter().flat_map(|a| a.images).map(image_key)),
        }
    }
    keys
}

/// Names of the offered tools and of every tool in the history.
fn tool_names(request: &Request) -> ToolNames {
    let offered = request.tools.iter().map(|t| &t.name);
    let called = request.messages.iter().filter_map(|m| match &**m {
        crate::model::provider::Message::Assistant(a) => Some(a),
        _ => None,
    });
    let called = called.flat_map(|a| &a.parts).filter_map(|p| match p {
        Part::ToolCall { name, .. } => Some(name),
        Part::Text(_) | Part::Reasoning { .. } => None,
    });
    ToolNames::new(offered, called)
}

/// Output tokens to ask for, so that input and output together fit the window; 0 when the model's limit is unknown.
fn output_limit(request: &Request, turns: &[Turn<'_>]) -> u64 {
    let most = request.model.max_output;
    let room = request.model.context_window.saturating_sub(estimate(request, turns));
    most.min(room.max(4096))
}

/// Input tokens, roughly.
fn estimate(request: &Request, turns: &[Turn<'_>]) -> u64 {
    use crate::model::provider::history::Step;
    let mut bytes = request.system.len();
    let mut images = 0;
    for tool in request.tools.iter() {
        bytes += tool.description.len() + 200;
    }
    for turn in turns {
        match turn {
            Turn::User(pieces) => {
                for piece in pieces {
                    match piece {
                        Piece::Text(text) => bytes += text.len(),
                        Piece::Image(_) => images += 1,
                    }
                }
            }
            Turn::Reply(reply) => {
                for step in &reply.steps {
                    bytes += match step {
                        Step::Text(text) => text.len(),
                        Step::Reasoning { text, .. } => text.len(),
                        Step::Call(call) => call.arguments.len() + 40,
                    };
                }
                for answer in &reply.answers {
                    bytes += answer.content.len();
                    images += answer.images.len();
                }
            }
        }
    }
    (bytes as u64) / 3 + (images as u64) * 1600
}
