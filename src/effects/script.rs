//! The embedded scripted provider: `demo/tour` and `script/<path>` play a list of replies, one per request, through the same
//! pieces as any provider (`formats.md`). No network, nothing random.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use grep_matcher::Matcher;
use grep_regex::RegexMatcherBuilder;

use super::dialect::error;
use crate::model::config::complaint::Complaint;
use crate::model::config::jsonc::{Json, Member, Node, Reader, parse};
use crate::model::provider::{Cause, Fault, Message, ModelRef, Request, Stage, Stop, StreamMsg, Usage};

/// Characters of text and of arguments that come at once.
const PIECE: usize = 8;

/// Said when there are more requests than replies.
const OVER: &str = "The script has no more replies.";

#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    Text(String),
    Reasoning(String),
    Tool { name: String, args: String },
    Pause(Duration),
    Error { status: u16, message: String, retry_after: Option<u64> },
    Expect(String),
}

/// Which reply each session gets next.
#[derive(Debug, Default)]
pub struct Scripts {
    /// The embedded script of `demo/tour`.
    tour: &'static str,
    next: Mutex<BTreeMap<(Arc<str>, ModelRef), usize>>,
}

impl Scripts {
    pub fn new(tour: &'static str) -> Self {
        Scripts { tour, next: Mutex::default() }
    }

    /// Plays the session's next reply.
    pub async fn play(&self, request: &Request, send: &(impl Fn(StreamMsg) + Sync)) -> Result<(), Fault> {
        let model = &request.model.reference;
        let replies = self.load(model).await?;
        let number = self.number(request);
        let over = [Step::Text(OVER.into())];
        let steps = replies.get(number).map_or(&over[..], Vec::as_slice);
        send(StreamMsg::Opened);
        let mut calls = 0;
        let mut written = 0u64;
        for step in steps {
            match step {
                Step::Text(text) => {
                    written += pieces(text, send, StreamMsg::Text).await;
                }
                Step::Reasoning(text) => {
                    written += pieces(text, send, StreamMsg::Reasoning).await;
                    send(StreamMsg::ReasoningEnd { signature: None, sealed: None });
                }
                Step::Tool { name, args } => {
                    let (index, id) = (calls, format!("call_{number}_{calls}"));
                    calls += 1;
                    send(StreamMsg::CallStart { index, id: id.into(), name: name.as_str().into() });
                    written += pieces(args, send, |delta| StreamMsg::CallArgs { index, delta }).await;
                    send(StreamMsg::CallEnd { index, signature: None });
                }
                Step::Pause(time) => tokio::time::sleep(*time).await,
                Step::Error { status, message, retry_after } => {
                    return Err(error::of_status(model, *status, *retry_after, message));
                }
                Step::Expect(pattern) => expect(model, request, pattern)?,
            }
        }
        send(StreamMsg::Usage(Usage {
            input: size(request) / 4,
            output: written.div_ceil(4),
            ..Usage::default()
        }));
        send(StreamMsg::Done(Stop::End));
        Ok(())
    }

    async fn load(&self, model: &ModelRef) -> Result<Vec<Vec<Step>>, Fault> {
        let (file, bytes) = if &*model.provider == "demo" {
            ("the tour".to_owned(), self.tour.as_bytes().to_vec())
        } else {
            let path = model.id.to_string();
            let bytes = tokio::fs::read(&path)
                .await
                .map_err(|e| fault(format!("Can't read the script {path}: {e}"), ""))?;
            (path, bytes)
        };
        read(&file, &bytes).map_err(|complaints| {
            let all: Vec<String> = complaints.iter().map(ToString::to_string).collect();
            fault(
                format!("The script can't be played: {}", all.first().map_or("", String::as_str)),
                &all.join("\n"),
            )
        })
    }

    /// Counts from the replies the history already has, so that a continued session goes on where it was.
    fn number(&self, request: &Request) -> usize {
        let replies = request.messages.iter().filter(|m| matches!(***m, Message::Assistant(_))).count();
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = next.entry((request.session.clone(), request.model.reference.clone())).or_insert(replies);
        let number = *slot;
        *slot += 1;
        number
    }
}

fn fault(summary: String, detail: &str) -> Fault {
    error::fault(Cause::Rejected, Stage::Request, summary, detail)
}

