//! `e theme check`: a theme's wrong and missing tokens, and the pairs of colours that are hard to read.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::cli::facts;
use super::home::Home;
use super::themes;
use crate::model::config::complaint::nearest;
use crate::model::config::jsonc::{self, Json, Pos};
use crate::model::config::pairs::{self, Fault};
use crate::model::config::theme::{self, Base, Theme};
use crate::model::text::row::Token;

/// The report on one theme, or on every theme there is, and whether anything is wrong. The error: no theme is called so.
pub fn report(home: &Home, name: Option<&str>) -> Result<(String, bool), String> {
    let mut unread = Vec::new();
    let files = facts::files(home, &mut unread);
    let names = theme::names(&files);
    if let Some(wanted) = name
        && !names.iter().any(|known| **known == *wanted)
    {
        let hint = match nearest(wanted, names.iter().map(|name| &**name)) {
            Some(near) => format!("; did you mean {near:?}?"),
            None => format!("; there are {}", names.join(", ")),
        };
        return Err(format!("there is no theme {wanted:?}{hint}"));
    }
    let mut out: String = unread.iter().map(|line| format!("{line}\n")).collect();
    let mut wrong = !unread.is_empty();
    for one in names.iter().filter(|one| name.is_none_or(|wanted| ***one == *wanted)) {
        let file = format!("themes/{one}.json");
        let Some((_, text)) = files.iter().find(|(name, _)| **name == *file) else { continue };
        let builtin = themes::builtin(one).is_some_and(|own| *own == **text);
        let place = if builtin { format!("built-in {one}.json") } else { home.show(&home.path(&file)) };
        let (said, bad) = judge(one, &place, text);
        out += &said;
        wrong |= bad;
    }
    Ok((out, wrong))
}

/// What is to be said of a theme file.
fn judge(name: &str, place: &str, text: &Arc<str>) -> (String, bool) {
    let (theme, complaints) = Theme::parse(place, name, text.as_bytes());
    let mut lines: Vec<String> = complaints.iter().map(ToString::to_string).collect();
    let Some(theme) = theme else {
        return (format!("{name}: no theme\n{}", indented(&lines)), true);
    };
    let places = places(place, text);
    for fault in pairs::judge(&theme) {
        let at = places.get(fault.pair.letters.name());
        let at = at.map(|at| format!("{place}:{}:{}: ", at.line, at.column)).unwrap_or_default();
        lines.push(format!("{at}{}", words(&fault)));
    }
    let bad = !lines.is_empty();
    let missing: Vec<&str> =
        Token::ALL.iter().map(|token| token.name()).filter(|name| !places.contains_key(*name)).collect();
    if !missing.is_empty() {
        lines.push(format!("not in the file, so the terminal's own colour: {}", missing.join(", ")));
    }
    let base = match theme.base {
        Base::Dark => "dark",
        Base::Light => "light",
    };
    let verdict = if bad {
        "see below".to_owned()
    } else {
        format!("all {} pairs of colours can be read", pairs::all().count())
    };
    (format!("{name} ({base} ground): {verdict}\n{}", indented(&lines)), bad)
}

fn words(fault: &Fault) -> String {
    let ground = fault.pair.ground.map_or("the terminal's own ground", |token| token.name());
    let passing = match fault.passing {
        Some(colour) => format!("the nearest that passes is {colour}"),
        None => "no shade of it passes there: change the ground".into(),
    };
    format!(
        "{} ({}) on {ground} ({}) has a contrast of {:.2}, and needs {}; {passing}",
        fault.pair.letters.name(),
        fault.letters,
        fault.ground,
        fault.contrast,
        fault.pair.least
    )
}

/// Where each token stands in the file.
fn places(place: &str, text: &Arc<str>) -> BTreeMap<String, Pos> {
    let root = jsonc::parse(place, text.as_bytes()).ok();
    match root.as_ref().and_then(|root| root.get("colors")).map(|node| &node.json) {
        Some(Json::Object(members)) => members.iter().map(|m| (m.key.clone(), m.at)).collect(),
        _ => BTreeMap::new(),
    }
}

fn indented(lines: &[String]) -> String {
    lines.iter().map(|line| format!("  {line}\n")).collect()
}
