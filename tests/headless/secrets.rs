//! A loaded key, wherever it comes from, is in nothing that `e` prints or keeps but `auth.json`.

use std::path::Path;

use serde_json::json;

use super::place::{Done, Place};

const STORED: &str = "sk-ant-api03-stored0123456789";
const SET: &str = "sk-proj-set0123456789abcdef";

/// Every file below a folder that holds one of the keys, but for the store of keys and what the person wrote.
fn holders(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            holders(&path, found);
        } else if path.file_name().unwrap() != "auth.json" {
            let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
            if [STORED, SET].iter().any(|key| text.contains(key)) {
                found.push(path.display().to_string());
            }
        }
    }
}

fn place() -> Place {
    let place = Place::new();
    let auth = json!({"format_version": 1, "providers": {"anthropic": {"key": STORED}}});
    std::fs::write(place.home.path("auth.json"), auth.to_string()).unwrap();
    std::fs::write(place.work.join(".env"), format!("KEY={STORED}\nOTHER={SET}\n")).unwrap();
    place
}

fn run(place: &Place, words: &[&str]) -> Done {
    Done::of(&place.e(words).env("OPENAI_API_KEY", SET).output().unwrap())
}

#[test]
fn a_key_from_the_model_a_file_a_command_an_error_or_the_prompt_is_nowhere() {
    let place = place();
    let model = place.script(&json!([
        [
            {"reasoning": format!("The key is {STORED}.")},
            format!("Your keys are {STORED} and {SET}."),
            {"tool": "read", "args": {"path": ".env"}},
            {"tool": "bash", "args": {"command": format!("cat .env; echo {SET}; echo $OPENAI_API_KEY >&2")}},
            {"tool": "write", "args": format!("{{\"path\": \"out\", \"content\": \"{}\"}}", SET.replace('s', "\\u0073"))}
        ],
        [{"error": {"status": 401, "message": format!("bad key {STORED}")}}]
    ]));
    let prompt = format!("use {STORED} please");
    for words in [&["-p", "--json", "-m", &model, &prompt][..], &["-p", "-m", &model, &prompt]] {
        let done = run(&place, words);
        assert_eq!(done.status, Some(1), "{done:?}");
        let said = format!("{}{}", done.stdout, done.stderr);
        assert!(!said.contains(STORED) && !said.contains(SET), "{said}");
        assert!(said.contains("Your keys are ***") && said.contains("bad key ***"), "{said}");
    }
    let mut found = Vec::new();
    holders(place.home.root(), &mut found);
    assert_eq!(found, [] as [String; 0]);
    assert_eq!(std::fs::read_to_string(place.work.join("out")).unwrap(), "x".repeat(SET.len()));
    let log = std::fs::read_to_string(&place.logs()[0]).unwrap();
    for words in ["use ***", "The key is ***", "Your keys are ***", "KEY=***", "echo xxx"] {
        assert!(log.contains(words), "{words} in {log}");
    }
    let errors = place.logs()[0].with_extension("errors.jsonl");
    assert!(std::fs::read_to_string(errors).unwrap().contains("bad key ***"));
}
