//! The terminal front: observes facts, takes what the terminal, files and store say, asks the other rooms.

mod apply;
mod compose;
mod edit;
mod extension;
mod extras;
pub mod keys;
mod lines;
mod mouse;
pub mod owners;
mod pages;
mod pane;
mod pick;
mod preferences;
mod questions;
mod reading;
mod rebuild;
mod reload;
pub mod route;
mod scoped;
mod settings;
mod settle;
mod status;
mod timers;
mod transcript;

pub use extension::{completed, ext_gone, measured, rendered, withdraw};
pub use lines::{asked, ending, rest};

use crate::model::ask::{Ask, UiAsk};
use crate::model::config::chord::{Chord, Key, Mods};
use crate::model::effect::{Effect, FilesFx, TermFx};
use crate::model::fact::{ExtFact, Fact, OpenReason, SessionFact};
use crate::model::id::{Ticket, TimerId};
use crate::model::msg::{AuthMsg, FilesMsg, Signal, StoreMsg};
use crate::model::provider::Message;
use crate::model::session::Sessions;
use crate::model::session::notice::Tone;
use crate::model::term::{Size, TermMsg};
use crate::model::text::clean::Clean;
use crate::model::tui::block::{Block, Body};
use crate::model::tui::draft::{Fragment, Group};
use crate::model::tui::modal::Modal;
use crate::model::tui::transcript::Transcript;
use crate::model::tui::{Awaiting, Due, Tui};
use crate::update::{Cx, Out};

/// The first thing that happens: size, theme, layout, keys; before any fact.
pub fn start(tui: &mut Tui, _sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    settings::start(tui, cx, out);
    // Without a composer there is no draft, and nothing to recall.
    if tui.lines.is_some() {
        return settle::settle(tui, cx, out);
    }
    let cwd = cx.boot.cwd.clone();
    let ticket = tui.pending.tickets.issue(cx.ids, Awaiting::History);
    out.effect(Effect::Files(FilesFx::LoadHistory { ticket }));
    let ticket = tui.pending.tickets.issue(cx.ids, Awaiting::Draft);
    out.effect(Effect::Files(FilesFx::LoadDraft { ticket, cwd: cwd.clone() }));
    let ticket = tui.pending.tickets.issue(cx.ids, Awaiting::Branch);
    out.effect(Effect::Files(FilesFx::ReadBranch { ticket, cwd }));
    settle::settle(tui, cx, out);
}

/// Something became true.
pub fn observe(tui: &mut Tui, fact: &Fact, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    status::observe(tui, fact, sessions, cx, out);
    let spoken = tui.lines.as_mut().map(|lines| lines::observe(lines, fact, sessions, cx, out)).is_some();
    if !spoken {
        let finished = extension::render::before(tui, fact, cx);
        transcript::observe(&mut tui.transcript, fact, sessions, cx);
        extension::render::after(tui, finished, sessions, cx, out);
    }
    match fact {
        Fact::Ext(ExtFact::Registry | ExtFact::Ready) => extension::overview::again(tui, cx, out),
        Fact::Ext(ExtFact::Shown(show)) => lines::show(tui, show, cx, out),
        _ => {}
    }
    if let Fact::Session(_, fact) = fact
        && !spoken
    {
        session(tui, fact, sessions, cx, out);
    }
    settle::settle(tui, cx, out);
}

fn session(tui: &mut Tui, fact: &SessionFact, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    match fact {
        SessionFact::Opened { reason, branch, .. } => {
            open(tui, Some(*reason), branch, sessions, cx);
            title(tui, cx, out);
        }
        SessionFact::Nearing { branch } => near(tui, branch, sessions, cx),
        SessionFact::Moved { branch, prompt } => {
            open(tui, None, branch, sessions, cx);
            if let Some(prompt) = prompt {
                tui.composer.draft.set(Fragment::whole(&compose::normal(prompt)));
            }
        }
        SessionFact::Returned { text, images } => compose::returned(tui, text, images),
        SessionFact::Named { .. } => title(tui, cx, out),
        SessionFact::NoTurn { .. }
        | SessionFact::Saved { .. }
        | SessionFact::Model { .. }
        | SessionFact::Effort { .. }
        | SessionFact::Context { .. } => {}
    }
}

