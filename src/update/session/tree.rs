//! Which conversation is in front: new, resumed, forked, rewound. All of it waits for the turn to end.

use std::sync::Arc;

use super::{admit, choice, record};
use crate::model::effect::{Effect, StoreFx, Which};
use crate::model::fact::{Fact, OpenReason, SessionFact};
use crate::model::id::SessionId;
use crate::model::msg::StoreMsg;
use crate::model::provider::Message;
use crate::model::session::load::{self, Loaded};
use crate::model::session::notice::Tone;
use crate::model::session::tree::{NodeId, Tree};
use crate::model::session::turn::Work;
use crate::model::session::{Log, LogState, Owed, Session, Sessions, Tally, Tools, fold, toolset::Toolset};
use crate::model::tool::ToolFx;
use crate::model::tool::kept::Kept;
use crate::update::{Cx, Out};

/// Says why not, when something runs.
fn refused(s: &Session, what: &str, out: &mut Out) -> bool {
    if s.idle() {
        return false;
    }
    let running = match (&s.work, &s.shell) {
        (Work::Turn(_), _) => "the turn",
        (Work::Fold(_), _) => "the compaction",
        (Work::Opening(_), _) => "the opening of a session",
        (Work::Idle, _) => "the command",
    };
    out.notice(Tone::Warning, format!("{what} waits until {running} is over; esc interrupts it."));
    true
}

/// `/new`.
pub fn new(sessions: &mut Sessions, id: SessionId, cx: &mut Cx<'_>, out: &mut Out) {
    let save = !sessions.rules.no_save;
    let Some(s) = sessions.all.get_mut(&id) else { return };
    if refused(s, "/new", out) {
        return;
    }
    out.effect(Effect::Store(StoreFx::Close));
    blank(s, save, cx, out);
    s.desk.loaded = false;
    tell_tools(s, out);
    out.fact(opened(s, OpenReason::New));
    super::load_desk(sessions, id, cx, out);
}

/// An empty conversation in the same place, with the same model.
fn blank(s: &mut Session, save: bool, cx: &mut Cx<'_>, out: &mut Out) {
    admit::give_back(s, cx, out);
    s.queue.next_turn.clear();
    s.tree = Tree::default();
    s.tally = Tally::default();
    s.tools = fresh_tools(&s.tools, 1);
    s.log = Log { uuid: cx.ids.uuid(cx.now.wall).into(), ..Log::default() };
    if !save {
        s.log.state = LogState::Off;
    }
}

/// Narrowings do not outlive their conversation (T16).
fn fresh_tools(old: &Tools, first_kept: u32) -> Tools {
    let set = Toolset { narrowings: Vec::new(), ..old.set.clone() };
    Tools { set, kept: Kept::starting_at(first_kept), ..Tools::default() }
}

fn opened(s: &Session, reason: OpenReason) -> Fact {
    Fact::Session(s.id, SessionFact::Opened { reason, branch: s.tree.shown(), path: s.log.path().cloned() })
}

/// The tools' undo store and freshness follow the session.
pub fn tell_tools(s: &Session, out: &mut Out) {
    let log = s.log.first.clone().or_else(|| s.log.path().cloned());
    out.effect(Effect::Tool(ToolFx::Session { session: s.id, log, cwd: s.cwd.clone() }));
}

/// `/resume`, `-c`.
pub fn resume(sessions: &mut Sessions, id: SessionId, which: Which, cx: &mut Cx<'_>, out: &mut Out) {
    let Some(s) = sessions.all.get_mut(&id) else { return };
    if refused(s, "/resume", out) {
        return;
    }
    if matches!(&which, Which::Path(path) if Some(path) == s.log.path()) {
        return out.flash("That session is in front already");
    }
    let ticket = sessions.owed.issue(cx.ids, Owed::Resume(id));
    s.work = Work::Opening(ticket);
    out.effect(Effect::Store(StoreFx::Open { ticket, which }));
}

