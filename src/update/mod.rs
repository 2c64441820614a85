//! The pure core: `update(state, msg) -> (state, effects)`. The door, the router and the drain; no decision is made here.

mod boot;
mod commands;
mod ext;
pub mod front;
mod line;
mod out;
pub mod session;
pub mod tui;

pub use out::{Cx, Out, Seen};

use crate::model::ask::{Ask, ExtAsk};
use crate::model::boot::BootMsg;
use crate::model::config::complaint::Complaint;
use crate::model::effect::{Effect, Effects};
use crate::model::ext::{ExtMsg, Exts, HookKind, HookValue};
use crate::model::fact::Fact;
use crate::model::front::Front;
use crate::model::id::Ticket;
use crate::model::msg::{FilesMsg, Msg, Signal, Stamped};
use crate::model::provider::Catalog;
use crate::model::session::Sessions;
use crate::model::session::notice::Tone;
use crate::model::time::At;
use crate::model::tui::Awaiting;
use crate::model::wire::ext::Reply;
use crate::model::{Faults, Model};

/// Asks and facts that one message may cause before something must be wrong (R4).
const FUEL: u32 = 10_000;

/// One step of the core. Everything it wants done is in the effects; everything it knows is in the model.
pub fn update(mut state: Model, msg: Stamped) -> (Model, Effects) {
    let mut out = Out::default();
    step(&mut state, msg, &mut out);
    (state, out.into_effects())
}

/// What an onlooker brings: a message of the world, or what a front or an extension would ask.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    Msg(Msg),
    Ask(Ask),
}

/// [`update`] for an onlooker, who also hears the facts and answers the hooks itself.
pub fn watched(mut state: Model, at: At, input: Input) -> (Model, Effects, Seen) {
    let mut out = Out { seen: Some(Seen::default()), ..Out::default() };
    match input {
        Input::Msg(msg) => step(&mut state, Stamped { at, msg }, &mut out),
        Input::Ask(ask) => {
            out.ask(ask);
            state.now = at;
            let (mut parts, mut cx) = split(&mut state);
            settle(&mut parts, &mut cx, &mut out);
        }
    }
    let seen = out.seen.take().unwrap_or_default();
    (state, out.into_effects(), seen)
}

/// What a front outside the core asks, with the hooks answered as ever.
pub fn told(mut state: Model, at: At, ask: Ask) -> (Model, Effects) {
    let mut out = Out::default();
    out.ask(ask);
    state.now = at;
    let (mut parts, mut cx) = split(&mut state);
    settle(&mut parts, &mut cx, &mut out);
    (state, out.into_effects())
}

/// The parts that rooms are lent, each its own.
struct Parts<'a> {
    sessions: &'a mut Sessions,
    exts: &'a mut Exts,
    front: &'a mut Front,
    faults: &'a mut Faults,
}

/// A message, and of the first one what is left to say after the model took it in.
enum Begun {
    Boot(Vec<Complaint>),
    Other(Msg),
}

fn step(model: &mut Model, stamped: Stamped, out: &mut Out) {
    let Stamped { at, msg } = stamped;
    model.now = at;
    let rewriting = model.exts.living(model.registry.hooked(HookKind::ToolResult));
    session::hold(&mut model.sessions, !rewriting.is_empty());
    let msg = match msg {
        Msg::Boot(boot) => {
            let BootMsg::Start(facts) = *boot;
            Begun::Boot(boot::begin(model, facts))
        }
        other => Begun::Other(other),
    };
    let (mut parts, mut cx) = split(model);
    match msg {
        Begun::Boot(complaints) => {
            // The session first: opening it clears the screen of notices.
            boot::start(parts.sessions, complaints, &mut cx, out);
            parts.exts.line.launched = !cx.boot.calling.pending;
            if let Front::Tui(tui) = &mut *parts.front {
                tui::start(tui, parts.sessions, &mut cx, out);
            }
        }
        Begun::Other(msg) => route(&mut parts, msg, &mut cx, out),
    }
    settle(&mut parts, &mut cx, out);
}

/// Each room's part, and the surroundings they share.
fn split(model: &mut Model) -> (Parts<'_>, Cx<'_>) {
    let Model { ids, now, boot, config, catalog, sessions, exts, registry, front, faults } = model;
    (Parts { sessions, exts, front, faults }, Cx { now: *now, ids, boot, config, catalog, registry })
}

