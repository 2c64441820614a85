//! Pages of `e`'s own for the reader: help, keys, usage, context.

use crate::model::config::keymap;
use crate::model::provider::{Message, UserKind};
use crate::model::session::Sessions;
use crate::model::session::commands::COMMANDS;
use crate::model::text::template;
use crate::model::tui::Tui;
use crate::model::tui::viewer::{Page, Reader};
use crate::update::Cx;

use super::pick;

pub fn help(sessions: &Sessions, cx: &Cx<'_>) -> Reader {
    let mut text = format!("# e {}\n\n", cx.boot.version);
    text += "Type what you want done and press enter. While it works, enter steers and esc interrupts.\n\n";
    text += "- `/` commands and prompt templates, `@` files, `$` skills\n";
    text += "- `!command` runs a command and shows it to the model, `!!command` keeps it from the model\n";
    text +=
        "- shift+enter, alt+enter or ctrl+j break a line; up recalls earlier prompts, ctrl+r searches them\n";
    text += "- ctrl+o opens everything in full; ctrl+c cancels, interrupts, clears; twice quits\n\n";
    text += "## Commands\n\n";
    for command in COMMANDS {
        let hint = if command.hint.is_empty() { String::new() } else { format!(" {}", command.hint) };
        text += &format!("- `/{}{hint}`: {}\n", command.name, command.description);
    }
    let templates = sessions.front().map(|s| s.desk.templates.as_slice()).unwrap_or_default();
    if !templates.is_empty() {
        text += "\n## Your prompts\n\n";
        for template in templates {
            text += &format!("- `/{}`: {}\n", template.name, template.description);
        }
    }
    let names: Vec<&str> = templates.iter().map(|template| &*template.name).collect();
    text += &commands(&names, cx);
    text += &format!("\n## Keys\n\n{}{}", keymap::docs(&cx.config.keymap), shortcuts(cx));
    text += &format!(
        "\nPreferences, keys, layout and themes are files in `{}`. `e docs` has the pages.\n",
        cx.boot.home
    );
    Reader::text("Help", &text)
}

/// What extensions declare, each command under the name that reaches it.
fn commands(templates: &[&str], cx: &Cx<'_>) -> String {
    let mut text = String::new();
    for command in &cx.registry.commands {
        let hint = command.arguments.as_str();
        let hint = if hint.is_empty() { String::new() } else { format!(" {hint}") };
        let shown = pick::command_name(command, templates);
        text += &format!("- `/{shown}{hint}`: {}\n", command.description);
    }
    if text.is_empty() { text } else { format!("\n## Commands of extensions\n\n{text}") }
}

/// The chords of extensions; one that a binding of the composer has does nothing until it is freed.
fn shortcuts(cx: &Cx<'_>) -> String {
    let mut text = String::new();
    for (chord, shortcut) in &cx.registry.shortcuts {
        let bound = cx.config.keymap.action(*chord).is_some() || cx.config.keymap.is_prefix(*chord);
        let note = if bound { " (bound to something else; `none` in keybindings.json frees it)" } else { "" };
        text += &format!("- `{chord}`: {}{note}\n", shortcut.description);
    }
    if text.is_empty() { text } else { format!("\n## Keys of extensions\n\n{text}") }
}

const USAGE: &str = "Usage";

/// Whether the page of `/usage` is open.
pub fn is_usage(reader: &Reader) -> bool {
    matches!(&reader.page, Page::Text { title, .. } if title.as_str() == USAGE)
}

/// This session's numbers, and behind them the section on saved sessions.
pub fn usage(tui: &Tui, sessions: &Sessions, saved: &str) -> Reader {
    let front = &tui.status.front;
    let tally = sessions.front().map(|s| s.tally.clone()).unwrap_or_default();
    let usage = tally.usage;
    let count = template::count;
    let mut text = "# Usage of this session\n\n| what | tokens |\n| --- | --- |\n".to_owned();
    for (what, tokens) in [
        ("input", usage.input),
        ("output", usage.output),
        ("read from cache", usage.cache_read),
        ("written to cache, 5 minutes", usage.cache_write_5m),
        ("written to cache, 1 hour", usage.cache_write_1h),
    ] {
        text += &format!("| {what} | {} |\n", count(tokens));
    }
    let cost = template::cost(tally.cost.or(front.cost));
    let cost = if cost.is_empty() { "not known for this model".to_owned() } else { cost };
    text += &format!("\nCost: {cost}. Responses since it was opened: {}.\n", front.responses);
    text += saved;
    Reader::text(USAGE, &text)
}

/// Characters of a token, about.
const CHARACTERS: usize = 4;

pub fn context(tui: &Tui, sessions: &Sessions) -> Reader {
    let (used, window) = tui.status.front.context;
    let mut text = "# What fills the model's window\n\n".to_owned();
    text += &match template::context(used, window) {
        share if share.is_empty() => format!(
            "About {} tokens with the system prompt and the tools' descriptions.\n\n",
            template::count(used)
        ),
        share => format!("{} of {} tokens: {share}.\n\n", template::count(used), template::count(window)),
    };
    let mut parts = [("Your messages", 0, 0), ("Replies", 0, 0), ("Tool results", 0, 0), ("Summaries", 0, 0)];
    let branch = sessions.front().map(|s| s.tree.branch()).unwrap_or_default();
    for node in branch {
        let (index, bytes) = match &*node.message {
            Message::User(user) if user.kind == UserKind::Summary => (3, user.text().len()),
            Message::User(user) => (0, user.text().len()),
            Message::Assistant(reply) => (
                1,
                reply.text().len() + reply.calls().map(|(_, _, arguments)| arguments.len()).sum::<usize>(),
            ),
            Message::Tool(result) => (2, result.content.len()),
        };
        if let Some((_, messages, total)) = parts.get_mut(index) {
            *messages += 1;
            *total += bytes;
        }
    }
    text += "| what | messages | tokens, about |\n| --- | --- | --- |\n";
    for (what, messages, bytes) in parts {
        text += &format!("| {what} | {messages} | {} |\n", template::count((bytes / CHARACTERS) as u64));
    }
    text += "\nThe rest is the system prompt and the tools' descriptions. `/compact` makes room.\n";
    Reader::text("Context", &text)
}
