//! Everything that extensions declare, in one table: conflicts are settled in launch order, and every loser is told
//! (`extensions-notes.md` 5, 10, 24).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::config::chord::Chord;
use crate::model::id::ExtId;
use crate::model::text::clean::Clean;
use crate::model::tool::{Owner, ToolSpec};
use crate::model::wire::ext::{HookKind, Manifest, Renders};

use super::Entry;
use super::flags::Declared;

/// One extension whose manifest holds.
#[derive(Debug, Clone, Copy)]
pub struct Greeted<'m> {
    pub id: ExtId,
    /// What notices call it.
    pub file: &'m str,
    pub manifest: &'m Manifest,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Registry {
    /// Every extension tool, in launch order, each name once.
    pub tools: Vec<ToolSpec>,
    /// Every extension command, in launch order.
    pub commands: Vec<Command>,
    pub shortcuts: BTreeMap<Chord, Shortcut>,
    /// Flags that `e` parses, in launch order.
    pub flags: Vec<Declared>,
    hooks: BTreeMap<HookKind, Vec<ExtId>>,
    startup: BTreeSet<ExtId>,
    renders: BTreeMap<ExtId, Renders>,
    /// Who hears which event, in launch order.
    events: BTreeMap<Arc<str>, Vec<ExtId>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Command {
    pub ext: ExtId,
    /// As declared; what the extension is told.
    pub name: Arc<str>,
    /// `extension:name`; always understood.
    pub qualified: Arc<str>,
    /// `/name` alone is this one.
    pub bare: bool,
    pub description: Clean,
    pub arguments: Clean,
    pub completions: bool,
}

