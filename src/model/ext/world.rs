//! What passes between the core and the processes of the extensions: messages one way, effects the other.

use std::sync::Arc;

use crate::model::boot::Launch;
use crate::model::id::{ExtId, Ticket};
use crate::model::term::Caps;
use crate::model::wire::ext::{Env, Incoming, Lost};

use super::discover::{Found, Skipped};
use super::startup::Relaunch;

/// world → core.
#[derive(Debug, Clone, PartialEq)]
pub enum ExtMsg {
    /// The answer to `Discover`, in launch order.
    Found { ticket: Ticket, found: Vec<Found>, skipped: Vec<Skipped> },
    /// A line of its stdout that means something. After an overlong or unreadable one, [`Incoming::Lost`].
    Said(ExtId, Incoming),
    /// A line of its stderr, raw, or why it was dropped.
    Stderr(ExtId, Result<Arc<str>, Lost>),
    /// It is gone, killed and reaped; what it had said before came before. Nothing of it follows.
    Over(ExtId, Over),
    /// Everyone named by `Shutdown` is gone.
    Stopped(Ticket),
    /// The answer to `Measure`.
    Measured { ticket: Ticket, traffic: Vec<(ExtId, Traffic)> },
    /// What the environment says after `Env`.
    Surroundings { caps: Caps, editor: Arc<str> },
    /// The answer to `Parse`.
    Parsed { ticket: Ticket, line: CommandLine },
}

/// How a process ended that was not asked to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Over {
    /// It could not be started: why, in words for a person.
    NotStarted(Arc<str>),
    /// It exited or closed its stdout; how, where the system said (`exit status 1`, `signal 9`).
    Exited(Option<Arc<str>>),
    /// Its stdin cannot be written to any more.
    Deaf,
    /// 4 MiB waited for its stdin.
    Stuck,
}

impl Over {
    /// What the notice says.
    pub fn words(&self) -> String {
        match self {
            Over::NotStarted(why) => why.to_string(),
            Over::Exited(Some(how)) => format!("it exited ({how})"),
            Over::Exited(None) => "it exited".to_owned(),
            Over::Deaf => "it closed its input".to_owned(),
            Over::Stuck => "it stopped reading: 4 MiB waited for it".to_owned(),
        }
    }
}

/// What crossed an extension's pipes so far, newlines included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    pub lines_in: u64,
    pub bytes_in: u64,
    pub lines_out: u64,
    pub bytes_out: u64,
    /// Lines of stdout that are no message of the protocol.
    pub stray: u64,
    /// Notices dropped because too many waited.
    pub dropped: u64,
}

/// The command line, after extensions had their say.
#[derive(Debug, Clone, PartialEq)]
pub enum CommandLine {
    /// A session of the same front.
    Session(Box<Launch>),
    /// It means something else: another front, a subcommand, help.
    Other,
    /// It cannot be read; why, without a trailing newline.
    Refused(Arc<str>),
    /// The same, for an option that nobody knows.
    Unknown(Arc<str>),
}

/// core → world.
#[derive(Debug, Clone, PartialEq)]
pub enum ExtFx {
    /// Which extensions are there? Answered `Found`.
    Discover { ticket: Ticket },
    /// Starts one directly: no shell, no arguments, three pipes.
    Spawn { ext: ExtId, path: Arc<str>, cwd: Arc<str> },
    /// A line for its stdin, without its newline. Never waits.
    Send { ext: ExtId, line: Arc<str> },
    /// Kills and reaps one at once; nothing of it follows.
    Kill(ExtId),
    /// Sends `shutdown` to each, waits a beat, kills and reaps what is left; answered `Stopped`. Nothing of them follows.
    Shutdown { ticket: Ticket, exts: Vec<ExtId> },
    /// What crossed the pipes? Answered `Measured`.
    Measure { ticket: Ticket },
    /// What a startup hook changed in the environment of `e` and of what it starts from now on.
    Env(Env),
    /// Reads the command line as it stands now; answered `Parsed`.
    Parse { ticket: Ticket, argv: Vec<Arc<str>> },
    /// Ends this process's session in an orderly way and then becomes something else.
    Become(Become),
}

/// What the process becomes when its session has ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Become {
    /// The same executable in another directory (a startup hook's relaunch); how many are behind it then.
    Relaunch { argv: Vec<Arc<str>>, to: Relaunch, behind: u32 },
    /// Whatever these arguments mean; no startup hook is asked again.
    Again { argv: Vec<Arc<str>> },
}
