//! A route becomes changes.

use super::edit::{self, Hand};
use super::reading::{self, Move};
use super::route::{ModalOp, PickerOp, ReaderOp, Route, route};
use super::{compose, extension, keys, pages, pane, pick, questions, scoped, settings, status, timers};
use crate::model::ask::{Ask, ExtAsk, SessionAsk};
use crate::model::config::chord::Chord;
use crate::model::config::keymap::Action;
use crate::model::effect::{Effect, FilesFx, TermFx};
use crate::model::session::{Session, Sessions};
use crate::model::term::Copied;
use crate::model::time::Span;
use crate::model::tui::modal::{Answer, Field, LIST_ROWS, Modal, Owner, Question};
use crate::model::tui::viewer::Depth;
use crate::model::tui::wrapped::Frame;
use crate::model::tui::{Awaiting, Due, Tui};
use crate::update::{Cx, Out};

/// A second ctrl+c within this time quits.
const ARMED: Span = Span(1_500);

/// One key press.
pub fn key(tui: &mut Tui, chord: Chord, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    let route = route(tui, &cx.config.keymap, cx.registry, chord);
    tui.composer.prefix = None;
    if route != Route::Cancel {
        // Only two presses in a row quit.
        tui.status.armed = false;
        timers::drop_it(&mut tui.pending, Due::Disarm, out);
    }
    match route {
        Route::Cancel => cancel(tui, sessions, cx, out),
        Route::Escape => escape(tui, sessions, out),
        Route::PanelKey => extension::key(tui, chord, out),
        Route::Shortcut => out.ask(Ask::Ext(ExtAsk::Shortcut { session: sessions.front, chord })),
        Route::Quit => questions::ask_quit(tui, sessions, cx, out),
        Route::Modal(op) => modal(tui, op, sessions, cx, out),
        Route::Picker(op) => {
            if !pick::apply(tui, op, sessions, cx, out) {
                compose::submit(tui, sessions, cx, out);
            }
        }
        Route::Reader(op) => reader(tui, op, cx, out),
        Route::Focus => pane::toggle(tui),
        Route::Pane(op) => pane::act(tui, op, chord, out),
        Route::Prefix => tui.composer.prefix = Some(chord),
        Route::Action { action, select } => self::action(tui, action, select, sessions, cx, out),
        Route::Type(c) => compose::typed(tui, c.encode_utf8(&mut [0; 4]), sessions, cx, out),
        Route::Swallow => {}
    }
}

fn busy(sessions: &Sessions) -> bool {
    sessions.front().is_some_and(|s| !Session::idle(s))
}

fn interrupt(sessions: &Sessions, out: &mut Out) {
    out.ask(Ask::Session(sessions.front, SessionAsk::Interrupt));
}

/// The ladder of ctrl+c; a second press quits.
pub fn cancel(tui: &mut Tui, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    if tui.status.armed {
        return questions::leave(tui, cx, out);
    }
    if tui.reader.is_some() {
        tui.reader = None;
    } else if tui.modals.open().is_some() {
        modal(tui, ModalOp::Cancel, sessions, cx, out);
    } else if tui.picker.is_some() {
        pick::apply(tui, PickerOp::Close, sessions, cx, out);
    } else if busy(sessions) {
        interrupt(sessions, out);
    } else if tui.capturing().is_some() {
        extension::close_panel(tui, out);
    } else if tui.keyed().is_some() {
        pane::close(tui, out);
    } else if !tui.composer.draft.is_empty() {
        compose::clear(tui);
    } else if tui.panel().is_some() {
        extension::close_panel(tui, out);
    }
    tui.status.armed = true;
    timers::set(&mut tui.pending, Due::Disarm, ARMED, cx, out);
}

/// Esc: closes a panel, else goes back to the conversation's end, else interrupts the turn. It never clears a draft.
fn escape(tui: &mut Tui, sessions: &Sessions, out: &mut Out) {
    if tui.panel().is_some() {
        extension::close_panel(tui, out);
    } else if tui.screen.reading {
        reading::follow(tui);
    } else if busy(sessions) {
        interrupt(sessions, out);
    }
}

