//! Counts what saved sessions used, out of the responses their logs record. A response that a fork or a compaction copied into
//! another log counts once.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use super::heads;
use crate::model::provider::{ModelRef, Usage};
use crate::model::session::saved::{ModelUsage, SavedUsage};
use crate::model::wire::log::Record;

/// Bytes of a line that are looked at; a longer one holds no reply.
const LONGEST: u64 = 16 * 1024 * 1024;
/// Bytes read in all. What is older than that is not counted, and said to be so.
const MOST: u64 = 4 * 1024 * 1024 * 1024;

/// One response, wherever it was copied to.
type Key = (u64, Arc<str>, ModelRef, [u64; 5]);

#[derive(Default)]
struct Count {
    seen: BTreeSet<Key>,
    models: BTreeMap<ModelRef, (u64, Usage)>,
}

/// `since` in wall milliseconds; `None` counts everything. Ends early when `stop` is set.
pub fn count(sessions: &Path, since: Option<u64>, stop: &AtomicBool) -> SavedUsage {
    let oldest = UNIX_EPOCH + Duration::from_millis(since.unwrap_or(0));
    let mut logs: Vec<_> = heads::folders(sessions).iter().flat_map(|folder| heads::logs(folder)).collect();
    logs.retain(|(modified, ..)| *modified >= oldest);
    logs.sort_by(|a, b| (b.0, &b.2).cmp(&(a.0, &a.2)));
    let (mut counted, mut found, mut bytes) = (Count::default(), SavedUsage::default(), 0);
    for (_, size, path) in logs {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        bytes += size;
        if bytes > MOST {
            found.unread += 1;
            continue;
        }
        match log(&path, since.unwrap_or(0), stop, &mut counted) {
            Ok(any) => found.sessions += usize::from(any),
            Err(_) => found.unread += 1,
        }
    }
    let row = |(model, (responses, usage))| ModelUsage { model, responses, usage };
    found.models = counted.models.into_iter().map(row).collect();
    found
}

/// Whether the log holds a response of the period that no log before it held.
fn log(path: &Path, since: u64, stop: &AtomicBool, counted: &mut Count) -> io::Result<bool> {
    let mut reader = BufReader::new(File::open(path)?);
    let (mut line, mut any, mut inside) = (Vec::new(), false, false);
    while !stop.load(Ordering::Relaxed) {
        line.clear();
        if reader.by_ref().take(LONGEST).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        // The rest of a line that was too long is no line.
        let rest = std::mem::replace(&mut inside, line.last() != Some(&b'\n'));
        if !rest && let Ok(text) = std::str::from_utf8(&line) {
            any |= counted.see(text.trim_end(), since);
        }
    }
    Ok(any)
}

impl Count {
    fn see(&mut self, line: &str, since: u64) -> bool {
        // Prompts and results are the bulk of a log and need not be read.
        if !line.contains("\"response\"") {
            return false;
        }
        let (at, id, response) = match Record::parse(line) {
            Ok(Record::Message(record)) => match record.response {
                Some(response) => (record.timestamp, record.id, response),
                None => return false,
            },
            Ok(Record::Response(record)) => (record.timestamp, Arc::from(""), record.response),
            Ok(Record::Session(_) | Record::Name(_) | Record::Other(_)) | Err(_) => return false,
        };
        let u = response.usage;
        let tokens = [u.input, u.output, u.cache_read, u.cache_write_5m, u.cache_write_1h];
        if at < since || !self.seen.insert((at, id, response.model.clone(), tokens)) {
            return false;
        }
        let (responses, usage) = self.models.entry(response.model).or_default();
        *responses += 1;
        *usage += u;
        true
    }
}
