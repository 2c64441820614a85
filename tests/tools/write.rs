//! `write` on real files.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use e::effects::tool::atomic::{Before, Failure, replace};
use e::model::tool::Outcome;
use serde_json::json;

use super::{Rig, names, not_run};

fn write(rig: &mut Rig, path: &str, content: &str) -> e::model::tool::ToolOutput {
    rig.call("write", json!({"path": path, "content": content}))
}

#[test]
fn a_new_file_gets_its_folders_and_a_diff() {
    let mut rig = Rig::new();
    let output = write(&mut rig, "a/b/c.txt", "one\ntwo\n");
    assert_eq!(output.outcome, Outcome::Completed, "{}", output.content);
    assert_eq!(&*output.content, "Made a/b/c.txt: 2 lines, 8 bytes.");
    assert_eq!(output.summary.as_deref(), Some("+2 -0"));
    assert_eq!(
        &*output.display.unwrap().text,
        "--- /dev/null\n+++ b/a/b/c.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n"
    );
    assert_eq!(names(&rig.path("a/b")), ["c.txt"]);
    let umask = Command::new("sh").args(["-c", "umask"]).output().unwrap().stdout;
    let umask = u32::from_str_radix(String::from_utf8(umask).unwrap().trim(), 8).unwrap();
    let mode = std::fs::metadata(rig.path("a/b/c.txt")).unwrap().permissions().mode() & 0o7777;
    assert_eq!(mode, 0o666 & !umask);
}

#[test]
fn a_missing_final_newline_is_shown() {
    let mut rig = Rig::new();
    rig.put("f", "a\nb");
    let output = write(&mut rig, "f", "a\nc");
    assert!(output.display.unwrap().text.contains("-b\n\\ No newline at end of file\n+c\n\\ No newline"));
}

#[test]
fn g44_writing_over_a_crlf_file_keeps_its_line_ends_and_mark() {
    let mut rig = Rig::new();
    rig.put("f", "\u{FEFF}one\r\ntwo\r\nthree\r\n");
    let output = write(&mut rig, "f", "one\n2\nthree\n");
    assert_eq!(rig.text("f"), "\u{FEFF}one\r\n2\r\nthree\r\n");
    assert_eq!(output.summary.as_deref(), Some("+1 -1"));
    assert!(output.content.contains("CRLF line ends were kept"));
    rig.put("mixed", "a\r\nb\nc\r\nd\r\n");
    write(&mut rig, "mixed", "a\nb\nC\nd\nnew\n");
    assert_eq!(rig.text("mixed"), "a\r\nb\nC\r\nd\r\nnew\r\n");
}

#[test]
fn what_is_not_text_is_not_overwritten() {
    let mut rig = Rig::new();
    rig.put("f.bin", b"\x7fELF\0\0\0\x01");
    let output = write(&mut rig, "f.bin", "x");
    assert_eq!(output.outcome, Outcome::Failed);
    assert!(output.content.contains("f.bin is not a text file"), "{}", output.content);
    assert_eq!(rig.bytes("f.bin"), b"\x7fELF\0\0\0\x01");
}

#[test]
fn g49_a_write_through_links_keeps_them() {
    let mut rig = Rig::new();
    rig.put("real", "a\n");
    std::fs::set_permissions(rig.path("real"), PermissionsExt::from_mode(0o750)).unwrap();
    symlink("real", rig.path("link")).unwrap();
    symlink("later", rig.path("dangling")).unwrap();
    write(&mut rig, "link", "b\n");
    write(&mut rig, "dangling", "new\n");
    assert_eq!((rig.text("real"), rig.text("later")), ("b\n".into(), "new\n".into()));
    assert!(rig.path("link").is_symlink() && rig.path("dangling").is_symlink());
    assert_eq!(std::fs::metadata(rig.path("real")).unwrap().permissions().mode() & 0o7777, 0o750);
}

#[test]
fn g50_a_file_saved_meanwhile_is_not_overwritten() {
    let mut rig = Rig::new();
    rig.put("f", "one\n");
    rig.call("read", json!({"path": "f"}));
    rig.put("f", "two\n");
    let output = write(&mut rig, "f", "mine\n");
    assert_eq!(output.outcome, Outcome::Failed);
    assert!(
        output.content.starts_with("stale: f changed on disk since you last saw it"),
        "{}",
        output.content
    );
    assert!(output.content.ends_with("It now holds:\ntwo\n"), "{}", output.content);
    assert_eq!(rig.text("f"), "two\n");
    // Now it has seen it.
    assert_eq!(write(&mut rig, "f", "mine\n").outcome, Outcome::Completed);
}

#[test]
fn what_others_did_meanwhile_is_never_lost() {
    let rig = Rig::new();
    rig.put("f", "theirs");
    let path = rig.path("f");
    assert!(matches!(replace(&path, Before::Bytes(b"seen"), b"ours"), Err(Failure::Changed)));
    assert!(matches!(replace(&path, Before::Missing, b"ours"), Err(Failure::Changed)));
    assert_eq!(rig.text("f"), "theirs");
    std::fs::hard_link(&path, rig.path("g")).unwrap();
    assert!(matches!(replace(&path, Before::Bytes(b"seen"), b"ours"), Err(Failure::Changed)));
    assert_eq!(rig.text("g"), "theirs");
    assert_eq!(names(&rig.cwd), ["f", "g"]);
}

