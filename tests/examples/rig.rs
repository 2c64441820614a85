//! One extension process and the other end of its pipes.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use e::model::wire::ext::{
    Call, Incoming, Init, Manifest, Note, Reply, Request, Response, Scope, manifest, read,
};
use serde_json::Value;

/// Only a hang waits so long.
const HANG: Duration = Duration::from_secs(30);

pub fn text(s: &str) -> Arc<str> {
    s.into()
}

/// Where the examples are.
pub fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guides/extend/examples").join(name)
}

/// Whether a program is here; says that the test could not do its work when it is not.
#[allow(clippy::print_stdout, reason = "a person who runs the tests must see it")]
pub fn here(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok_and(|done| done.status.success());
    if !found {
        println!("not run: {program} is not installed");
    }
    found
}

/// A directory with an extension in it, before it is started.
pub struct Bundle {
    pub dir: tempfile::TempDir,
    entry: PathBuf,
    config: Value,
    env: Vec<(String, String)>,
}

impl Bundle {
    /// Copies of shipped files; the first is the entry point.
    pub fn shipped(files: &[&str]) -> Bundle {
        let dir = tempfile::tempdir().unwrap();
        for file in files {
            std::fs::copy(shipped(file), dir.path().join(file)).unwrap();
        }
        let entry = dir.path().join(files[0]);
        Bundle { dir, entry, config: Value::Object(Default::default()), env: Vec::new() }
    }

    /// A program written here, with the scaffold beside it.
    pub fn written(name: &str, source: &str) -> Bundle {
        let mut bundle = Bundle::shipped(&["scaffold.mjs"]);
        bundle.entry = bundle.dir.path().join(name);
        std::fs::write(&bundle.entry, source).unwrap();
        std::fs::set_permissions(&bundle.entry, PermissionsExt::from_mode(0o755)).unwrap();
        bundle
    }

    pub fn config(mut self, config: Value) -> Bundle {
        self.config = config;
        self
    }

    pub fn env(mut self, name: &str, value: &str) -> Bundle {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Started directly, without arguments, as `e` does it.
    pub fn start(self) -> Ext {
        let mut command = Command::new(&self.entry);
        command
            .current_dir(self.dir.path())
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // Another test that starts a process right now may still hold the file that was just written.
        let mut child = loop {
            match command.spawn() {
                Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {
                    std::thread::sleep(std::time::Duration::from_millis(5));
                }
                other => break other.unwrap(),
            }
        };
        let (sender, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in stdout.lines() {
                let _ = sender.send(line.unwrap());
            }
        });
        let mut stderr = child.stderr.take().unwrap();
        let complaints = std::thread::spawn(move || {
            let mut text = String::new();
            stderr.read_to_string(&mut text).unwrap();
            text
        });
        Ext {
            stdin: child.stdin.take(),
            child,
            lines,
            complaints: Some(complaints),
            said: VecDeque::new(),
            last: 0,
            bundle: self,
        }
    }

    /// Started and greeted by an `e` with a person in front of it.
    pub fn greeted(self) -> (Ext, Manifest) {
        let mut ext = self.start();
        let manifest = ext.greet(true);
        (ext, manifest)
    }
}

/// A running extension. What it says is kept until somebody wants to hear it.
pub struct Ext {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    complaints: Option<JoinHandle<String>>,
    said: VecDeque<Incoming>,
    last: u64,
    bundle: Bundle,
}

impl Ext {
    /// The same program once more, in the same directory.
    pub fn again(mut self) -> Ext {
        let dir = tempfile::tempdir().unwrap();
        let bundle = std::mem::replace(
            &mut self.bundle,
            Bundle { dir, entry: PathBuf::new(), config: Value::Null, env: Vec::new() },
        );
        bundle.start()
    }

    pub fn dir(&self) -> &Path {
        self.bundle.dir.path()
    }

    pub fn init(&self, ui: bool) -> Call {
        Call::Initialize(Init {
            ui,
            version: text("0.1.0"),
            cwd: text(self.dir().to_str().unwrap()),
            config: Arc::new(self.bundle.config.clone()),
        })
    }

