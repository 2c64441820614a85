//! The built-in tools at work: takes [`ToolFx`], answers with [`ToolMsg`] for its call, and leaves nothing running.

pub mod atomic;
mod background;
mod bash;
mod capture;
mod change;
mod diff;
mod group;
mod guardian;
pub mod images;
mod instructions;
mod live;
pub mod paths;
mod read;
mod search;
mod seen;
mod shell;
mod skipped;
mod undo;

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use futures_util::FutureExt as _;
use serde_json::Value;
use tokio::task::AbortHandle;

use self::background::Backgrounds;
use self::bash::Slot;
use self::change::Books;
use self::group::Groups;
use self::seen::Seen;
pub use self::shell::Env;
use self::undo::Undo;
use crate::effects::secrets::Secrets;
use crate::model::id::{CallId, SessionId};
use crate::model::tool::args::Args;
use crate::model::tool::{Display, ToolFx, ToolMsg, ToolOutput, ToolSpec, spec};

/// Takes a message for the core; resolves when there is room for the next.
pub type Sender = Arc<dyn Fn(CallId, ToolMsg) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

/// What all calls share.
pub struct Shared {
    /// Replaced as a whole, for the commands that start from then on.
    env: Mutex<Arc<Env>>,
    secrets: Secrets,
    send: Sender,
    groups: Groups,
    background: Backgrounds,
    running: Mutex<HashMap<CallId, Running>>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The environment may hold keys.
        f.debug_struct("Shared").field("groups", &self.groups).finish_non_exhaustive()
    }
}

