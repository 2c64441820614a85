//! The terminal's modes: switched on at the start, and switched off by one function whatever the way out. It may be
//! called from anywhere and any number of times.

use super::escape;
use crate::model::term::{Caps, Size};
use rustix::termios::{self, OptionalActions, SpecialCodeIndex, Termios};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::time::{Duration, Instant};

/// The terminal's two ends: what is typed, and what is shown.
#[derive(Debug)]
pub struct Tty {
    input: File,
    output: File,
}

impl Tty {
    /// A terminal given by its two ends.
    pub fn new(input: File, output: File) -> Tty {
        Tty { input, output }
    }

    /// The terminal on stdin and stdout; the controlling terminal in place of one that is redirected.
    pub fn open() -> io::Result<Tty> {
        let open = || File::options().read(true).write(true).open("/dev/tty");
        let own = |fd: BorrowedFd<'_>| {
            if termios::isatty(fd) { fd.try_clone_to_owned().map(File::from) } else { open() }
        };
        Ok(Tty { input: own(io::stdin().as_fd())?, output: own(io::stdout().as_fd())? })
    }

    /// The size in cells; 80 by 24 where the terminal does not say.
    pub fn size(&self) -> Size {
        match termios::tcgetwinsize(&self.output) {
            Ok(size) => Size::new(size.ws_col, size.ws_row),
            Err(_) => Size::new(80, 24),
        }
    }

    /// What keys are read from.
    pub fn input(&self) -> &File {
        &self.input
    }

    /// A writer of its own to the terminal.
    pub fn writer(&self) -> io::Result<File> {
        self.output.try_clone()
    }

    /// The same terminal once more.
    pub fn try_clone(&self) -> io::Result<Tty> {
        Ok(Tty { input: self.input.try_clone()?, output: self.output.try_clone()? })
    }

    /// Whether the Backspace key sends ^H here.
    pub fn erases_with_ctrl_h(&self) -> bool {
        termios::tcgetattr(&self.input).is_ok_and(|attr| attr.special_codes[SpecialCodeIndex::VERASE] == 0x08)
    }
}

/// What is switched on beyond the modes that hold from start to end. The screen writes it, the guard reads it.
#[derive(Debug, Default)]
pub struct Modes {
    alternate: AtomicBool,
    mouse: AtomicBool,
    /// Line feeds from the cursor to the first row below the live part.
    below: AtomicU16,
    /// Questions were put to the terminal that it has not answered.
    asked: AtomicBool,
}

impl Modes {
    pub(super) fn set_screen(&self, alternate: bool, mouse: bool) {
        self.alternate.store(alternate, Ordering::SeqCst);
        self.mouse.store(alternate && mouse, Ordering::SeqCst);
    }

    pub(super) fn set_below(&self, rows: usize) {
        self.below.store(u16::try_from(rows).unwrap_or(u16::MAX), Ordering::SeqCst);
    }

    pub(super) fn set_asked(&self, asked: bool) {
        self.asked.store(asked, Ordering::SeqCst);
    }
}

/// The terminal in raw mode, with what `e` needs switched on. Clones share one state; the last one to go restores.
#[derive(Debug, Clone)]
pub struct Guard(Arc<Held>);

#[derive(Debug)]
struct Held {
    tty: Tty,
    original: Termios,
    caps: Caps,
    modes: Arc<Modes>,
    active: AtomicBool,
}

impl Guard {
    /// Switches the modes on and asks the terminal about itself; the answers come with the keys, whenever they come.
    pub fn enter(tty: &Tty, caps: Caps, modes: Arc<Modes>) -> io::Result<Guard> {
        let tty = tty.try_clone()?;
        let original = termios::tcgetattr(&tty.input)?;
        let guard = Guard(Arc::new(Held { tty, original, caps, modes, active: AtomicBool::new(false) }));
        guard.resume()?;
        if caps.osc {
            guard.0.modes.set_asked(true);
            guard.0.write(QUESTIONS)?;
        }
        Ok(guard)
    }

    /// Switches everything on again after [`Guard::restore`].
    pub fn resume(&self) -> io::Result<()> {
        let held = &self.0;
        if held.active.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        let mut raw = held.original.clone();
        raw.make_raw();
        raw.special_codes[SpecialCodeIndex::VMIN] = 1;
        raw.special_codes[SpecialCodeIndex::VTIME] = 0;
        termios::tcsetattr(&held.tty.input, OptionalActions::Now, &raw)?;
        held.write(&switch_on(held.caps))
    }

