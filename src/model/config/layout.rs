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
    let mut layout = Layout::default();
    let root = match jsonc::parse(file, text.as_bytes()) {
        Ok(root) => root,
        Err(complaint) => return (layout, vec![complaint]),
    };
    let mut reader = Reader::new(file);
    for member in reader.object("the file", &root).unwrap_or_default() {
        let (name, node) = (member.key.as_str(), &member.value);
        match name {
            "split_min" => {
                if let Some(n) = reader.integer(name, node, 0, u64::from(u16::MAX)) {
                    layout.split_min = u16::try_from(n).unwrap_or(u16::MAX).max(SPLIT_FLOOR);
                }
            }
            "focus" => {
                if let Some(chord) = chord(&mut reader, node) {
                    layout.focus = chord;
                }
            }
            "banner" => layout.banner = reader.switch(name, node).unwrap_or(layout.banner),
            "panes" => panes(&mut layout, &mut reader, node),
            "status" => status(&mut layout, &mut reader, node),
            "activity" => {
                let text = reader.string(name, node).map(str::trim).filter(|t| !t.is_empty());
                layout.activity = text.map_or(layout.activity, Arc::from);
            }
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

fn panes(layout: &mut Layout, reader: &mut Reader, node: &Node) {
    for member in reader.object("panes", node).unwrap_or_default() {
        let name = format!("panes.{}", member.key);
        let mut pane = Pane::default();
        for field in reader.object(&name, &member.value).unwrap_or_default() {
            match field.key.as_str() {
                "side" => {
                    let side = reader.choice(&format!("{name}.side"), &field.value, &["left", "right"]);
                    pane.side = side.map(|s| if s == "left" { Side::Left } else { Side::Right });
                }
                "width" => {
                    let width = reader.integer(&format!("{name}.width"), &field.value, 0, 100);
                    pane.width = width.map(|w| u16::try_from(w.clamp(30, 70)).unwrap_or(PANE_WIDTH));
                }
                _ => reader.unknown_key(field, &["side", "width"]),
            }
        }
        layout.panes.insert(Arc::from(member.key.as_str()), pane);
    }
}

fn status(layout: &mut Layout, reader: &mut Reader, node: &Node) {
    for member in reader.object("status", node).unwrap_or_default() {
        let name = format!("status.{}", member.key);
        match member.key.as_str() {
            "left" | "right" => {
                let Some(list) = reader.strings(&name, &member.value) else { continue };
                let list = list.into_iter().map(Arc::from).collect();
                *(if member.key == "left" { &mut layout.left } else { &mut layout.right }) = list;
            }
            _ => reader.unknown_key(member, &["left", "right"]),
        }
    }
}
