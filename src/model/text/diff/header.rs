//! File headers of a diff: names with their prefixes and quotes, and what else they tell.

use super::DiffFile;
use crate::model::text::clean::Clean;

/// What the header lines of one file said so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Header {
    /// The two names of the `diff --git` line, prefixes included, where they can be told apart.
    git: Option<(Vec<u8>, Vec<u8>)>,
    /// The name of a `diff --cc` or `diff --combined` line.
    combined: Option<Vec<u8>>,
    pub before: Option<Vec<u8>>,
    pub after: Option<Vec<u8>>,
    renamed: Option<(Vec<u8>, &'static str)>,
    to: Option<Vec<u8>>,
    old_mode: Option<String>,
    new_mode: Option<String>,
    is_new: bool,
    is_deleted: bool,
    pub is_binary: bool,
}

impl Header {
    /// A header begun by a line that starts with `diff `.
    pub fn begun(line: &str) -> Self {
        let combined = ["diff --cc ", "diff --combined "].iter().find_map(|start| line.strip_prefix(start));
        Self {
            git: line.strip_prefix("diff --git ").and_then(git_names),
            combined: combined.map(name),
            ..Self::default()
        }
    }

    /// Takes an extended header line; false when it is none.
    pub fn take(&mut self, line: &str) -> bool {
        let Some((key, value)) = KEYS.iter().find_map(|key| Some((*key, line.strip_prefix(key)?))) else {
            return false;
        };
        match key {
            "old mode " => self.old_mode = Some(mode(value)),
            "new mode " => self.new_mode = Some(mode(value)),
            "new file mode " => self.is_new = true,
            "deleted file mode " => self.is_deleted = true,
            "rename from " => self.renamed = Some((name(value), "renamed from")),
            "copy from " => self.renamed = Some((name(value), "copied from")),
            "rename to " | "copy to " => self.to = Some(name(value)),
            "GIT binary patch" => self.is_binary = true,
            "--- " => self.before = Some(file_name(value)),
            "+++ " => self.after = Some(file_name(value)),
            _ => {}
        }
        true
    }

    /// The file the header tells of.
    pub fn file(&self) -> DiffFile {
        let (before, after) = self.names();
        let (is_new, is_deleted) = (self.is_new || before == DEV_NULL, self.is_deleted || after == DEV_NULL);
        let path = match &self.to {
            Some(to) => to.clone(),
            None if after == DEV_NULL || after.is_empty() => before.clone(),
            None => after,
        };
        let mut notes = Vec::new();
        if let Some((from, words)) = &self.renamed {
            notes.push(Clean::name(&format!("{words} {}", String::from_utf8_lossy(from))));
        }
        let facts = [(is_new, "new"), (is_deleted, "deleted")];
        notes.extend(facts.iter().filter(|(is, _)| *is).map(|(_, word)| Clean::from(*word)));
        if let (Some(old), Some(new)) = (&self.old_mode, &self.new_mode) {
            notes.push(Clean::collapsed(&format!("mode {old} → {new}")));
        }
        if self.is_binary {
            notes.push(Clean::from("binary"));
        }
        let old = self.renamed.as_ref().map(|(from, _)| from.clone());
        let old = old.or_else(|| Some(before).filter(|before| before != DEV_NULL && !before.is_empty()));
        let old_path = old.filter(|old| *old != path);
        DiffFile { name: Clean::name(&String::from_utf8_lossy(&path)), path, old_path, notes }
    }

    /// Both names without their prefixes.
    fn names(&self) -> (Vec<u8>, Vec<u8>) {
        if let Some(name) = &self.combined {
            let gone = |side: &Option<Vec<u8>>| side.as_deref() == Some(DEV_NULL);
            let or = |gone: bool| if gone { DEV_NULL.to_vec() } else { name.clone() };
            return (or(gone(&self.before)), or(gone(&self.after)));
        }
        let (before, after) = match (&self.before, &self.after, &self.git) {
            (Some(before), Some(after), _) => (before.clone(), after.clone()),
            (_, _, Some((before, after))) => (before.clone(), after.clone()),
            (before, after, None) => (before.clone().unwrap_or_default(), after.clone().unwrap_or_default()),
        };
        let judged = match &self.git {
            Some((before, after)) => prefixed(before, after),
            None => prefixed(&before, &after),
        };
        // A name against /dev/null tells nothing about prefixes unless the git line does.
        let lone = self.git.is_none() && (before == DEV_NULL || after == DEV_NULL);
        let strip = |side: Vec<u8>, usual: &[u8]| match side.as_slice() {
            DEV_NULL => side,
            [_, b'/', rest @ ..] if judged || (lone && side.starts_with(usual)) => rest.to_vec(),
            _ => side,
        };
        (strip(before, b"a/"), strip(after, b"b/"))
    }
}