type Branch = [(crate::model::session::tree::NodeId, std::sync::Arc<Message>)];

/// The end of a conversation is shown while the rest of it is read.
fn near(tui: &mut Tui, branch: &Branch, sessions: &Sessions, cx: &mut Cx<'_>) {
    let aside = cx.ids.aside();
    let own = std::mem::replace(cx.ids, aside);
    let mut ending = Transcript::default();
    rebuild::branch(&mut ending, branch, sessions, cx);
    *cx.ids = own;
    tui.transcript.near(ending);
}

/// Another conversation, or another branch of this one, is in front.
fn open(tui: &mut Tui, reason: Option<OpenReason>, branch: &Branch, sessions: &Sessions, cx: &mut Cx<'_>) {
    tui.transcript.clear(cx.now);
    reading::follow(tui);
    if let Some(reader) = &mut tui.reader {
        reader.scroll = Default::default();
    }
    if branch.is_empty() {
        let fresh = matches!(reason, Some(OpenReason::Startup | OpenReason::New));
        if fresh && cx.config.layout.banner {
            banner(tui, cx);
        }
        return;
    }
    let known = rebuild::shown(&mut tui.transcript, branch);
    transcript::push(&mut tui.transcript, rebuild::opened(reason, branch.len()), cx);
    rebuild::branch(&mut tui.transcript, branch, sessions, cx);
    if known && !tui.screen.fullscreen {
        let len = tui.transcript.blocks().len();
        tui.transcript.skip(1..len);
    } else if !tui.screen.fullscreen {
        rebuild::skip_early(&mut tui.transcript, &tui.screen);
    }
    // Colours are for what is shown first; older code stays plain.
    let len = tui.transcript.blocks().len();
    tui.transcript.coloured_up_to(len.saturating_sub(usize::from(tui.screen.size.rows).max(24)));
}

fn banner(tui: &mut Tui, cx: &mut Cx<'_>) {
    let cwd = match cx.boot.cwd.strip_prefix(&*cx.boot.user_home).filter(|_| !cx.boot.user_home.is_empty()) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("~{rest}"),
        _ => cx.boot.cwd.to_string(),
    };
    let model = tui.status.front.model.as_ref().map(|m| Clean::collapsed(&m.id)).unwrap_or_default();
    let body = Body::Banner { version: Clean::collapsed(&cx.boot.version), cwd: Clean::name(&cwd), model };
    transcript::push(&mut tui.transcript, body, cx);
}

/// The terminal's title: the session's name, else the directory's.
fn title(tui: &Tui, cx: &Cx<'_>, out: &mut Out) {
    let dir = cx.boot.cwd.rsplit('/').next().unwrap_or_default();
    let name = tui.status.front.name.clone().unwrap_or_else(|| Clean::collapsed(dir));
    let title = Clean::collapsed(&format!("e · {name}"));
    out.effect(Effect::Term(TermFx::Title(title.as_str().into())));
}

