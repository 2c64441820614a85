//! `settings.json`: every key, what it may hold, its default and its meaning, in one list that also makes `e docs settings`.
//! A wrong value keeps the default for that key alone and is complained about (`home.md`).

use std::sync::Arc;

use serde_json::{Map, Value};

use super::complaint::Complaint;
use super::jsonc::{self, Json, Node, Reader};
use super::words::{WORDS, Words};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TuiMode {
    /// Finished conversation goes to the terminal's own scrollback.
    #[default]
    Inline,
    Fullscreen,
}

/// The person's preferences, each with its default filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// `auto`, or a theme's name.
    pub theme: Arc<str>,
    pub tui_mode: TuiMode,
    /// `provider/model`; none means the first usable.
    pub model: Option<Arc<str>>,
    pub effort: Arc<str>,
    pub show_thinking: bool,
    /// None means `$VISUAL`, `$EDITOR`, `vi`.
    pub editor: Option<Arc<str>>,
    pub tool_concurrency: usize,
    pub tool_label_rows: usize,
    pub tool_preview_rows: usize,
    pub tool_history_limit: usize,
    pub scroll_lines: usize,
    /// Characters from which a paste collapses to a marker; 0 never.
    pub paste_placeholder: usize,
    pub paste_label: Arc<str>,
    pub auto_compact: bool,
    pub mouse: bool,
    /// Plain lines in place of a screen.
    pub accessible: bool,
    pub tab_width: usize,
    pub live_reload: bool,
    pub scoped_models: Vec<Arc<str>>,
    /// Sources, as strings or objects with filters.
    pub packages: Vec<Value>,
    /// Config by extension name.
    pub extensions: Map<String, Value>,
    pub words: Words,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            theme: Arc::from("auto"),
            tui_mode: TuiMode::Inline,
            model: None,
            effort: Arc::from("high"),
            show_thinking: false,
            editor: None,
            tool_concurrency: 8,
            tool_label_rows: 2,
            tool_preview_rows: 5,
            tool_history_limit: 10,
            scroll_lines: 3,
            paste_placeholder: 1000,
            paste_label: Arc::from("[Pasted text #{id}, {chars} chars]"),
            auto_compact: true,
            mouse: true,
            accessible: false,
            tab_width: 4,
            live_reload: true,
            scoped_models: Vec::new(),
            packages: Vec::new(),
            extensions: Map::new(),
            words: Words::default(),
        }
    }
}

/// What a key may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    /// `provider/model`.
    Model,
    OneOf(&'static [&'static str]),
    Switch,
    Integer {
        least: u64,
        most: u64,
    },
    Strings,
    List,
    Object,
}

/// One key of the file.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    pub name: &'static str,
    pub kind: Kind,
    /// The default as a person would write it.
    pub default: &'static str,
    pub meaning: &'static str,
}

const fn key(name: &'static str, kind: Kind, default: &'static str, meaning: &'static str) -> Key {
    Key { name, kind, default, meaning }
}

const fn whole(least: u64, most: u64) -> Kind {
    Kind::Integer { least, most }
}

