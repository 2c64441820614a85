//! `layout.json`: what the status and activity rows say and where panes stand, each wrong value costing itself alone; and
//! its profiles, of which the first that fits the screen overrides what it names (`formats.md`).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::chord::Chord;
use super::complaint::Complaint;
use super::jsonc::{self, Json, Member, Node, Pos, Reader};

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

/// The whole file: the layout as it is written, and its profiles with what each makes of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Layouts {
    pub base: Layout,
    pub profiles: Vec<Profile>,
}

/// One profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    pub when: When,
    /// Its place in the file's list.
    pub index: usize,
    pub at: Pos,
    /// The file's layout with the profile's keys over it.
    pub layout: Layout,
}

/// What a profile waits for; what is not written is not asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct When {
    pub min_width: Option<u16>,
    pub max_width: Option<u16>,
    pub min_height: Option<u16>,
    pub max_height: Option<u16>,
    /// Id of the open pane.
    pub pane: Option<Arc<str>>,
    pub ssh: Option<bool>,
}

/// What profiles are chosen by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Room<'a> {
    /// Of the whole screen.
    pub cols: u16,
    pub rows: u16,
    /// Id of the open pane.
    pub pane: Option<&'a str>,
    /// The person sits at another machine.
    pub ssh: bool,
}

impl When {
    pub fn holds(&self, room: &Room<'_>) -> bool {
        self.min_width.is_none_or(|least| room.cols >= least)
            && self.max_width.is_none_or(|most| room.cols <= most)
            && self.min_height.is_none_or(|least| room.rows >= least)
            && self.max_height.is_none_or(|most| room.rows <= most)
            && self.pane.as_deref().is_none_or(|id| room.pane == Some(id))
            && self.ssh.is_none_or(|ssh| room.ssh == ssh)
    }
}

impl Layouts {
    /// The first profile that holds.
    pub fn profile(&self, room: &Room<'_>) -> Option<&Profile> {
        self.profiles.iter().find(|profile| profile.when.holds(room))
    }

    /// The layout in force there.
    pub fn layout(&self, room: &Room<'_>) -> &Layout {
        self.profile(room).map_or(&self.base, |profile| &profile.layout)
    }
}

/// The keys of the file.
pub const KEYS: [&str; 7] = ["split_min", "focus", "banner", "panes", "status", "activity", "profiles"];
/// The keys of a profile.
pub const PROFILE_KEYS: [&str; 7] = ["when", "split_min", "focus", "banner", "panes", "status", "activity"];
/// The keys of a profile's `when`.
pub const WHEN_KEYS: [&str; 6] = ["min_width", "max_width", "min_height", "max_height", "pane", "ssh"];

/// Reads the file's text without its profiles. A file that is no JSON gives the defaults and one complaint.
pub fn parse(file: &str, text: &str) -> (Layout, Vec<Complaint>) {
    let (all, said) = parse_all(file, text, &Layouts::default());
    (all.base, said)
}

/// Reads the whole file. One that is no JSON leaves everything as it was `last`, a wrong value its key.
pub fn parse_all(file: &str, text: &str, last: &Layouts) -> (Layouts, Vec<Complaint>) {
    let root = match jsonc::parse(file, text.as_bytes()) {
        Ok(root) => root,
        Err(complaint) => return (last.clone(), vec![complaint]),
    };
    let mut reader = Reader::new(file);
    let base = read(&mut reader, "the file", &root, &last.base, &KEYS);
    let mut profiles = Vec::new();
    let written = root.get("profiles").and_then(|node| reader.array("profiles", node));
    for (index, node) in written.unwrap_or_default().iter().enumerate() {
        // For what is wrong in it; what it makes of the file comes out of both together.
        let _alone = read(&mut reader, "a profile", node, &base, &PROFILE_KEYS);
        let Some(when) = when(&mut reader, node) else { continue };
        let layout = read(&mut Reader::new(file), "the file", &merged(&root, node), &base, &KEYS);
        profiles.push(Profile { when, index, at: node.at, layout });
    }
    (Layouts { base, profiles }, reader.finish())
}

/// One object over another, deeply: objects key by key, anything else as a whole.
pub fn merged(under: &Node, over: &Node) -> Node {
    let (Json::Object(below), Json::Object(above)) = (&under.json, &over.json) else { return over.clone() };
    let mut members: Vec<Member> =
        below.iter().filter(|member| over.get(&member.key).is_none()).cloned().collect();
    for member in above.iter().filter(|member| member.key != "when") {
        let value =
            under.get(&member.key).map_or_else(|| member.value.clone(), |old| merged(old, &member.value));
        members.push(Member { value, ..member.clone() });
    }
    Node { at: under.at, json: Json::Object(members) }
}

/// A profile without a condition, or with one that cannot be read, never holds.
fn when(reader: &mut Reader, node: &Node) -> Option<When> {
    let Some(conditions) = node.get("when") else {
        reader.complain(node.at, "a profile needs \"when\", for example {\"max_width\": 120}");
        return None;
    };
    let mut when = When::default();
    let mut good = true;
    for member in reader.object("when", conditions)? {
        let (name, value) = (format!("when.{}", member.key), &member.value);
        let mut cells = |slot: &mut Option<u16>| {
            *slot = reader.integer(&name, value, 0, u64::from(u16::MAX)).and_then(|n| u16::try_from(n).ok());
            slot.is_some()
        };
        good &= match member.key.as_str() {
            "min_width" => cells(&mut when.min_width),
            "max_width" => cells(&mut when.max_width),
            "min_height" => cells(&mut when.min_height),
            "max_height" => cells(&mut when.max_height),
            "pane" => {
                when.pane = reader.string(&name, value).map(Arc::from);
                when.pane.is_some()
            }
            "ssh" => {
                when.ssh = reader.boolean(&name, value);
                when.ssh.is_some()
            }
            _ => {
                reader.unknown_key(member, &WHEN_KEYS);
                false
            }
        };
    }
    good.then_some(when)
}

fn read(reader: &mut Reader, what: &str, node: &Node, last: &Layout, keys: &[&str]) -> Layout {
    let mut layout = Layout::default();
    for member in reader.object(what, node).unwrap_or_default() {
        let (name, node) = (member.key.as_str(), &member.value);
        match name {
            "split_min" => {
                let columns = reader.integer(name, node, 0, u64::from(u16::MAX));
                let columns = columns.map(|n| u16::try_from(n).unwrap_or(u16::MAX).max(SPLIT_FLOOR));
                layout.split_min = columns.unwrap_or(last.split_min);
            }
            "focus" => {
                layout.focus = chord(reader, node).unwrap_or(last.focus);
            }
            "banner" => layout.banner = reader.switch(name, node).unwrap_or(last.banner),
            "panes" => panes(&mut layout, reader, node, last),
            "status" => status(&mut layout, reader, node, last),
            "activity" => match reader.string(name, node).map(str::trim) {
                None => layout.activity = last.activity.clone(),
                Some("") => {}
                Some(text) => layout.activity = Arc::from(text),
            },
            _ if name == "$schema" || keys.contains(&name) => {}
            _ => reader.unknown_key(member, keys),
        }
    }
    layout
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
