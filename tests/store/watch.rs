//! What tells of a saved file: real files, a real kernel.
#![cfg(target_os = "linux")]

use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use e::effects::home::Home;
use e::effects::post::Post;
use e::effects::watch;
use e::model::msg::{Msg, Signal};

fn watched(home: &std::path::Path) -> Receiver<Msg> {
    let (sender, receiver) = channel();
    watch::start(&Home::at(home, home), Post::new(move |msg| drop(sender.send(msg))));
    // The first write that is told of shows that it watches.
    for _ in 0..500 {
        std::fs::write(home.join("layout.json"), "{}").unwrap();
        if receiver.recv_timeout(Duration::from_millis(20)).is_ok() {
            while receiver.recv_timeout(Duration::from_millis(100)).is_ok() {}
            return receiver;
        }
    }
    panic!("it never watched");
}

fn told(receiver: &Receiver<Msg>) -> bool {
    let first = receiver.recv_timeout(Duration::from_secs(10)) == Ok(Msg::Signal(Signal::Saved));
    while receiver.recv_timeout(Duration::from_millis(100)).is_ok() {}
    first
}

#[test]
fn a_saved_file_is_told_of_however_it_is_saved() {
    let dir = tempfile::tempdir().unwrap();
    let (home, file) = (dir.path(), dir.path().join("settings.json"));
    let messages = watched(home);
    std::fs::write(&file, "{}").unwrap();
    assert!(told(&messages), "written in place");
    let beside = home.join("settings.json.tmp");
    std::fs::write(&beside, "{\"theme\": \"light\"}").unwrap();
    std::fs::rename(&beside, &file).unwrap();
    assert!(told(&messages), "renamed into place");
    std::fs::remove_file(&file).unwrap();
    assert!(told(&messages), "removed");
}

#[test]
fn a_theme_in_a_folder_that_was_not_there_and_the_target_of_a_link_are_told_of() {
    let (dir, dots) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let messages = watched(dir.path());
    std::fs::create_dir(dir.path().join("themes")).unwrap();
    assert!(told(&messages), "the folder");
    std::fs::write(dir.path().join("themes/mine.json"), "{}").unwrap();
    assert!(told(&messages), "a theme in it");
    let target = dots.path().join("keys.json");
    std::fs::write(&target, "{}").unwrap();
    std::os::unix::fs::symlink(&target, dir.path().join("keybindings.json")).unwrap();
    assert!(told(&messages), "the link");
    std::fs::write(&target, "{ }").unwrap();
    assert!(told(&messages), "what it leads to");
}

#[test]
fn what_e_writes_for_itself_wakes_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let messages = watched(dir.path());
    std::fs::write(dir.path().join("history.jsonl"), "{}\n").unwrap();
    std::fs::create_dir(dir.path().join("sessions")).unwrap();
    assert!(messages.recv_timeout(Duration::from_millis(300)).is_err());
}
