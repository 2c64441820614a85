//! project.mjs: a startup hook that has `e` started in another directory, once.

use e::model::wire::ext::Note;
use serde_json::json;
use std::sync::Arc;

use super::rig::{Bundle, Ext, here, text};

fn bundle() -> Bundle {
    Bundle::shipped(&["project.mjs", "scaffold.mjs"])
}

/// As a launch goes: the flags first, then the startup hook.
fn launched(ext: &mut Ext, value: serde_json::Value) -> Result<e::model::wire::ext::StartupAnswer, Arc<str>> {
    let flags = json!({"project": value});
    ext.tell(Note::Flags(Arc::new(flags.as_object().unwrap().clone())));
    // Not where the extension itself runs: paths are meant as the person's directory has them.
    let cwd = ext.dir().join("work").to_str().unwrap().to_owned();
    ext.startup(&cwd, &["--project", "app", "fix it"], flags)
}

#[test]
fn project_relaunches_in_the_directory() {
    if !here("node") {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join("code")).unwrap();
    let home = home.path().to_str().unwrap();
    let (mut ext, manifest) = bundle().env("HOME", home).greeted();
    assert!(manifest.startup && manifest.hooks.is_empty());
    assert_eq!((&*manifest.flags[0].name, manifest.flags.len()), ("project", 1));
    std::fs::create_dir_all(ext.dir().join("work/app")).unwrap();
    let here = ext.dir().join("work/app").to_str().unwrap().to_owned();
    for (value, wanted) in [
        ("app", here.clone()),
        (&*here, here.clone()),
        ("~/code", format!("{home}/code")),
        ("~", home.to_owned()),
    ] {
        let answer = launched(&mut ext, json!(value)).unwrap();
        let relaunch = answer.relaunch.unwrap();
        assert_eq!(&*relaunch.cwd, wanted, "{value}");
        // e keeps its pid over a relaunch, and here the test is e.
        let guard = (text("E_PROJECT_RELAUNCHED"), Some(text(&std::process::id().to_string())));
        assert_eq!((relaunch.env, answer.env), (vec![guard], vec![]));
        assert_eq!(answer.argv.unwrap(), [text("--project"), text("app"), text("fix it")]);
    }
    ext.shutdown();
}

#[test]
fn project_stops_the_launch_without_a_directory() {
    if !here("node") {
        return;
    }
    let (mut ext, _) = bundle().greeted();
    std::fs::create_dir(ext.dir().join("work")).unwrap();
    std::fs::write(ext.dir().join("work/file"), "").unwrap();
    for (value, why) in [
        (json!(null), "--project needs a directory"),
        (json!(""), "--project needs a directory"),
        (json!("nowhere"), "there is no directory"),
        (json!("file"), "there is no directory"),
    ] {
        let error = launched(&mut ext, value.clone()).unwrap_err();
        assert!(error.contains(why), "{value}: {error}");
    }
    ext.shutdown();
}

#[test]
fn project_relaunches_once() {
    if !here("node") {
        return;
    }
    let me = std::process::id().to_string();
    for (pid, again) in [(&*me, false), ("1", true)] {
        let (mut ext, _) = bundle().env("E_PROJECT_RELAUNCHED", pid).greeted();
        std::fs::create_dir_all(ext.dir().join("work/app")).unwrap();
        let answer = launched(&mut ext, json!("app")).unwrap();
        assert_eq!(answer.relaunch.is_some(), again);
        assert_eq!(answer.argv.unwrap(), [text("--project"), text("app"), text("fix it")]);
        if !again {
            assert_eq!(answer.env, [(text("E_PROJECT_RELAUNCHED"), None)]);
        }
        ext.shutdown();
    }
}

#[test]
fn project_does_nothing_unasked() {
    if !here("node") {
        return;
    }
    let mut ext = bundle().start();
    ext.greet(false);
    let answer = ext.startup("/", &["-p", "hi"], json!({})).unwrap();
    assert_eq!((answer.argv, answer.env, answer.relaunch), (None, vec![], None));
    assert!(ext.settled().is_empty());
    ext.abandoned();
}
