//! The built-in tools as they are offered, and the words of their rows.

use e::model::tool::spec::{self, suffix, tally, target, verb};
use e::model::tool::{Label, Outcome};
use serde_json::json;

#[test]
fn every_builtin_has_a_strict_schema_with_described_fields() {
    let names: Vec<String> = spec::builtins().iter().map(|s| s.name.to_string()).collect();
    assert_eq!(names, ["read", "write", "edit", "grep", "read_result", "bash"]);
    for tool in spec::builtins() {
        assert_eq!(tool.parameters["type"], "object");
        assert!(tool.description.len() > 60);
        let fields = tool.parameters["properties"].as_object().unwrap();
        assert!(
            fields.values().all(|f| f["description"].is_string() && f["type"].is_string()),
            "{}",
            tool.name
        );
        for needed in tool.parameters["required"].as_array().into_iter().flatten() {
            assert!(fields.contains_key(needed.as_str().unwrap()));
        }
        let shown = tool.label.target.unwrap();
        assert!(fields.contains_key(&*shown));
    }
}

#[test]
fn rows_are_worded_by_label_and_outcome() {
    let read = spec::builtin("read").unwrap().label;
    assert_eq!(verb(&read, None), "Reading");
    assert_eq!(verb(&read, Some(Outcome::Completed)), "Read");
    assert_eq!(verb(&read, Some(Outcome::TimedOut)), "Timed out");
    assert_eq!(target(&read, &json!({"path": "a.rs"})).as_deref(), Some("a.rs"));
    assert_eq!(target(&read, &json!({"path": null})), None);
    assert_eq!(target(&read, &json!({})), None);
    assert_eq!(target(&read, &json!({"path": [1]})).as_deref(), Some("[1]"));
    let bash = spec::builtin("bash").unwrap().label;
    assert_eq!(target(&bash, &json!({"handle": "b1"})).as_deref(), Some("b1"));
    let generic = Label::generic("greet");
    assert_eq!(
        (verb(&generic, None), &*generic.completed, &*generic.category),
        ("Running greet", "Ran greet", "greet")
    );
    assert_eq!(suffix(Outcome::Completed, Some(" "), "x"), None);
    assert_eq!(suffix(Outcome::Completed, Some("+1 -0"), "x"), Some("+1 -0"));
    assert_eq!(suffix(Outcome::Failed, None, "\nwhy\nmore"), Some("why"));
    assert_eq!(suffix(Outcome::Cancelled, None, "words for the model"), None);
}

#[test]
fn a_group_is_tallied_largest_first() {
    use Outcome::{Blocked, Completed, Failed, TimedOut};
    let calls = [("edit", Completed), ("read", Completed), ("command", Completed), ("read", Completed)];
    let more = [("read", Completed), ("command", Completed)];
    assert_eq!(tally(calls.into_iter().chain(more)), "Read 3 files, ran 2 commands, edited 1 file");
    assert_eq!(tally([("greet", Completed), ("greet", Completed)]), "2 greet");
    assert_eq!(tally([("search", Completed), ("command", Failed)]), "Searched once, 1 failed");
    assert_eq!(tally([("command", TimedOut), ("command", Blocked)]), "1 timed out, 1 blocked");
    assert_eq!(tally([]), "");
}
