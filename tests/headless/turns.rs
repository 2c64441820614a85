//! Whole turns of the program against scripted models: text, events, tools, continuing, templates.

use serde_json::json;

use super::place::{Place, whole_log};
use e::model::provider::Message;
use e::model::wire::log::Record;

#[test]
fn text_streams_to_stdout_and_the_session_is_saved() {
    let place = Place::new();
    let model = place.script(&json!([["Hello, ", "world."]]));
    let done = place.run(&["-p", "-m", &model, "say hello"]);
    assert_eq!((done.status, &*done.stdout, &*done.stderr), (Some(0), "Hello, world.\n", ""));
    let logs = place.logs();
    assert_eq!(logs.len(), 1);
    let log = whole_log(&logs[0]);
    let said: Vec<String> = log
        .records
        .iter()
        .filter_map(|(_, r)| match r {
            Record::Message(m) => Some(match &*m.message {
                Message::User(u) => u.text(),
                Message::Assistant(a) => a.text(),
                Message::Tool(t) => t.content.to_string(),
            }),
            _ => None,
        })
        .collect();
    assert_eq!(said, ["say hello", "Hello, world."]);
}

#[test]
fn json_events_of_a_turn_with_a_tool_come_in_order_and_end_with_the_result() {
    let place = Place::new();
    let model = place.script(&json!([
        [{"reasoning": "hm"}, "Looking.", {"tool": "bash", "args": {"command": "echo out; exit 3"}}],
        [{"expect": "out"}, "It failed."],
    ]));
    let done = place.run(&["-p", "--json", "-m", &model, "run it"]);
    assert_eq!((done.status, &*done.stderr), (Some(0), ""), "{done:?}");
    let mut types = done.types();
    types.dedup();
    let expected = [
        "turn_start",
        "reasoning",
        "text",
        "usage",
        "tool_batch",
        "tool_start",
        "tool_output",
        "tool_end",
        "text",
        "usage",
        "turn_end",
        "result",
    ];
    assert_eq!(types, expected, "{done:?}");
    let find = |kind: &str| done.events().into_iter().find(|e| e["type"] == kind).unwrap();
    let call = find("tool_batch")["calls"][0].clone();
    assert_eq!(
        (&call["name"], &call["arguments"]),
        (&json!("bash"), &json!({"command": "echo out; exit 3"}))
    );
    let end = find("tool_end");
    assert_eq!((&end["id"], &end["outcome"]), (&call["id"], &json!("failed")));
    assert!(end["content"].as_str().unwrap().contains("out"));
    let result = done.result();
    assert_eq!(result["output"], "Looking.\nIt failed.");
    assert_eq!(result["final_output"], "It failed.");
    assert_eq!(result["model"], json!(model));
    assert_eq!(result["tools"], json!({"calls": 1, "failures": 1}));
    assert_eq!((&result["aborted"], &result["error"]), (&json!(false), &json!(null)));
    assert_eq!(result["session"], json!(place.logs()[0].to_string_lossy()));
    assert!(result["usage"]["output_tokens"].as_u64().unwrap() > 0);
}

#[test]
fn the_result_names_the_saved_log_also_when_the_turn_is_over_at_once() {
    let place = Place::new();
    let model = place.script(&json!([["Hi."]]));
    for n in 1..=5 {
        let done = place.run(&["-p", "--json", "-m", &model, "hello"]);
        assert!(done.result()["session"].is_string(), "{done:?}");
        assert_eq!(place.logs().len(), n);
    }
}

#[test]
fn c_continues_the_latest_session_with_its_history() {
    let place = Place::new();
    let model = place.script(&json!([["First."], [{"expect": "and more"}, "Second."]]));
    assert_eq!(place.run(&["-p", "-m", &model, "begin"]).status, Some(0));
    let done = place.run(&["-p", "-c", "-m", &model, "and more"]);
    assert_eq!((done.status, &*done.stdout), (Some(0), "Second.\n"), "{done:?}");
    let logs = place.logs();
    assert_eq!(logs.len(), 1, "one session, continued");
    let messages =
        whole_log(&logs[0]).records.iter().filter(|(_, r)| matches!(r, Record::Message(_))).count();
    assert_eq!(messages, 4);
}

#[test]
fn c_without_a_session_says_so() {
    let place = Place::new();
    let model = place.script(&json!([["Hi."]]));
    let done = place.run(&["-p", "-c", "-m", &model, "on"]);
    assert!(done.status == Some(1) || done.stdout == "Hi.\n", "{done:?}");
    assert!(!done.stderr.is_empty(), "it is said that there was nothing to continue: {done:?}");
}

