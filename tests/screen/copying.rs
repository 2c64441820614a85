//! Copying: which way a copy takes, and what is said of it (G28).

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use super::rig::{Rig, over, quit, ready, submit};
use crate::term::pty::Pty;

/// The reply with its base64.
const REPLY: (&str, &str) = ("copied: é漢", "Y29waWVkOiDDqea8og==");

/// `e` with a fake `xclip` before everything else on the path and a desktop to copy to.
fn started(rig: &Rig, env: &[(&str, &str)]) -> Pty {
    let bin = rig.path("bin");
    std::fs::create_dir(&bin).unwrap();
    let xclip = bin.join("xclip");
    std::fs::write(&xclip, format!("#!/bin/sh\ncat > '{}'\n", rig.path("taken").display())).unwrap();
    std::fs::set_permissions(&xclip, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let spawn = rig.spawn().env("PATH", path).env("DISPLAY", ":77");
    let pty = ready(env.iter().fold(spawn, |spawn, (name, value)| spawn.env(*name, *value)).start());
    submit(&pty, "say it");
    pty.wait_for(REPLY.0);
    over(&pty);
    pty.send("/copy");
    pty.wait_for("› /copy");
    pty.send("\r");
    pty
}

#[test]
fn g28_over_ssh_a_copy_goes_to_the_terminal_and_claims_no_more() {
    let rig = Rig::new(&json!([[REPLY.0]]));
    let mut pty = started(&rig, &[("SSH_TTY", "/dev/pts/7"), ("SSH_CONNECTION", "a b c d")]);
    pty.wait_for("Asked the terminal to copy 10 characters (OSC 52)");
    pty.wait_raw(&format!("\x1b]52;c;{}\x1b\\", REPLY.1));
    assert!(!rig.path("taken").exists(), "the remote machine's xclip was used");
    assert_eq!(quit(&mut pty), Some(0));
}

#[test]
fn g28_at_the_desk_the_helper_that_took_it_is_named() {
    let rig = Rig::new(&json!([[REPLY.0]]));
    let mut pty = started(&rig, &[]);
    pty.wait_for("Copied 10 characters with xclip");
    assert_eq!(std::fs::read_to_string(rig.path("taken")).unwrap(), REPLY.0);
    assert_eq!(quit(&mut pty), Some(0));
}

#[test]
fn g28_with_a_helper_that_fails_only_the_question_is_claimed() {
    let rig = Rig::new(&json!([[REPLY.0]]));
    std::fs::create_dir(rig.path("taken")).unwrap();
    let mut pty = started(&rig, &[]);
    pty.wait_for("Asked the terminal to copy 10 characters (OSC 52)");
    assert_eq!(quit(&mut pty), Some(0));
}
