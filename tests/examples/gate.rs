//! gate.mjs: only an explicit block stops a call, and with `ask` a command runs after a Yes alone.

use e::model::wire::ext::{Ask, HookKind, Incoming, Reply, Request, UiAsk};
use serde_json::{Value, json};

use super::answers::{allows, gated};
use super::rig::{Bundle, Ext, here};

fn bundle(ask: bool) -> Bundle {
    Bundle::shipped(&["gate.mjs"]).config(json!({"gate": {"ask": ask}}))
}

fn bash(command: &str) -> Value {
    json!({"command": command})
}

fn asked(ext: &mut Ext) -> (Request, String) {
    let request = ext.request();
    let Ask::Ui(UiAsk::Confirm { message, .. }) = &request.ask else { panic!("{request:?}") };
    let message = message.as_str().to_owned();
    (request, message)
}

#[test]
fn gate_refuses_what_destroys_and_nothing_else() {
    if !here("node") {
        return;
    }
    let (mut ext, manifest) = bundle(false).greeted();
    assert_eq!(manifest.hooks.iter().collect::<Vec<_>>(), [&HookKind::ToolCall]);
    assert!(manifest.events.is_empty());
    for command in [
        "rm -rf /",
        "sudo rm -r -f ~/",
        "cd x && rm -fr \"$HOME\"",
        "rm --recursive ..",
        "git push origin main --force",
        "git push -f",
        "git reset --hard HEAD~3",
        "git clean -fdx",
        "mkfs.ext4 /dev/sda1",
        "dd if=image of=/dev/sda bs=4M",
        ":(){ :|:& };:",
        "make; reboot",
    ] {
        let reason = allows(&ext.hook(gated("bash", bash(command)))).unwrap_err();
        assert!(reason.starts_with("gate: this command "), "{command}: {reason}");
    }
    for command in [
        "rm -rf ./build /tmp/scratch",
        "rm a.txt",
        "git push --force-with-lease",
        "git reset HEAD a.txt",
        "dd if=a of=b",
        "echo rm; ls -r /",
        "cat reboot.md",
    ] {
        assert_eq!(allows(&ext.hook(gated("bash", bash(command)))), Ok(()), "{command}");
    }
    // A tool of another name is not its business, and what it cannot read is let through.
    assert_eq!(allows(&ext.hook(gated("read", bash("rm -rf /")))), Ok(()));
    for odd in [json!({}), json!(null), json!({"command": 7}), json!([])] {
        assert_eq!(allows(&ext.hook(gated("bash", odd))), Ok(()));
    }
    // Arguments that were not JSON come as one string.
    assert!(allows(&ext.hook(gated("bash", json!("{\"command\": \"rm -rf / ")))).is_err());
    assert!(ext.settled().is_empty(), "it asked nobody");
    ext.shutdown();
}

#[test]
fn gate_asks_before_a_command_runs() {
    if !here("node") {
        return;
    }
    let (mut ext, _) = bundle(true).greeted();
    for (reply, allowed) in
        [(Reply::Confirmed(true), true), (Reply::Confirmed(false), false), (Reply::Cancelled, false)]
    {
        let call = ext.call(gated("bash", bash("cargo test")));
        let (request, message) = asked(&mut ext);
        assert_eq!(message, "cargo test");
        ext.reply(&request, reply);
        assert_eq!(allows(&ext.hook_answer(call)).is_ok(), allowed);
    }
    // What destroys is refused without a question, and other tools are not asked about.
    assert!(allows(&ext.hook(gated("bash", bash("rm -rf /")))).is_err());
    assert_eq!(allows(&ext.hook(gated("read", json!({"path": "a"})))), Ok(()));
    assert!(ext.settled().is_empty());
    ext.shutdown();
}

#[test]
fn gate_keeps_several_questions_apart() {
    if !here("node") {
        return;
    }
    let (mut ext, _) = bundle(true).greeted();
    let (one, two) = (ext.call(gated("bash", bash("one"))), ext.call(gated("bash", bash("two"))));
    let ((first, _), (second, message)) = (asked(&mut ext), asked(&mut ext));
    assert_eq!(message, "two");
    assert_ne!(first.id, second.id);
    ext.reply(&second, Reply::Confirmed(true));
    assert_eq!(allows(&ext.hook_answer(two)), Ok(()));
    ext.reply(&first, Reply::Confirmed(false));
    assert!(allows(&ext.hook_answer(one)).unwrap_err().contains("did not allow"));
    ext.shutdown();
}

/// A question has room for sixty characters: the end of a longer command must be seen too, and what hides in it.
#[test]
fn gate_shows_a_long_command_whole_first() {
    if !here("node") {
        return;
    }
    let (mut ext, _) = bundle(true).greeted();
    let command = format!("echo {}\n\techo \u{202e}txt.sh\u{1b}[2K\r", "a".repeat(80));
    let call = ext.call(gated("bash", bash(&command)));
    let request = ext.request();
    let Ask::Ui(UiAsk::Show(show)) = &request.ask else { panic!("{request:?}") };
    let seen = format!("echo {}\n\techo <U+202E>txt.sh<U+001B>[2K<U+000D>", "a".repeat(80));
    assert_eq!((show.body.as_str(), show.cut), (&*seen, false));
    ext.reply(&request, Reply::Done);
    let (request, message) = asked(&mut ext);
    assert_eq!(message, "the one shown above");
    ext.reply(&request, Reply::Confirmed(true));
    assert_eq!(allows(&ext.hook_answer(call)), Ok(()));

    let reason = allows(&ext.hook(gated("bash", bash(&"x".repeat(70_000))))).unwrap_err();
    assert!(reason.contains("too long to be shown"), "{reason}");
    ext.shutdown();
}

#[test]
fn gate_lets_no_command_run_where_nobody_can_be_asked() {
    if !here("node") {
        return;
    }
    let mut ext = bundle(true).start();
    ext.greet(false);
    for command in ["ls".to_owned(), format!("ls {}", "a".repeat(80))] {
        let call = ext.call(gated("bash", bash(&command)));
        let request = ext.request();
        ext.reply(&request, Reply::no_ui());
        let reason = allows(&ext.hook_answer(call)).unwrap_err();
        assert!(reason.contains("nobody could be asked") && reason.contains("no ui"), "{reason}");
    }
    // A reload or a switch of sessions ends the question with an error: no permission either.
    let call = ext.call(gated("bash", bash("ls")));
    let request = ext.request();
    ext.reply(&request, Reply::Error("the session was switched".into()));
    assert!(allows(&ext.hook_answer(call)).is_err());
    ext.abandoned();
}

#[test]
fn gate_leaves_unknown_methods_alone() {
    if !here("node") {
        return;
    }
    let (mut ext, _) = bundle(false).greeted();
    ext.raw(
        b"{\"id\":900,\"method\":\"hook.of_tomorrow\",\"params\":{}}\n{\"method\":\"news\",\"params\":{}}\n",
    );
    ext.raw(b"{\"id\":\"nobody\",\"result\":{}}\n");
    assert!(!ext.settled().iter().any(|said| matches!(said, Incoming::Response(_))));
    ext.shutdown();
}
