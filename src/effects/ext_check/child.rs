//! The process under test: three pipes, a thread for each, and everything it says as events in order.

use std::collections::{BTreeMap, VecDeque};
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use crate::effects::home::said;
use crate::model::text::clean::Clean;
use crate::model::wire::ext::{Frame, Framer, Incoming, read_frame};

/// What is started, and where: directly, without a shell and without arguments.
#[derive(Debug)]
pub struct Recipe {
    pub path: PathBuf,
    pub cwd: PathBuf,
    pub env: BTreeMap<String, String>,
}

/// Something heard.
#[derive(Debug)]
pub enum Event {
    /// A line of stdout, read as the real host reads it, and as it came.
    Line(Incoming, Arc<str>),
    /// A line of stderr that is not blank.
    Err(String),
    OutEnd,
    ErrEnd,
}

#[derive(Debug)]
pub struct Child {
    process: std::process::Child,
    /// The process and what it starts are a group of their own.
    group: Option<Pid>,
    /// Gone when stdin was closed.
    input: Option<Sender<String>>,
    /// A write to its stdin failed.
    deaf: Arc<AtomicBool>,
    events: Receiver<Event>,
    pub out_ended: bool,
    pub err_ended: bool,
    /// The last lines of stderr.
    pub complaints: VecDeque<String>,
}

/// Events that may wait; a child that says more is not read on until they are taken.
const QUEUE: usize = 1024;
/// Lines of stderr that are remembered.
const COMPLAINTS: usize = 5;

impl Child {
    pub fn spawn(recipe: &Recipe) -> Result<Child, String> {
        let mut command = Command::new(&recipe.path);
        command
            .current_dir(&recipe.cwd)
            .env_clear()
            .envs(&recipe.env)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        // One that is being written at this moment is tried again, as the host does.
        let mut spawned = command.spawn();
        for _ in 0..10 {
            if !spawned.as_ref().is_err_and(|error| error.kind() == std::io::ErrorKind::ExecutableFileBusy) {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
            spawned = command.spawn();
        }
        let mut process = spawned.map_err(|error| why_not(&recipe.path, &error))?;
        let (events, receiver) = sync_channel(QUEUE);
        let (input, lines) = channel::<String>();
        let deaf = Arc::new(AtomicBool::new(false));
        if let Some(mut stdin) = process.stdin.take() {
            let deaf = deaf.clone();
            std::thread::spawn(move || {
                for line in lines {
                    if stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                        deaf.store(true, Ordering::Relaxed);
                        break;
                    }
                }
            });
        }
        if let Some(stdout) = process.stdout.take() {
            let events = events.clone();
            std::thread::spawn(move || pump(stdout, &events, Event::OutEnd, heard));
        }
        if let Some(stderr) = process.stderr.take() {
            std::thread::spawn(move || pump(stderr, &events, Event::ErrEnd, complained));
        }
        Ok(Child {
            group: i32::try_from(process.id()).ok().and_then(Pid::from_raw),
            process,
            input: Some(input),
            deaf,
            events: receiver,
            out_ended: false,
            err_ended: false,
            complaints: VecDeque::new(),
        })
    }

    /// Queues a line for its stdin, without waiting.
    pub fn send(&self, line: &str) {
        if let Some(input) = &self.input {
            let _gone = input.send(format!("{line}\n"));
        }
    }

    /// Ends its stdin behind what is queued.
    pub fn close(&mut self) {
        self.input = None;
    }

    /// The next thing it says, within that time.
    pub fn next(&mut self, wait: Duration) -> Option<Event> {
        let event = match self.events.recv_timeout(wait) {
            Ok(event) => event,
            Err(RecvTimeoutError::Timeout) => return None,
            Err(RecvTimeoutError::Disconnected) => {
                std::thread::sleep(wait);
                return None;
            }
        };
        match &event {
            Event::OutEnd => self.out_ended = true,
            Event::ErrEnd => self.err_ended = true,
            Event::Err(line) => {
                self.complaints.push_back(line.clone());
                if self.complaints.len() > COMPLAINTS {
                    self.complaints.pop_front();
                }
            }
            Event::Line(..) => {}
        }
        Some(event)
    }

    /// How it ended, once it has. It is not reaped yet: until then its number, and its group's, is nobody else's.
    pub fn ended(&self) -> Option<String> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        let status = waitid(WaitId::Pid(self.group?), options).ok()??;
        Some(match (status.exit_status(), status.terminating_signal()) {
            (Some(status), _) => format!("it exited with status {status}"),
            (None, Some(signal)) => format!("it was ended by signal {signal}"),
            _ => "it ended".to_owned(),
        })
    }

    /// It closed its stdin: nobody can talk to it.
    pub fn deaf(&self) -> bool {
        self.deaf.load(Ordering::Relaxed)
    }

    /// What is known about its end, with its last words on stderr.
    pub fn last_words(&mut self) -> String {
        // Its end and its last words follow the end of stdout within moments.
        let patience = Instant::now() + Duration::from_millis(300);
        while (self.ended().is_none() || !self.err_ended) && Instant::now() < patience {
            self.next(Duration::from_millis(2));
        }
        let closed = if self.out_ended { "it closed its stdout" } else { "it closed its stdin" };
        let mut words = self.ended().unwrap_or_else(|| closed.to_owned());
        if let Some(line) = self.complaints.back() {
            words += &format!("; the last line on its stderr: {line}");
        }
        words
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if let Some(group) = self.group {
            let _gone = kill_process_group(group, Signal::KILL);
        }
        let _gone = self.process.kill();
        let _reaped = self.process.wait();
    }
}

fn pump(mut pipe: impl Read, events: &SyncSender<Event>, end: Event, event: fn(&Frame) -> Option<Event>) {
    let mut framer = Framer::default();
    let mut piece = vec![0; 64 * 1024];
    loop {
        let read = match pipe.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        let mut rest = piece.get(..read).unwrap_or_default();
        while let Some((frame, behind)) = framer.push(rest) {
            rest = behind;
            if event(&frame).is_some_and(|event| events.send(event).is_err()) {
                return;
            }
        }
    }
    let last = framer.finish().and_then(|frame| event(&frame));
    for event in last.into_iter().chain([end]) {
        if events.send(event).is_err() {
            return;
        }
    }
}

fn bytes(frame: &Frame) -> &[u8] {
    match frame {
        Frame::Line(line) | Frame::Overlong(line) => line,
    }
}

fn heard(frame: &Frame) -> Option<Event> {
    Some(Event::Line(read_frame(frame), String::from_utf8_lossy(bytes(frame)).into()))
}

fn complained(frame: &Frame) -> Option<Event> {
    let text = String::from_utf8_lossy(bytes(frame));
    let line = Clean::collapsed(&text);
    (!line.is_empty()).then(|| Event::Err(line.as_str().to_owned()))
}

/// Why a file cannot be executed, and what to do.
fn why_not(path: &Path, error: &std::io::Error) -> String {
    let interpreter = std::fs::read(path).ok().and_then(|bytes| {
        let line = bytes.strip_prefix(b"#!")?.split(|b| *b == b'\n').next()?.to_owned();
        Some(String::from_utf8_lossy(&line).trim().to_owned())
    });
    match (error.kind(), interpreter) {
        (std::io::ErrorKind::NotFound, Some(line)) => {
            format!("its interpreter {line:?} is not there: install it, or mend the first line")
        }
        (_, None) => {
            format!("it cannot be executed: {}; a script needs a first line like #!/bin/sh", said(error))
        }
        _ => format!("it cannot be executed: {}", said(error)),
    }
}
