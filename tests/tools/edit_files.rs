//! `edit` on real files: links, modes, changes behind the agent's back.

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::process::Command;

use e::model::tool::{Format, Outcome};
use serde_json::json;

use super::{Rig, names, not_run};

fn edit(rig: &mut Rig, path: &str, old: &str, new: &str) -> e::model::tool::ToolOutput {
    rig.call("edit", json!({"path": path, "old_string": old, "new_string": new}))
}

#[test]
fn an_edit_says_where_and_shows_the_difference() {
    let mut rig = Rig::new();
    rig.put("src/a.rs", "one\ntwo\nthree\n");
    let output = edit(&mut rig, "src/a.rs", "two", "2\n2b");
    assert_eq!(output.outcome, Outcome::Completed, "{}", output.content);
    assert_eq!(&*output.content, "Edited src/a.rs at line 2.");
    assert_eq!(output.summary.as_deref(), Some("+2 -1"));
    let display = output.display.unwrap();
    assert_eq!(display.format, Format::Diff);
    assert_eq!(
        &*display.text,
        "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n+2b\n three\n"
    );
    assert_eq!(rig.text("src/a.rs"), "one\n2\n2b\nthree\n");
    assert_eq!(names(&rig.path("src")), ["a.rs"]);
}

#[test]
fn g44_the_diff_of_a_crlf_file_shows_only_the_intended_lines() {
    let mut rig = Rig::new();
    rig.put("w.txt", "l1\r\nl2\r\nl3\r\nl4\r\n");
    let output = edit(&mut rig, "w.txt", "l2\nl3", "L2\nL3");
    assert_eq!(output.summary.as_deref(), Some("+2 -2"));
    assert_eq!(rig.text("w.txt"), "l1\r\nL2\r\nL3\r\nl4\r\n");
}

#[test]
fn g47_replace_all_says_how_many() {
    let mut rig = Rig::new();
    rig.put("f", "x\ny\nx\n");
    assert!(edit(&mut rig, "f", "x", "z").content.contains("f: `old_string` occurs 2 times, at lines 1, 3"));
    let all =
        rig.call("edit", json!({"path": "f", "old_string": "x", "new_string": "z", "replace_all": true}));
    assert_eq!(&*all.content, "Edited f in 2 places, at lines 1, 3.");
}

#[test]
fn g49_an_edit_through_a_link_changes_the_target_and_keeps_link_and_mode() {
    let mut rig = Rig::new();
    rig.put("real", "a\n");
    std::fs::set_permissions(rig.path("real"), PermissionsExt::from_mode(0o755)).unwrap();
    symlink("real", rig.path("link")).unwrap();
    edit(&mut rig, "link", "a", "b");
    assert_eq!(std::fs::read_link(rig.path("link")).unwrap().to_str(), Some("real"));
    assert_eq!(rig.text("real"), "b\n");
    assert_eq!(std::fs::metadata(rig.path("real")).unwrap().permissions().mode() & 0o7777, 0o755);
    rig.put("secret", "a\n");
    std::fs::set_permissions(rig.path("secret"), PermissionsExt::from_mode(0o600)).unwrap();
    edit(&mut rig, "secret", "a", "b");
    assert_eq!(std::fs::metadata(rig.path("secret")).unwrap().permissions().mode() & 0o7777, 0o600);
    assert_eq!(names(&rig.cwd), ["link", "real", "secret"]);
}

#[test]
fn g49_hard_links_and_extended_attributes_survive() {
    let mut rig = Rig::new();
    rig.put("one", "a\n");
    std::fs::hard_link(rig.path("one"), rig.path("two")).unwrap();
    edit(&mut rig, "one", "a", "b");
    assert_eq!(rig.text("two"), "b\n");
    assert_eq!(std::fs::metadata(rig.path("two")).unwrap().nlink(), 2);
    rig.put("marked", "a\n");
    let path = rig.path("marked");
    if rustix::fs::setxattr(&path, "user.note", b"kept", rustix::fs::XattrFlags::empty()).is_err() {
        not_run("this file system has no extended attributes");
        return;
    }
    edit(&mut rig, "marked", "a", "b");
    let mut value = vec![0; 16];
    let length = rustix::fs::getxattr(&path, "user.note", value.as_mut_slice()).unwrap();
    assert_eq!(&value[..length], b"kept");
    assert_eq!(names(&rig.cwd), ["marked", "one", "two"]);
}