impl Shared {
    /// The environment that children get now.
    fn env(&self) -> Arc<Env> {
        Arc::clone(&self.env.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A call at work, and how to end it.
#[derive(Debug)]
struct Running {
    task: AbortHandle,
    stop: Arc<AtomicBool>,
    group: Slot,
}

/// What is remembered for one conversation.
#[derive(Debug)]
struct Session {
    began: SystemTime,
    seen: Seen,
    undo: Undo,
}

/// A saved session: its log and its workspace.
type Name = (Arc<str>, Arc<str>);

/// The executor. Its methods must be called inside the runtime.
#[derive(Debug)]
pub struct Tools {
    shared: Arc<Shared>,
    /// What each open session works on now, and whether it has a log.
    current: HashMap<SessionId, (Arc<Session>, bool)>,
    began: SystemTime,
    /// Conversations with a log, so that going back to one finds what was seen in it.
    saved: HashMap<Name, Arc<Session>>,
}

impl Tools {
    /// `env` is the environment that children get; the values of `secrets` are masked in everything that is sent.
    pub fn new<S, F>(env: Arc<Env>, secrets: Secrets, send: S) -> Self
    where
        S: Fn(CallId, ToolMsg) -> F + Send + Sync + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let shared = Shared {
            env: Mutex::new(env),
            secrets,
            send: Arc::new(move |call, message| Box::pin(send(call, message))),
            groups: Groups::default(),
            background: Backgrounds::default(),
            running: Mutex::default(),
        };
        Tools {
            shared: Arc::new(shared),
            current: HashMap::new(),
            began: SystemTime::now(),
            saved: HashMap::new(),
        }
    }

    /// What commands get that start from now on.
    pub fn set_env(&self, env: Arc<Env>) {
        *self.shared.env.lock().unwrap_or_else(PoisonError::into_inner) = env;
    }

    /// Starts or ends work; never waits.
    pub fn handle(&mut self, fx: ToolFx) {
        match fx {
            ToolFx::Identify { call, cwd, path } => self.identify(call, cwd, path),
            ToolFx::Run { session, call, name, arguments, cwd } => {
                let session = self.current(session);
                let job = Job { shared: Arc::clone(&self.shared), session, call, cwd: PathBuf::from(&*cwd) };
                self.spawn(call, |stop, slot| async move { job.run(&name, arguments, stop, slot).await });
            }
            // Whoever holds the children's environment changes it.
            ToolFx::Trusted(_) => {}
            ToolFx::Kill(call) => self.kill(call),
            ToolFx::Undo { session, call, cwd } => {
                let session = self.current(session);
                self.spawn(call, |_, _| async move {
                    let undone = blocking(move || change::undo(Path::new(&*cwd), &session.undo)).await;
                    undone.unwrap_or_else(ToolOutput::failed)
                });
            }
            ToolFx::Session { session, log: None, .. } => {
                self.current.insert(session, (Session::new(None, SystemTime::now()), false));
            }
            ToolFx::Session { session, log: Some(log), cwd } => self.open(session, (log, cwd)),
        }
    }

    fn current(&mut self, session: SessionId) -> Arc<Session> {
        let began = self.began;
        let (now, _) = self.current.entry(session).or_insert_with(|| (Session::new(None, began), false));
        Arc::clone(now)
    }

    /// A session goes on with a log: one it was given before, one that was just made for it, or another's.
    fn open(&mut self, session: SessionId, name: Name) {
        let log = PathBuf::from(&*name.0);
        let opened = match (self.saved.get(&name), self.current.get(&session)) {
            (Some(known), _) => Arc::clone(known),
            // The log was made for what is under way here, which may have changed files already.
            (None, Some((now, false))) if now.precedes(&log) => {
                now.undo.move_beside(&log);
                Arc::clone(now)
            }
            (None, _) => Session::new(Some(&log), SystemTime::now()),
        };
        self.saved.insert(name, Arc::clone(&opened));
        self.current.insert(session, (opened, true));
    }

    /// Ends every call and every process started by one, background commands too; returns when they are gone.
    pub async fn shutdown(&mut self) {
        for (_, running) in self.shared.running.lock().unwrap_or_else(PoisonError::into_inner).drain() {
            running.stop.store(true, Ordering::Relaxed);
            running.task.abort();
        }
        self.shared.groups.end_all().await;
    }

    /// Kills every process at once, without waiting; for a panic or a second signal.
    pub fn kill_all(&self) {
        self.shared.groups.kill_all();
    }

    fn identify(&self, call: CallId, cwd: Arc<str>, path: Arc<str>) {
        let shared = Arc::clone(&self.shared);
        tokio::spawn(async move {
            let home = shared.home();
            let key =
                tokio::task::spawn_blocking(move || paths::key(Path::new(&*cwd), home.as_deref(), &path));
            let key = key.await.ok();
            (shared.send)(call, ToolMsg::Identified(key)).await;
        });
    }

    /// Runs a call's work as a task that always answers, also when the work panics.
    fn spawn<F>(&self, call: CallId, work: impl FnOnce(Arc<AtomicBool>, Slot) -> F)
    where
        F: Future<Output = ToolOutput> + Send + 'static,
    {
        let stop = Arc::new(AtomicBool::new(false));
        let group = Slot::default();
        let work = AssertUnwindSafe(work(Arc::clone(&stop), Arc::clone(&group))).catch_unwind();
        let shared = Arc::clone(&self.shared);
        // Held until the call is listed, so that one that ends at once still finds itself there.
        let mut running = self.shared.running.lock().unwrap_or_else(PoisonError::into_inner);
        let task = tokio::spawn(async move {
            let output = work.await.unwrap_or_else(|panic| ToolOutput::failed(crash(&*panic)));
            let output = masked(output, &shared.secrets);
            shared.running.lock().unwrap_or_else(PoisonError::into_inner).remove(&call);
            (shared.send)(call, ToolMsg::Done(Box::new(output))).await;
        });
        running.insert(call, Running { task: task.abort_handle(), stop, group });
    }

    fn kill(&self, call: CallId) {
        let found = self.shared.running.lock().unwrap_or_else(PoisonError::into_inner).remove(&call);
        let Some(running) = found else { return };
        running.stop.store(true, Ordering::Relaxed);
        running.task.abort();
        let group = running.group.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(group) = group {
            tokio::spawn(async move { group.whole().end().await });
        }
    }
}

impl Session {
    fn new(log: Option<&Path>, began: SystemTime) -> Arc<Self> {
        Arc::new(Session { began, seen: Seen::default(), undo: Undo::beside(log) })
    }

    /// Whether it was under way before the log was made; a file system that does not tell when says no.
    fn precedes(&self, log: &Path) -> bool {
        // The times of files come from a clock of coarser steps.
        const STEP: Duration = Duration::from_millis(20);
        log.metadata().and_then(|meta| meta.created()).is_ok_and(|made| made + STEP >= self.began)
    }
}

impl Shared {
    /// Where `~/` leads.
    fn home(&self) -> Option<PathBuf> {
        self.env().get(std::ffi::OsStr::new("HOME")).map(PathBuf::from)
    }
}

/// One call.
struct Job {
    shared: Arc<Shared>,
    session: Arc<Session>,
    call: CallId,
    cwd: PathBuf,
}

impl Job {
    async fn run(self, name: &str, arguments: Arc<Value>, stop: Arc<AtomicBool>, slot: Slot) -> ToolOutput {
        let Some(tool) = spec::builtin(name) else {
            return ToolOutput::failed(format!("There is no tool {name:?} that runs here."));
        };
        let answer = match name {
            spec::BASH => {
                let args = Args::new(&tool, &arguments);
                bash::run(&self.shared, self.call, &args, &self.cwd, &slot).await
            }
            _ => blocking(move || self.work(&tool, &arguments, &stop)).await,
        };
        answer.unwrap_or_else(ToolOutput::failed)
    }

    /// The tools that only touch files; runs on a thread where it may block.
    fn work(&self, tool: &ToolSpec, arguments: &Value, stop: &AtomicBool) -> Result<ToolOutput, String> {
        let args = Args::new(tool, arguments);
        paths::workspace(&self.cwd)?;
        let home = self.shared.home();
        let given = match &*tool.name {
            spec::GREP => args.opt_text("path").map_err(|refusal| refusal.0)?.unwrap_or("."),
            _ => args.filled("path").map_err(|refusal| refusal.0)?,
        };
        let target = paths::target(&self.cwd, home.as_deref(), given);
        let Session { seen, undo, .. } = &*self.session;
        let books = Books { seen, undo, stop };
        let mut output = match &*tool.name {
            spec::READ => read::run(&target, &args, seen, stop),
            spec::WRITE => change::write(&target, &args, books),
            spec::EDIT => change::edit(&target, &args, books),
            spec::GREP => search::run(&self.cwd, &target, &args, stop),
            other => Err(format!("{other} does not run here.")),
        }?;
        output.instructions = instructions::on_the_way(&self.cwd, &target.real);
        Ok(output)
    }
}

/// Runs file work on a thread for it; a panic there becomes an error.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    match tokio::task::spawn_blocking(work).await {
        Ok(answer) => answer,
        Err(error) if error.is_panic() => Err(crash(&*error.into_panic())),
        Err(_) => Err("The tool was stopped before it ended.".into()),
    }
}