/// Lets everything come to rest that one message caused.
fn settle(parts: &mut Parts<'_>, cx: &mut Cx<'_>, out: &mut Out) {
    drain(parts, cx, out);
    if !out.faults.is_empty() {
        report_faults(parts, cx, out);
    }
    if let Front::Tui(tui) = &mut *parts.front {
        tui::rest(tui, parts.sessions, cx, out);
    }
    if let Some(status) = out.exit {
        out.effect(Effect::Exit(status));
    }
}

/// Hands a message to the room whose matter it is; an answer that nobody waits for is late and is dropped.
fn route(parts: &mut Parts<'_>, msg: Msg, cx: &mut Cx<'_>, out: &mut Out) {
    match msg {
        Msg::Boot(_) => out.oops("a second boot"),
        Msg::Stream(id, msg) => session::stream(parts.sessions, id, msg, cx, out),
        Msg::Tool(id, msg) => session::tool(parts.sessions, id, msg, cx, out),
        Msg::Timer(id) => {
            if !session::timer(parts.sessions, id, cx, out)
                && !ext::timer(parts.exts, id, cx, out)
                && let Front::Tui(tui) = &mut *parts.front
            {
                let _ours = tui::timer(tui, id, parts.sessions, cx, out);
            }
        }
        Msg::Store(ticket, msg) => {
            let Some(msg) = session::store(parts.sessions, ticket, msg, cx, out) else { return };
            if let Front::Tui(tui) = &mut *parts.front {
                tui::store(tui, ticket, msg, parts.sessions, cx, out);
            }
        }
        Msg::Files(ticket, msg) => {
            if let FilesMsg::Catalog { models, .. } = &msg {
                *cx.catalog = Catalog { models: models.clone(), loaded: true };
            }
            if boot::image(parts.sessions, ticket, &msg, out)
                || line::templates(parts.sessions, ticket, &msg, cx, out)
            {
                return;
            }
            let Some(msg) = session::files(parts.sessions, ticket, msg, cx, out) else { return };
            if let Front::Tui(tui) = &mut *parts.front {
                tui::files(tui, ticket, msg, parts.sessions, cx, out);
            }
        }
        Msg::Auth(ticket, msg) => {
            if let Front::Tui(tui) = &mut *parts.front {
                tui::auth(tui, ticket, msg, parts.sessions, cx, out);
            }
        }
        Msg::Term(msg) => {
            if let Front::Tui(tui) = &mut *parts.front {
                tui::term(tui, msg, parts.sessions, cx, out);
            }
        }
        Msg::Signal(signal) => on_signal(parts, signal, cx, out),
        Msg::Ext(ExtMsg::Measured { ticket, traffic }) => {
            if let Front::Tui(tui) = &mut *parts.front {
                tui::measured(tui, ticket, &traffic, parts.exts, cx, out);
            }
        }
        Msg::Ext(msg) => ext::msg(parts.exts, msg, cx, out),
    }
}

fn on_signal(parts: &mut Parts<'_>, signal: Signal, cx: &mut Cx<'_>, out: &mut Out) {
    match (signal, &mut *parts.front) {
        (Signal::Terminate, Front::Print(print)) => front::print::signal(print, 143, out),
        (Signal::HangUp, Front::Print(print)) => front::print::signal(print, 129, out),
        (Signal::Interrupt, Front::Print(print)) => front::print::signal(print, 130, out),
        (Signal::Terminate, Front::Tui(tui)) => {
            tui::ending(tui, out);
            out.ask(Ask::Exit(143));
        }
        (Signal::HangUp, Front::Tui(tui)) => {
            tui::ending(tui, out);
            out.ask(Ask::Exit(129));
        }
        (Signal::Closed, Front::Print(print)) => front::print::signal(print, 0, out),
        (Signal::Unwritable, Front::Print(print)) => front::print::signal(print, 1, out),
        (
            Signal::Interrupt
            | Signal::Closed
            | Signal::Unwritable
            | Signal::Slept(_)
            | Signal::Continued
            | Signal::Saved,
            Front::Tui(tui),
        ) => {
            tui::signal(tui, signal, parts.sessions, cx, out);
        }
        (Signal::Slept(_) | Signal::Continued | Signal::Saved, Front::Print(_)) => {}
    }
}

/// Empties the asks, then the facts, until both are empty.
fn drain(parts: &mut Parts<'_>, cx: &mut Cx<'_>, out: &mut Out) {
    for _ in 0..FUEL {
        if let Some(ask) = out.asks.pop_front() {
            answer(parts, ask, cx, out);
        } else if let Some(fact) = out.facts.pop_front() {
            observe(parts, &fact, cx, out);
            if let Some(seen) = &mut out.seen {
                seen.facts.push(fact);
            }
        } else if line::advance(parts.sessions, parts.exts.ready() && !reloading(parts.front), cx, out) {
            continue;
        } else {
            return;
        }
    }
    out.asks.clear();
    out.facts.clear();
    out.oops("an update did not come to rest");
}

