//! `trust.json`: asking and recording whether a directory's instructions may be followed.

use std::path::{Path, PathBuf};

use super::Home;
use super::edit::Change;
use crate::model::boot::Trusted;
use crate::model::config::trust::{self, Trust};

/// Whether `dir` is trusted. `once` is `E_TRUSTED`: a directory accepted for this time by whoever started this process.
pub fn verdict(home: &Home, dir: &Path, once: Option<&str>) -> Trusted {
    let real = real(dir);
    let name = real.to_string_lossy();
    if once.is_some_and(|once| {
        !once.is_empty() && trust::covers(&self::real(Path::new(once)).to_string_lossy(), &name)
    }) {
        return Trusted::Yes;
    }
    match recorded(home).verdict(&name) {
        Some(true) => Trusted::Yes,
        Some(false) => Trusted::Refused,
        None => Trusted::Unknown,
    }
}

fn recorded(home: &Home) -> Trust {
    let text = home.read("trust.json").ok().flatten().unwrap_or_default();
    trust::parse("trust.json", &text).0
}

/// Records a directory; the answer is a notice when the file had to be moved aside.
pub fn record(home: &Home, dir: &Path, trusted: bool) -> Result<Option<String>, String> {
    let real = real(dir);
    if !real.is_dir() {
        return Err(format!("{} is no directory", dir.display()));
    }
    let own =
        [home.user(), home.root()].iter().any(|own| !own.as_os_str().is_empty() && self::real(own) == real);
    if own && trusted {
        return Err(format!(
            "{} is your home directory; trusting it would trust everything inside, so it is not recorded. Trust a project's directory instead.",
            real.display()
        ));
    }
    let name = real.to_str().ok_or("the directory's path is not UTF-8, so it cannot be recorded")?;
    home.edit("trust.json", &[Change::set(&["directories", name], trusted)])
}

/// The path behind links; as given when it cannot be followed.
pub fn real(dir: &Path) -> PathBuf {
    std::fs::canonicalize(dir).unwrap_or_else(|_| dir.to_path_buf())
}
