//! `/settings`: every key with its value, where that comes from, and a way to change it in place.

use std::sync::Arc;

use serde_json::Value;

use super::settings;
use crate::model::config::Config;
use crate::model::config::jsonc::{self, Json};
use crate::model::config::settings::{KEYS, Kind, Settings, typed};
use crate::model::config::words::WORDS;
use crate::model::effect::{Effect, FilesFx};
use crate::model::session::notice::Tone;
use crate::model::text::clean::Clean;
use crate::model::tui::draft::Draft;
use crate::model::tui::list::{Item, List, Order};
use crate::model::tui::modal::{Field, Modal, Owner, Question};
use crate::model::tui::{Awaiting, Tui};
use crate::update::{Cx, Out};

/// The key the cursor stands on, and what was typed to find it.
#[derive(Debug, Clone, Copy, Default)]
pub struct At<'a> {
    pub key: &'a str,
    pub query: &'a str,
}

/// Opens the list.
pub fn ask(tui: &mut Tui, at: At<'_>, cx: &Cx<'_>) {
    let mut modal = Modal::select(Owner::Settings, "Settings", list(cx.config, at));
    if let Some(field) = modal.field_mut() {
        field.draft = Draft::of(at.query);
    }
    tui.modals.ask_next(modal);
}

/// The files were read again while the list is open.
pub fn again(tui: &mut Tui, cx: &Cx<'_>) {
    let Some(modal) = tui.modals.open_mut().filter(|modal| modal.owner == Owner::Settings) else { return };
    if let Question::Select { list: shown, filter } = &mut modal.question {
        let key = shown.chosen().map(|item| item.value.clone()).unwrap_or_default();
        *shown = list(cx.config, At { key: &key, query: filter.draft.text() });
    }
}

fn list(config: &Config, at: At<'_>) -> List {
    let text = config.files.iter().find(|(name, _)| **name == *"settings.json");
    let root = text.and_then(|(name, text)| jsonc::parse(name, text.as_bytes()).ok());
    let line = |key: &str| match root.as_ref().map(|root| &root.json) {
        Some(Json::Object(members)) => members.iter().rev().find(|m| m.key == key).map(|m| m.at.line),
        _ => None,
    };
    let keys = KEYS.iter().map(|key| (key.name, key.default, key.meaning));
    let words = WORDS.iter().map(|word| (word.key, word.default, word.meaning));
    let usual = Settings::default();
    let items = keys.chain(words).map(|(key, default, meaning)| {
        let value = config.settings.show(key).unwrap_or_default();
        let own = usual.show(key).as_ref() != Some(&value);
        let from = match line(key) {
            Some(line) => format!("settings.json:{line}"),
            None if own => "settings.json".into(),
            None => "default".into(),
        };
        let shown = if value.is_empty() { default.to_owned() } else { value };
        let instead = if own { format!(" (default {default})") } else { String::new() };
        let what = format!("{shown}{instead} · {meaning}");
        Item { right: Clean::collapsed(&from), ..Item::new(key, &what, key) }
    });
    let mut list = List::new(items.collect(), Order::Given);
    if !at.query.is_empty() {
        list.filter(at.query);
    }
    let index = list.matching().position(|item| *item.value == *at.key);
    if let Some(index) = index {
        list.select(index);
    }
    list
}

/// Enter on a key: a switch turns, one of a few is picked, anything else is typed.
pub fn edit(tui: &mut Tui, at: At<'_>, cx: &mut Cx<'_>, out: &mut Out) {
    let now = cx.config.settings.show(at.key).unwrap_or_default();
    let known = KEYS.iter().find(|key| key.name == at.key);
    match known.map(|key| key.kind) {
        Some(Kind::Switch) => {
            let turned = if now == "on" { "off" } else { "on" };
            set(tui, at, turned, cx, out);
        }
        Some(Kind::OneOf(words)) => {
            let item = |word: &&str| Item { current: *word == now, ..Item::new(word, "", *word) };
            let list = List::new(words.iter().map(item).collect(), Order::Given);
            tui.modals.ask_next(Modal::select(owner(at), at.key, list));
        }
        _ if at.key == "theme" => settings::ask_theme(tui, cx),
        _ => field(tui, at, &now, None),
    }
}

fn owner(at: At<'_>) -> Owner {
    Owner::Setting { key: Arc::from(at.key), query: Arc::from(at.query) }
}

/// Asks for a value, with what is wrong about the last one.
fn field(tui: &mut Tui, at: At<'_>, text: &str, wrong: Option<String>) {
    let meaning = KEYS.iter().map(|key| (key.name, key.meaning));
    let mut all = meaning.chain(WORDS.iter().map(|word| (word.key, word.meaning)));
    let meaning = all.find(|(name, _)| *name == at.key).map(|(_, meaning)| meaning).unwrap_or_default();
    let lines = [Clean::from(meaning)].into_iter().chain(wrong.map(|said| Clean::collapsed(&said)));
    let field =
        Field { draft: Draft::of(text), placeholder: Clean::from("empty: the default"), ..Field::default() };
    tui.modals.ask_next(Modal::input(owner(at), at.key, field).saying(lines));
}

/// Takes what was typed or picked: it holds at once and is written down, or is asked for again with the reason.
pub fn set(tui: &mut Tui, at: At<'_>, text: &str, cx: &mut Cx<'_>, out: &mut Out) {
    let value = match text.trim() {
        "" => None,
        text => match typed(at.key, text) {
            Ok(value) => Some(value),
            Err(why) => return field(tui, at, text, Some(why)),
        },
    };
    let before = cx.config.settings.tui_mode;
    cx.config.settings.put(at.key, value.as_ref());
    tui.screen.tab = cx.config.settings.tab_width;
    if cx.config.settings.tui_mode != before {
        out.notice(Tone::Info, "tui_mode takes hold when e starts next.");
    }
    let ticket = tui.pending.tickets.issue(cx.ids, Awaiting::Settings);
    let entries = vec![(Arc::from(at.key), value.unwrap_or(Value::Null))];
    out.effect(Effect::Files(FilesFx::WriteSettings { ticket, entries }));
    ask(tui, at, cx);
}
