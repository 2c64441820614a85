//! What is written when an update has come to rest: a page, the open question, the prompt.

use super::{ask, say, toned};
use crate::model::effect::{Effect, TermFx};
use crate::model::session::notice::Tone;
use crate::model::session::{Session, Sessions};
use crate::model::text::clean::Clean;
use crate::model::tui::lines::Lines;
use crate::model::tui::modal::{Modal, Owner};
use crate::model::tui::overview::Overview;
use crate::model::tui::viewer::Page;
use crate::model::tui::{Awaiting, Tui};
use crate::update::tui::{extras, pages};
use crate::update::{Cx, Out};

/// What the help says of this look.
const HELP: &str = "You are in the accessible mode: everything is written as plain lines. Type a line and press enter; \
    end a line with a backslash to go on in the next. ctrl+c interrupts, twice leaves, ctrl+d leaves. Questions are \
    answered with a number, a name, y or n; an empty line cancels. The keys of the usual screen do not work here. \
    `e docs accessible` has more.";

/// Everything that one message caused has come to rest: what is asked, or that a line may be typed.
pub fn rest(tui: &mut Tui, sessions: &Sessions, cx: &Cx<'_>, out: &mut Out) {
    let Some(mut lines) = tui.lines.take() else { return };
    if let Some(flash) = tui.status.flash.take() {
        say(&mut lines, &toned(Tone::Info, flash.text.as_str()), out);
    }
    page(tui, &mut lines, out);
    let secret = tui.modals.open().is_some_and(Modal::is_secret);
    if secret != lines.secret {
        lines.secret = secret;
        out.effect(Effect::Term(TermFx::Echo(!secret)));
    }
    ask::question(tui, &mut lines, out);
    if out.exit.is_some() || lines.left {
        lines.left = true;
        if std::mem::take(&mut lines.open) {
            out.effect(Effect::Out("\n".into()));
        }
    } else if !lines.open && (answers(tui, cx) || listens(tui, sessions, cx)) {
        lines.open = true;
        out.effect(Effect::Out("> ".into()));
    }
    tui.lines = Some(lines);
}

/// A question is open. Which model there is, is said before the first one of a start is answered.
fn answers(tui: &Tui, cx: &Cx<'_>) -> bool {
    tui.modals.open().is_some_and(|modal| modal.owner != Owner::Trust || cx.catalog.loaded)
}

/// Nothing runs and nothing is on its way that will be said at once.
fn listens(tui: &Tui, sessions: &Sessions, cx: &Cx<'_>) -> bool {
    let coming = |awaiting: &Awaiting| {
        matches!(
            awaiting,
            Awaiting::Sessions
                | Awaiting::Usage(_)
                | Awaiting::Reload
                | Awaiting::Auth
                | Awaiting::Export
                | Awaiting::Traffic
        )
    };
    let quiet = |session: &Session| session.idle() && session.lines.waiting.is_empty();
    cx.catalog.loaded && sessions.front().is_none_or(quiet) && !tui.pending.tickets.any(coming)
}

/// A page of `e`'s own is said when it is whole.
fn page(tui: &mut Tui, lines: &mut Lines, out: &mut Out) {
    let counting = tui.pending.tickets.any(|awaiting| matches!(awaiting, Awaiting::Usage(_)));
    if tui.reader.as_ref().is_some_and(pages::is_usage) && counting {
        return;
    }
    let Some(reader) = tui.reader.take() else { return };
    match reader.page {
        Page::Text { title, body } => {
            if matches!(title.as_str(), "Help" | "Keys") {
                say(lines, HELP, out);
            }
            say(lines, body.as_str(), out);
        }
        Page::Extensions(page) => say(lines, &overview(&page), out),
        Page::Conversation => {}
    }
    extras::settle(tui, out);
    tui.modals.settle(true);
}

/// The page of `/extensions` in words.
fn overview(page: &Overview) -> String {
    let mut text = String::from("Extensions:");
    for entry in &page.entries {
        text += &format!("\n{}: {} {}", entry.file, entry.state, entry.name);
        for (name, facts) in &entry.facts {
            let facts: Vec<&str> = facts.iter().map(Clean::as_str).collect();
            text += &format!("\n  {name}: {}", facts.join("; "));
        }
    }
    if page.entries.is_empty() {
        text += &format!(
            "\nNone is running. Put an executable file into {}/extensions and type /reload.",
            page.home
        );
    }
    for (file, why) in &page.skipped {
        text += &format!("\nNot started: {file}, {why}");
    }
    text
}
