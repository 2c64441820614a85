//! One extension's process, from its start to the moment it is reaped. Whatever ends it, what it wrote before is read,
//! its whole process group is killed, and the core hears of it once.

use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{Child, Command};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::flow::{Meter, Voice};
use super::stdin::Lines;
use super::why;
use crate::effects::tool::Env;
use crate::model::ext::world::Over;
use crate::model::wire::ext::Framer;

/// Between the `shutdown` line and the kill.
const BEAT: Duration = Duration::from_millis(150);
/// How long a killed process is waited for.
const REAP: Duration = Duration::from_secs(1);
/// A pipe that nobody writes to for this long is not read on, once its process is gone: a descendant may hold it.
const QUIET: Duration = Duration::from_millis(150);
/// The most that is still read then: more does not fit into a pipe.
const LEFT: usize = 1024 * 1024;
/// An exit shows a moment after the pipes have closed.
const MOMENT: Duration = Duration::from_millis(100);
/// Bytes of one read.
const PIECE: usize = 64 * 1024;
/// Lines after which others get their turn.
const TURN: usize = 64;

/// What to start.
#[derive(Debug)]
pub struct Job {
    pub path: Arc<str>,
    pub cwd: Arc<str>,
    pub env: Arc<Env>,
}

/// What a process is told from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// End at once, silently.
    Kill,
    /// `shutdown` is in its stdin: a beat, then the same.
    Shutdown,
    /// Too much waits for its stdin.
    Stuck,
}

/// A reader of one of the pipes.
struct Reader {
    task: JoinHandle<()>,
    pulse: Arc<Pulse>,
}

/// Whether a reader waits for bytes, and how many it has read.
#[derive(Default)]
struct Pulse {
    waits: AtomicBool,
    bytes: AtomicUsize,
}

/// Runs the process until it is gone. Returns when it is reaped.
pub async fn run(job: Job, voice: Voice, lines: Lines, mut orders: UnboundedReceiver<Order>) {
    let mut child = match start(&job).await {
        Ok(child) => child,
        Err(error) => return voice.over(Over::NotStarted(why::not_started(&job, &error).into())).await,
    };
    let group = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(stdin), Some(stdout), Some(stderr)) = pipes else { return };
    let mut writer = tokio::spawn(lines.write(stdin, Arc::clone(&voice.meter)));
    let mut out = Reader::start(stdout, voice.clone(), true);
    let mut err = Reader::start(stderr, voice.clone(), false);

    let over = tokio::select! {
        biased;
        order = orders.recv() => match order {
            Some(Order::Stuck) => Over::Stuck,
            Some(Order::Shutdown) => {
                voice.mute();
                let _lives_on = timeout(BEAT, child.wait()).await;
                Over::Exited(None)
            }
            Some(Order::Kill) | None => {
                voice.mute();
                Over::Exited(None)
            }
        },
        status = child.wait() => exited(status),
        _ = &mut out.task => ended(&mut child, Over::Exited(None)).await,
        _ = &mut writer => ended(&mut child, Over::Deaf).await,
    };
    kill(group);
    let _unkillable = timeout(REAP, child.wait()).await;
    if !voice.muted() {
        tokio::select! {
            () = async { out.drain().await; err.drain().await } => {}
            () = silenced(&mut orders) => voice.mute(),
        }
    }
    for task in [writer.abort_handle(), out.task.abort_handle(), err.task.abort_handle()] {
        task.abort();
    }
    voice.over(over).await;
}

/// Resolves when somebody wants nothing more of it.
async fn silenced(orders: &mut UnboundedReceiver<Order>) {
    while orders.recv().await == Some(Order::Stuck) {}
}

/// How a process ended that closed a pipe; `otherwise` when it goes on.
async fn ended(child: &mut Child, otherwise: Over) -> Over {
    match timeout(MOMENT, child.wait()).await {
        Ok(status) => exited(status),
        Err(_) => otherwise,
    }
}

fn exited(status: io::Result<ExitStatus>) -> Over {
    Over::Exited(status.ok().map(|status| why::ending(status).into()))
}

fn kill(group: Option<Pid>) {
    if let Some(group) = group {
        // Nobody there is no error here.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Starts the file directly. One that is being written at this moment is tried again.
async fn start(job: &Job) -> io::Result<Child> {
    let mut left = 10;
    loop {
        match spawn(job) {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy && left > 0 => {
                left -= 1;
                sleep(Duration::from_millis(20)).await;
            }
            other => return other,
        }
    }
}

/// A process group of its own keeps the terminal's ctrl+c away from it, and ends its children with it.
fn spawn(job: &Job) -> io::Result<Child> {
    Command::new(Path::new(&*job.path))
        .current_dir(&*job.cwd)
        .env_clear()
        .envs(&*job.env)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
}

impl Reader {
    fn start(pipe: impl AsyncRead + Unpin + Send + 'static, voice: Voice, stdout: bool) -> Reader {
        let pulse = Arc::<Pulse>::default();
        let task = tokio::spawn(read(pipe, voice, Arc::clone(&pulse), stdout));
        Reader { task, pulse }
    }

    /// Reads what is left in the pipe of a process that is gone.
    async fn drain(&mut self) {
        let read = |pulse: &Pulse| pulse.bytes.load(Ordering::Relaxed);
        let first = read(&self.pulse);
        while !self.task.is_finished() {
            let before = read(&self.pulse);
            if timeout(QUIET, &mut self.task).await.is_ok() {
                return;
            }
            let now = read(&self.pulse);
            // One that waits for the core is not done.
            let quiet = now == before && self.pulse.waits.load(Ordering::Relaxed);
            if quiet || now - first > LEFT {
                return;
            }
        }
    }
}

/// Takes lines out of a pipe until its end.
async fn read(mut pipe: impl AsyncRead + Unpin, voice: Voice, pulse: Arc<Pulse>, stdout: bool) {
    let mut framer = Framer::default();
    let mut bytes = vec![0; PIECE];
    let mut lines = 0;
    loop {
        pulse.waits.store(true, Ordering::Relaxed);
        let count = match pipe.read(&mut bytes).await {
            Ok(0) | Err(_) => break,
            Ok(count) => count,
        };
        pulse.waits.store(false, Ordering::Relaxed);
        pulse.bytes.fetch_add(count, Ordering::Relaxed);
        Meter::add(&voice.meter.bytes_in, count);
        let mut rest = bytes.get(..count).unwrap_or_default();
        while let Some((frame, behind)) = framer.push(rest) {
            rest = behind;
            take(frame, &voice, stdout).await;
            lines += 1;
            if lines % TURN == 0 {
                tokio::task::yield_now().await;
            }
        }
    }
    if let Some(frame) = framer.finish() {
        take(frame, &voice, stdout).await;
    }
}

async fn take(frame: crate::model::wire::ext::Frame, voice: &Voice, stdout: bool) {
    Meter::add(&voice.meter.lines_in, 1);
    match stdout {
        true => voice.said(&frame).await,
        false => voice.stderr(frame).await,
    }
}
