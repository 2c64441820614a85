//! What waits for an extension's stdin: in order, never waited for, and bounded.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::AsyncWriteExt as _;
use tokio::process::ChildStdin;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::child::Order;
use super::flow::Meter;
use crate::model::wire::ext::BACKLOG;

/// Lines that wait are written together up to this many bytes.
const TOGETHER: usize = 64 * 1024;

/// The end that lines are put in.
#[derive(Debug, Clone)]
pub struct Stdin {
    lines: UnboundedSender<Arc<str>>,
    /// Bytes not yet written, newlines included.
    waiting: Arc<AtomicUsize>,
    orders: UnboundedSender<Order>,
}

/// The end that they are written from.
#[derive(Debug)]
pub struct Lines {
    pub(super) lines: UnboundedReceiver<Arc<str>>,
    waiting: Arc<AtomicUsize>,
}

/// Both ends; `orders` hears when too much waits.
pub fn queue(orders: UnboundedSender<Order>) -> (Stdin, Lines) {
    let (sender, receiver) = unbounded_channel();
    let waiting = Arc::<AtomicUsize>::default();
    (Stdin { lines: sender, waiting: Arc::clone(&waiting), orders }, Lines { lines: receiver, waiting })
}

impl Stdin {
    /// Puts a line, without its newline, behind the others. One that is too long by itself may pass, behind others it may
    /// not.
    pub fn push(&self, line: Arc<str>) {
        let bytes = line.len() + 1;
        let before = self.waiting.fetch_add(bytes, Ordering::Relaxed);
        if before > 0 && before + bytes > BACKLOG {
            let _ended = self.orders.send(Order::Stuck);
            return;
        }
        let _ended = self.lines.send(line);
    }
}

impl Lines {
    /// Writes until nobody can put lines any more (`Ok`) or the pipe takes none (`Err`).
    pub async fn write(mut self, mut pipe: ChildStdin, meter: Arc<Meter>) -> std::io::Result<()> {
        let mut bytes = Vec::new();
        while let Some(line) = self.lines.recv().await {
            bytes.clear();
            let mut lines = 1;
            bytes.extend_from_slice(line.as_bytes());
            bytes.push(b'\n');
            while bytes.len() < TOGETHER
                && let Ok(line) = self.lines.try_recv()
            {
                bytes.extend_from_slice(line.as_bytes());
                bytes.push(b'\n');
                lines += 1;
            }
            pipe.write_all(&bytes).await?;
            self.waiting.fetch_sub(bytes.len(), Ordering::Relaxed);
            Meter::add(&meter.lines_out, lines);
            Meter::add(&meter.bytes_out, bytes.len());
            bytes.shrink_to(TOGETHER);
        }
        Ok(())
    }
}
