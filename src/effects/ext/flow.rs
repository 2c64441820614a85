//! What extensions say on its way to the core, and how much of it may wait: a person's screen takes only so much, and a
//! flood costs neither memory nor keys.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use tokio::sync::mpsc::Sender;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::stdin::Stdin;
use super::veil;
use crate::effects::secrets::Secrets;
use crate::model::ext::world::{ExtMsg, Over, Traffic};
use crate::model::id::ExtId;
use crate::model::wire::ext::{Frame, Incoming, Lost, Reply, Request, Salvaged, read_frame};

/// Notices that may wait for the transcript, of all extensions; the rest is dropped.
const NOTICES: usize = 256;
/// Requests that may wait for the core, of all extensions; the rest is refused.
const REQUESTS: usize = 256;
/// Pieces of progress of one extension that may wait; then its stdout does.
const CHUNKS: usize = 64;
/// Messages that may wait for the core whatever they are; then whoever speaks does.
pub const BACKLOG: usize = 1024;

/// A message on its way, with the place it takes until it has arrived.
#[derive(Debug)]
pub struct Parcel {
    pub msg: ExtMsg,
    /// A notice's place, to be given back when it stands on the screen.
    pub notice: Option<Slot>,
    /// Given back when the core has the message.
    _until_taken: Option<Place>,
}

#[derive(Debug)]
enum Place {
    Request { _slot: Slot },
    Chunk { _permit: OwnedSemaphorePermit },
}

impl Parcel {
    pub fn of(msg: ExtMsg) -> Parcel {
        Parcel { msg, notice: None, _until_taken: None }
    }
}

/// One of the places that may be taken; dropped, it is free again.
#[derive(Debug)]
pub struct Slot(Arc<AtomicUsize>);

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Lets so many in.
#[derive(Debug, Clone)]
struct Gate {
    inside: Arc<AtomicUsize>,
    most: usize,
}

impl Gate {
    fn new(most: usize) -> Gate {
        Gate { inside: Arc::default(), most }
    }

    fn enter(&self) -> Option<Slot> {
        let slot = Slot(Arc::clone(&self.inside));
        // Counted first: a slot that is not given out counts itself down again.
        let before = self.inside.fetch_add(1, Ordering::Relaxed);
        (before < self.most).then_some(slot)
    }
}

/// The way to the core that all extensions share.
#[derive(Debug, Clone)]
pub struct Way {
    core: Sender<Parcel>,
    secrets: Secrets,
    notices: Gate,
    requests: Gate,
}

impl Way {
    pub fn new(core: Sender<Parcel>, secrets: Secrets) -> Way {
        Way { core, secrets, notices: Gate::new(NOTICES), requests: Gate::new(REQUESTS) }
    }

    /// Waits for room. A loop that has ended takes nothing any more.
    pub async fn send(&self, msg: ExtMsg) {
        self.put(Parcel::of(msg)).await;
    }

    async fn put(&self, parcel: Parcel) {
        let _loop_ended = self.core.send(parcel).await;
    }
}

/// What crossed one extension's pipes.
#[derive(Debug, Default)]
pub struct Meter {
    pub lines_in: AtomicU64,
    pub bytes_in: AtomicU64,
    pub lines_out: AtomicU64,
    pub bytes_out: AtomicU64,
    stray: AtomicU64,
    dropped: AtomicU64,
}

impl Meter {
    pub fn add(counter: &AtomicU64, more: usize) {
        counter.fetch_add(more as u64, Ordering::Relaxed);
    }

    pub fn read(&self) -> Traffic {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Traffic {
            lines_in: get(&self.lines_in),
            bytes_in: get(&self.bytes_in),
            lines_out: get(&self.lines_out),
            bytes_out: get(&self.bytes_out),
            stray: get(&self.stray),
            dropped: get(&self.dropped),
        }
    }
}

/// Speaks to the core for one extension.
#[derive(Debug, Clone)]
pub struct Voice {
    ext: ExtId,
    way: Way,
    chunks: Arc<Semaphore>,
    stdin: Stdin,
    pub meter: Arc<Meter>,
    /// Nothing of it counts any more.
    muted: Arc<AtomicBool>,
}

impl Voice {
    pub fn new(ext: ExtId, way: Way, stdin: Stdin, meter: Arc<Meter>) -> Voice {
        Voice { ext, way, chunks: Arc::new(Semaphore::new(CHUNKS)), stdin, meter, muted: Arc::default() }
    }

    pub fn mute(&self) {
        self.muted.store(true, Ordering::Relaxed);
    }

    pub fn muted(&self) -> bool {
        self.muted.load(Ordering::Relaxed)
    }

