//! Tests of `e ext check`: a good extension that declares everything passes, each of its mutants is caught under the rule that
//! it breaks, and the guide knows every rule.

mod cases;
mod command;
mod examples;
mod guide;
mod hostile;
mod mutants;
mod samples;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use e::effects::ext_check::{Report, Subject, check};
use serde_json::{Value, json};

use crate::tools::not_run;

/// How long a missing answer is waited for. A machine that runs all tests at once answers late.
const PATIENCE: Duration = Duration::from_secs(3);

/// The good extension; `MUTANT` names what it gets wrong.
fn everything() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/extcheck/fixtures/everything.py")
}

/// An environment in which `python3` is found without a detour; `None`, and said, where there is none.
fn python() -> Option<BTreeMap<String, String>> {
    let asked = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    let path = asked
        .ok()
        .filter(|out| out.status.success())
        .map(|out| PathBuf::from(String::from_utf8_lossy(&out.stdout).trim()));
    let Some(folder) = path.as_deref().and_then(Path::parent) else {
        not_run("python3 is not installed");
        return None;
    };
    let mut env: BTreeMap<String, String> = std::env::vars().collect();
    let old = env.get("PATH").cloned().unwrap_or_default();
    env.insert("PATH".into(), format!("{}:{old}", folder.display()));
    Some(env)
}

fn played(path: &Path, env: &BTreeMap<String, String>) -> Report {
    played_within(PATIENCE, path, env)
}

fn played_within(patience: Duration, path: &Path, env: &BTreeMap<String, String>) -> Report {
    let stop = Arc::new(AtomicUsize::new(0));
    let none = Value::Null;
    check(Subject { path, env, config: json!({}), own: &none, patience, stop }).unwrap()
}

fn mutant(name: &str, env: &BTreeMap<String, String>) -> Report {
    let mut env = env.clone();
    env.insert("MUTANT".into(), name.into());
    played(&everything(), &env)
}

fn ids(report: &Report) -> Vec<&'static str> {
    report.failed().into_iter().map(|rule| rule.id()).collect()
}
