//! Typed flags: what extensions declare is taken out of the command line before `e` reads it
//! (`extensions-notes.md` 6).

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::model::wire::ext::{FlagDecl, FlagKind};

/// The names of `e`'s own options, without dashes, those of its commands too. No flag may take one, nor one whose
/// `--no-` form is one.
pub const OWN: [&str; 21] = [
    "continue",
    "effort",
    "ef",
    "help",
    "image",
    "json",
    "model",
    "ne",
    "no-extensions",
    "no-network",
    "no-save",
    "no-tools",
    "ns",
    "nt",
    "package",
    "patience",
    "print",
    "resume",
    "settings",
    "size",
    "version",
];

/// A declaration that `e` parses, and whose it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Declared {
    pub extension: Arc<str>,
    pub name: Arc<str>,
    pub kind: FlagKind,
}

impl Declared {
    /// `None` for a name that only help shows.
    pub fn new(extension: &Arc<str>, decl: &FlagDecl) -> Option<Self> {
        decl.parsable().then(|| Declared {
            extension: extension.clone(),
            name: decl.name.clone(),
            kind: decl.kind,
        })
    }
}

/// A command line read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Parsed {
    /// Only what was passed: true or false, a string, or null for a string flag without its value.
    pub values: Map<String, Value>,
    /// Which words are not typed flags or their values, by position.
    pub kept: Vec<usize>,
}

impl Parsed {
    /// The words of a command line that are kept.
    pub fn strip<T: Clone>(&self, words: &[T]) -> Vec<T> {
        self.kept.iter().filter_map(|at| words.get(*at).cloned()).collect()
    }
}

/// A value that a boolean flag cannot have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageError {
    pub extension: Arc<str>,
    pub flag: Arc<str>,
    pub value: Arc<str>,
}

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UsageError { extension, flag, value } = self;
        write!(
            f,
            "--{flag}={value}: the flag --{flag} of extension {extension} is on or off; write --{flag}, \
             --{flag}=true, --{flag}=false or --no-{flag}"
        )
    }
}

/// What one declaration makes of a word.
enum Reading {
    Value(Value),
    /// A string flag without `=`: the next word is its value, if it can be one.
    Next,
}

/// Reads a command line. `declared` is in launch order; of several declarations of one name each reads it and the last
/// that understands it decides the value.
pub fn parse(words: &[impl AsRef<str>], declared: &[Declared]) -> Result<Parsed, UsageError> {
    let mut out = Parsed::default();
    let mut at = 0;
    while let Some(word) = words.get(at).map(AsRef::as_ref) {
        let first = at;
        at += 1;
        if word == "--" {
            out.kept.extend(first..words.len());
            break;
        }
        let readings = readings(word, declared)?;
        let Some((name, _)) = readings.first() else {
            out.kept.push(first);
            continue;
        };
        let name = name.to_string();
        let mut next = Value::Null;
        if readings.iter().any(|(_, reading)| matches!(reading, Reading::Next)) {
            let value = words.get(at).map(AsRef::as_ref).filter(|value| !value.starts_with('-'));
            if let Some(value) = value {
                next = Value::from(value);
                at += 1;
            }
        }
        let value = match readings.into_iter().next_back() {
            Some((_, Reading::Value(value))) => value,
            _ => next,
        };
        out.values.insert(name, value);
    }
    Ok(out)
}

/// What each declaration that the word names makes of it. A declared name beats the `--no-` reading of another.
fn readings<'d>(word: &str, declared: &'d [Declared]) -> Result<Vec<(&'d Arc<str>, Reading)>, UsageError> {
    let Some(body) = word.strip_prefix("--") else { return Ok(Vec::new()) };
    let (name, given) = match body.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (body, None),
    };
    let mut out = Vec::new();
    for flag in declared.iter().filter(|flag| &*flag.name == name) {
        let reading = match (flag.kind, given) {
            (FlagKind::String, None) => Reading::Next,
            (FlagKind::String, Some(value)) => Reading::Value(value.into()),
            (FlagKind::Boolean, None) => Reading::Value(true.into()),
            (FlagKind::Boolean, Some(value)) => match value.to_ascii_lowercase().as_str() {
                "true" => Reading::Value(true.into()),
                "false" => Reading::Value(false.into()),
                _ => {
                    let (extension, flag) = (flag.extension.clone(), flag.name.clone());
                    return Err(UsageError { extension, flag, value: value.into() });
                }
            },
        };
        out.push((&flag.name, reading));
    }
    if let (true, None, Some(name)) = (out.is_empty(), given, name.strip_prefix("no-")) {
        let negated = declared.iter().filter(|flag| &*flag.name == name && flag.kind == FlagKind::Boolean);
        out.extend(negated.map(|flag| (&flag.name, Reading::Value(false.into()))));
    }
    Ok(out)
}
