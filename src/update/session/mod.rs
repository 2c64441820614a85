//! The sessions' door: what streams, tools, timers, store, files and the other rooms say is brought to its session.
//! An answer that nobody waits for is late, and is dropped here.

mod admit;
mod batch;
mod choice;
mod end;
mod extension;
mod fold;
mod record;
mod request;
pub mod retry;
mod shell;
mod tree;
mod turn;

pub use extension::{asked, ext_gone, hold, named, offer, prompted};

use std::sync::Arc;

use crate::model::ask::SessionAsk;
use crate::model::effect::{Effect, FilesFx, Which};
use crate::model::ext::HookValue;
use crate::model::fact::{Fact, SessionFact};
use crate::model::id::{CallId, SessionId, StreamId, Ticket, TimerId};
use crate::model::msg::{FilesMsg, StoreMsg};
use crate::model::provider::StreamMsg;
use crate::model::session::notice::Tone;
use crate::model::session::turn::{FoldStage, Phase, Work};
use crate::model::session::{LogState, Owed, Session, Sessions};
use crate::model::tool::ToolMsg;
use crate::update::{Cx, Out};

/// What a session is waiting for, by the kind of answer.
fn owner(sessions: &mut Sessions, waits: impl Fn(&Session) -> bool) -> Option<&mut Session> {
    sessions.all.values_mut().find(|s| waits(s))
}

pub fn stream(sessions: &mut Sessions, id: StreamId, msg: StreamMsg, cx: &mut Cx<'_>, out: &mut Out) {
    let asks = |stage: &FoldStage| matches!(stage, FoldStage::Asking(asking) if asking.stream == id);
    let waits = |s: &Session| match &s.work {
        Work::Turn(turn) => match &turn.phase {
            Phase::Asking(asking) => asking.stream == id,
            Phase::Folding(folding) => asks(&folding.stage),
            Phase::Prelude(_) | Phase::Backoff(_) | Phase::Tools(_) => false,
        },
        Work::Fold(folding) => asks(&folding.stage),
        Work::Idle | Work::Opening(_) => false,
    };
    let Some(s) = owner(sessions, waits) else { return };
    match std::mem::take(&mut s.work) {
        Work::Turn(turn) if matches!(turn.phase, Phase::Folding(_)) => {
            fold::hear_in_turn(s, turn, msg, cx, out)
        }
        Work::Turn(turn) => turn::hear(s, turn, msg, cx, out),
        Work::Fold(folding) => fold::hear_by_hand(s, folding, msg, cx, out),
        other => s.work = other,
    }
}

pub fn tool(sessions: &mut Sessions, id: CallId, msg: ToolMsg, cx: &mut Cx<'_>, out: &mut Out) {
    let in_batch = |s: &Session| match s.turn().map(|t| &t.phase) {
        Some(Phase::Tools(batch)) => batch.calls.iter().any(|c| c.id == id),
        _ => false,
    };
    let in_shell = |s: &Session| s.shell.as_ref().is_some_and(|shell| shell.call == id);
    let waits = |s: &Session| in_batch(s) || in_shell(s) || s.tools.undo == Some(id);
    let Some(s) = owner(sessions, waits) else { return };
    if in_shell(s) {
        return shell::hear(s, msg, cx, out);
    }
    if s.tools.undo == Some(id) {
        return shell::undone(s, msg, out);
    }
    match std::mem::take(&mut s.work) {
        Work::Turn(turn) => batch::hear(s, turn, id, msg, cx, out),
        other => s.work = other,
    }
}

/// Whether the timer was a session's.
pub fn timer(sessions: &mut Sessions, id: TimerId, cx: &mut Cx<'_>, out: &mut Out) -> bool {
    let waits = |s: &Session| match &s.work {
        Work::Turn(turn) => match &turn.phase {
            Phase::Backoff(wait) => wait.timer == id,
            Phase::Folding(folding) => fold::rings(folding, id),
            Phase::Prelude(_) | Phase::Asking(_) | Phase::Tools(_) => false,
        },
        Work::Fold(folding) => fold::rings(folding, id),
        Work::Idle | Work::Opening(_) => false,
    };
    let Some(s) = owner(sessions, waits) else { return false };
    match std::mem::take(&mut s.work) {
        Work::Turn(turn) => turn::ring(s, turn, id, cx, out),
        Work::Fold(mut folding) => {
            fold::again(s, &mut folding, cx, out);
            s.work = Work::Fold(folding);
        }
        other => s.work = other,
    }
    true
}

