//! Theme files: token words to colours (`surfaces.md`, Themes), and the same colours on terminals that have fewer.

use std::fmt;
use std::sync::Arc;

use super::complaint::{Complaint, nearest};
use super::jsonc::{self, Json, Member, Node, Reader};
use crate::model::text::row::Token;

/// A colour as a theme writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Colour {
    /// An index of the 256-colour palette.
    Indexed(u8),
    /// Red, green, blue.
    Rgb(u8, u8, u8),
}

/// What the terminal's own ground is taken for where contrast is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Base {
    /// Light letters on a dark ground.
    #[default]
    Dark,
    /// Dark letters on a light ground.
    Light,
}

/// A theme: a colour, or the terminal's own, for every token.
#[derive(Debug, Clone, PartialEq)]
pub struct Theme {
    pub name: Arc<str>,
    pub base: Base,
    /// By the token's place in the list; what is not there is the terminal's own.
    colours: Vec<Option<Colour>>,
}

impl Default for Theme {
    /// The theme of a terminal nothing is known of: every token is the terminal's own.
    fn default() -> Self {
        Theme { name: Arc::from("plain"), base: Base::Dark, colours: Vec::new() }
    }
}

impl Theme {
    /// The colour of a token; `None` is the terminal's own.
    pub fn colour(&self, token: Token) -> Option<Colour> {
        self.colours.get(token as usize).copied().flatten()
    }

    /// Reads a theme file. `stem` names a theme that does not name itself. There is no theme when the file is no JSON
    /// object or lacks `vars` or `colors`; any other fault costs the one token it is about.
    pub fn parse(file: &str, stem: &str, bytes: &[u8]) -> (Option<Theme>, Vec<Complaint>) {
        let root = match jsonc::parse(file, bytes) {
            Ok(root) => root,
            Err(complaint) => return (None, vec![complaint]),
        };
        let mut reader = Reader::new(file);
        let theme = read(&mut reader, stem, &root);
        (theme, reader.finish())
    }
}

/// Where a theme of that name is looked for among the files of a start.
fn file_name(name: &str) -> String {
    format!("themes/{name}.json")
}

/// The theme that the setting `theme` asks for: `auto` is `dark` or `light` by the terminal's ground. `files` are
/// `(themes/<name>.json, text)`, the closer one first. Where it can't be had, a complaint says why and the plain pair
/// stands in.
pub fn choose(setting: &str, ground: Base, files: &[(Arc<str>, Arc<str>)]) -> (Theme, Vec<Complaint>) {
    let usual = match ground {
        Base::Dark => "dark",
        Base::Light => "light",
    };
    let name = if setting == "auto" { usual } else { setting };
    let mut complaints = Vec::new();
    for name in [name, usual] {
        let wanted = file_name(name);
        let found: Vec<_> = files.iter().filter(|(file, _)| **file == *wanted).collect();
        for (file, text) in &found {
            let (theme, said) = Theme::parse(file, name, text.as_bytes());
            complaints.extend(said);
            if let Some(theme) = theme {
                return (theme, complaints);
            }
        }
        if found.is_empty() {
            complaints.push(missing(name, files));
        }
    }
    (Theme { base: ground, ..Theme::default() }, complaints)
}

/// The names of the themes at hand, in order, each once.
pub fn names(files: &[(Arc<str>, Arc<str>)]) -> Vec<Arc<str>> {
    let mut names: Vec<Arc<str>> = Vec::new();
    for (file, _) in files {
        if let Some(name) = file.strip_prefix("themes/").and_then(|rest| rest.strip_suffix(".json"))
            && !names.iter().any(|known| **known == *name)
        {
            names.push(Arc::from(name));
        }
    }
    names
}

fn missing(name: &str, files: &[(Arc<str>, Arc<str>)]) -> Complaint {
    let known = names(files);
    let near = nearest(name, known.iter().map(|known| &**known));
    let hint = near.map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
    let message = format!("there is no theme {name:?}{hint}");
    Complaint { file: Arc::from("settings.json"), line: 1, column: 1, message: Arc::from(message) }
}

/// The keys of a theme file.
pub const KEYS: &[&str] = &["name", "base", "vars", "colors"];

