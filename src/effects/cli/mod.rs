//! The command line: decides what a start shall be, and answers what needs no session.

pub mod args;
mod commands;
mod ext;
pub mod facts;
mod help;
pub mod parse;
pub mod providers;
pub mod stdin;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;

use self::args::Command;
use self::parse::Parsed;
use super::ext::next;
use super::home::Home;
use super::tour;
use crate::model::boot::{Calling, Launch, Mode};
use crate::model::ext::launch::{self, Start as Starts};
use crate::model::ext::world::CommandLine;

/// What a process shall do.
#[derive(Debug)]
pub enum Decision {
    /// It is done already; its exit status.
    Done(u8),
    Run(Box<Start>),
}

/// All that a session needs of the command line and its surroundings.
#[derive(Debug)]
pub struct Start {
    pub launch: Launch,
    pub home: Home,
    /// The environment, captured once.
    pub env: Arc<BTreeMap<String, String>>,
    pub cwd: Arc<str>,
    pub calling: Calling,
}

/// Reads the command line (`args` with the program's name in front) and does everything that comes before a session.
pub fn decide(args: impl IntoIterator<Item = OsString>, env: Arc<BTreeMap<String, String>>) -> Decision {
    let words: Vec<OsString> = args.into_iter().skip(1).collect();
    // The quickest answer there is: nothing is read or made for it.
    if let [only] = words.as_slice()
        && (only == "--version" || only == "-V")
    {
        return Decision::Done(print(&format!("e {}\n", env!("CARGO_PKG_VERSION"))));
    }
    decide_words(&words, env, false)
}

/// The same for a command line whose startup hooks have spoken: none is asked again.
pub fn again(argv: &[Arc<str>], env: Arc<BTreeMap<String, String>>) -> Decision {
    decide_words(&os_words(argv), env, true)
}

fn decide_words(words: &[OsString], mut env: Arc<BTreeMap<String, String>>, chained: bool) -> Decision {
    let relaunches = next::behind(&mut env);
    let lossy: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    let raw = launch::launch(&lossy);
    let decided = match raw.start {
        Starts::All => {
            with_extensions(words, &raw, &env, Calling { relaunches, chained, ..Calling::default() })
        }
        Starts::Greet => help::with_extensions(words, &env),
        Starts::Own | Starts::None => Ok(None),
    };
    let decided = decided.and_then(|decided| match decided {
        Some(decided) => Ok(decided),
        None => without(words, raw.off, env),
    });
    decided.unwrap_or_else(|(status, why)| Decision::Done(refuse(status, &why)))
}

/// A launch that no extension has a say in.
fn without(words: &[OsString], off: bool, env: Arc<BTreeMap<String, String>>) -> Result<Decision, Refusal> {
    match parse::parse(words) {
        Parsed::Say(text) => Ok(Decision::Done(print(&text))),
        Parsed::Unknown(why) if off => Err((2, format!("{why}\n{OFF}"))),
        Parsed::Refuse(why) | Parsed::Unknown(why) => Err((2, why)),
        Parsed::Command(command) => do_command(command, env),
        Parsed::Session(launch) => session(*launch, env),
    }
}

const OFF: &str = "It may belong to an extension, and extensions are off (--no-extensions).";

/// A session whose command line is read when its extensions have spoken: until then only its front is known. `None`
/// without extensions.
fn with_extensions(
    words: &[OsString],
    raw: &launch::Launch,
    env: &Arc<BTreeMap<String, String>>,
    calling: Calling,
) -> Result<Option<Decision>, Refusal> {
    // Words that are no text cannot be told to anybody; the command line is refused for them anyway.
    let argv: Option<Vec<Arc<str>>> = words.iter().map(|word| word.to_str().map(Arc::from)).collect();
    let Some(argv) = argv.filter(|argv| argv.first().is_none_or(|first| &**first != "rpc")) else {
        return Ok(None);
    };
    let cwd = facts::cwd().map_err(|why| (1, why))?;
    let home = Home::find(env, &cwd).map_err(|why| (1, why))?;
    if !super::ext::any(&home) {
        return Ok(None);
    }
    let mode = if raw.terminal { Mode::Terminal } else { Mode::Print { json: raw.json } };
    let launch = Launch { mode, ..Launch::default() };
    let calling = Calling { pending: true, argv, ..calling };
    Ok(Some(ready(launch, home, env.clone(), &cwd, calling)))
}

