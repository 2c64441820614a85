//! The extension's own requests, held against the guide field by field. The host reads params leniently, a wrong type as if
//! nothing were there; here each is a fault, because it never does what was meant.

use std::collections::BTreeSet;

use serde_json::Value;

use super::judge::{Finding, form, unified};
use super::rules::{Advice, Rule};
use crate::model::text::row::Token;
use crate::model::wire::ext::{Ask, PANE_BYTES, PANEL_LINES, Request, SHOW_BYTES};

/// What a field may hold.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    /// Also null.
    TextOrNull,
    Flag,
    List,
    ListOrNull,
    /// Anything; it is looked at by itself.
    Any,
}

/// The fields of each method whose params are an object.
const FIELDS: &[(&str, &[(&str, Kind)])] = &[
    ("ui.notify", &[("message", Kind::Text), ("tone", Kind::Text)]),
    ("ui.show", &[("title", Kind::Text), ("body", Kind::Text), ("format", Kind::Text)]),
    ("ui.select", &[("title", Kind::Text), ("options", Kind::List)]),
    ("ui.confirm", &[("title", Kind::Text), ("message", Kind::Text)]),
    (
        "ui.input",
        &[
            ("title", Kind::Text),
            ("placeholder", Kind::Text),
            ("prefill", Kind::Text),
            ("secret", Kind::Flag),
        ],
    ),
    ("ui.editor", &[("title", Kind::Text), ("text", Kind::Text), ("placeholder", Kind::Text)]),
    ("ui.status", &[("text", Kind::TextOrNull), ("key", Kind::TextOrNull)]),
    ("ui.activity", &[("text", Kind::TextOrNull), ("key", Kind::TextOrNull)]),
    ("ui.compose", &[("text", Kind::Text)]),
    ("ui.panel", &[("title", Kind::Text), ("lines", Kind::List), ("interactive", Kind::Flag)]),
    ("ui.widget", &[("lines", Kind::ListOrNull), ("key", Kind::TextOrNull)]),
    (
        "ui.pane",
        &[
            ("id", Kind::Text),
            ("title", Kind::Text),
            ("side", Kind::Text),
            ("hint", Kind::Text),
            ("sections", Kind::List),
        ],
    ),
    (
        "session.send",
        &[("content", Kind::Text), ("internal", Kind::Flag), ("run", Kind::Flag), ("when", Kind::Text)],
    ),
    ("session.name", &[("name", Kind::Text)]),
    ("session.model", &[("model", Kind::Text)]),
    ("session.effort", &[("effort", Kind::Text)]),
    ("session.tools", &[("names", Kind::Any)]),
    ("session.compact", &[("focus", Kind::TextOrNull)]),
];

/// Fields without which a request does nothing.
const NEEDED: &[(&str, &str)] = &[
    ("ui.notify", "message"),
    ("ui.compose", "text"),
    ("session.name", "name"),
    ("session.model", "model"),
    ("session.effort", "effort"),
];

/// Everything there is to say about a request's method and params.
pub fn judge(request: &Request) -> Vec<Finding> {
    let (method, params) = (&*request.method, &*request.params);
    let mut out = vec![Finding::Tried(Rule::RequestMethod), Finding::Tried(Rule::RequestParams)];
    match &request.ask {
        Ask::Unknown => {
            out.push(Finding::Broken(Rule::RequestMethod, format!("e does not know the method {method:?}")));
            return out;
        }
        Ask::Refused(why) => {
            let rule = if method == "ui.pane" { Rule::PaneSections } else { Rule::RequestParams };
            out.push(Finding::Broken(rule, format!("e refuses it: {why}")));
        }
        Ask::Ui(_) | Ask::Session(_) => {}
    }
    let closes = params.is_null() && ["ui.pane", "ui.panel"].contains(&method);
    if let Some(why) = typed(method, params).filter(|_| !closes) {
        out.push(Finding::Broken(Rule::RequestParams, why));
    }
    match method {
        "ui.show" => form(text(params, "format"), text(params, "body"), SHOW_BYTES, &mut out),
        "ui.select" => options(params, &mut out),
        "ui.panel" | "ui.widget" => lines(params.get("lines"), method, &mut out),
        "ui.pane" if params.is_object() => pane(params, &mut out),
        _ => {}
    }
    out
}

fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str()
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn typed(method: &str, params: &Value) -> Option<String> {
    let (_, fields) = FIELDS.iter().find(|(name, _)| *name == method)?;
    let Some(given) = params.as_object() else {
        return Some(format!("its params are no object, so none of its fields is read: {params}"));
    };
    for (key, kind) in *fields {
        let (right, wanted) = match (given.get(*key), kind) {
            (None, _) | (Some(_), Kind::Any) => continue,
            (Some(value), Kind::Text) => (value.is_string(), "a string"),
            (Some(value), Kind::TextOrNull) => (value.is_string() || value.is_null(), "a string or null"),
            (Some(value), Kind::Flag) => (value.is_boolean(), "true or false"),
            (Some(value), Kind::List) => (value.is_array(), "a list"),
            (Some(value), Kind::ListOrNull) => (value.is_array() || value.is_null(), "a list or null"),
        };
        if !right {
            return Some(format!("`{key}` must be {wanted}; what it is counts as absent"));
        }
    }
    let needed = NEEDED.iter().find(|(name, key)| *name == method && !given.contains_key(*key));
    needed.map(|(_, key)| format!("there is no `{key}`"))
}

