//! `e layout explain`: the parts of the screen as text, and the file and line that decided each.

use std::collections::BTreeMap;

use super::home::Home;
use crate::model::config::jsonc::{self, Json, Node, Pos};
use crate::model::config::layout::{self, Layout, Layouts, Room, Side};
use crate::model::term::{Caps, Size};
use crate::model::tui::geometry::{self, Canvas, Needs};

const FILE: &str = "layout.json";

/// The report; the error says how a size is written.
pub fn report(home: &Home, env: &BTreeMap<String, String>, size: Option<&str>) -> Result<String, String> {
    let size = match size {
        Some(text) => read_size(text).ok_or_else(|| format!("a size is WxH, as in 100x30, not {text:?}"))?,
        None => rustix::termios::tcgetwinsize(std::io::stdout())
            .ok()
            .filter(|size| size.ws_col > 0 && size.ws_row > 0)
            .map_or(Size::new(80, 24), |size| Size::new(size.ws_col, size.ws_row)),
    };
    let text = home.read(FILE)?.unwrap_or_default();
    let place = home.show(&home.path(FILE));
    let (layouts, complaints) = layout::parse_all(&place, &text, &Layouts::default());
    let ssh = Caps::from_env(env).remote;
    let room = Room { cols: size.cols, rows: size.rows, pane: None, ssh };
    let root = jsonc::parse(&place, text.as_bytes()).ok();
    let profile = layouts.profile(&room);
    let node = profile.and_then(|profile| {
        let list = root.as_ref()?.get("profiles").map(|node| &node.json)?;
        if let Json::Array(list) = list { list.get(profile.index) } else { None }
    });
    let by = By { place: &place, root: root.as_ref(), profile: node };
    let mut out = format!("The screen at {}x{}", size.cols, size.rows);
    out += &match profile {
        Some(profile) => {
            format!(", with the profile at {place}:{}:{}\n\n", profile.at.line, profile.at.column)
        }
        None if layouts.profiles.is_empty() => ":\n\n".into(),
        None => format!("; of {} profiles none holds:\n\n", layouts.profiles.len()),
    };
    let layout = layouts.layout(&room);
    out += &picture(size, layout);
    out.push('\n');
    out += &reasons(layout, &by, size);
    for profile in layouts.profiles.iter().filter(|profile| profile.when.pane.is_some()) {
        let id = profile.when.pane.as_deref().unwrap_or_default();
        out += &format!(
            "\nWhile the pane {id:?} is open, the profile at {place}:{}:{} may hold instead.\n",
            profile.at.line, profile.at.column
        );
    }
    for complaint in complaints {
        out += &format!("\nwrong: {complaint}");
    }
    Ok(out)
}

fn read_size(text: &str) -> Option<Size> {
    let (cols, rows) = text.trim().split_once(['x', 'X'])?;
    let size = Size::new(cols.parse().ok()?, rows.parse().ok()?);
    (size.cols > 0 && size.rows > 0).then_some(size)
}

/// Columns of the picture's inside.
const WIDE: usize = 66;
/// Rows of a part at most, so that the picture stays small.
const HIGH: u16 = 6;

/// The parts from top to bottom, and the pane beside them where there is room for one.
fn picture(size: Size, layout: &Layout) -> String {
    let needs = Needs { canvas: Canvas::Full, activity: true, composer: 1, ..Needs::default() };
    let regions = geometry::regions(size, &needs);
    let parts = [
        ("transcript", regions.transcript),
        ("activity", regions.activity),
        ("widgets", regions.widgets),
        ("rule", regions.above),
        ("composer", regions.composer),
        ("rule", regions.below),
        ("panel or picker", regions.footer),
        ("status", regions.status),
    ];
    let beside = size.cols >= layout.split_min;
    let pane = if beside { WIDE * usize::from(layout.width("*")) / 100 } else { 0 };
    let wide = WIDE - pane;
    let mut left = Vec::new();
    for (name, rect) in parts.iter().filter(|(_, rect)| rect.height > 0) {
        let rows = match rect.height {
            1 => format!("row {}", rect.y + 1),
            _ => format!("rows {} to {}", rect.y + 1, rect.bottom()),
        };
        left.push(format!(" {name}: {rows}"));
        left.extend((1..rect.height.min(HIGH)).map(|_| String::new()));
    }
    let rule = |a: usize, b: usize| match (a, b) {
        (a, 0) | (0, a) => format!("+{}+\n", "-".repeat(a)),
        (a, b) => format!("+{}+{}+\n", "-".repeat(a - 1), "-".repeat(b)),
    };
    let swap = layout.side("*", None) == Side::Left;
    let (first, second) = if swap && beside { (pane, wide) } else { (wide, pane) };
    let mut out = rule(first, second);
    for (at, line) in left.iter().enumerate() {
        if !beside {
            out += &format!("|{line:<WIDE$}|\n");
            continue;
        }
        let share = format!(" a pane: {}% of the columns", layout.width("*"));
        let text = if at == 0 { share.as_str() } else { "" };
        let (one, two) = if swap { (text, line.as_str()) } else { (line.as_str(), text) };
        let (one_wide, two_wide) = (first - 1, second);
        out += &format!("|{one:<one_wide$.one_wide$}|{two:<two_wide$.two_wide$}|\n");
    }
    out += &rule(first, second);
    out
}

