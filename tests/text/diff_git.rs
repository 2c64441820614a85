//! Diffs that a real git makes under the settings people have.

use std::path::Path;
use std::process::Command;

use e::model::text::diff::{Diff, How, Kind, Uncoloured, parse, rows};

fn git(dir: &Path, args: &[&str]) -> String {
    let out = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main"])
        .args(args)
        .current_dir(dir)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

/// The changed lines: file, number, text.
fn changes(text: &str) -> Vec<(String, usize, String)> {
    let diff = parse(text);
    let changed = diff.rows.iter().filter(|row| matches!(row.kind, Kind::Added | Kind::Removed));
    changed
        .map(|row| (diff.files[row.file].name.to_string(), row.number().unwrap(), row.text.to_string()))
        .collect()
}

#[test]
fn g31_git_settings_change_nothing_but_the_context() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    git(dir, &["init", "-q"]);
    std::fs::create_dir(dir.join("sub dir")).unwrap();
    let lines: Vec<String> =
        (1..=30).map(|n| if n % 4 == 0 { String::new() } else { format!("line {n}") }).collect();
    let write =
        |name: &str, lines: &[String]| std::fs::write(dir.join(name), lines.join("\n") + "\n").unwrap();
    write("sub dir/f.txt", &lines);
    write("b", &lines);
    git(dir, &["add", "."]);
    git(dir, &["commit", "-qm", "x"]);
    let mut changed = lines.clone();
    (changed[5], changed[17]) = ("changed six".into(), "changed eighteen".into());
    write("sub dir/f.txt", &changed);
    changed = lines;
    changed[0] = "first".into();
    write("b", &changed);

    let expected = changes(&git(dir, &["diff"]));
    assert_eq!(expected.len(), 6);
    assert_eq!(expected[0], ("b".into(), 1, "line 1".into()));
    assert_eq!(expected[4], ("sub dir/f.txt".into(), 18, "line 18".into()));
    for setting in [
        "diff.noprefix=true",
        "diff.mnemonicPrefix=true",
        "color.ui=always",
        "diff.suppressBlankEmpty=true",
        "diff.context=0",
        "diff.interHunkContext=9",
        "diff.algorithm=histogram",
    ] {
        assert_eq!(changes(&git(dir, &["-c", setting, "diff"])), expected, "{setting}");
        assert_eq!(changes(&git(dir, &["-c", setting, "diff", "-R"])).len(), 6, "{setting}");
    }
    let inside = changes(&git(&dir.join("sub dir"), &["-c", "diff.relative=true", "diff"]));
    assert_eq!(inside[0], ("f.txt".into(), 6, "line 6".into()));
}

#[test]
fn renames_modes_binaries_and_odd_names_of_a_real_git() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    git(dir, &["init", "-q"]);
    let body = "some text\n".repeat(20);
    for name in ["old name", "mode.sh", "日本.md", "q\"uote\n"] {
        std::fs::write(dir.join(name), &body).unwrap();
    }
    std::fs::write(dir.join("bin"), [0u8, 1, 2]).unwrap();
    git(dir, &["add", "."]);
    git(dir, &["commit", "-qm", "x"]);
    git(dir, &["mv", "old name", "new name"]);
    git(dir, &["update-index", "--chmod=+x", "mode.sh"]);
    std::fs::write(dir.join("bin"), [0u8, 9]).unwrap();
    for name in ["日本.md", "q\"uote\n"] {
        std::fs::write(dir.join(name), body.replacen("some", "other", 1)).unwrap();
    }
    git(dir, &["add", "bin", "日本.md", "q\"uote\n"]);
    let diff = parse(&git(dir, &["diff", "--cached", "-M"]));
    let files: Vec<(String, Vec<String>)> = diff
        .files
        .iter()
        .map(|f| {
            (String::from_utf8(f.path.clone()).unwrap(), f.notes.iter().map(ToString::to_string).collect())
        })
        .collect();
    let file = |path: &str, notes: &[&str]| {
        (path.to_owned(), notes.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>())
    };
    assert_eq!(
        files,
        [
            file("bin", &["binary"]),
            file("mode.sh", &["mode 644 → 755"]),
            file("new name", &["renamed from old name"]),
            file("q\"uote\n", &[]),
            file("日本.md", &[]),
        ]
    );
}

/// The painted rows.
fn shown(diff: &Diff) -> Vec<String> {
    let painted = rows(diff, How::wrapped(80), &Uncoloured);
    painted.iter().map(|row| row.plain().trim_end().to_owned()).collect()
}

fn repository(dir: &Path) {
    git(dir, &["init", "-q"]);
    git(dir, &["config", "core.autocrlf", "false"]);
}

fn commit(dir: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        std::fs::write(dir.join(name), text).unwrap();
    }
    git(dir, &["add", "."]);
    git(
        dir,
        &[
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@t",
            "commit",
            "-qm",
            "change\n\n--- not a header\n+++ nor this",
        ],
    );
}

