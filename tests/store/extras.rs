//! What `/export`, `/reload` and `/usage` do on disk.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use e::effects::files::{export, work};
use e::effects::home::Home;
use e::effects::store::usage::count;
use e::model::effect::FilesFx;
use e::model::id::Ticket;
use e::model::msg::FilesMsg;
use e::model::provider::Message;
use e::model::session::export::Page;

#[test]
fn a_page_never_overwrites_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(dir.path().join(".e"), dir.path());
    let cwd = dir.path().to_str().unwrap();
    let page = Page {
        title: "Fix it".into(),
        messages: vec![Arc::new(Message::prompt("words"))],
        model: "".into(),
        date: "".into(),
    };
    let write = |wish: Option<&str>| export::write(&home, cwd, wish, &page);
    assert_eq!(write(None), FilesMsg::Exported { path: "~/fix-it.html".into() });
    assert_eq!(write(None), FilesMsg::Exported { path: "~/fix-it-2.html".into() });
    std::fs::write(dir.path().join("mine.html"), "mine").unwrap();
    let FilesMsg::Failed { error } = write(Some("mine.html")) else { panic!() };
    assert!(error.contains("~/mine.html is there already"), "{error}");
    assert_eq!(std::fs::read_to_string(dir.path().join("mine.html")).unwrap(), "mine");
    std::fs::create_dir(dir.path().join("out")).unwrap();
    assert_eq!(write(Some("~/out")), FilesMsg::Exported { path: "~/out/fix-it.html".into() });
    assert!(
        matches!(write(Some("none/x.html")), FilesMsg::Failed { error } if error.contains("no such folder"))
    );
    assert!(std::fs::read_to_string(dir.path().join("fix-it.html")).unwrap().contains("words"));
}

#[test]
fn the_files_of_a_reload_are_those_of_a_start_and_the_models() {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(dir.path().join(".e"), dir.path());
    home.folder("themes").unwrap();
    std::fs::write(home.path("settings.json"), "{}").unwrap();
    std::fs::write(home.path("models.json"), "{nonsense").unwrap();
    std::fs::create_dir(home.path("layout.json")).unwrap();
    let answer = work(&home, FilesFx::ReadConfig { ticket: Ticket(1) });
    let Some((_, FilesMsg::Config { files, complaints })) = answer else { panic!() };
    for name in ["settings.json", "models.json", "themes/dark.json"] {
        assert!(files.iter().any(|(known, _)| &**known == name), "{name}");
    }
    assert!(complaints.iter().any(|said| said.contains("layout.json")), "{complaints:?}");
    assert!(complaints.iter().any(|said| said.contains("models.json:1:")), "{complaints:?}");
}

#[test]
fn responses_count_once_and_only_in_their_period() {
    let dir = tempfile::tempdir().unwrap();
    let line = |id: &str, at: u64, model: &str, input: u64| {
        format!(
            r#"{{"type":"message","id":"{id}","parent":null,"timestamp":{at},"message":{{"role":"assistant","content":[{{"type":"text","text":"x"}}]}},"response":{{"provider":"p","model":"{model}","purpose":"turn","usage":{{"input_tokens":{input},"output_tokens":1,"cache_read_tokens":0,"cache_write_5m_tokens":0,"cache_write_1h_tokens":0}}}}}}"#
        ) + "\n"
    };
    let billed = r#"{"type":"response","timestamp":3000,"response":{"provider":"p","model":"b","purpose":"compact","usage":{"input_tokens":5,"output_tokens":0,"cache_read_tokens":0,"cache_write_5m_tokens":0,"cache_write_1h_tokens":0}}}"#;
    let folder = dir.path().join("work-0");
    std::fs::create_dir(&folder).unwrap();
    let first =
        line("a1", 1000, "a", 10) + &line("a2", 2000, "a", 20) + "{broken \"response\"\n" + billed + "\n";
    std::fs::write(folder.join("one.jsonl"), &first).unwrap();
    // A fork: the same, then its own.
    std::fs::write(folder.join("two.jsonl"), first + &line("a3", 4000, "a", 40)).unwrap();
    std::fs::write(folder.join("one.errors.jsonl"), line("a9", 4000, "a", 400)).unwrap();
    let told = |since| {
        let found = count(dir.path(), since, &AtomicBool::new(false));
        found.models.iter().map(|m| (m.model.id.to_string(), m.responses, m.usage.input)).collect::<Vec<_>>()
    };
    assert_eq!(told(None), [("a".to_owned(), 3, 70), ("b".to_owned(), 1, 5)]);
    assert_eq!(told(Some(2000)), [("a".to_owned(), 2, 60), ("b".to_owned(), 1, 5)]);
    assert_eq!(told(Some(u64::MAX / 2_000_000)), []);
    assert_eq!(count(dir.path(), None, &AtomicBool::new(true)).models, []);
}