#[test]
fn no_save_leaves_nothing_behind() {
    let place = Place::new();
    let model = place.script(&json!([["Hi."]]));
    let done = place.run(&["-p", "--ns", "--json", "-m", &model, "hello"]);
    assert_eq!(done.result()["session"], json!(null));
    assert_eq!(place.logs().len(), 0);
}

#[test]
fn a_prompt_template_is_filled_and_a_built_in_command_is_bad_usage() {
    let place = Place::new();
    place.home.folder("prompts").unwrap();
    std::fs::write(place.home.path("prompts/fix.md"), "Please fix $1 and ${2:-nothing else}.").unwrap();
    let model = place.script(&json!([[{"expect": "^Please fix a b and nothing else\\.$"}, "Fixed."]]));
    let done = place.run(&["-p", "-m", &model, "/fix 'a b'"]);
    assert_eq!((done.status, &*done.stdout), (Some(0), "Fixed.\n"), "{done:?}");
    let done = place.run(&["-p", "-m", &model, "/model"]);
    assert_eq!((done.status, &*done.stdout), (Some(2), ""), "{done:?}");
    assert!(!done.stderr.is_empty());
    let model = place.script(&json!([[{"expect": "^/no/such/path is gone$"}, "Text."]]));
    assert_eq!(place.run(&["-p", "-m", &model, "/no/such/path is gone"]).stdout, "Text.\n");
}

#[test]
fn an_untrusted_directory_is_refused_with_the_command_to_run() {
    let place = Place::new();
    std::fs::remove_file(place.home.path("trust.json")).unwrap();
    let model = place.script(&json!([["Hi."]]));
    let done = place.run(&["-p", "-m", &model, "hello"]);
    assert_eq!((done.status, &*done.stdout), (Some(1), ""), "{done:?}");
    assert!(done.stderr.contains("e trust"), "{done:?}");
    assert_eq!(place.run(&["trust"]).status, Some(0));
    assert_eq!(place.run(&["-p", "-m", &model, "hello"]).stdout, "Hi.\n");
    assert_eq!(place.run(&["untrust"]).status, Some(0));
    assert_eq!(place.run(&["-p", "-m", &model, "hello"]).status, Some(1));
    let mut once = place.e(&["-p", "-m", &model, "hello"]);
    once.env("E_TRUSTED", &place.work);
    assert!(once.output().unwrap().status.success());
}

#[test]
fn an_unknown_model_is_bad_usage() {
    let place = Place::new();
    let done = place.run(&["-p", "-m", "nobody/knows-it", "hello"]);
    assert_eq!((done.status, &*done.stdout), (Some(2), ""), "{done:?}");
    assert!(done.stderr.contains("nobody/knows-it"), "{done:?}");
}

#[test]
fn g65_wrong_settings_are_said_on_stderr_and_the_turn_runs() {
    let place = Place::new();
    std::fs::write(place.home.path("settings.json"), "{\n  \"colour\": 1,\n}").unwrap();
    let model = place.script(&json!([["Hi."]]));
    let done = place.run(&["-p", "-m", &model, "hello"]);
    assert_eq!((done.status, &*done.stdout), (Some(0), "Hi.\n"));
    assert!(done.stderr.contains("settings.json:2:3: unknown key \"colour\""), "{done:?}");
    let done = place.run(&["-p", "--json", "-m", &model, "hello"]);
    assert!(done.result()["warnings"][0].as_str().unwrap().contains("colour"), "{done:?}");
}

#[test]
fn the_tours_script_mends_the_tours_project() {
    let place = Place::new();
    let made = e::effects::tour::make(&std::env::vars().collect()).unwrap();
    let mut replies: serde_json::Value = serde_json::from_str(e::effects::tour::SCRIPT).unwrap();
    for reply in replies.as_array_mut().unwrap() {
        reply.as_array_mut().unwrap().retain(|step| step.get("pause_ms").is_none());
    }
    let model = place.script(&replies);
    let mut command = place.e(&["-p", "--json", "-m", &model, e::effects::tour::PROMPT]);
    command.current_dir(&made.project).env("E_HOME", &made.home);
    let done = super::place::Done::of(&command.output().unwrap());
    let result = done.result();
    assert_eq!((done.status, &result["error"]), (Some(0), &json!(null)), "{done:?}");
    assert_eq!(result["tools"], json!({"calls": 6, "failures": 1}));
    assert!(result["final_output"].as_str().unwrap().contains("| 1900 is an ordinary year |"));
    let test =
        std::process::Command::new("sh").arg("tests/run.sh").current_dir(&made.project).status().unwrap();
    assert!(test.success(), "the edit is on disk");
    std::fs::remove_dir_all(made.project.parent().unwrap()).unwrap();
}
