//! The request of a step, made of a checked history; and what can be learnt of a refused one.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::provider::{Fault, Message, Purpose, Request};
use crate::model::session::prompt::{self, Place};
use crate::model::session::turn::Turn;
use crate::model::session::{Session, fold, history};
use crate::model::tool::ToolSpec;
use crate::update::Cx;

/// The request for the turn's current step; remembers which tools it offers.
pub fn of_turn(s: &Session, turn: &mut Turn, attempt: u32, cx: &Cx<'_>) -> Request {
    let tools = offered(s, turn);
    turn.offered = tools.iter().map(|t| t.name.clone()).collect();
    let mut messages = history::valid(s.tree.branch().into_iter().map(|n| &n.message));
    if !turn.model.image_input {
        history::without_images(&mut messages, "this model takes no images");
    } else if s.tools.images_refused {
        history::without_images(&mut messages, "the provider refused the image");
    }
    Request {
        model: turn.model.clone(),
        effort: turn.effort.clone(),
        system: system(s, turn, &tools, cx),
        messages,
        tools: tools.into(),
        purpose: Purpose::Turn,
        attempt,
        session: s.log.uuid.clone(),
    }
}

fn offered(s: &Session, turn: &Turn) -> Vec<ToolSpec> {
    if turn.model.tools { s.tools.set.offered() } else { Vec::new() }
}

fn system(s: &Session, turn: &Turn, tools: &[ToolSpec], cx: &Cx<'_>) -> Arc<str> {
    let place = Place { cwd: &s.cwd, platform: &cx.boot.platform, date: &cx.boot.date };
    prompt::system(&s.desk, &s.tools.set, tools, place, &turn.suffixes)
}

/// Tokens that every request of this session needs beside its messages: the system prompt and the tools.
pub fn overhead(s: &Session, cx: &Cx<'_>) -> u64 {
    let tools = s.tools.set.offered();
    let place = Place { cwd: &s.cwd, platform: &cx.boot.platform, date: &cx.boot.date };
    let system = prompt::system(&s.desk, &s.tools.set, &tools, place, &[]);
    let specs: u64 =
        tools.iter().map(|t| fold::tokens(&t.description) + fold::tokens(&t.parameters.to_string())).sum();
    fold::tokens(&system) + specs
}

/// The call ids of the branch, which a new reply must not use again.
pub fn call_ids(s: &Session) -> BTreeSet<Arc<str>> {
    let mut ids = BTreeSet::new();
    for node in s.tree.branch() {
        if let Message::Assistant(reply) = &*node.message {
            ids.extend(reply.calls().map(|(id, _, _)| id.clone()));
        }
    }
    ids
}

/// Whether a refusal is about an image that was sent (case G59).
pub fn images_refused(s: &Session, fault: &Fault) -> bool {
    let branch: Vec<Arc<Message>> = s.tree.branch().into_iter().map(|n| n.message.clone()).collect();
    let about = |text: &str| text.to_lowercase().contains("image");
    !s.tools.images_refused && history::has_images(&branch) && (about(&fault.summary) || about(&fault.detail))
}
