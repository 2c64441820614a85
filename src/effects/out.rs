//! What a headless run writes: stdout and stderr, in order, on a thread of their own, so that a reader who is slow or gone
//! holds up neither the turn nor a signal.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::post::Post;
use crate::model::msg::{Msg, Signal};

/// How long a reader who does not read is waited for once a signal has ended the run.
const PATIENCE: Duration = Duration::from_secs(1);

enum Piece {
    Out(Arc<str>),
    Err(Arc<str>),
}

/// Starts its thread with the first text.
#[derive(Debug)]
pub struct Printer {
    post: Post,
    worker: Option<(Sender<Piece>, JoinHandle<()>)>,
}

impl std::fmt::Debug for Piece {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Piece")
    }
}

impl Printer {
    pub fn new(post: Post) -> Printer {
        Printer { post, worker: None }
    }

    /// Text for stdout, exactly as it is.
    pub fn out(&mut self, text: Arc<str>) {
        self.send(Piece::Out(text));
    }

    /// A line for stderr.
    pub fn err(&mut self, line: Arc<str>) {
        self.send(Piece::Err(line));
    }

    fn send(&mut self, piece: Piece) {
        let post = &self.post;
        let (sender, _) = self.worker.get_or_insert_with(|| {
            let (sender, receiver) = channel();
            let post = post.clone();
            (sender, std::thread::spawn(move || write(&receiver, &post)))
        });
        let _thread_ended = sender.send(piece);
    }

    /// Waits until everything is written; after a signal (`status` over 128) not for ever.
    pub fn finish(&mut self, status: u8) {
        let Some((sender, thread)) = self.worker.take() else { return };
        drop(sender);
        let start = Instant::now();
        while status > 128 && !thread.is_finished() {
            if start.elapsed() > PATIENCE {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let _panicked = thread.join();
    }
}

fn write(pieces: &Receiver<Piece>, post: &Post) {
    let (mut out, mut err) = (io::stdout().lock(), io::stderr().lock());
    let mut closed = false;
    for piece in pieces {
        match piece {
            Piece::Out(text) if !closed => {
                let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) else { continue };
                closed = true;
                let left = error.kind() == io::ErrorKind::BrokenPipe;
                if !left {
                    let _unread = writeln!(err, "error: cannot write to stdout: {}", error.kind());
                }
                post.send(Msg::Signal(if left { Signal::Closed } else { Signal::Unwritable }));
            }
            Piece::Out(_) => {}
            // A stderr that nobody reads is no reason to stop.
            Piece::Err(line) => {
                let _unread = err.write_all(format!("{line}\n").as_bytes());
            }
        }
    }
}
