//! The program on a pseudo-terminal: spawned with a size, variables and a folder, fed bytes, watched on a rebuilt
//! screen until something is true. Every byte it wrote is kept. Answers to its questions are chosen by the test.

#![allow(dead_code, reason = "a harness for every area; no single one uses all of it")]

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{Child, ExitStatus};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// How long a predicate may take to become true before the test fails. Nothing is ever asserted to be fast.
const PATIENCE: Duration = Duration::from_secs(20);
/// Rows of scrollback kept.
const SCROLLBACK: usize = 10_000;

/// What the terminal answers when it is asked. By default nothing but its attributes, as the plainest would.
#[derive(Clone, Debug)]
pub struct Answers {
    /// `ESC [ 6 n`: the cursor's place.
    pub cursor: bool,
    /// `ESC [ c`: its attributes.
    pub attributes: bool,
    /// OSC 11: its background.
    pub background: Option<(u8, u8, u8)>,
    /// `ESC [ ? u`: the flags of kitty's keyboard protocol.
    pub kitty_flags: Option<u8>,
    /// `ESC [ > q`: its name.
    pub name: Option<String>,
}

impl Default for Answers {
    fn default() -> Answers {
        Answers { cursor: true, attributes: true, background: None, kitty_flags: None, name: None }
    }
}

/// How to start the program.
#[derive(Clone, Debug)]
pub struct Spawn {
    pub cols: u16,
    pub rows: u16,
    pub args: Vec<String>,
    /// Beside `PATH` and `TERM=xterm-256color`; a later entry wins.
    pub env: Vec<(String, String)>,
    pub cwd: PathBuf,
    pub answers: Answers,
    pub program: PathBuf,
}

impl Spawn {
    /// `e` at 80 by 24 in a folder.
    pub fn new(cwd: impl Into<PathBuf>) -> Spawn {
        Spawn {
            cols: 80,
            rows: 24,
            args: Vec::new(),
            env: Vec::new(),
            cwd: cwd.into(),
            answers: Answers::default(),
            program: env!("CARGO_BIN_EXE_e").into(),
        }
    }

    pub fn size(mut self, cols: u16, rows: u16) -> Spawn {
        (self.cols, self.rows) = (cols, rows);
        self
    }

    pub fn arg(mut self, arg: impl Into<String>) -> Spawn {
        self.args.push(arg.into());
        self
    }

    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Spawn {
        self.env.push((name.into(), value.into()));
        self
    }

    pub fn answers(mut self, answers: Answers) -> Spawn {
        self.answers = answers;
        self
    }

    /// Another program than `e`.
    pub fn program(mut self, program: impl Into<PathBuf>) -> Spawn {
        self.program = program.into();
        self
    }

    pub fn start(self) -> Pty {
        Pty::start(self)
    }
}

struct Screen {
    parser: vt100::Parser,
    raw: Vec<u8>,
    /// Bytes of a question that may go on in the next read.
    unanswered: Vec<u8>,
    closed: bool,
}

struct Shared {
    screen: Mutex<Screen>,
    changed: Condvar,
}

impl Shared {
    fn screen(&self) -> MutexGuard<'_, Screen> {
        self.screen.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// A running program and its screen. Dropping it kills the program.
pub struct Pty {
    child: Child,
    master: Arc<pty_process::blocking::Pty>,
    shared: Arc<Shared>,
}

impl Pty {
    fn start(spawn: Spawn) -> Pty {
        let (master, slave) = pty_process::blocking::open().unwrap();
        master.resize(pty_process::Size::new(spawn.rows, spawn.cols)).unwrap();
        let mut command = pty_process::blocking::Command::new(&spawn.program)
            .args(&spawn.args)
            .env_clear()
            .env("PATH", std::env::var("PATH").unwrap_or_default())
            .env("TERM", "xterm-256color")
            .current_dir(&spawn.cwd);
        for (name, value) in &spawn.env {
            command = command.env(name, value);
        }
        let child = command.spawn(slave).unwrap();
        let parser = vt100::Parser::new(nonzero(spawn.rows), nonzero(spawn.cols), SCROLLBACK);
        let shared = Arc::new(Shared {
            screen: Mutex::new(Screen { parser, raw: Vec::new(), unanswered: Vec::new(), closed: false }),
            changed: Condvar::new(),
        });
        let master = Arc::new(master);
        let (pump, seen) = (Arc::clone(&master), Arc::clone(&shared));
        std::thread::spawn(move || read_on(&pump, &seen, &spawn.answers));
        Pty { child, master, shared }
    }