pub fn hook_done(sessions: &mut Sessions, ticket: Ticket, value: HookValue, cx: &mut Cx<'_>, out: &mut Out) {
    let hooks = |stage: &FoldStage| matches!(stage, FoldStage::Hook(t) if *t == ticket);
    let waits = |s: &Session| match &s.work {
        Work::Turn(turn) => match &turn.phase {
            Phase::Prelude(t) => *t == ticket,
            Phase::Tools(batch) => batch::awaits(batch, ticket),
            Phase::Folding(folding) => hooks(&folding.stage),
            Phase::Asking(_) | Phase::Backoff(_) => false,
        },
        Work::Fold(folding) => hooks(&folding.stage),
        Work::Idle | Work::Opening(_) => false,
    };
    let Some(s) = owner(sessions, waits) else { return };
    match std::mem::take(&mut s.work) {
        Work::Turn(turn) => match &turn.phase {
            Phase::Prelude(_) => turn::prelude_done(s, turn, value, cx, out),
            Phase::Folding(_) => fold::hooked_in_turn(s, turn, value, cx, out),
            Phase::Tools(_) | Phase::Asking(_) | Phase::Backoff(_) => {
                batch::hook_done(s, turn, ticket, value, cx, out);
            }
        },
        Work::Fold(folding) => fold::hooked_by_hand(s, folding, value, cx, out),
        other => s.work = other,
    }
}

/// Gives back an answer that no session asked for.
pub fn store(
    sessions: &mut Sessions,
    ticket: Ticket,
    msg: StoreMsg,
    cx: &mut Cx<'_>,
    out: &mut Out,
) -> Option<StoreMsg> {
    if let StoreMsg::Ending { branch } = msg {
        if let Some(Owed::Resume(id)) = sessions.owed.get(ticket) {
            out.fact(Fact::Session(*id, SessionFact::Nearing { branch }));
        }
        return None;
    }
    match sessions.owed.take(ticket) {
        Some(Owed::Resume(id)) => tree::resumed(sessions, id, msg, cx, out),
        Some(Owed::Copy(id)) => tree::copied(sessions, id, msg, cx, out),
        Some(_) => out.oops("the store answered for the files"),
        None => {
            let waits =
                |s: &Session| matches!(&s.log.state, LogState::Open { ticket: t, .. } if *t == ticket);
            match owner(sessions, waits) {
                Some(s) => logged(s, ticket, msg, out),
                None => match msg {
                    // A log that is not in front any more.
                    StoreMsg::AppendFailed { error } => {
                        out.notice(
                            Tone::Warning,
                            format!("The end of an earlier session was not saved: {error}"),
                        );
                    }
                    other => return Some(other),
                },
            }
        }
    }
    None
}

/// News of the session's own log.
fn logged(s: &mut Session, ticket: Ticket, msg: StoreMsg, out: &mut Out) {
    match msg {
        StoreMsg::Created { path } => {
            s.log.state = LogState::Open { ticket, path: Some(path.clone()) };
            out.fact(Fact::Session(s.id, SessionFact::Saved { path }));
            tree::tell_tools(s, out);
        }
        StoreMsg::AppendFailed { error } | StoreMsg::Failed { error } => {
            s.log.state = LogState::Off;
            out.notice(
                Tone::Warning,
                format!("The session can't be saved from here on ({error}). It goes on in memory only."),
            );
        }
        StoreMsg::Busy { .. }
        | StoreMsg::Missing
        | StoreMsg::Ending { .. }
        | StoreMsg::Opened { .. }
        | StoreMsg::Listed { .. } => {
            out.oops("a log answered with something else");
        }
    }
}

/// A new catalogue is in force.
pub fn catalog_loaded(sessions: &mut Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    let probing = !sessions.probed || sessions.owed.any(|o| *o == Owed::Probe);
    choice::settle(sessions, probing, cx, out);
}

/// Asks the local backends for their models, once, when the first catalogue is there: never in the way of a first frame.
fn probe(sessions: &mut Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    if std::mem::replace(&mut sessions.probed, true) {
        return;
    }
    let unsettled = sessions.all.values().any(|s| s.choice.wanted.is_some() || s.choice.model.is_none());
    if sessions.rules.headless && !unsettled {
        return;
    }
    let ticket = sessions.owed.issue(cx.ids, Owed::Probe);
    out.effect(Effect::Files(FilesFx::ProbeLocal { ticket }));
}

/// Gives back an answer that no session asked for, and every catalogue.
pub fn files(
    sessions: &mut Sessions,
    ticket: Ticket,
    msg: FilesMsg,
    cx: &mut Cx<'_>,
    out: &mut Out,
) -> Option<FilesMsg> {
    let owed = sessions.owed.take(ticket);
    match (owed, msg) {
        (None, msg) => {
            if matches!(msg, FilesMsg::Catalog { .. }) {
                catalog_loaded(sessions, cx, out);
            }
            return Some(msg);
        }
        (Some(owed), FilesMsg::Catalog { models, complaints }) => {
            for complaint in &complaints {
                out.notice(Tone::Warning, complaint.to_string());
            }
            if owed == Owed::Catalog {
                probe(sessions, cx, out);
            }
            catalog_loaded(sessions, cx, out);
            return Some(FilesMsg::Catalog { models, complaints });
        }
        (Some(Owed::Instructions(id)), FilesMsg::Instructions { files, system_prompt, complaints }) => {
            warn_all(&complaints, out);
            if let Some(s) = sessions.all.get_mut(&id) {
                s.desk.instructions = files;
                s.desk.system_prompt = system_prompt;
                s.desk.loaded = true;
            }
        }
        (Some(Owed::Templates(id)), FilesMsg::Templates { prompts, skills, complaints }) => {
            warn_all(&complaints, out);
            if let Some(s) = sessions.all.get_mut(&id) {
                s.desk.templates.clone_from(&prompts);
                s.desk.skills.clone_from(&skills);
            }
            return Some(FilesMsg::Templates { prompts, skills, complaints });
        }
        (Some(owed), FilesMsg::Failed { error }) => files_failed(sessions, &owed, &error, cx, out),
        (Some(_), other) => {
            out.oops("the files answered another question");
            return Some(other);
        }
    }
    None
}

