//! One table of everything declared: who keeps a name, who is told.

use std::collections::btree_map::Entry as Slot;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use e::model::ext::Entry;
use e::model::ext::registry::{Greeted, Registry};
use e::model::id::ExtId;
use e::model::tool::{Owner, spec};
use e::model::wire::ext::{HookKind, Manifest, manifest};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::strategies;

fn registry(manifests: &[Value], taken: &[&str]) -> (Registry, Vec<String>) {
    let read: Vec<Manifest> = manifests.iter().map(|v| manifest(v, &[]).unwrap().0).collect();
    let files: Vec<String> = (0..read.len()).map(|at| format!("{at}.mjs")).collect();
    let greeted: Vec<Greeted<'_>> = read
        .iter()
        .enumerate()
        .map(|(at, manifest)| Greeted { id: ExtId(at as u64), file: &files[at], manifest })
        .collect();
    let taken: BTreeSet<Arc<str>> = taken.iter().map(|name| (*name).into()).collect();
    Registry::new(&greeted, &taken)
}

#[test]
fn the_first_tool_of_a_name_keeps_it_and_a_built_in_s_name_replaces_it() {
    let tool = |name: &str, description: &str| json!({"name": name, "description": description});
    let (table, notices) = registry(
        &[
            json!({"name": "a", "tools": [tool("greet", "first"), tool("greet", "twin"), tool("read", "mine")]}),
            json!({"name": "b", "tools": [tool("greet", "second"), tool("wave", "w")]}),
        ],
        &[],
    );
    let offered = table.offered(spec::builtins());
    let names: Vec<&str> = offered.iter().map(|t| &*t.name).collect();
    assert_eq!(names, ["read", "write", "edit", "grep", "read_result", "bash", "greet", "wave"]);
    let of =
        |name: &str| offered.iter().find(|t| &*t.name == name).map(|t| (t.description.to_string(), t.owner));
    assert_eq!(of("read"), Some(("mine".into(), Owner::Ext(ExtId(0)))));
    assert_eq!(of("greet"), Some(("first".into(), Owner::Ext(ExtId(0)))));
    assert_eq!(
        notices,
        [
            "extension 0.mjs: tool \"greet\" is left out: it declares it already",
            "extension 1.mjs: tool \"greet\" is left out: extension 0.mjs declares it already",
        ]
    );
}

#[test]
fn commands_have_one_owner_and_a_qualified_name() {
    let command = |name: &str| json!({"name": name});
    let (table, notices) = registry(
        &[
            json!({"name": "my ext", "commands": [command("ping"), command("model")]}),
            json!({"name": "b", "commands": [command("ping"), command("my-ext:ping")]}),
            json!({"name": "b", "commands": [command("ping")]}),
        ],
        &["model"],
    );
    let shown: Vec<&str> = table.commands.iter().map(|c| &**c.shown()).collect();
    assert_eq!(shown, ["ping", "my-ext:model", "b:ping", "b:my-ext:ping"]);
    let found = |name: &str| table.command(name).map(|c| (c.ext.0, c.name.to_string()));
    assert_eq!(found("ping"), Some((0, "ping".into())));
    assert_eq!(found("my-ext:ping"), Some((0, "ping".into())));
    assert_eq!(found("model"), None);
    assert_eq!(found("my-ext:model"), Some((0, "model".into())));
    assert_eq!(found("b:ping"), Some((1, "ping".into())));
    assert_eq!(
        notices,
        [
            "extension 0.mjs: /model is taken; the command is /my-ext:model",
            "extension 1.mjs: /ping is taken; the command is /b:ping",
            "extension 1.mjs: /my-ext:ping is taken; the command is /b:my-ext:ping",
            "extension 2.mjs: it calls itself \"b\", as 1.mjs does; both run",
            "extension 2.mjs: /ping and /b:ping are both taken; the command cannot be reached",
        ]
    );
}

#[test]
fn hooks_renders_and_events_go_to_those_who_asked_in_launch_order() {
    let (table, notices) = registry(
        &[
            json!({"name": "a", "hooks": ["render", "tool_call", "startup"], "renders": ["tool:bash"]}),
            json!({"name": "b", "hooks": ["tool_call"], "renders": ["*"], "events": []}),
            json!({"name": "c", "hooks": ["render"], "renders": ["tool:*", "assistant"], "events": ["turn_start", "turn_end"]}),
        ],
        &[],
    );
    assert!(notices.is_empty());
    assert_eq!(table.hooked(HookKind::ToolCall), [ExtId(0), ExtId(1)]);
    assert!(table.hooked(HookKind::Input).is_empty());
    assert_eq!(table.renderers(&Entry::Tool("bash".into())), [ExtId(0), ExtId(2)], "b has no render hook");
    assert_eq!(table.renderers(&Entry::Tool("read".into())), [ExtId(2)]);
    assert_eq!(table.renderers(&Entry::Assistant), [ExtId(2)]);
    assert!(table.wants_startup(ExtId(0)) && !table.wants_startup(ExtId(1)));
    assert_eq!(table.subscribers("turn_end"), [ExtId(0), ExtId(2)]);
    assert_eq!(table.subscribers("turn_start"), [ExtId(2)]);
    assert!(table.subscribers("tool_end").is_empty());
}

#[test]
fn flags_that_can_be_parsed_are_gathered_with_their_extension() {
    let (table, _) = registry(
        &[
            json!({"name": "a", "flags": [{"name": "plan"}, {"name": "-x, --example"}]}),
            json!({"name": "b", "flags": [{"name": "plan", "type": "string"}]}),
        ],
        &[],
    );
    let flags: Vec<(&str, &str)> = table.flags.iter().map(|f| (&*f.extension, &*f.name)).collect();
    assert_eq!(flags, [("a", "plan"), ("b", "plan")]);
}

proptest! {
    #![proptest_config(strategies::cases())]

    #[test]
    fn k8_the_first_declaration_of_a_chord_wins_and_each_loser_is_told_once(
        declared in vec(vec(prop::sample::select(vec!["ctrl+alt+g", "Alt-Ctrl-G", "alt+x", "META+X", "ctrl+q"]), 0..4), 0..5),
    ) {
        let manifests: Vec<Value> = declared
            .iter()
            .map(|keys| {
                let keys: Vec<Value> = keys.iter().map(|key| json!({"key": key})).collect();
                json!({"name": "x", "shortcuts": keys})
            })
            .collect();
        let (table, notices) = registry(&manifests, &[]);
        let mut first = BTreeMap::new();
        let mut losers = 0;
        for (at, keys) in declared.iter().enumerate() {
            for key in keys {
                let chord: e::model::config::chord::Chord = key.parse().unwrap();
                match first.entry(chord) {
                    Slot::Occupied(_) => losers += 1,
                    Slot::Vacant(slot) => {
                        slot.insert(ExtId(at as u64));
                    }
                }
            }
        }
        let owners: BTreeMap<_, _> = table.shortcuts.iter().map(|(c, s)| (*c, s.ext)).collect();
        prop_assert_eq!(owners, first);
        prop_assert_eq!(notices.iter().filter(|n| n.contains("shortcut")).count(), losers);
    }
}
