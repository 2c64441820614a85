//! The front matter of skills and prompt templates: `key: value` lines between two `---`, values quoted or folded over
//! lines as people write them in YAML.

use std::collections::BTreeMap;

/// The keys, and the text behind them. A file without front matter is all text.
pub fn split(text: &str) -> (BTreeMap<String, String>, &str) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut keys = BTreeMap::new();
    let Some(rest) =
        text.strip_prefix("---").and_then(|r| r.strip_prefix("\r\n").or_else(|| r.strip_prefix('\n')))
    else {
        return (keys, text);
    };
    let mut current: Option<(String, Value)> = None;
    let mut offset = 0;
    for line in rest.split_inclusive('\n') {
        offset += line.len();
        let line = line.trim_end();
        if line == "---" {
            finish(&mut keys, current);
            return (keys, rest.get(offset..).unwrap_or_default());
        }
        let indented = line.starts_with([' ', '\t']);
        match (&mut current, line.split_once(':')) {
            (Some((_, value)), _) if indented || line.is_empty() => value.lines.push(line.trim().to_owned()),
            (_, Some((key, first))) if !indented && !line.starts_with('#') => {
                finish(&mut keys, current.replace((key.trim().to_owned(), Value::begin(first.trim()))));
            }
            _ => {}
        }
    }
    // Never closed: then it was no front matter.
    (BTreeMap::new(), text)
}

struct Value {
    /// `|` keeps line ends, everything else folds.
    literal: bool,
    lines: Vec<String>,
}

impl Value {
    fn begin(first: &str) -> Value {
        let block = matches!(first.chars().next(), Some('|' | '>')) && first.len() <= 3;
        Value {
            literal: block && first.starts_with('|'),
            lines: if block { Vec::new() } else { vec![first.to_owned()] },
        }
    }

    fn text(self) -> String {
        let text = if self.literal {
            self.lines.join("\n")
        } else {
            self.lines.iter().filter(|l| !l.is_empty()).map(String::as_str).collect::<Vec<_>>().join(" ")
        };
        unquote(text.trim())
    }
}

fn finish(keys: &mut BTreeMap<String, String>, value: Option<(String, Value)>) {
    if let Some((key, value)) = value {
        keys.insert(key, value.text());
    }
}

fn unquote(text: &str) -> String {
    if let Some(inner) = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')) {
        return serde_json::from_str(text).unwrap_or_else(|_| inner.to_owned());
    }
    match text.strip_prefix('\'').and_then(|t| t.strip_suffix('\'')) {
        Some(inner) => inner.replace("''", "'"),
        None => text.to_owned(),
    }
}