fn read(reader: &mut Reader, stem: &str, root: &Node) -> Option<Theme> {
    for member in reader.object("a theme", root)? {
        if !KEYS.contains(&member.key.as_str()) && member.key != "$schema" {
            reader.unknown_key(member, KEYS);
        }
    }
    let name = root.get("name").and_then(|node| reader.string("name", node)).unwrap_or(stem);
    let base = root.get("base").and_then(|node| reader.choice("base", node, &["dark", "light"]));
    let vars = required(reader, root, "vars")?;
    let colours = required(reader, root, "colors")?;
    let vars: Vec<(&str, Option<Colour>)> =
        vars.iter().map(|var| (var.key.as_str(), variable(reader, var))).collect();
    let mut theme = Theme {
        name: Arc::from(name),
        base: if base == Some("light") { Base::Light } else { Base::Dark },
        colours: vec![None; Token::ALL.len() + 1],
    };
    for member in colours {
        let Some(token) = Token::parse(&member.key) else {
            let names = Token::ALL.iter().map(|token| token.name());
            let hint = nearest(&member.key, names).map(|near| format!("; did you mean {near:?}?"));
            let hint = hint.unwrap_or_default();
            reader.complain(member.at, format!("unknown token {:?}{hint}", member.key));
            continue;
        };
        if let Some(slot) = theme.colours.get_mut(token as usize) {
            *slot = colour(reader, member, &vars);
        }
    }
    Some(theme)
}

fn required<'n>(reader: &mut Reader, root: &'n Node, key: &str) -> Option<&'n [Member]> {
    match root.get(key) {
        Some(node) => reader.object(key, node),
        None => {
            reader.complain(
                root.at,
                format!("a theme needs {key:?}, an object; it may be empty: \"{key}\": {{}}"),
            );
            None
        }
    }
}

fn variable(reader: &mut Reader, var: &Member) -> Option<Colour> {
    let read = literal(&var.value);
    if read.is_none() {
        reader.wrong(&format!("the variable {:?}", var.key), &var.value, "0 to 255 or \"#RRGGBB\"");
    }
    read
}

fn colour(reader: &mut Reader, member: &Member, vars: &[(&str, Option<Colour>)]) -> Option<Colour> {
    if let Json::String(word) = &member.value.json {
        if word.is_empty() {
            return None;
        }
        if let Some((_, value)) = vars.iter().rev().find(|(name, _)| name == word) {
            return *value;
        }
        if !word.starts_with('#') {
            let near = nearest(word, vars.iter().map(|(name, _)| *name));
            let hint = near.map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
            reader.complain(
                member.value.at,
                format!("{} names {word:?}, which is not in \"vars\"{hint}", member.key),
            );
            return None;
        }
    }
    let read = literal(&member.value);
    if read.is_none() {
        reader.wrong(&member.key, &member.value, "a variable's name, 0 to 255, \"#RRGGBB\" or \"\"");
    }
    read
}

fn literal(node: &Node) -> Option<Colour> {
    match &node.json {
        Json::Number(digits) => digits.parse().ok().map(Colour::Indexed),
        Json::String(word) => {
            let digits = word
                .strip_prefix('#')
                .filter(|d| d.len() == 6 && d.bytes().all(|b| b.is_ascii_hexdigit()))?;
            let value = u32::from_str_radix(digits, 16).ok()?;
            Some(Colour::Rgb((value >> 16) as u8, (value >> 8) as u8, value as u8))
        }
        _ => None,
    }
}

/// From here on a colour has a hue that means something.
const CHROMA: f64 = 0.045;
/// Two hues closer than this look alike, in radians.
const TURN: f64 = 0.5;

/// The six steps of a channel in the 6×6×6 cube.
const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// What the sixteen named colours look like where nobody changed them (xterm).
const NAMED: [(u8, u8, u8); 16] = [
    (0, 0, 0),
    (205, 0, 0),
    (0, 205, 0),
    (205, 205, 0),
    (0, 0, 238),
    (205, 0, 205),
    (0, 205, 205),
    (229, 229, 229),
    (127, 127, 127),
    (255, 0, 0),
    (0, 255, 0),
    (255, 255, 0),
    (92, 92, 255),
    (255, 0, 255),
    (0, 255, 255),
    (255, 255, 255),
];

impl fmt::Display for Colour {
    /// As a theme file writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Colour::Indexed(at) => write!(f, "{at}"),
            Colour::Rgb(r, g, b) => write!(f, "#{r:02x}{g:02x}{b:02x}"),
        }
    }
}

impl Colour {
    /// Red, green, blue.
    pub fn rgb(self) -> (u8, u8, u8) {
        match self {
            Colour::Rgb(r, g, b) => (r, g, b),
            Colour::Indexed(at @ 0..16) => NAMED[at as usize],
            Colour::Indexed(at @ 16..232) => {
                let at = at as usize - 16;
                (STEPS[at / 36], STEPS[at / 6 % 6], STEPS[at % 6])
            }
            Colour::Indexed(at) => {
                let grey = 8 + 10 * (at - 232);
                (grey, grey, grey)
            }
        }
    }

