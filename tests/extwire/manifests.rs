//! Manifests: bad ones whole, doubtful parts with a notice.

use e::model::ext::flags::OWN;
use e::model::wire::ext::{FlagKind, HookKind, Manifest, manifest};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{guide, speak, strategies};

fn good(value: Value) -> (Manifest, Vec<String>) {
    manifest(&value, &OWN).unwrap()
}

fn bad(value: Value) -> String {
    manifest(&value, &OWN).unwrap_err()
}

proptest! {
    #![proptest_config(strategies::cases())]

    #[test]
    fn x2_manifests_printed_and_read_are_themselves(
        name in strategies::text(), description in strategies::text(), word in "[a-z -]{0,4}",
        default in strategies::value(), schema in strategies::value(), bits in any::<u8>(),
    ) {
        let has = |bit: u8| bits & (1 << bit) != 0;
        let value = json!({
            "name": format!("n{name}"),
            "version": has(0).then_some(&description),
            "tools": [{"name": word, "description": description, "parameters": schema,
                "label": has(1).then(|| json!({"category": name, "running": description, "target": word}))}],
            "commands": [{"name": word, "description": description, "arguments": name, "completions": has(2)}],
            "flags": [{"name": word, "type": if has(3) { "string" } else { "x" }, "default": default}],
            "hooks": ["input", if has(4) { "startup" } else { "never" }, "render"],
            "renders": [name, "tool:*"],
            "events": has(5).then(|| json!([name, "turn_start"])),
            "shortcuts": [{"key": "ctrl+alt+g", "description": description}],
            "later": default,
        });
        let (first, _) = manifest(&value, &OWN).unwrap();
        let (again, notices) = manifest(&speak::manifest(&first), &OWN).unwrap();
        prop_assert_eq!(again, first);
        prop_assert_eq!(notices, Vec::<String>::new());
    }

    #[test]
    fn x3_any_manifest_is_read_or_refused_and_unknown_parts_change_nothing(value in strategies::value()) {
        let _ = manifest(&value, &OWN);
        let plain = good(json!({"name": "x"}));
        let odd = good(json!({"name": "x", "later": value, "hooks": ["new_hook"]}));
        prop_assert_eq!(odd, plain);
    }

    #[test]
    fn k7_bare_and_shift_only_chords_are_refused(key in "(shift[+-])?([a-z]|F[0-9]|enter|space|[A-Z]|é)") {
        let (got, notices) = good(json!({"name": "x", "shortcuts": [{"key": key}]}));
        prop_assert!(got.shortcuts.is_empty());
        prop_assert_eq!(notices.len(), 1);
    }
}

#[test]
fn a_wrong_type_anywhere_makes_the_whole_manifest_bad() {
    let sample: Value = serde_json::from_str(guide::MANIFEST).unwrap();
    for (pointer, wrong) in [
        ("", json!([])),
        ("/name", json!(1)),
        ("/name", json!(" \n")),
        ("/version", json!(1)),
        ("/tools", json!("x")),
        ("/tools/0", json!("greet")),
        ("/tools/0/name", json!(4)),
        ("/tools/0/description", json!([])),
        ("/tools/0/label", json!("Greeting")),
        ("/tools/0/label/running", json!(1)),
        ("/tools/0/label/target", json!({})),
        ("/commands", json!({})),
        ("/commands/0", json!("ping")),
        ("/commands/0/name", json!(null)),
        ("/commands/0/description", json!(1)),
        ("/flags", json!("x")),
        ("/flags/0/name", json!(true)),
        ("/flags/0/type", json!(1)),
        ("/hooks", json!("input")),
        ("/hooks/0", json!(1)),
        ("/renders", json!({})),
        ("/renders/0", json!(null)),
        ("/events", json!("turn_end")),
        ("/shortcuts", json!("ctrl+x")),
        ("/shortcuts/0", json!("ctrl+alt+g")),
        ("/shortcuts/0/key", json!(7)),
        ("/shortcuts/0/description", json!(7)),
    ] {
        let mut value = sample.clone();
        *value.pointer_mut(pointer).unwrap() = wrong;
        assert!(!bad(value).is_empty(), "{pointer}");
    }
    for (pointer, key) in [
        ("", "name"),
        ("/tools/0", "name"),
        ("/commands/0", "name"),
        ("/flags/0", "name"),
        ("/shortcuts/0", "key"),
    ] {
        let mut value = sample.clone();
        value.pointer_mut(pointer).unwrap().as_object_mut().unwrap().remove(key);
        assert!(bad(value).contains(&format!("has no `{key}`")), "{pointer}");
    }
    assert_eq!(bad(json!(null)), "the manifest must be an object, not null");
    assert_eq!(
        bad(json!({"name": "x", "tools": {}})),
        "`tools` of the manifest must be a list, not an object"
    );
}

