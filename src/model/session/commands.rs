//! The built-in commands: their names, and what the `/` picker and `/help` say of them (`surfaces.md`).

/// One command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Command {
    /// Without the slash.
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    /// What may follow, empty when nothing does.
    pub hint: &'static str,
    pub description: &'static str,
    pub category: &'static str,
}

const fn command(
    name: &'static str,
    hint: &'static str,
    category: &'static str,
    description: &'static str,
) -> Command {
    Command { name, aliases: &[], hint, description, category }
}

const SESSION: &str = "session";
const MODEL: &str = "model";
const LOOK: &str = "look";
const APP: &str = "e";

/// Every built-in command, in the order they are listed.
pub const COMMANDS: &[Command] = &[
    command("help", "", APP, "Keys, commands and how to go on"),
    command("new", "", SESSION, "Start a new conversation"),
    command("resume", "", SESSION, "Go on with a saved session"),
    command("tree", "", SESSION, "Go back to an earlier prompt and branch there"),
    command("fork", "", SESSION, "Go on in a copy; the session stays as it is"),
    command("name", "<name>", SESSION, "Name this session"),
    Command { aliases: &["models"], ..command("model", "[provider/model]", MODEL, "Choose the model") },
    command("effort", "[level]", MODEL, "How hard the model thinks"),
    command("scoped-models", "[provider/model]", MODEL, "Choose the models that ctrl+p goes through"),
    command("login", "[provider]", MODEL, "Sign in to a provider"),
    command("logout", "[provider]", MODEL, "Forget a provider's key"),
    command("compact", "[focus]", SESSION, "Summarise the older part of the conversation"),
    command("undo", "", SESSION, "Take back the last write or edit of a file"),
    command("copy", "", SESSION, "Copy the last reply"),
    command("export", "[path]", SESSION, "Write this conversation as one HTML page"),
    command("usage", "[24h|7d|30d|all]", MODEL, "Tokens and cost"),
    command("context", "", MODEL, "What fills the model's window"),
    command("settings", "", APP, "Where settings are kept"),
    command("theme", "", LOOK, "Choose a theme"),
    command("keys", "", LOOK, "See all keys"),
    command("layout", "", LOOK, "Where the layout is kept"),
    command("extensions", "", APP, "Installed extensions"),
    command("reload", "", APP, "Read settings and files again"),
    command("trust", "", APP, "Trust this directory"),
    command("quit", "", APP, "Leave e"),
];

/// The command of that name or alias, without the slash.
pub fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|c| c.name == name || c.aliases.contains(&name))
}

/// Splits a line that calls a command by name: the name, and what follows. Paths and lone slashes are text.
pub fn split(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix('/')?;
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let (name, arguments) = rest.split_at(end);
    let shaped = name.starts_with(|c: char| c.is_alphanumeric())
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'));
    shaped.then_some((name, arguments.trim()))
}
