//! `/reload`: what a person changed by hand in the home holds from now on. What is wrong leaves its last good state.

use std::sync::Arc;

use super::{settings, status};
use crate::model::ask::{Ask, ExtAsk, SessionAsk};
use crate::model::config::{jsonc, keymap, layout, settings as preferences};
use crate::model::effect::{Effect, FilesFx};
use crate::model::session::notice::Tone;
use crate::model::session::{Session, Sessions};
use crate::model::tui::{Awaiting, Tui};
use crate::update::{Cx, Out};

/// Asks for the files, unless something runs that they belong to.
pub fn begin(tui: &mut Tui, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    if sessions.front().is_some_and(|s| !Session::quiet(s)) {
        return out.notice(Tone::Warning, "/reload waits until the turn is over; esc interrupts it.");
    }
    let ticket = tui.pending.tickets.issue(cx.ids, Awaiting::Reload);
    out.effect(Effect::Files(FilesFx::ReadConfig { ticket }));
}

/// Takes the files in.
pub fn apply(
    tui: &mut Tui,
    files: Vec<(Arc<str>, Arc<str>)>,
    unread: &[Arc<str>],
    sessions: &Sessions,
    cx: &mut Cx<'_>,
    out: &mut Out,
) {
    for complaint in unread {
        out.notice(Tone::Warning, complaint.clone());
    }
    let text = |name: &str| files.iter().find(|(n, _)| **n == *name).map_or("{}", |(_, text)| &**text);
    // A file that is there and cannot be read changes nothing either.
    let lost = |name: &str| unread.iter().any(|said| said.contains(name));
    let broken = |name: &str| lost(name) || jsonc::parse(name, text(name).as_bytes()).is_err();
    let mut complaints = Vec::new();
    let mode = cx.config.settings.tui_mode;
    if !lost("settings.json") {
        let (read, said) =
            preferences::parse_over("settings.json", text("settings.json"), &cx.config.settings);
        cx.config.settings = read;
        complaints.extend(said);
    }
    if !lost("keybindings.json") {
        let (read, said) =
            keymap::parse_over("keybindings.json", text("keybindings.json"), &cx.config.keymap);
        complaints.extend(said);
        cx.config.keymap = read;
    }
    if !lost("layout.json") {
        let (read, said) = layout::parse_over("layout.json", text("layout.json"), &cx.config.layout);
        complaints.extend(said);
        cx.config.layout = read;
    }
    let models = !broken("models.json");
    cx.config.files = files;
    complaints.extend(settings::again(cx));
    tui.screen.tab = cx.config.settings.tab_width;
    for complaint in &complaints {
        out.notice(Tone::Warning, format!("{complaint}; what held before still does"));
    }
    if cx.config.settings.tui_mode != mode {
        out.notice(Tone::Info, "tui_mode takes hold when e starts next.");
    }
    if models {
        let ticket = tui.pending.tickets.issue(cx.ids, Awaiting::Settings);
        out.effect(Effect::Files(FilesFx::ProbeLocal { ticket }));
    }
    if sessions.rules.trusted {
        out.ask(Ask::Session(sessions.front, SessionAsk::Refresh));
    }
    out.ask(Ask::Ext(ExtAsk::Reload));
    if complaints.is_empty() && unread.is_empty() {
        status::flash(
            tui,
            "Settings, keys, layout, themes, models, skills and extensions are read again",
            cx,
            out,
        );
    }
}
