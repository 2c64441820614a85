//! From the command line's wish to the exit status: captures the surroundings, takes the terminal, runs the loop.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use jiff::tz::TimeZone;
use serde_json::json;
use tokio::sync::mpsc::{channel, unbounded_channel};

use super::auth::Env;
use super::cli::{self, Start};
use super::ext::flow;
use super::ext::next::{self, Ended};
use super::home::trust;
use super::lines::Lines;
use super::post::Post;
use super::run::{Attached, BACKLOG, Inbox, Loop};
use super::term::guard::Tty;
use super::terminal::{Painter, Terminal};
use super::world::{self, World};
use super::{panic, signal, watch};
use crate::model::Model;
use crate::model::boot::{BootFacts, BootMsg, Mode};
use crate::model::config::settings;
use crate::model::effect::Effects;
use crate::model::ext::world::Become;
use crate::model::msg::{Msg, Stamped};
use crate::model::term::{Caps, Size};

/// Runs sessions until one has nothing behind it; gives the process's exit status.
pub fn run<U, P>(mut start: Start, update: U, painter: impl Fn() -> P) -> u8
where
    U: Fn(Model, Stamped) -> (Model, Effects),
    P: Painter,
{
    // Asked now: by then the file may have been replaced.
    let program = if start.calling.pending { std::env::current_exe().ok() } else { None };
    loop {
        let json = start.launch.mode == Mode::Print { json: true };
        let Ended { status, next } = run_one(start, &update, painter());
        match next {
            None => return status,
            Some((Become::Again { argv }, env)) => match cli::again(&argv, env) {
                cli::Decision::Done(status) => return status,
                cli::Decision::Run(again) => start = *again,
            },
            Some((Become::Relaunch { argv, to, behind }, env)) => {
                let why = match &program {
                    Some(program) => next::relaunch(program, &argv, &to, behind, &env),
                    None => "an extension wanted e to start anew, and its own file is not found".to_owned(),
                };
                if json {
                    let _unread = cli::print(&format!("{}\n", json!({"type": "error", "message": why})));
                }
                return complain(&why);
            }
        }
    }
}

fn run_one<U, P>(start: Start, update: U, painter: P) -> Ended
where
    U: Fn(Model, Stamped) -> (Model, Effects),
    P: Painter,
{
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&format!("cannot start: {error}")),
    };
    let home = start.home.clone();
    let ended = panic::guarded(&home, Ended::with, || runtime.block_on(session(start, update, painter)));
    // Threads that still read a pipe or a slow disk are not waited for.
    runtime.shutdown_background();
    ended
}

async fn session<U, P>(start: Start, update: U, painter: P) -> Ended
where
    U: Fn(Model, Stamped) -> (Model, Effects),
    P: Painter,
{
    let caps = Caps::from_env(&start.env);
    let (world_tx, world_rx) = unbounded_channel();
    let (tools_tx, tools) = channel(BACKLOG);
    let (extensions_tx, extensions) = channel(flow::BACKLOG);
    let (tty_tx, tty_rx) = unbounded_channel();
    let post = Post::new(move |msg| {
        let _loop_ended = world_tx.send(msg);
    });
    let signals = match signal::listen() {
        Ok(signals) => signals,
        Err(error) => return failed(&format!("cannot listen for signals: {error}")),
    };
    let mut unread = Vec::new();
    let files = cli::facts::files(&start.home, &mut unread);
    for file in &unread {
        let _goes_on = complain(file);
    }
    let mut facts = facts(&start, caps, files);
    facts.accessible = accessible(&start.env, &facts);
    let front = match start.launch.mode {
        Mode::Print { .. } => Attached::Nothing,
        Mode::Terminal if facts.accessible => {
            match Tty::open().and_then(|tty| Lines::open(&tty, post.clone())) {
                Ok(lines) => Attached::Lines(lines),
                Err(error) => return failed(&nowhere(&error)),
            }
        }
        Mode::Terminal => {
            if caps.dumb {
                return failed(
                    "this terminal (TERM=dumb, or none) cannot show a screen. Use `ACCESSIBLE=1 e` for a session in plain lines or `e -p \"your task\"` here, or a terminal that can.",
                );
            }
            let opened = Tty::open().and_then(|tty| {
                facts.size = tty.size();
                Terminal::open(
                    tty,
                    caps,
                    fullscreen(&facts),
                    Box::new(move |event| tty_tx.send(event).is_ok()),
                )
            });
            match opened {
                Ok(terminal) => Attached::Screen(Box::new(terminal)),
                Err(error) => return failed(&nowhere(&error)),
            }
        }
    };
    if !matches!(front, Attached::Nothing) {
        watch::start(&start.home, post.clone());
    }
    let world = World::new(start.home, start.env, facts.launch.mode, post.clone(), tools_tx, extensions_tx);
    let inbox = Inbox { world: world_rx, tools, extensions, tty: tty_rx, signals };
    Loop::new(update, painter, world, front, post)
        .run(Msg::Boot(Box::new(BootMsg::Start(facts))), inbox)
        .await
}

