//! A hook chain as data: what goes round, who is still to be asked, and how answers combine
//! (`extensions-notes.md` 9). Everything that goes wrong is the empty answer, and the chain goes on.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::model::id::{ExtId, Ticket, TimerId};
use crate::model::provider::{Message, User, UserKind, UserPart};
use crate::model::wire::ext::{Call, HookAnswer};

use super::{Entry, HookValue, InputVerdict};

/// A chain under way.
#[derive(Debug, Clone, PartialEq)]
pub struct Chain {
    /// Whose answer it is.
    pub ticket: Ticket,
    pub value: HookValue,
    /// In launch order.
    left: VecDeque<ExtId>,
    asked: Option<Asked>,
}

/// The extension that is being waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    pub ext: ExtId,
    /// `e`'s id of the request.
    pub call: u64,
    /// Its deadline.
    pub timer: TimerId,
}

/// What happens next.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Send this request to this extension, then say so with [`Chain::asking`].
    Ask(ExtId, Call),
    /// Everyone was asked, or nobody else need be.
    Done,
}

impl Chain {
    /// `order` are the extensions that want this hook and live, in launch order.
    pub fn new(ticket: Ticket, value: HookValue, order: impl IntoIterator<Item = ExtId>) -> Self {
        Chain { ticket, value, left: order.into_iter().collect(), asked: None }
    }

    pub fn asked(&self) -> Option<Asked> {
        self.asked
    }

    /// Takes the next extension; nobody may be asked already.
    pub fn step(&mut self) -> Step {
        if self.value.settled() {
            self.left.clear();
        }
        match self.left.pop_front() {
            Some(ext) => Step::Ask(ext, self.value.call()),
            None => Step::Done,
        }
    }

    /// The request is on its way.
    pub fn asking(&mut self, asked: Asked) {
        self.asked = Some(asked);
    }

    /// The extension that was asked has answered; for an error or a badly typed answer it is [`HookAnswer::empty`]. `name`
    /// is its manifest's. An answer of anybody else, or to another request, is none of the chain's: false.
    pub fn answer(&mut self, ext: ExtId, call: u64, name: &str, answer: HookAnswer) -> bool {
        if !self.asked.is_some_and(|asked| asked.ext == ext && asked.call == call) {
            return false;
        }
        self.asked = None;
        self.value.fold(name, answer);
        true
    }

    /// The deadline has passed. False for a timer that is not the chain's own.
    pub fn timeout(&mut self, timer: TimerId) -> bool {
        let mine = self.asked.is_some_and(|asked| asked.timer == timer);
        if mine {
            self.asked = None;
        }
        mine
    }

    /// An extension is gone: it is not asked any more. True when the chain was waiting for it and can go on.
    pub fn died(&mut self, ext: ExtId) -> bool {
        self.left.retain(|other| *other != ext);
        let waiting = self.asked.is_some_and(|asked| asked.ext == ext);
        if waiting {
            self.asked = None;
        }
        waiting
    }
}

impl HookValue {
    /// The request that asks about the value as it stands.
    pub fn call(&self) -> Call {
        match self.clone() {
            HookValue::Input { text, .. } => Call::HookInput { text },
            HookValue::BeforeTurn { prompt, .. } => Call::HookBeforeTurn { prompt },
            HookValue::ToolCall { name, arguments, .. } => Call::HookToolCall { name, arguments },
            HookValue::ToolResult { name, content, is_error, .. } => {
                Call::HookToolResult { name, content, is_error }
            }
            HookValue::CompactSummary { summary } => Call::HookCompactSummary { summary },
            HookValue::Render { entry, content, body } => {
                let content = body.map_or(content, |answer| answer.body);
                let (kind, name) = match entry {
                    Entry::Tool(name) => ("tool", name),
                    Entry::Assistant => ("assistant", "".into()),
                };
                Call::HookRender { kind: kind.into(), name, content }
            }
        }
    }

    /// No later answer can change it.
    pub fn settled(&self) -> bool {
        match self {
            HookValue::Input { verdict, .. } => *verdict != InputVerdict::Pass,
            HookValue::ToolCall { block, .. } => block.is_some(),
            _ => false,
        }
    }

    /// Takes in the answer of the extension of that name. One of another kind of hook changes nothing.
    pub fn fold(&mut self, extension: &str, answer: HookAnswer) {
        match (self, answer) {
            (HookValue::Input { verdict, notices, .. }, HookAnswer::Input { consume, replace, notice }) => {
                notices.extend(notice.map(|notice| Arc::from(notice.as_str())));
                if consume {
                    *verdict = InputVerdict::Consume;
                } else if let Some(line) = replace {
                    *verdict = InputVerdict::Replace(line);
                }
            }
            (
                HookValue::BeforeTurn { suffixes, messages, .. },
                HookAnswer::BeforeTurn { system_suffix, message },
            ) => {
                suffixes.extend(system_suffix);
                messages.extend(message.map(|(content, internal)| {
                    let content = vec![UserPart::Text(content)];
                    Arc::new(Message::User(User { content, internal, kind: UserKind::Prompt }))
                }));
            }
            (HookValue::ToolCall { block, .. }, HookAnswer::ToolCall { block: true, reason }) => {
                *block =
                    Some(reason.unwrap_or_else(|| format!("extension {extension} does not allow it").into()));
            }
            (
                HookValue::ToolResult { content, rewritten, .. },
                HookAnswer::ToolResult { content: Some(new) },
            ) => {
                *content = new;
                *rewritten = true;
            }
            (HookValue::CompactSummary { summary }, HookAnswer::CompactSummary { summary: Some(new) }) => {
                *summary = new
            }
            (HookValue::Render { body, .. }, HookAnswer::Render(Some(new))) => *body = Some(new),
            _ => {}
        }
    }
}
