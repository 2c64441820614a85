//! Starting a command: `bash -lc` in the workspace, in a session of its own, with no input and one pipe for both
//! streams, so that their order is the order in which they were written.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};

use process_wrap::tokio::{ChildWrapper, CommandWrap, ProcessSession};
use tokio::net::unix::pipe::Receiver;

use super::group::{Group, Groups};
use super::guardian::MARK;
use super::paths::reason;

/// The environment of children: what was captured at start, overlaid by startup hooks.
pub type Env = BTreeMap<OsString, OsString>;

/// The system's limit for one argument, less room for its end.
const LONGEST: usize = 128 * 1024 - 1;

const NO_EDITOR: &str =
    "echo 'no editor can open here: give the text with -m or -F, or set GIT_EDITOR to a command' >&2; false";
const NO_SEQUENCE: &str =
    "echo 'no editor can open here: set GIT_SEQUENCE_EDITOR to a command that edits the list' >&2; false";

/// What makes programs fail at once where they would ask, page or open an editor (cases G39, G40).
const OVERLAY: &[(&str, &str)] = &[
    ("TERM", "dumb"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
    ("LESS", "-FX"),
    ("EDITOR", "false"),
    ("VISUAL", "false"),
    ("GIT_EDITOR", NO_EDITOR),
    ("GIT_SEQUENCE_EDITOR", NO_SEQUENCE),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("DEBIAN_FRONTEND", "noninteractive"),
];

/// A command that runs.
#[derive(Debug)]
pub struct Running {
    pub child: Box<dyn ChildWrapper>,
    pub group: Group,
    pub output: Receiver,
}

/// Starts a command; the error is what the model reads.
pub fn start(command: &str, cwd: &Path, env: &Env, groups: &Groups) -> Result<Running, String> {
    if command.len() > LONGEST {
        return Err(format!(
            "The command is {} bytes long; the system takes {LONGEST}. Write it to a file and run that.",
            command.len()
        ));
    }
    if command.contains('\0') {
        return Err("The command holds a NUL character, which no shell can be given.".into());
    }
    let mark = groups.mark(env);
    match spawn("bash", command, cwd, env, &mark) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => spawn("sh", command, cwd, env, &mark),
        other => other,
    }
    .and_then(|(child, output)| {
        let leader = child.id().ok_or_else(|| io::Error::other("the shell ended before it began"))?;
        let group =
            groups.adopt(leader, mark).ok_or_else(|| io::Error::other("the shell has no process id"))?;
        Ok(Running { child, group, output })
    })
    .map_err(|error| format!("The shell could not be started: {}.", reason(&error)))
}

fn spawn(
    shell: &str,
    command: &str,
    cwd: &Path,
    env: &Env,
    mark: &str,
) -> io::Result<(Box<dyn ChildWrapper>, Receiver)> {
    let (reader, writer) = io::pipe()?;
    let mut wrap = CommandWrap::with_new(shell, |c| {
        c.arg("-lc").arg(command).current_dir(cwd);
        c.env_clear().envs(env).env("PWD", cwd);
        c.envs(OVERLAY.iter().map(|(name, value)| (OsStr::new(name), OsStr::new(value))));
        c.env(MARK, mark);
        c.stdin(Stdio::null());
    });
    let second = writer.try_clone()?;
    wrap.command_mut().stdout(Stdio::from(writer)).stderr(Stdio::from(second));
    let child = wrap.wrap(ProcessSession).spawn()?;
    Ok((child, Receiver::from_owned_fd(reader.into())?))
}

/// How a command ended, in words: `exit 1`, `killed by SIGSEGV`; `None` for success.
pub fn ending(status: ExitStatus) -> Option<String> {
    use std::os::unix::process::ExitStatusExt as _;
    match (status.code(), status.signal()) {
        (Some(0), _) => None,
        (Some(code), _) => Some(format!("exit {code}")),
        (None, Some(signal)) => Some(format!("killed by {}", signal_name(signal))),
        (None, None) => Some("ended without a status".into()),
    }
}

const SIGNALS: &[(&str, rustix::process::Signal)] = &[
    ("HUP", rustix::process::Signal::HUP),
    ("INT", rustix::process::Signal::INT),
    ("QUIT", rustix::process::Signal::QUIT),
    ("ABRT", rustix::process::Signal::ABORT),
    ("KILL", rustix::process::Signal::KILL),
    ("USR1", rustix::process::Signal::USR1),
    ("USR2", rustix::process::Signal::USR2),
    ("SEGV", rustix::process::Signal::SEGV),
    ("PIPE", rustix::process::Signal::PIPE),
    ("TERM", rustix::process::Signal::TERM),
    ("STOP", rustix::process::Signal::STOP),
    ("CONT", rustix::process::Signal::CONT),
];

fn signal_name(number: i32) -> String {
    SIGNALS
        .iter()
        .find(|(_, signal)| signal.as_raw() == number)
        .map_or_else(|| format!("signal {number}"), |(name, _)| format!("SIG{name}"))
}

/// A signal by name (`TERM`, `SIGTERM`) or number.
pub fn signal(word: &str) -> Option<rustix::process::Signal> {
    let word = word.trim().trim_start_matches('-').to_ascii_uppercase();
    let name = word.strip_prefix("SIG").unwrap_or(&word);
    let number: Option<i32> = name.parse().ok();
    let found = SIGNALS.iter().find(|(known, signal)| *known == name || number == Some(signal.as_raw()));
    found.map(|(_, signal)| *signal)
}