/// Every key but the words on the screen ([`WORDS`]).
#[rustfmt::skip]
pub const KEYS: &[Key] = &[
    key("theme", Kind::Text, "auto", "a theme's name; auto takes dark or light by the terminal's background"),
    key("tui_mode", Kind::OneOf(&["inline", "fullscreen"]), "inline", "inline: finished conversation goes to the terminal's own scrollback; fullscreen: alternate screen, e scrolls"),
    key("model", Kind::Model, "the first usable", "the model a session starts with; /model writes it"),
    key("effort", Kind::Text, "high", "reasoning effort at start, one of the model's levels"),
    key("show_thinking", Kind::Switch, "off", "expand reasoning, or keep it behind one line"),
    key("editor", Kind::Text, "$VISUAL, $EDITOR, vi", "the command with which ctrl+g opens the draft"),
    key("tool_concurrency", whole(1, 64), "8", "tool calls that run at once"),
    key("tool_label_rows", whole(1, 20), "2", "rows of a tool's label"),
    key("tool_preview_rows", whole(0, 20), "5", "rows of live output under a running tool"),
    key("tool_history_limit", whole(0, 1000), "10", "finished tools shown in a group"),
    key("scroll_lines", whole(1, 100), "3", "rows per step of the wheel"),
    key("paste_placeholder", whole(0, 100_000_000), "1000", "a paste of more characters collapses to a marker; 0: only beyond 64 KiB"),
    key("paste_label", Kind::Text, "[Pasted text #{id}, {chars} chars]", "the marker; {id}, {chars}, {lines}, {plural}"),
    key("auto_compact", Kind::Switch, "on", "summarise when the model's window fills"),
    key("mouse", Kind::Switch, "on", "capture the mouse on the alternate screen"),
    key("accessible", Kind::Switch, "off", "plain lines in place of a screen, for screen readers, from the next start on; ACCESSIBLE=1 does the same"),
    key("tab_width", whole(1, 16), "4", "columns between tab stops"),
    key("live_reload", Kind::Switch, "on", "apply theme, layout and keybindings as soon as the file is saved"),
    key("scoped_models", Kind::Strings, "[]", "models that ctrl+p goes through; /scoped-models writes it"),
    key("packages", Kind::List, "[]", "installed packages; e install and e remove write it"),
    key("extensions", Kind::Object, "{}", "config by extension name, handed to the extensions"),
];

/// The names of all keys, for spelling help.
pub fn names() -> Vec<&'static str> {
    let keys = KEYS.iter().map(|k| k.name).chain(WORDS.iter().map(|w| w.key));
    std::iter::once("format_version").chain(keys).collect()
}

/// A value that fits its key.
enum Fit {
    Text(Arc<str>),
    Switch(bool),
    Whole(usize),
    Strings(Vec<Arc<str>>),
    List(Vec<Value>),
    Object(Map<String, Value>),
}

/// Reads the file's text. A file that is no JSON gives the defaults and one complaint.
pub fn parse(file: &str, text: &str) -> (Settings, Vec<Complaint>) {
    let mut settings = Settings::default();
    let root = match jsonc::parse(file, text.as_bytes()) {
        Ok(root) => root,
        Err(complaint) => return (settings, vec![complaint]),
    };
    let mut reader = Reader::new(file);
    let _keep_their_defaults = fill(&mut settings, &mut reader, &root);
    (settings, reader.finish())
}

/// Reads the file's text again. A file that is no JSON leaves everything as it was `last`, a wrong value its key.
pub fn parse_over(file: &str, text: &str, last: &Settings) -> (Settings, Vec<Complaint>) {
    let mut settings = Settings::default();
    let root = match jsonc::parse(file, text.as_bytes()) {
        Ok(root) => root,
        Err(complaint) => return (last.clone(), vec![complaint]),
    };
    let mut reader = Reader::new(file);
    let wrong = fill(&mut settings, &mut reader, &root);
    let complaints = reader.finish();
    let kept = wrong.iter().filter_map(|name| Some((name.clone(), typed(name, &last.show(name)?).ok()?)));
    let kept: Map<String, Value> = kept.collect();
    if !kept.is_empty()
        && let Ok(root) = jsonc::parse(file, Value::Object(kept).to_string().as_bytes())
    {
        let _all_fit = fill(&mut settings, &mut Reader::new(file), &root);
    }
    (settings, complaints)
}

/// Takes the values that fit; gives the keys whose values do not.
fn fill(settings: &mut Settings, reader: &mut Reader, root: &Node) -> Vec<String> {
    let known = names();
    let mut wrong = Vec::new();
    for member in reader.object("the file", root).unwrap_or_default() {
        let name = member.key.as_str();
        if let Some(key) = KEYS.iter().find(|k| k.name == name) {
            match fit(reader, key, &member.value) {
                Some(fit) => settings.set(key.name, fit),
                None => wrong.push(name.to_owned()),
            }
        } else if WORDS.iter().any(|w| w.key == name) {
            match reader.string(name, &member.value) {
                Some(text) => settings.words.set(name, text),
                None => wrong.push(name.to_owned()),
            }
        } else if !matches!(name, "format_version" | "$schema") {
            reader.unknown_key(member, &known);
        }
    }
    wrong
}

