//! `/undo`: what it restores, also after a resume, and when it refuses.

use std::os::unix::fs::PermissionsExt;

use e::model::id::{CallId, SessionId};
use e::model::tool::{Format, Outcome, ToolFx};
use serde_json::json;

use super::{Rig, SESSION, names};

fn edit(rig: &mut Rig, old: &str, new: &str) {
    let output = rig.call("edit", json!({"path": "f", "old_string": old, "new_string": new}));
    assert_eq!(output.outcome, Outcome::Completed, "{}", output.content);
}

fn walk_back(rig: &mut Rig) {
    let undone = rig.undo();
    assert_eq!(undone.outcome, Outcome::Completed, "{}", undone.content);
    assert_eq!(
        &*undone.content,
        "Restored f, as it was before the last change. 2 earlier changes can be undone."
    );
    assert_eq!(undone.summary.as_deref(), Some("+1 -1"));
    let display = undone.display.unwrap();
    assert_eq!(display.format, Format::Diff);
    assert!(display.text.contains("-three\n+two\n"), "{}", display.text);
    assert_eq!(rig.text("f"), "two\n");
    rig.undo();
    assert_eq!(rig.text("f"), "one\n");
    let made = rig.undo();
    assert_eq!(&*made.content, "Removed f, which the last change had made.");
    assert!(!rig.path("f").exists());
    assert_eq!(&*rig.undo().content, "There is nothing to undo in this session.");
}

fn three(rig: &mut Rig) {
    rig.call("write", json!({"path": "f", "content": "one\n"}));
    edit(rig, "one", "two");
    edit(rig, "two", "three");
}

#[test]
fn changes_are_undone_one_by_one() {
    let mut rig = Rig::new();
    three(&mut rig);
    walk_back(&mut rig);
}

#[test]
fn a_resumed_session_still_undoes() {
    let mut rig = Rig::new();
    let log = rig.session("s.jsonl");
    three(&mut rig);
    let store = std::path::PathBuf::from(format!("{}.undo", log.display()));
    assert_eq!(names(&store).len(), 3);
    assert_eq!(std::fs::metadata(&store).unwrap().permissions().mode() & 0o777, 0o700);
    for name in names(&store) {
        assert_eq!(std::fs::metadata(store.join(name)).unwrap().permissions().mode() & 0o777, 0o600);
    }
    // Another process opens the same log.
    let mut later = Rig::new();
    later.cwd.clone_from(&rig.cwd);
    later.home.clone_from(&rig.home);
    later.session("s.jsonl");
    walk_back(&mut later);
    assert!(names(&store).is_empty());
}

#[test]
fn a_file_changed_since_is_left_alone() {
    let mut rig = Rig::new();
    three(&mut rig);
    rig.put("f", "mine\n");
    let refused = rig.undo();
    assert_eq!(refused.outcome, Outcome::Failed);
    assert_eq!(&*refused.content, "f changed since the agent changed it, so nothing was undone.");
    assert_eq!(rig.text("f"), "mine\n");
}

#[test]
fn the_agent_learns_of_an_undo_before_it_overwrites() {
    let mut rig = Rig::new();
    three(&mut rig);
    rig.undo();
    let write = rig.call("write", json!({"path": "f", "content": "four\n"}));
    assert!(write.content.starts_with("stale: f changed on disk"), "{}", write.content);
}

#[test]
fn a_hundred_changes_are_kept_and_failed_ones_are_not() {
    let mut rig = Rig::new();
    let log = rig.session("s.jsonl");
    for n in 0..104 {
        rig.call("write", json!({"path": "f", "content": format!("{n}\n")}));
    }
    rig.call("write", json!({"path": "f/impossible", "content": "x"}));
    let store = std::path::PathBuf::from(format!("{}.undo", log.display()));
    assert_eq!(names(&store).len(), 100);
    for _ in 0..100 {
        assert_eq!(rig.undo().outcome, Outcome::Completed);
    }
    assert_eq!(rig.text("f"), "3\n");
    assert_eq!(rig.undo().outcome, Outcome::Failed);
}

#[test]
fn sessions_do_not_undo_each_others_changes() {
    let mut rig = Rig::new();
    rig.session("a.jsonl");
    three(&mut rig);
    rig.session("b.jsonl");
    assert_eq!(&*rig.undo().content, "There is nothing to undo in this session.");
    rig.session("a.jsonl");
    assert_eq!(rig.undo().outcome, Outcome::Completed);
}

#[test]
fn what_was_changed_before_the_log_was_made_moves_beside_it() {
    let mut rig = Rig::new();
    three(&mut rig);
    std::fs::write(rig.home.join("s.jsonl"), "{}\n").unwrap();
    let log = rig.session("s.jsonl");
    assert_eq!(names(std::path::Path::new(&format!("{}.undo", log.display()))).len(), 3);
    walk_back(&mut rig);
}

#[test]
fn an_old_log_does_not_take_over_what_was_not_saved() {
    let mut rig = Rig::new();
    std::fs::write(rig.home.join("old.jsonl"), "{}\n").unwrap();
    // A file's time is coarser than the clock.
    std::thread::sleep(std::time::Duration::from_millis(50));
    let cwd: std::sync::Arc<str> = rig.cwd.to_str().unwrap().into();
    rig.handle(ToolFx::Session { session: SESSION, log: None, cwd });
    three(&mut rig);
    rig.session("old.jsonl");
    assert_eq!(&*rig.undo().content, "There is nothing to undo in this session.");
}

#[test]
fn open_sessions_keep_their_own_books() {
    let mut rig = Rig::new();
    three(&mut rig);
    let cwd: std::sync::Arc<str> = rig.cwd.to_str().unwrap().into();
    rig.handle(ToolFx::Undo { session: SessionId(2), call: CallId(500), cwd });
    assert_eq!(&*rig.wait(CallId(500)).content, "There is nothing to undo in this session.");
    assert_eq!(rig.undo().outcome, Outcome::Completed);
}
