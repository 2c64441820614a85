//! Trust on real directories.

use std::fs;
use std::os::unix::fs::symlink;

use e::effects::home::trust::{record, verdict};
use e::model::boot::Trusted;

use super::home::scratch;

#[test]
fn trust_covers_what_is_inside_and_follows_links() {
    let (dir, home) = scratch();
    let project = dir.path().join("project");
    fs::create_dir_all(project.join("src/deep")).unwrap();
    symlink(&project, dir.path().join("link")).unwrap();
    assert_eq!(verdict(&home, &project, None), Trusted::Unknown);
    record(&home, &dir.path().join("link"), true).unwrap();
    assert_eq!(verdict(&home, &project.join("src/deep"), None), Trusted::Yes);
    assert_eq!(verdict(&home, &dir.path().join("link/src"), None), Trusted::Yes);
    assert_eq!(verdict(&home, dir.path(), None), Trusted::Unknown);
    record(&home, &project.join("src"), false).unwrap();
    assert_eq!(verdict(&home, &project.join("src/deep"), None), Trusted::Refused);
    assert_eq!(verdict(&home, &project, None), Trusted::Yes);
}

#[test]
fn the_home_directory_is_never_recorded() {
    let (_dir, home) = scratch();
    fs::create_dir_all(home.user()).unwrap();
    let error = record(&home, home.user(), true).unwrap_err();
    assert!(error.contains("home directory"), "{error}");
    assert_eq!(verdict(&home, home.user(), None), Trusted::Unknown);
    assert!(record(&home, &home.user().join("missing"), true).unwrap_err().contains("no directory"));
}

#[test]
fn a_directory_accepted_for_this_time_is_trusted_without_a_record() {
    let (dir, home) = scratch();
    let project = dir.path().join("project");
    fs::create_dir_all(project.join("sub")).unwrap();
    let once = project.to_string_lossy().into_owned();
    assert_eq!(verdict(&home, &project.join("sub"), Some(&once)), Trusted::Yes);
    assert_eq!(verdict(&home, dir.path(), Some(&once)), Trusted::Unknown);
    assert_eq!(verdict(&home, &project, Some("")), Trusted::Unknown);
    assert!(!home.path("trust.json").exists());
}
