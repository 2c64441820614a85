//! `/extensions`: asks what crossed the pipes, shows the page, and restarts or ends what the cursor is on.

use super::super::route::ReaderOp;
use crate::model::ask::{Ask, ExtAsk};
use crate::model::effect::Effect;
use crate::model::ext::Exts;
use crate::model::ext::world::{ExtFx, Traffic};
use crate::model::id::{ExtId, Ticket};
use crate::model::tui::overview::Overview;
use crate::model::tui::viewer::{Page, Reader};
use crate::model::tui::{Awaiting, Tui};
use crate::update::{Cx, Out};

/// The page opens when the numbers are there.
pub fn ask(tui: &mut Tui, cx: &mut Cx<'_>, out: &mut Out) {
    let ticket = tui.pending.tickets.issue(cx.ids, Awaiting::Traffic);
    out.effect(Effect::Ext(ExtFx::Measure { ticket }));
}

/// An open page is made anew: something changed that it tells of.
pub fn again(tui: &mut Tui, cx: &mut Cx<'_>, out: &mut Out) {
    if tui.reader.as_ref().is_some_and(|reader| matches!(reader.page, Page::Extensions(_))) {
        ask(tui, cx, out);
    }
}

/// What crossed the pipes, for `/extensions`.
pub fn measured(
    tui: &mut Tui,
    ticket: Ticket,
    traffic: &[(ExtId, Traffic)],
    exts: &Exts,
    cx: &mut Cx<'_>,
    out: &mut Out,
) {
    if tui.pending.tickets.take(ticket).is_none() {
        return;
    }
    let page = |before| Page::Extensions(Overview::new(exts, traffic, &cx.boot.home, before));
    match &mut tui.reader {
        Some(Reader { page: Page::Extensions(old), .. }) => {
            let page = page(Some(old));
            if let Some(reader) = &mut tui.reader {
                reader.page = page;
            }
        }
        // Another page was opened meanwhile.
        Some(_) => {}
        None => {
            let page = page(None);
            super::super::pick::close(tui, out);
            tui.reader = Some(Reader { page, ..Reader::default() });
        }
    }
    super::super::settle::settle(tui, cx, out);
}

/// What a key does with the extension under the cursor; false when it is nothing of the page's own.
pub fn act(tui: &mut Tui, op: ReaderOp, out: &mut Out) -> bool {
    let Some(Reader { page: Page::Extensions(page), .. }) = &mut tui.reader else { return false };
    let chosen = page.chosen().map(|entry| entry.ext);
    match (op, chosen) {
        (ReaderOp::Restart, Some(ext)) => out.ask(Ask::Ext(ExtAsk::Restart(ext))),
        (ReaderOp::Disable, Some(_)) => page.asking = true,
        (ReaderOp::Say(yes), Some(ext)) if page.asking => {
            page.asking = false;
            if yes {
                out.ask(Ask::Ext(ExtAsk::Disable(ext)));
            }
        }
        _ => return false,
    }
    true
}
