//! The conversation made fit for any provider, whatever was interrupted, crashed or written by another model: users and
//! replies alternate, each call has exactly one answer right after its reply, ids are unique, nothing is empty.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::info::ModelRef;
use super::message::{Assistant, Message, Part, ToolResult, UserPart};
use crate::model::tool::{Image, Outcome};

/// Says that the conversation goes on, where a provider wants a user's turn and there is none.
const GO_ON: &str = "Continue.";
/// The answer of a call that has none: it was running when the turn or the process ended.
const NO_ANSWER: &str = "No result: the call was interrupted before it ended.";
const NO_OUTPUT: &str = "(no output)";
/// How much of arguments that are not JSON goes back to the model that wrote them.
const BROKEN_KEPT: usize = 4096;

#[derive(Debug, Clone, PartialEq)]
pub enum Turn<'a> {
    /// At least one part, none of them empty.
    User(Vec<Piece<'a>>),
    Reply(Reply<'a>),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Piece<'a> {
    Text(&'a str),
    Image(&'a Image),
}

/// At least one step, the last one never reasoning.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply<'a> {
    pub steps: Vec<Step<'a>>,
    /// One for each call, in the order of the calls.
    pub answers: Vec<Answer<'a>>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Step<'a> {
    Text(&'a str),
    /// Only ever the asked model's own (case G60).
    Reasoning {
        text: &'a str,
        signature: Option<&'a str>,
        sealed: Option<&'a str>,
    },
    Call(Call<'a>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Call<'a> {
    /// Unique in the whole request, of the asked [`IdForm`].
    pub id: Arc<str>,
    pub name: &'a str,
    /// Always the text of a JSON object.
    pub arguments: Cow<'a, str>,
    /// The asked model's own seal on the call.
    pub signature: Option<&'a str>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Answer<'a> {
    /// The call's id.
    pub id: Arc<str>,
    pub name: &'a str,
    /// Never empty.
    pub content: &'a str,
    pub failed: bool,
    pub images: &'a [Image],
}

/// How call ids may look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdForm {
    /// Up to 40 letters, digits, `_` and `-`.
    Plain,
    /// Up to 40 visible ASCII characters: some models count on seeing their own ids again.
    Loose,
    /// Exactly nine letters or digits.
    Nine,
}

/// Puts the messages in order for the model `reader`. Begins with a user's turn, ends with one or with answers.
pub fn ordered<'a>(messages: &'a [Arc<Message>], reader: &ModelRef, form: IdForm) -> Vec<Turn<'a>> {
    let mut turns: Vec<Turn<'a>> = Vec::new();
    let mut ids = CallIds { form, taken: BTreeSet::new() };
    for (at, message) in messages.iter().enumerate() {
        match &**message {
            Message::User(user) => push_user(&mut turns, user.content.iter().filter_map(piece)),
            Message::Assistant(assistant) => {
                let results = results_after(messages.get(at + 1..).unwrap_or_default());
                if let Some(reply) = reply(assistant, results, reader, &mut ids) {
                    if needs_user(turns.last()) {
                        push_user(&mut turns, [Piece::Text(GO_ON)]);
                    }
                    turns.push(Turn::Reply(reply));
                }
            }
            // Taken up by the reply it answers; one without a call is of no use to any model.
            Message::Tool(_) => {}
        }
    }
    let answered = matches!(turns.last(), Some(Turn::Reply(r)) if !r.answers.is_empty());
    if !answered && !matches!(turns.last(), Some(Turn::User(_))) {
        push_user(&mut turns, [Piece::Text(GO_ON)]);
    }
    turns
}

/// Before a reply there must be a user's turn or the answers to the reply before.
fn needs_user(last: Option<&Turn<'_>>) -> bool {
    match last {
        None => true,
        Some(Turn::User(_)) => false,
        Some(Turn::Reply(reply)) => reply.answers.is_empty(),
    }
}

fn piece(part: &UserPart) -> Option<Piece<'_>> {
    match part {
        UserPart::Text(text) => (!text.trim().is_empty()).then_some(Piece::Text(text)),
        UserPart::Image(image) => Some(Piece::Image(image)),
    }
}

fn push_user<'a>(turns: &mut Vec<Turn<'a>>, pieces: impl IntoIterator<Item = Piece<'a>>) {
    let pieces: Vec<Piece<'a>> = pieces.into_iter().collect();
    if pieces.is_empty() {
        return;
    }
    match turns.last_mut() {
        Some(Turn::User(before)) => before.extend(pieces),
        _ => turns.push(Turn::User(pieces)),
    }
}

/// The results up to the next reply, by call id, each id's in their order.
fn results_after(messages: &[Arc<Message>]) -> BTreeMap<&str, Vec<&ToolResult>> {
    let mut found: BTreeMap<&str, Vec<&ToolResult>> = BTreeMap::new();
    for message in messages {
        match &**message {
            Message::Tool(result) => found.entry(&result.call).or_default().push(result),
            Message::Assistant(_) => break,
            Message::User(_) => {}
        }
    }
    found
}

fn reply<'a>(
    assistant: &'a Assistant,
    mut results: BTreeMap<&str, Vec<&'a ToolResult>>,
    reader: &ModelRef,
    ids: &mut CallIds,
) -> Option<Reply<'a>> {
    let own = assistant.origin.as_ref() == Some(reader);
    let mut steps = Vec::new();
    let mut answers = Vec::new();
    for part in &assistant.parts {
        match part {
            Part::Text(text) if !text.trim().is_empty() => steps.push(Step::Text(text)),
            Part::Text(_) => {}
            Part::Reasoning { text, signature, sealed } if own => steps.push(Step::Reasoning {
                text,
                signature: signature.as_deref(),
                sealed: sealed.as_deref(),
            }),
            Part::Reasoning { .. } => {}
            Part::ToolCall { id, name, arguments, signature } => {
                let unique = ids.unique(id);
                let result = results.get_mut(&**id).filter(|r| !r.is_empty()).map(|r| r.remove(0));
                answers.push(answer(unique.clone(), name, result));
                let signature = signature.as_deref().filter(|_| own);
                let arguments = arguments_text(arguments);
                steps.push(Step::Call(Call { id: unique, name, arguments, signature }));
            }
        }
    }
    while matches!(steps.last(), Some(Step::Reasoning { .. })) {
        steps.pop();
    }
    (!steps.is_empty()).then_some(Reply { steps, answers })
}

fn answer<'a>(id: Arc<str>, name: &'a str, result: Option<&'a ToolResult>) -> Answer<'a> {
    let Some(result) = result else {
        return Answer { id, name, content: NO_ANSWER, failed: true, images: &[] };
    };
    let content = if result.content.trim().is_empty() { NO_OUTPUT } else { &*result.content };
    Answer { id, name, content, failed: result.outcome != Outcome::Completed, images: &result.images }
}

/// The arguments as text of a JSON object: nothing and `null` count as none, what can't be read is quoted back.
fn arguments_text(raw: &str) -> Cow<'_, str> {
    match parse_arguments(raw) {
        Parsed::AsWritten => Cow::Borrowed(raw),
        Parsed::None => Cow::Borrowed("{}"),
        Parsed::Inside(map) => Cow::Owned(Value::Object(map).to_string()),
        Parsed::Broken => {
            let kept: String = raw.chars().take(BROKEN_KEPT).collect();
            Cow::Owned(json!({ "invalid_arguments": kept }).to_string())
        }
    }
}

