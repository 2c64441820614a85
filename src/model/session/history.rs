//! The history as any provider takes it: each call answered once, in the model's order, before anything else is said.

use std::sync::Arc;

use crate::model::provider::{Message, Part, ToolResult, User, UserPart};
use crate::model::tool::Outcome;

/// The result of a call of which the log holds none.
pub const LOST: &str =
    "No result of this call was kept: the program ended while it ran. Its effects are unknown.";
/// The result of a call that ran when the turn was interrupted.
pub const INTERRUPTED: &str = "Interrupted by the user while it ran. What it had done until then stays done.";
/// The result of a call that had not begun when the turn was interrupted.
pub const NOT_RUN: &str = "Not run: the user interrupted the turn first.";

/// Orders results as the calls were, invents those that are missing, drops orphans and empty messages (N6, T7).
pub fn valid<'a>(branch: impl IntoIterator<Item = &'a Arc<Message>>) -> Vec<Arc<Message>> {
    let mut out = Vec::new();
    let mut open = Open::default();
    for message in branch {
        match &**message {
            Message::Assistant(reply) => {
                open.close(&mut out);
                if !says_something(&reply.parts) {
                    continue;
                }
                open.calls = reply.calls().map(|(id, name, _)| (id.clone(), name.clone())).collect();
                out.push(message.clone());
            }
            Message::Tool(_) => open.results.push(message.clone()),
            Message::User(user) if has_content(user) => open.later.push(message.clone()),
            Message::User(_) => {}
        }
    }
    open.close(&mut out);
    out
}

/// What stands between one reply and the next.
#[derive(Default)]
struct Open {
    calls: Vec<(Arc<str>, Arc<str>)>,
    results: Vec<Arc<Message>>,
    later: Vec<Arc<Message>>,
}

impl Open {
    fn close(&mut self, out: &mut Vec<Arc<Message>>) {
        for (id, name) in self.calls.drain(..) {
            let found = self.results.iter().position(|m| matches!(&**m, Message::Tool(r) if r.call == id));
            out.push(match found {
                Some(place) => self.results.remove(place),
                None => Arc::new(Message::Tool(made_up(id, name, LOST))),
            });
        }
        self.results.clear();
        out.append(&mut self.later);
    }
}

/// A result of `e`'s own for a call that was cut short.
pub fn made_up(call: Arc<str>, name: Arc<str>, words: impl Into<Arc<str>>) -> ToolResult {
    ToolResult {
        call,
        name,
        outcome: Outcome::Cancelled,
        content: words.into(),
        summary: None,
        display: None,
        images: Vec::new(),
    }
}

/// A reply of reasoning alone is refused by most providers.
fn says_something(parts: &[Part]) -> bool {
    parts.iter().any(|part| match part {
        Part::Text(text) => !text.trim().is_empty(),
        Part::ToolCall { .. } => true,
        Part::Reasoning { .. } => false,
    })
}

fn has_content(user: &User) -> bool {
    user.content.iter().any(|part| match part {
        UserPart::Text(text) => !text.trim().is_empty(),
        UserPart::Image(_) => true,
    })
}

/// Replaces every image by a word about it and why: the model takes none, or its provider refused one (case G59).
pub fn without_images(messages: &mut [Arc<Message>], why: &str) {
    for message in messages {
        let mut changed = (**message).clone();
        let touched = match &mut changed {
            Message::User(user) => user.content.iter_mut().fold(false, |any, part| {
                let UserPart::Image(image) = part else { return any };
                *part = UserPart::Text(left_out(&image.name, why));
                true
            }),
            Message::Tool(result) => {
                let names: Vec<Arc<str>> = result.images.drain(..).map(|i| left_out(&i.name, why)).collect();
                if !names.is_empty() {
                    result.content = format!("{}\n{}", result.content, names.join("\n")).into();
                }
                !names.is_empty()
            }
            Message::Assistant(_) => false,
        };
        if touched {
            *message = Arc::new(changed);
        }
    }
}

fn left_out(name: &str, why: &str) -> Arc<str> {
    format!("[{name} is left out: {why}]").into()
}

/// Whether any message carries an image.
pub fn has_images(messages: &[Arc<Message>]) -> bool {
    messages.iter().any(|m| match &**m {
        Message::User(user) => user.content.iter().any(|p| matches!(p, UserPart::Image(_))),
        Message::Tool(result) => !result.images.is_empty(),
        Message::Assistant(_) => false,
    })
}
