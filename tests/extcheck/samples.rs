//! Arguments made up from schemas.

use e::effects::ext_check::sample::{bad, complaint, good};
use proptest::prelude::*;
use serde_json::{Value, json};

#[test]
fn good_arguments_meet_the_schema() {
    let schema = json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "minLength": 8, "maxLength": 9},
            "mode": {"enum": ["fast", "slow"]},
            "count": {"type": "integer", "exclusiveMinimum": 3},
            "ratio": {"type": ["number", "null"]},
            "deep": {"$ref": "#/$defs/deep"},
            "list": {"type": "array", "minItems": 2, "items": {"type": "boolean"}},
            "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        },
        "required": ["path", "other"],
        "$defs": {"deep": {"type": "object", "properties": {"on": {"const": false}}}},
    });
    let wanted = json!({
        "path": "samplesam", "mode": "fast", "count": 4, "ratio": 1.5, "deep": {"on": false},
        "list": [true, true], "either": 1, "other": "x",
    });
    assert_eq!(good(&schema, true), wanted);
    assert_eq!(good(&schema, false), json!({"path": "samplesam", "other": "x"}));
    let bad = bad(&schema);
    assert_eq!(bad.len(), 4, "no JSON, nothing, wrong types and nulls: {bad:?}");
    assert!(
        bad[0].is_string() && bad[1] == json!({}) && bad[2]["path"].is_number() && bad[3]["path"].is_null()
    );
    assert_eq!(complaint(&schema), None);
}

#[test]
fn schemas_that_go_in_circles_or_ask_for_everything_end() {
    let circle = json!({"type": "object", "properties": {
        "a": {"$ref": "#"}, "b": {"$ref": "#"}, "c": {"$ref": "#"}, "d": {"$ref": "#"}, "e": {"$ref": "#"},
        "f": {"type": "array", "minItems": 1e9 as u64, "items": {"$ref": "#"}},
    }});
    assert!(good(&circle, true).to_string().len() < 1_000_000);
    assert!(good(&json!({"$ref": "#"}), true).is_null());
    let long = json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "string", "minLength": u64::MAX}}});
    assert!(good(&long, true)["a"].as_str().unwrap().len() < 100_000);
}

fn keywords() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        prop::sample::select(vec!["object", "string", "array", "integer", "#", "#/properties", "x"])
            .prop_map(Value::from),
    ];
    let key = prop::sample::select(vec![
        "type",
        "properties",
        "required",
        "items",
        "enum",
        "anyOf",
        "allOf",
        "$ref",
        "minimum",
        "minItems",
        "default",
        "a",
    ]);
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(key.clone(), inner, 0..6).prop_map(|map| map
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect::<serde_json::Map<_, _>>()
                .into()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn any_schema_gives_arguments_of_bounded_size(schema in keywords()) {
        for value in [good(&schema, true), good(&schema, false)].into_iter().chain(bad(&schema)) {
            prop_assert!(value.to_string().len() < 2_000_000);
        }
        let _ = complaint(&schema);
    }
}
