//! The built-in tools as the model and the screen know them: schemas, descriptions, labels, and the words of a row.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Label, Outcome, Owner, ToolSpec};

pub const READ: &str = "read";
pub const WRITE: &str = "write";
pub const EDIT: &str = "edit";
pub const GREP: &str = "grep";
pub const READ_RESULT: &str = "read_result";
pub const BASH: &str = "bash";

/// Seconds a command may run when the call does not say, and the range it may ask for.
pub const TIMEOUT: (u64, u64, u64) = (120, 1, 600);

/// Every built-in tool, in the order they are offered.
pub fn builtins() -> Vec<ToolSpec> {
    vec![read(), write(), edit(), grep(), read_result(), bash()]
}

/// The built-in of that name.
pub fn builtin(name: &str) -> Option<ToolSpec> {
    builtins().into_iter().find(|spec| &*spec.name == name)
}

fn spec(name: &str, description: &str, parameters: Value, label: [&str; 4]) -> ToolSpec {
    let [category, running, completed, target] = label;
    ToolSpec {
        name: name.into(),
        description: description.into(),
        parameters: Arc::new(parameters),
        label: Label {
            category: category.into(),
            running: running.into(),
            completed: completed.into(),
            target: Some(target.into()),
        },
        owner: Owner::Builtin,
    }
}

const PATH: &str = "Absolute, or relative to the workspace.";

fn read() -> ToolSpec {
    spec(
        READ,
        "Reads a text file, or looks at a PNG, JPEG, GIF or WebP image. Text comes as numbered lines: the line's \
         number, a tab, the line. The number and the tab are not part of the file. Long files are cut at a whole \
         line; the last line of the answer says which lines were shown, how many there are, and the offset to go \
         on from.",
        json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": PATH},
                "offset": {"type": "integer", "minimum": 1, "description": "First line to read, counted from 1."},
                "limit": {"type": "integer", "minimum": 1, "description": "How many lines at most."},
            },
            "required": ["path"],
            "additionalProperties": false,
        }),
        ["read", "Reading", "Read", "path"],
    )
}

fn write() -> ToolSpec {
    spec(
        WRITE,
        "Writes a whole file: makes a new one, missing folders included, or replaces what a text file holds. It \
         refuses when the file changed on disk since you last saw it. To change part of a file use `edit`.",
        json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": PATH},
                "content": {"type": "string", "description": "The whole text of the file."},
            },
            "required": ["path", "content"],
            "additionalProperties": false,
        }),
        ["write", "Writing", "Wrote", "path"],
    )
}

fn edit() -> ToolSpec {
    spec(
        EDIT,
        "Replaces text in a file. `old_string` must be in the file exactly (line ends need not match: text with \\n \
         also edits a file with CRLF, which stays CRLF) and only once, unless `replace_all` is true. Give enough \
         lines around the place to make it unique. `new_string` is taken literally. Line numbers that `read` shows \
         are not part of the text.",
        json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": PATH},
                "old_string": {"type": "string", "description": "The text to replace, exactly as in the file."},
                "new_string": {"type": "string", "description": "The text to put there."},
                "replace_all": {"type": "boolean", "description": "Replace every occurrence. Default false."},
            },
            "required": ["path", "old_string", "new_string"],
            "additionalProperties": false,
        }),
        ["edit", "Editing", "Edited", "path"],
    )
}

fn grep() -> ToolSpec {
    spec(
        GREP,
        "Searches the contents of files with a Rust regular expression and answers `path:line:text`, at most 200 \
         matches. Hidden, ignored (.gitignore) and binary files are skipped unless `path` or the start of `glob` \
         names them; the answer says how many were.",
        json!({
            "type": "object",
            "properties": {
                "pattern": {"type": "string", "description": "A Rust regular expression; (?i) ignores case."},
                "path": {"type": "string", "description": "File or folder to search. Default: the workspace."},
                "glob": {"type": "string", "description": "Only files matching it, such as *.rs or src/**/*.ts."},
            },
            "required": ["pattern"],
            "additionalProperties": false,
        }),
        ["search", "Searching", "Searched", "pattern"],
    )
}

fn read_result() -> ToolSpec {
    spec(
        READ_RESULT,
        "Reads more of an earlier tool result that was too long to show whole, by the id which that result gave: a \
         page of it by line, or only the lines that contain `query`.",
        json!({
            "type": "object",
            "properties": {
                "id": {"type": "string", "description": "The id of the kept result, such as r3."},
                "offset": {"type": "integer", "minimum": 1, "description": "First line to show, counted from 1."},
                "limit": {"type": "integer", "minimum": 1, "description": "How many lines at most."},
                "query": {"type": "string", "description": "Show only lines that contain this text."},
            },
            "required": ["id"],
            "additionalProperties": false,
        }),
        ["page", "Paging", "Paged", "id"],
    )
}