/// The terminal said something.
pub fn term(tui: &mut Tui, msg: TermMsg, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    // A selection is of what stood on the screen when it was made.
    let typed = matches!(msg, TermMsg::Key(_) | TermMsg::Text(_) | TermMsg::Paste(_));
    if typed {
        status::unflash(tui, out);
    }
    if typed || matches!(msg, TermMsg::Resize(_)) {
        tui.selection = None;
    }
    match msg {
        TermMsg::Key(chord) => apply::key(tui, chord, sessions, cx, out),
        TermMsg::Text(text) if text == "\n" && !apply::takes_lines(tui) => {
            if let Some(enter) = Chord::named(Mods::NONE, Key::Enter) {
                apply::key(tui, enter, sessions, cx, out);
            }
        }
        TermMsg::Text(text) => apply::text(tui, &text, false, sessions, cx, out),
        TermMsg::Paste(text) => apply::text(tui, &text, true, sessions, cx, out),
        TermMsg::Mouse(mouse) => mouse::mouse(tui, mouse, cx, out),
        TermMsg::Resize(size) => resize(tui, size, cx),
        TermMsg::Background(rgb) => settings::ground(rgb.scheme(), cx),
        TermMsg::ColorScheme(scheme) => settings::ground(scheme, cx),
        TermMsg::Copied { way, chars } => status::flash(tui, &apply::copied(way, chars), cx, out),
        TermMsg::FocusGained | TermMsg::FocusLost => {}
        TermMsg::Line(text) => lines::line(tui, &text, sessions, cx, out),
        TermMsg::End => lines::end(tui, cx, out),
    }
    settle::settle(tui, cx, out);
}

fn resize(tui: &mut Tui, size: Size, cx: &Cx<'_>) {
    let before = std::mem::replace(&mut tui.screen.size, size);
    tui.composer.goal = None;
    reading::resize(tui, before, cx);
}

/// A built-in command wants a surface.
pub fn ui(tui: &mut Tui, ask: UiAsk, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    match ask {
        UiAsk::Help => tui.reader = Some(pages::help(sessions, cx)),
        UiAsk::Keys => tui.reader = Some(keys::page(cx)),
        UiAsk::Usage { period } => extras::usage(tui, &period, sessions, cx, out),
        UiAsk::Context => tui.reader = Some(pages::context(tui, sessions)),
        UiAsk::ResumePicker => questions::ask_resume(tui, cx, out),
        UiAsk::Tree => questions::ask_tree(tui, sessions, cx, out),
        UiAsk::ModelPicker { query } => questions::ask_model(tui, &query, sessions, cx, out),
        UiAsk::EffortPicker => questions::ask_effort(tui, cx, out),
        UiAsk::Login { provider } => questions::ask_login(tui, provider, cx, out),
        UiAsk::Logout { provider } => questions::ask_logout(tui, provider, cx, out),
        UiAsk::Theme => settings::ask_theme(tui, cx),
        UiAsk::Copy => copy(tui, cx, out),
        UiAsk::Trust if sessions.rules.trusted => {
            let ticket = tui.pending.tickets.issue(cx.ids, Awaiting::Trust);
            let dir = cx.boot.cwd.clone();
            out.effect(Effect::Files(FilesFx::WriteTrust { ticket, dir, trusted: true }));
            status::flash(tui, "This directory is trusted from now on", cx, out);
        }
        UiAsk::Trust => questions::ask_trust(tui, cx),
        UiAsk::Quit => questions::ask_quit(tui, sessions, cx, out),
        UiAsk::Settings => preferences::ask(tui, preferences::At::default(), cx),
        UiAsk::Layout => edit_file(tui, "layout.json", "layout", cx, out),
        UiAsk::Extensions => extension::overview::ask(tui, cx, out),
        UiAsk::Reload => reload::begin(tui, sessions, cx, out),
        UiAsk::Export { path } => extras::export(tui, path, sessions, cx, out),
        UiAsk::ScopedModels { arguments } => scoped::command(tui, &arguments, cx, out),
    }
    settle::settle(tui, cx, out);
}

fn edit_file(tui: &mut Tui, file: &str, page: &str, cx: &mut Cx<'_>, out: &mut Out) {
    let text = format!("Edit {}/{file}; `e docs {page}` explains it", cx.boot.home);
    status::flash(tui, &text, cx, out);
}