    /// Leaves the terminal as it was, the cursor on a row of its own below what was written. Does nothing when that is
    /// done already. Park or finish the screen first where there is time for it.
    pub fn restore(&self) {
        self.0.restore();
    }

    /// Stops the process as ctrl+z at a shell would, and returns when it is continued, with everything switched on
    /// again. Ask for the size anew then.
    pub fn suspend(&self) -> io::Result<()> {
        let continued = Arc::new(AtomicBool::new(false));
        let id = signal_hook::flag::register(signal_hook::consts::SIGCONT, Arc::clone(&continued))?;
        self.restore();
        let stopped = rustix::process::kill_current_process_group(rustix::process::Signal::TSTP);
        // The signal may reach another thread first. Without job control it is dropped, and nothing ever continues.
        let since = Instant::now();
        while stopped.is_ok()
            && !continued.load(Ordering::SeqCst)
            && since.elapsed() < Duration::from_millis(500)
        {
            std::thread::sleep(Duration::from_millis(2));
        }
        signal_hook::low_level::unregister(id);
        self.resume()
    }

    /// Gives the terminal to another program for as long as `borrow` runs.
    pub fn lend<T>(&self, borrow: impl FnOnce() -> T) -> io::Result<T> {
        self.restore();
        let result = borrow();
        self.resume()?;
        Ok(result)
    }
}

impl Held {
    fn write(&self, bytes: &str) -> io::Result<()> {
        let mut output = &self.tty.output;
        output.write_all(bytes.as_bytes())?;
        output.flush()
    }

    fn restore(&self) {
        if !self.active.swap(false, Ordering::SeqCst) {
            return;
        }
        // Nothing can be done about a terminal that is gone, and the rest must be tried all the same.
        let _ = self.write(&switch_off(self.caps, &self.modes));
        // An answer that is still on its way must not be typed at the shell's prompt.
        let how = if self.modes.asked.load(Ordering::SeqCst) {
            OptionalActions::Flush
        } else {
            OptionalActions::Drain
        };
        let _ = termios::tcsetattr(&self.tty.input, how, &self.original);
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.restore();
    }
}

/// The background colour and the name; the attributes come last, because every terminal answers those.
const QUESTIONS: &str = "\x1b]11;?\x1b\\\x1b[>q\x1b[c";

/// What is written when the modes go on.
pub fn switch_on(caps: Caps) -> String {
    let mut bytes = String::new();
    if caps.dumb {
        return bytes;
    }
    if caps.osc {
        bytes.push_str("\x1b[22;2t");
    }
    bytes.push_str("\x1b[?2004h\x1b[?2031h");
    if caps.modify_other_keys {
        bytes.push_str("\x1b[>4;1m");
    }
    if caps.kitty_keys {
        bytes.push_str(escape::KITTY_PUSH);
    }
    bytes
}

/// What is written when they go off, from any state in the middle of any frame; marks nothing as done.
pub fn switch_off(caps: Caps, modes: &Modes) -> String {
    let mut bytes = String::new();
    if caps.dumb {
        return bytes;
    }
    bytes.push_str("\x1b[0m");
    if modes.mouse.load(Ordering::SeqCst) {
        bytes.push_str(escape::MOUSE_OFF);
    }
    if modes.alternate.load(Ordering::SeqCst) {
        if caps.kitty_keys {
            bytes.push_str(escape::KITTY_POP);
        }
        bytes.push_str(escape::ALTERNATE_OFF);
    }
    bytes.push_str(escape::WRAP_ON);
    let below = modes.below.load(Ordering::SeqCst);
    if below > 0 {
        bytes.push('\r');
        bytes.push_str(&"\n".repeat(usize::from(below)));
    }
    if caps.kitty_keys {
        bytes.push_str(escape::KITTY_POP);
    }
    if caps.modify_other_keys {
        bytes.push_str("\x1b[>4m");
    }
    bytes.push_str("\x1b[?2031l\x1b[?2004l");
    if caps.osc {
        bytes.push_str("\x1b[23;2t");
    }
    bytes.push_str(escape::CURSOR_SHOW);
    if caps.synchronized {
        bytes.push_str(escape::SYNC_OFF);
    }
    bytes
}
