//! The command line: decides what a start shall be, and answers what needs no session.

pub mod args;
mod commands;
mod ext;
pub mod facts;
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
use super::home::Home;
use super::tour;
use crate::model::boot::{Launch, Mode};

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
    let decided = match parse::parse(&words) {
        Parsed::Say(text) => Ok(Decision::Done(print(&text))),
        Parsed::Refuse(why) => Err((2, why)),
        Parsed::Command(command) => do_command(command, env),
        Parsed::Session(launch) => session(*launch, env),
    };
    decided.unwrap_or_else(|(status, why)| Decision::Done(refuse(status, &why)))
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
    if let Mode::Print { .. } = launch.mode {
        let prompt = stdin::prompt(launch.prompt.as_deref(), |line| drop(complain(line)));
        launch.prompt = Some(prompt.map_err(|why| (2, why))?.into());
    }
    Ok(ready(launch, home, env, &cwd))
}

fn ready(launch: Launch, home: Home, env: Arc<BTreeMap<String, String>>, cwd: &Path) -> Decision {
    // Private from the first moment on. Where it cannot be made, what needs it will say so.
    let _later = home.folder("");
    let cwd = Arc::from(cwd.to_string_lossy());
    Decision::Run(Box::new(Start { launch, home, env, cwd }))
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
    Ok(ready(launch, Home::at(made.home, home.user()), Arc::new(own), &made.project))
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