/// Sends a text in small pieces, letting others run between them; gives its length.
async fn pieces(text: &str, send: &(impl Fn(StreamMsg) + Sync), make: impl Fn(String) -> StreamMsg) -> u64 {
    let mut rest = text;
    while !rest.is_empty() {
        let at = rest.char_indices().nth(PIECE).map_or(rest.len(), |(at, _)| at);
        let (piece, after) = rest.split_at(at);
        send(make(piece.to_owned()));
        tokio::task::yield_now().await;
        rest = after;
    }
    text.len() as u64
}

fn size(request: &Request) -> u64 {
    let texts = request.messages.iter().map(|m| match &**m {
        Message::User(user) => user.text().len(),
        Message::Assistant(reply) => reply.text().len() + reply.calls().map(|c| c.2.len()).sum::<usize>(),
        Message::Tool(result) => result.content.len(),
    });
    (request.system.len() + texts.sum::<usize>()) as u64
}

/// The last thing said to the model, by a person or a tool, must match.
fn expect(model: &ModelRef, request: &Request, pattern: &str) -> Result<(), Fault> {
    let last = request.messages.iter().rev().find_map(|m| match &**m {
        Message::User(user) if !user.internal => Some(user.text()),
        Message::Tool(result) => Some(result.content.to_string()),
        Message::User(_) | Message::Assistant(_) => None,
    });
    let last = last.unwrap_or_default();
    let matcher = RegexMatcherBuilder::new().multi_line(true).build(pattern);
    let matcher = matcher.map_err(|e| {
        fault(
            format!("The script of {model} expects {pattern:?}, which is no regular expression"),
            &e.to_string(),
        )
    })?;
    if matcher.is_match(last.as_bytes()).unwrap_or(false) {
        return Ok(());
    }
    let head: String = last.chars().take(200).collect();
    Err(fault(format!("The script of {model} expects {pattern:?} but the last message is {head:?}"), &last))
}

/// Reads a script: a list of replies, each a list of steps.
pub fn read(file: &str, bytes: &[u8]) -> Result<Vec<Vec<Step>>, Vec<Complaint>> {
    let root = parse(file, bytes).map_err(|c| vec![c])?;
    let mut reader = Reader::new(file);
    let mut replies = Vec::new();
    for reply in reader.array("a script", &root).unwrap_or_default() {
        let steps = reader.array("a reply", reply).unwrap_or_default();
        replies.push(steps.iter().filter_map(|node| step(&mut reader, node)).collect());
    }
    let complaints = reader.finish();
    if complaints.is_empty() { Ok(replies) } else { Err(complaints) }
}

const STEPS: &str =
    "a string, or an object with \"reasoning\", \"tool\", \"pause_ms\", \"error\" or \"expect\"";

fn step(reader: &mut Reader, node: &Node) -> Option<Step> {
    let members = match &node.json {
        Json::String(text) => return Some(Step::Text(text.clone())),
        Json::Object(members) => members,
        _ => {
            reader.wrong("a step", node, STEPS);
            return None;
        }
    };
    let Some(Member { key, value, at }) = members.iter().find(|m| m.key != "args") else {
        reader.wrong("a step", node, STEPS);
        return None;
    };
    match key.as_str() {
        "reasoning" => reader.string(key, value).map(|t| Step::Reasoning(t.to_owned())),
        "expect" => reader.string(key, value).map(|t| Step::Expect(t.to_owned())),
        "pause_ms" => reader.integer(key, value, 0, 600_000).map(|ms| Step::Pause(Duration::from_millis(ms))),
        "tool" => {
            let name = reader.string(key, value)?.to_owned();
            let args = match node.get("args") {
                None => "{}".to_owned(),
                // As it is, so that a script can send broken arguments.
                Some(Node { json: Json::String(raw), .. }) => raw.clone(),
                Some(args) => args.to_value().to_string(),
            };
            Some(Step::Tool { name, args })
        }
        "error" => {
            let status = value.get("status").map_or(Some(500), |s| reader.integer("status", s, 400, 599));
            let message = value.get("message").map_or(Some(""), |m| reader.string("message", m));
            let retry_after =
                value.get("retry_after").and_then(|s| reader.integer("retry_after", s, 0, u64::MAX));
            let status = u16::try_from(status?).ok()?;
            Some(Step::Error { status, message: message?.to_owned(), retry_after })
        }
        _ => {
            reader.complain(*at, format!("a step must be {STEPS}, not one with {key:?}"));
            None
        }
    }
}
