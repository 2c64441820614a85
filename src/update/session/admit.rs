//! Who may start a turn, who steers one, and what waits to join (`agent.md`, Steering).

use std::sync::Arc;

use super::{choice, record, turn};
use crate::model::fact::{Fact, SessionFact, TurnFact};
use crate::model::provider::{Message, User, UserKind, UserPart};
use crate::model::session::Session;
use crate::model::session::notice::Tone;
use crate::model::session::turn::{Queued, Work};
use crate::model::tool::Image;
use crate::update::{Cx, Out};

/// A prompt, ready to be sent: starts a turn, steers the running one, or waits for what else runs.
pub fn prompt(s: &mut Session, text: Arc<str>, images: Vec<Image>, cx: &mut Cx<'_>, out: &mut Out) {
    if text.trim().is_empty() && images.is_empty() {
        return;
    }
    unseen(s, &images, cx, out);
    send(s, Queued { message: Arc::new(message(text, images)), own: true }, cx, out);
}

/// A message that is to run: starts a turn, steers the running one, or waits for what else runs.
pub fn send(s: &mut Session, queued: Queued, cx: &mut Cx<'_>, out: &mut Out) {
    let busy = match &s.work {
        Work::Turn(_) => true,
        Work::Fold(_) | Work::Opening(_) => {
            s.queue.run_next = true;
            true
        }
        Work::Idle => {
            s.queue.run_next |= s.shell.is_some();
            s.shell.is_some()
        }
    };
    if busy {
        s.queue.steers.push(queued);
        tell_queue(s, out);
    } else {
        start(s, queued, cx, out);
    }
}

/// Words of an extension's; `internal` ones only the model sees.
pub fn words(text: Arc<str>, internal: bool) -> Message {
    Message::User(User { content: vec![UserPart::Text(text)], internal, kind: UserKind::Prompt })
}

/// A message joins the conversation without a turn.
pub fn record(s: &mut Session, message: Message, cx: &mut Cx<'_>, out: &mut Out) {
    join(s, Arc::new(message), cx, out);
}

/// Says that the model will not see the images.
fn unseen(s: &Session, images: &[Image], cx: &Cx<'_>, out: &mut Out) {
    let Some(model) = choice::info(s, cx.catalog).filter(|m| !images.is_empty() && !m.image_input) else {
        return;
    };
    let names: Vec<&str> = images.iter().map(|image| &*image.name).collect();
    let name = &model.reference;
    let names = names.join(", ");
    out.notice(
        Tone::Warning,
        format!("{name} takes no images: it is sent {names} by name alone. Choose another with /model."),
    );
}

fn start(s: &mut Session, queued: Queued, cx: &mut Cx<'_>, out: &mut Out) {
    match choice::info(s, cx.catalog) {
        Some(model) => turn::begin(s, queued, model, cx, out),
        None => {
            out.notice(Tone::Error, no_model(s, cx));
            if let Message::User(user) = &*queued.message
                && queued.own
            {
                let (text, images) = (user.text().into(), user.images().cloned().collect());
                out.fact(Fact::Session(s.id, SessionFact::Returned { text, images }));
            }
            out.fact(Fact::Session(s.id, SessionFact::NoTurn { status: 1 }));
        }
    }
}

/// Why no turn can start.
pub fn no_model(s: &Session, cx: &Cx<'_>) -> String {
    match &s.choice.model {
        Some(model) => format!("The model {model} is not there any more. Choose one with /model."),
        None if cx.catalog.models.is_empty() => "No model is known. Check models.json with `e check`.".into(),
        None => "No model can be used yet. Sign in with /login, or set a provider's key variable such as ANTHROPIC_API_KEY.".into(),
    }
}

/// A person's words as a message.
fn message(text: Arc<str>, images: Vec<Image>) -> Message {
    let words = (!text.trim().is_empty()).then_some(UserPart::Text(text));
    let content = words.into_iter().chain(images.into_iter().map(UserPart::Image)).collect();
    Message::User(User { content, internal: false, kind: UserKind::Prompt })
}

pub fn tell_queue(s: &Session, out: &mut Out) {
    let shown = s.queue.steers.iter().filter(|queued| queued.shown());
    let waiting = shown.map(|queued| queued.message.clone()).collect();
    out.fact(Fact::Turn(s.id, TurnFact::Queue { waiting }));
}

/// Takes a queued message back; the index counts those that show.
pub fn unqueue(s: &mut Session, index: usize, out: &mut Out) {
    let shown = s.queue.steers.iter().enumerate().filter(|(_, queued)| queued.shown());
    if let Some(at) = shown.map(|(at, _)| at).nth(index) {
        let _taken = s.queue.steers.remove(at);
        tell_queue(s, out);
    }
}

/// Messages that wait go back to the person, who decides what becomes of them; an extension's join the conversation,
/// which is where they were to go.
pub fn give_back(s: &mut Session, cx: &mut Cx<'_>, out: &mut Out) {
    s.queue.run_next = false;
    let waiting = std::mem::take(&mut s.queue.steers);
    if waiting.is_empty() {
        return;
    }
    tell_queue(s, out);
    let mut texts = Vec::new();
    let mut images = Vec::new();
    for queued in waiting {
        if !queued.own {
            join(s, queued.message, cx, out);
            continue;
        }
        let Message::User(user) = &*queued.message else { continue };
        texts.push(user.text());
        images.extend(user.images().cloned());
    }
    if !texts.is_empty() {
        out.fact(Fact::Session(s.id, SessionFact::Returned { text: texts.join("\n").into(), images }));
    }
}

/// What waits joins the conversation; `own` when the person's own prompt follows.
pub fn join_waiting(s: &mut Session, own: bool, cx: &mut Cx<'_>, out: &mut Out) {
    join_notes(s, cx, out);
    if own {
        for message in std::mem::take(&mut s.queue.next_turn) {
            join(s, message, cx, out);
        }
    }
    let steers = std::mem::take(&mut s.queue.steers);
    s.queue.run_next = false;
    if steers.is_empty() {
        return;
    }
    for queued in steers {
        let (node, message) = record::commit(s, Arc::unwrap_or_clone(queued.message), None, cx, out);
        out.fact(Fact::Turn(s.id, TurnFact::Steered { node, message }));
    }
    tell_queue(s, out);
}

/// Results of `!commands` join.
pub fn join_notes(s: &mut Session, cx: &mut Cx<'_>, out: &mut Out) {
    for message in std::mem::take(&mut s.queue.notes) {
        join(s, message, cx, out);
    }
}

fn join(s: &mut Session, message: Arc<Message>, cx: &mut Cx<'_>, out: &mut Out) {
    let (node, message) = record::commit(s, Arc::unwrap_or_clone(message), None, cx, out);
    out.fact(Fact::Turn(s.id, TurnFact::Joined { node, message }));
}

/// Nothing runs any more: what was typed meanwhile as a prompt starts its turn.
pub fn settle(s: &mut Session, cx: &mut Cx<'_>, out: &mut Out) {
    if !s.idle() {
        return;
    }
    join_notes(s, cx, out);
    if !std::mem::take(&mut s.queue.run_next) || s.queue.steers.is_empty() {
        return;
    }
    // The last one is the prompt; those before it join ahead of it, in the order they were typed.
    let Some(last) = s.queue.steers.pop() else { return };
    tell_queue(s, out);
    start(s, last, cx, out);
}
