//! The thread that all extensions live on: it takes what the loop wants of them and never makes it wait. It is started
//! with the first extension.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::mpsc as std_mpsc;
use std::time::Duration;

use tokio::sync::mpsc::{Sender, UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{oneshot, watch};

use super::child::{self, Job, Order};
use super::flow::{Meter, Parcel, Voice, Way};
use super::stdin::{self, Stdin};
use crate::effects::secrets::Secrets;
use crate::model::ext::world::ExtMsg;
use crate::model::id::{ExtId, Ticket};
use crate::model::wire::ext::{Note, Scope};

/// How long the end of the thread is waited for: a process that cannot be killed must not hold up the end of `e`.
const PATIENCE: Duration = Duration::from_millis(1500);

enum Command {
    Spawn(ExtId, Job),
    Send(ExtId, Arc<str>),
    Kill(ExtId),
    Shutdown(Ticket, Vec<ExtId>),
    ShutdownAll(oneshot::Sender<()>),
    Measure(Ticket),
}

/// The loop's handle of the thread. Dropping it kills and reaps what is left.
#[derive(Debug)]
pub struct Host {
    commands: Option<UnboundedSender<Command>>,
    /// Disconnected when the thread has ended.
    ended: std_mpsc::Receiver<()>,
}

impl std::fmt::Debug for Command {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Command")
    }
}

impl Host {
    /// Starts the thread; what extensions say goes to `core`, with the secrets in it masked.
    pub fn start(core: Sender<Parcel>, secrets: Secrets) -> io::Result<Host> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (commands, receiver) = unbounded_channel();
        let (alive, ended) = std_mpsc::channel();
        std::thread::Builder::new().name("extensions".into()).spawn(move || {
            let _alive: std_mpsc::Sender<()> = alive;
            runtime.block_on(serve(receiver, Way::new(core, secrets)));
            runtime.shutdown_background();
        })?;
        Ok(Host { commands: Some(commands), ended })
    }

    fn tell(&self, command: Command) {
        if let Some(commands) = &self.commands {
            let _thread_ended = commands.send(command);
        }
    }

    pub fn spawn(&self, ext: ExtId, job: Job) {
        self.tell(Command::Spawn(ext, job));
    }

    pub fn send(&self, ext: ExtId, line: Arc<str>) {
        self.tell(Command::Send(ext, line));
    }

    pub fn kill(&self, ext: ExtId) {
        self.tell(Command::Kill(ext));
    }

    /// Ends these in an orderly way; the core hears `Stopped`.
    pub fn shutdown(&self, ticket: Ticket, exts: Vec<ExtId>) {
        self.tell(Command::Shutdown(ticket, exts));
    }

    pub fn measure(&self, ticket: Ticket) {
        self.tell(Command::Measure(ticket));
    }

    /// Ends all in an orderly way and returns when they are reaped.
    pub async fn finish(&self) {
        let (done, all_ended) = oneshot::channel();
        self.tell(Command::ShutdownAll(done));
        let _thread_ended = tokio::time::timeout(PATIENCE, all_ended).await;
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.commands = None;
        let _ended_or_not = self.ended.recv_timeout(PATIENCE);
    }
}

/// A process as the thread holds it.
struct Held {
    stdin: Stdin,
    orders: UnboundedSender<Order>,
    end: End,
    meter: Arc<Meter>,
}

/// Takes commands until nobody can send any, then kills what is left.
async fn serve(mut commands: UnboundedReceiver<Command>, way: Way) {
    let mut all: BTreeMap<ExtId, Held> = BTreeMap::new();
    while let Some(command) = commands.recv().await {
        match command {
            Command::Spawn(ext, job) => {
                all.insert(ext, Held::start(ext, job, &way));
            }
            Command::Send(ext, line) => {
                if let Some(held) = all.get(&ext) {
                    held.stdin.push(line);
                }
            }
            Command::Kill(ext) => {
                if let Some(held) = all.get(&ext) {
                    let _nobody_waits = held.end(Order::Kill);
                }
            }
            Command::Shutdown(ticket, exts) => {
                let ends: Vec<_> = exts.iter().filter_map(|ext| all.get(ext)).map(Held::shut).collect();
                let way = way.clone();
                tokio::spawn(async move {
                    join(ends).await;
                    way.send(ExtMsg::Stopped(ticket)).await;
                });
            }
            Command::ShutdownAll(done) => {
                let ends: Vec<_> = all.values().map(Held::shut).collect();
                tokio::spawn(async move {
                    join(ends).await;
                    let _nobody_waits = done.send(());
                });
            }
            Command::Measure(ticket) => {
                let traffic = all.iter().map(|(ext, held)| (*ext, held.meter.read())).collect();
                let way = way.clone();
                tokio::spawn(async move { way.send(ExtMsg::Measured { ticket, traffic }).await });
            }
        }
    }
    let ends: Vec<_> = all.values().map(|held| held.end(Order::Kill)).collect();
    join(ends).await;
}

/// Waits until all of them are reaped.
async fn join(ends: Vec<End>) {
    for mut end in ends {
        while end.changed().await.is_ok() {}
    }
}

/// Disconnected when the process is gone.
type End = watch::Receiver<()>;

impl Held {
    fn start(ext: ExtId, job: Job, way: &Way) -> Held {
        let (orders, told) = unbounded_channel();
        let (stdin, lines) = stdin::queue(orders.clone());
        let meter = Arc::<Meter>::default();
        let voice = Voice::new(ext, way.clone(), stdin.clone(), Arc::clone(&meter));
        let (alive, end) = watch::channel(());
        tokio::spawn(async move {
            let _alive: watch::Sender<()> = alive;
            child::run(job, voice, lines, told).await;
        });
        Held { stdin, orders, end, meter }
    }

    fn shut(&self) -> End {
        self.stdin.push(Note::Shutdown.line(&Scope::ONLY).into());
        self.end(Order::Shutdown)
    }

    fn end(&self, order: Order) -> End {
        let _ended = self.orders.send(order);
        self.end.clone()
    }
}