    /// A line of stdout. Waits where the core is behind with what must not be lost.
    pub async fn said(&self, frame: &Frame) {
        let said = match self.veiled(frame) {
            Some(frame) => read_frame(&frame),
            None => read_frame(frame),
        };
        if self.muted() {
            return;
        }
        match said {
            Incoming::Ignored(why) => Meter::add(&self.meter.stray, usize::from(why.stray())),
            Incoming::Notify(_) | Incoming::Lost { salvaged: None, .. } => {
                self.notice(ExtMsg::Said(self.ext, said)).await;
            }
            Incoming::ToolUpdate(_) => {
                let permit = Arc::clone(&self.chunks).acquire_owned().await.ok();
                let place = permit.map(|permit| Place::Chunk { _permit: permit });
                self.put(said, place).await;
            }
            Incoming::Request(request) => self.request(request).await,
            Incoming::Lost { why, salvaged: Some(Salvaged::Request(id)) } => {
                match self.way.requests.enter() {
                    Some(slot) => {
                        let said = Incoming::Lost { why, salvaged: Some(Salvaged::Request(id)) };
                        self.put(said, Some(Place::Request { _slot: slot })).await;
                    }
                    None => self.stdin.push(Reply::Error(why.words().into()).line(&id).into()),
                }
            }
            Incoming::Response(_) | Incoming::Lost { .. } => self.put(said, None).await,
        }
    }

    /// The line without the keys in it; `None` when it has none.
    fn veiled(&self, frame: &Frame) -> Option<Frame> {
        let Frame::Line(bytes) = frame else { return None };
        let line = std::str::from_utf8(bytes).ok()?;
        Some(Frame::Line(veil::masked(line, &self.way.secrets)?.into_bytes()))
    }

    async fn request(&self, request: Box<Request>) {
        match self.way.requests.enter() {
            Some(slot) => self.put(Incoming::Request(request), Some(Place::Request { _slot: slot })).await,
            None => {
                let busy = Reply::Error("the screen is unavailable: too many requests wait for it".into());
                self.stdin.push(busy.line(&request.id).into());
            }
        }
    }

    async fn put(&self, said: Incoming, place: Option<Place>) {
        let parcel = Parcel { msg: ExtMsg::Said(self.ext, said), notice: None, _until_taken: place };
        self.way.put(parcel).await;
    }

    /// Something for the transcript; dropped when too much waits for it.
    async fn notice(&self, msg: ExtMsg) {
        match self.way.notices.enter() {
            Some(slot) => self.way.put(Parcel { msg, notice: Some(slot), _until_taken: None }).await,
            None => Meter::add(&self.meter.dropped, 1),
        }
    }

    /// A line of stderr.
    pub async fn stderr(&self, frame: Frame) {
        let line = match frame {
            Frame::Line(line) => {
                String::from_utf8(self.way.secrets.mask_bytes(line)).map_err(|_| Lost::NotUtf8)
            }
            Frame::Overlong(_) => Err(Lost::Overlong),
        };
        let blank = line.as_ref().is_ok_and(|line| line.trim().is_empty());
        if !blank && !self.muted() {
            self.notice(ExtMsg::Stderr(self.ext, line.map(Into::into))).await;
        }
    }

    /// It is gone.
    pub async fn over(&self, over: Over) {
        if !self.muted() {
            self.way.send(ExtMsg::Over(self.ext, over)).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::stdin;
    use super::*;
    use tokio::sync::mpsc::{channel, unbounded_channel};

    fn line(text: &str) -> Frame {
        Frame::Line(text.as_bytes().to_vec())
    }

    #[tokio::test]
    async fn so_many_notices_and_requests_wait_and_no_more() {
        let (core, mut parcels) = channel(BACKLOG);
        let (stdin, mut answers) = stdin::queue(unbounded_channel().0);
        let meter = Arc::<Meter>::default();
        let voice = Voice::new(ExtId(1), Way::new(core, Secrets::default()), stdin, Arc::clone(&meter));
        for n in 0..300 {
            voice.said(&line(r#"{"method":"notify","params":{"message":"n"}}"#)).await;
            voice.said(&line(&format!(r#"{{"id":{n},"method":"ui.status","params":{{}}}}"#))).await;
        }
        let mut waiting = Vec::new();
        while let Ok(parcel) = parcels.try_recv() {
            waiting.push(parcel);
        }
        let notices = |all: &[Parcel]| all.iter().filter(|parcel| parcel.notice.is_some()).count();
        assert_eq!((notices(&waiting), waiting.len()), (256, 512));
        assert_eq!(meter.read().dropped, 44);
        let mut refused = Vec::new();
        while let Ok(answer) = answers.lines.try_recv() {
            refused.push(answer);
        }
        assert_eq!(refused.len(), 44, "each of the rest is answered");
        assert!(refused[0].starts_with(r#"{"id":256,"error":"the screen is unavailable"#), "{}", refused[0]);
        // What has arrived leaves its place.
        drop(waiting);
        voice.said(&line(r#"{"method":"notify","params":{"message":"n"}}"#)).await;
        assert!(parcels.try_recv().is_ok_and(|parcel| parcel.notice.is_some()));
    }
}
