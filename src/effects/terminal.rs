//! The terminal as the loop holds it: the guard, the reading thread and the screen, and what the core asks of them.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::files::clipboard;
use super::post::Post;
use super::term::guard::{Guard, Tty};
use super::term::input::Reply;
use super::term::reader::{Reader, TtyEvent};
use super::term::screen::{Frame, Rows, Screen, ScreenMode};
use crate::model::Model;
use crate::model::id::BlockId;
use crate::model::msg::Msg;
use crate::model::term::{Caps, Copied, Multiplexer, Size, TermMsg};

/// Makes cells of the model. The shell is given one; it never knows how things look.
pub trait Painter {
    /// The live rows inline, the whole screen otherwise, and where the cursor stands in them.
    fn frame(&mut self, model: &Model) -> (Rows, Option<(u16, u16)>);
    /// A finished block's rows on their way to the scrollback, handed over in pieces.
    fn block(&mut self, model: &Model, block: BlockId, cols: u16, piece: &mut dyn FnMut(&mut Self, Rows))
    where
        Self: Sized;
}

/// Rows that wait for a frame before they are written without one.
const HISTORY: usize = 256;

/// tmux gives its screen a new size at once and tells of it a quarter of a second later when it told of another just
/// before. Until this long after the last, what is drawn may be drawn for a screen that is no more.
const LATE: Duration = Duration::from_millis(300);

/// What `Terminal` tells the loop through the sink it was opened with.
pub type Sink = Box<dyn FnMut(TtyEvent) -> bool + Send>;

pub struct Terminal {
    tty: Tty,
    guard: Guard,
    reader: Reader,
    screen: Screen<std::fs::File>,
    history: Vec<Rows>,
    /// Rows in `history`.
    waiting: usize,
    caps: Caps,
    /// Another program has the terminal: nothing is drawn.
    lent: bool,
    /// Nothing is drawn inline until then.
    held: Option<Instant>,
}

impl std::fmt::Debug for Terminal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Terminal").field("caps", &self.caps).field("lent", &self.lent).finish_non_exhaustive()
    }
}

impl Terminal {
    /// Takes the terminal: raw mode, modes on, keys read. The first frame is the caller's next step.
    pub fn open(tty: Tty, caps: Caps, fullscreen: bool, sink: Sink) -> io::Result<Self> {
        let mode = match (caps.dumb, fullscreen) {
            (true, _) => ScreenMode::Plain,
            (false, true) => ScreenMode::Alternate,
            (false, false) => ScreenMode::Inline,
        };
        let screen = Screen::new(tty.writer()?, caps, mode, tty.size());
        let guard = Guard::enter(&tty, caps, screen.modes())?;
        let reader = Reader::start(&tty, caps.remote, screen.modes(), sink)?;
        Ok(Terminal {
            tty,
            guard,
            reader,
            screen,
            history: Vec::new(),
            waiting: 0,
            caps,
            lent: false,
            held: None,
        })
    }

    pub fn draw<P: Painter>(&mut self, model: &Model, painter: &mut P) -> io::Result<()> {
        if self.lent || self.held().is_some() {
            return Ok(());
        }
        let (live, cursor) = painter.frame(model);
        // A size that was not told yet is on its way; a frame for the old one would end up anywhere.
        if self.tty.size() != self.screen.size() {
            return Ok(());
        }
        self.waiting = 0;
        let frame = Frame { history: std::mem::take(&mut self.history), live, cursor };
        self.screen.draw(&frame)
    }

    /// A finished block goes above the live rows with the next frame; a long one, or one of many, is written on the way,
    /// because cells are large.
    pub fn print<P: Painter>(&mut self, model: &Model, block: BlockId, painter: &mut P) -> io::Result<()> {
        let mut result = Ok(());
        painter.block(model, block, self.screen.size().cols, &mut |painter, rows| {
            self.waiting += usize::from(rows.cells.area.height);
            self.history.push(rows);
            if self.waiting >= HISTORY && result.is_ok() && self.screen.mode() != ScreenMode::Alternate {
                result = self.draw(model, painter);
            }
        });
        result
    }

    /// What the terminal answered about itself.
    pub fn learn(&mut self, reply: &Reply) {
        if let Reply::Name(name) = reply {
            self.caps = self.caps.named(name);
            self.screen.set_caps(self.caps);
        }
    }

    pub fn resize(&mut self, size: Size) {
        self.screen.resize(size);
        if self.caps.multiplexer == Multiplexer::Tmux {
            self.held = Some(Instant::now() + LATE);
        }
    }

    /// When frames are drawn again, while they are not.
    pub fn held(&self) -> Option<Instant> {
        self.held.filter(|until| self.screen.mode() == ScreenMode::Inline && Instant::now() < *until)
    }