fn copy(tui: &mut Tui, cx: &mut Cx<'_>, out: &mut Out) {
    if tui.lines.is_some() {
        let text = "Only the usual screen can copy; /export writes the conversation to a file";
        return status::flash(tui, text, cx, out);
    }
    let text = match tui.transcript.reply.as_deref() {
        Some(Message::Assistant(reply)) => reply.text(),
        _ => return status::flash(tui, "There is no reply to copy yet", cx, out),
    };
    out.effect(Effect::Term(TermFx::Copy(text.into())));
}

/// A timer that no session owns; whether it was the terminal's.
pub fn timer(tui: &mut Tui, id: TimerId, _sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) -> bool {
    let Some(due) = timers::take(&mut tui.pending, id) else { return false };
    match due {
        // Settling sets the next one while something runs, and lets blocks go that waited long enough.
        Due::Tick | Due::Colours => {}
        Due::Flash => tui.status.flash = None,
        Due::Disarm => tui.status.armed = false,
        Due::KeepDraft => settle::keep_draft(tui, cx, out),
    }
    settle::settle(tui, cx, out);
    true
}

/// An answer of the files that no session asked for, and every new catalogue.
pub fn files(
    tui: &mut Tui,
    ticket: Ticket,
    msg: FilesMsg,
    sessions: &Sessions,
    cx: &mut Cx<'_>,
    out: &mut Out,
) {
    match msg {
        FilesMsg::Catalog { .. } => {
            let _probe = tui.pending.tickets.take(ticket);
            questions::catalog(tui, cx);
        }
        FilesMsg::Found { paths, done, .. } => pick::found(tui, ticket, &paths, done),
        msg => {
            if let Some(awaiting) = tui.pending.tickets.take(ticket) {
                answered(tui, awaiting, msg, sessions, cx, out);
            }
        }
    }
    settle::settle(tui, cx, out);
}

fn answered(
    tui: &mut Tui,
    awaiting: Awaiting,
    msg: FilesMsg,
    sessions: &Sessions,
    cx: &mut Cx<'_>,
    out: &mut Out,
) {
    if awaiting == Awaiting::Clipboard {
        tui.status.pasting = false;
    }
    match (awaiting, msg) {
        (Awaiting::History, FilesMsg::History(entries)) => {
            // What was sent meanwhile is newer.
            let sent = std::mem::replace(&mut tui.composer.recall.entries, entries);
            tui.composer.recall.entries.extend(sent);
        }
        (Awaiting::Draft, FilesMsg::Draft(Some(text))) => compose::offer(tui, &text, cx, out),
        (Awaiting::Branch, FilesMsg::Branch(branch)) => {
            tui.status.front.branch = branch.as_deref().map(Clean::collapsed);
        }
        (Awaiting::Clipboard, FilesMsg::Text(text)) => apply::text(tui, &text, true, sessions, cx, out),
        (Awaiting::Clipboard | Awaiting::Image(_), FilesMsg::Image(image)) if tui.modals.open().is_none() => {
            compose::attach(tui, image);
        }
        (Awaiting::Image(instead), FilesMsg::Failed { error }) => {
            tui.composer.draft.insert(Fragment::text(&*instead), Group::Alone);
            status::flash(tui, &error, cx, out);
        }
        (Awaiting::Export, FilesMsg::Exported { path }) => {
            out.notice(Tone::Info, format!("This conversation is written to {path}"));
        }
        (Awaiting::Reload, FilesMsg::Config { files, complaints }) => {
            reload::apply(tui, files, &complaints, sessions, cx, out);
        }
        (Awaiting::Live, FilesMsg::Config { files, complaints }) => {
            reload::live(tui, files, &complaints, cx, out);
        }
        (Awaiting::Usage(period), FilesMsg::Usage(saved)) => {
            extras::counted(tui, &period, &saved, sessions, cx);
        }
        (Awaiting::Editor, FilesMsg::Edited(text)) => compose::edited(tui, &text),
        (Awaiting::ModalEditor(debt), FilesMsg::Edited(text)) => {
            // The question may be another one by now.
            let asked = tui.modals.open_mut().filter(|modal| modal.debt() == debt);
            if let Some(field) = asked.and_then(Modal::field_mut) {
                let text = compose::normal(&text);
                field.draft.set(Fragment::text(text.strip_suffix('\n').unwrap_or(&text)));
            }
        }
        (Awaiting::Colours { block, code }, FilesMsg::Coloured { from_line, lines }) => {
            coloured(tui, block, code, from_line, lines);
        }
        (Awaiting::Colours { block, code }, FilesMsg::Failed { .. }) => {
            coloured(tui, block, code, 0, Vec::new())
        }
        (Awaiting::PaneColours { section, serial, index }, FilesMsg::Coloured { lines, .. }) => {
            pane::coloured(tui, &section, serial, index, lines);
        }
        (Awaiting::PaneColours { section, serial, index }, FilesMsg::Failed { .. }) => {
            pane::coloured(tui, &section, serial, index, Vec::new());
        }
        (Awaiting::Settings | Awaiting::Trust | Awaiting::Export, FilesMsg::Failed { error }) => {
            out.notice(Tone::Warning, error)
        }
        (_, FilesMsg::Failed { error }) => status::flash(tui, &error, cx, out),
        _ => {}
    }
}

