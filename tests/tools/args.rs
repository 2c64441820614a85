//! Argument texts and typed reading of them.

use e::model::tool::args::{Args, parse};
use e::model::tool::spec;
use serde_json::json;

#[test]
fn g54_nothing_counts_as_no_arguments_and_broken_json_is_quoted_with_its_place_and_the_schema() {
    let read = spec::builtin(spec::READ).unwrap();
    for nothing in ["", "  ", "null", "{}", "\"\"", "\"{}\""] {
        assert_eq!(parse(&read, nothing).unwrap(), json!({}), "{nothing:?}");
    }
    assert_eq!(parse(&read, "\"{\\\"path\\\":\\\"a\\\"}\"").unwrap(), json!({"path": "a"}));
    for (broken, place) in [
        ("{\"path\":\"a", "{\"path\":\"⟨here⟩a"),
        ("{\"path\":\"a\"}{\"path\":\"b\"}", "{\"path\":\"a\"}⟨here⟩{\"path\""),
        ("{\"path\": é}", "⟨here⟩"),
    ] {
        let error = parse(&read, broken).unwrap_err().0;
        assert!(error.contains("not valid JSON"), "{error}");
        assert!(error.contains(place), "{error}");
        assert!(error.contains("\"required\":[\"path\"]"), "the schema is missing: {error}");
    }
    for other in ["[1]", "3", "true", "\"x\""] {
        assert!(parse(&read, other).unwrap_err().0.contains("must be a JSON object"), "{other}");
    }
}

#[test]
fn g54_a_megabyte_of_broken_json_gives_a_short_error() {
    let read = spec::builtin(spec::READ).unwrap();
    let text = format!("{{\"path\":\"{}", "x".repeat(1_000_000));
    assert!(parse(&read, &text).unwrap_err().0.len() < 2000);
}

#[test]
fn whole_numbers_come_as_numbers_integral_floats_or_digits() {
    let read = spec::builtin(spec::READ).unwrap();
    for good in [json!(7), json!(7.0), json!("7"), json!(" 7 ")] {
        let value = json!({"offset": good});
        assert_eq!(Args::new(&read, &value).opt_int("offset", 1, u64::MAX).unwrap(), Some(7));
    }
    let null = json!({"offset": null});
    assert_eq!(Args::new(&read, &null).opt_int("offset", 1, u64::MAX).unwrap(), None);
    for bad in
        [json!(7.5), json!("seven"), json!(-1), json!(0), json!(true), json!([7]), json!(""), json!("7.0")]
    {
        let value = json!({"offset": bad});
        let error = Args::new(&read, &value).opt_int("offset", 1, u64::MAX).unwrap_err().0;
        assert!(error.starts_with("read: `offset` must be a whole number, 1 or more, got"), "{error}");
        assert!(error.contains("\"properties\""), "{error}");
    }
}

#[test]
fn missing_and_mistyped_fields_are_named() {
    let edit = spec::builtin(spec::EDIT).unwrap();
    let value = json!({"path": 5, "replace_all": "TRUE"});
    let args = Args::new(&edit, &value);
    assert!(args.text("path").unwrap_err().0.contains("`path` must be a text, got the number 5"));
    assert!(args.text("old_string").unwrap_err().0.contains("`old_string` is missing; expected a text"));
    assert!(args.flag("replace_all").unwrap());
    assert!(Args::new(&edit, &json!({"replace_all": "yes"})).flag("replace_all").is_err());
}