#[test]
fn g49_in_a_folder_that_can_not_be_written_the_file_is_written_in_place() {
    let mut rig = Rig::new();
    rig.put("shut/f", "a\n");
    let folder = rig.path("shut");
    std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o555)).unwrap();
    // Root is not held by modes; the attribute holds even root.
    let attribute =
        |flag: &str| Command::new("chattr").arg(flag).arg(&folder).status().is_ok_and(|s| s.success());
    let held = std::fs::write(folder.join("probe"), "").is_err() || attribute("+i");
    if held {
        let before = std::fs::metadata(folder.join("f")).unwrap().ino();
        let output = edit(&mut rig, "shut/f", "a", "b");
        assert_eq!(output.outcome, Outcome::Completed, "{}", output.content);
        assert_eq!(std::fs::metadata(folder.join("f")).unwrap().ino(), before);
        let made = rig.call("write", json!({"path": "shut/new", "content": "x"}));
        assert_eq!(made.outcome, Outcome::Failed);
        assert!(made.content.starts_with("shut/new "), "{}", made.content);
        attribute("-i");
        let _ = std::fs::remove_file(folder.join("probe"));
        assert_eq!(names(&folder), ["f"]);
        assert_eq!(rig.text("shut/f"), "b\n");
    } else {
        not_run("nothing here can make a folder unwritable for this user");
    }
    std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o755)).unwrap();
}

#[test]
fn g50_an_edit_works_on_what_is_there_and_says_that_it_changed() {
    let mut rig = Rig::new();
    rig.put("f", "one\ntwo\n");
    rig.call("read", json!({"path": "f"}));
    // Same size, same second.
    rig.put("f", "ONE\ntwo\n");
    let output = edit(&mut rig, "f", "two", "2");
    assert_eq!(output.outcome, Outcome::Completed);
    assert!(output.content.contains("had changed on disk since you last saw it"), "{}", output.content);
    assert_eq!(rig.text("f"), "ONE\n2\n");
    // What changed is still unseen: a write must not bury it.
    let write = rig.call("write", json!({"path": "f", "content": "mine\n"}));
    assert_eq!(write.outcome, Outcome::Failed);
    assert!(write.content.starts_with("stale: f changed on disk"), "{}", write.content);
}

#[test]
fn g50_a_changed_time_alone_is_no_obstacle() {
    let mut rig = Rig::new();
    rig.put("f", "one\n");
    rig.call("read", json!({"path": "f"}));
    rig.put("f", "one\n");
    assert_eq!(&*edit(&mut rig, "f", "one", "two").content, "Edited f at line 1.");
    rig.put("f", "two\n");
    assert_eq!(rig.call("write", json!({"path": "f", "content": "three\n"})).outcome, Outcome::Completed);
}

#[test]
fn what_can_not_be_edited_is_named() {
    let mut rig = Rig::new();
    rig.put("src/main.rs", "x");
    for (path, why) in [
        ("src/mian.rs", "src/mian.rs does not exist."),
        ("src/main.r", "Near it are: main.rs."),
        ("srk/main.rs", "there is no folder srk"),
        ("src", "src is a folder, not a file. It holds: main.rs"),
        ("/dev/null", "/dev/null is a device, not a file"),
    ] {
        let output = edit(&mut rig, path, "x", "y");
        assert_eq!(output.outcome, Outcome::Failed);
        assert!(output.content.contains(why), "{path}: {}", output.content);
    }
}
