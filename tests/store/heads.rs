//! The list of saved sessions, from heads and tails alone.

use std::fs::{self, OpenOptions};
use std::sync::Arc;

use e::effects::store::logs::Logs;
use e::model::wire::log::Record;

use super::home::scratch;
use super::logs::{prompt, saved, session};

#[test]
fn sessions_are_listed_newest_first_with_title_name_and_turns() {
    let (_dir, home) = scratch();
    let name: Arc<str> = Record::name(Some("the parser".into())).print().into();
    let old = saved(
        &home,
        "/w",
        "a",
        &[session("a", "/w"), prompt("1", "fix the test\nplease"), prompt("2", "and this")],
    );
    let new = saved(&home, "/w", "b", &[session("b", "/w"), prompt("1", "hello"), name]);
    saved(&home, "/other", "c", &[session("c", "/other"), prompt("1", "elsewhere")]);
    let hour = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    fs::File::open(&*old).unwrap().set_modified(hour).unwrap();
    fs::write(old.replace(".jsonl", ".errors.jsonl"), "{}\n").unwrap();
    fs::write(old.replace(".jsonl", "x.jsonl"), "no session\n").unwrap();
    let logs = Logs::new(home);
    let listed = logs.list(Some("/w"));
    let shown: Vec<_> = listed.iter().map(|h| (&*h.path, &*h.title, h.name.as_deref(), h.turns)).collect();
    assert_eq!(
        shown,
        [(&*new, "hello", Some("the parser"), Some(1)), (&*old, "fix the test", None, Some(2))]
    );
    assert_eq!(&*listed[0].cwd, "/w");
    assert_eq!(logs.list(None).len(), 3);
}

#[test]
fn g63_500_sessions_of_200_mb_are_listed_from_heads_and_tails() {
    let (_dir, home) = scratch();
    let path = saved(&home, "/w", "a", &[session("a", "/w"), prompt("1", "the first words")]);
    let head = fs::read(&*path).unwrap();
    let tail = format!("\n{}\n", Record::name(Some("named late".into())).print());
    for n in 0..500 {
        let path = path.replace("_a.jsonl", &format!("_n{n}.jsonl"));
        fs::write(&path, &head).unwrap();
        // A hole of 200 MB: reading it all would take minutes for the lot.
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        std::os::unix::fs::FileExt::write_at(&file, tail.as_bytes(), 200 << 20).unwrap();
    }
    let listed = Logs::new(home).list(Some("/w"));
    assert_eq!(listed.len(), 501);
    let large: Vec<_> = listed.iter().filter(|h| h.size > 200 << 20).collect();
    assert_eq!(large.len(), 500);
    assert!(large.iter().all(|h| &*h.title == "the first words" && h.name.as_deref() == Some("named late")));
    assert!(large.iter().all(|h| h.turns.is_none()), "turns are not counted in a file that is not read");
}

#[test]
fn a_name_is_seen_also_when_the_log_has_outgrown_it() {
    let (_dir, home) = scratch();
    let mut logs = Logs::new(home.clone());
    logs.create("/w", "a", &[session("a", "/w"), prompt("1", &"long ".repeat(10_000))]).unwrap();
    logs.append(&Record::name(Some("kept".into())).print().into()).unwrap();
    for n in 0..20 {
        logs.append(&prompt(&format!("p{n}"), &"x".repeat(5_000))).unwrap();
    }
    logs.close();
    let listed = Logs::new(home).list(Some("/w"));
    assert_eq!(listed[0].name.as_deref(), Some("kept"));
    assert_eq!(&*listed[0].title, "long long long long long long long long");
}

#[test]
fn the_model_that_answered_last_is_told() {
    let (_dir, home) = scratch();
    let answer = |model: &str| -> Arc<str> {
        format!(
            r#"{{"type":"message","id":"m{model}","parent":"1","timestamp":1,"message":{{"role":"assistant","content":[{{"type":"text","text":"\"response\": no"}}]}},"response":{{"provider":"acme","model":"{model}","purpose":"turn","usage":{{"input_tokens":1,"output_tokens":1,"cache_read_tokens":0,"cache_write_5m_tokens":0,"cache_write_1h_tokens":0}}}}}}"#
        )
        .into()
    };
    let long = prompt("2", &"word ".repeat(20_000));
    saved(&home, "/w", "a", &[session("a", "/w"), prompt("1", "x"), answer("one"), long, answer("two")]);
    saved(&home, "/w", "b", &[session("b", "/w"), prompt("1", "x"), answer("one"), answer("three")]);
    let listed = Logs::new(home).list(Some("/w"));
    let mut models: Vec<String> = listed.iter().map(|h| h.model.as_ref().unwrap().to_string()).collect();
    models.sort();
    assert_eq!(models, ["acme/three", "acme/two"]);
}
