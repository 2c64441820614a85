//! `e check`: every place in the person's files that is wrong, and what would be right.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::cli::facts;
use super::cli::providers::Known;
use super::home::Home;
use super::themes;
use crate::model::config::complaint::{Complaint, nearest};
use crate::model::config::jsonc::{self, Json, Reader};
use crate::model::config::theme::{self, Theme};
use crate::model::config::{keymap, layout, settings, trust};

/// The report, and whether anything is wrong.
pub fn report(home: &Home, env: &BTreeMap<String, String>) -> (String, bool) {
    let mut unreadable = Vec::new();
    let mut files = facts::files(home, &mut unreadable);
    for name in ["trust.json", "auth.json"] {
        match home.read(name) {
            Ok(Some(text)) => files.push((Arc::from(name), Arc::from(text))),
            Ok(None) => {}
            Err(error) => unreadable.push(error.into()),
        }
    }
    let mut wrong: Vec<String> = unreadable.iter().map(ToString::to_string).collect();
    let mut checked = Vec::new();
    if home.path("models.json").exists() {
        checked.push("models.json");
        for mut complaint in Known::load(home, env).catalog.complaints {
            complaint.file = home.show(&home.path("models.json")).into();
            wrong.push(complaint.to_string());
        }
    }
    for (name, text) in &files {
        if themes::BUILTIN.iter().any(|(_, builtin)| **builtin == **text) {
            continue;
        }
        checked.push(&**name);
        let place = home.show(&home.path(&**name));
        wrong.extend(complaints(name, &place, text).iter().map(ToString::to_string));
        if &**name == "settings.json" {
            wrong.extend(no_theme(&place, text, &files).iter().map(ToString::to_string));
        }
    }
    let mut out: String = wrong.iter().map(|line| format!("{line}\n")).collect();
    if wrong.is_empty() {
        let what = if checked.is_empty() { "there are no files yet".to_owned() } else { checked.join(", ") };
        out += &format!("nothing is wrong ({what})\n");
    }
    (out, !wrong.is_empty())
}

/// The theme that the settings name and nobody has.
fn no_theme(place: &str, text: &str, files: &[(Arc<str>, Arc<str>)]) -> Vec<Complaint> {
    let mut reader = Reader::new(place);
    let root = jsonc::parse(place, text.as_bytes()).ok();
    let node = root.as_ref().and_then(|root| root.get("theme"));
    if let Some(node) = node
        && let Json::String(wanted) = &node.json
    {
        let names = theme::names(files);
        let known: Vec<&str> = std::iter::once("auto").chain(names.iter().map(|name| &**name)).collect();
        if !known.contains(&wanted.as_str()) {
            let hint = match nearest(wanted, known.iter().copied()) {
                Some(near) => format!("did you mean {near:?}?"),
                None => format!("it can be {}", jsonc::one_of(&known)),
            };
            reader.complain(node.at, format!("there is no theme {wanted:?}; {hint}"));
        }
    }
    reader.finish()
}

fn complaints(name: &str, place: &str, text: &str) -> Vec<Complaint> {
    match name {
        "settings.json" => settings::parse(place, text).1,
        "layout.json" => layout::parse(place, text).1,
        "keybindings.json" => keymap::parse(place, text).1,
        "trust.json" => trust::parse(place, text).1,
        "auth.json" => jsonc::parse(place, text.as_bytes()).err().into_iter().collect(),
        file => {
            let stem = file.trim_start_matches("themes/").trim_end_matches(".json");
            Theme::parse(place, stem, text.as_bytes()).1
        }
    }
}
