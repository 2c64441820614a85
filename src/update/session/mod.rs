//! The sessions' door: what streams, tools, timers, store, files and the other rooms say is brought to its session.

use crate::model::ask::{Line, SessionAsk};
use crate::model::effect::{Effect, FilesFx, StoreFx, Which};
use crate::model::ext::HookValue;
use crate::model::id::{CallId, SessionId, StreamId, Ticket, TimerId};
use crate::model::msg::{FilesMsg, StoreMsg};
use crate::model::provider::StreamMsg;
use crate::model::session::{Owed, Sessions};
use crate::model::tool::ToolMsg;
use crate::update::{Cx, Out};

pub fn stream(_sessions: &mut Sessions, _id: StreamId, _msg: StreamMsg, _cx: &mut Cx<'_>, _out: &mut Out) {}

pub fn tool(_sessions: &mut Sessions, _id: CallId, _msg: ToolMsg, _cx: &mut Cx<'_>, _out: &mut Out) {}

/// Whether the timer was a session's.
pub fn timer(_sessions: &mut Sessions, _id: TimerId, _cx: &mut Cx<'_>, _out: &mut Out) -> bool {
    false
}

/// Gives back an answer that no session asked for.
pub fn store(
    sessions: &mut Sessions,
    ticket: Ticket,
    msg: StoreMsg,
    _cx: &mut Cx<'_>,
    _out: &mut Out,
) -> Option<StoreMsg> {
    sessions.owed.take(ticket).is_none().then_some(msg)
}

/// Gives back an answer that no session asked for.
pub fn files(
    sessions: &mut Sessions,
    ticket: Ticket,
    msg: FilesMsg,
    _cx: &mut Cx<'_>,
    _out: &mut Out,
) -> Option<FilesMsg> {
    sessions.owed.take(ticket).is_none().then_some(msg)
}

pub fn hook_done(
    _sessions: &mut Sessions,
    _ticket: Ticket,
    _value: HookValue,
    _cx: &mut Cx<'_>,
    _out: &mut Out,
) {
}

pub fn submit(_sessions: &mut Sessions, _line: Line, _cx: &mut Cx<'_>, _out: &mut Out) {}

pub fn ask(_sessions: &mut Sessions, _id: SessionId, _ask: SessionAsk, _cx: &mut Cx<'_>, _out: &mut Out) {}

pub fn catalog_loaded(_sessions: &mut Sessions, _cx: &mut Cx<'_>, _out: &mut Out) {}

/// Ends everything that runs, so that the process can.
pub fn shut(_sessions: &mut Sessions, _cx: &mut Cx<'_>, _out: &mut Out) {}

/// Asks for instructions, prompts and skills of the session's workspace.
pub fn load_desk(sessions: &mut Sessions, id: SessionId, cx: &mut Cx<'_>, out: &mut Out) {
    let Some(cwd) = sessions.get(id).map(|s| s.cwd.clone()) else { return };
    let trusted = sessions.rules.trusted;
    let ticket = sessions.owed.issue(cx.ids, Owed::Instructions(id));
    out.effect(Effect::Files(FilesFx::LoadInstructions { ticket, cwd: cwd.clone(), trusted }));
    let ticket = sessions.owed.issue(cx.ids, Owed::Templates(id));
    out.effect(Effect::Files(FilesFx::LoadTemplates { ticket, cwd, trusted }));
}

/// `-c`: goes on with the newest session of this directory.
pub fn continue_latest(sessions: &mut Sessions, id: SessionId, cx: &mut Cx<'_>, out: &mut Out) {
    let Some(cwd) = sessions.get(id).map(|s| s.cwd.clone()) else { return };
    let ticket = sessions.owed.issue(cx.ids, Owed::Resume(id));
    out.effect(Effect::Store(StoreFx::Open { ticket, which: Which::Latest { cwd } }));
}
