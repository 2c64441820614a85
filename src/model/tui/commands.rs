//! The built-in commands as the `/` picker and help show them. What they do is the business of other rooms.

/// A built-in command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Command {
    pub name: &'static str,
    /// Empty when it takes none; picking a command with arguments leaves it in the composer.
    pub arguments: &'static str,
    pub what: &'static str,
}

const fn command(name: &'static str, arguments: &'static str, what: &'static str) -> Command {
    Command { name, arguments, what }
}

/// All of them, in the order help shows them.
pub const COMMANDS: &[Command] = &[
    command("help", "", "keys, commands and where things are"),
    command("new", "", "start a fresh session"),
    command("resume", "", "go on with an earlier session"),
    command("tree", "", "rewind to an earlier prompt and branch there"),
    command("fork", "", "copy this session and go on in the copy"),
    command("name", "<name>", "name this session"),
    command("model", "", "choose the model"),
    command("models", "", "choose the model"),
    command("effort", "", "choose the reasoning effort"),
    command("scoped-models", "", "the models that ctrl+p goes through"),
    command("login", "", "store an API key"),
    command("logout", "", "remove a stored API key"),
    command("compact", "[focus]", "summarise the conversation to make room"),
    command("undo", "", "take back the last change to a file"),
    command("copy", "", "copy the last reply"),
    command("export", "[path]", "write this session as an HTML page"),
    command("usage", "[24h|7d|30d|all]", "tokens and cost"),
    command("context", "", "what fills the model's window"),
    command("settings", "", "preferences"),
    command("theme", "", "choose a theme"),
    command("keys", "", "all keys"),
    command("layout", "", "status rows and panes"),
    command("extensions", "", "extensions that run"),
    command("reload", "", "apply changed settings and files"),
    command("trust", "", "trust this directory's instructions"),
    command("quit", "", "leave"),
];
