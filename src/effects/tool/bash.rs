//! The `bash` tool: runs a command to its end, its time limit or an interrupt, and leaves nothing of it behind.

use std::path::Path;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe::Receiver;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::background::Background;
use super::capture::Capture;
use super::group::{Group, Process};
use super::live::Live;
use super::shell::{self, Running};
use super::{Shared, paths};
use crate::model::id::CallId;
use crate::model::tool::args::Args;
use crate::model::tool::limit;
use crate::model::tool::spec::TIMEOUT;
use crate::model::tool::{Outcome, ToolOutput};

/// What is still in the pipe when the shell has ended is waited for this long: the usual case ends at once.
const DRAIN: Duration = Duration::from_millis(250);
/// After everything was killed, for what was written before.
const LAST: Duration = Duration::from_millis(250);
/// A background command that ends this soon is answered like any other.
const EARLY: Duration = Duration::from_millis(400);
/// Bytes read at once.
const PIECE: usize = 64 * 1024;

/// Where the group of a call's command is put, so that a kill finds it.
pub type Slot = Arc<Mutex<Option<Group>>>;

/// A task that ends with its owner.
#[derive(Debug)]
pub struct Owned<T>(pub JoinHandle<T>);

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Runs a call; the error is what the model reads.
pub async fn run(
    shared: &Arc<Shared>,
    call: CallId,
    args: &Args<'_>,
    cwd: &Path,
    slot: &Slot,
) -> Result<ToolOutput, String> {
    let refusal = |refusal: crate::model::tool::args::Refusal| refusal.0;
    if let Some(handle) = args.opt_text("handle").map_err(refusal)? {
        let signal = args.opt_text("signal").map_err(refusal)?;
        return shared.background.ask(handle.trim(), signal, &shared.secrets).await;
    }
    let command = args.filled("command").map_err(refusal)?;
    let (default, least, most) = TIMEOUT;
    let seconds = args.opt_int("timeout", least, most).map_err(refusal)?;
    let background = args.flag("background").map_err(refusal)?;
    if args.opt_text("signal").map_err(refusal)?.is_some() {
        return Err(args.refuse("handle", "the handle of the command to signal").0);
    }
    paths::workspace(cwd)?;
    let running = shell::start(command, cwd, &shared.env(), &shared.groups)?;
    *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(running.group.clone());
    if background {
        let started = shared.background.start(running, seconds.map(Duration::from_secs));
        return early(started, shared).await;
    }
    let limit = Duration::from_secs(seconds.unwrap_or(default));
    let capture = Arc::new(Mutex::new(Capture::default()));
    let live = Live::new(&shared.secrets);
    let sender = Owned(tokio::spawn(live.clone().run(call, Arc::clone(&shared.send))));
    let end = foreground(running, &capture, &live, limit).await?;
    live.close();
    let mut sender = sender;
    let _ = (&mut sender.0).await;
    finish(shared, capture, end).await
}

/// How a command came to its end.
#[derive(Debug)]
pub struct End {
    pub status: Option<ExitStatus>,
    /// The limit it ran into.
    pub timed_out: Option<Duration>,
    /// What it had left running and was ended with it.
    pub left: Vec<Process>,
    /// The pipe is still held by something that left the session.
    pub held: bool,
}

async fn foreground(
    running: Running,
    capture: &Arc<Mutex<Capture>>,
    live: &Live,
    limit: Duration,
) -> Result<End, String> {
    let Running { mut child, group, output } = running;
    let pump = Owned(tokio::spawn(pump(output, Arc::clone(capture), Some(live.clone()))));
    let waited = timeout(limit, child.wait()).await;
    live.hurry();
    let (status, timed_out) = match waited {
        Ok(status) => {
            (Some(status.map_err(|error| format!("The shell was lost: {}.", paths::reason(&error)))?), None)
        }
        Err(_) => {
            group.whole().end().await;
            (timeout(DRAIN, child.wait()).await.ok().and_then(Result::ok), Some(limit))
        }
    };
    let (left, held) = clean_up(&group, pump).await;
    Ok(End { status, timed_out, left, held })
}

