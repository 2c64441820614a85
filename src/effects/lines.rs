//! The terminal in the accessible look: it edits and shows the typed lines itself, and none of its modes is touched but
//! whether it shows what is typed, while that is a secret.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::net::UnixStream;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::termios::{self, LocalModes, OptionalActions, Termios};

use super::post::Post;
use super::term::guard::Tty;
use crate::model::msg::{Msg, Signal};
use crate::model::term::TermMsg;

/// Dropping it shows again what is typed, and reads no more.
#[derive(Debug)]
pub struct Lines {
    input: File,
    /// The modes as they were, while what is typed is hidden.
    before: Option<Termios>,
    /// The reading thread ends when this does.
    _reading: UnixStream,
}

impl Lines {
    /// Starts the thread that reads lines.
    pub fn open(tty: &Tty, post: Post) -> io::Result<Lines> {
        let (input, read) = (tty.input().try_clone()?, tty.input().try_clone()?);
        let (reading, wake) = UnixStream::pair()?;
        std::thread::Builder::new().name("lines".into()).spawn(move || read_lines(read, &wake, &post))?;
        Ok(Lines { input, before: None, _reading: reading })
    }

    /// Shows what is typed, or does not. What was typed and not sent is forgotten at either turn: a half-typed secret is
    /// nobody else's line.
    pub fn echo(&mut self, on: bool) {
        match (on, self.before.take()) {
            (true, Some(before)) => {
                let _gone = termios::tcsetattr(&self.input, OptionalActions::Flush, &before);
            }
            (false, None) => {
                self.before = termios::tcgetattr(&self.input).ok();
                self.hide(OptionalActions::Flush);
            }
            (_, kept) => self.before = kept,
        }
    }

    /// The process goes on after it was stopped, when the shell has set the modes anew.
    pub fn again(&mut self) {
        self.hide(OptionalActions::Now);
    }

    fn hide(&self, how: OptionalActions) {
        let Some(mut hidden) = self.before.clone() else { return };
        hidden.local_modes.remove(LocalModes::ECHO);
        // The row still ends where enter is pressed.
        hidden.local_modes.insert(LocalModes::ECHONL);
        let _gone = termios::tcsetattr(&self.input, how, &hidden);
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.echo(true);
    }
}

/// Reads until the input ends or nobody holds the other end of `wake`: a session that follows in this process reads then.
fn read_lines(mut input: File, wake: &UnixStream, post: &Post) {
    let mut pending = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let mut fds = [PollFd::new(&input, PollFlags::IN), PollFd::new(wake, PollFlags::IN)];
        match poll(&mut fds, None) {
            Ok(_) if !fds[1].revents().is_empty() => return,
            Ok(_) | Err(Errno::INTR) if fds[0].revents().is_empty() => continue,
            _ => {}
        }
        match input.read(&mut chunk) {
            Ok(0) => {
                if !pending.is_empty() {
                    post.send(line(&pending));
                }
                return post.send(Msg::Term(TermMsg::End));
            }
            Ok(read) => pending.extend_from_slice(chunk.get(..read).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return post.send(Msg::Signal(Signal::HangUp)),
        }
        while let Some(end) = pending.iter().position(|byte| *byte == b'\n') {
            let rest = pending.split_off(end + 1);
            post.send(line(&std::mem::replace(&mut pending, rest)));
        }
    }
}

fn line(bytes: &[u8]) -> Msg {
    let text = String::from_utf8_lossy(bytes);
    Msg::Term(TermMsg::Line(text.trim_end_matches(['\n', '\r']).to_owned()))
}
