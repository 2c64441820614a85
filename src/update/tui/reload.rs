//! `/reload`: what a person changed by hand in the home holds from now on. What is wrong leaves its last good state.

use std::sync::Arc;

use super::{preferences, settings, status};
use crate::model::ask::{Ask, ExtAsk, SessionAsk};
use crate::model::config::complaint::Complaint;
use crate::model::config::{jsonc, keymap, layout, settings as kept};
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

/// A file was saved: unless the person would rather say when, it is read.
pub fn saved(tui: &mut Tui, cx: &mut Cx<'_>, out: &mut Out) {
    if cx.config.settings.live_reload {
        let ticket = tui.pending.tickets.issue(cx.ids, Awaiting::Live);
        out.effect(Effect::Files(FilesFx::ReadConfig { ticket }));
    }
}

/// Takes in what was saved: settings, keys, layout and themes. What is wrong is said once, and what holds is said where
/// something changed.
pub fn live(
    tui: &mut Tui,
    files: Vec<(Arc<str>, Arc<str>)>,
    unread: &[Arc<str>],
    cx: &mut Cx<'_>,
    out: &mut Out,
) {
    let own = |(name, _): &&(Arc<str>, Arc<str>)| is_look(name);
    if files.iter().filter(own).eq(cx.config.files.iter().filter(own)) {
        return;
    }
    let said = std::mem::take(&mut cx.config.faults);
    let before = (cx.config.settings.clone(), cx.config.keymap.clone(), cx.config.layouts.clone());
    let theme = cx.config.theme.clone();
    let complaints = look(tui, files, unread, cx, out);
    for complaint in complaints.iter().filter(|complaint| !said.contains(complaint)) {
        out.notice(Tone::Warning, format!("{complaint}; what held before still does"));
    }
    cx.config.faults = complaints;
    // What e wrote itself changes nothing here but the models it remembers.
    let same = kept::Settings {
        model: cx.config.settings.model.clone(),
        effort: cx.config.settings.effort.clone(),
        ..before.0
    };
    let mut changed = Vec::new();
    if same != cx.config.settings {
        changed.push("settings.json");
    }
    if before.1 != cx.config.keymap {
        changed.push("keybindings.json");
    }
    if before.2 != cx.config.layouts {
        changed.push("layout.json");
    }
    if theme != cx.config.theme && changed.is_empty() {
        changed.push("the theme");
    }
    if !changed.is_empty() {
        status::flash(tui, &format!("Saved and in force: {}", changed.join(", ")), cx, out);
    }
}

/// What is applied as soon as it is saved.
fn is_look(name: &str) -> bool {
    matches!(name, "settings.json" | "keybindings.json" | "layout.json") || name.starts_with("themes/")
}

/// Settings, keys, layout and theme as the files say; what is wrong in them.
fn look(
    tui: &mut Tui,
    files: Vec<(Arc<str>, Arc<str>)>,
    unread: &[Arc<str>],
    cx: &mut Cx<'_>,
    out: &mut Out,
) -> Vec<Complaint> {
    let text = |name: &str| files.iter().find(|(n, _)| **n == *name).map_or("{}", |(_, text)| &**text);
    // A file that is there and cannot be read changes nothing either.
    let lost = |name: &str| unread.iter().any(|said| said.contains(name));
    let mut complaints = Vec::new();
    let mode = cx.config.settings.tui_mode;
    if !lost("settings.json") {
        let (read, said) = kept::parse_over("settings.json", text("settings.json"), &cx.config.settings);
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
        let (read, said) = layout::parse_all("layout.json", text("layout.json"), &cx.config.layouts);
        complaints.extend(said);
        cx.config.layouts = read;
        settings::laid_out(tui, cx);
    }
    cx.config.files = files;
    complaints.extend(settings::again(cx));
    tui.screen.tab = cx.config.settings.tab_width;
    preferences::again(tui, cx);
    if cx.config.settings.tui_mode != mode {
        out.notice(Tone::Info, "tui_mode takes hold when e starts next.");
    }
    complaints
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
    let models = files.iter().find(|(name, _)| **name == *"models.json").map(|(_, text)| text.clone());
    let broken = models.is_some_and(|text| jsonc::parse("models.json", text.as_bytes()).is_err());
    let lost = unread.iter().any(|said| said.contains("models.json"));
    let complaints = look(tui, files, unread, cx, out);
    for complaint in &complaints {
        out.notice(Tone::Warning, format!("{complaint}; what held before still does"));
    }
    if !broken && !lost {
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
    cx.config.faults = complaints;
}
