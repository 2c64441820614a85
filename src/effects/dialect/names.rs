//! Tool names as dialects allow them, `[A-Za-z0-9_-]{1,64}`, unique and the same in every request; and the way back (case G69).

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::provider::history::fnv;

const LONGEST: usize = 64;

/// Both directions for the tools of one request.
#[derive(Debug, Clone, Default)]
pub struct ToolNames {
    to_real: BTreeMap<String, Arc<str>>,
    to_wire: BTreeMap<Arc<str>, String>,
}

impl ToolNames {
    /// Offered tools come first: a name that only the history knows never takes theirs.
    pub fn new<'a>(
        offered: impl Iterator<Item = &'a Arc<str>> + Clone,
        called: impl Iterator<Item = &'a Arc<str>> + Clone,
    ) -> Self {
        let mut names = ToolNames::default();
        // Names that need no change claim themselves before any made-up one can.
        let all = offered.chain(called);
        for name in all.clone().filter(|n| allowed(n)) {
            names.claim(name, name.to_string());
        }
        for name in all.filter(|n| !allowed(n)) {
            if names.to_wire.contains_key(name) {
                continue;
            }
            let mut wire = made_up(name);
            while names.to_real.contains_key(&wire) {
                wire = made_up(&format!("{wire}."));
            }
            names.claim(name, wire);
        }
        names
    }

    fn claim(&mut self, real: &Arc<str>, wire: String) {
        self.to_real.insert(wire.clone(), real.clone());
        self.to_wire.insert(real.clone(), wire);
    }

    /// What the provider calls the tool.
    pub fn wire<'a>(&'a self, real: &'a str) -> &'a str {
        self.to_wire.get(real).map_or(real, String::as_str)
    }

    /// What the tool is called here; a name nobody offered stays as the model wrote it.
    pub fn real(&self, wire: &str) -> Arc<str> {
        self.to_real.get(wire).cloned().unwrap_or_else(|| Arc::from(wire))
    }
}

fn plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

fn allowed(name: &str) -> bool {
    name.starts_with(begins) && name.len() <= LONGEST && name.chars().all(plain)
}

/// One provider wants no digit and no dash in front.
fn begins(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

/// Readable as far as possible, and told apart by a hash of the whole name.
fn made_up(name: &str) -> String {
    let head: String = name.chars().map(|c| if plain(c) { c } else { '_' }).take(LONGEST - 9).collect();
    let head = match head.trim_matches('_') {
        "" => "tool".to_owned(),
        _ if head.starts_with(begins) => head,
        // As long as before: the last character makes room.
        _ => format!("_{}", head.chars().take(LONGEST - 10).collect::<String>()),
    };
    format!("{head}_{:08x}", fnv(name.as_bytes()) & 0xFFFF_FFFF)
}
