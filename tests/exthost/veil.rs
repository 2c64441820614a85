//! Keys in what extensions send: masked wherever they stand, with the JSON and the ids as they were.

use e::effects::ext::veil::masked;
use e::effects::secrets::Secrets;
use proptest::prelude::*;
use serde_json::{Value, json};

const KEY: &str = "sk-ant/0123\"4567";
const STARS: &str = "****************";

fn secrets() -> Secrets {
    let secrets = Secrets::default();
    secrets.add(KEY);
    secrets
}

/// Every string of a value but for its keys.
fn strings(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(all) => all.iter().flat_map(strings).collect(),
        Value::Object(all) => all.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn a_key_is_masked_however_it_is_escaped() {
    let secrets = secrets();
    for written in ["sk-ant/0123\\\"4567", "sk-ant\\/0123\\u00224567", "\\u0073k-ant/0123\\\"4567"] {
        let line = format!("{{\"method\":\"notify\",\"params\":{{\"message\":\"a \\n{written} b\"}}}}");
        let out: Value = serde_json::from_str(&masked(&line, &secrets).unwrap()).unwrap();
        assert_eq!(out["params"]["message"], format!("a \n{STARS} b"), "{line}");
    }
    assert_eq!(masked("{\"a\":\"nothing \\n here\"}", &secrets), None);
    assert_eq!(masked("{\"a\":\"x\"}", &Secrets::default()), None);
}

#[test]
fn ids_and_what_a_startup_hook_wants_of_the_environment_stay() {
    let secrets = secrets();
    let line = json!({"id": KEY, "method": "ui.notify", "params": {"message": KEY, "id": KEY}}).to_string();
    let out: Value = serde_json::from_str(&masked(&line, &secrets).unwrap()).unwrap();
    assert_eq!(out, json!({"id": KEY, "method": "ui.notify", "params": {"message": STARS, "id": STARS}}));
    let kept = json!({"id": 2, "result": {"argv": [KEY], "env": {"A": KEY}, "relaunch": {"cwd": "/", "env": {"A": KEY}}}});
    assert_eq!(masked(&kept.to_string(), &secrets), None);
    let mixed = json!({"id": 2, "result": {"env": {"A": KEY}, "notice": KEY}}).to_string();
    let out: Value = serde_json::from_str(&masked(&mixed, &secrets).unwrap()).unwrap();
    assert_eq!(out["result"], json!({"env": {"A": KEY}, "notice": STARS}));
}

fn value() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        ".{0,6}".prop_map(Value::from),
        (".{0,4}", ".{0,4}").prop_map(|(a, b)| Value::from(format!("{a}{KEY}{b}"))),
        any::<i64>().prop_map(Value::from),
        Just(Value::Null),
    ];
    word.prop_recursive(3, 24, 4, |inner| {
        let members = prop::collection::btree_map("[a-z]{1,4}|env|result|id", inner.clone(), 0..4);
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Value::from),
            members.prop_map(|all| Value::Object(all.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn x1_a_masked_line_is_the_same_message_without_keys(params in value(), id in value()) {
        let line = json!({"id": id.clone(), "method": "m", "params": params.clone()}).to_string();
        let had = strings(&params).iter().any(|text| text.contains(KEY));
        match masked(&line, &secrets()) {
            None => prop_assert!(!had),
            Some(out) => {
                prop_assert!(had);
                let out: Value = serde_json::from_str(&out).unwrap();
                prop_assert_eq!(&out["id"], &id);
                let (before, after) = (strings(&params), strings(&out["params"]));
                prop_assert_eq!(before.len(), after.len());
                for (before, after) in before.into_iter().zip(after) {
                    prop_assert_eq!(before.replace(KEY, STARS), after);
                }
            }
        }
    }

    #[test]
    fn x1_no_line_breaks_the_masking(line in "[\\[\\]{}:,\"\\\\ a-z/\u{20ac}]{0,60}") {
        let _masked = masked(&line, &secrets());
        let _masked = masked(&format!("{line}{KEY}{line}\""), &secrets());
    }
}
