//! What a search passed over: hidden and ignored files, counted within bounds and named by their folders.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use ignore::WalkBuilder;

use super::paths;

/// Counting stops here.
const MOST: usize = 20_000;
/// Places named for each reason.
const NAMED: usize = 4;

/// Files that were not searched, by reason.
#[derive(Debug, Default)]
pub struct Skipped {
    hidden: Reason,
    ignored: Reason,
    /// There were more than could be counted.
    more: bool,
}

#[derive(Debug, Default)]
struct Reason {
    count: usize,
    /// How many below each first folder or file that was passed over.
    places: BTreeMap<PathBuf, usize>,
}

/// Counts the files under `root` that `fits` takes and that are not among the searched.
pub fn count(
    root: &Path,
    searched: Vec<PathBuf>,
    fits: impl Fn(&Path) -> bool,
    until: Instant,
    stop: &AtomicBool,
) -> Skipped {
    let searched: HashSet<PathBuf> = searched.into_iter().collect();
    let reached: HashSet<&Path> = searched.iter().flat_map(|path| path.ancestors()).collect();
    let mut skipped = Skipped::default();
    let mut walk = WalkBuilder::new(root);
    walk.standard_filters(false).filter_entry(|entry| entry.depth() == 0 || entry.file_name() != ".git");
    for entry in walk.build().flatten() {
        if skipped.hidden.count + skipped.ignored.count >= MOST
            || Instant::now() > until
            || stop.load(Ordering::Relaxed)
        {
            skipped.more = true;
            break;
        }
        let path = entry.path();
        if !entry.file_type().is_some_and(|kind| kind.is_file()) || searched.contains(path) || !fits(path) {
            continue;
        }
        let inside = path.strip_prefix(root).unwrap_or(path);
        let hidden = inside.components().any(|part| part.as_os_str().to_string_lossy().starts_with('.'));
        let reason = if hidden { &mut skipped.hidden } else { &mut skipped.ignored };
        reason.count += 1;
        // The outermost folder of which nothing was searched.
        let outermost = path.ancestors().take_while(|up| *up != root && !reached.contains(up)).last();
        *reason.places.entry(outermost.unwrap_or(path).to_path_buf()).or_default() += 1;
    }
    skipped
}

impl Skipped {
    /// `3 hidden (.github)`, `12 ignored by .gitignore (dist, target)`.
    pub fn words(&self, cwd: &Path) -> Vec<String> {
        let more = if self.more { "at least " } else { "" };
        let reasons = [(&self.hidden, "hidden"), (&self.ignored, "ignored by .gitignore")];
        reasons
            .iter()
            .filter(|(reason, _)| reason.count > 0)
            .map(|(reason, word)| format!("{more}{} {word} ({})", reason.count, reason.named(cwd)))
            .collect()
    }
}

impl Reason {
    fn named(&self, cwd: &Path) -> String {
        let mut places: Vec<(&PathBuf, &usize)> = self.places.iter().collect();
        places.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let mut names: Vec<String> =
            places.iter().take(NAMED).map(|(path, _)| paths::shown(cwd, path)).collect();
        if places.len() > NAMED {
            names.push("…".into());
        }
        names.join(", ")
    }
}