/// Who decided a key.
struct By<'a> {
    place: &'a str,
    root: Option<&'a Node>,
    /// The profile that holds.
    profile: Option<&'a Node>,
}

impl By<'_> {
    /// The file and line that have the key, or `default`.
    fn key(&self, path: &[&str]) -> String {
        let written = [self.profile, self.root].into_iter().flatten().find_map(|node| place_of(node, path));
        written.map_or("default".into(), |at| format!("{}:{}:{}", self.place, at.line, at.column))
    }
}

/// Where the key at the end of a path stands.
fn place_of(node: &Node, path: &[&str]) -> Option<Pos> {
    let (first, rest) = path.split_first()?;
    let Json::Object(members) = &node.json else { return None };
    let member = members.iter().rev().find(|member| member.key == *first)?;
    if rest.is_empty() { Some(member.at) } else { place_of(&member.value, rest) }
}

fn reasons(layout: &Layout, by: &By<'_>, size: Size) -> String {
    let mut rows: Vec<(String, String, String)> = Vec::new();
    let mut row = |what: &str, value: String, by: String| rows.push((what.to_owned(), value, by));
    let list = |list: &[std::sync::Arc<str>]| {
        if list.is_empty() { "nothing".to_owned() } else { list.join("   ") }
    };
    row("banner", if layout.banner { "shown" } else { "not shown" }.into(), by.key(&["banner"]));
    row("activity", layout.activity.to_string(), by.key(&["activity"]));
    row("status, left", list(&layout.left), by.key(&["status", "left"]));
    row("status, right", list(&layout.right), by.key(&["status", "right"]));
    let beside = if size.cols >= layout.split_min {
        format!("beside the conversation from {} columns on: here it is", layout.split_min)
    } else {
        format!("alone below {} columns, as here; {} switches", layout.split_min, layout.focus)
    };
    row("a pane", beside, by.key(&["split_min"]));
    row("focus", format!("{} moves between conversation and pane", layout.focus), by.key(&["focus"]));
    let mut names: Vec<&str> = vec!["*"];
    names.extend(layout.panes.keys().map(|name| &**name).filter(|name| *name != "*"));
    for name in names {
        let entry = |key: &str| match by.key(&["panes", name, key]) {
            own if own != "default" => own,
            _ => by.key(&["panes", "*", key]),
        };
        let side = if layout.side(name, None) == Side::Left { "left" } else { "right" };
        let wish = layout.panes.get(name).and_then(|pane| pane.side).is_none()
            && layout.panes.get("*").and_then(|pane| pane.side).is_none();
        let side = if wish { "right, or as its extension proposes".to_owned() } else { side.to_owned() };
        let which = if name == "*" { "any pane".to_owned() } else { format!("pane {name}") };
        row(&format!("{which}, side"), side, entry("side"));
        let columns = u32::from(size.cols) * u32::from(layout.width(name)) / 100;
        let width = format!("{}%, {columns} columns", layout.width(name));
        row(&format!("{which}, width"), width, entry("width"));
    }
    let widest = |at: fn(&(String, String, String)) -> &String| {
        rows.iter().map(|row| at(row).chars().count()).max().unwrap_or(0)
    };
    let (a, b) = (widest(|row| &row.0), widest(|row| &row.1).min(52));
    rows.iter().map(|(what, value, by)| format!("{what:<a$}  {value:<b$}  {by}\n")).collect()
}