impl Command {
    /// What the picker and help show, without the slash.
    pub fn shown(&self) -> &Arc<str> {
        if self.bare { &self.name } else { &self.qualified }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Shortcut {
    pub ext: ExtId,
    pub description: Clean,
}

impl Registry {
    /// Settles what the extensions declare, given in launch order. `taken` are the names of built-in commands and prompt
    /// templates. The notices are for the person, in order.
    pub fn new(greeted: &[Greeted<'_>], taken: &BTreeSet<Arc<str>>) -> (Registry, Vec<String>) {
        let mut registry = Registry::default();
        let mut notices = Vec::new();
        let mut names: BTreeMap<&str, &str> = BTreeMap::new();
        for one in greeted {
            match names.get(&*one.manifest.name) {
                Some(first) => notices.push(format!(
                    "extension {}: it calls itself {:?}, as {first} does; both run",
                    one.file, one.manifest.name
                )),
                None => {
                    names.insert(&one.manifest.name, one.file);
                }
            }
            registry.add_tools(*one, greeted, &mut notices);
            registry.add_commands(*one, taken, &mut notices);
            registry.add_shortcuts(*one, greeted, &mut notices);
            registry.add_rest(*one);
        }
        (registry, notices)
    }

    fn add_tools(&mut self, one: Greeted<'_>, all: &[Greeted<'_>], notices: &mut Vec<String>) {
        for decl in &one.manifest.tools {
            match self.tools.iter().find(|tool| tool.name == decl.name).map(|tool| tool.owner) {
                Some(owner) => notices.push(format!(
                    "extension {}: tool {:?} is left out: {} declares it already",
                    one.file,
                    decl.name,
                    owner_name(owner, one.id, all)
                )),
                None => self.tools.push(ToolSpec {
                    name: decl.name.clone(),
                    description: decl.description.clone(),
                    parameters: decl.parameters.clone(),
                    label: decl.label.clone(),
                    owner: Owner::Ext(one.id),
                }),
            }
        }
    }

    fn add_commands(&mut self, one: Greeted<'_>, taken: &BTreeSet<Arc<str>>, notices: &mut Vec<String>) {
        let prefix = one.manifest.name.replace(' ', "-");
        for decl in &one.manifest.commands {
            let qualified: Arc<str> = format!("{prefix}:{}", decl.name).into();
            let bare = !taken.contains(&decl.name) && self.command(&decl.name).is_none();
            match (bare, self.command(&qualified).is_none()) {
                (true, _) => {}
                (false, true) => notices.push(format!(
                    "extension {}: /{} is taken; the command is /{qualified}",
                    one.file, decl.name
                )),
                (false, false) => {
                    notices.push(format!(
                        "extension {}: /{} and /{qualified} are both taken; the command cannot be reached",
                        one.file, decl.name
                    ));
                    continue;
                }
            }
            self.commands.push(Command {
                ext: one.id,
                name: decl.name.clone(),
                qualified,
                bare,
                description: decl.description.clone(),
                arguments: decl.arguments.clone(),
                completions: decl.completions,
            });
        }
    }

    fn add_shortcuts(&mut self, one: Greeted<'_>, all: &[Greeted<'_>], notices: &mut Vec<String>) {
        for decl in &one.manifest.shortcuts {
            match self.shortcuts.get(&decl.chord) {
                Some(first) => notices.push(format!(
                    "extension {}: shortcut {} is left out: {} declares it already",
                    one.file,
                    decl.chord,
                    owner_name(Owner::Ext(first.ext), one.id, all)
                )),
                None => {
                    let shortcut = Shortcut { ext: one.id, description: decl.description.clone() };
                    self.shortcuts.insert(decl.chord, shortcut);
                }
            }
        }
    }

    fn add_rest(&mut self, one: Greeted<'_>) {
        let manifest = one.manifest;
        self.flags.extend(manifest.flags.iter().filter_map(|flag| Declared::new(&manifest.name, flag)));
        for kind in &manifest.hooks {
            self.hooks.entry(*kind).or_default().push(one.id);
        }
        if manifest.startup {
            self.startup.insert(one.id);
        }
        self.renders.insert(one.id, manifest.renders.clone());
        for event in &manifest.events {
            self.events.entry(event.clone()).or_default().push(one.id);
        }
    }

    /// What a model is offered: the built-ins, each replaced by an extension's tool of its name, then the others.
    pub fn offered(&self, builtins: Vec<ToolSpec>) -> Vec<ToolSpec> {
        let mut offered = builtins;
        for tool in &self.tools {
            match offered.iter_mut().find(|other| other.name == tool.name) {
                Some(other) => *other = tool.clone(),
                None => offered.push(tool.clone()),
            }
        }
        offered
    }

    /// The command a person means by `/name`: the bare name's owner, else the qualified one.
    pub fn command(&self, name: &str) -> Option<&Command> {
        let bare = self.commands.iter().find(|command| command.bare && &*command.name == name);
        bare.or_else(|| self.commands.iter().find(|command| &*command.qualified == name))
    }

    /// Who is asked at a hook, in launch order.
    pub fn hooked(&self, kind: HookKind) -> &[ExtId] {
        self.hooks.get(&kind).map_or(&[], Vec::as_slice)
    }

    /// Who is asked to render an entry, in launch order.
    pub fn renderers(&self, entry: &Entry) -> Vec<ExtId> {
        let wants = |ext: &&ExtId| {
            self.renders.get(ext).is_some_and(|renders| match entry {
                Entry::Tool(name) => renders.tool(name),
                Entry::Assistant => renders.assistant(),
            })
        };
        self.hooked(HookKind::Render).iter().filter(wants).copied().collect()
    }

    pub fn wants_startup(&self, ext: ExtId) -> bool {
        self.startup.contains(&ext)
    }

    /// Who hears an event, in launch order.
    pub fn subscribers(&self, event: &str) -> &[ExtId] {
        self.events.get(event).map_or(&[], Vec::as_slice)
    }
}

/// Who declared something first, as the loser hears it.
fn owner_name(owner: Owner, loser: ExtId, all: &[Greeted<'_>]) -> String {
    match owner {
        Owner::Ext(ext) if ext == loser => "it".into(),
        Owner::Ext(ext) => {
            let file = all.iter().find(|one| one.id == ext).map_or("another", |one| one.file);
            format!("extension {file}")
        }
        Owner::Builtin => "e".into(),
    }
}
