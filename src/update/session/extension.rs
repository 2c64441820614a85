//! What extensions ask of a session, and what becomes of their tools and narrowings (`extensions-notes.md` 18).

use std::sync::Arc;

use super::{admit, choice, end};
use crate::model::ask::{Ask, ExtAsk};
use crate::model::ext::Debt;
use crate::model::id::{ExtId, SessionId};
use crate::model::session::notice::Tone;
use crate::model::session::turn::{Queued, Work};
use crate::model::session::{Session, Sessions};
use crate::model::tool::ToolSpec;
use crate::model::wire::ext::{Info, Reply, Send, SessionAsk};
use crate::update::{Cx, Out};

/// A `session.*` request: answered exactly once.
pub fn asked(
    sessions: &mut Sessions,
    id: SessionId,
    debt: Debt,
    ask: SessionAsk,
    cx: &mut Cx<'_>,
    out: &mut Out,
) {
    let reply = match served(sessions, id, debt.ext, ask, cx, out) {
        Ok(reply) => reply,
        Err(why) => Reply::Error(why.into()),
    };
    out.ask(Ask::Ext(ExtAsk::Reply { debt, reply }));
}

fn served(
    sessions: &mut Sessions,
    id: SessionId,
    ext: ExtId,
    ask: SessionAsk,
    cx: &mut Cx<'_>,
    out: &mut Out,
) -> Result<Reply, String> {
    match ask {
        SessionAsk::Model(name) => {
            let model = choice::find(cx.catalog, &name)?;
            if !model.usable {
                return Err(format!("{} has no key yet", model.reference.provider));
            }
            choice::set_model(sessions, id, &model.reference, cx, out);
            return Ok(Reply::Done);
        }
        SessionAsk::Effort(level) => {
            let levels = sessions
                .get(id)
                .and_then(|s| choice::info(s, cx.catalog))
                .map(|model| model.efforts.clone())
                .unwrap_or_default();
            if !levels.iter().any(|known| known.eq_ignore_ascii_case(level.trim())) {
                let known = levels.join(", ");
                return Err(format!("the model has no effort level {level:?}; it has: {known}"));
            }
            choice::set_effort(sessions, id, &level, cx, out);
            return Ok(Reply::Done);
        }
        _ => {}
    }
    let coming = sessions.first.is_some();
    let headless = sessions.rules.headless;
    let Some(s) = sessions.all.get_mut(&id) else { return Err("no session is open".to_owned()) };
    match ask {
        SessionAsk::Send(message) => {
            let coming = coming || !s.lines.waiting.is_empty();
            send(s, message, headless.then_some(coming), cx, out)?;
        }
        SessionAsk::Info => return Ok(Reply::Info(Box::new(info(s, cx)))),
        SessionAsk::Name(name) => rename(s, name.as_str(), cx, out),
        SessionAsk::Tools(names) => s.tools.set.narrow(ext, names),
        SessionAsk::Interrupt => end::interrupt(s, cx, out),
        SessionAsk::Compact { focus } => super::compact(s, focus, cx, out),
        SessionAsk::Model(_) | SessionAsk::Effort(_) => {}
    }
    Ok(Reply::Done)
}

/// `session.send`, by its table: the first line that matches decides (T14).
///
/// Under `-p` there is one turn: `coming` says that it is still to begin, and what is sent before joins it.
fn send(
    s: &mut Session,
    message: Send,
    coming: Option<bool>,
    cx: &mut Cx<'_>,
    out: &mut Out,
) -> Result<(), String> {
    let running = match s.work {
        Work::Turn(_) => true,
        Work::Idle => false,
        Work::Fold(_) => return Err("busy: the conversation is being compacted".to_owned()),
        Work::Opening(_) => return Err("busy: another session is being opened".to_owned()),
    };
    let Send { content, internal, run, next_turn } = message;
    let words = admit::words(content.as_str().into(), internal);
    if next_turn {
        if !internal {
            return Err("only an internal message can wait for the next turn".to_owned());
        }
        s.queue.next_turn.push(Arc::new(words));
        return Ok(());
    }
    match (run, running) {
        (false, true) => {
            Err("a turn runs: steer it with run: true, or hold an internal message with when: \"next_turn\""
                .to_owned())
        }
        (false, false) => {
            admit::record(s, words, cx, out);
            Ok(())
        }
        (true, false) if coming == Some(true) => {
            s.queue.steers.push(Queued { message: Arc::new(words), own: false });
            Ok(())
        }
        (true, false) if coming == Some(false) => {
            Err("the turn is over, and this run has no other".to_owned())
        }
        (true, _) => {
            if !running && choice::info(s, cx.catalog).is_none() {
                return Err(admit::no_model(s, cx));
            }
            admit::send(s, Queued { message: Arc::new(words), own: false }, cx, out);
            Ok(())
        }
    }
}

fn info(s: &Session, cx: &Cx<'_>) -> Info {
    let path = s.log.path().cloned();
    let model = choice::info(s, cx.catalog);
    Info {
        id: path.as_ref().map(|_| s.log.uuid.clone()),
        path,
        name: s.log.name.clone(),
        cwd: s.cwd.clone(),
        model: s.choice.model.as_ref().map(|model| model.to_string().into()).unwrap_or_default(),
        effort: s.choice.effort.clone(),
        running: s.turn().is_some(),
        tools: s.tools.set.narrowed(),
        context_tokens: s.tally.context,
        context_window: model.map_or(0, |model| model.context_window),
    }
}

/// An extension names the session, which the transcript says.
pub fn named(sessions: &mut Sessions, id: SessionId, name: &str, cx: &mut Cx<'_>, out: &mut Out) {
    if let Some(s) = sessions.all.get_mut(&id) {
        rename(s, name, cx, out);
    }
}

fn rename(s: &mut Session, name: &str, cx: &mut Cx<'_>, out: &mut Out) {
    if let Some(name) = choice::set_name(s, name, cx, out) {
        out.notice(Tone::Info, format!("Session name: {name}"));
    }
}

/// Whether results are held back from everyone until an extension has seen them.
pub fn hold(sessions: &mut Sessions, held: bool) {
    for s in sessions.all.values_mut() {
        s.tools.held = held;
    }
}

/// A command's prompt: starts or steers a turn.
pub fn prompted(sessions: &mut Sessions, id: SessionId, text: Arc<str>, cx: &mut Cx<'_>, out: &mut Out) {
    if let Some(s) = sessions.all.get_mut(&id) {
        let message = Arc::new(admit::words(text, false));
        admit::send(s, Queued { message, own: false }, cx, out);
    }
}

/// These are all the tools there are now.
pub fn offer(sessions: &mut Sessions, tools: &[ToolSpec]) {
    for s in sessions.all.values_mut() {
        s.tools.set.all = tools.to_vec();
    }
}

/// An extension process is gone, and its narrowing with it.
pub fn ext_gone(sessions: &mut Sessions, ext: ExtId, name: &str, silent: bool, out: &mut Out) {
    for s in sessions.all.values_mut() {
        let before = s.tools.set.narrowings.len();
        s.tools.set.narrowings.retain(|(owner, _)| *owner != ext);
        if s.tools.set.narrowings.len() < before && !silent {
            out.notice(Tone::Info, format!("extension {name} is gone: its limit on the tools is lifted"));
        }
    }
}