    /// The nearest of the 240 fixed colours of the 256-colour palette to the eye; an index stays what it is.
    pub fn to_256(self) -> u8 {
        let Colour::Rgb(r, g, b) = self else {
            let Colour::Indexed(at) = self else { return 0 };
            return at;
        };
        let wanted = Lab::of((r, g, b));
        let [reds, greens, blues] = [r, g, b].map(neighbours);
        let mut candidates = Vec::with_capacity(11);
        for red in reds {
            for green in greens {
                for blue in blues {
                    candidates.push((16 + 36 * red + 6 * green + blue) as u8);
                }
            }
        }
        let grey = ((u16::from(r) + u16::from(g) + u16::from(b)) / 3).saturating_sub(3) / 10;
        candidates.extend([grey.saturating_sub(1), grey, grey + 1].map(|step| 232 + step.min(23) as u8));
        // A ground that is clearly green must stay green: grey would be nearer, but means nothing.
        let hued = wanted.chroma() >= CHROMA;
        let fits = |at: &u8| {
            let lab = Lab::of(Colour::Indexed(*at).rgb());
            lab.chroma() >= CHROMA && wanted.turn(lab) < TURN
        };
        let same: Vec<u8> = candidates.iter().copied().filter(|at| hued && fits(at)).collect();
        nearest_of(wanted, if same.is_empty() { candidates } else { same }, |lab| lab)
    }

    /// The one of the sixteen named colours that means the same: its hue where there is one, else its grey. What they
    /// really look like is the person's choice, so that nearness in lightness says little.
    pub fn to_16(self) -> u8 {
        if let Colour::Indexed(at @ 0..16) = self {
            return at;
        }
        let wanted = Lab::of(self.rgb());
        if wanted.chroma() < CHROMA {
            return match wanted.l {
                l if l < 0.3 => 0,
                l if l < 0.68 => 8,
                l if l < 0.95 => 7,
                _ => 15,
            };
        }
        let hues = (1..7).map(|at| (at, Lab::of(Colour::Indexed(at).rgb())));
        let nearest = hues.min_by(|(_, a), (_, b)| wanted.turn(*a).total_cmp(&wanted.turn(*b)));
        let hue = nearest.map_or(7, |(at, _)| at);
        nearest_of(Lab { a: 0.0, b: 0.0, ..wanted }, [hue, hue + 8], |lab| Lab { a: 0.0, b: 0.0, ..lab })
    }

    /// The contrast of two colours, from 1 to 21 (WCAG 2).
    pub fn contrast(self, other: Colour) -> f64 {
        let (a, b) = (luminance(self.rgb()), luminance(other.rgb()));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }
}

/// The two cube steps a channel's value lies between.
fn neighbours(value: u8) -> [usize; 2] {
    let above = STEPS.iter().position(|step| *step >= value).unwrap_or(5);
    [above.saturating_sub(1), above]
}

fn nearest_of(wanted: Lab, candidates: impl IntoIterator<Item = u8>, seen: impl Fn(Lab) -> Lab) -> u8 {
    let mut best = (f64::MAX, 0);
    for at in candidates {
        let distance = wanted.distance(seen(Lab::of(Colour::Indexed(at).rgb())));
        if distance < best.0 {
            best = (distance, at);
        }
    }
    best.1
}

/// A colour in Oklab, where equal distances look equal.
#[derive(Clone, Copy)]
struct Lab {
    l: f64,
    a: f64,
    b: f64,
}

impl Lab {
    fn of((r, g, b): (u8, u8, u8)) -> Lab {
        let [r, g, b] = [r, g, b].map(linear);
        let l = (0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b).cbrt();
        let m = (0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b).cbrt();
        let s = (0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b).cbrt();
        Lab {
            l: 0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s,
            a: 1.977_998_495_1 * l - 2.428_592_205_0 * m + 0.450_593_709_9 * s,
            b: 0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766_0 * s,
        }
    }

    /// How far from grey.
    fn chroma(self) -> f64 {
        self.a.hypot(self.b)
    }

    /// The angle between two hues, in radians.
    fn turn(self, other: Lab) -> f64 {
        let turn = (self.b.atan2(self.a) - other.b.atan2(other.a)).abs();
        turn.min(std::f64::consts::TAU - turn)
    }

    /// Hue counts twice as much as lightness.
    fn distance(self, other: Lab) -> f64 {
        let (l, a, b) = (self.l - other.l, self.a - other.a, self.b - other.b);
        l * l + 4.0 * (a * a + b * b)
    }
}

fn linear(channel: u8) -> f64 {
    let value = f64::from(channel) / 255.0;
    if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

fn luminance((r, g, b): (u8, u8, u8)) -> f64 {
    0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}