fn bash() -> ToolSpec {
    let (default, least, most) = TIMEOUT;
    spec(
        BASH,
        "Runs a command with `bash -lc` in the workspace and answers its output, both streams in order, and its exit \
         status. There is no terminal and no input: programs that ask questions or open editors fail at once. When \
         the command ends, whatever it left running is ended too; for a server or a watcher set `background`, which \
         answers a handle at once. Call again with `handle` to read new output, or with `handle` and `signal` to \
         end it.",
        json!({
            "type": "object",
            "properties": {
                "command": {"type": "string", "description": "The command line. Needed unless `handle` is given."},
                "timeout": {
                    "type": "integer", "minimum": least, "maximum": most,
                    "description": format!(
                        "Seconds after which the command is killed. Default {default}, with `background` none."
                    ),
                },
                "background": {"type": "boolean", "description": "Answer a handle and let the command run on."},
                "handle": {"type": "string", "description": "A background command to ask about, such as b1."},
                "signal": {
                    "type": "string",
                    "description": "With `handle`: the signal to send, such as TERM, INT or KILL.",
                },
            },
            "additionalProperties": false,
        }),
        ["command", "Running", "Ran", "command"],
    )
}

/// The file a built-in call reads or changes, for same-file order; `None` for calls that name no single file.
pub fn file_of<'a>(name: &str, arguments: &'a Value) -> Option<&'a str> {
    match name {
        READ | WRITE | EDIT => arguments.get("path")?.as_str(),
        _ => None,
    }
}

impl Label {
    /// The label of a tool that declares none, or blank parts (`extensions-notes.md`, 8).
    pub fn filled(self, tool: &str) -> Label {
        let or = |given: Arc<str>, other: String| if given.trim().is_empty() { other.into() } else { given };
        Label {
            category: or(self.category, tool.to_owned()),
            running: or(self.running, format!("Running {tool}")),
            completed: or(self.completed, format!("Ran {tool}")),
            target: self.target,
        }
    }

    /// The generic label: `Running greet`, `Ran greet`.
    pub fn generic(tool: &str) -> Label {
        Label { category: "".into(), running: "".into(), completed: "".into(), target: None }.filled(tool)
    }
}

/// What a row names as the call's object: a string argument as it is, other types as JSON, missing or null nothing.
pub fn target(label: &Label, arguments: &Value) -> Option<String> {
    let key = label.target.as_deref()?;
    let value = match arguments.get(key) {
        // A poll of a background command has no command, but a handle.
        None if key == "command" => arguments.get("handle"),
        found => found,
    };
    match value? {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// The verb that opens a row: `None` while the call runs.
pub fn verb(label: &Label, outcome: Option<Outcome>) -> &str {
    match outcome {
        None => &label.running,
        Some(Outcome::Completed) => &label.completed,
        Some(Outcome::Failed) => "Failed",
        Some(Outcome::TimedOut) => "Timed out",
        Some(Outcome::Blocked) => "Blocked",
        Some(Outcome::Cancelled) => "Cancelled",
    }
}

/// What follows the target in a finished row: the summary, or the first line of a failure's reason.
pub fn suffix<'a>(outcome: Outcome, summary: Option<&'a str>, content: &'a str) -> Option<&'a str> {
    let given = summary.map(str::trim).filter(|s| !s.is_empty());
    match outcome {
        // What a cancelled call says is for the model; the label says it to the person.
        Outcome::Completed | Outcome::Cancelled => given,
        Outcome::Failed | Outcome::TimedOut | Outcome::Blocked => {
            given.or_else(|| content.lines().map(str::trim).find(|line| !line.is_empty()))
        }
    }
}

/// The line under which a finished group folds: `Read 3 files, ran 2 commands, edited 1 file`; largest count first,
/// equals in order of appearance, and how many did not complete at the end.
pub fn tally<'a>(calls: impl IntoIterator<Item = (&'a str, Outcome)>) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    let mut unfinished: Vec<(&str, usize)> = Vec::new();
    for (category, outcome) in calls {
        let (list, key) = match outcome {
            Outcome::Completed => (&mut counts, category),
            Outcome::TimedOut => (&mut unfinished, "timed out"),
            Outcome::Failed | Outcome::Blocked | Outcome::Cancelled => (&mut unfinished, outcome.name()),
        };
        match list.iter_mut().find(|(known, _)| *known == key) {
            Some((_, count)) => *count += 1,
            None => list.push((key, 1)),
        }
    }
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let done = counts.into_iter().map(|(category, count)| phrase(category, count));
    let rest = unfinished.into_iter().map(|(word, count)| format!("{count} {word}"));
    let text = done.chain(rest).collect::<Vec<_>>().join(", ");
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => text,
    }
}

fn phrase(category: &str, count: usize) -> String {
    let (verb, noun) = match category {
        "read" => ("read ", "file"),
        "write" => ("wrote ", "file"),
        "edit" => ("edited ", "file"),
        "command" => ("ran ", "command"),
        "page" => ("paged ", "result"),
        "search" if count == 1 => return "searched once".into(),
        "search" => return format!("searched {count} times"),
        other => return format!("{count} {other}"),
    };
    format!("{verb}{count} {noun}{}", if count == 1 { "" } else { "s" })
}
