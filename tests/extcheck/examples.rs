//! Every shipped example passes.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{ids, played, python};
use crate::tools::not_run;

#[test]
fn every_example_passes() {
    let Some(env) = python() else { return };
    if Command::new("node").arg("--version").output().is_err() {
        return not_run("node is not installed");
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guides/extend/examples");
    let files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() >= 8, "{files:?}");
    std::thread::scope(|scope| {
        for path in &files {
            scope.spawn(|| {
                let report = played(path, &env);
                assert_eq!(ids(&report), Vec::<&str>::new(), "{}:\n{}", path.display(), report.text());
            });
        }
    });
}