enum Parsed {
    AsWritten,
    None,
    /// A string that holds the object's text.
    Inside(Map<String, Value>),
    Broken,
}

fn parse_arguments(raw: &str) -> Parsed {
    if raw.trim().is_empty() {
        return Parsed::None;
    }
    match serde_json::from_str::<Value>(raw) {
        Ok(Value::Object(_)) => Parsed::AsWritten,
        Ok(Value::Null) => Parsed::None,
        Ok(Value::String(inner)) => match serde_json::from_str::<Value>(&inner) {
            Ok(Value::Object(map)) => Parsed::Inside(map),
            _ => Parsed::Broken,
        },
        _ => Parsed::Broken,
    }
}

struct CallIds {
    form: IdForm,
    taken: BTreeSet<Arc<str>>,
}

impl CallIds {
    /// An allowed form of the id that no earlier call of the request has; the same history gives the same ids.
    fn unique(&mut self, raw: &str) -> Arc<str> {
        let mut id = self.allowed(raw, 0);
        let mut round = 1u32;
        while self.taken.contains(&*id) {
            round += 1;
            id = self.allowed(raw, round);
        }
        let id: Arc<str> = Arc::from(id);
        self.taken.insert(id.clone());
        id
    }

    fn allowed(&self, raw: &str, round: u32) -> String {
        match self.form {
            IdForm::Nine
                if round == 0 && raw.len() == 9 && raw.bytes().all(|b| b.is_ascii_alphanumeric()) =>
            {
                raw.into()
            }
            IdForm::Nine => {
                let hash = fnv(raw.as_bytes()).wrapping_add(u64::from(round));
                format!("{:09x}", hash & 0xF_FFFF_FFFF)
            }
            form => {
                let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
                let may = |b: u8| plain(b) || (form == IdForm::Loose && b.is_ascii_graphic());
                let clean: String = raw.bytes().map(|b| if may(b) { char::from(b) } else { '_' }).collect();
                match (clean.len() <= 32 && clean == raw && !raw.is_empty(), round) {
                    (true, 0) => clean,
                    (true, n) => format!("{clean}_{n}"),
                    (false, n) => {
                        let head: String = clean.chars().take(16).collect();
                        format!("{head}_{:016x}", fnv(raw.as_bytes()).wrapping_add(u64::from(n)))
                    }
                }
            }
        }
    }
}

/// FNV-1a, for short stable names; not for anything that must resist an attacker.
pub fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, b| (hash ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3))
}
