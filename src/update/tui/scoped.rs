//! The models that ctrl+p goes through: `/scoped-models` chooses them, one press each, and keeps them in `settings.json`.

use std::sync::Arc;

use serde_json::Value;

use super::status;
use crate::model::effect::{Effect, FilesFx};
use crate::model::provider::ModelRef;
use crate::model::provider::resolve::resolve;
use crate::model::text::clean::Clean;
use crate::model::tui::list::{Item, List, Order};
use crate::model::tui::modal::{Modal, Owner};
use crate::model::tui::{Awaiting, Tui};
use crate::update::{Cx, Out};

/// The models to go through: the chosen ones in their order, or all that can be used.
pub fn cycle(cx: &Cx<'_>) -> Vec<ModelRef> {
    let scoped = &cx.config.settings.scoped_models;
    let usable = || cx.catalog.models.iter().filter(|m| m.usable).map(|m| &m.reference);
    if scoped.is_empty() {
        return usable().cloned().collect();
    }
    scoped.iter().filter_map(|name| usable().find(|m| m.to_string() == **name)).cloned().collect()
}

/// Without arguments a picker; else each model named goes in or out, and `clear` takes all out.
pub fn command(tui: &mut Tui, arguments: &str, cx: &mut Cx<'_>, out: &mut Out) {
    if arguments.is_empty() {
        return ask(tui, None, cx, out);
    }
    if arguments == "clear" {
        return keep(tui, Vec::new(), cx, out);
    }
    let mut scoped = cx.config.settings.scoped_models.clone();
    for word in arguments.split_whitespace() {
        if scoped.iter().any(|name| **name == *word) {
            toggle(&mut scoped, word);
            continue;
        }
        match resolve(&cx.catalog.models, word) {
            Ok(model) => toggle(&mut scoped, &model.reference.to_string()),
            Err(why) => return status::flash(tui, &why, cx, out),
        }
    }
    keep(tui, scoped, cx, out);
}

/// A press in the picker; it opens again at the same place.
pub fn toggled(tui: &mut Tui, name: &str, cx: &mut Cx<'_>, out: &mut Out) {
    let mut scoped = cx.config.settings.scoped_models.clone();
    toggle(&mut scoped, name);
    keep(tui, scoped, cx, out);
    ask(tui, Some(name), cx, out);
}

fn toggle(scoped: &mut Vec<Arc<str>>, name: &str) {
    let before = scoped.len();
    scoped.retain(|known| **known != *name);
    if scoped.len() == before {
        scoped.push(Arc::from(name));
    }
}

fn ask(tui: &mut Tui, at: Option<&str>, cx: &mut Cx<'_>, out: &mut Out) {
    let scoped = &cx.config.settings.scoped_models;
    let usable = cx.catalog.models.iter().filter(|m| m.usable).map(|m| m.reference.to_string());
    let mut names: Vec<String> = usable.collect();
    // Those without a key now can still be taken out.
    let gone: Vec<String> = scoped.iter().map(|n| n.to_string()).filter(|n| !names.contains(n)).collect();
    names.extend(gone);
    if names.is_empty() {
        return status::flash(tui, "No model can be used yet: /login stores a key", cx, out);
    }
    let item = |name: &String| {
        let place = scoped.iter().position(|known| **known == **name);
        let right = place.map(|place| format!("{} ✓", place + 1)).unwrap_or_default();
        Item { right: Clean::collapsed(&right), ..Item::new(name, "", name.as_str()) }
    };
    let mut list = List::new(names.iter().map(item).collect(), Order::Given);
    list.select(names.iter().position(|name| Some(&**name) == at).unwrap_or(0));
    let said = match scoped.len() {
        0 => "None is chosen: it goes through all that can be used.".to_owned(),
        n => format!("{n} chosen. Enter adds or takes away, esc is done."),
    };
    let modal = Modal::select(Owner::ScopedModel, "Which models does ctrl+p go through?", list);
    tui.modals.ask_next(modal.saying([Clean::collapsed(&said)]));
}

fn keep(tui: &mut Tui, scoped: Vec<Arc<str>>, cx: &mut Cx<'_>, out: &mut Out) {
    let value = match scoped.is_empty() {
        true => Value::Null,
        false => Value::from(scoped.iter().map(|name| &**name).collect::<Vec<_>>()),
    };
    let said = match scoped.as_slice() {
        [] => "ctrl+p goes through all models that can be used".to_owned(),
        some => format!("ctrl+p goes through {}", some.join(", ")),
    };
    cx.config.settings.scoped_models = scoped;
    let ticket = tui.pending.tickets.issue(cx.ids, Awaiting::Settings);
    let entries = vec![(Arc::from("scoped_models"), value)];
    out.effect(Effect::Files(FilesFx::WriteSettings { ticket, entries }));
    status::flash(tui, &said, cx, out);
}
