//! `e tour`: a scratch project with a failing test, and a scratch home that trusts it. Nothing of the person's is touched.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::home::{Home, said, trust};

/// What the tour's session is asked.
pub const PROMPT: &str = "A test fails here. Find out why, and fix it.";

/// The script that the model `demo/tour` plays.
pub const SCRIPT: &str = include_str!("data/tour.json");

const PROJECT: &[(&str, &str)] = &[
    ("README.md", include_str!("data/tour/README.md")),
    ("src/almanac.sh", include_str!("data/tour/almanac.sh")),
    ("tests/run.sh", include_str!("data/tour/run.sh")),
];

/// Where a tour takes place. Both stay after it, so that its edits can be looked at.
#[derive(Debug)]
pub struct Scratch {
    pub project: PathBuf,
    pub home: PathBuf,
}

/// Makes project and home in a new temporary folder.
pub fn make(env: &BTreeMap<String, String>) -> Result<Scratch, String> {
    let folder = tempfile::Builder::new()
        .prefix("e-tour-")
        .tempdir()
        .map_err(|e| format!("no scratch folder can be made: {}", said(&e)))?;
    let folder = folder.keep();
    let (project, home) = (folder.join("almanac"), folder.join("home"));
    for (name, text) in PROJECT {
        write(&project.join(name), text)
            .map_err(|e| format!("the scratch project cannot be written: {}", said(&e)))?;
    }
    repository(&project, env);
    trust::record(&Home::at(&home, ""), &project, true)?;
    Ok(Scratch { project, home })
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
}

/// Makes it a repository where git is at hand; the tour works without.
fn repository(project: &Path, env: &BTreeMap<String, String>) {
    let git = |words: &[&str]| {
        // The person's own git settings (hooks, signing) have no say here.
        let own = env.iter().filter(|(name, _)| !name.starts_with("GIT_"));
        Command::new("git")
            .args([
                "-c",
                "user.name=tour",
                "-c",
                "user.email=tour@localhost",
                "-c",
                "commit.gpgsign=false",
                "-c",
                "init.defaultBranch=main",
            ])
            .args(words)
            .current_dir(project)
            .env_clear()
            .envs(own)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    let _made =
        git(&["init", "-q"]) && git(&["add", "-A"]) && git(&["commit", "-q", "-m", "Begin the almanac"]);
}
