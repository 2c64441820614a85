//! The workspace's files for the `@` picker: ignore rules respected, hidden ones left out, in batches, bounded, and stopped
//! when nobody looks any more (case G76).

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ignore::WalkBuilder;

/// Paths after which a walk stops.
pub const MOST: usize = 100_000;
/// A batch is sent when it has this many paths, or after this long.
const BATCH: usize = 2_000;
const PAUSE: Duration = Duration::from_millis(60);

/// Walks and sends `(paths relative to cwd, done, truncated)`; the last call has `done`. A stopped walk sends nothing more.
pub fn run(cwd: &Path, stop: &AtomicBool, most: usize, mut send: impl FnMut(Vec<Arc<str>>, bool, bool)) {
    let walk = WalkBuilder::new(cwd)
        .require_git(false)
        .follow_links(false)
        // A network mount below would hold everything up.
        .same_file_system(true)
        .build();
    let mut batch = Vec::new();
    let mut count = 0;
    let mut last = Instant::now();
    // What cannot be read is passed over, as the files in it cannot be attached either.
    for entry in walk.flatten() {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        if entry.file_type().is_some_and(|t| t.is_file() || t.is_symlink())
            && let Ok(path) = entry.path().strip_prefix(cwd)
        {
            if count == most {
                send(batch, true, true);
                return;
            }
            count += 1;
            batch.push(Arc::from(path.to_string_lossy()));
        }
        if batch.len() >= BATCH || (!batch.is_empty() && last.elapsed() >= PAUSE) {
            send(std::mem::take(&mut batch), false, false);
            last = Instant::now();
        }
    }
    send(batch, true, false);
}
