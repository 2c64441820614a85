//! The look by configuration: key table, layout and theme as the files say, and a theme chosen by hand.

use std::sync::Arc;

use crate::model::config::complaint::Complaint;
use crate::model::config::layout::{Layouts, Room};
use crate::model::config::settings::TuiMode;
use crate::model::config::theme::{self, Base, Theme};
use crate::model::config::{keymap, layout};
use crate::model::effect::{Effect, FilesFx};
use crate::model::provider::ModelRef;
use crate::model::session::notice::Tone;
use crate::model::term::Scheme;
use crate::model::tui::list::{Item, List, Order};
use crate::model::tui::modal::{Modal, Owner, Question};
use crate::model::tui::{Awaiting, Tui};
use crate::update::{Cx, Out};

/// Takes the files of the start into the configuration.
pub fn start(tui: &mut Tui, cx: &mut Cx<'_>, out: &mut Out) {
    let boot = cx.boot.clone();
    cx.config.files.clone_from(&boot.files);
    let file = |name: &str| boot.files.iter().find(|(n, _)| **n == *name).map(|(_, text)| text.clone());
    let mut complaints: Vec<Complaint> = Vec::new();
    if let Some(text) = file("keybindings.json") {
        let (keymap, said) = keymap::parse("keybindings.json", &text);
        cx.config.keymap = keymap;
        complaints.extend(said);
    }
    if let Some(text) = file("layout.json") {
        let (layouts, said) = layout::parse_all("layout.json", &text, &Layouts::default());
        cx.config.layouts = layouts;
        complaints.extend(said);
    }
    tui.screen.size = cx.boot.size;
    tui.screen.fullscreen = cx.config.settings.tui_mode == TuiMode::Fullscreen;
    tui.screen.tab = cx.config.settings.tab_width;
    tui.screen.links = cx.boot.caps.hyperlinks;
    // Named before the list of models is read; the session corrects it if there is no such model.
    let wanted = boot.launch.model.as_ref().or(cx.config.settings.model.as_ref());
    tui.status.front.model = wanted.and_then(|name| ModelRef::parse(name));
    laid_out(tui, cx);
    complaints.extend(choose(cx));
    for complaint in &complaints {
        out.notice(Tone::Warning, complaint.to_string());
    }
    cx.config.faults = complaints;
}

/// Brings `layout.json` into force as it was just read.
pub fn laid_out(tui: &Tui, cx: &mut Cx<'_>) {
    let config = &mut *cx.config;
    let room = room(tui, cx.boot.caps.remote);
    config.profile = config.layouts.profile(&room).map(|profile| profile.index);
    config.layout = config.layouts.layout(&room).clone();
}

fn room(tui: &Tui, ssh: bool) -> Room<'_> {
    let size = tui.screen.size;
    Room { cols: size.cols, rows: size.rows, pane: tui.pane.as_ref().map(|pane| &*pane.id), ssh }
}

/// The screen or the pane may be another than before: the profile that holds now is in force.
pub fn profile(tui: &Tui, cx: &mut Cx<'_>) {
    let room = room(tui, cx.boot.caps.remote);
    if cx.config.layouts.profile(&room).map(|profile| profile.index) != cx.config.profile {
        laid_out(tui, cx);
    }
}

/// Takes the theme that is looked at, or the one that the settings name, into force.
fn choose(cx: &mut Cx<'_>) -> Vec<Complaint> {
    let config = &mut *cx.config;
    let wanted = config.trying.as_ref().unwrap_or(&config.settings.theme);
    let (theme, complaints) = theme::choose(wanted, config.ground, &config.files);
    config.theme = theme;
    complaints
}

/// The files are read again. A theme that is not there any more, or is none, leaves the one in force.
pub fn again(cx: &mut Cx<'_>) -> Vec<Complaint> {
    let before = cx.config.theme.clone();
    let complaints = choose(cx);
    let wanted = match (&*cx.config.settings.theme, cx.config.ground) {
        ("auto", Base::Dark) => "dark",
        ("auto", Base::Light) => "light",
        (name, _) => name,
    };
    let file = format!("themes/{wanted}.json");
    let found = cx.config.files.iter().find(|(name, _)| **name == *file);
    let theme = found.and_then(|(file, text)| Theme::parse(file, wanted, text.as_bytes()).0);
    if theme.is_none() {
        cx.config.theme = before;
    }
    complaints
}

/// The terminal told its background: `auto` follows it.
pub fn ground(scheme: Scheme, cx: &mut Cx<'_>) {
    cx.config.ground = match scheme {
        Scheme::Dark => Base::Dark,
        Scheme::Light => Base::Light,
    };
    if *cx.config.settings.theme == *"auto" {
        let _same_as_at_start = choose(cx);
    }
}

/// The theme under the cursor of its picker holds while it stands there; closing the picker brings back what the
/// settings say.
pub fn preview(tui: &Tui, cx: &mut Cx<'_>) {
    let open = tui.modals.open().filter(|modal| modal.owner == Owner::Theme);
    let under = open.and_then(|modal| match &modal.question {
        Question::Select { list, .. } => list.chosen().map(|item| item.value.clone()),
        _ => None,
    });
    if under != cx.config.trying {
        cx.config.trying = under;
        let _said_when_chosen = choose(cx);
    }
}

pub fn ask_theme(tui: &mut Tui, cx: &Cx<'_>) {
    let current = cx.config.settings.theme.clone();
    let names = std::iter::once(Arc::from("auto")).chain(theme::names(&cx.config.files));
    let files = &cx.config.files;
    let base = |name: &str| {
        let (file, text) = files.iter().find(|(file, _)| **file == *format!("themes/{name}.json"))?;
        Theme::parse(file, name, text.as_bytes()).0.map(|theme| theme.base)
    };
    let item = |name: Arc<str>| {
        let what = match base(&name) {
            _ if &*name == "auto" => "dark or light by the terminal's background",
            Some(base) if base == cx.config.ground => "",
            Some(Base::Light) => "for a light background, and yours is dark",
            Some(Base::Dark) => "for a dark background, and yours is light",
            None => "cannot be read; `e theme check` says why",
        };
        Item { current: name == current, ..Item::new(&name.clone(), what, name) }
    };
    let list = List::new(names.map(item).collect(), Order::Given);
    tui.modals.ask(Modal::select(Owner::Theme, "Which theme?", list));
}

/// Takes a theme at once and keeps it in `settings.json`.
pub fn theme(tui: &mut Tui, name: &str, cx: &mut Cx<'_>, out: &mut Out) {
    cx.config.settings.theme = Arc::from(name);
    cx.config.trying = None;
    for complaint in choose(cx) {
        out.notice(Tone::Warning, complaint.to_string());
    }
    let ticket = tui.pending.tickets.issue(cx.ids, Awaiting::Settings);
    let entries = vec![(Arc::from("theme"), serde_json::Value::from(name))];
    out.effect(Effect::Files(FilesFx::WriteSettings { ticket, entries }));
}