fn fit(reader: &mut Reader, key: &Key, node: &Node) -> Option<Fit> {
    let name = key.name;
    Some(match key.kind {
        Kind::Text => Fit::Text(text(reader, name, node)?),
        Kind::Model => {
            let text = text(reader, name, node)?;
            let good =
                text.split_once('/').is_some_and(|(provider, id)| !provider.is_empty() && !id.is_empty());
            if !good {
                reader.wrong(name, node, "\"provider/model\"");
                return None;
            }
            Fit::Text(text)
        }
        Kind::OneOf(words) => Fit::Text(Arc::from(reader.choice(name, node, words)?)),
        Kind::Switch => Fit::Switch(reader.switch(name, node)?),
        Kind::Integer { least, most } => {
            Fit::Whole(usize::try_from(reader.integer(name, node, least, most)?).ok()?)
        }
        Kind::Strings => Fit::Strings(reader.strings(name, node)?.into_iter().map(Arc::from).collect()),
        Kind::List => Fit::List(reader.array(name, node)?.iter().map(Node::to_value).collect()),
        Kind::Object => match node.to_value() {
            Value::Object(map) => Fit::Object(map),
            _ => {
                reader.wrong(name, node, "an object");
                return None;
            }
        },
    })
}

/// A text that says something.
fn text(reader: &mut Reader, name: &str, node: &Node) -> Option<Arc<str>> {
    let text = reader.string(name, node)?.trim();
    if text.is_empty() {
        reader.complain(node.at, format!("{name} is empty; leave the key out for the default"));
        return None;
    }
    Some(Arc::from(text))
}

impl Settings {
    fn set(&mut self, name: &str, fit: Fit) {
        match (name, fit) {
            ("theme", Fit::Text(t)) => self.theme = t,
            ("tui_mode", Fit::Text(t)) => {
                self.tui_mode = if &*t == "fullscreen" { TuiMode::Fullscreen } else { TuiMode::Inline };
            }
            ("model", Fit::Text(t)) => self.model = Some(t),
            ("effort", Fit::Text(t)) => self.effort = t,
            ("editor", Fit::Text(t)) => self.editor = Some(t),
            ("paste_label", Fit::Text(t)) => self.paste_label = t,
            ("show_thinking", Fit::Switch(on)) => self.show_thinking = on,
            ("auto_compact", Fit::Switch(on)) => self.auto_compact = on,
            ("mouse", Fit::Switch(on)) => self.mouse = on,
            ("accessible", Fit::Switch(on)) => self.accessible = on,
            ("live_reload", Fit::Switch(on)) => self.live_reload = on,
            ("tool_concurrency", Fit::Whole(n)) => self.tool_concurrency = n,
            ("tool_label_rows", Fit::Whole(n)) => self.tool_label_rows = n,
            ("tool_preview_rows", Fit::Whole(n)) => self.tool_preview_rows = n,
            ("tool_history_limit", Fit::Whole(n)) => self.tool_history_limit = n,
            ("scroll_lines", Fit::Whole(n)) => self.scroll_lines = n,
            ("paste_placeholder", Fit::Whole(n)) => self.paste_placeholder = n,
            ("tab_width", Fit::Whole(n)) => self.tab_width = n,
            ("scoped_models", Fit::Strings(list)) => self.scoped_models = list,
            ("packages", Fit::List(list)) => self.packages = list,
            ("extensions", Fit::Object(map)) => self.extensions = map,
            _ => {}
        }
    }

    /// Takes a value that fits its key, or with none the default again.
    pub fn put(&mut self, name: &str, value: Option<&Value>) {
        let usual = || typed(name, &Settings::default().show(name)?).ok();
        match (name, value.cloned().or_else(usual)) {
            (_, Some(value)) => {
                let file = Value::Object(Map::from_iter([(name.to_owned(), value)]));
                if let Ok(root) = jsonc::parse("", file.to_string().as_bytes()) {
                    let _it_fits = fill(self, &mut Reader::new(""), &root);
                }
            }
            ("model", None) => self.model = None,
            ("editor", None) => self.editor = None,
            _ => {}
        }
    }

