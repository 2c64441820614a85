//! Completions of an extension's command: asked on each edit of `/name …`, shown only for the draft they are for
//! (`extensions-notes.md` 10).

use std::sync::Arc;

use super::super::pick;
use crate::model::ask::{Ask, ExtAsk};
use crate::model::ext::typed;
use crate::model::id::Ticket;
use crate::model::session::Sessions;
use crate::model::session::commands as builtin;
use crate::model::text::clean::Clean;
use crate::model::tui::draft::{Fragment, Group};
use crate::model::tui::geometry::PICKER_ROWS;
use crate::model::tui::list::{Item, List, Order};
use crate::model::tui::picker::{Completing, Picker, PickerKind};
use crate::model::tui::{Awaiting, Tui};
use crate::model::wire::ext::Completion;
use crate::update::{Cx, Out};

/// After an edit: asks when the line calls a command that completes; `false` when it does not.
pub fn refresh(tui: &mut Tui, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) -> bool {
    let Some((command, prefix)) = called(tui, sessions, cx) else {
        stop(tui, out);
        return false;
    };
    let line: Arc<str> = tui.composer.draft.text().into();
    if tui.composer.completing.as_ref().is_some_and(|asked| asked.line == line) {
        return true;
    }
    forget(tui);
    // What was shown is for another draft. Its rows stay, so that nothing jumps while the next answer is on its way.
    let rows = match &tui.picker {
        Some(picker) if picker.kind == PickerKind::Completions => {
            picker.hold.max(picker.list.len().min(usize::from(PICKER_ROWS)))
        }
        _ => 0,
    };
    pick::close(tui, out);
    if rows > 0 {
        tui.picker = Some(empty(&line, &prefix, rows));
    }
    let ticket = tui.pending.tickets.issue(cx.ids, Awaiting::Completions);
    tui.composer.completing = Some(Completing { ticket: Some(ticket), line });
    out.ask(Ask::Ext(ExtAsk::Complete { ticket, command, prefix }));
    true
}

fn empty(line: &str, prefix: &str, rows: usize) -> Picker {
    let range = line.len() - prefix.len()..line.len();
    let list = List::new(Vec::new(), Order::Given);
    Picker { hold: rows, ..Picker::new(PickerKind::Completions, list, range) }
}

/// The command and the prefix, when the cursor is where the line is being completed. A built-in and a template come
/// before an extension's command of their name.
fn called(tui: &Tui, sessions: &Sessions, cx: &Cx<'_>) -> Option<(Arc<str>, Arc<str>)> {
    let draft = &tui.composer.draft;
    if draft.cursor() != draft.text().len() || !draft.marks().is_empty() {
        return None;
    }
    let (name, prefix) = typed::completing(draft.text())?;
    let templates = sessions.front().map(|s| s.desk.templates.as_slice()).unwrap_or_default();
    let taken = builtin::find(name).is_some() || templates.iter().any(|t| &*t.name == name);
    let found = cx.registry.command(name).filter(|command| command.completions && !taken)?;
    Some((found.shown().clone(), prefix.into()))
}

/// The line is none that is completed: an answer on its way is for nobody.
fn stop(tui: &mut Tui, out: &mut Out) {
    forget(tui);
    if tui.picker.as_ref().is_some_and(|picker| picker.kind == PickerKind::Completions) {
        pick::close(tui, out);
    }
}

fn forget(tui: &mut Tui) {
    if let Some(ticket) = tui.composer.completing.take().and_then(|asked| asked.ticket) {
        let _late = tui.pending.tickets.take(ticket);
    }
}

/// Completions for the composer's line, if it is still the same.
pub fn completed(tui: &mut Tui, ticket: Ticket, items: Vec<Completion>, cx: &mut Cx<'_>, out: &mut Out) {
    if tui.pending.tickets.take(ticket).is_none() {
        return;
    }
    let draft = &tui.composer.draft;
    let asked = tui.composer.completing.as_mut().filter(|asked| asked.ticket == Some(ticket));
    let Some(asked) = asked.filter(|asked| *asked.line == *draft.text()) else { return };
    asked.ticket = None;
    let line = asked.line.clone();
    let waiting = tui.picker.as_ref().is_some_and(|picker| picker.kind == PickerKind::Completions);
    let free = draft.cursor() == draft.text().len() && (tui.picker.is_none() || waiting);
    if items.is_empty() || !free {
        if waiting {
            pick::close(tui, out);
        }
    } else if let Some((_, prefix)) = typed::completing(&line) {
        let range = line.len() - prefix.len()..line.len();
        let list = List::new(items.into_iter().map(item).collect(), Order::Given);
        tui.picker = Some(Picker::new(PickerKind::Completions, list, range));
    }
    super::super::settle::settle(tui, cx, out);
}

fn item(completion: Completion) -> Item {
    let Completion { value, label, description } = completion;
    Item { label, description, value, ..Item::default() }
}

/// Puts the chosen value in place of the last word; the draft is another one then, and is asked about again.
pub fn choose(
    tui: &mut Tui,
    range: std::ops::Range<usize>,
    value: &str,
    sessions: &Sessions,
    cx: &mut Cx<'_>,
    out: &mut Out,
) {
    let text = format!("{} ", Clean::one_line(value));
    tui.composer.draft.replace(range, Fragment::text(text), Group::Alone);
    pick::refresh(tui, sessions, cx, out);
}
