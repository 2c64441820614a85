//! `layout.json`: what the status and activity rows say and where panes stand, each wrong value costing itself alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::chord::Chord;
use super::complaint::Complaint;
use super::jsonc::{self, Node, Reader};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Side {
    Left,
    #[default]
    Right,
}

/// An entry under `panes`; what is not written is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pane {
    pub side: Option<Side>,
    /// Percent, 30 to 70.
    pub width: Option<u16>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// Columns from which a pane and the conversation stand side by side; at least 60.
    pub split_min: u16,
    /// The chord that moves between conversation and pane.
    pub focus: Chord,
    pub banner: bool,
    /// As the person wrote them; the key `*` is for all.
    pub panes: BTreeMap<Arc<str>, Pane>,
    /// Templates of the status row.
    pub left: Vec<Arc<str>>,
    pub right: Vec<Arc<str>>,
    /// Template of the activity row.
    pub activity: Arc<str>,
}

/// `split_min` below this is this.
pub const SPLIT_FLOOR: u16 = 60;
/// A pane's width when nothing says otherwise, in percent.
pub const PANE_WIDTH: u16 = 40;

const ACTIVITY: &str = "{phase} {elapsed} {tokens} · {activity}";

const FOCUS: Chord = Chord::ctrl_letter('t');

impl Default for Layout {
    fn default() -> Self {
        Layout {
            split_min: 110,
            focus: FOCUS,
            banner: true,
            panes: BTreeMap::new(),
            left: vec![Arc::from("{model} / {effort}"), Arc::from("{context}")],
            right: vec![Arc::from("{status}")],
            activity: Arc::from(ACTIVITY),
        }
    }
}

impl Layout {
    /// Where a pane stands: its own entry, the person's `*`, the extension's wish, right.
    pub fn side(&self, pane: &str, wish: Option<Side>) -> Side {
        let entry = |name: &str| self.panes.get(name).and_then(|p| p.side);
        entry(pane).or_else(|| entry("*")).or(wish).unwrap_or_default()
    }

    /// Its width in percent: its own entry, `*`, 40.
    pub fn width(&self, pane: &str) -> u16 {
        let entry = |name: &str| self.panes.get(name).and_then(|p| p.width);
        entry(pane).or_else(|| entry("*")).unwrap_or(PANE_WIDTH)
    }
}

const KEYS: [&str; 6] = ["split_min", "focus", "banner", "panes", "status", "activity"];

/// Reads the file's text. A file that is no JSON gives the defaults and one complaint.
pub fn parse(file: &str, text: &str) -> (Layout, Vec<Complaint>) {
    parse_over(file, text, &Layout::default())
}

/// Reads it again. A file that is no JSON leaves everything as it was `last`, a wrong value its key.
pub fn parse_over(file: &str, text: &str, last: &Layout) -> (Layout, Vec<Complaint>) {
    let mut layout = Layout::default();
    let root = match jsonc::parse(file, text.as_bytes()) {
        Ok(root) => root,
        Err(complaint) => return (last.clone(), vec![complaint]),
    };
    let mut reader = Reader::new(file);
    for member in reader.object("the file", &root).unwrap_or_default() {
        let (name, node) = (member.key.as_str(), &member.value);
        match name {
            "split_min" => {
                let columns = reader.integer(name, node, 0, u64::from(u16::MAX));
                let columns = columns.map(|n| u16::try_from(n).unwrap_or(u16::MAX).max(SPLIT_FLOOR));
                layout.split_min = columns.unwrap_or(last.split_min);
            }
            "focus" => {
                layout.focus = chord(&mut reader, node).unwrap_or(last.focus);
            }
            "banner" => layout.banner = reader.switch(name, node).unwrap_or(last.banner),
            "panes" => panes(&mut layout, &mut reader, node, last),
            "status" => status(&mut layout, &mut reader, node, last),
            "activity" => match reader.string(name, node).map(str::trim) {
                None => layout.activity = last.activity.clone(),
                Some("") => {}
                Some(text) => layout.activity = Arc::from(text),
            },
            _ => reader.unknown_key(member, &KEYS),
        }
    }
    (layout, reader.finish())
}

/// A blank `focus` is the default.
fn chord(reader: &mut Reader, node: &Node) -> Option<Chord> {
    let text = reader.string("focus", node)?;
    if text.trim().is_empty() {
        return Some(FOCUS);
    }
    text.parse().map_err(|error| reader.complain(node.at, format!("focus {text:?}: {error}"))).ok()
}

fn panes(layout: &mut Layout, reader: &mut Reader, node: &Node, last: &Layout) {
    let Some(members) = reader.object("panes", node) else {
        return layout.panes.clone_from(&last.panes);
    };
    for member in members {
        let name = format!("panes.{}", member.key);
        let mut pane = Pane::default();
        let before = last.panes.get(member.key.as_str()).copied().unwrap_or_default();
        for field in reader.object(&name, &member.value).unwrap_or_default() {
            match field.key.as_str() {
                "side" => {
                    let side = reader.choice(&format!("{name}.side"), &field.value, &["left", "right"]);
                    let side = side.map(|s| if s == "left" { Side::Left } else { Side::Right });
                    pane.side = side.or(before.side);
                }
                "width" => {
                    let width = reader.integer(&format!("{name}.width"), &field.value, 0, 100);
                    let width = width.map(|w| u16::try_from(w.clamp(30, 70)).unwrap_or(PANE_WIDTH));
                    pane.width = width.or(before.width);
                }
                _ => reader.unknown_key(field, &["side", "width"]),
            }
        }
        layout.panes.insert(Arc::from(member.key.as_str()), pane);
    }
}

fn status(layout: &mut Layout, reader: &mut Reader, node: &Node, last: &Layout) {
    let Some(members) = reader.object("status", node) else {
        layout.left.clone_from(&last.left);
        return layout.right.clone_from(&last.right);
    };
    for member in members {
        let name = format!("status.{}", member.key);
        match member.key.as_str() {
            "left" | "right" => {
                let (side, before) = match member.key.as_str() {
                    "left" => (&mut layout.left, &last.left),
                    _ => (&mut layout.right, &last.right),
                };
                let list = reader.strings(&name, &member.value);
                *side = list.map_or_else(|| before.clone(), |l| l.into_iter().map(Arc::from).collect());
            }
            _ => reader.unknown_key(member, &["left", "right"]),
        }
    }
}
