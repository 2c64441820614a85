//! The room of the extensions: who is started, what each is asked, what it is owed, and what it hears. It knows the other
//! rooms by asks and facts alone.

mod calls;
mod chains;
mod commands;
mod events;
mod launch;
mod life;
mod requests;

use serde_json::Value;

use crate::model::ask::ExtAsk;
use crate::model::effect::Effect;
use crate::model::ext::world::{ExtFx, ExtMsg};
use crate::model::ext::{Exts, HookValue};
use crate::model::fact::Fact;
use crate::model::id::{ExtId, SessionId, Ticket, TimerId};
use crate::model::session::Sessions;
use crate::model::session::notice::Tone;
use crate::model::text::clean::Clean;
use crate::model::wire::ext::{Incoming, Reply};
use crate::update::{Cx, Out};

/// Runs a hook chain: every extension that lists the hook is asked in launch order, then the asker gets the value.
pub fn run(
    exts: &mut Exts,
    ticket: Ticket,
    session: SessionId,
    value: HookValue,
    cx: &mut Cx<'_>,
    out: &mut Out,
) {
    chains::run(exts, ticket, session, value, cx, out);
}

/// The world said something about an extension.
pub fn msg(exts: &mut Exts, msg: ExtMsg, cx: &mut Cx<'_>, out: &mut Out) {
    match msg {
        ExtMsg::Found { ticket, found, skipped } => life::found(exts, ticket, found, skipped, cx, out),
        ExtMsg::Said(id, said) => {
            let Some(ext) = exts.all.get_mut(&id) else { return };
            // What it wants before everyone is there is held, in order; its answer to the handshake gives it a name.
            if !ext.announced && matches!(said, Incoming::Notify(_) | Incoming::Request(_)) {
                return early(ext, id, said, out);
            }
            hear(exts, id, said, cx, out);
        }
        ExtMsg::Stderr(id, line) => life::stderr(exts, id, line, out),
        ExtMsg::Over(id, over) => life::over(exts, id, &over, cx, out),
        ExtMsg::Stopped(ticket) => life::stopped(exts, ticket, cx, out),
        ExtMsg::Surroundings { caps, editor } => {
            let boot = std::sync::Arc::make_mut(cx.boot);
            boot.caps.colors = caps.colors;
            boot.editor = editor;
        }
        ExtMsg::Parsed { ticket, line } => launch::parsed(exts, ticket, line, cx, out),
        // For the screen that shows it; the router brings it there.
        ExtMsg::Measured { .. } => {}
    }
}

/// Holds what came too early; not without end.
fn early(ext: &mut crate::model::ext::Ext, id: ExtId, said: Incoming, out: &mut Out) {
    const EARLY: usize = 256;
    match said {
        said if ext.early.len() < EARLY => ext.early.push_back(said),
        Incoming::Request(request) => {
            let line = Reply::too_many().line(&request.id);
            out.effect(Effect::Ext(ExtFx::Send { ext: id, line: line.into() }));
        }
        _ => {}
    }
}

/// A message of one extension that may be acted on.
fn hear(exts: &mut Exts, id: ExtId, said: Incoming, cx: &mut Cx<'_>, out: &mut Out) {
    match said {
        Incoming::Notify(text) => out.notice(Tone::Info, text.as_str()),
        Incoming::ToolUpdate(update) => calls::update(exts, id, update, out),
        Incoming::Request(request) => requests::request(exts, id, *request, cx, out),
        Incoming::Response(response) => {
            calls::answered(exts, id, response.id, response.result, cx, out);
        }
        Incoming::Lost { why, salvaged } => requests::lost(exts, id, why, salvaged, cx, out),
        Incoming::Ignored(_) => {}
    }
}

/// Whether the timer was a deadline of an extension's.
pub fn timer(exts: &mut Exts, id: TimerId, cx: &mut Cx<'_>, out: &mut Out) -> bool {
    let Some((ext, call)) = exts.timers.remove(&id) else { return false };
    calls::late(exts, ext, call, cx, out);
    true
}

/// Another room tells this one what to do.
pub fn ask(exts: &mut Exts, ask: ExtAsk, cx: &mut Cx<'_>, out: &mut Out) {
    match ask {
        ExtAsk::Begin => life::look(exts, cx, out),
        ExtAsk::Tool { ext, call, session, name, arguments } => {
            calls::tool(exts, ext, call, session, name, arguments, cx, out);
        }
        ExtAsk::Cancel(call) => calls::cancel(exts, call, out),
        ExtAsk::Reply { debt, reply } => requests::reply(exts, debt, &reply, cx, out),
        ExtAsk::Tell { ext, note } => events::tell(exts, ext, &note, out),
        ExtAsk::Command { session, shown, args } => {
            commands::command(exts, session, shown, args, cx, out);
        }
        ExtAsk::Shortcut { session, chord } => commands::shortcut(exts, session, chord, cx, out),
        ExtAsk::Complete { ticket, command, prefix } => {
            commands::complete(exts, ticket, &command, prefix, cx, out);
        }
        ExtAsk::Reload => life::reload(exts, cx, out),
        ExtAsk::Restart(ext) => life::restart(exts, ext, cx, out),
        ExtAsk::Disable(ext) => life::disable(exts, ext, cx, out),
    }
}

/// Something became true: extensions that subscribed to it hear of it.
pub fn observe(exts: &mut Exts, fact: &Fact, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    events::observe(exts, fact, sessions, cx, out);
    chains::observe(exts, fact, cx, out);
}

/// The process ends: everyone is told, and nothing stays unanswered. The world ends the processes themselves.
pub fn shut(exts: &mut Exts, cx: &mut Cx<'_>, out: &mut Out) {
    life::shut(exts, cx, out);
}

/// The `extensions` object of the settings, as the handshake tells it.
fn config(cx: &Cx<'_>) -> std::sync::Arc<Value> {
    std::sync::Arc::new(Value::Object(cx.config.settings.extensions.clone()))
}

/// `extension <file>: <why>`, as a notice.
fn complain(file: &str, why: &str, out: &mut Out) {
    let why = Clean::vanish(why);
    out.notice(Tone::Warning, crate::model::ext::words::notice(file, why.as_str()));
}