#[test]
fn only_a_name_is_enough() {
    let (got, notices) = good(json!({"name": " my\next "}));
    assert_eq!((&*got.name, notices.len()), ("my ext", 0));
    assert!(got.tools.is_empty() && got.hooks.is_empty() && !got.startup);
    assert_eq!(got.events.iter().map(|e| &**e).collect::<Vec<_>>(), ["turn_end"]);
    assert!(good(json!({"name": "x", "events": []})).0.events.is_empty());
    let (got, _) = good(json!({"name": "x", "hooks": ["startup", "input", "x"], "renders": ["*"]}));
    assert!(got.startup && got.hooks.iter().eq([&HookKind::Input]));
    assert!(got.renders.tool("anything") && got.renders.assistant());
}

#[test]
fn tools_names_and_schemas() {
    let long = "t".repeat(64);
    let longer = "t".repeat(65);
    let names = ["ok_-9Z", &long, &longer, "", "a b", "é", "a.b"];
    let tools: Vec<Value> = names.iter().map(|name| json!({"name": name, "parameters": "none"})).collect();
    let (got, notices) = good(json!({"name": "x", "tools": tools}));
    assert_eq!(got.tools.iter().map(|t| &*t.name).collect::<Vec<_>>(), ["ok_-9Z", &long]);
    assert_eq!(notices.len(), 5);
    assert!(notices.iter().all(|n| n.contains("1 to 64 letters")), "{notices:?}");
    assert_eq!(*got.tools[0].parameters, json!({"type": "object", "properties": {}}));
    assert_eq!((&*got.tools[0].label.running, &*got.tools[0].label.category), ("Running ok_-9Z", "ok_-9Z"));
    let (got, _) = good(
        json!({"name": "x", "tools": [{"name": "t", "label": {"running": " ", "completed": "Did\n\u{1b}[1mit", "category": ""}}]}),
    );
    let label = &got.tools[0].label;
    assert_eq!((&*label.running, &*label.completed, &*label.category), ("Running t", "Did it", "t"));
}

#[test]
fn commands_need_a_name_that_can_be_typed() {
    let names = ["ok", "", "a b", "x\ty", "ok", "a\u{202E}b", "plan:x"];
    let commands: Vec<Value> = names.iter().map(|name| json!({"name": name})).collect();
    let (got, notices) = good(json!({"name": "x", "commands": commands}));
    assert_eq!(got.commands.iter().map(|c| &*c.name).collect::<Vec<_>>(), ["ok", "plan:x"]);
    assert_eq!(notices.len(), 5);
    assert!(notices[3].contains("declared twice"), "{notices:?}");
}

#[test]
fn flags_that_are_e_s_own_are_left_out() {
    let flags = [
        "tools",
        "save",
        "extensions",
        "model",
        "ne",
        "no-tools",
        "network",
        "help",
        "mine",
        "-x, --example",
        "a b",
    ];
    let flags: Vec<Value> =
        flags.iter().map(|name| json!({"name": name, "type": "enum", "default": 3})).collect();
    let (got, notices) = good(json!({"name": "x", "flags": flags}));
    let names: Vec<(&str, bool)> = got.flags.iter().map(|f| (&*f.name, f.parsable())).collect();
    assert_eq!(names, [("mine", true), ("-x, --example", false), ("a b", false)]);
    assert!(got.flags.iter().all(|f| f.kind == FlagKind::Boolean && f.default == Some(json!(3))));
    assert_eq!(notices.len(), 8);
    assert_eq!(notices[0], "flag --tools is left out: --no-tools is an option of e itself");
}

#[test]
fn shortcuts_that_cannot_be() {
    let keys = ["ctrl+alt+g", "Control+C", "g", "shift+g", "", "ctrl+", "ctrl+nokey", "ALT-SHIFT-X"];
    let shortcuts: Vec<Value> = keys.iter().map(|key| json!({"key": key})).collect();
    let (got, notices) = good(json!({"name": "x", "shortcuts": shortcuts}));
    assert_eq!(
        got.shortcuts.iter().map(|s| s.chord.to_string()).collect::<Vec<_>>(),
        ["ctrl+alt+g", "alt+shift+x"]
    );
    assert_eq!(notices.len(), 6);
    assert_eq!(notices[0], "shortcut \"Control+C\" is left out: e keeps ctrl+c for itself");
}
