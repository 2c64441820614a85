//! What a person typed may hold a loaded key too: it is masked in whatever is kept on disk of it (session logs, error
//! details, recalled prompts, exported pages). What models and tools say was masked before the core had it.

use std::sync::Arc;

use serde_json::Value;

use super::secrets::Secrets;
use crate::model::effect::{FilesFx, StoreFx};
use crate::model::provider::{Message, UserPart};

/// Members of a record that are no words of anybody's: names, ids, and seals that must stay to the byte.
const FIXED: [&str; 13] = [
    "type",
    "role",
    "id",
    "parent",
    "call",
    "outcome",
    "provider",
    "model",
    "purpose",
    "mime",
    "data",
    "signature",
    "sealed",
];

/// The same with masked records.
pub fn records(fx: StoreFx, secrets: &Secrets) -> StoreFx {
    let line = |line: Arc<str>| record(line, secrets);
    match fx {
        StoreFx::Create { ticket, cwd, id, lines } => {
            StoreFx::Create { ticket, cwd, id, lines: lines.into_iter().map(line).collect() }
        }
        StoreFx::Append { ticket, line: one } => StoreFx::Append { ticket, line: line(one) },
        StoreFx::ErrorDetails { line: one } => StoreFx::ErrorDetails { line: line(one) },
        other => other,
    }
}

/// The same with masked prompts.
pub fn words(fx: FilesFx, secrets: &Secrets) -> FilesFx {
    let mask = |text: &Arc<str>| Arc::<str>::from(secrets.mask(text));
    match fx {
        FilesFx::AppendHistory { cwd, text } => FilesFx::AppendHistory { cwd, text: mask(&text) },
        FilesFx::Export { ticket, cwd, path, mut page } => {
            let page_words = Arc::make_mut(&mut page);
            page_words.title = mask(&page_words.title);
            for message in page_words.messages.iter_mut().filter(|m| matches!(***m, Message::User(_))) {
                if let Message::User(user) = Arc::make_mut(message) {
                    for part in &mut user.content {
                        if let UserPart::Text(text) = part {
                            *text = mask(text);
                        }
                    }
                }
            }
            FilesFx::Export { ticket, cwd, path, page }
        }
        other => other,
    }
}

fn record(line: Arc<str>, secrets: &Secrets) -> Arc<str> {
    if secrets.mask(&line) == *line {
        return line;
    }
    let Ok(mut value) = serde_json::from_str::<Value>(&line) else { return line };
    veil(&mut value, secrets);
    value.to_string().into()
}

fn veil(value: &mut Value, secrets: &Secrets) {
    match value {
        Value::String(text) => *text = secrets.mask(text),
        Value::Array(items) => items.iter_mut().for_each(|item| veil(item, secrets)),
        Value::Object(members) => {
            members
                .iter_mut()
                .filter(|(name, _)| !FIXED.contains(&name.as_str()))
                .for_each(|(_, v)| veil(v, secrets));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
