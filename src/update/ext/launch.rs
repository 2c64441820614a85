//! The launch: typed flags, the startup chain, and the command line that comes out of it
//! (`extensions-notes.md` 6, 7).

use std::sync::Arc;

use super::calls::{self, End};
use super::events;
use crate::model::ask::Ask;
use crate::model::boot::Mode;
use crate::model::effect::{Effect, TermFx};
use crate::model::ext::discover::{self, Found};
use crate::model::ext::live::{Asked, Stage, State};
use crate::model::ext::startup::{Startup, Step};
use crate::model::ext::words::EXITED;
use crate::model::ext::world::{Become, CommandLine, ExtFx};
use crate::model::ext::{Exts, flags};
use crate::model::fact::{ExtFact, Fact};
use crate::model::id::{ExtId, Ticket};
use crate::model::wire::ext::{Event, HOOK_TIME, Note};
use crate::update::{Cx, Out};

/// Everyone is greeted: flags are parsed and told, then the startup hooks are asked.
pub fn begin(exts: &mut Exts, cx: &mut Cx<'_>, out: &mut Out) {
    let argv = cx.boot.calling.argv.clone();
    let parsed = match flags::parse(&argv, &cx.registry.flags) {
        Ok(parsed) => parsed,
        Err(wrong) => return refuse(exts, &wrong.to_string(), 2, cx, out),
    };
    exts.line.flags = Arc::new(parsed.values);
    for id in exts.order.clone() {
        tell_flags(exts, id, out);
    }
    let found: Vec<(ExtId, Found)> = exts
        .order
        .iter()
        .filter_map(|id| Some((*id, exts.live(*id)?.found.clone())))
        .filter(|(id, _)| cx.registry.wants_startup(*id) && !cx.boot.calling.chained)
        .collect();
    let files: Vec<Found> = found.iter().map(|(_, found)| found.clone()).collect();
    let order: Vec<ExtId> = discover::startup_order(&files)
        .into_iter()
        .filter_map(|at| found.get(at).map(|(id, _)| *id))
        .collect();
    let (cwd, behind) = (cx.boot.cwd.clone(), cx.boot.calling.relaunches);
    let chain = Startup::new(cwd, argv, exts.line.flags.clone(), behind, order);
    step(exts, Box::new(chain), cx, out);
}

/// The flags that were passed, for an extension that declares any that `e` parses.
pub fn tell_flags(exts: &Exts, id: ExtId, out: &mut Out) {
    let declares = exts.live(id).and_then(|ext| ext.manifest.as_ref());
    if declares.is_some_and(|manifest| manifest.flags.iter().any(|flag| flag.parsable())) {
        events::tell(exts, id, &Note::Flags(exts.line.flags.clone()), out);
    }
}

fn step(exts: &mut Exts, mut chain: Box<Startup>, cx: &mut Cx<'_>, out: &mut Out) {
    match chain.step() {
        Step::Ask(id, call) => {
            exts.stage = Stage::Startup(chain);
            if calls::open(exts, id, &call, Asked::Startup, HOOK_TIME, cx, out).is_none() {
                spoken(exts, id, End::Gone, cx, out);
            }
        }
        Step::Done => {
            let argv = match flags::parse(&chain.argv, &cx.registry.flags) {
                Ok(parsed) => parsed.strip(&chain.argv),
                Err(wrong) => return refuse(exts, &wrong.to_string(), 2, cx, out),
            };
            let ticket = cx.ids.ticket();
            exts.stage = Stage::Parsing(ticket, chain.argv.clone());
            out.effect(Effect::Ext(ExtFx::Parse { ticket, argv }));
        }
        Step::Relaunch(to) => {
            let behind = cx.boot.calling.relaunches + 1;
            let argv = chain.argv.clone();
            out.effect(Effect::Term(TermFx::Erase));
            out.effect(Effect::Ext(ExtFx::Become(Become::Relaunch { argv, to, behind })));
            out.ask(Ask::Exit(0));
        }
    }
}

/// A startup hook has spoken, or has not: whatever goes wrong stops the launch.
pub fn spoken(exts: &mut Exts, id: ExtId, end: End, cx: &mut Cx<'_>, out: &mut Out) {
    let Stage::Startup(mut chain) = std::mem::take(&mut exts.stage) else { return };
    let file = exts.all.get(&id).map(|ext| ext.found.file.clone()).unwrap_or_default();
    let late = format!("no answer within {} seconds", HOOK_TIME.as_secs());
    let answer = match &end {
        End::Answer(Ok(value)) => Ok(value),
        End::Answer(Err(error)) => Err(&**error),
        End::Late => Err(late.as_str()),
        End::Gone => Err(EXITED),
    };
    match chain.answer(&file, answer) {
        Ok(env) => {
            if !env.is_empty() {
                out.effect(Effect::Ext(ExtFx::Env(env)));
            }
            step(exts, chain, cx, out);
        }
        Err(why) => {
            exts.stage = Stage::Startup(chain);
            refuse(exts, &why, 1, cx, out);
        }
    }
}

/// The command line is read.
pub fn parsed(exts: &mut Exts, ticket: Ticket, line: CommandLine, cx: &mut Cx<'_>, out: &mut Out) {
    let Stage::Parsing(waiting, argv) = std::mem::take(&mut exts.stage) else { return };
    if waiting != ticket {
        return exts.stage = Stage::Parsing(waiting, argv);
    }
    match line {
        CommandLine::Session(launch) => {
            exts.line.launched = true;
            events::send(exts, Event::SessionStart { reason: "startup".into(), path: None }, cx, out);
            out.ask(Ask::Launched(launch));
            out.fact(Fact::Ext(ExtFact::Launched));
            out.fact(Fact::Ext(ExtFact::Ready));
        }
        CommandLine::Other => {
            out.effect(Effect::Term(TermFx::Erase));
            out.effect(Effect::Ext(ExtFx::Become(Become::Again { argv })));
            out.ask(Ask::Exit(0));
        }
        CommandLine::Refused(why) => refuse(exts, &why, 2, cx, out),
        CommandLine::Unknown(why) => {
            let failed: Vec<&str> = exts
                .all
                .values()
                .filter(|ext| matches!(ext.state, State::Dead(_)))
                .map(|ext| &*ext.found.file)
                .collect();
            let hint = match failed.as_slice() {
                [] => String::new(),
                files => format!("\nIt may belong to an extension that did not start: {}.", files.join(", ")),
            };
            refuse(exts, &format!("{why}{hint}"), 2, cx, out);
        }
    }
}

/// The launch ends here, with a line that says why.
fn refuse(exts: &mut Exts, why: &str, status: u8, cx: &Cx<'_>, out: &mut Out) {
    exts.stage = Stage::Leaving;
    if cx.boot.launch.mode == Mode::Terminal {
        // The terminal is left as it was found; then the line is written.
        out.effect(Effect::Term(TermFx::Erase));
        out.effect(Effect::Err(why.into()));
        return out.ask(Ask::Exit(status));
    }
    out.fact(Fact::Ext(ExtFact::Refused { status, why: why.into() }));
}
