//! hello.mjs: command, tool, configuration, input hook and session naming.

use e::model::tool::Pipe;
use e::model::wire::ext::{HookAnswer, HookKind, Incoming, ToolUpdate};
use serde_json::json;

use super::answers::{input, tool_call};
use super::rig::{Bundle, here, text};

fn bundle() -> Bundle {
    Bundle::shipped(&["hello.mjs", "scaffold.mjs"])
}

#[test]
fn hello_declares_its_surfaces() {
    if !here("node") {
        return;
    }
    let (ext, manifest) = bundle().greeted();
    assert_eq!((&*manifest.name, &*manifest.commands[0].name), ("hello", "hello"));
    assert_eq!(manifest.commands[0].arguments.as_str(), "[name]");
    let tool = &manifest.tools[0];
    assert_eq!(
        (&*tool.name, &*tool.label.running, &*tool.label.completed),
        ("say_hello", "Greeting", "Greeted")
    );
    assert_eq!(tool.label.target.as_deref(), Some("name"));
    assert!(manifest.hooks.contains(&HookKind::Input) && manifest.hooks.len() == 1);
    assert!(manifest.events.is_empty());
    ext.shutdown();
}

#[test]
fn hello_greets_and_names_the_session() {
    if !here("node") {
        return;
    }
    let (mut ext, _) = bundle().greeted();
    let plain = ext.command("hello", "");
    assert_eq!((plain.notice.unwrap().as_str(), plain.session_name), ("Hello!", None));
    let named = ext.command("hello", "  Ada ");
    assert_eq!(named.notice.unwrap().as_str(), "Hello, Ada!");
    assert_eq!(named.session_name.unwrap().as_str(), "hello Ada");
    ext.shutdown();
}

#[test]
fn hello_says_what_is_configured_and_survives_what_is_not() {
    if !here("node") {
        return;
    }
    for (config, said) in [
        (json!({"hello": {"greeting": "Ahoy"}, "gate": {"ask": true}}), "Ahoy!"),
        (json!({"hello": {"greeting": 7}}), "Hello!"),
        (json!({"hello": null}), "Hello!"),
        (json!({"hello": "Ahoy"}), "Hello!"),
    ] {
        let (mut ext, _) = bundle().config(config).greeted();
        assert_eq!(ext.command("hello", "").notice.unwrap().as_str(), said);
        ext.shutdown();
    }
}

#[test]
fn hello_s_tool_streams_and_takes_bad_arguments() {
    if !here("node") {
        return;
    }
    let (mut ext, _) = bundle().greeted();
    let call = ext.call(tool_call("say_hello", json!({"name": "Ada"})));
    let update = ext.wait("progress", |said| match said {
        Incoming::ToolUpdate(update) => Some(update.clone()),
        _ => None,
    });
    assert_eq!(update, ToolUpdate { call, pipe: Pipe::Stdout, chunk: text("clearing my throat\n") });
    assert_eq!(ext.answer(call).unwrap(), json!({"content": "Hello, Ada!", "summary": "waved"}));
    for bad in [json!({}), json!({"name": " "}), json!({"name": 3}), json!("{\"name\": \"Ad"), json!(null)] {
        let answer = ext.tool("say_hello", bad.clone());
        assert_eq!((&*answer.content, answer.is_error), ("`name` is missing", true), "{bad}");
    }
    ext.shutdown();
}

#[test]
fn hello_rewrites_one_line_and_swallows_another() {
    if !here("node") {
        return;
    }
    let (mut ext, _) = bundle().greeted();
    assert_eq!(
        ext.hook(input("greet me")),
        HookAnswer::Input {
            consume: false,
            replace: Some(text("Greet me by name with say_hello.")),
            notice: None
        }
    );
    assert!(matches!(ext.hook(input("psst")), HookAnswer::Input { consume: true, notice: Some(_), .. }));
    assert_eq!(ext.hook(input("greet me twice")), HookAnswer::empty(HookKind::Input));
    ext.shutdown();
}

#[test]
fn hello_needs_nobody_in_front_of_it() {
    if !here("node") {
        return;
    }
    let mut ext = bundle().start();
    ext.greet(false);
    assert_eq!(ext.command("hello", "").notice.unwrap().as_str(), "Hello!");
    assert!(ext.settled().is_empty(), "it asks for nothing");
    ext.abandoned();
}