    /// Types bytes, in one write where the pseudo-terminal takes them.
    pub fn send(&self, bytes: impl AsRef<[u8]>) {
        (&*self.master).write_all(bytes.as_ref()).unwrap();
    }

    /// Drags the window to another size. The emulator knows no mode without wrapping, so it must never be narrower than
    /// a frame that is on its way: a narrower one waits a moment until the program has heard of it.
    pub fn resize(&self, cols: u16, rows: u16) {
        let narrower = cols < self.screen().size().1.get();
        let terminal = || self.shared.screen().parser.set_size(nonzero(rows), nonzero(cols));
        if !narrower {
            terminal();
        }
        self.master.resize(pty_process::Size::new(rows, cols)).unwrap();
        if narrower {
            std::thread::sleep(Duration::from_millis(15));
            terminal();
        }
    }

    /// Waits until the screen fulfils something; fails with the screen's contents when it never does.
    #[track_caller]
    pub fn wait_until(&self, what: &str, fulfilled: impl Fn(&vt100::Screen) -> bool) {
        self.wait(what, |screen| fulfilled(screen.parser.screen()));
    }

    /// Waits until a text stands on the screen.
    #[track_caller]
    pub fn wait_for(&self, text: &str) {
        self.wait_until(&format!("{text:?} on the screen"), |screen| screen.contents().contains(text));
    }

    /// Waits until a text is gone from the screen.
    #[track_caller]
    pub fn wait_gone(&self, text: &str) {
        self.wait_until(&format!("no {text:?} on the screen"), |screen| !screen.contents().contains(text));
    }

    /// Waits until some bytes were written.
    #[track_caller]
    pub fn wait_raw(&self, bytes: &str) {
        self.wait(&format!("{bytes:?} written"), |screen| {
            screen.raw.windows(bytes.len()).any(|window| window == bytes.as_bytes())
        });
    }

    /// Waits until nothing has been written for a while.
    pub fn settle(&self, quiet: Duration) {
        let mut length = self.shared.screen().raw.len();
        loop {
            std::thread::sleep(quiet);
            let now = self.shared.screen().raw.len();
            if now == length {
                return;
            }
            length = now;
        }
    }

    #[track_caller]
    fn wait(&self, what: &str, fulfilled: impl Fn(&Screen) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        let mut screen = self.shared.screen();
        while !fulfilled(&screen) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || screen.closed {
                let ended = if screen.closed { " (the program has ended)" } else { "" };
                panic!(
                    "never came{ended}: {what}\n--- screen ---\n{}\n---",
                    screen.parser.screen().contents()
                );
            }
            screen = self.shared.changed.wait_timeout(screen, left).unwrap().0;
        }
    }

    /// The screen now.
    pub fn screen(&self) -> vt100::Screen {
        self.shared.screen().parser.screen().clone()
    }

    /// The screen's text now, one line a row.
    pub fn text(&self) -> String {
        self.screen().contents()
    }

    /// The scrollback and the screen, oldest row first, without trailing blanks.
    pub fn history(&self) -> Vec<String> {
        all_rows(&self.screen())
    }

    /// Everything written so far.
    pub fn raw(&self) -> Vec<u8> {
        self.shared.screen().raw.clone()
    }

    /// How many bytes were written so far: a mark for [`Pty::raw_since`].
    pub fn mark(&self) -> usize {
        self.shared.screen().raw.len()
    }

    /// What was written since a mark.
    pub fn raw_since(&self, mark: usize) -> Vec<u8> {
        self.shared.screen().raw[mark..].to_vec()
    }

