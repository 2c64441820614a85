//! Signals as messages. Nothing wakes unless one comes.

use std::io;

use tokio::signal::unix::{Signal as Unix, SignalKind, signal};
use tokio::sync::mpsc::{Receiver, channel};

use crate::model::msg::Signal;

/// Starts listening; must run inside the runtime.
pub fn listen() -> io::Result<Receiver<Signal>> {
    let (tx, rx) = channel(8);
    let kinds = [
        (SignalKind::terminate(), Signal::Terminate),
        // Left to itself, it would leave the terminal's modes on and the children running.
        (SignalKind::quit(), Signal::Terminate),
        (SignalKind::hangup(), Signal::HangUp),
        (SignalKind::interrupt(), Signal::Interrupt),
        (SignalKind::from_raw(rustix::process::Signal::CONT.as_raw()), Signal::Continued),
    ];
    for (kind, meaning) in kinds {
        let mut stream: Unix = signal(kind)?;
        let tx = tx.clone();
        tokio::spawn(async move {
            while stream.recv().await.is_some() {
                if tx.send(meaning).await.is_err() {
                    break;
                }
            }
        });
    }
    Ok(rx)
}
