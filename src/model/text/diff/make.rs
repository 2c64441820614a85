//! A unified diff of two texts, in git's form.

use similar::{ChangeTag, group_diff_ops};

use super::compare;

/// Lines of context around a change.
const CONTEXT: usize = 3;
/// Longest function line in a hunk header, as in git.
const FUNCTION: usize = 80;

/// The unified diff that turns `old` into `new`; empty when they are equal. `None` stands for a file that is not
/// there. Line ends are kept as they are. Where the shortest difference would be dear to find, a coarser one stands in:
/// the diff stays true, only longer than need be.
pub fn unified(path: &str, old: Option<&str>, new: Option<&str>) -> String {
    unified_within(path, old, new, compare::STEPS)
}

/// The same with at most about `steps` steps, each a comparison of two lines, spent on finding a short difference.
pub fn unified_within(path: &str, old: Option<&str>, new: Option<&str>, steps: usize) -> String {
    let (before, after) = (lines(old), lines(new));
    if before == after && old.is_some() == new.is_some() {
        return String::new();
    }
    let side = |text: Option<&str>, prefix: &str| match text {
        None => "/dev/null".to_owned(),
        Some(_) => quoted(&format!("{prefix}/{path}")),
    };
    let mut out = format!("--- {}\n+++ {}\n", side(old, "a"), side(new, "b"));
    let (mut function, mut looked) = ("", 0);
    for group in group_diff_ops(compare::lines(&before, &after, steps), CONTEXT) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let (old, new) =
            (first.old_range().start..last.old_range().end, first.new_range().start..last.new_range().end);
        if let Some(found) = before[looked..old.start].iter().rev().find(|line| begins_function(line)) {
            function = found.trim_end();
        }
        looked = old.start;
        out.push_str(&format!("@@ -{} +{} @@", span(&old), span(&new)));
        if !function.is_empty() {
            out.push(' ');
            out.push_str(super::super::clip::bytes(function, FUNCTION));
        }
        out.push('\n');
        for change in group.iter().flat_map(|op| op.iter_changes(&before, &after)) {
            let (sign, line): (char, &str) = match change.tag() {
                ChangeTag::Equal => (' ', change.value()),
                ChangeTag::Delete => ('-', change.value()),
                ChangeTag::Insert => ('+', change.value()),
            };
            out.push(sign);
            out.push_str(line);
            if !line.ends_with('\n') {
                out.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    out
}

fn lines(text: Option<&str>) -> Vec<&str> {
    text.unwrap_or_default().split_inclusive('\n').collect()
}

/// Git's rule for languages it does not know: a line that begins with a letter, `_` or `$`.
fn begins_function(line: &str) -> bool {
    line.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$')
}

fn span(range: &std::ops::Range<usize>) -> String {
    match range.len() {
        // An empty range stands behind the line it names.
        0 => format!("{},0", range.start),
        1 => format!("{}", range.start + 1),
        len => format!("{},{len}", range.start + 1),
    }
}

/// A name as it stands in a header: quoted where its characters ask for it.
fn quoted(name: &str) -> String {
    if !name.contains(|c: char| c.is_control() || c == '"' || c == '\\') {
        // A tab ends a name with blanks, so that a reader does not take a part of it for a time.
        return if name.contains(' ') { format!("{name}\t") } else { name.to_owned() };
    }
    let mut out = String::from('"');
    for byte in name.bytes() {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            b' '..=b'~' => out.push(char::from(byte)),
            _ => out.push_str(&format!("\\{byte:03o}")),
        }
    }
    out.push('"');
    out
}
