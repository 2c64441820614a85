//! From discovery to death: who is started, who answered the handshake, who is gone (`extensions-notes.md` 2, 3, 19).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::calls::{self, End};
use super::{chains, complain, config, events, hear, launch};
use crate::model::ask::Ask;
use crate::model::boot::Mode;
use crate::model::effect::Effect;
use crate::model::ext::discover::{Found, Skipped};
use crate::model::ext::live::{Asked, Stage, State};
use crate::model::ext::registry::{Greeted, Registry};
use crate::model::ext::words::{self, EXITED};
use crate::model::ext::world::{ExtFx, Over};
use crate::model::ext::{Ext, Exts, flags};
use crate::model::fact::{ExtFact, Fact};
use crate::model::id::{ExtId, Ticket};
use crate::model::session::commands::COMMANDS;
use crate::model::session::notice::Tone;
use crate::model::text::clean::Clean;
use crate::model::tool::spec;
use crate::model::wire::ext::{self as wire, Event, INITIALIZE_TIME, Init, Lost};
use crate::update::{Cx, Out};

/// Looks into the directories.
pub fn look(exts: &mut Exts, cx: &mut Cx<'_>, out: &mut Out) {
    let ticket = cx.ids.ticket();
    exts.stage = Stage::Looking(ticket);
    out.effect(Effect::Ext(ExtFx::Discover { ticket }));
}

/// What is there is started and greeted, all at once.
pub fn found(
    exts: &mut Exts,
    ticket: Ticket,
    found: Vec<Found>,
    skipped: Vec<Skipped>,
    cx: &mut Cx<'_>,
    out: &mut Out,
) {
    if exts.stage != Stage::Looking(ticket) {
        return;
    }
    for skipped in skipped.iter().filter(|skipped| skipped.why.notice()) {
        complain(&skipped.file, &skipped.why.words(), out);
    }
    exts.skipped = skipped;
    exts.stage = Stage::Greeting;
    for found in found {
        let id = start(exts, found, cx, out);
        exts.order.push(id);
    }
    all_greeted(exts, cx, out);
}

/// Starts one process and greets it.
fn start(exts: &mut Exts, found: Found, cx: &mut Cx<'_>, out: &mut Out) -> ExtId {
    let id = ExtId(cx.ids.number());
    let (path, cwd) = (found.path.clone(), cx.boot.cwd.clone());
    exts.all.insert(id, Ext::new(found));
    out.effect(Effect::Ext(ExtFx::Spawn { ext: id, path, cwd: cwd.clone() }));
    let init = Init {
        ui: cx.boot.launch.mode == Mode::Terminal,
        version: cx.boot.version.clone(),
        cwd,
        config: config(cx),
    };
    let call = wire::Call::Initialize(init);
    let _sent = calls::open(exts, id, &call, Asked::Initialize, INITIALIZE_TIME, cx, out);
    id
}

/// The handshake of one is over.
pub fn greeted(exts: &mut Exts, id: ExtId, end: End, cx: &mut Cx<'_>, out: &mut Out) {
    let answer = match end {
        End::Answer(Ok(value)) => wire::manifest(&value, &flags::OWN),
        End::Answer(Err(error)) => Err(format!("it refused to start: {}", Clean::collapsed(&error))),
        End::Late => Err(format!("no answer to initialize within {} seconds", INITIALIZE_TIME.as_secs())),
        End::Gone => Err(EXITED.to_owned()),
    };
    let Some(ext) = exts.all.get_mut(&id) else { return };
    match answer {
        Ok((manifest, notices)) => {
            ext.manifest = Some(Arc::new(manifest));
            ext.state = State::Live;
            let file = ext.found.file.clone();
            for notice in notices {
                complain(&file, &notice, out);
            }
        }
        Err(why) => {
            ext.state = State::Dead(why.as_str().into());
            ext.early.clear();
            complain(&ext.found.file.clone(), &why, out);
            out.effect(Effect::Ext(ExtFx::Kill(id)));
        }
    }
    all_greeted(exts, cx, out);
}