    /// The program's process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends the program a signal by its number.
    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_raw(self.child.id().try_into().unwrap()).unwrap();
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// Waits until the program has ended and all it wrote was read.
    #[track_caller]
    pub fn wait_exit(&mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                let mut screen = self.shared.screen();
                while !screen.closed {
                    screen = self.shared.changed.wait_timeout(screen, Duration::from_secs(1)).unwrap().0;
                    if Instant::now() > deadline {
                        break;
                    }
                }
                return status;
            }
            assert!(Instant::now() < deadline, "never ended\n--- screen ---\n{}\n---", self.text());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The terminal's modes as the kernel has them.
    pub fn termios(&self) -> rustix::termios::Termios {
        rustix::termios::tcgetattr(&*self.master).unwrap()
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn nonzero(n: u16) -> NonZeroU16 {
    NonZeroU16::new(n).unwrap_or(NonZeroU16::MIN)
}

/// Reads until the other end is closed, rebuilds the screen and answers questions.
fn read_on(master: &pty_process::blocking::Pty, shared: &Shared, answers: &Answers) {
    let mut bytes = [0; 8192];
    loop {
        // Linux gives EIO once the last writer has closed.
        let count = match (&*master).read(&mut bytes) {
            Ok(0) | Err(_) => break,
            Ok(count) => count,
        };
        let mut screen = shared.screen();
        screen.raw.extend_from_slice(&bytes[..count]);
        screen.unanswered.extend_from_slice(&bytes[..count]);
        screen.parser.process(&bytes[..count]);
        let reply = reply(&mut screen, answers);
        drop(screen);
        shared.changed.notify_all();
        if !reply.is_empty() && (&*master).write_all(reply.as_bytes()).is_err() {
            break;
        }
    }
    shared.screen().closed = true;
    shared.changed.notify_all();
}

/// The answers to the questions in the bytes since the last one, in their order.
fn reply(screen: &mut Screen, answers: &Answers) -> String {
    const QUESTIONS: [&str; 6] =
        ["\x1b[6n", "\x1b[c", "\x1b]11;?\x1b\\", "\x1b]11;?\x07", "\x1b[?u", "\x1b[>q"];
    let mut reply = String::new();
    loop {
        let text = &screen.unanswered;
        let find =
            |question: &str| text.windows(question.len()).position(|window| window == question.as_bytes());
        let Some((at, question)) = QUESTIONS
            .iter()
            .filter_map(|question| Some((find(question)?, *question)))
            .min_by_key(|(at, _)| *at)
        else {
            let keep = text.len().saturating_sub(8);
            screen.unanswered.drain(..keep);
            return reply;
        };
        let (row, col) = screen.parser.screen().cursor_position();
        let answer = match question {
            "\x1b[6n" => answers.cursor.then(|| format!("\x1b[{};{}R", row + 1, col + 1)),
            "\x1b[c" => answers.attributes.then(|| "\x1b[?62;4c".to_owned()),
            "\x1b[?u" => answers.kitty_flags.map(|flags| format!("\x1b[?{flags}u")),
            "\x1b[>q" => answers.name.as_ref().map(|name| format!("\x1bP>|{name}\x1b\\")),
            _ => answers
                .background
                .map(|(r, g, b)| format!("\x1b]11;rgb:{r:02x}{r:02x}/{g:02x}{g:02x}/{b:02x}{b:02x}\x1b\\")),
        };
        reply.push_str(&answer.unwrap_or_default());
        screen.unanswered.drain(..at + question.len());
    }
}

/// The scrollback and the screen of an emulator, oldest row first, without trailing blanks and blank last rows.
pub fn all_rows(screen: &vt100::Screen) -> Vec<String> {
    let mut screen = screen.clone();
    let width = screen.size().1.get();
    let mut rows = Vec::new();
    for offset in (1..=screen.scrollback_len()).rev() {
        screen.set_scrollback(offset);
        rows.extend(screen.rows(0, width).next());
    }
    screen.set_scrollback(0);
    rows.extend(screen.rows(0, width));
    let mut rows: Vec<String> = rows.into_iter().map(|row| row.trim_end().to_owned()).collect();
    while rows.last().is_some_and(String::is_empty) {
        rows.pop();
    }
    rows
}

/// Both ends of a pseudo-terminal without a program: the terminal's side, and the program's.
pub fn pair(cols: u16, rows: u16) -> (pty_process::blocking::Pty, std::fs::File) {
    let (master, slave) = pty_process::blocking::open().unwrap();
    master.resize(pty_process::Size::new(rows, cols)).unwrap();
    let slave: OwnedFd = std::os::fd::AsFd::as_fd(&slave).try_clone_to_owned().unwrap();
    (master, slave.into())
}