/// Reads a command line once more for the front that runs; a headless one reads its piped prompt then. Blocks.
pub fn reread(argv: &[Arc<str>], front: Mode) -> CommandLine {
    match parse::parse(&os_words(argv)) {
        Parsed::Session(mut launch) if launch.mode == front => match piped(&mut launch) {
            Ok(()) => CommandLine::Session(launch),
            Err((_, why)) => CommandLine::Refused(why.into()),
        },
        Parsed::Session(_) | Parsed::Command(_) | Parsed::Say(_) => CommandLine::Other,
        Parsed::Refuse(why) => CommandLine::Refused(why.into()),
        Parsed::Unknown(why) => CommandLine::Unknown(why.into()),
    }
}

fn os_words(argv: &[Arc<str>]) -> Vec<OsString> {
    argv.iter().map(|word| OsString::from(&**word)).collect()
}

/// An exit status and the line that says why.
type Refusal = (u8, String);

fn do_command(command: Command, env: Arc<BTreeMap<String, String>>) -> Result<Decision, Refusal> {
    let cwd = facts::cwd().map_err(|why| (1, why))?;
    let home = Home::find(&env, &cwd).map_err(|why| (1, why))?;
    match command {
        Command::Tour => begin_tour(&home, env),
        other => Ok(Decision::Done(commands::run(other, &home, &env, &cwd))),
    }
}

fn session(mut launch: Launch, env: Arc<BTreeMap<String, String>>) -> Result<Decision, Refusal> {
    let cwd = facts::cwd().map_err(|why| (1, why))?;
    let home = Home::find(&env, &cwd).map_err(|why| (1, why))?;
    piped(&mut launch)?;
    Ok(ready(launch, home, env, &cwd, Calling::default()))
}

/// Joins a headless turn's prompt with what is piped in.
fn piped(launch: &mut Launch) -> Result<(), Refusal> {
    if let Mode::Print { .. } = launch.mode {
        let prompt = stdin::prompt(launch.prompt.as_deref(), |line| drop(complain(line)));
        launch.prompt = Some(prompt.map_err(|why| (2, why))?.into());
    }
    Ok(())
}

fn ready(
    launch: Launch,
    home: Home,
    env: Arc<BTreeMap<String, String>>,
    cwd: &Path,
    calling: Calling,
) -> Decision {
    // Private from the first moment on. Where it cannot be made, what needs it will say so.
    let _later = home.folder("");
    let cwd = Arc::from(cwd.to_string_lossy());
    Decision::Run(Box::new(Start { launch, home, env, cwd, calling }))
}

/// The tour has a home and a project of its own; without a terminal it plays as text.
fn begin_tour(home: &Home, env: Arc<BTreeMap<String, String>>) -> Result<Decision, Refusal> {
    let made = tour::make(&env).map_err(|why| (1, why))?;
    let terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    let launch = Launch {
        mode: if terminal { Mode::Terminal } else { Mode::Print { json: false } },
        prompt: Some(Arc::from(tour::PROMPT)),
        model: Some(Arc::from("demo/tour")),
        ..Launch::default()
    };
    // Children (and the tools that look) find the scratch home, too.
    let mut own = (*env).clone();
    own.insert("E_HOME".into(), made.home.to_string_lossy().into_owned());
    Ok(ready(launch, Home::at(made.home, home.user()), Arc::new(own), &made.project, Calling::default()))
}

/// Text to stdout, where a reader who went away is no failure; the exit status.
pub fn print(text: &str) -> u8 {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => 1,
        _ => 0,
    }
}

/// A line for stderr.
fn complain(line: &str) -> io::Result<()> {
    io::stderr().lock().write_all(format!("e: {line}\n").as_bytes())
}

/// Says why, and gives the status back.
pub fn refuse(status: u8, why: &str) -> u8 {
    let _unread = complain(why);
    status
}