/// Another program replaces the file all the time: each of its versions is either what was replaced or still there.
#[test]
fn a_race_with_another_writer_loses_nothing() {
    let rig = Rig::new();
    rig.put("f", "0");
    let (path, side) = (rig.path("f"), rig.path("side"));
    let theirs = std::thread::spawn({
        let path = path.clone();
        move || {
            for n in 0..300 {
                std::fs::write(&side, format!("theirs {n}")).unwrap();
                std::fs::rename(&side, &path).unwrap();
            }
        }
    });
    let mut last_seen = String::new();
    while !theirs.is_finished() {
        let now = std::fs::read_to_string(&path).unwrap();
        if now.starts_with("theirs") {
            last_seen.clone_from(&now);
        }
        match replace(&path, Before::Bytes(now.as_bytes()), b"ours") {
            Ok(()) | Err(Failure::Changed) => {}
            Err(Failure::Other(why)) => assert!(why.contains("its last version is at"), "{why}"),
        }
    }
    theirs.join().unwrap();
    // The last version was replaced knowingly, is there, or was kept beside.
    let now = std::fs::read_to_string(&path).unwrap();
    let kept = names(&rig.cwd)
        .iter()
        .any(|n| n != "f" && std::fs::read_to_string(rig.path(n)).unwrap() == "theirs 299");
    assert!(now == "theirs 299" || last_seen == "theirs 299" || kept, "{now} {last_seen}");
}

#[test]
fn a_full_disk_is_told_and_loses_nothing() {
    let mut rig = Rig::new();
    let disk = rig.path("disk");
    std::fs::create_dir(&disk).unwrap();
    let tmpfs = ["-t", "tmpfs", "-o", "size=64k", "tmpfs"];
    if !Command::new("mount").args(tmpfs).arg(&disk).output().is_ok_and(|out| out.status.success()) {
        not_run("a small file system can't be mounted here");
        return;
    }
    rig.put("disk/f", "old\n");
    let large = "x".repeat(1_000_000);
    let outputs = [write(&mut rig, "disk/f", &large), write(&mut rig, "disk/new", &large)];
    let left = names(&disk);
    let kept = rig.text("disk/f");
    Command::new("umount").arg(&disk).status().unwrap();
    for output in outputs {
        assert_eq!(output.outcome, Outcome::Failed);
        assert!(
            output.content.contains("could not be written: no space left on device."),
            "{}",
            output.content
        );
    }
    assert_eq!((left, kept), (vec!["f".to_owned()], "old\n".to_owned()));
}

#[test]
fn a_read_only_file_is_refused_for_who_may_not_write_it() {
    let mut rig = Rig::new();
    rig.put("f", "a\n");
    std::fs::set_permissions(rig.path("f"), PermissionsExt::from_mode(0o444)).unwrap();
    if rustix::process::geteuid().is_root() {
        not_run("root may write everything");
        return;
    }
    let output = write(&mut rig, "f", "b\n");
    assert!(output.content.contains("can't be written (mode 0444)"), "{}", output.content);
    assert_eq!(rig.text("f"), "a\n");
}

#[test]
fn g12_names_with_control_characters_are_shown_on_one_line_and_still_work() {
    let mut rig = Rig::new();
    let name = "a\u{1b}[41m\nb.txt";
    let output = write(&mut rig, name, "x\n");
    assert!(output.content.starts_with("Made a\\x1b[41m\\nb.txt: "), "{}", output.content);
    assert!(!output.display.unwrap().text.contains('\u{1b}'));
    // The shown name finds the file.
    assert!(rig.call("read", json!({"path": "a\\x1b[41m\\nb.txt"})).content.starts_with("1\tx"));
}

#[test]
fn unusable_arguments_are_refused_with_the_schema() {
    let mut rig = Rig::new();
    let output = rig.call("write", json!({"path": "f"}));
    assert_eq!(output.outcome, Outcome::Failed);
    assert!(
        output.content.starts_with("write: `content` is missing; expected a text."),
        "{}",
        output.content
    );
    assert!(output.content.contains("\"required\":[\"path\",\"content\"]"));
    assert!(!rig.path("f").exists());
}

#[test]
fn g64_a_workspace_that_is_gone_is_said_to_be() {
    let mut rig = Rig::new();
    std::fs::remove_dir_all(&rig.cwd).unwrap();
    let calls = [
        ("bash", json!({"command": "pwd"})),
        ("read", json!({"path": "f"})),
        ("grep", json!({"pattern": "x"})),
        ("write", json!({"path": "f", "content": "x"})),
        ("edit", json!({"path": "f", "old_string": "x", "new_string": "y"})),
    ];
    for (name, arguments) in calls.clone() {
        let output = rig.call(name, arguments);
        assert_eq!(output.outcome, Outcome::Failed, "{name}");
        let gone = format!("The workspace {} is gone", rig.cwd.display());
        assert!(output.content.starts_with(&gone), "{name}: {}", output.content);
    }
    std::fs::create_dir(&rig.cwd).unwrap();
    assert_eq!(rig.bash("pwd").outcome, Outcome::Completed);
}