    /// The handshake; the manifest must be one that `e` takes without a word.
    pub fn greet(&mut self, ui: bool) -> Manifest {
        let answer = self.ask(self.init(ui)).unwrap();
        let (manifest, notices) = manifest(&answer, &[]).unwrap();
        assert!(notices.is_empty(), "{notices:?}");
        manifest
    }

    pub fn raw(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes).unwrap();
        stdin.flush().unwrap();
    }

    fn line(&mut self, line: &str) {
        self.raw(format!("{line}\n").as_bytes());
    }

    pub fn tell(&mut self, note: Note) {
        self.line(&note.line(&Scope::ONLY));
    }

    /// Sends a request and gives its id.
    pub fn call(&mut self, call: Call) -> u64 {
        self.last += 1;
        self.line(&call.line(self.last, &Scope::ONLY));
        self.last
    }

    /// Sends a request and waits for its answer.
    pub fn ask(&mut self, call: Call) -> Result<Value, Arc<str>> {
        let id = self.call(call);
        self.answer(id)
    }

    pub fn answer(&mut self, id: u64) -> Result<Value, Arc<str>> {
        let answers = |said: &Incoming| match said {
            Incoming::Response(Response { id: answered, result }) if *answered == id => Some(result.clone()),
            _ => None,
        };
        self.wait("an answer", answers)
    }

    /// The next request it makes; it must be one that `e` knows and serves.
    pub fn request(&mut self) -> Request {
        self.wait("a request", |said| match said {
            Incoming::Request(request) => Some((**request).clone()),
            _ => None,
        })
    }

    /// The next request, of this method, answered with `{}`; its params.
    pub fn done(&mut self, method: &str) -> Value {
        let request = self.request();
        assert_eq!(&*request.method, method, "{request:?}");
        self.reply(&request, Reply::Done);
        (*request.params).clone()
    }

    pub fn reply(&mut self, request: &Request, reply: Reply) {
        self.line(&reply.line(&request.id));
    }

    /// The first thing said that `want` takes; what was said before it stays for others.
    pub fn wait<T>(&mut self, what: &str, want: impl Fn(&Incoming) -> Option<T>) -> T {
        if let Some((at, got)) = self.said.iter().enumerate().find_map(|(at, said)| Some((at, want(said)?))) {
            self.said.remove(at);
            return got;
        }
        loop {
            let line = self.lines.recv_timeout(HANG).unwrap_or_else(|_| {
                let _ = self.child.kill();
                let complaints = self.complaints.take().map(|thread| thread.join().unwrap());
                panic!("waited for {what}; said: {:?}; stderr: {complaints:?}", self.said)
            });
            let said = read(&line);
            assert!(!matches!(said, Incoming::Ignored(_)), "stray output: {line}");
            match want(&said) {
                Some(got) => return got,
                None => self.said.push_back(said),
            }
        }
    }

    /// What was said and not heard yet, once everything sent so far has been dealt with.
    pub fn settled(&mut self) -> Vec<Incoming> {
        self.ask(self.init(true)).unwrap();
        self.said.drain(..).collect()
    }

    /// Ends as `e` ends it; the status must be 0 and stderr empty.
    pub fn shutdown(mut self) {
        self.tell(Note::Shutdown);
        assert_eq!(self.ended(), "");
    }

    /// The status must be 0; gives what went to stderr.
    pub fn ended(&mut self) -> String {
        let began = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if began.elapsed() > HANG {
                let _ = self.child.kill();
                panic!("it does not end");
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        let complaints = self.complaints.take().unwrap().join().unwrap();
        assert_eq!(status.code(), Some(0), "{complaints}");
        complaints
    }

    /// `e` is gone: the pipe ends.
    pub fn abandoned(mut self) {
        self.stdin = None;
        assert_eq!(self.ended(), "");
    }
}

impl Drop for Ext {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
