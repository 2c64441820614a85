//! The values of all keys that this process loaded, and their masking in anything that leaves it: tool output, errors, logs.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

/// A shorter value is not masked: it would be an ordinary word (a local server's key is often `none` or `ollama`).
const SHORTEST: usize = 8;

/// What every byte of a secret becomes, so that lengths and offsets stay what they were.
const MASK: u8 = b'*';

/// All loaded key values. Clones share one list, so a key stored by `/login` is masked everywhere at once.
#[derive(Clone, Default)]
pub struct Secrets {
    list: Arc<RwLock<Arc<Needles>>>,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secrets(…)")
    }
}

struct Needles {
    /// Longest first, so that a key that begins with another is masked whole.
    values: Vec<Box<[u8]>>,
    /// By first byte: does any value begin with it?
    first: [bool; 256],
}

impl Default for Needles {
    fn default() -> Self {
        Needles { values: Vec::new(), first: [false; 256] }
    }
}

impl Secrets {
    /// Adds a value; a short or known one changes nothing.
    pub fn add(&self, value: &str) {
        let value = value.trim().as_bytes();
        if value.len() < SHORTEST {
            return;
        }
        let mut list = self.list.write().unwrap_or_else(PoisonError::into_inner);
        if list.values.iter().any(|v| **v == *value) {
            return;
        }
        let mut next = Needles { values: list.values.clone(), first: list.first };
        next.values.push(value.into());
        next.values.sort_by_key(|v| std::cmp::Reverse(v.len()));
        if let Some(slot) = value.first().and_then(|b| next.first.get_mut(usize::from(*b))) {
            *slot = true;
        }
        *list = Arc::new(next);
    }

    /// Nothing is to be masked.
    pub fn is_empty(&self) -> bool {
        self.needles().values.is_empty()
    }

    /// Whether a secret stands in the text.
    pub fn hits_in(&self, text: &str) -> bool {
        !self.needles().hits(text.as_bytes()).is_empty()
    }

    /// The text with every secret in it masked.
    pub fn mask(&self, text: &str) -> String {
        // Secrets are whole strings and the mask is ASCII, so the result is UTF-8 again.
        String::from_utf8(self.mask_bytes(text.as_bytes().to_vec()))
            .unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
    }

    /// The same for bytes of any kind.
    pub fn mask_bytes(&self, mut bytes: Vec<u8>) -> Vec<u8> {
        for hit in self.needles().hits(&bytes) {
            fill(&mut bytes, hit);
        }
        bytes
    }

    /// A masker for output that comes in pieces, with a secret possibly cut between two of them.
    pub fn stream(&self) -> MaskStream {
        MaskStream { secrets: self.clone(), held: Vec::new(), covered: 0, given: 0, hit: false }
    }

    fn needles(&self) -> Arc<Needles> {
        self.list.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Needles {
    /// Where secrets stand, in rising order; they may overlap.
    fn hits(&self, bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
        let mut hits = Vec::new();
        if self.values.is_empty() {
            return hits;
        }
        for (at, byte) in bytes.iter().enumerate() {
            if !self.starts(*byte) {
                continue;
            }
            let rest = bytes.get(at..).unwrap_or_default();
            if let Some(found) = self.values.iter().find(|v| rest.starts_with(v)) {
                hits.push(at..at + found.len());
            }
        }
        hits
    }

    fn starts(&self, byte: u8) -> bool {
        self.first.get(usize::from(byte)).copied().unwrap_or(false)
    }

    /// Where the end of `bytes` may be the beginning of a secret that is not whole yet.
    fn open_tail(&self, bytes: &[u8]) -> usize {
        let longest = self.values.first().map_or(0, |v| v.len());
        let from = bytes.len().saturating_sub(longest.saturating_sub(1));
        (from..bytes.len())
            .find(|at| {
                let tail = bytes.get(*at..).unwrap_or_default();
                self.values.iter().any(|v| v.len() > tail.len() && v.starts_with(tail))
            })
            .unwrap_or(bytes.len())
    }
}

fn fill(bytes: &mut [u8], span: std::ops::Range<usize>) {
    if let Some(span) = bytes.get_mut(span) {
        span.fill(MASK);
    }
}

/// Masks a stream: what may be the beginning of a secret is held back until the next piece decides.
#[derive(Debug)]
pub struct MaskStream {
    secrets: Secrets,
    held: Vec<u8>,
    /// So many bytes at the front of `held` are the end of a secret that is already known.
    covered: usize,
    /// So many bytes at the front of `held` were given out by a flush.
    given: usize,
    hit: bool,
}

impl MaskStream {
    /// Takes a piece, gives what is decided. All pieces together are what masking the whole would give.
    pub fn push(&mut self, piece: &[u8]) -> Vec<u8> {
        let needles = self.secrets.needles();
        let mut bytes = std::mem::take(&mut self.held);
        bytes.extend_from_slice(piece);
        let open = needles.open_tail(&bytes);
        self.held = bytes.get(open..).unwrap_or_default().to_vec();
        let hits = needles.hits(&bytes);
        let mut covered = self.covered;
        self.hit |= covered > self.given;
        fill(&mut bytes, 0..covered);
        for hit in hits {
            if hit.start < open {
                covered = covered.max(hit.end);
                self.hit |= hit.end > self.given;
            }
            fill(&mut bytes, hit);
        }
        self.covered = covered.saturating_sub(open);
        bytes.truncate(open);
        bytes.drain(..self.given.min(open));
        self.given = self.given.saturating_sub(open);
        bytes
    }

    /// Gives what is held back, because something else follows. It is remembered: should a secret that begins in it go on
    /// with the next piece, that piece's share of it is masked.
    pub fn flush(&mut self) -> Vec<u8> {
        if self.held.len() == self.given {
            return Vec::new();
        }
        let mut bytes = self.held.clone();
        self.hit |= self.covered > self.given;
        for hit in self.secrets.needles().hits(&self.held) {
            self.hit |= hit.end > self.given;
            fill(&mut bytes, hit);
        }
        fill(&mut bytes, 0..self.covered);
        bytes.drain(..self.given);
        self.given = self.held.len();
        bytes
    }

    /// What was held back, at the end or when the wait for more is over.
    pub fn finish(&mut self) -> Vec<u8> {
        let bytes = self.flush();
        self.held.clear();
        (self.covered, self.given) = (0, 0);
        bytes
    }

    /// Was anything masked in what was given out since this was last asked?
    pub fn take_hit(&mut self) -> bool {
        std::mem::take(&mut self.hit)
    }
}