fn options(params: &Value, out: &mut Vec<Finding>) {
    let fits = |option: &&Value| option.is_string() || text(option, "label").is_some();
    if let Some(option) = list(params, "options").iter().find(|option| !fits(option)) {
        let why =
            format!("the option {option} is left out: it is neither a string nor an object with a label");
        out.push(Finding::Broken(Rule::RequestParams, why));
    }
}

/// Lines of spans.
fn lines(value: Option<&Value>, method: &str, out: &mut Vec<Finding>) {
    let Some(lines) = value.and_then(Value::as_array) else { return };
    out.push(Finding::Tried(Rule::LinesShape));
    let span = |span: &Value| span.is_string() || text(span, "text").is_some();
    for line in lines {
        let right = line.is_string() || line.as_array().is_some_and(|spans| spans.iter().all(span));
        if !right {
            let why = format!("the line {line} is neither a string nor a list of spans {{text, token?}}");
            out.push(Finding::Broken(Rule::LinesShape, why));
        }
        line.as_array().into_iter().flatten().for_each(|span| token(span, out));
    }
    if lines.len() > PANEL_LINES {
        out.push(Finding::Odd(Advice::SizeClipped, format!("{method} has {} lines", lines.len())));
    }
}

fn token(value: &Value, out: &mut Vec<Finding>) {
    if let Some(word) = text(value, "token").filter(|word| Token::parse(word).is_none()) {
        out.push(Finding::Odd(Advice::TokensKnown, format!("token {word:?}")));
    }
}

fn pane(params: &Value, out: &mut Vec<Finding>) {
    let sections = list(params, "sections");
    out.extend([Rule::PaneSections, Rule::PaneIds, Rule::PaneSize].map(Finding::Tried));
    if let Some(side) = text(params, "side").filter(|side| !["left", "right"].contains(side)) {
        let why = format!("the side {side:?} is neither left nor right");
        out.push(Finding::Broken(Rule::RequestParams, why));
    }
    let mut ids = BTreeSet::new();
    for (at, section) in sections.iter().enumerate() {
        if let Err(why) = content(section, out) {
            out.push(Finding::Broken(Rule::PaneSections, format!("section {at}: {why}")));
        }
        let id = text(section, "id").map_or_else(|| at.to_string(), str::to_owned);
        if !ids.insert(id.clone()) {
            let why = format!("two sections have the id {id:?}, so the second is renamed");
            out.push(Finding::Broken(Rule::PaneIds, why));
        }
    }
    let size: usize = sections.iter().map(|section| section.to_string().len()).sum();
    if size > PANE_BYTES {
        let why = format!("its sections are {size} bytes; what is behind {PANE_BYTES} is left out");
        out.push(Finding::Broken(Rule::PaneSize, why));
    }
}

/// A section's kind and what belongs to it.
fn content(section: &Value, out: &mut Vec<Finding>) -> Result<(), String> {
    let kind = text(section, "kind").ok_or("it has no `kind`")?;
    for key in ["id", "title", "selected"] {
        if section.get(key).is_some_and(|value| !value.is_string() && !value.is_null()) {
            return Err(format!("`{key}` must be a string"));
        }
    }
    match kind {
        "list" => {
            section.get("items").and_then(Value::as_array).ok_or("a list needs `items`")?;
            items(section, out)
        }
        "rows" => {
            section.get("lines").and_then(Value::as_array).ok_or("rows need `lines`")?;
            lines(section.get("lines"), "ui.pane", out);
            Ok(())
        }
        "diff" | "text" | "markdown" => {
            let body = text(section, "body").ok_or("it needs a `body`")?;
            if kind == "diff" {
                unified(body, out);
            }
            Ok(())
        }
        other => Err(format!("the kind {other:?} is none of list, diff, text, markdown, rows")),
    }
}

fn items(section: &Value, out: &mut Vec<Finding>) -> Result<(), String> {
    let mut ids = BTreeSet::new();
    for item in list(section, "items") {
        let id = item.as_str().or_else(|| text(item, "id")).or_else(|| text(item, "label"));
        let Some(id) = id else {
            return Err(format!("the item {item} is neither a string nor an object with a label"));
        };
        token(item, out);
        if !ids.insert(id) {
            out.push(Finding::Broken(Rule::PaneIds, format!("two items have the id {id:?}")));
        }
    }
    let unknown = text(section, "selected").filter(|id| !ids.is_empty() && !ids.contains(id));
    match unknown {
        Some(id) => Err(format!("`selected` names no item: {id:?}")),
        None => Ok(()),
    }
}
