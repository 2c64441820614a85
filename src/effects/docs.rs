//! `e docs`: the built-in guides. Those about files are made from the same lists that the readers use.

use super::{schemas, themes};
use crate::model::config::complaint::nearest;
use crate::model::config::{keymap, settings};
use crate::model::text::row::Token;

struct Guide {
    topic: &'static str,
    about: &'static str,
    text: Text,
}

enum Text {
    Fixed(&'static str),
    Made(fn() -> String),
}

macro_rules! guide {
    ($topic:literal, $about:literal) => {
        Guide {
            topic: $topic,
            about: $about,
            text: Text::Fixed(include_str!(concat!("../../docs/guides/", $topic, ".md"))),
        }
    };
}

const GUIDES: &[Guide] = &[
    guide!("start", "the first session: signing in, asking, steering, leaving"),
    guide!("accessible", "plain lines in place of a screen, for screen readers"),
    guide!("commands", "the command line, its options and exit statuses"),
    guide!("headless", "e -p and its JSON events"),
    guide!("models", "keys, providers and models.json"),
    guide!("sessions", "what is saved, continuing, branching"),
    guide!("diffs", "what the marks in a diff mean, and finding one's way in a long one"),
    guide!("prompts", "AGENTS.md, prompt templates and skills"),
    guide!("trust", "whose instructions are followed"),
    Guide { topic: "settings", about: "every key of settings.json", text: Text::Made(settings::docs) },
    Guide { topic: "keybindings", about: "every action and its keys", text: Text::Made(keybindings) },
    Guide { topic: "themes", about: "theme files and their tokens", text: Text::Made(theme_guide) },
    guide!("layout", "the status and activity rows, and where panes stand"),
    guide!("review", "reviewing changes beside the conversation, hunk by hunk"),
    guide!("scripts", "scripted models for demos and tests"),
    Guide {
        topic: "extensions",
        about: "programs of your own that add tools, commands, hooks and more",
        text: Text::Fixed(include_str!("../../docs/guides/extend/extensions.md")),
    },
    Guide {
        topic: "ext-check",
        about: "e ext check: every rule for extensions, and how to keep it",
        text: Text::Fixed(include_str!("../../docs/guides/extend/check.md")),
    },
];

macro_rules! examples {
    ($($file:literal),*) => {
        &[$(($file, include_str!(concat!("../../docs/guides/extend/examples/", $file)))),*]
    };
}

/// The extensions that ship as text, to be copied and changed.
const EXAMPLES: &[(&str, &str)] = examples!(
    "hello.mjs",
    "gate.mjs",
    "protected.mjs",
    "project.mjs",
    "plan.mjs",
    "diff.mjs",
    "notify_tests.py",
    "ping.sh",
    "scaffold.mjs"
);

/// The list that `e docs` prints.
pub fn topics() -> String {
    let mut out = String::from("Guides, shown by `e docs <topic>`:\n\n");
    for guide in GUIDES {
        out += &format!("  {:<12} {}\n", guide.topic, guide.about);
    }
    out += &format!("  {:<12} that theme as JSON, to start your own from\n", "theme-<name>");
    out +=
        &format!("  {:<12} its JSON Schema: settings, layout, keybindings, theme, models\n", "schema-<file>");
    out += "  example-<file>\n               an extension to start your own from; `e docs extensions` lists them\n";
    out
}

/// One guide; the error names the nearest topic.
pub fn topic(name: &str) -> Result<String, String> {
    if let Some(guide) = GUIDES.iter().find(|g| g.topic == name) {
        return Ok(match guide.text {
            Text::Fixed(text) => text.to_owned(),
            Text::Made(make) => make(),
        });
    }
    if let Some(text) = name.strip_prefix("theme-").and_then(themes::builtin) {
        return Ok(text.to_owned());
    }
    let schemas = schemas::all();
    if let Some((_, text)) =
        name.strip_prefix("schema-").and_then(|name| schemas.iter().find(|(file, _)| *file == name))
    {
        return Ok(text.clone());
    }
    if let Some((_, text)) =
        name.strip_prefix("example-").and_then(|name| EXAMPLES.iter().find(|(file, _)| *file == name))
    {
        return Ok((*text).to_owned());
    }
    let made: Vec<String> = themes::BUILTIN
        .iter()
        .map(|(name, _)| format!("theme-{name}"))
        .chain(schemas.iter().map(|(file, _)| format!("schema-{file}")))
        .chain(EXAMPLES.iter().map(|(file, _)| format!("example-{file}")))
        .collect();
    let known = GUIDES.iter().map(|g| g.topic).chain(made.iter().map(String::as_str));
    let hint = nearest(name, known)
        .map(|near| format!("; did you mean `e docs {near}`?"))
        .unwrap_or_else(|| ";".into());
    Err(format!("there is no guide {name:?}{hint} `e docs` lists them"))
}

fn keybindings() -> String {
    format!("# keybindings.json\n\n{}", keymap::docs(&keymap::Keymap::default()))
}

fn theme_guide() -> String {
    let mut out = String::from(include_str!("../../docs/guides/themes.md"));
    out += "\n## Tokens\n\n";
    out += "| token | what it paints |\n| --- | --- |\n";
    for token in Token::ALL {
        out += &format!("| `{}` | {} |\n", token.name(), token.meaning());
    }
    let themes: Vec<String> = themes::BUILTIN.iter().map(|(name, _)| format!("`{name}`")).collect();
    out += &format!("\nBuilt in: {}.\n", themes.join(", "));
    out
}
