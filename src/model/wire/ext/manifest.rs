//! An extension's manifest, its answer to `initialize`: whole or not at all, but for parts that are dropped with a notice
//! (`extensions-notes.md` 5, 6, 10, 24).

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::model::config::chord::Chord;
use crate::model::text::clean::Clean;
use crate::model::tool::Label;

use super::HookKind;
use super::event::TURN_END;
use super::get::Strict;

#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// One line, not blank.
    pub name: Arc<str>,
    pub version: Option<Clean>,
    pub tools: Vec<ToolDecl>,
    pub commands: Vec<CommandDecl>,
    pub flags: Vec<FlagDecl>,
    pub hooks: BTreeSet<HookKind>,
    /// It wants the startup hook.
    pub startup: bool,
    pub renders: Renders,
    /// Names of events, known or not.
    pub events: BTreeSet<Arc<str>>,
    pub shortcuts: Vec<ShortcutDecl>,
}

/// A tool with a name that models accept.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDecl {
    pub name: Arc<str>,
    /// For the model.
    pub description: Arc<str>,
    /// A JSON Schema object.
    pub parameters: Arc<Value>,
    pub label: Label,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CommandDecl {
    /// Not empty, without white space.
    pub name: Arc<str>,
    pub description: Clean,
    /// The hint behind the name; empty when the command takes none.
    pub arguments: Clean,
    pub completions: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct FlagDecl {
    pub name: Arc<str>,
    pub kind: FlagKind,
    pub description: Clean,
    /// What the extension itself uses when the flag is absent.
    pub default: Option<Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlagKind {
    Boolean,
    String,
}

impl FlagDecl {
    /// Whether `e` parses it; any other name is shown in help as it is.
    pub fn parsable(&self) -> bool {
        let name = self.name.as_bytes();
        name.first().is_some_and(|first| *first != b'-')
            && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'-')
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct ShortcutDecl {
    pub chord: Chord,
    pub description: Clean,
}

/// What an extension renders.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Renders(BTreeSet<Arc<str>>);

impl Renders {
    /// As declared.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|name| &**name)
    }

    pub fn tool(&self, name: &str) -> bool {
        self.0.contains(format!("tool:{name}").as_str()) || self.0.contains("tool:*") || self.0.contains("*")
    }

    pub fn assistant(&self) -> bool {
        self.0.contains("assistant") || self.0.contains("*")
    }
}

/// Longest tool name.
const TOOL_NAME: usize = 64;

/// Reads a manifest and what there is to tell about it. `own` are the names of `e`'s options, without dashes.
pub fn manifest(value: &Value, own: &[&str]) -> Result<(Manifest, Vec<String>), String> {
    let root = Strict::new("the manifest", value)?;
    let name = Clean::collapsed(root.needed("name")?);
    if name.is_empty() {
        return Err("the manifest's `name` is blank".into());
    }
    let mut notices = Vec::new();
    let hooks = root.texts("hooks")?.unwrap_or_default();
    let renders = root.texts("renders")?.unwrap_or_default();
    let manifest = Manifest {
        name: name.as_str().into(),
        version: root.text("version")?.map(Clean::collapsed),
        tools: tools(root.list("tools")?, &mut notices)?,
        commands: commands(root.list("commands")?, &mut notices)?,
        flags: flags(root.list("flags")?, own, &mut notices)?,
        startup: hooks.contains(&"startup"),
        hooks: hooks.into_iter().filter_map(HookKind::parse).collect(),
        renders: Renders(renders.into_iter().map(Arc::from).collect()),
        events: match root.any("events") {
            None => BTreeSet::from([Arc::from(TURN_END)]),
            Some(_) => root.list("events")?.iter().filter_map(Value::as_str).map(Arc::from).collect(),
        },
        shortcuts: shortcuts(root.list("shortcuts")?, &mut notices)?,
    };
    Ok((manifest, notices))
}

/// A string of a stranger's, for a notice.
fn shown(raw: &str) -> Clean {
    Clean::name(raw).chars(super::TITLE_CHARS)
}

fn tools(list: &[Value], notices: &mut Vec<String>) -> Result<Vec<ToolDecl>, String> {
    let mut out = Vec::new();
    for value in list {
        let tool = Strict::new("a tool", value)?;
        let name = tool.needed("name")?;
        let description = tool.text("description")?.unwrap_or_default();
        let label = label(name, tool.any("label"))?;
        let fits = (1..=TOOL_NAME).contains(&name.len())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b));
        if !fits {
            notices.push(format!(
                "tool \"{}\" is left out: a tool's name has 1 to {TOOL_NAME} letters, digits, _ and -",
                shown(name)
            ));
            continue;
        }
        let parameters = match tool.any("parameters") {
            Some(schema @ Value::Object(_)) => schema.clone(),
            _ => json!({"type": "object", "properties": {}}),
        };
        out.push(ToolDecl {
            name: name.into(),
            description: description.into(),
            parameters: Arc::new(parameters),
            label,
        });
    }
    Ok(out)
}

