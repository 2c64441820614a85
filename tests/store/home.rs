//! The rules for every store, on real files.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use e::effects::home::{Home, edit::Change};

use super::child;

pub fn scratch() -> (tempfile::TempDir, Home) {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(dir.path().join("user/.e"), dir.path().join("user"));
    (dir, home)
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn text(home: &Home, name: &str) -> String {
    fs::read_to_string(home.path(name)).unwrap()
}

#[test]
fn the_home_is_found_in_the_environment() {
    let env = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
        pairs.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect()
    };
    let cwd = Path::new("/w");
    let find = |pairs: &[(&str, &str)]| Home::find(&env(pairs), cwd).unwrap().root().to_path_buf();
    assert_eq!(find(&[("HOME", "/h")]), Path::new("/h/.e"));
    assert_eq!(find(&[("HOME", "/h"), ("E_HOME", "/x")]), Path::new("/x"));
    assert_eq!(find(&[("HOME", "/h"), ("E_HOME", "rel")]), Path::new("/w/rel"));
    assert_eq!(find(&[("HOME", "/h"), ("E_HOME", "")]), Path::new("/h/.e"));
    let home = Home::find(&env(&[("HOME", "/h")]), cwd).unwrap();
    assert_eq!(home.show(Path::new("/h/.e/settings.json")), "~/.e/settings.json");
}

#[test]
fn folders_and_secret_files_are_private_also_when_found_looser() {
    let (_dir, home) = scratch();
    fs::create_dir_all(home.root()).unwrap();
    fs::set_permissions(home.root(), fs::Permissions::from_mode(0o755)).unwrap();
    let deep = home.folder("sessions/a").unwrap();
    for folder in [home.root().to_path_buf(), home.path("sessions"), deep] {
        assert_eq!(mode(&folder), 0o700, "{}", folder.display());
    }
    fs::write(home.path("auth.json"), "{}").unwrap();
    fs::set_permissions(home.path("auth.json"), fs::Permissions::from_mode(0o644)).unwrap();
    home.read("auth.json").unwrap();
    assert_eq!(mode(&home.path("auth.json")), 0o600);
    home.edit("auth.json", &[Change::set(&["providers", "local"], serde_json::json!({"key": "k"}))]).unwrap();
    home.edit("settings.json", &[Change::set(&["theme"], "dark")]).unwrap();
    assert_eq!((mode(&home.path("auth.json")), mode(&home.path("settings.json"))), (0o600, 0o600));
}

#[test]
fn g65_writing_keeps_comments_unknown_keys_and_what_another_wrote() {
    let (_dir, home) = scratch();
    home.folder("").unwrap();
    let before = "\u{feff}{\n  // my theme\n  \"theme\": \"dark\",\n  \"colour\": 1, /* odd */\n  \"tab_width\": \"wide\",\n}\n";
    fs::write(home.path("settings.json"), before).unwrap();
    let notice = home
        .edit("settings.json", &[Change::set(&["theme"], "light"), Change::set(&["model"], "a/b")])
        .unwrap();
    assert_eq!(notice, None);
    let after = text(&home, "settings.json");
    for kept in [
        "// my theme",
        "\"theme\": \"light\"",
        "\"colour\": 1",
        "/* odd */",
        "\"tab_width\": \"wide\"",
        "\"model\": \"a/b\"",
    ] {
        assert!(after.contains(kept), "{kept} in {after}");
    }
    home.edit("settings.json", &[Change::remove(&["colour"])]).unwrap();
    assert!(!text(&home, "settings.json").contains("colour"));
    assert_eq!(
        e::model::config::settings::parse("s", &text(&home, "settings.json")).1.len(),
        1,
        "only the wrong tab_width"
    );
}

#[test]
fn a_new_file_says_its_version() {
    let (_dir, home) = scratch();
    home.edit("settings.json", &[Change::set(&["theme"], "dark")]).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text(&home, "settings.json")).unwrap();
    assert_eq!(value, serde_json::json!({"format_version": 1, "theme": "dark"}));
    let entry: String = fs::read_dir(home.root())
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap() + " ")
        .collect();
    assert!(!entry.contains(".e-"), "no temporary file stays: {entry}");
}

#[test]
fn a_newer_versions_file_is_not_touched() {
    let (_dir, home) = scratch();
    home.folder("").unwrap();
    let newer = "{\"format_version\": 2, \"theme\": {\"new\": \"shape\"}}";
    fs::write(home.path("settings.json"), newer).unwrap();
    let error = home.edit("settings.json", &[Change::set(&["theme"], "dark")]).unwrap_err();
    assert!(error.contains("newer e"), "{error}");
    assert_eq!(text(&home, "settings.json"), newer);
}

#[test]
fn g65_a_corrupt_file_is_moved_aside_and_nothing_of_it_is_lost() {
    let (_dir, home) = scratch();
    home.folder("").unwrap();
    for (n, corrupt) in ["{\"theme\": \"da", "[1, 2]", "\u{0}\u{0}"].iter().enumerate() {
        fs::write(home.path("settings.json"), corrupt).unwrap();
        let notice =
            home.edit("settings.json", &[Change::set(&["theme"], "dark")]).unwrap().expect("a notice");
        assert!(notice.contains("settings.json.corrupt-"), "{notice}");
        let aside: Vec<String> = fs::read_dir(home.root())
            .unwrap()
            .map(|e| e.unwrap().path())
            .filter(|p| p.to_string_lossy().contains(".corrupt-"))
            .map(|p| fs::read_to_string(p).unwrap())
            .collect();
        assert_eq!(aside.len(), n + 1);
        assert!(aside.iter().any(|text| text == corrupt), "kept word for word");
        assert!(text(&home, "settings.json").contains("\"dark\""));
    }
}

#[test]
fn g65_a_file_that_cannot_be_read_is_not_overwritten() {
    let (_dir, home) = scratch();
    // A folder in its place: no user, not even root, can read it as a file.
    home.folder("settings.json").unwrap();
    let error = home.edit("settings.json", &[Change::set(&["theme"], "dark")]).unwrap_err();
    assert!(error.contains("cannot be read"), "{error}");
    assert!(home.path("settings.json").is_dir());
    assert!(home.read("settings.json").is_err());
    assert_eq!(home.read("missing.json"), Ok(None));
}

#[test]
fn a_linked_file_is_written_where_it_really_is() {
    let (dir, home) = scratch();
    home.folder("").unwrap();
    let dotfile = dir.path().join("dotfiles-settings.json");
    fs::write(&dotfile, "{\"theme\": \"dark\"}").unwrap();
    std::os::unix::fs::symlink(&dotfile, home.path("settings.json")).unwrap();
    home.edit("settings.json", &[Change::set(&["theme"], "light")]).unwrap();
    assert!(fs::symlink_metadata(home.path("settings.json")).unwrap().is_symlink());
    assert!(fs::read_to_string(dotfile).unwrap().contains("light"));
}

#[test]
fn two_processes_writing_at_once_lose_nothing() {
    let (_dir, home) = scratch();
    let mut children: Vec<_> = (0..3).map(|n| child::start(&home, &format!("settings {n}"))).collect();
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    let value: serde_json::Value = serde_json::from_str(&text(&home, "settings.json")).unwrap();
    for n in 0..3 {
        for k in 0..30 {
            assert_eq!(value[format!("k{n}_{k}")], k, "k{n}_{k}");
        }
    }
}
