//! The startup chain as data: each hook rewrites the arguments for the next, the first relaunch ends it, and whatever
//! goes wrong stops the launch (`extensions-notes.md` 7).

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::model::id::ExtId;
use crate::model::text::clean::Clean;
use crate::model::wire::ext::{Call, Env, startup};

use super::words;

/// Relaunches in a row; the next one is refused.
pub const RELAUNCHES: u32 = 8;

/// A startup chain under way.
#[derive(Debug, Clone, PartialEq)]
pub struct Startup {
    cwd: Arc<str>,
    /// As the hooks so far left it.
    pub argv: Vec<Arc<str>>,
    /// From the original command line; rewrites do not change it.
    flags: Arc<Map<String, Value>>,
    /// How many relaunches are behind this process.
    behind: u32,
    left: VecDeque<ExtId>,
    relaunch: Option<Relaunch>,
}

/// The process to become: the same executable with the arguments as they are, in another directory.
#[derive(Debug, Clone, PartialEq)]
pub struct Relaunch {
    /// Absolute if `e`'s own directory is.
    pub cwd: Arc<str>,
    /// On top of what the hooks changed before.
    pub env: Env,
}

/// What happens next.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    Ask(ExtId, Call),
    /// Go on with the arguments.
    Done,
    Relaunch(Relaunch),
}

impl Startup {
    /// `order` are the extensions with the hook, by filename; `behind` is what `E_RELAUNCHES` said.
    pub fn new(
        cwd: Arc<str>,
        argv: Vec<Arc<str>>,
        flags: Arc<Map<String, Value>>,
        behind: u32,
        order: impl IntoIterator<Item = ExtId>,
    ) -> Self {
        Startup { cwd, argv, flags, behind, left: order.into_iter().collect(), relaunch: None }
    }

    /// Takes the next extension.
    pub fn step(&mut self) -> Step {
        if let Some(relaunch) = self.relaunch.take() {
            self.left.clear();
            return Step::Relaunch(relaunch);
        }
        match self.left.pop_front() {
            Some(ext) => {
                let (cwd, flags) = (self.cwd.clone(), self.flags.clone());
                Step::Ask(ext, Call::Startup { cwd, argv: self.argv.clone(), flags })
            }
            None => Step::Done,
        }
    }

    /// Takes in an answer; an error, a deadline and a death are `Err` with their reason. What comes back is to be changed
    /// in the environment before the next step, or the line that ends the launch.
    pub fn answer(&mut self, file: &str, result: Result<&Value, &str>) -> Result<Env, String> {
        let fatal = |why: &str| {
            let why = Clean::collapsed(why);
            words::notice(file, &format!("its startup hook failed, so e does not start: {why}"))
        };
        let answer = result.map_err(fatal)?;
        let answer = startup(answer).map_err(|why| fatal(&why))?;
        if let Some(relaunch) = answer.relaunch {
            if self.behind >= RELAUNCHES {
                return Err(fatal(&format!("it asked for one more relaunch after {RELAUNCHES} in a row")));
            }
            let cwd = match relaunch.cwd.starts_with('/') {
                true => relaunch.cwd,
                false => format!("{}/{}", self.cwd.trim_end_matches('/'), relaunch.cwd).into(),
            };
            self.relaunch = Some(Relaunch { cwd, env: relaunch.env });
        }
        if let Some(argv) = answer.argv {
            self.argv = argv;
        }
        Ok(answer.env)
    }
}
