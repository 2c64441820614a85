//! The words of a command line into what shall happen: a session, a command, or an answer at once.

use std::ffi::OsString;
use std::sync::Arc;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

use super::args::{Cli, Command, Options};
use crate::model::boot::{Launch, Mode, Resume};
use crate::model::config::complaint::nearest;

/// What a command line asks for.
#[derive(Debug)]
pub enum Parsed {
    /// A session, in a terminal or headless. The prompt is the argument's alone; stdin is not read yet.
    Session(Box<Launch>),
    Command(Command),
    /// Text for stdout, done.
    Say(String),
    /// A line for stderr; status 2.
    Refuse(String),
    /// The same, for an option that nobody knows.
    Unknown(String),
}

/// Reads the words behind the program's name.
pub fn parse(words: &[OsString]) -> Parsed {
    let line = std::iter::once(OsString::from("e")).chain(words.iter().cloned());
    let cli = match Cli::try_parse_from(line) {
        Ok(cli) => cli,
        Err(error) => return refuse(&error, words),
    };
    if let Some(command) = cli.command {
        return Parsed::Command(command);
    }
    match (launch(cli.options, &cli.message), near_miss(&cli.message, words)) {
        (Err(why), _) => Parsed::Refuse(why),
        (Ok(launch), Some(near)) if launch.mode == Mode::Terminal => {
            let word = launch.prompt.as_deref().unwrap_or_default();
            Parsed::Refuse(format!(
                "there is no command {word:?}; did you mean `e {near}`? `e -- {word}` sends it as a prompt"
            ))
        }
        (Ok(launch), _) => Parsed::Session(Box::new(launch)),
    }
}

fn launch(options: Options, message: &[String]) -> Result<Launch, String> {
    if options.print && options.resume {
        return Err("-p has no picker: `e -p -c` continues this directory's latest session".into());
    }
    if options.continue_ && options.resume {
        return Err("-c continues the latest session and -r picks one: give one of them".into());
    }
    if options.json && !options.print {
        return Err("--json prints the events of a headless turn: give -p too".into());
    }
    if !options.packages.is_empty() {
        return Err("this version cannot load packages yet; leave -P out".into());
    }
    let all = |list: Vec<String>| list.into_iter().map(Arc::from).collect();
    let prompt = message.join(" ");
    Ok(Launch {
        mode: if options.print { Mode::Print { json: options.json } } else { Mode::Terminal },
        prompt: (!prompt.trim().is_empty()).then(|| Arc::from(prompt)),
        images: all(options.images),
        model: options.model.map(Arc::from),
        effort: options.effort.map(Arc::from),
        resume: match (options.continue_, options.resume) {
            (true, _) => Resume::Latest,
            (false, true) => Resume::Pick,
            (false, false) => Resume::Fresh,
        },
        no_tools: options.no_tools,
        no_save: options.no_save,
        no_extensions: options.no_extensions,
        packages: Vec::new(),
    })
}

/// A lone word, not behind `--`, that is almost a command.
fn near_miss(message: &[String], words: &[OsString]) -> Option<String> {
    let [word] = message else { return None };
    if word.contains(char::is_whitespace) || words.iter().any(|w| w == "--") {
        return None;
    }
    let names = names();
    nearest(word, names.iter().map(String::as_str)).map(str::to_owned)
}

/// Every command's name.
pub fn names() -> Vec<String> {
    let own = Cli::command().get_subcommands().map(|c| c.get_name().to_owned()).collect::<Vec<_>>();
    own.into_iter().chain(["help".into()]).collect()
}

/// Help is printed; what is wrong becomes one line that says what to do.
fn refuse(error: &clap::Error, words: &[OsString]) -> Parsed {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => return Parsed::Say(error.render().to_string()),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            return Parsed::Refuse(format!(
                "{}: say what it shall do; see `e {} --help`",
                first(words),
                first(words)
            ));
        }
        _ => {}
    }
    let text = error.render().to_string();
    let mut lines = text.lines().map(str::trim).filter(|l| !l.is_empty());
    let what = lines.next().unwrap_or_default();
    let mut line = what.strip_prefix("error: ").unwrap_or(what).to_owned();
    // Values and missing arguments are listed on lines of their own.
    if line.ends_with(':') {
        line = format!("{line} {}", lines.clone().next().unwrap_or_default());
    }
    if let Some(values) = lines.clone().find_map(|l| l.strip_prefix("[possible values: ")) {
        line += &format!(" (one of {})", values.trim_end_matches(']'));
    }
    if let Some(tip) = lines.clone().find_map(|l| l.strip_prefix("tip: ")).filter(|t| t.contains("similar")) {
        line += &format!(" ({tip})");
    }
    let command = first(words);
    if names().contains(&command) {
        let all: Vec<_> = words.iter().map(|w| w.to_string_lossy()).collect();
        line += &format!("; see `e {command} --help`, or `e -- {}` to send it as a prompt", all.join(" "));
    } else {
        line += "; see `e --help`";
    }
    match error.kind() {
        ErrorKind::UnknownArgument => Parsed::Unknown(line),
        _ => Parsed::Refuse(line),
    }
}

fn first(words: &[OsString]) -> String {
    words.first().map(|w| w.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The completion script of a shell.
pub fn completions(shell: clap_complete::Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "e", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}
