//! `e ext check <path>`: plays the host against one extension, in an empty home and a scratch folder, and tells rule by rule
//! what it declares, answers and gets wrong (`docs/guides/extend/check.md`).

mod asks;
mod calls;
mod child;
mod declared;
mod entry;
mod heard;
mod judge;
mod owed;
mod plan;
mod play;
mod report;
mod rules;
pub mod sample;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use serde_json::Value;

use self::child::Recipe;
use self::play::Play;
pub use self::report::{Failure, Outcome, Report};
pub use self::rules::{Advice, Rule};
use crate::effects::home::said;

/// What is checked, and how.
#[derive(Debug)]
pub struct Subject<'a> {
    /// An executable file, or the folder of a bundle.
    pub path: &'a Path,
    /// The environment it gets; what names a home is replaced by an empty one.
    pub env: &'a BTreeMap<String, String>,
    /// `extensions_config` of the handshake.
    pub config: Value,
    /// What a real session would send in its place; it is looked at only.
    pub own: &'a Value,
    /// How long any answer is waited for, where its own deadline is longer.
    pub patience: Duration,
    /// Ends the check when it is set to anything but 0.
    pub stop: Arc<AtomicUsize>,
}

/// Plays the host against the extension. The error is for a path that names nothing, or a machine without scratch space.
pub fn check(subject: Subject<'_>) -> Result<Report, String> {
    let found = entry::find(subject.path)?;
    let mut report = Report::default();
    report.extension = entry::name(subject.path);
    report.tried(Rule::StartEntry);
    config_id(&subject.config, &mut report);
    config_id(subject.own, &mut report);
    let path = match found {
        Ok(path) => path,
        Err(why) => {
            report.fail(Rule::StartEntry, why, "", "");
            return Ok(report);
        }
    };
    let scratch = tempfile::Builder::new().prefix("e-ext-check-").tempdir();
    let scratch = scratch.map_err(|error| format!("no scratch folder can be made: {}", said(&error)))?;
    // Without links in it, as a working directory is told.
    let root = fs::canonicalize(scratch.path()).unwrap_or_else(|_| scratch.path().to_owned());
    let recipe = recipe(path, &root, subject.env)?;
    let mut play = Play::new(report, recipe, subject.config, subject.patience, subject.stop);
    plan::run(&mut play);
    Ok(play.into_report())
}

/// The folders of a check, and an environment that knows no others.
fn recipe(path: PathBuf, root: &Path, env: &BTreeMap<String, String>) -> Result<Recipe, String> {
    let (home, cwd) = (root.join("home"), root.join("work"));
    for folder in [&home, &cwd] {
        fs::create_dir(folder).map_err(|error| format!("no scratch folder can be made: {}", said(&error)))?;
    }
    let mut env = env.clone();
    env.retain(|name, _| !name.starts_with("XDG_"));
    let home = home.to_string_lossy().into_owned();
    env.insert("E_HOME".into(), format!("{home}/.e"));
    env.insert("HOME".into(), home);
    env.insert("PWD".into(), cwd.to_string_lossy().into_owned());
    Ok(Recipe { path, cwd, env })
}

/// An `id` in the settings comes before the request's own in the line, for whoever looks for `"id":` in it.
fn config_id(config: &Value, report: &mut Report) {
    fn holder(value: &Value) -> bool {
        match value {
            Value::Object(map) => map.contains_key("id") || map.values().any(holder),
            Value::Array(list) => list.iter().any(holder),
            _ => false,
        }
    }
    if holder(config) {
        report.warn(Advice::ConfigId, "`extensions` of settings.json has one");
    }
}