/// Prompts typed during a reload are held and read after it.
fn reloading(front: &Front) -> bool {
    matches!(front, Front::Tui(tui) if tui.pending.tickets.any(|a| *a == Awaiting::Reload))
}

fn answer(parts: &mut Parts<'_>, ask: Ask, cx: &mut Cx<'_>, out: &mut Out) {
    match ask {
        Ask::Hook { ticket, session, value } => match &mut out.seen {
            Some(seen) => seen.hooks.push((ticket, value)),
            None => ext::run(parts.exts, ticket, session, value, cx, out),
        },
        Ask::HookDone { ticket, value } => hook_done(parts, ticket, value, cx, out),
        Ask::Line(submitted) => line::submit(parts.sessions, submitted, out),
        Ask::Session(id, ask) => session::ask(parts.sessions, id, ask, cx, out),
        Ask::Ui(ask) => {
            if let Front::Tui(tui) = &mut *parts.front {
                tui::ui(tui, ask, parts.sessions, cx, out);
            }
        }
        Ask::Trust { record } => boot::trusted(parts.sessions, record, cx, out),
        Ask::Exit(status) => {
            session::shut(parts.sessions, cx, out);
            ext::shut(parts.exts, cx, out);
            out.exit.get_or_insert(status);
        }
        Ask::Ext(ask) => ext::ask(parts.exts, ask, cx, out),
        Ask::Launched(launch) => boot::launched(parts.sessions, *launch, cx, out),
        Ask::ToolSaid(call, msg) => session::tool(parts.sessions, call, msg, cx, out),
        Ask::Offer(tools) => session::offer(parts.sessions, &tools),
        Ask::ExtSession { debt, ask } => {
            let front = parts.sessions.front;
            session::asked(parts.sessions, front, debt, ask, cx, out);
        }
        Ask::ExtPrompt { session, text } => session::prompted(parts.sessions, session, text, cx, out),
        Ask::ExtName { session, name } => {
            session::named(parts.sessions, session, &name, cx, out);
        }
        Ask::ExtGone { ext, name, silent } => {
            session::ext_gone(parts.sessions, ext, &name, silent, out);
            if let Front::Tui(tui) = &mut *parts.front {
                tui::ext_gone(tui, ext, cx, out);
            }
        }
        Ask::ExtUi { debt, name, ask } => match &mut *parts.front {
            Front::Tui(tui) => tui::asked(tui, debt, &name, ask, parts.sessions, cx, out),
            Front::Print(_) => out.ask(Ask::Ext(ExtAsk::Reply { debt, reply: Reply::no_ui() })),
        },
        Ask::ExtWithdraw(debts) => {
            if let Front::Tui(tui) = &mut *parts.front {
                tui::withdraw(tui, &debts, cx, out);
            }
        }
        Ask::Completed { ticket, items } => {
            if let Front::Tui(tui) = &mut *parts.front {
                tui::completed(tui, ticket, items, cx, out);
            }
        }
    }
}

/// A chain is over: whoever asked gets the value.
fn hook_done(parts: &mut Parts<'_>, ticket: Ticket, value: HookValue, cx: &mut Cx<'_>, out: &mut Out) {
    let Some(value) = line::hook_done(parts.sessions, ticket, value, cx, out) else { return };
    if value.kind() == HookKind::Render {
        if let Front::Tui(tui) = &mut *parts.front {
            tui::rendered(tui, ticket, value, cx, out);
        }
        return;
    }
    session::hook_done(parts.sessions, ticket, value, cx, out);
}

fn observe(parts: &mut Parts<'_>, fact: &Fact, cx: &mut Cx<'_>, out: &mut Out) {
    ext::observe(parts.exts, fact, parts.sessions, cx, out);
    match &mut *parts.front {
        Front::Tui(tui) => tui::observe(tui, fact, parts.sessions, cx, out),
        Front::Print(print) => front::print::observe(print, fact, parts.sessions, cx, out),
    }
}

/// Says once, for each kind, that something impossible happened.
fn report_faults(parts: &mut Parts<'_>, cx: &mut Cx<'_>, out: &mut Out) {
    for fault in std::mem::take(&mut out.faults) {
        if !parts.faults.seen.contains(&fault) {
            parts.faults.seen.push(fault);
            out.notice(Tone::Warning, format!("This is a bug in e, please report it: {fault}."));
        }
    }
    drain(parts, cx, out);
    parts.faults.seen.append(&mut out.faults);
}
