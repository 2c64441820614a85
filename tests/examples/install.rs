//! The files as a person installs them: executable, and one entry point to each bundle.

use std::os::unix::fs::PermissionsExt;

use e::effects::docs;
use e::model::ext::discover::{Dir, Kind, Listed, discover};

use super::rig::shipped;

const ALL: [&str; 9] = [
    "diff.mjs",
    "gate.mjs",
    "hello.mjs",
    "notify_tests.py",
    "ping.sh",
    "plan.mjs",
    "project.mjs",
    "protected.mjs",
    "scaffold.mjs",
];

fn listed(name: &str) -> Listed {
    let mode = std::fs::metadata(shipped(name)).unwrap().permissions().mode();
    Listed { name: name.into(), kind: Kind::File { executable: mode & 0o111 != 0 } }
}

#[test]
fn examples_are_all_executable_and_listed() {
    let mut names: Vec<String> = std::fs::read_dir(shipped(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "__pycache__")
        .collect();
    names.sort();
    assert_eq!(names, ALL);
    for name in ALL {
        assert!(matches!(listed(name).kind, Kind::File { executable: true }), "{name}");
        let text = std::fs::read_to_string(shipped(name)).unwrap();
        assert!(text.starts_with("#!"), "{name}");
        assert_eq!(docs::topic(&format!("example-{name}")).unwrap(), text);
    }
    assert!(docs::topics().contains("example-<file>"));
}

/// The header comments say: a directory called like the example, with the scaffold beside it.
#[test]
fn examples_on_the_scaffold_install_as_a_bundle() {
    for name in ["hello", "plan", "project"] {
        let file = format!("{name}.mjs");
        let text = std::fs::read_to_string(shipped(&file)).unwrap();
        assert!(text.contains(&format!("cp {file} scaffold.mjs ~/.e/extensions/{name}/")), "{file}");
        let bundle =
            Listed { name: name.into(), kind: Kind::Dir(vec![listed(&file), listed("scaffold.mjs")]) };
        let dir = Dir { path: "/x".into(), real: "/x".into(), filter: Vec::new(), entries: vec![bundle] };
        let (found, skipped) = discover(&[dir], |_, _| false);
        let found: Vec<&str> = found.iter().map(|found| &*found.file).collect();
        assert_eq!((found, skipped.len()), (vec![&*format!("{name}/{file}")], 0));
    }
}
