//! The side pane as an extension sends it: five kinds of sections, 256 KiB in all (`extensions-notes.md` 17).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use crate::model::config::layout::Side;
use crate::model::text::clean::Clean;
use crate::model::text::clip;
use crate::model::text::diff;
use crate::model::text::row::{Row, Token};

use super::get::{key, text, titled};
use super::lines::{row, token};
use super::{HINT_CHARS, PANE_BYTES};

#[derive(Debug, Clone, PartialEq)]
pub struct Pane {
    /// The extension's name when absent.
    pub id: Option<Arc<str>>,
    /// The id when empty.
    pub title: Clean,
    /// A proposal; the person's layout decides.
    pub side: Option<Side>,
    /// A short key summary when empty.
    pub hint: Clean,
    /// Never empty.
    pub sections: Vec<Section>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// Unique in the pane.
    pub id: Arc<str>,
    pub title: Clean,
    pub body: Body,
    /// Something did not fit into the pane's size: a last row says so.
    pub cut: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    List {
        items: Vec<Item>,
        /// The cursor of a new section; 0 also when there is no item.
        selected: usize,
    },
    Diff(Clean),
    Text(Clean),
    Markdown(Clean),
    Rows(Vec<Row>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Unique in the list.
    pub id: Arc<str>,
    pub label: Clean,
    pub detail: Clean,
    pub token: Token,
}

impl Pane {
    /// `None` when no section has a known kind.
    pub fn read(params: &Value) -> Option<Pane> {
        let list = params.get("sections").and_then(Value::as_array)?;
        let mut size = Size { left: PANE_BYTES };
        let mut ids = Unique::default();
        let mut sections = Vec::new();
        for (at, value) in list.iter().enumerate() {
            sections.extend(section(at, value, &mut size, &mut ids));
        }
        (!sections.is_empty()).then(|| Pane {
            id: key(params, "id"),
            title: titled(params, "title"),
            side: match text(params, "side") {
                Some("left") => Some(Side::Left),
                Some("right") => Some(Side::Right),
                _ => None,
            },
            hint: text(params, "hint").map(Clean::collapsed).unwrap_or_default().chars(HINT_CHARS),
            sections,
        })
    }

    /// Whether anything was left out: a fixed last row says so.
    pub fn cut(&self) -> bool {
        self.sections.iter().any(|section| section.cut)
    }
}

fn section(at: usize, value: &Value, size: &mut Size, ids: &mut Unique) -> Option<Section> {
    let kind = text(value, "kind")?;
    let content = match kind {
        "list" => "items",
        "rows" => "lines",
        "diff" | "text" | "markdown" => "body",
        _ => return None,
    };
    let id = ids.take(key(value, "id").unwrap_or_else(|| at.to_string().into()));
    let part = value.get(content);
    // What crosses the limit keeps what fits; nothing but its id and title is kept of what comes behind.
    let whole = size.whole(value);
    let empty = json_len(value) - part.map_or(0, json_len);
    let room = size.left.saturating_sub(empty);
    let list = || {
        let list = part.and_then(Value::as_array).map_or(&[] as &[Value], Vec::as_slice);
        if whole { list } else { fitting(list, room) }
    };
    let body = match kind {
        "list" => items(list(), text(value, "selected")),
        "rows" => Body::Rows(list().iter().map(row).collect()),
        _ => {
            let raw = part.and_then(Value::as_str).unwrap_or_default();
            let raw = if whole { raw } else { lines_fitting(raw, room) };
            match kind {
                "diff" => Body::Diff(diff::clean(raw)),
                "markdown" => Body::Markdown(Clean::vanish(raw)),
                _ => Body::Text(Clean::vanish(raw)),
            }
        }
    };
    if !whole {
        size.left = 0;
    }
    Some(Section { id, title: titled(value, "title"), body, cut: !whole })
}

/// What is left of the pane's bytes.
struct Size {
    left: usize,
}

impl Size {
    /// Takes a section that fits whole.
    fn whole(&mut self, section: &Value) -> bool {
        match self.left.checked_sub(json_len(section)) {
            Some(left) => {
                self.left = left;
                true
            }
            None => false,
        }
    }
}

/// Bytes as compact JSON.
fn json_len(value: &Value) -> usize {
    value.to_string().len()
}

/// The first entries whose list fits as JSON: brackets, and a comma between two.
fn fitting(list: &[Value], room: usize) -> &[Value] {
    let mut left = room.saturating_sub(1);
    let fits = |value: &&Value| left.checked_sub(json_len(value) + 1).map(|rest| left = rest).is_some();
    let count = list.iter().take_while(fits).count();
    &list[..count]
}

/// The first whole lines that fit as JSON; of a first line that does not, its start.
fn lines_fitting(raw: &str, room: usize) -> &str {
    let mut left = room.saturating_sub(2);
    let mut end = 0;
    for line in raw.split_inclusive('\n') {
        match left.checked_sub(escaped_len(line)) {
            Some(rest) => {
                left = rest;
                end += line.len();
            }
            None if end == 0 => {
                let fits = |c: &char| {
                    left.checked_sub(escaped_len(c.encode_utf8(&mut [0; 4])))
                        .map(|rest| left = rest)
                        .is_some()
                };
                let bytes = line.chars().take_while(fits).map(char::len_utf8).sum::<usize>();
                return clip::bytes(raw, bytes);
            }
            None => break,
        }
    }
    &raw[..end]
}

/// Bytes of a text inside a JSON string.
fn escaped_len(text: &str) -> usize {
    text.bytes()
        .map(|b| match b {
            b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0C => 2,
            0..0x20 => 6,
            _ => 1,
        })
        .sum()
}

fn items(list: &[Value], selected: Option<&str>) -> Body {
    let mut ids = Unique::default();
    let items: Vec<Item> = list.iter().enumerate().map(|(at, value)| item(at, value, &mut ids)).collect();
    let wanted = selected.map(Clean::one_line);
    let selected =
        wanted.and_then(|wanted| items.iter().position(|item| *item.id == *wanted.as_str())).unwrap_or(0);
    Body::List { items, selected }
}

fn item(at: usize, value: &Value, ids: &mut Unique) -> Item {
    let label = match value {
        Value::String(label) => Clean::one_line(label),
        Value::Object(_) => {
            text(value, "label").or(text(value, "id")).map(Clean::one_line).unwrap_or_default()
        }
        other => Clean::one_line(&other.to_string()),
    };
    let id = key(value, "id").or_else(|| (!label.is_empty()).then(|| label.as_str().into()));
    Item {
        id: ids.take(id.unwrap_or_else(|| at.to_string().into())),
        label,
        detail: text(value, "detail").map(Clean::one_line).unwrap_or_default(),
        token: token(value),
    }
}

/// Names that must differ: of equal ones the first keeps it and later ones get `#2`, `#3` behind it.
#[derive(Default)]
struct Unique {
    taken: BTreeSet<Arc<str>>,
    /// How often a name was asked for.
    asked: BTreeMap<Arc<str>, usize>,
}

impl Unique {
    fn take(&mut self, name: Arc<str>) -> Arc<str> {
        let count = self.asked.entry(name.clone()).or_insert(0);
        let mut given = name.clone();
        loop {
            *count += 1;
            if *count > 1 {
                given = format!("{name}#{count}").into();
            }
            if self.taken.insert(given.clone()) {
                return given;
            }
        }
    }
}
