//! What a process starts with: the captured surroundings and what the command line asks for.

use std::sync::Arc;

use super::term::{Caps, Size};

#[derive(Debug, Clone, PartialEq)]
pub enum BootMsg {
    /// The first message of every run.
    Start(BootFacts),
}

/// What extensions have to do with this launch.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Calling {
    /// There are some, and `launch` is only what the raw command line says of the front: the rest is read when their
    /// startup hooks have spoken.
    pub pending: bool,
    /// The arguments as they were given, without the program's name.
    pub argv: Vec<Arc<str>>,
    /// `E_RELAUNCHES`: how many relaunches are behind this process.
    pub relaunches: u32,
    /// The startup chain of this command line is over: no startup hook is asked.
    pub chained: bool,
}

/// Captured once, before anything else.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BootFacts {
    pub version: Arc<str>,
    pub cwd: Arc<str>,
    /// The person's home directory, for `~`.
    pub user_home: Arc<str>,
    /// `~/.e`, or where `E_HOME` points.
    pub home: Arc<str>,
    pub platform: Arc<str>,
    /// `2026-12-01`, for the system prompt.
    pub date: Arc<str>,
    pub launch: Launch,
    pub trusted: Trusted,
    pub size: Size,
    pub caps: Caps,
    /// `$VISUAL`, `$EDITOR` or `vi`.
    pub editor: Arc<str>,
    pub seed: u64,
    /// `settings.json`, `layout.json`, `keybindings.json` and theme files as they are on disk: `(name, text)`.
    pub files: Vec<(Arc<str>, Arc<str>)>,
    pub calling: Calling,
    /// The environment or the settings want plain lines in place of a screen.
    pub accessible: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Trusted {
    Yes,
    /// Never asked.
    #[default]
    Unknown,
    /// `e untrust` wrote it down.
    Refused,
}

/// The command line, read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Launch {
    pub mode: Mode,
    pub prompt: Option<Arc<str>>,
    pub images: Vec<Arc<str>>,
    pub model: Option<Arc<str>>,
    pub effort: Option<Arc<str>>,
    pub resume: Resume,
    pub no_tools: bool,
    pub no_save: bool,
    pub no_extensions: bool,
    pub packages: Vec<Arc<str>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    #[default]
    Terminal,
    Print {
        json: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Resume {
    #[default]
    Fresh,
    /// `-c`
    Latest,
    /// `-r`
    Pick,
}