/// The store's answer to [`resume`].
pub fn resumed(sessions: &mut Sessions, id: SessionId, msg: StoreMsg, cx: &mut Cx<'_>, out: &mut Out) {
    let (headless, save) = (sessions.rules.headless, !sessions.rules.no_save);
    let Some(s) = sessions.all.get_mut(&id) else { return };
    s.work = Work::Idle;
    match msg {
        StoreMsg::Opened { path, session } => install(s, path, *session, save, cx, out),
        StoreMsg::Missing => {
            out.notice(Tone::Info, "There is no earlier session of this directory; this is a new one.")
        }
        StoreMsg::Busy { path } => {
            let words = format!("The session {path} is open in another e.");
            let offer = if headless {
                " Close it there, or leave out -c to begin a new one."
            } else {
                " /fork makes a copy of it to work on."
            };
            out.notice(Tone::Error, format!("{words}{offer}"));
            s.log.offered = Some(path);
            give_up(s, headless, 75, out);
        }
        StoreMsg::Failed { error } | StoreMsg::AppendFailed { error } => {
            out.fact(Fact::Session(s.id, SessionFact::Nearing { branch: Vec::new() }));
            out.notice(Tone::Error, format!("The session could not be opened: {error}"));
            give_up(s, headless, 1, out);
        }
        StoreMsg::Ending { .. } | StoreMsg::Created { .. } | StoreMsg::Listed { .. } => {
            out.oops("an answer to another question");
        }
    }
    admit::settle(s, cx, out);
}

/// Without a person there is nothing else to do: what was to be sent belongs to that session.
fn give_up(s: &mut Session, headless: bool, status: u8, out: &mut Out) {
    if headless {
        s.lines.waiting.clear();
        out.fact(Fact::Session(s.id, SessionFact::NoTurn { status }));
    }
}

/// The log is open and takes the old conversation's place.
fn install(s: &mut Session, path: Arc<str>, loaded: Loaded, save: bool, cx: &mut Cx<'_>, out: &mut Out) {
    if let Some(version) = loaded.newer {
        out.notice(
            Tone::Error,
            format!("{path} was written by a newer e (format {version}); this one leaves it alone."),
        );
        out.fact(Fact::Session(s.id, SessionFact::Nearing { branch: Vec::new() }));
        out.effect(Effect::Store(StoreFx::Close));
        return blank(s, save, cx, out);
    }
    let notice = load::report(&loaded.bad, &path);
    admit::give_back(s, cx, out);
    s.queue.next_turn.clear();
    let first = loaded.first.clone();
    s.log = Log {
        uuid: loaded.uuid.clone().unwrap_or_else(|| cx.ids.uuid(cx.now.wall).into()),
        name: loaded.name.clone(),
        state: LogState::Open { ticket: cx.ids.ticket(), path: Some(path) },
        first,
        offered: None,
    };
    if !save {
        out.effect(Effect::Store(StoreFx::Close));
        s.log.state = LogState::Off;
    }
    adopt(s, loaded, cx, out);
    tell_tools(s, out);
    out.fact(opened(s, OpenReason::Resume));
    if s.log.name.is_some() {
        out.fact(Fact::Session(s.id, SessionFact::Named { name: s.log.name.clone() }));
    }
    tell_context(s, cx, out);
    if let Some(notice) = notice {
        out.notice(Tone::Warning, notice);
    }
}

/// The tree of a log becomes the session's, with what it used and the model it spoke to.
fn adopt(s: &mut Session, loaded: Loaded, cx: &mut Cx<'_>, out: &mut Out) {
    s.tools = fresh_tools(&s.tools, u32::try_from(loaded.tree.len()).unwrap_or(0) + 1);
    s.tally = Tally::default();
    for (model, usage) in &loaded.responses {
        s.tally.usage += *usage;
        if let Some(pricing) = cx.catalog.find(model).and_then(|m| m.pricing) {
            *s.tally.cost.get_or_insert(0.0) += pricing.cost(*usage);
        }
    }
    s.tree = loaded.tree;
    recount(s);
    let asked = s.choice.wanted.is_some() || cx.boot.launch.model.is_some() && s.choice.model.is_some();
    if let Some(model) = loaded.model.filter(|_| !asked) {
        s.choice.model = None;
        s.choice.wanted = Some(model.to_string().into());
        choice::resume_model(s, cx, out);
    }
}