/// Reads what is left in the pipe, ends what the command left running, and says what that was.
pub async fn clean_up(group: &Group, mut pump: Owned<()>) -> (Vec<Process>, bool) {
    let mut ended = timeout(DRAIN, &mut pump.0).await.is_ok();
    let left = group.left().await;
    group.end().await;
    if !ended {
        ended = timeout(LAST, &mut pump.0).await.is_ok();
    }
    (left, !ended)
}

/// Moves output from the pipe to where it is kept and shown, until the pipe is closed.
pub async fn pump(mut output: Receiver, capture: Arc<Mutex<Capture>>, live: Option<Live>) {
    let mut piece = vec![0; PIECE];
    loop {
        match output.read(&mut piece).await {
            Ok(0) | Err(_) => return,
            Ok(n) => {
                let bytes = piece.get(..n).unwrap_or_default();
                capture.lock().unwrap_or_else(PoisonError::into_inner).push(bytes);
                if let Some(live) = &live {
                    live.push(bytes).await;
                }
            }
        }
        // A flood is read in turns with everything else.
        tokio::task::yield_now().await;
    }
}

/// The result of a command that has ended.
pub async fn finish(
    shared: &Arc<Shared>,
    capture: Arc<Mutex<Capture>>,
    end: End,
) -> Result<ToolOutput, String> {
    let secrets = shared.secrets.clone();
    let text = spawn_blocking(move || {
        let capture = std::mem::take(&mut *capture.lock().unwrap_or_else(PoisonError::into_inner));
        capture.text(&secrets)
    });
    let text = text.await.map_err(|_| "The output could not be made readable.".to_owned())?;
    Ok(result(text.text, text.dropped, &end))
}

/// Words the result: the output, then what is to be said about its end.
pub fn result(mut content: String, dropped: u64, end: &End) -> ToolOutput {
    if content.trim().is_empty() {
        content = "(no output)\n".into();
    } else if !content.ends_with('\n') {
        content.push('\n');
    }
    let ending = end.status.and_then(shell::ending);
    let (outcome, summary) = match (end.timed_out, ending) {
        (Some(limit), _) => {
            let seconds = limit.as_secs();
            content.push_str(&format!(
                "[timed out after {seconds} s; the command and everything it started was ended. Give a longer timeout, \
                 or run it with background]\n"
            ));
            (Outcome::TimedOut, Some(format!("timed out after {seconds} s")))
        }
        (None, Some(ending)) => {
            content.push_str(&format!("[{ending}]\n"));
            (Outcome::Failed, Some(ending))
        }
        (None, None) => (Outcome::Completed, None),
    };
    if !end.left.is_empty() && end.timed_out.is_none() {
        content.push_str(&format!(
            "[ended what it had left running: {}; use background to keep a command running]\n",
            names(&end.left)
        ));
    }
    if end.held {
        content.push_str(
            "[a process that left the command's session still holds its output and was left running]\n",
        );
    }
    if dropped > 0 {
        let size = limit::bytes(usize::try_from(dropped).unwrap_or(usize::MAX));
        content.push_str(&format!(
            "[the output was too long to keep whole: {size} of its middle were dropped]\n"
        ));
    }
    content.truncate(content.trim_end_matches('\n').len());
    let mut output = ToolOutput::new(outcome, "");
    output.excerpt = limit::excerpt(&content).map(Into::into);
    output.content = content.into();
    output.summary = summary.map(Into::into);
    output
}

fn names(processes: &[Process]) -> String {
    const NAMED: usize = 8;
    let mut list: Vec<String> =
        processes.iter().take(NAMED).map(|p| format!("{} (process {})", p.name, p.id)).collect();
    if processes.len() > NAMED {
        list.push(format!("{} more", processes.len() - NAMED));
    }
    list.join(", ")
}

/// Answers the start of a background command: with its handle, or as usual when it ended at once.
async fn early(started: Arc<Background>, shared: &Arc<Shared>) -> Result<ToolOutput, String> {
    let until = Instant::now() + EARLY;
    if timeout_at(until, started.ended()).await.is_err() {
        // A moment for the first lines, so that a server's address is in the answer.
        sleep(Duration::from_millis(10)).await;
    }
    Ok(started.report(&shared.secrets, true).await)
}