fn action(tui: &mut Tui, action: Action, select: bool, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    match action {
        Action::Enter => compose::submit(tui, sessions, cx, out),
        Action::End if tui.composer.draft.is_empty() => reading::follow(tui),
        Action::HistorySearch => pick::history(tui, cx, out),
        Action::Stash => compose::stash(tui, cx, out),
        Action::ExternalEditor => compose::editor(tui, cx, out),
        Action::Paste => read_clipboard(tui, cx, out),
        Action::CycleEffort => cycle_effort(tui, sessions, cx, out),
        Action::CycleModel => cycle_model(tui, true, sessions, cx, out),
        Action::CycleModelBack => cycle_model(tui, false, sessions, cx, out),
        Action::Reader => tui.reader = Some(reading::open(tui, Depth::Whole)),
        Action::Redraw => out.effect(Effect::Term(TermFx::Redraw)),
        Action::Suspend => out.effect(Effect::Term(TermFx::Suspend)),
        Action::PageUp => reading::transcript(tui, Move::Page { down: false }, cx),
        Action::PageDown => reading::transcript(tui, Move::Page { down: true }, cx),
        Action::Complete => pick::complete(tui, cx, out),
        Action::Help => tui.reader = Some(pages::help(sessions, cx)),
        Action::Keys => tui.reader = Some(keys::page(cx)),
        Action::Theme => settings::ask_theme(tui, cx),
        Action::Copy => {
            if let Some(selected) = tui.composer.draft.selected() {
                out.effect(Effect::Term(TermFx::Copy(selected.expanded().into())));
            }
        }
        _ => compose::edit(tui, action, select, sessions, cx, out),
    }
    let shown = matches!(action, Action::Reader | Action::Help | Action::Keys);
    if shown {
        pick::close(tui, out);
    }
}

fn read_clipboard(tui: &mut Tui, cx: &mut Cx<'_>, out: &mut Out) {
    let ticket = tui.pending.tickets.issue(cx.ids, Awaiting::Clipboard);
    tui.status.pasting = true;
    out.effect(Effect::Files(FilesFx::ReadClipboard { ticket }));
}

fn cycle_effort(tui: &mut Tui, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    let efforts = questions::efforts(tui, cx);
    let at = efforts.iter().position(|e| Some(e) == tui.status.front.effort.as_ref());
    let Some(next) = at.map_or(efforts.first(), |at| efforts.get((at + 1) % efforts.len())) else {
        return status::flash(tui, "This model has no effort levels", cx, out);
    };
    out.ask(Ask::Session(sessions.front, SessionAsk::Effort(next.clone())));
    status::flash(tui, &format!("Effort: {next}"), cx, out);
}

/// The scoped models, or all that can be used, in turn.
fn cycle_model(tui: &mut Tui, forward: bool, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    let models = scoped::cycle(cx);
    let len = models.len();
    let at = models.iter().position(|m| Some(m) == tui.status.front.model.as_ref());
    let next = match at {
        Some(at) if forward => (at + 1) % len,
        Some(at) => (at + len - 1) % len,
        None => 0,
    };
    match models.get(next) {
        Some(model) if at != Some(next) => {
            out.ask(Ask::Session(sessions.front, SessionAsk::Model(model.clone())));
            status::flash(tui, &format!("Model: {model}"), cx, out);
        }
        Some(_) => status::flash(tui, "There is no other model to go to", cx, out),
        None if !cx.config.settings.scoped_models.is_empty() => {
            status::flash(
                tui,
                "None of the chosen models can be used now; /scoped-models changes them",
                cx,
                out,
            );
        }
        None => status::flash(tui, "No model can be used yet: /login stores a key", cx, out),
    }
}

fn reader(tui: &mut Tui, op: ReaderOp, cx: &mut Cx<'_>, out: &mut Out) {
    match op {
        ReaderOp::Redraw => out.effect(Effect::Term(TermFx::Redraw)),
        ReaderOp::Suspend => out.effect(Effect::Term(TermFx::Suspend)),
        _ if extension::overview::act(tui, op, out) => {}
        _ if !reading::reader(tui, op, cx) => tui.reader = None,
        _ => {}
    }
}

/// A field without rows of its own scrolls sideways.
const FIELD: usize = usize::MAX / 2;

/// What a key does with the open question.
pub fn modal(tui: &mut Tui, op: ModalOp, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    match op {
        ModalOp::Cancel => return close(tui, cancelled, sessions, cx, out),
        ModalOp::Answer => return close(tui, answered, sessions, cx, out),
        ModalOp::Say(yes) => return close(tui, |_| Answer::Confirmed(yes), sessions, cx, out),
        ModalOp::Paste => return read_clipboard(tui, cx, out),
        ModalOp::Reader => return tui.reader = Some(reading::open(tui, Depth::Whole)),
        ModalOp::Redraw => return out.effect(Effect::Term(TermFx::Redraw)),
        ModalOp::Suspend => return out.effect(Effect::Term(TermFx::Suspend)),
        ModalOp::Editor => {
            let text = tui.modals.open().and_then(Modal::field).map(|f| f.draft.body().expanded());
            let debt = tui.modals.open().and_then(Modal::debt);
            let ticket = tui.pending.tickets.issue(cx.ids, Awaiting::ModalEditor(debt));
            let (text, command) = (text.unwrap_or_default().into(), compose::editor_command(cx));
            return out.effect(Effect::Term(TermFx::Editor { ticket, text, command }));
        }
        ModalOp::Step { .. } | ModalOp::Page { .. } | ModalOp::Toggle => {}
        ModalOp::Edit { .. } | ModalOp::Type(_) => {}
    }
    let columns = usize::from(tui.columns()).max(1);
    let Some(modal) = tui.modals.open_mut() else { return };
    match (&mut modal.question, op) {
        (Question::Select { list, .. }, ModalOp::Step { down }) => list.step(down),
        (Question::Select { list, .. }, ModalOp::Page { down }) => list.page(down, LIST_ROWS),
        (Question::Confirm { yes, .. }, ModalOp::Toggle) => *yes = !*yes,
        (_, ModalOp::Type(c)) => type_into(modal, c.encode_utf8(&mut [0; 4])),
        (question, ModalOp::Edit { action, select }) => {
            let columns = if matches!(question, Question::Editor(_)) { columns } else { FIELD };
            if let Some(field) = modal.field_mut() {
                let frame = Frame { columns, tab: 1, secret: field.secret };
                edit::act(
                    &mut Hand { draft: &mut field.draft, kills: None, goal: &mut None, frame },
                    action,
                    select,
                );
            }
            refilter(modal);
        }
        _ => {}
    }
}