fn crash(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
    format!(
        "The tool failed inside ({}). This is a fault of e, not of the call.",
        text.unwrap_or("no reason given")
    )
}

/// A result without the values of loaded keys.
fn masked(mut output: ToolOutput, secrets: &Secrets) -> ToolOutput {
    let mask = |text: &Arc<str>| Arc::<str>::from(secrets.mask(text));
    output.content = mask(&output.content);
    output.excerpt = output.excerpt.as_ref().map(mask);
    output.summary = output.summary.as_ref().map(mask);
    output.display = output.display.map(|display| Display { text: mask(&display.text), ..display });
    output.instructions =
        output.instructions.iter().map(|(path, text)| (Arc::clone(path), mask(text))).collect();
    output
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::tool::Outcome;

    #[test]
    fn a_panicking_tool_is_a_failed_result() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (tx, mut rx) = tokio::sync::mpsc::unbounded_channel();
        let tools = Tools::new(Arc::default(), Secrets::default(), move |call, message| {
            tx.send((call, message)).unwrap();
            async {}
        });
        runtime.block_on(async {
            tools.spawn(CallId(1), |_, _| async { panic!("in the task") });
            tools.spawn(CallId(2), |_, _| async {
                let answer: Result<ToolOutput, String> = blocking(|| panic!("on a thread")).await;
                answer.unwrap_or_else(ToolOutput::failed)
            });
            for _ in 0..2 {
                let (call, message) = rx.recv().await.unwrap();
                let ToolMsg::Done(output) = message else { panic!("{message:?}") };
                let why = if call == CallId(1) { "in the task" } else { "on a thread" };
                assert_eq!(output.outcome, Outcome::Failed);
                assert!(output.content.contains(why), "{}", output.content);
            }
        });
    }
}