/// When nobody is being greeted any more: conflicts are settled in launch order, and the start goes on.
fn all_greeted(exts: &mut Exts, cx: &mut Cx<'_>, out: &mut Out) {
    if exts.greeting() {
        return;
    }
    let fresh: Vec<ExtId> = match exts.stage {
        Stage::Greeting => exts.order.clone(),
        // One that was started anew, beside the others.
        Stage::Ready => {
            exts.order.iter().copied().filter(|id| exts.live(*id).is_some_and(|ext| !ext.announced)).collect()
        }
        _ => return,
    };
    register(exts, cx, out);
    let begun = exts.stage == Stage::Greeting && !exts.line.launched;
    if begun {
        launch::begin(exts, cx, out);
    } else {
        exts.stage = Stage::Ready;
        for id in &fresh {
            launch::tell_flags(exts, *id, out);
            let start = Event::SessionStart { reason: "reload".into(), path: exts.heard.path.clone() };
            events::send_to(exts, *id, start, cx, out);
        }
        out.fact(Fact::Ext(ExtFact::Ready));
    }
    for id in fresh {
        serve_early(exts, id, cx, out);
    }
}

/// What it said before it had a name is served now, in order.
fn serve_early(exts: &mut Exts, id: ExtId, cx: &mut Cx<'_>, out: &mut Out) {
    let Some(ext) = exts.all.get_mut(&id) else { return };
    ext.announced = true;
    for said in std::mem::take(&mut ext.early) {
        hear(exts, id, said, cx, out);
    }
}

/// Makes the registry anew from everyone who said what it is; a dead one's tools and commands stay listed.
fn register(exts: &Exts, cx: &mut Cx<'_>, out: &mut Out) {
    let greeted: Vec<Greeted<'_>> = exts
        .order
        .iter()
        .filter_map(|id| {
            let ext = exts.all.get(id).filter(|ext| ext.state != State::Off)?;
            Some(Greeted { id: *id, file: &ext.found.file, manifest: ext.manifest.as_deref()? })
        })
        .collect();
    let names = COMMANDS.iter().flat_map(|c| std::iter::once(&c.name).chain(c.aliases));
    let taken: BTreeSet<Arc<str>> = names.map(|name| Arc::from(*name)).collect();
    let (registry, notices) = Registry::new(&greeted, &taken);
    for notice in notices {
        out.notice(Tone::Warning, notice);
    }
    let tools = registry.offered(spec::builtins());
    *cx.registry = Arc::new(registry);
    out.ask(Ask::Offer(tools));
    out.fact(Fact::Ext(ExtFact::Registry));
}

pub fn stderr(exts: &mut Exts, id: ExtId, line: Result<Arc<str>, Lost>, out: &mut Out) {
    let Some(ext) = exts.all.get_mut(&id) else { return };
    match line {
        Ok(line) => {
            if let Some(notice) = words::stderr(&ext.found.file, &line) {
                ext.stats.stderr = Some(Clean::collapsed(&line));
                out.notice(Tone::Warning, notice);
            }
        }
        Err(lost) => complain(&ext.found.file.clone(), lost.words(), out),
    }
}

/// It is gone without having been asked to go: one notice, and everything that waits for it goes on without it.
pub fn over(exts: &mut Exts, id: ExtId, over: &Over, cx: &mut Cx<'_>, out: &mut Out) {
    let Some(ext) = exts.all.get_mut(&id) else { return };
    let why = over.words();
    match (&ext.state, ext.manifest.clone()) {
        (State::Live, Some(manifest)) => {
            out.notice(Tone::Warning, words::died(&ext.found.file, &manifest, &why));
            gone(exts, id, State::Dead(why.as_str().into()), false, cx, out);
        }
        (State::Greeting, _) => {
            // The handshake fails now, with what the system said, instead of at its deadline.
            ext.state = State::Dead(why.as_str().into());
            ext.early.clear();
            complain(&ext.found.file.clone(), &why, out);
            drop_calls(exts, id, out);
            all_greeted(exts, cx, out);
        }
        (State::Live | State::Dead(_) | State::Off, _) => {}
    }
}

/// Takes away what was asked of one that never got as far as a manifest.
fn drop_calls(exts: &mut Exts, id: ExtId, out: &mut Out) {
    let Some(ext) = exts.all.get_mut(&id) else { return };
    let numbers: Vec<u64> = ext.calls.keys().copied().collect();
    for number in numbers {
        calls::forget(exts, id, number, out);
    }
}