    /// The value of a key or word as a person would write it; `None` for a key that does not exist.
    pub fn show(&self, name: &str) -> Option<String> {
        let switch = |on: bool| if on { "on" } else { "off" }.to_owned();
        Some(match name {
            "theme" => self.theme.to_string(),
            "tui_mode" => match self.tui_mode {
                TuiMode::Inline => "inline".into(),
                TuiMode::Fullscreen => "fullscreen".into(),
            },
            "model" => self.model.as_deref().unwrap_or_default().into(),
            "effort" => self.effort.to_string(),
            "editor" => self.editor.as_deref().unwrap_or_default().into(),
            "paste_label" => self.paste_label.to_string(),
            "show_thinking" => switch(self.show_thinking),
            "auto_compact" => switch(self.auto_compact),
            "mouse" => switch(self.mouse),
            "accessible" => switch(self.accessible),
            "live_reload" => switch(self.live_reload),
            "tool_concurrency" => self.tool_concurrency.to_string(),
            "tool_label_rows" => self.tool_label_rows.to_string(),
            "tool_preview_rows" => self.tool_preview_rows.to_string(),
            "tool_history_limit" => self.tool_history_limit.to_string(),
            "scroll_lines" => self.scroll_lines.to_string(),
            "paste_placeholder" => self.paste_placeholder.to_string(),
            "tab_width" => self.tab_width.to_string(),
            "scoped_models" => {
                Value::from(self.scoped_models.iter().map(|m| &**m).collect::<Vec<_>>()).to_string()
            }
            "packages" => Value::from(self.packages.clone()).to_string(),
            "extensions" => Value::from(self.extensions.clone()).to_string(),
            word => self.words.get(word)?.to_string(),
        })
    }
}

/// Reads what a person typed for a key (in `/settings`) into the value the file will hold; the error says what it must be.
pub fn typed(name: &str, typed: &str) -> Result<Value, String> {
    let typed = typed.trim();
    let known = KEYS.iter().find(|k| k.name == name);
    let value = match known.map(|k| k.kind) {
        Some(Kind::Integer { .. }) => typed.parse::<u64>().map_or_else(|_| Value::from(typed), Value::from),
        Some(Kind::Strings | Kind::List | Kind::Object) => {
            serde_json::from_str(typed).unwrap_or_else(|_| Value::from(typed))
        }
        _ => Value::from(typed),
    };
    let file = Value::Object(Map::from_iter([(name.to_owned(), value.clone())]));
    match parse("settings.json", &file.to_string()).1.first() {
        None => Ok(value),
        Some(complaint) => Err(complaint.message.to_string()),
    }
}

/// `e docs settings`: all keys and words, from the same lists that the reader uses.
pub fn docs() -> String {
    let mut out = String::from(
        "# settings.json\n\nPreferences, in the home (`~/.e`, or where `E_HOME` points). Comments and trailing commas are fine. A wrong value\n\
         keeps the default for that key alone; `e check` names every wrong place. `/settings` says where the file is.\n\n",
    );
    for key in KEYS {
        let values = match key.kind {
            Kind::Text => "text".to_owned(),
            Kind::Model => "\"provider/model\"".into(),
            Kind::OneOf(words) => jsonc::one_of(words),
            Kind::Switch => jsonc::one_of(&["on", "off"]),
            Kind::Integer { least, most } if most >= 1_000_000 => format!("a whole number from {least}"),
            Kind::Integer { least, most } => format!("{least} to {most}"),
            Kind::Strings => "a list of strings".into(),
            Kind::List => "a list".into(),
            Kind::Object => "an object".into(),
        };
        out += &format!("- `{}`: {values}. Default: {}.\n  {}.\n", key.name, key.default, key.meaning);
    }
    out += "\n## Words on the screen\n\nEach is a key of its own, with these defaults.\n\n";
    for word in WORDS {
        out += &format!("- `{}`: {:?}\n  {}.\n", word.key, word.default, word.meaning);
    }
    out
}

/// `true` when the text is JSON of a newer version than this program writes.
pub fn is_newer(root: &Node) -> bool {
    let version = root.get("format_version").map(|n| &n.json);
    matches!(version, Some(Json::Number(n)) if n.parse::<f64>().is_ok_and(|n| n > 1.0))
}
