//! What the transcript says about extensions themselves (`extensions-notes.md` 3).

use crate::model::text::clean::Clean;
use crate::model::wire::ext::{HookKind, Manifest};

/// Pending requests of an extension that is gone, and later ones, fail with this.
pub const EXITED: &str = "extension exited";

/// Any notice about an extension: `extension gate.sh: <why>`. What the extension wrote itself is to be sanitised before.
pub fn notice(file: &str, why: &str) -> String {
    format!("extension {}: {why}", Clean::name(file))
}

/// A line of its stderr; blank ones are none.
pub fn stderr(file: &str, line: &str) -> Option<String> {
    let line = Clean::vanish(line);
    let line = line.as_str().trim_end();
    (!line.trim().is_empty()).then(|| notice(file, line))
}

/// It is gone and was not asked to go: names every runtime hook that now fails open.
pub fn died(file: &str, manifest: &Manifest, why: &str) -> String {
    let hooks: Vec<&str> =
        HookKind::ALL.into_iter().filter(|kind| manifest.hooks.contains(kind)).map(HookKind::name).collect();
    match hooks.as_slice() {
        [] => notice(file, why),
        [only] => notice(file, &format!("{why}; its hook {only} now fails open")),
        [head @ .., last] => {
            notice(file, &format!("{why}; its hooks {} and {last} now fail open", head.join(", ")))
        }
    }
}
