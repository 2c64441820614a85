//! `e --help` and `e help` where there are extensions: what they add to the command line, the composer and the keys.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::sync::Arc;

use super::parse::{self, Parsed};
use super::{Decision, Refusal, complain, facts, print};
use crate::effects::ext;
use crate::effects::ext::greet::{Greeted, Hall, greet};
use crate::effects::home::Home;
use crate::model::ext::flags;
use crate::model::ext::registry::{self, Registry};
use crate::model::ext::words;
use crate::model::id::ExtId;
use crate::model::session::commands::COMMANDS;
use crate::model::wire::ext::{FlagDecl, FlagKind};

/// The help of `e` itself with everything that extensions declare; `None` when that is not what is asked for, or nothing
/// is there.
pub fn with_extensions(
    words: &[OsString],
    env: &Arc<BTreeMap<String, String>>,
) -> Result<Option<Decision>, Refusal> {
    let command = words.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
    let whole = if command == "help" { words.len() == 1 } else { !parse::names().contains(&command) };
    let cwd = facts::cwd().map_err(|why| (1, why))?;
    let home = Home::find(env, &cwd).map_err(|why| (1, why))?;
    if !whole || !ext::any(&home) {
        return Ok(None);
    }
    let hall = greet(&home, env, &cwd);
    let registry = settle(&hall);
    let text: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let parsed = flags::parse(&text, &registry.flags).map_err(|wrong| (2, wrong.to_string()))?;
    let Parsed::Say(help) = parse::parse(&parsed.strip(words)) else { return Ok(None) };
    for greeted in &hall.all {
        if let Err(why) = &greeted.manifest {
            let _unread = complain(&words::notice(&greeted.found.file, why));
        }
    }
    Ok(Some(Decision::Done(print(&format!("{help}{}", list(&hall, &registry))))))
}

/// Conflicts settled as a session settles them.
fn settle(hall: &Hall) -> Registry {
    let greeted: Vec<registry::Greeted<'_>> = living(hall)
        .filter_map(|(id, one)| {
            let manifest = one.manifest.as_ref().ok()?;
            Some(registry::Greeted { id, file: &one.found.file, manifest })
        })
        .collect();
    let names = COMMANDS.iter().flat_map(|c| std::iter::once(&c.name).chain(c.aliases));
    let taken: BTreeSet<Arc<str>> = names.map(|name| Arc::from(*name)).collect();
    Registry::new(&greeted, &taken).0
}

fn living(hall: &Hall) -> impl Iterator<Item = (ExtId, &Greeted)> {
    let all = hall.all.iter().enumerate().map(|(at, one)| (ExtId(at as u64), one));
    all.filter(|(_, one)| one.manifest.is_ok())
}

fn list(hall: &Hall, registry: &Registry) -> String {
    let mut out = String::new();
    for (id, one) in living(hall) {
        let Ok(manifest) = &one.manifest else { continue };
        let flags = manifest.flags.iter().map(|flag| (spelled(flag), flag.description.to_string()));
        let commands = registry.commands.iter().filter(|command| command.ext == id).map(|command| {
            let name = format!("/{} {}", command.shown(), command.arguments);
            (name.trim_end().to_owned(), command.description.to_string())
        });
        let shortcuts = registry.shortcuts.iter().filter(|(_, shortcut)| shortcut.ext == id);
        let shortcuts = shortcuts.map(|(chord, s)| (chord.to_string(), s.description.to_string()));
        let rows: Vec<(String, String)> = flags.chain(commands).chain(shortcuts).collect();
        if rows.is_empty() {
            continue;
        }
        let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
        out += &format!("\nExtension {}:\n", manifest.name);
        for (name, description) in rows {
            out += format!("  {name:<width$}  {description}").trim_end();
            out.push('\n');
        }
    }
    out
}

/// A flag as it is written on the command line.
fn spelled(flag: &FlagDecl) -> String {
    let name = crate::model::text::clean::Clean::one_line(&flag.name);
    match (flag.parsable(), flag.kind) {
        (false, _) => name.to_string(),
        (true, FlagKind::Boolean) => format!("--{name}"),
        (true, FlagKind::String) => format!("--{name} <value>"),
    }
}