#[test]
fn a_merge_of_a_real_git_shows_both_signs() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    repository(dir);
    commit(dir, &[("f.c", "one\ntwo\nthree\n")]);
    git(dir, &["checkout", "-qb", "side"]);
    commit(dir, &[("f.c", "one\nside\nthree\n")]);
    git(dir, &["checkout", "-q", "main"]);
    commit(dir, &[("f.c", "one\nours\nthree\n")]);
    let _ = Command::new("git").args(["merge", "-q", "side"]).current_dir(dir).output().unwrap();
    commit(dir, &[("f.c", "one\nboth\nthree\n")]);
    for form in ["--cc", "-c"] {
        let diff = parse(&git(dir, &["show", form, "HEAD"]));
        assert_eq!(
            shown(&diff),
            ["f.c", "    1    one", "    2 -  ours", "    2  - side", "    2 ++ both", "    3    three"],
            "{form}"
        );
    }
}

#[test]
fn a_mailbox_of_patches_is_read_whole() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    repository(dir);
    commit(dir, &[("a", "1\n"), ("b", "1\n")]);
    commit(dir, &[("a", "2\n")]);
    commit(dir, &[("b", "2")]);
    let diff = parse(&git(dir, &["format-patch", "--stdout", "HEAD~2"]));
    assert_eq!(
        shown(&diff),
        ["a", "    1 - 1", "    1 + 2", "", "b", "    1 - 1", "    1 + 2", "        no newline at end"]
    );
    // The signature behind a patch is none of its lines.
    assert_eq!(diff.stats(), (2, 2));
}

#[test]
fn copies_links_and_types_of_a_real_git() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    repository(dir);
    let body: String = (0..30).map(|n| format!("line {n} of the file\n")).collect();
    commit(dir, &[("a", &body), ("gone", "x\n"), ("t", "target")]);
    std::fs::copy(dir.join("a"), dir.join("copy of a")).unwrap();
    std::fs::remove_file(dir.join("gone")).unwrap();
    std::fs::remove_file(dir.join("t")).unwrap();
    std::os::unix::fs::symlink("target", dir.join("t")).unwrap();
    std::fs::write(dir.join("empty"), "").unwrap();
    git(dir, &["add", "-A"]);
    let diff = parse(&git(dir, &["diff", "--cached", "-C", "--find-copies-harder"]));
    let files: Vec<String> =
        shown(&diff).into_iter().filter(|row| !row.is_empty() && !row.starts_with(' ')).collect();
    assert_eq!(files, ["copy of a  copied from a", "empty  new", "gone  deleted", "t  deleted", "t  new"]);
}

#[test]
fn g29_g33_line_ends_of_a_real_git() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    repository(dir);
    commit(dir, &[("f", "one\r\ntwo\r\nthree\r\n"), ("g", "a\nb")]);
    std::fs::write(dir.join("f"), "one\r\nTWO\r\nthree\r\n").unwrap();
    std::fs::write(dir.join("g"), "a\nb\n").unwrap();
    assert_eq!(
        shown(&parse(&git(dir, &["diff"]))),
        [
            "f",
            "    1   one",
            "    2 - two",
            "    2 + TWO",
            "    3   three",
            "",
            "g",
            "    1   a",
            "    2 - b",
            "        no newline at end",
            "    2 + b"
        ]
    );
    std::fs::write(dir.join("f"), "one\ntwo\nthree\n").unwrap();
    let diff = parse(&git(dir, &["diff", "f"]));
    assert_eq!(shown(&diff)[1..3], ["    1 - one␍", "    2 - two␍"]);
    assert!(diff.rows.iter().all(|row| !row.moved && !row.blanks));
}

#[test]
fn moved_code_and_functions_of_a_real_git() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    repository(dir);
    let one = "fn one() {\n    let first = 1;\n    let second = 2;\n    use_both(first, second);\n}\n\n";
    let rest: String =
        (0..8).map(|n| format!("fn f{n}() {{\n    a();\n    b();\n    c();\n    d{n}();\n}}\n\n")).collect();
    commit(dir, &[("f.rs", &format!("{one}{rest}"))]);
    std::fs::write(dir.join("f.rs"), format!("{rest}{one}").replace("d4();", "changed();")).unwrap();
    let diff = parse(&git(dir, &["diff"]));
    let rows = shown(&diff);
    assert!(rows.contains(&"    2»-     let first = 1;".to_owned()), "{rows:?}");
    assert!(rows.iter().any(|row| row.ends_with("»+     let first = 1;")), "{rows:?}");
    assert!(rows.contains(&"      ⋯ fn f4() {".to_owned()), "{rows:?}");
    assert!(diff.rows.iter().filter(|row| row.text.as_str().contains("d4")).all(|row| !row.moved));
}
