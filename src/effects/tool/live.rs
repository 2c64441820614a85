//! Live output of a running command on its way to the core: coalesced, masked, bounded, and never holding up the
//! command's end or its time limit.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::sleep;

use super::Sender;
use super::capture::looks_binary;
use crate::effects::secrets::{MaskStream, Secrets};
use crate::model::id::CallId;
use crate::model::tool::output::Plainer;
use crate::model::tool::{Pipe, ToolMsg};

/// A chunk is sent at once when it has this many bytes, else after a moment in which more may come.
const CHUNK: usize = 16 * 1024;
const MOMENT: Duration = Duration::from_millis(30);
/// Waiting to be sent: the command waits when there is more, as long as it has not had its share.
const PENDING: usize = 64 * 1024;
/// So much is streamed whole; of a flood beyond it only samples are.
const SHARE: usize = 4 * 1024 * 1024;
const SAMPLE: usize = 8 * 1024;
const BETWEEN: Duration = Duration::from_millis(150);

/// The end of the pipe that the reader of a command writes to.
#[derive(Debug, Clone)]
pub struct Live {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    state: Mutex<State>,
    /// Told when there is something to send or nothing more will come.
    filled: Notify,
    /// Told when there is room, or nobody need wait for it any more.
    drained: Notify,
}

#[derive(Debug)]
struct State {
    /// Bytes that are no whole character yet.
    partial: Vec<u8>,
    plainer: Plainer,
    masks: MaskStream,
    ready: String,
    streamed: usize,
    skipped: usize,
    hurry: bool,
    closed: bool,
}

impl Live {
    pub fn new(secrets: &Secrets) -> Self {
        let state = State {
            partial: Vec::new(),
            plainer: Plainer::default(),
            masks: secrets.stream(),
            ready: String::new(),
            streamed: 0,
            skipped: 0,
            hurry: false,
            closed: false,
        };
        Live {
            inner: Arc::new(Inner {
                state: Mutex::new(state),
                filled: Notify::new(),
                drained: Notify::new(),
            }),
        }
    }

    fn with<T>(&self, what: impl FnOnce(&mut State) -> T) -> T {
        what(&mut self.inner.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes output; waits while too much of it is unsent.
    pub async fn push(&self, bytes: &[u8]) {
        self.with(|state| state.take(bytes));
        self.inner.filled.notify_one();
        while self.with(|state| state.ready.len() > PENDING && !state.flooded() && !state.hurry) {
            self.inner.drained.notified().await;
        }
    }

    /// From here on nobody waits for the screen: the command has ended.
    pub fn hurry(&self) {
        self.with(|state| state.hurry = true);
        self.inner.drained.notify_one();
    }

    /// No more will come.
    pub fn close(&self) {
        self.with(State::close);
        self.inner.filled.notify_one();
    }

    /// Sends what comes until it is closed.
    pub async fn run(self, call: CallId, send: Sender) {
        loop {
            let (chunk, closed, flooded) = self.with(|state| (state.chunk(), state.closed, state.flooded()));
            match chunk {
                Some(chunk) => {
                    self.inner.drained.notify_one();
                    let big = chunk.len() >= CHUNK && !flooded;
                    send(call, ToolMsg::Output { pipe: Pipe::Stdout, chunk: chunk.into() }).await;
                    if !closed && !big {
                        sleep(if flooded { BETWEEN } else { MOMENT }).await;
                    }
                }
                None if closed => return,
                None => self.inner.filled.notified().await,
            }
        }
    }
}

impl State {
    fn flooded(&self) -> bool {
        self.streamed > SHARE
    }

    fn take(&mut self, bytes: &[u8]) {
        if self.flooded() {
            // Only the end of what came since the last sample is worth making plain.
            self.skipped += bytes.len();
            let end = bytes.get(bytes.len().saturating_sub(SAMPLE)..).unwrap_or(bytes);
            self.partial.extend_from_slice(end);
            let over = self.partial.len().saturating_sub(SAMPLE);
            self.partial.drain(..over);
            return;
        }
        self.streamed += bytes.len();
        if looks_binary(bytes) {
            self.ready.push_str("[binary output]\n");
            return;
        }
        self.partial.extend_from_slice(bytes);
        self.decode(false);
    }

    /// Moves whole characters on; at the end also what is left of a broken one.
    fn decode(&mut self, all: bool) {
        let bytes = std::mem::take(&mut self.partial);
        let whole = if all { bytes.len() } else { bytes.len() - cut_character(&bytes) };
        let (now, later) = bytes.split_at_checked(whole).unwrap_or((&bytes, &[]));
        let mut plain = String::new();
        self.plainer.push(&String::from_utf8_lossy(now), &mut plain);
        self.partial = later.to_vec();
        self.mask(&plain);
    }

    fn mask(&mut self, plain: &str) {
        let masked = self.masks.push(plain.as_bytes());
        // The masks cut only where a secret may begin, which is between characters.
        self.ready.push_str(&String::from_utf8_lossy(&masked));
    }

    fn close(&mut self) {
        if self.flooded() {
            self.sample();
        } else {
            self.decode(true);
            let mut rest = String::new();
            self.plainer.flush(&mut rest);
            self.mask(&rest);
        }
        let held = self.masks.finish();
        self.ready.push_str(&String::from_utf8_lossy(&held));
        self.closed = true;
    }

    /// A sample of a flood: whole lines of its last bytes, and how much was passed over.
    fn sample(&mut self) {
        if self.skipped == 0 {
            return;
        }
        let bytes = std::mem::take(&mut self.partial);
        let line = bytes.iter().position(|b| *b == b'\n').map_or(0, |at| at + 1);
        let shown = bytes.get(line..).unwrap_or_default();
        let passed = self.skipped.saturating_sub(shown.len());
        let size = crate::model::tool::limit::bytes(passed);
        let text = crate::model::tool::output::plain(&String::from_utf8_lossy(shown));
        self.mask(&format!("\n[… {size} not shown …]\n{text}"));
        self.skipped = 0;
    }

    /// What can be sent now.
    fn chunk(&mut self) -> Option<String> {
        if self.flooded() && !self.closed {
            self.sample();
        } else if !self.closed {
            // A prompt or a progress line is shown although its line is not over.
            let mut rest = String::new();
            self.plainer.flush(&mut rest);
            self.mask(&rest);
        }
        if self.ready.is_empty() { None } else { Some(std::mem::take(&mut self.ready)) }
    }
}

/// How many bytes at the end are the beginning of a character.
fn cut_character(bytes: &[u8]) -> usize {
    let end = bytes.get(bytes.len().saturating_sub(3)..).unwrap_or(bytes);
    match std::str::from_utf8(end) {
        Ok(_) => 0,
        Err(_) => (1..=end.len())
            .find(|n| {
                let last = end.get(end.len() - n..).unwrap_or_default();
                std::str::from_utf8(last).is_err_and(|e| e.valid_up_to() == 0 && e.error_len().is_none())
            })
            .unwrap_or(0),
    }
}
