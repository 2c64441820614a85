//! ping.sh: the complete extension in shell.

use e::model::wire::ext::Call;

use super::rig::{Bundle, shipped, text};

#[test]
fn ping_answers_pong() {
    let (mut ext, manifest) = Bundle::shipped(&["ping.sh"]).greeted();
    assert_eq!((&*manifest.name, &*manifest.commands[0].name), ("ping", "ping"));
    for _ in 0..3 {
        assert_eq!(ext.command("ping", "").notice.unwrap().as_str(), "pong");
    }
    assert!(ext.settled().is_empty());
    ext.shutdown();
}

#[test]
fn ping_ends_with_the_pipe_and_leaves_strangers_alone() {
    let (mut ext, _) = Bundle::shipped(&["ping.sh"]).greeted();
    ext.call(Call::HookInput { text: text("hi") });
    ext.raw(b"{\"method\":\"event\",\"params\":{\"name\":\"turn_end\",\"extra\":{\"aborted\":false}}}\n");
    assert!(ext.settled().is_empty());
    ext.abandoned();
}

#[test]
fn ping_is_the_guides() {
    let guide = include_str!("../../docs/guides/extend/extensions.md");
    let file = std::fs::read_to_string(shipped("ping.sh")).unwrap();
    assert!(guide.contains(&format!("```sh\n{file}```\n")), "the guide prints ping.sh as it is shipped");
}
