//! Tests of the tools: their pure parts by property, their work with real files, processes and git.

mod args;
mod bash;
mod edit;
mod edit_files;
mod limit;
mod order;
mod output;
mod read;
mod search;
mod secrets;
mod spec;
mod undo;
mod write;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use e::effects::secrets::Secrets;
use e::effects::tool::Tools;
use e::model::id::{CallId, SessionId};
use e::model::tool::{ToolFx, ToolMsg, ToolOutput};
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio::sync::mpsc;

/// The session that the calls belong to.
pub const SESSION: SessionId = SessionId(1);

/// A scratch workspace and an executor on a runtime of one thread, as the program has it.
pub struct Rig {
    pub rt: Runtime,
    pub tools: Tools,
    pub secrets: Secrets,
    messages: mpsc::Receiver<(CallId, ToolMsg)>,
    /// Live output of the calls so far.
    pub live: String,
    last: u64,
    /// Kept for its end: it removes the folder.
    _scratch: tempfile::TempDir,
    pub cwd: PathBuf,
    pub home: PathBuf,
}

impl Rig {
    pub fn new() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        let (cwd, home) = (root.join("work"), root.join("home"));
        std::fs::create_dir_all(&cwd).unwrap();
        std::fs::create_dir_all(&home).unwrap();
        let rt = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let mut env: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
        env.insert("HOME".into(), home.clone().into());
        env.insert("EDITOR".into(), "vi".into());
        for (name, value) in [("GIT_AUTHOR", "t"), ("GIT_COMMITTER", "t")] {
            env.insert(format!("{name}_NAME").into(), value.into());
            env.insert(format!("{name}_EMAIL").into(), "t@example.org".into());
        }
        let secrets = Secrets::default();
        let (tx, messages) = mpsc::channel(8);
        let tools = Tools::new(Arc::new(env), secrets.clone(), move |call, message| {
            let tx = tx.clone();
            async move {
                let _ = tx.send((call, message)).await;
            }
        });
        Rig { rt, tools, secrets, messages, live: String::new(), last: 0, _scratch: scratch, cwd, home }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.cwd.join(name)
    }

    pub fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    pub fn start(&mut self, name: &str, arguments: Value) -> CallId {
        self.last += 1;
        let call = CallId(self.last);
        let cwd: Arc<str> = self.cwd.to_str().unwrap().into();
        let fx =
            ToolFx::Run { session: SESSION, call, name: name.into(), arguments: Arc::new(arguments), cwd };
        self.handle(fx);
        call
    }

    pub fn handle(&mut self, fx: ToolFx) {
        let _inside = self.rt.enter();
        self.tools.handle(fx);
    }

    /// Waits for the end of a call; the messages of others are dropped.
    pub fn wait(&mut self, call: CallId) -> ToolOutput {
        self.wait_at_most(call, Duration::from_secs(60)).expect("the call did not end")
    }

    pub fn wait_at_most(&mut self, call: CallId, most: Duration) -> Option<ToolOutput> {
        let Rig { rt, messages, live, .. } = self;
        rt.block_on(async {
            tokio::time::timeout(most, async {
                loop {
                    match messages.recv().await.unwrap() {
                        (id, ToolMsg::Done(output)) if id == call => return *output,
                        (_, ToolMsg::Output { chunk, .. }) => live.push_str(&chunk),
                        _ => {}
                    }
                }
            })
            .await
            .ok()
        })
    }

    pub fn message(&mut self) -> (CallId, ToolMsg) {
        self.rt.block_on(self.messages.recv()).unwrap()
    }

    pub fn call(&mut self, name: &str, arguments: Value) -> ToolOutput {
        let call = self.start(name, arguments);
        self.wait(call)
    }

    /// Runs a command that is expected to end by itself.
    pub fn bash(&mut self, command: &str) -> ToolOutput {
        self.call("bash", serde_json::json!({"command": command}))
    }

    /// Opens a session that is saved beside the workspace.
    pub fn session(&mut self, log: &str) -> PathBuf {
        let log = self.home.join(log);
        let cwd: Arc<str> = self.cwd.to_str().unwrap().into();
        self.handle(ToolFx::Session { session: SESSION, log: Some(log.to_str().unwrap().into()), cwd });
        log
    }

    pub fn undo(&mut self) -> ToolOutput {
        self.last += 1;
        let call = CallId(self.last);
        let cwd: Arc<str> = self.cwd.to_str().unwrap().into();
        self.handle(ToolFx::Undo { session: SESSION, call, cwd });
        self.wait(call)
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        self.rt.block_on(self.tools.shutdown());
    }
}

/// Says that a test could not do its work here.
#[allow(clippy::print_stdout, reason = "a person who runs the tests must see it")]
pub fn not_run(why: &str) {
    println!("not run: {why}");
}

/// Files under a folder, hidden ones too.
pub fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// The processes with this word among their arguments.
fn with_argument(word: &str) -> Vec<i32> {
    let ids = std::fs::read_dir("/proc").unwrap().flatten();
    ids.filter(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        line.split(|b| *b == 0).any(|arg| arg == word.as_bytes())
    })
    .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
    .collect()
}

/// Whether a process with this word among its arguments runs.
pub fn runs(word: &str) -> bool {
    !with_argument(word).is_empty()
}

/// Ends what a test had started and the tools rightly left alone.
pub fn end(word: &str) {
    for id in with_argument(word) {
        let id = rustix::process::Pid::from_raw(id).unwrap();
        rustix::process::kill_process(id, rustix::process::Signal::KILL).unwrap();
    }
    assert!(soon(|| !runs(word)));
}

/// Waits until a condition holds; false when it does not within ten seconds.
pub fn soon(condition: impl Fn() -> bool) -> bool {
    for _ in 0..500 {
        if condition() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    condition()
}