fn coloured(
    tui: &mut Tui,
    block: crate::model::id::BlockId,
    code: usize,
    from: usize,
    lines: Vec<crate::model::tui::code::Colours>,
) {
    match tui.transcript.get_mut(block).map(Block::edit) {
        Some(Body::Text(prose)) => prose.codes.coloured(code, from, lines),
        Some(body) => body.coloured(code, lines),
        None => {}
    }
}

/// An answer of the store that no session asked for.
pub fn store(
    tui: &mut Tui,
    ticket: Ticket,
    msg: StoreMsg,
    _sessions: &Sessions,
    cx: &mut Cx<'_>,
    out: &mut Out,
) {
    if let Some(Awaiting::Sessions) = tui.pending.tickets.take(ticket) {
        match msg {
            StoreMsg::Listed { sessions } => questions::resume_list(tui, &sessions, cx, out),
            StoreMsg::Failed { error } => status::flash(tui, &error, cx, out),
            _ => {}
        }
    }
    settle::settle(tui, cx, out);
}

pub fn auth(
    tui: &mut Tui,
    ticket: Ticket,
    msg: AuthMsg,
    _sessions: &Sessions,
    cx: &mut Cx<'_>,
    out: &mut Out,
) {
    if tui.pending.tickets.take(ticket).is_some() {
        match msg {
            AuthMsg::Stored { provider } => status::flash(tui, &format!("Signed in to {provider}"), cx, out),
            AuthMsg::Removed { provider } => {
                status::flash(tui, &format!("Signed out of {provider}"), cx, out)
            }
            AuthMsg::Failed { error } => out.notice(Tone::Error, error),
        }
    }
    settle::settle(tui, cx, out);
}

pub fn signal(tui: &mut Tui, signal: Signal, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    match signal {
        Signal::Interrupt if tui.lines.is_some() => lines::interrupt(tui, sessions, cx, out),
        Signal::Interrupt => apply::cancel(tui, sessions, cx, out),
        Signal::Saved => reload::saved(tui, cx, out),
        Signal::Closed if tui.lines.is_some() => out.ask(Ask::Exit(0)),
        Signal::Unwritable if tui.lines.is_some() => out.ask(Ask::Exit(1)),
        Signal::Continued => match &mut tui.lines {
            // The shell has written below the prompt.
            Some(lines) => lines.open = false,
            None => out.effect(Effect::Term(TermFx::Redraw)),
        },
        Signal::Terminate | Signal::HangUp => settle::keep_draft(tui, cx, out),
        Signal::Slept(_) | Signal::Closed | Signal::Unwritable => {}
    }
    settle::settle(tui, cx, out);
}