/// Nothing is expected of it any more: calls fail, requests are forgotten, surfaces vanish, chains go on.
fn gone(exts: &mut Exts, id: ExtId, state: State, silent: bool, cx: &mut Cx<'_>, out: &mut Out) {
    let Some(ext) = exts.all.get_mut(&id) else { return };
    ext.state = state;
    ext.early.clear();
    let _forgotten = ext.budget.forget_all();
    let name = ext.name().clone();
    calls::fail_all(exts, id, cx, out);
    chains::without(exts, id, cx, out);
    out.ask(Ask::ExtGone { ext: id, name, silent });
}

/// Ends everyone and starts anew what is there then; refused by the asker while a turn runs.
pub fn reload(exts: &mut Exts, cx: &mut Cx<'_>, out: &mut Out) {
    if exts.stage != Stage::Ready {
        return;
    }
    events::send(exts, Event::SessionShutdown { reason: "reload".into() }, cx, out);
    events::end_requests(exts, "e is reloading its extensions", cx, out);
    let ids = exts.living(&exts.order.clone());
    let ticket = cx.ids.ticket();
    exts.stage = Stage::Stopping(ticket);
    for id in &ids {
        gone(exts, *id, State::Off, true, cx, out);
    }
    out.effect(Effect::Ext(ExtFx::Shutdown { ticket, exts: ids }));
}

/// One is ended and started anew in its place.
pub fn restart(exts: &mut Exts, id: ExtId, cx: &mut Cx<'_>, out: &mut Out) {
    if exts.stage != Stage::Ready || exts.greeting() {
        return;
    }
    let Some(place) = exts.order.iter().position(|other| *other == id) else { return };
    let Some(found) = exts.all.get(&id).map(|ext| ext.found.clone()) else { return };
    let ticket = end_one(exts, id, State::Dead("it is being started anew".into()), cx, out);
    exts.restarts.insert(ticket, (place, found));
}

/// One is ended for this session.
pub fn disable(exts: &mut Exts, id: ExtId, cx: &mut Cx<'_>, out: &mut Out) {
    if exts.stage == Stage::Ready && exts.all.contains_key(&id) {
        let _nobody_waits = end_one(exts, id, State::Off, cx, out);
        register(exts, cx, out);
    }
}

fn end_one(exts: &mut Exts, id: ExtId, state: State, cx: &mut Cx<'_>, out: &mut Out) -> Ticket {
    events::send_to(exts, id, Event::SessionShutdown { reason: "reload".into() }, cx, out);
    let withdrawn = events::end_requests_of(exts, id, "e is starting this extension anew", cx, out);
    if !withdrawn.is_empty() {
        out.ask(Ask::ExtWithdraw(withdrawn));
    }
    let ticket = cx.ids.ticket();
    gone(exts, id, state, true, cx, out);
    out.effect(Effect::Ext(ExtFx::Shutdown { ticket, exts: vec![id] }));
    ticket
}

/// Those who were to be ended are gone.
pub fn stopped(exts: &mut Exts, ticket: Ticket, cx: &mut Cx<'_>, out: &mut Out) {
    if exts.stage == Stage::Stopping(ticket) {
        exts.all = BTreeMap::new();
        exts.order.clear();
        exts.restarts.clear();
        return look(exts, cx, out);
    }
    if let Some((place, found)) = exts.restarts.remove(&ticket) {
        let old = exts.order.get(place).copied();
        let id = start(exts, found, cx, out);
        if let Some(slot) = exts.order.get_mut(place) {
            *slot = id;
        }
        if let Some(old) = old {
            exts.all.remove(&old);
        }
    }
}

pub fn shut(exts: &mut Exts, cx: &mut Cx<'_>, out: &mut Out) {
    if exts.stage == Stage::Leaving {
        return;
    }
    if exts.line.launched {
        events::send(exts, Event::SessionShutdown { reason: "quit".into() }, cx, out);
    }
    events::end_requests(exts, "e is ending", cx, out);
    exts.stage = Stage::Leaving;
}
