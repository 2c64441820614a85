//! What extensions ask of `e`: at most 32 wait at a time, each is answered exactly once (`extensions-notes.md` 12).

use super::{calls, complain};
use crate::model::ask::Ask;
use crate::model::boot::Mode;
use crate::model::effect::Effect;
use crate::model::ext::live::{About, Asked, Stage};
use crate::model::ext::world::ExtFx;
use crate::model::ext::{Debt, Exts};
use crate::model::id::ExtId;
use crate::model::wire::ext::{self as wire, Lost, Reply, Request, Salvaged, UiAsk};
use crate::update::{Cx, Out};

pub fn request(exts: &mut Exts, id: ExtId, request: Request, cx: &mut Cx<'_>, out: &mut Out) {
    let leaving = matches!(exts.stage, Stage::Leaving | Stage::Stopping(_));
    let headless = cx.boot.launch.mode != Mode::Terminal;
    let Some(ext) = exts.all.get_mut(&id).filter(|ext| ext.live()) else { return };
    let question = !headless && matches!(&request.ask, wire::Ask::Ui(ask) if ask.is_question());
    let about = if question { About::Question } else { About::Other };
    let ui = request.is_ui();
    let owed = match ext.budget.open(request.id, about) {
        Ok(owed) => owed,
        Err(line) => return out.effect(Effect::Ext(ExtFx::Send { ext: id, line: line.into() })),
    };
    let debt = Debt { ext: id, owed };
    let name = ext.name().clone();
    let at_once = |reply: Reply, exts: &mut Exts, cx: &mut Cx<'_>, out: &mut Out| {
        self::reply(exts, debt, &reply, cx, out);
    };
    if leaving {
        return at_once(Reply::Error("e is ending or reloading its extensions".into()), exts, cx, out);
    }
    if headless && ui {
        return at_once(Reply::no_ui(), exts, cx, out);
    }
    match request.ask {
        wire::Ask::Refused(why) => at_once(Reply::Error(why), exts, cx, out),
        wire::Ask::Unknown => at_once(Reply::unknown(&request.method), exts, cx, out),
        wire::Ask::Ui(UiAsk::Notify { tone, message }) => {
            if !message.as_str().trim().is_empty() {
                out.notice(tone, message.as_str());
            }
            at_once(Reply::Done, exts, cx, out);
        }
        wire::Ask::Ui(ask) => {
            if question {
                calls::pace(exts, id, cx, out);
            }
            out.ask(Ask::ExtUi { debt, name, ask });
        }
        wire::Ask::Session(ask) => out.ask(Ask::ExtSession { debt, ask }),
    }
}

/// Answers a request, once; a later answer finds nothing.
pub fn reply(exts: &mut Exts, debt: Debt, reply: &Reply, cx: &mut Cx<'_>, out: &mut Out) {
    let Some(ext) = exts.all.get_mut(&debt.ext) else { return };
    let Some(line) = ext.budget.answer(debt.owed, reply) else { return };
    if ext.live() {
        out.effect(Effect::Ext(ExtFx::Send { ext: debt.ext, line: line.into() }));
    }
    calls::pace(exts, debt.ext, cx, out);
}

/// A line that could not be read: said once, and whoever waits for what it was is answered.
pub fn lost(
    exts: &mut Exts,
    id: ExtId,
    why: Lost,
    salvaged: Option<Salvaged>,
    cx: &mut Cx<'_>,
    out: &mut Out,
) {
    let Some(ext) = exts.all.get_mut(&id) else { return };
    complain(&ext.found.file, why.words(), out);
    match salvaged {
        Some(Salvaged::Request(wire)) => {
            let line = Reply::Error(why.words().into()).line(&wire);
            out.effect(Effect::Ext(ExtFx::Send { ext: id, line: line.into() }));
        }
        Some(Salvaged::Response(number)) => {
            let waits = ext.calls.get(&number).is_some_and(|call| call.about != Asked::Startup);
            let error = if waits { why.words() } else { "its answer could not be read" };
            calls::answered(exts, id, number, Err(error.into()), cx, out);
        }
        None => {}
    }
}
