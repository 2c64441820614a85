//! Diffs that a real git makes under the settings people have.

use std::path::Path;
use std::process::Command;

use e::model::text::diff::{Kind, parse};

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
