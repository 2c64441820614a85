//! The session logs' interpreter: one worker that does what it is told in order, so that the loop never waits for a disk.

pub mod heads;
pub mod logs;
pub mod read;
pub mod shorten;
pub mod usage;

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use self::logs::{Logs, Opened};
use self::read::{Limits, Torn};
use super::home::Home;
use super::post::Post;
use crate::model::effect::StoreFx;
use crate::model::id::Ticket;
use crate::model::msg::{Msg, StoreMsg};
use crate::model::session::load::Loaded;

/// Starts its worker with the first thing to do: an `e` that only shows its first frame has none.
#[derive(Debug)]
pub struct Store {
    home: Home,
    post: Post,
    worker: Option<(Sender<StoreFx>, JoinHandle<()>)>,
}

impl Store {
    pub fn new(home: Home, post: Post) -> Store {
        Store { home, post, worker: None }
    }

    pub fn apply(&mut self, fx: StoreFx) {
        let (sender, _) = self.worker.get_or_insert_with(|| start(self.home.clone(), self.post.clone()));
        let _worker_died = sender.send(fx);
    }

    /// Waits until everything asked for is done, then lets go of the log.
    pub fn finish(&mut self) {
        if let Some((sender, thread)) = self.worker.take() {
            drop(sender);
            let _panicked = thread.join();
        }
    }
}

fn start(home: Home, post: Post) -> (Sender<StoreFx>, JoinHandle<()>) {
    let (sender, receiver) = channel();
    let thread = std::thread::spawn(move || {
        let mut logs = Logs::new(home);
        for fx in receiver {
            work(&mut logs, fx, &mut |ticket, msg| post.send(Msg::Store(ticket, msg)));
        }
        logs.close();
    });
    (sender, thread)
}

/// Does one thing, and says what there is to answer.
pub fn work(logs: &mut Logs, fx: StoreFx, say: &mut dyn FnMut(Ticket, StoreMsg)) {
    if let Some((ticket, msg)) = answer(logs, fx, say) {
        say(ticket, msg);
    }
}

fn answer(logs: &mut Logs, fx: StoreFx, say: &mut dyn FnMut(Ticket, StoreMsg)) -> Option<(Ticket, StoreMsg)> {
    Some(match fx {
        StoreFx::Create { ticket, cwd, id, lines } => match logs.create(&cwd, &id, &lines) {
            Ok(path) => (ticket, StoreMsg::Created { path }),
            Err(error) => (ticket, StoreMsg::Failed { error: error.into() }),
        },
        StoreFx::Append { ticket, line } => {
            let error = logs.append(&line).err()?;
            (ticket, StoreMsg::AppendFailed { error: error.into() })
        }
        StoreFx::Close => {
            logs.close();
            return None;
        }
        StoreFx::Open { ticket, which } => {
            match logs.open(&which, &mut |branch| say(ticket, StoreMsg::Ending { branch })) {
                Opened::Log { path, session } => (ticket, StoreMsg::Opened { path, session }),
                Opened::Busy { path } => (ticket, StoreMsg::Busy { path }),
                Opened::Missing => (ticket, StoreMsg::Missing),
                Opened::Failed(error) => (ticket, StoreMsg::Failed { error: error.into() }),
            }
        }
        StoreFx::Read { ticket, path } => match look(&path) {
            Ok(loaded) => (ticket, StoreMsg::Opened { path, session: Box::new(loaded) }),
            Err(error) => (ticket, StoreMsg::Failed { error: format!("{path}: {error}").into() }),
        },
        StoreFx::List { ticket, cwd } => {
            let sessions = logs.list(cwd.as_deref());
            (ticket, StoreMsg::Listed { sessions })
        }
        StoreFx::ErrorDetails { line } => {
            logs.error_details(&line);
            return None;
        }
    })
}

/// A log that another process may be writing, as far as it is written.
fn look(path: &str) -> std::io::Result<Loaded> {
    read::whole(&std::fs::File::open(path)?, Torn::LeaveOut, &Limits::default()).map(|log| log.loaded)
}

/// A path as the core has it.
fn text(path: &std::path::Path) -> Arc<str> {
    Arc::from(path.to_string_lossy())
}