fn warn_all(complaints: &[Arc<str>], out: &mut Out) {
    for complaint in complaints {
        out.notice(Tone::Warning, complaint.clone());
    }
}

fn files_failed(sessions: &mut Sessions, owed: &Owed, error: &str, cx: &mut Cx<'_>, out: &mut Out) {
    match owed {
        Owed::Catalog | Owed::Probe => {
            cx.catalog.loaded = true;
            out.notice(Tone::Error, format!("The models could not be loaded: {error}"));
            catalog_loaded(sessions, cx, out);
        }
        Owed::Instructions(id) => {
            out.notice(Tone::Warning, format!("Instructions could not be read: {error}"));
            if let Some(s) = sessions.all.get_mut(id) {
                s.desk.loaded = true;
            }
        }
        Owed::Settings => out.notice(
            Tone::Warning,
            format!("The setting holds for this run, but its file has a problem: {error}"),
        ),
        Owed::Templates(_) | Owed::Resume(_) | Owed::Copy(_) | Owed::FirstImage | Owed::LineTemplates(_) => {
            out.notice(Tone::Warning, error);
        }
    }
}

/// Another room, or a command, tells a session what to do.
pub fn ask(sessions: &mut Sessions, id: SessionId, ask: SessionAsk, cx: &mut Cx<'_>, out: &mut Out) {
    match ask {
        SessionAsk::Model(model) => return choice::set_model(sessions, id, &model, cx, out),
        SessionAsk::Effort(level) => return choice::set_effort(sessions, id, &level, cx, out),
        SessionAsk::New => return tree::new(sessions, id, cx, out),
        SessionAsk::Resume { path } => return tree::resume(sessions, id, Which::Path(path), cx, out),
        SessionAsk::Fork => return tree::fork(sessions, id, cx, out),
        SessionAsk::Refresh => return load_desk(sessions, id, cx, out),
        _ => {}
    }
    let Some(s) = sessions.all.get_mut(&id) else { return };
    match ask {
        SessionAsk::Prompt { text, images } => admit::prompt(s, text, images, cx, out),
        SessionAsk::Shell { command, hidden } => shell::run(s, command, hidden, cx, out),
        SessionAsk::Interrupt => end::interrupt(s, cx, out),
        SessionAsk::Unqueue { index } => admit::unqueue(s, index, out),
        SessionAsk::Name(name) => {
            if let Some(name) = choice::set_name(s, &name, cx, out) {
                out.flash(format!("Session name: {name}"));
            }
        }
        SessionAsk::Compact { focus } => compact(s, focus, cx, out),
        SessionAsk::Rewind { node } => tree::rewind(s, &node, cx, out),
        SessionAsk::Undo => shell::undo(s, cx, out),
        SessionAsk::Model(_)
        | SessionAsk::Effort(_)
        | SessionAsk::New
        | SessionAsk::Resume { .. }
        | SessionAsk::Refresh
        | SessionAsk::Fork => {}
    }
}

/// `/compact`: now when idle, at the next safe point in a turn.
fn compact(s: &mut Session, focus: Option<Arc<str>>, cx: &mut Cx<'_>, out: &mut Out) {
    if s.folding() {
        return out.flash("A compaction is under way");
    }
    if let Work::Turn(turn) = &mut s.work {
        turn.fold_wanted = Some(focus);
        return out.flash("Compacts before the next request");
    }
    if !s.idle() {
        return out.notice(Tone::Warning, "/compact waits until the command is over.");
    }
    if s.tree.is_empty() {
        return out.flash("There is nothing to compact yet");
    }
    match choice::info(s, cx.catalog) {
        Some(model) => fold::begin_by_hand(s, model, s.choice.effort.clone(), focus, cx, out),
        None => out.notice(Tone::Error, "/compact needs a model. Choose one with /model."),
    }
}

/// Ends everything that runs, so that the process can.
pub fn shut(sessions: &mut Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    sessions.first = None;
    for s in sessions.all.values_mut() {
        s.lines = Default::default();
        s.queue.run_next = false;
        end::interrupt(s, cx, out);
    }
}

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
    tree::resume(sessions, id, Which::Latest { cwd }, cx, out);
}
