//! The manifest, held against everything the real host drops or refuses.

use std::collections::BTreeSet;

use serde_json::Value;

use super::judge::Finding;
use super::rules::{Advice, Rule};
use super::sample;
use crate::model::config::chord::Chord;
use crate::model::ext::flags::OWN;
use crate::model::text::clean::Clean;
use crate::model::wire::ext::{Event, FlagDecl, FlagKind, HookKind, Manifest, manifest};

/// Reads a manifest; without one there is nothing to check.
pub fn judge(value: &Value) -> (Option<Manifest>, Vec<Finding>) {
    let mut out = vec![Finding::Tried(Rule::InitializeName), Finding::Tried(Rule::InitializeShape)];
    let name = value.get("name").filter(|name| !name.is_null());
    if value.is_object()
        && name.is_none_or(|name| name.as_str().is_some_and(|n| Clean::collapsed(n).is_empty()))
    {
        out.push(Finding::Broken(Rule::InitializeName, "the manifest's `name` is missing or blank".into()));
        return (None, out);
    }
    let read = match manifest(value, &OWN) {
        Ok((read, _)) => read,
        Err(why) => {
            let rule = match name {
                Some(name) if !name.is_string() => Rule::InitializeName,
                _ => Rule::InitializeShape,
            };
            out.push(Finding::Broken(rule, why));
            return (None, out);
        }
    };
    tools(value, &mut out);
    commands(value, &mut out);
    flags(value, &mut out);
    shortcuts(value, &mut out);
    words(value, &mut out);
    (Some(read), out)
}

/// Objects of a list of the manifest with the field that names each.
fn named<'v>(root: &'v Value, list: &str, key: &str) -> Vec<(&'v str, &'v Value)> {
    let entries = root.get(list).and_then(Value::as_array).map_or(&[] as &[Value], Vec::as_slice);
    entries.iter().filter_map(|entry| Some((entry.get(key)?.as_str()?, entry))).collect()
}

/// The first name that comes twice.
fn double<'v>(names: impl IntoIterator<Item = &'v str>) -> Option<&'v str> {
    let mut seen = BTreeSet::new();
    names.into_iter().find(|name| !seen.insert(*name))
}

fn tools(root: &Value, out: &mut Vec<Finding>) {
    let tools = named(root, "tools", "name");
    if tools.is_empty() {
        return;
    }
    out.extend([Rule::ToolsNames, Rule::ToolsUnique, Rule::ToolsSchema].map(Finding::Tried));
    for (name, tool) in &tools {
        let alone = serde_json::json!({"name": "x", "tools": [tool]});
        if let Ok((_, notices)) = manifest(&alone, &OWN) {
            out.extend(notices.into_iter().map(|why| Finding::Broken(Rule::ToolsNames, why)));
        }
        let schema = tool.get("parameters").filter(|schema| !schema.is_null());
        if let Some(why) = schema.and_then(sample::complaint) {
            let why = format!("`parameters` of the tool {name:?}: {why}");
            out.push(Finding::Broken(Rule::ToolsSchema, why));
        }
    }
    if let Some(name) = double(tools.iter().map(|(name, _)| *name)) {
        let why = format!("the tool {name:?} is declared twice: the first one counts");
        out.push(Finding::Broken(Rule::ToolsUnique, why));
    }
}

fn commands(root: &Value, out: &mut Vec<Finding>) {
    let commands = named(root, "commands", "name");
    if commands.is_empty() {
        return;
    }
    out.extend([Rule::CommandsNames, Rule::CommandsUnique].map(Finding::Tried));
    for (_, command) in &commands {
        let alone = serde_json::json!({"name": "x", "commands": [command]});
        if let Ok((_, notices)) = manifest(&alone, &OWN) {
            out.extend(notices.into_iter().map(|why| Finding::Broken(Rule::CommandsNames, why)));
        }
    }
    if let Some(name) = double(commands.iter().map(|(name, _)| *name)) {
        let why = format!("the command {name:?} is declared twice: the first one counts");
        out.push(Finding::Broken(Rule::CommandsUnique, why));
    }
}

fn flags(root: &Value, out: &mut Vec<Finding>) {
    let flags = named(root, "flags", "name");
    if !flags.is_empty() {
        out.push(Finding::Tried(Rule::FlagsOwn));
    }
    for (name, flag) in flags {
        let alone = serde_json::json!({"name": "x", "flags": [flag]});
        if let Ok((_, notices)) = manifest(&alone, &OWN) {
            out.extend(notices.into_iter().map(|why| Finding::Broken(Rule::FlagsOwn, why)));
        }
        let kind = flag.get("type").and_then(Value::as_str).unwrap_or("boolean");
        if !["boolean", "string"].contains(&kind) {
            out.push(Finding::Odd(Advice::FlagsType, format!("flag {name:?} has the type {kind:?}")));
        }
        let decl = FlagDecl {
            name: name.into(),
            kind: FlagKind::Boolean,
            description: Clean::default(),
            default: None,
        };
        // `-x, --example` is meant for help; a name with a space or an underscore hardly is.
        if !decl.parsable() && !name.starts_with('-') {
            out.push(Finding::Odd(Advice::FlagsHelp, format!("flag {name:?}")));
        }
    }
}

fn shortcuts(root: &Value, out: &mut Vec<Finding>) {
    let keys = named(root, "shortcuts", "key");
    if keys.is_empty() {
        return;
    }
    out.extend([Rule::ShortcutsChords, Rule::ShortcutsUnique].map(Finding::Tried));
    let mut seen = BTreeSet::new();
    for (key, _) in keys {
        match Chord::for_extension(key) {
            Err(why) => {
                out.push(Finding::Broken(
                    Rule::ShortcutsChords,
                    format!("shortcut {key:?} is left out: {why}"),
                ));
            }
            Ok(chord) if !seen.insert(chord) => {
                let why = format!("the chord {chord} is declared twice: the first one counts");
                out.push(Finding::Broken(Rule::ShortcutsUnique, why));
            }
            Ok(_) => {}
        }
    }
}

/// Lists of words, of which the host passes over what it does not know.
fn words(root: &Value, out: &mut Vec<Finding>) {
    let words = |key: &str| -> Vec<&str> {
        root.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
    };
    let (hooks, renders, events) = (words("hooks"), words("renders"), words("events"));
    let hook = |name: &&&str| **name != "startup" && HookKind::parse(name).is_none();
    if let Some(name) = hooks.iter().find(hook) {
        out.push(Finding::Odd(Advice::HooksKnown, format!("hook {name:?}")));
    }
    if let Some(name) = events.iter().find(|name| !Event::NAMES.contains(*name)) {
        out.push(Finding::Odd(Advice::EventsKnown, format!("event {name:?}")));
    }
    let render = |name: &&&str| {
        !["assistant", "*"].contains(*name) && name.strip_prefix("tool:").is_none_or(str::is_empty)
    };
    if let Some(name) = renders.iter().find(render) {
        out.push(Finding::Odd(Advice::RendersKnown, format!("{name:?}")));
    }
    if hooks.contains(&"render") == renders.is_empty() {
        let what = if renders.is_empty() { "nothing in `renders`" } else { "no \"render\" in `hooks`" };
        out.push(Finding::Odd(Advice::RendersAsked, what.into()));
    }
}
