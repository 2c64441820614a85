//! A command's output as it is kept: the first and the last 2 MiB of any amount, made plain text at the end.

use crate::effects::secrets::Secrets;
use crate::model::tool::{limit, output};

/// Bytes kept of the beginning and of the end; with the line that names the gap 4 MiB in all.
const SIDE: usize = 2 * 1024 * 1024 - 1024;

/// The output so far.
#[derive(Debug, Default)]
pub struct Capture {
    head: Vec<u8>,
    /// A ring: the oldest byte is at `next` once it is full.
    tail: Vec<u8>,
    next: usize,
    total: u64,
}

impl Capture {
    pub fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = SIDE - self.head.len();
        let (head, mut rest) = bytes.split_at_checked(room).unwrap_or((bytes, &[]));
        self.head.extend_from_slice(head);
        let free = SIDE - self.tail.len();
        let (fresh, over) = rest.split_at_checked(free).unwrap_or((rest, &[]));
        self.tail.extend_from_slice(fresh);
        // Of more than a ringful only the end survives.
        rest = over.get(over.len().saturating_sub(SIDE)..).unwrap_or_default();
        while !rest.is_empty() {
            let (now, later) = rest.split_at_checked(SIDE - self.next).unwrap_or((rest, &[]));
            if let Some(place) = self.tail.get_mut(self.next..self.next + now.len()) {
                place.copy_from_slice(now);
            }
            self.next = (self.next + now.len()) % SIDE;
            rest = later;
        }
    }

    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// Takes out what can be shown now; the end of it stays when a secret may begin there.
    pub fn take(&mut self, secrets: &Secrets, ended: bool) -> Capture {
        let mut taken = std::mem::take(self);
        let end = if taken.tail.is_empty() { &mut taken.head } else { &mut taken.tail };
        if !ended && taken.next == 0 {
            let last = end.get(end.len().saturating_sub(MARGIN)..).unwrap_or_default();
            let open = last.len() - secrets.stream().push(last).len();
            let held = end.split_off(end.len() - open);
            taken.total -= held.len() as u64;
            self.push(&held);
        }
        taken
    }

    /// The output as text: escape sequences, progress and secrets taken out; what was dropped is named.
    pub fn text(&self, secrets: &Secrets) -> Text {
        if let Some(summary) = self.binary() {
            return Text { text: summary, dropped: 0 };
        }
        let (newer, older) = self.tail.split_at_checked(self.next).unwrap_or((&[], &self.tail));
        let tail = [older, newer].concat();
        let dropped = self.total - (self.head.len() + tail.len()) as u64;
        if dropped == 0 {
            let whole = [self.head.as_slice(), &tail].concat();
            return Text { text: plain(&whole, secrets), dropped };
        }
        // A secret cut by the gap must not show its half: both sides end at a whole line, or well away from it.
        let first = head_end(&self.head);
        let last = tail_start(&tail);
        let lost = dropped + (self.head.len() - first) as u64 + last as u64;
        let size = limit::bytes(usize::try_from(lost).unwrap_or(usize::MAX));
        let before = plain(self.head.get(..first).unwrap_or_default(), secrets);
        let after = plain(tail.get(last..).unwrap_or_default(), secrets);
        let newline = if before.ends_with('\n') { "" } else { "\n" };
        Text { text: format!("{before}{newline}[… {size} were dropped here …]\n{after}"), dropped: lost }
    }

    /// A summary in place of output that is no text (case G43).
    fn binary(&self) -> Option<String> {
        let start = self.head.get(..8192).unwrap_or(&self.head);
        if !looks_binary(start) {
            return None;
        }
        let kind = infer::get(start).map(|kind| format!(", {}", kind.mime_type())).unwrap_or_default();
        let size = limit::bytes(usize::try_from(self.total).unwrap_or(usize::MAX));
        Some(format!("[binary output{kind}, {size}; not shown]\n"))
    }
}

/// A capture as text.
#[derive(Debug)]
pub struct Text {
    pub text: String,
    /// Bytes of output that are not in it.
    pub dropped: u64,
}

/// What the gap may hide of a secret is at most this long when no line ends near.
const MARGIN: usize = 4096;

fn head_end(head: &[u8]) -> usize {
    let from = head.len().saturating_sub(64 * 1024);
    let near = head.get(from..).unwrap_or_default().iter().rposition(|b| *b == b'\n');
    near.map_or(head.len().saturating_sub(MARGIN), |at| from + at + 1)
}

fn tail_start(tail: &[u8]) -> usize {
    let near = tail.iter().take(64 * 1024).position(|b| *b == b'\n');
    near.map_or(MARGIN.min(tail.len()), |at| at + 1)
}

fn plain(bytes: &[u8], secrets: &Secrets) -> String {
    secrets.mask(&output::plain(&String::from_utf8_lossy(bytes)))
}

/// Whether output is binary: one byte in ten is no valid UTF-8 or one of a row of NULs, and one in fifty a control
/// character. Text of another encoding has no controls, and a list with NULs between its items is valid text.
pub fn looks_binary(start: &[u8]) -> bool {
    const LEAST: usize = 48;
    if start.len() < LEAST {
        return false;
    }
    let invalid: usize = start.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
    let rows = start.windows(2).filter(|pair| *pair == [0, 0]).count();
    let controls = start.iter().filter(|b| matches!(b, 0..=7 | 11 | 14..=26 | 28..=31)).count();
    (invalid + rows) * 10 > start.len() && controls * 50 > start.len()
}