/// Everything captured once (`home.md`).
fn facts(start: &Start, caps: Caps, files: Vec<(Arc<str>, Arc<str>)>) -> BootFacts {
    let var = |name: &str| start.env.get(name).filter(|v| !v.trim().is_empty());
    BootFacts {
        version: env!("CARGO_PKG_VERSION").into(),
        cwd: start.cwd.clone(),
        user_home: start.home.user().to_string_lossy().into(),
        home: start.home.root().to_string_lossy().into(),
        platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH).into(),
        date: today(&start.env).to_string().into(),
        launch: start.launch.clone(),
        trusted: trust::verdict(&start.home, Path::new(&*start.cwd), var("E_TRUSTED").map(String::as_str)),
        size: Size::new(80, 24),
        caps,
        editor: world::editor(&start.env),
        seed: seed(),
        files,
        calling: start.calling.clone(),
        accessible: false,
    }
}

/// The date where the person is. The zone is read from its own file: asking for it by name would walk the whole zone
/// database before the first frame.
fn today(env: &Env) -> jiff::civil::Date {
    let named = env.get("TZ").map(|tz| tz.trim_start_matches(':')).filter(|tz| !tz.is_empty());
    let file = match named {
        None => Path::new("/etc/localtime").to_path_buf(),
        Some(name) => Path::new("/usr/share/zoneinfo").join(name),
    };
    let zone = std::fs::read(file).ok().and_then(|bytes| TimeZone::tzif("local", &bytes).ok());
    let zone = zone.or_else(|| TimeZone::posix(named?).ok()).unwrap_or(TimeZone::UTC);
    zone.to_datetime(jiff::Timestamp::now()).date()
}

fn nowhere(error: &std::io::Error) -> String {
    format!("no terminal to show a session on ({error}). Use `e -p \"your task\"` without one.")
}

/// Whether the first frame is drawn on the alternate screen; the core reads the same setting.
fn fullscreen(facts: &BootFacts) -> bool {
    preferences(facts).tui_mode == settings::TuiMode::Fullscreen
}

/// Whether plain lines are wanted: by `ACCESSIBLE` with anything but 0, or by the settings.
fn accessible(env: &Env, facts: &BootFacts) -> bool {
    let wanted = env.get("ACCESSIBLE").map(|value| value.trim());
    wanted.is_some_and(|value| !matches!(value, "" | "0")) || preferences(facts).accessible
}

/// What is wrong in the file is said by the core, which reads it, too.
fn preferences(facts: &BootFacts) -> settings::Settings {
    let text = facts.files.iter().find(|(name, _)| &**name == "settings.json");
    text.map(|(file, text)| settings::parse(file, text).0).unwrap_or_default()
}

/// Differs between processes started at the same moment.
fn seed() -> u64 {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).map(|d| d.as_nanos() as u64).unwrap_or(0);
    time ^ (u64::from(std::process::id()) << 32)
}

fn complain(what: &str) -> u8 {
    cli::refuse(1, what)
}

fn failed(what: &str) -> Ended {
    Ended::with(complain(what))
}

/// The environment, captured once.
pub fn environment() -> Env {
    let vars: BTreeMap<String, String> = std::env::vars_os()
        .filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?)))
        .collect();
    Arc::new(vars)
}