/// Text goes into the open question's field; breaks only where lines are allowed.
pub fn type_into(modal: &mut Modal, text: &str) {
    let key = matches!(modal.owner, Owner::LoginKey { .. });
    if let Some(field) = modal.field_mut() {
        let text = match field.lines {
            true => text.to_owned(),
            false => text.trim_end_matches('\n').replace('\n', " "),
        };
        // A key has no white space around it; what an extension asks for may.
        let text = if key { text.trim().to_owned() } else { text };
        edit::insert(&mut field.draft, &text);
    }
    refilter(modal);
}

fn refilter(modal: &mut Modal) {
    if let Question::Select { list, filter } = &mut modal.question
        && list.query() != filter.draft.text()
    {
        list.filter(filter.draft.text());
    }
}

fn cancelled(modal: &Modal) -> Answer {
    match modal.question {
        Question::Confirm { .. } => Answer::Confirmed(false),
        Question::Select { .. } | Question::Input(_) | Question::Editor(_) => Answer::Cancelled,
    }
}

fn answered(modal: &Modal) -> Answer {
    match &modal.question {
        Question::Select { list, .. } => {
            list.chosen().map_or(Answer::Cancelled, |item| Answer::Chosen(item.value.clone()))
        }
        Question::Confirm { yes, .. } => Answer::Confirmed(*yes),
        Question::Input(Field { draft, .. }) | Question::Editor(Field { draft, .. }) => {
            Answer::Text(draft.text().into())
        }
    }
}

/// The open question goes and is answered once.
fn close(
    tui: &mut Tui,
    answer: impl FnOnce(&Modal) -> Answer,
    sessions: &Sessions,
    cx: &mut Cx<'_>,
    out: &mut Out,
) {
    let Some(modal) = tui.modals.close() else { return };
    let answer = answer(&modal);
    questions::answer(tui, modal, answer, sessions, cx, out);
}

/// Text that came as a whole (a paste, an input method) goes to whatever takes text now.
pub fn text(tui: &mut Tui, text: &str, pasted: bool, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    tui.composer.prefix = None;
    if let Some(reader) = &mut tui.reader {
        return reading::reader_text(reader, text);
    }
    if let Some(modal) = tui.modals.open_mut() {
        return type_into(modal, &compose::normal(text));
    }
    if let Some(picker) = tui.picker.as_mut().filter(|p| p.field.is_some()) {
        return pick::search_text(picker, text);
    }
    if !pasted && tui.capturing().is_some() {
        return extension::typed(tui, text, out);
    }
    if !pasted && tui.keyed().is_some() {
        return pane::typed(tui, text).into_iter().for_each(|chord| key(tui, chord, sessions, cx, out));
    }
    // What is pasted stands in the draft, and is gone on with there.
    pane::leave(tui);
    if pasted {
        compose::paste(tui, text, sessions, cx, out);
    } else {
        compose::typed(tui, text, sessions, cx, out);
    }
}

/// Whether something accepts typed text: there a lone line break is text, elsewhere it is Enter.
pub fn takes_lines(tui: &Tui) -> bool {
    match (&tui.reader, tui.modals.open(), &tui.picker) {
        (Some(_), _, _) => false,
        (None, Some(modal), _) => modal.field().is_some_and(|f| f.lines),
        (None, None, Some(picker)) => picker.field.is_none(),
        (None, None, None) => tui.capturing().is_none() && tui.keyed().is_none(),
    }
}

/// What the status row says of a copy: which way it took, and no more than is known (G28).
pub fn copied(way: Copied, chars: usize) -> String {
    let count = if chars == 1 { "1 character".to_owned() } else { format!("{chars} characters") };
    match way {
        Copied::Asked => format!("Asked the terminal to copy {count} (OSC 52)"),
        Copied::Helper(program) => format!("Copied {count} with {program}"),
        Copied::TooLong => format!("{count} are more than a terminal copies; nothing was copied"),
        Copied::Nowhere => "This terminal cannot copy; nothing was copied".to_owned(),
    }
}