fn label(tool: &str, value: Option<&Value>) -> Result<Label, String> {
    let Some(value) = value else { return Ok(Label::generic(tool)) };
    let label = Strict::new("a tool's `label`", value)?;
    let line = |key: &str| -> Result<Arc<str>, String> {
        Ok(Clean::collapsed(label.text(key)?.unwrap_or_default()).as_str().into())
    };
    let target = label.text("target")?.filter(|target| !target.is_empty()).map(Arc::from);
    let label = Label {
        category: line("category")?,
        running: line("running")?,
        completed: line("completed")?,
        target,
    };
    Ok(label.filled(tool))
}

fn commands(list: &[Value], notices: &mut Vec<String>) -> Result<Vec<CommandDecl>, String> {
    let mut out: Vec<CommandDecl> = Vec::new();
    for value in list {
        let command = Strict::new("a command", value)?;
        let name = command.needed("name")?;
        let decl = CommandDecl {
            name: name.into(),
            description: Clean::collapsed(command.text("description")?.unwrap_or_default()),
            arguments: Clean::collapsed(command.text("arguments")?.unwrap_or_default()),
            completions: command.flag("completions")?.unwrap_or(false),
        };
        // A name that is not as it looks could pass for another.
        let plain =
            !name.is_empty() && !name.contains(char::is_whitespace) && Clean::vanish(name).as_str() == name;
        if !plain {
            notices.push(format!(
                "command \"{}\" is left out: a command's name has at least one character, no white space and \
                 nothing invisible",
                shown(name)
            ));
        } else if out.iter().any(|other| other.name == decl.name) {
            notices.push(format!("command \"{}\" is declared twice: the first one counts", shown(name)));
        } else {
            out.push(decl);
        }
    }
    Ok(out)
}

fn flags(list: &[Value], own: &[&str], notices: &mut Vec<String>) -> Result<Vec<FlagDecl>, String> {
    let mut out = Vec::new();
    for value in list {
        let flag = Strict::new("a flag", value)?;
        let decl = FlagDecl {
            name: flag.needed("name")?.into(),
            kind: match flag.text("type")? {
                Some("string") => FlagKind::String,
                _ => FlagKind::Boolean,
            },
            description: Clean::collapsed(flag.text("description")?.unwrap_or_default()),
            default: flag.any("default").cloned(),
        };
        let negated = format!("no-{}", decl.name);
        match own.iter().find(|own| **own == &*decl.name || **own == negated) {
            Some(own) if decl.parsable() => {
                notices.push(format!("flag --{} is left out: --{own} is an option of e itself", decl.name))
            }
            _ => out.push(decl),
        }
    }
    Ok(out)
}

fn shortcuts(list: &[Value], notices: &mut Vec<String>) -> Result<Vec<ShortcutDecl>, String> {
    let mut out = Vec::new();
    for value in list {
        let shortcut = Strict::new("a shortcut", value)?;
        let key = shortcut.needed("key")?;
        let description = Clean::collapsed(shortcut.text("description")?.unwrap_or_default());
        match Chord::for_extension(key) {
            Ok(chord) => out.push(ShortcutDecl { chord, description }),
            Err(why) => notices.push(format!("shortcut \"{}\" is left out: {why}", shown(key))),
        }
    }
    Ok(out)
}
