//! What extensions ask of a session, and what becomes of their tools and narrowings (`extensions-notes.md` 18).

use std::sync::Arc;

use super::admit;
use crate::model::ask::{Ask, ExtAsk};
use crate::model::ext::Debt;
use crate::model::id::{ExtId, SessionId};
use crate::model::session::Sessions;
use crate::model::session::notice::Tone;
use crate::model::tool::ToolSpec;
use crate::model::wire::ext::{Reply, SessionAsk};
use crate::update::{Cx, Out};

/// A `session.*` request: answered exactly once.
pub fn asked(
    sessions: &mut Sessions,
    id: SessionId,
    debt: Debt,
    ask: SessionAsk,
    _cx: &mut Cx<'_>,
    out: &mut Out,
) {
    let reply = match (sessions.all.get_mut(&id), ask) {
        (None, _) => Reply::Error("there is no session".into()),
        (Some(_), _) => Reply::Error("not served".into()),
    };
    out.ask(Ask::Ext(ExtAsk::Reply { debt, reply }));
}

/// A command's prompt: starts or steers a turn.
pub fn prompted(sessions: &mut Sessions, id: SessionId, text: Arc<str>, cx: &mut Cx<'_>, out: &mut Out) {
    if let Some(s) = sessions.all.get_mut(&id) {
        admit::prompt(s, text, Vec::new(), cx, out);
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