    /// Whatever stands on the screen, the next frame is drawn: it is the last.
    pub fn hold_no_longer(&mut self) {
        self.held = None;
    }

    pub fn redraw(&mut self) {
        self.screen.redraw();
    }

    pub fn alternate(&mut self, on: bool) {
        if self.screen.mode() != ScreenMode::Plain {
            self.screen.set_mode(if on { ScreenMode::Alternate } else { ScreenMode::Inline });
        }
    }

    pub fn mouse(&mut self, on: bool) {
        self.screen.set_mouse(on);
    }

    pub fn title(&mut self, text: &str) -> io::Result<()> {
        if self.lent { Ok(()) } else { self.screen.title(text) }
    }

    pub fn bell(&mut self) -> io::Result<()> {
        if self.lent { Ok(()) } else { self.screen.bell() }
    }

    /// Copies text and tells of the way it took: the terminal is always asked, because the person may sit at another
    /// machine; a command of the desktop is used as well, but never over ssh, where its desktop is not theirs (G28).
    pub fn copy(&mut self, text: Arc<str>, env: Arc<BTreeMap<String, String>>, post: Post) {
        let asked = !self.lent && self.screen.copy(&text).unwrap_or(false);
        let way = match (asked, self.caps.osc) {
            (true, _) => Copied::Asked,
            (false, true) => Copied::TooLong,
            (false, false) => Copied::Nowhere,
        };
        let chars = text.chars().count();
        if self.caps.remote {
            return post.send(Msg::Term(TermMsg::Copied { way, chars }));
        }
        tokio::task::spawn_blocking(move || {
            let way = clipboard::write(&text, &env).map_or(way, Copied::Helper);
            post.send(Msg::Term(TermMsg::Copied { way, chars }));
        });
    }

    /// Stops the process as ctrl+z does; returns when it goes on, with the size as it is then.
    pub fn suspend(&mut self) -> io::Result<Size> {
        self.reader.pause();
        self.screen.park()?;
        let result = self.guard.suspend();
        self.reader.resume();
        self.screen.redraw();
        let size = self.tty.size();
        self.screen.resize(size);
        result.map(|()| size)
    }

    /// Gives the terminal away until [`Terminal::take_back`].
    pub fn lend(&mut self) -> io::Result<()> {
        self.reader.pause();
        self.screen.park()?;
        self.guard.restore();
        self.lent = true;
        Ok(())
    }

    pub fn take_back(&mut self) -> io::Result<Size> {
        self.lent = false;
        self.guard.resume()?;
        self.reader.resume();
        let size = self.tty.size();
        self.screen.resize(size);
        self.screen.redraw();
        Ok(size)
    }

    /// Whether frames are drawn: nobody else has the terminal.
    pub fn shows(&self) -> bool {
        !self.lent
    }

    /// Gives the terminal back as it was found, without what was drawn.
    pub fn vanish(mut self) {
        self.reader.pause();
        if !self.lent {
            let _ = self.screen.vanish();
        }
        self.guard.restore();
    }

    /// The last frame stays; the cursor goes below it and every mode is undone.
    pub fn close(mut self) {
        self.reader.pause();
        if !self.lent {
            let _ = self.screen.finish();
        }
        self.guard.restore();
    }
}

/// Runs the person's editor on `text` in a file of its own and gives back what was saved. Blocks until it ends.
pub fn edit(text: &str, command: &str, env: &BTreeMap<String, String>) -> Result<Arc<str>, String> {
    let dir = tempfile::Builder::new()
        .prefix("e-draft-")
        .tempdir()
        .map_err(|e| format!("no place for the draft: {e}"))?;
    let path = dir.path().join("draft.md");
    std::fs::write(&path, text).map_err(|e| format!("cannot write {}: {e}", path.display()))?;
    let status =
        shell(command, &path, env).map_err(|e| format!("cannot start the editor `{command}`: {e}"))?;
    if !status.success() {
        return Err(format!("the editor `{command}` ended with {status}; the draft is unchanged"));
    }
    let edited = std::fs::read_to_string(&path).map_err(|e| format!("cannot read the draft back: {e}"))?;
    Ok(edited.strip_suffix('\n').unwrap_or(&edited).into())
}

/// Editors are commands with arguments (`code --wait`), so a shell reads the line; the path is its own word.
fn shell(command: &str, path: &Path, env: &BTreeMap<String, String>) -> io::Result<std::process::ExitStatus> {
    Command::new("sh")
        .arg("-c")
        .arg(format!("{command} \"$1\""))
        .arg("sh")
        .arg(path)
        .env_clear()
        .envs(env)
        .status()
}
