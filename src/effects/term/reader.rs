//! The thread that reads the terminal. It sleeps until there is something: bytes, a new size, the rest of a key that did
//! not come in time, or the wish to stop reading while another program has the terminal.

use super::guard::{Modes, Tty};
use super::input::{Batch, Input, Reply};
use crate::model::term::TermMsg;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What the reading thread reports.
#[derive(Debug, PartialEq)]
pub enum TtyEvent {
    Batch(Batch),
    /// The terminal is gone; nothing more will come.
    Closed,
}

/// The reading thread. Dropping it ends it.
#[derive(Debug)]
pub struct Reader {
    shared: Arc<Shared>,
    wake: UnixStream,
    winch: signal_hook::SigId,
    thread: Option<std::thread::JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    wish: Mutex<Wish>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Wish {
    paused: bool,
    stop: bool,
    /// The thread has seen `paused`, or has ended: it does not read.
    parked: bool,
}

impl Shared {
    fn wish(&self) -> MutexGuard<'_, Wish> {
        self.wish.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, wish: MutexGuard<'a, Wish>) -> MutexGuard<'a, Wish> {
        self.changed.wait(wish).unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reader {
    /// Starts reading. `sink` is called on the reading thread with everything that happens; when it gives false, nobody
    /// listens any more and the thread ends.
    pub fn start<F>(tty: &Tty, remote: bool, modes: Arc<Modes>, sink: F) -> io::Result<Reader>
    where
        F: FnMut(TtyEvent) -> bool + Send + 'static,
    {
        let (wake, woken) = UnixStream::pair()?;
        let (signal, resized) = UnixStream::pair()?;
        for stream in [&woken, &resized] {
            stream.set_nonblocking(true)?;
        }
        let winch = signal_hook::low_level::pipe::register(signal_hook::consts::SIGWINCH, signal)?;
        let shared = Arc::new(Shared::default());
        let input = Input::new(tty.erases_with_ctrl_h());
        let side =
            Side { tty: tty.try_clone()?, remote, modes, input, woken, resized, shared: Arc::clone(&shared) };
        let thread = std::thread::Builder::new().name("terminal".to_owned()).spawn(move || side.run(sink))?;
        Ok(Reader { shared, wake, winch, thread: Some(thread) })
    }

    /// Stops reading, and returns once nothing more is taken from the terminal: another program may have it.
    pub fn pause(&self) {
        self.shared.wish().paused = true;
        self.rouse();
        let mut wish = self.shared.wish();
        while !wish.parked {
            wish = self.shared.wait(wish);
        }
    }

    /// Reads on.
    pub fn resume(&self) {
        self.shared.wish().paused = false;
        self.shared.changed.notify_all();
    }

    fn rouse(&self) {
        // The other end lives as long as the thread; once that has ended there is nobody to wake.
        let _ = (&self.wake).write_all(b"!");
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        {
            let mut wish = self.shared.wish();
            wish.stop = true;
            wish.paused = false;
        }
        self.shared.changed.notify_all();
        self.rouse();
        signal_hook::low_level::unregister(self.winch);
        if let Some(thread) =
            self.thread.take().filter(|thread| thread.thread().id() != std::thread::current().id())
        {
            // A panic on that thread has been reported there.
            let _ = thread.join();
        }
    }
}

/// The thread's own side.
struct Side {
    tty: Tty,
    remote: bool,
    modes: Arc<Modes>,
    input: Input,
    woken: UnixStream,
    resized: UnixStream,
    shared: Arc<Shared>,
}

/// What the thread woke for.
#[derive(Default)]
struct Ready {
    keys: bool,
    resized: bool,
    nothing: bool,
}

/// A read as large as this is a paste, and what is still on its way belongs to it. Bytes.
const LIKE_A_PASTE: usize = 1024;
/// How long the rest of a paste may be on its way.
const PASTE_GAP: Duration = Duration::from_millis(5);
/// The most that is taken for one read. Bytes.
const MAX_READ: usize = 1 << 20;

impl Side {
    fn run<F: FnMut(TtyEvent) -> bool>(mut self, mut sink: F) {
        let mut open = true;
        while open && self.may_read() {
            open = self.turn(&mut sink).unwrap_or_else(|_| {
                sink(TtyEvent::Closed);
                false
            });
        }
        self.shared.wish().parked = true;
        self.shared.changed.notify_all();
    }

    /// Waits while reading is paused; false when it is over.
    fn may_read(&self) -> bool {
        let mut wish = self.shared.wish();
        while wish.paused && !wish.stop {
            wish.parked = true;
            self.shared.changed.notify_all();
            wish = self.shared.wait(wish);
        }
        wish.parked = false;
        !wish.stop
    }

    /// One wake-up. Gives whether to go on; an error when the terminal is gone.
    fn turn<F: FnMut(TtyEvent) -> bool>(&mut self, sink: &mut F) -> io::Result<bool> {
        let timeout = self.input.pending().map(|wait| wait.timeout(self.remote));
        let ready = self.wait(timeout)?;
        let mut batch = Batch::default();
        if ready.resized {
            batch.msgs.push(TermMsg::Resize(self.tty.size()));
        }
        let read = if ready.nothing {
            self.input.flush()
        } else if ready.keys {
            let bytes = self.read()?;
            self.input.feed(&bytes)
        } else {
            Batch::default()
        };
        batch.msgs.extend(read.msgs);
        batch.replies.extend(read.replies);
        if batch.replies.contains(&Reply::Attributes) {
            self.modes.set_asked(false);
        }
        Ok(batch.is_empty() || sink(TtyEvent::Batch(batch)))
    }

    fn wait(&self, timeout: Option<Duration>) -> io::Result<Ready> {
        let mut fds = [
            PollFd::new(self.tty.input(), PollFlags::IN),
            PollFd::new(&self.woken, PollFlags::IN),
            PollFd::new(&self.resized, PollFlags::IN),
        ];
        let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
        match poll(&mut fds, timeout.as_ref()) {
            Ok(0) => return Ok(Ready { nothing: true, ..Ready::default() }),
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => return Ok(Ready::default()),
            Err(error) => return Err(error.into()),
        }
        let [keys, woken, resized] = fds.each_ref().map(|fd| !fd.revents().is_empty());
        for (ready, stream) in [(woken, &self.woken), (resized, &self.resized)] {
            let mut waste = [0; 64];
            while ready && matches!((&*stream).read(&mut waste), Ok(n) if n > 0) {}
        }
        // A wish to pause comes first: the bytes belong to whoever gets the terminal.
        Ok(Ready { keys: keys && !woken, resized, nothing: false })
    }

    /// Everything that is there, as one read: a paste comes in pieces of a few kilobytes.
    fn read(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut piece = [0; 16 << 10];
        loop {
            let count = match (&mut self.tty.input()).read(&mut piece) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            bytes.extend_from_slice(piece.get(..count).unwrap_or_default());
            let gap = if bytes.len() >= LIKE_A_PASTE { PASTE_GAP } else { Duration::ZERO };
            if bytes.len() >= MAX_READ || !self.more(gap) {
                return Ok(bytes);
            }
        }
    }

    /// Whether more bytes are there, or come within a moment.
    fn more(&self, gap: Duration) -> bool {
        let mut fds = [PollFd::from_borrowed_fd(self.tty.input().as_fd(), PollFlags::IN)];
        let Ok(timeout) = Timespec::try_from(gap) else { return false };
        poll(&mut fds, Some(&timeout)).is_ok_and(|count| count > 0)
            && fds.iter().all(|fd| fd.revents() == PollFlags::IN)
    }
}