const KEYS: [&str; 14] = [
    "old mode ",
    "new mode ",
    "new file mode ",
    "deleted file mode ",
    "rename from ",
    "rename to ",
    "copy from ",
    "copy to ",
    "similarity index ",
    "dissimilarity index ",
    "index ",
    "GIT binary patch",
    "--- ",
    "+++ ",
];
const DEV_NULL: &[u8] = b"/dev/null";

/// Whether both names carry one of the pairs of prefixes that git gives.
fn prefixed(before: &[u8], after: &[u8]) -> bool {
    let (Some([one, b'/']), Some([two, b'/'])) = (before.get(..2), after.get(..2)) else { return false };
    one != two && b"abciwo12".contains(one) && b"abciwo12".contains(two)
}

fn mode(value: &str) -> String {
    let value = value.trim();
    value.strip_prefix("100").unwrap_or(value).to_owned()
}

/// The name of a `---` or `+++` line: behind a tab stands a time, or nothing.
fn file_name(value: &str) -> Vec<u8> {
    let value = value.trim_end_matches('\r');
    if value.starts_with('"') { name(value) } else { name(value.split('\t').next().unwrap_or(value)) }
}

/// A name, C-quoted or not.
fn name(value: &str) -> Vec<u8> {
    let value = value.trim_end_matches('\r');
    match unquote(value) {
        Some((name, _)) => name,
        None => value.as_bytes().to_vec(),
    }
}

/// The two names of a `diff --git` line. Without quotes they can only be told apart where they are alike.
fn git_names(line: &str) -> Option<(Vec<u8>, Vec<u8>)> {
    let line = line.trim_end_matches('\r');
    if let Some((first, rest)) = unquote(line) {
        return Some((first, name(rest.strip_prefix(' ')?)));
    }
    if let Some(at) = line.find(" \"") {
        return Some((line.as_bytes()[..at].to_vec(), name(&line[at + 1..])));
    }
    let alike = |first: &str, second: &str| {
        first == second
            || (prefixed(first.as_bytes(), second.as_bytes())
                && first.as_bytes()[2..] == second.as_bytes()[2..])
    };
    // Both halves are equally long, so only the space in the middle can part them.
    let middle = line.len() / 2;
    let (first, second) = (line.get(..middle)?, line.get(middle + 1..)?);
    let parted = line.as_bytes().get(middle) == Some(&b' ') && alike(first, second);
    parted.then(|| (first.as_bytes().to_vec(), second.as_bytes().to_vec()))
}

/// A C-quoted string at the start of a text, and what follows it.
fn unquote(text: &str) -> Option<(Vec<u8>, &str)> {
    let inside = text.strip_prefix('"')?.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    loop {
        match *inside.get(at)? {
            b'"' => return Some((out, text.get(at + 2..)?)),
            b'\\' => {
                let escaped = *inside.get(at + 1)?;
                at += 1;
                match escaped {
                    b'0'..=b'7' => {
                        let digits =
                            inside[at..].iter().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
                        let value =
                            inside[at..at + digits].iter().fold(0u32, |n, b| n * 8 + u32::from(b - b'0'));
                        out.push(u8::try_from(value).ok()?);
                        at += digits - 1;
                    }
                    b'n' => out.push(b'\n'),
                    b't' => out.push(b'\t'),
                    b'r' => out.push(b'\r'),
                    b'a' => out.push(7),
                    b'b' => out.push(8),
                    b'f' => out.push(12),
                    b'v' => out.push(11),
                    other => out.push(other),
                }
            }
            byte => out.push(byte),
        }
        at += 1;
    }
}
