//! A typed line that calls a command: its name, its arguments, and the word that is being completed
//! (`extensions-notes.md` 10).

/// The name and the arguments of a line: everything behind the first space of the trimmed line.
pub fn invocation(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim().strip_prefix('/')?;
    let (name, args) = rest.split_once(' ').unwrap_or((rest, ""));
    (!name.is_empty()).then_some((name, args))
}

/// The name and the prefix to complete, while the line is `/name …` with a space and no newline.
pub fn completing(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.strip_prefix('/')?.split_once(' ')?;
    let prefix = rest.rsplit_once(' ').map_or(rest, |(_, last)| last);
    (!name.is_empty() && !line.contains('\n')).then_some((name, prefix))
}

/// The line with a chosen item in place of its last word, and a space behind it.
pub fn completed(line: &str, value: &str) -> String {
    let head = line.rfind(' ').and_then(|space| line.get(..=space)).unwrap_or_default();
    format!("{head}{value} ")
}