/// The context as the last counted response of the branch says, and what came after it.
pub fn recount(s: &mut Session) {
    (s.tally.context, s.tally.estimated, s.tally.counted) = (0, 0, false);
    for node in s.tree.branch() {
        let counted = node.response.as_ref().map_or(0, |(_, usage)| usage.context());
        s.tally.grow(fold::estimate(&node.message), counted);
    }
}

fn tell_context(s: &Session, cx: &Cx<'_>, out: &mut Out) {
    if let Some(model) = choice::info(s, cx.catalog) {
        record::tell_context(s, model.context_window, out);
    }
}

/// `/fork`: the branch goes on in a log of its own. Behind a session that is open elsewhere, that one is copied.
pub fn fork(sessions: &mut Sessions, id: SessionId, cx: &mut Cx<'_>, out: &mut Out) {
    let Some(s) = sessions.all.get_mut(&id) else { return };
    if refused(s, "/fork", out) {
        return;
    }
    if let (true, Some(path)) = (s.tree.is_empty(), s.log.offered.clone()) {
        let ticket = sessions.owed.issue(cx.ids, Owed::Copy(id));
        s.work = Work::Opening(ticket);
        return out.effect(Effect::Store(StoreFx::Read { ticket, path }));
    }
    if s.tree.is_empty() {
        return out.flash("There is nothing to fork yet");
    }
    split(s, cx, out);
}

/// The branch alone, in a new log.
fn split(s: &mut Session, cx: &mut Cx<'_>, out: &mut Out) {
    let mut tree = Tree::default();
    for node in s.tree.branch() {
        let _fresh = tree.push(node.clone());
    }
    s.tree = tree;
    s.log.offered = None;
    out.effect(Effect::Store(StoreFx::Close));
    record::move_to_new_log(s, false, cx, out);
    tell_tools(s, out);
    out.fact(opened(s, OpenReason::Fork));
    tell_context(s, cx, out);
}

/// The store's answer to a copy of a log that is open elsewhere.
pub fn copied(sessions: &mut Sessions, id: SessionId, msg: StoreMsg, cx: &mut Cx<'_>, out: &mut Out) {
    let Some(s) = sessions.all.get_mut(&id) else { return };
    s.work = Work::Idle;
    match msg {
        StoreMsg::Opened { path, session: loaded } => {
            if let Some(notice) = load::report(&loaded.bad, &path) {
                out.notice(Tone::Warning, notice);
            }
            s.log.name = loaded.name.clone();
            adopt(s, *loaded, cx, out);
            split(s, cx, out);
        }
        StoreMsg::Failed { error } | StoreMsg::AppendFailed { error } => {
            out.notice(Tone::Error, format!("The session could not be read: {error}"));
        }
        StoreMsg::Busy { .. }
        | StoreMsg::Missing
        | StoreMsg::Ending { .. }
        | StoreMsg::Created { .. }
        | StoreMsg::Listed { .. } => {
            out.notice(Tone::Error, "The session could not be read: it is not there any more.");
        }
    }
    admit::settle(s, cx, out);
}

/// `/tree`: back to just before a prompt, which returns to the composer; to any other message itself.
pub fn rewind(s: &mut Session, node: &NodeId, cx: &mut Cx<'_>, out: &mut Out) {
    if refused(s, "/tree", out) {
        return;
    }
    let Some(target) = s.tree.get(node) else { return };
    let (to, prompt) = match &*target.message {
        Message::User(user) if !user.internal => (target.parent.clone(), Some(Arc::from(user.text()))),
        Message::User(_) | Message::Assistant(_) | Message::Tool(_) => (Some(target.id.clone()), None),
    };
    if !s.tree.move_head(to.as_deref()) {
        return out.oops("a node lost its parent");
    }
    recount(s);
    out.fact(Fact::Session(s.id, SessionFact::Moved { branch: s.tree.shown(), prompt }));
    tell_context(s, cx, out);
}
