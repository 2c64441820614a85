//! `/keys`: every chord with its owner and where that comes from, conflicts first.

use super::owners::ORDER;
use crate::model::config::keymap::{Action, Context, Keymap, PREFIX};
use crate::model::ext::registry::Registry;
use crate::model::tui::viewer::Reader;
use crate::update::Cx;

pub fn page(cx: &Cx<'_>) -> Reader {
    let config = &*cx.config;
    let focus = config.layout.focus.to_string();
    let mut text = String::from("# Keys\n");
    let conflicts = conflicts(&config.keymap, cx.registry, &focus);
    if !conflicts.is_empty() {
        text += "\n## Conflicts\n\n";
        conflicts.iter().for_each(|line| text += &format!("- {line}\n"));
    }
    text +=
        "\n## In the composer and everywhere\n\n| key | does | owner | from |\n| --- | --- | --- | --- |\n";
    for (chord, action) in config.keymap.composer() {
        let from = from(&config.keymap, Context::Composer, false, chord);
        text += &format!("| {} | {} | e | {from} |\n", cell(&chord.to_string()), does(action));
    }
    for (chord, action) in config.keymap.behind_prefix() {
        let from = from(&config.keymap, Context::Composer, true, chord);
        text += &format!("| {} | {} | e | {from} |\n", cell(&format!("{PREFIX} {chord}")), does(action));
    }
    text += &format!("| {} | to the pane and back, while there is one | e | layout |\n", cell(&focus));
    for (chord, shortcut) in &cx.registry.shortcuts {
        let name = extension(cx.registry, shortcut);
        text +=
            &format!("| {} | {} | {name} | extension |\n", cell(&chord.to_string()), shortcut.description);
    }
    for context in Context::OBJECTS {
        text += &format!("\n## In the {}\n\n| key | does | from |\n| --- | --- | --- |\n", context.name());
        for (chord, action) in config.keymap.in_context(context) {
            let from = from(&config.keymap, context, false, chord);
            text += &format!("| {} | {action} | {from} |\n", cell(&chord.to_string()));
        }
    }
    let freed: Vec<&str> =
        Action::ALL.iter().filter(|a| config.keymap.chords(**a).is_empty()).map(|a| a.name()).collect();
    if !freed.is_empty() {
        text += &format!("\nActions without a key: {}.\n", freed.join(", "));
    }
    text += "\n## Who gets a key\n\nThe first of these that wants it.\n\n";
    for (at, rule) in ORDER.iter().enumerate() {
        text += &format!("{}. {}: {}\n", at + 1, rule.who, rule.what);
    }
    text += "\nChange keys in `keybindings.json` in the home: `{\"ctrl+k\": \"none\", \"alt+k\": \"kill_to_end\", \"reader\": {\"x\": \"close\"}}`.\n";
    Reader::text("Keys", &text)
}

fn does(action: Action) -> String {
    format!("{} (`{action}`)", action.meaning())
}

/// A chord in a cell of a table.
fn cell(chord: &str) -> String {
    chord.replace('|', "\\|")
}

fn from(
    keymap: &Keymap,
    context: Context,
    behind: bool,
    chord: crate::model::config::chord::Chord,
) -> String {
    match keymap.line(context, behind, chord) {
        Some(line) => format!("keybindings.json:{line}"),
        None => "built-in".into(),
    }
}

/// The extension that declared a shortcut, as its commands name it.
fn extension(registry: &Registry, shortcut: &crate::model::ext::registry::Shortcut) -> String {
    let command = registry.commands.iter().find(|command| command.ext == shortcut.ext);
    let name = command.and_then(|command| command.qualified.split_once(':')).map(|(name, _)| name);
    name.map_or("an extension".into(), |name| format!("extension {name}"))
}

/// Chords that two want, with the one who gets them.
fn conflicts(keymap: &Keymap, registry: &Registry, focus: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for (chord, shortcut) in &registry.shortcuts {
        let who = extension(registry, shortcut);
        if let Some((action, _)) = keymap.action(*chord) {
            lines.push(format!(
                "`{chord}`: {who} wants it for \"{}\", but it is bound to `{action}`; `\"{chord}\": \"none\"` in keybindings.json frees it",
                shortcut.description
            ));
        } else if keymap.is_prefix(*chord) || chord.to_string() == focus {
            lines.push(format!(
                "`{chord}`: {who} wants it for \"{}\", but e has it first",
                shortcut.description
            ));
        }
    }
    if let Some((chord, action)) = keymap.composer().find(|(chord, _)| chord.to_string() == focus) {
        lines.push(format!(
            "`{chord}`: bound to `{action}`, but while a pane is there it moves the focus (layout.json)"
        ));
    }
    let prefix = keymap.composer().find(|(chord, _)| *chord == PREFIX);
    if let Some((chord, action)) = prefix
        && keymap.behind_prefix().next().is_some()
    {
        lines.push(format!("`{chord}`: bound to `{action}`, so that no key behind it can be reached"));
    }
    lines
}
