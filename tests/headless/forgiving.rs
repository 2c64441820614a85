//! Files that are broken, and an output that cannot be written: said clearly, nothing lost.

use std::fs::{self, OpenOptions};

use serde_json::json;

use super::place::{Done, Place};
use super::speak::{BOTH, known, strict};
use crate::providers::server::Server;

#[test]
fn a_bad_line_and_a_torn_one_in_a_log_cost_nothing_else() {
    for dialect in BOTH {
        let place = Place::new();
        let server = Server::start(vec![dialect.reply("Answer.", &[])]);
        known(&place, dialect, &server, 64_000);
        place.run(&["-p", "first words"]);
        place.run(&["-p", "-c", "second words"]);
        let [log] = &place.logs()[..] else { panic!("one session") };
        let mut lines: Vec<String> = fs::read_to_string(log).unwrap().lines().map(str::to_owned).collect();
        lines[3] = lines[3][..lines[3].len() / 2].to_owned();
        fs::write(log, lines.join("\n") + "\n{\"type\":\"mess").unwrap();

        let done = place.run(&["-p", "-c", "third words"]);
        assert_eq!((done.status, &*done.stdout), (Some(0), "Answer.\n"), "{done:?}");
        assert!(
            done.stderr.starts_with("warning: Line 4 of ") && done.stderr.contains("skipped"),
            "{done:?}"
        );
        let last = strict(&server).pop().unwrap().to_string();
        assert!(last.contains("first words") && last.contains("third words"), "{last}");
        assert!(!last.contains("second words"), "it was on the bad line");
        let text = fs::read_to_string(log).unwrap();
        assert!(text.starts_with(&lines.join("\n")), "the bad line stays for whoever wants to mend it");
        assert!(!text.contains("{\"type\":\"mess{"), "the torn one is cut: {text}");
    }
}

#[test]
fn broken_files_name_their_place_and_the_turn_runs() {
    let cases = [
        ("settings.json", "{\"theme\": dark}", "settings.json:1:11: "),
        ("auth.json", "{\"providers\": [}", "auth.json:1:"),
        ("models.json", "{\"providers\": {\"b\": {\"models\": [\"x\"]}}}", "base_url"),
        ("AGENTS.md", "\u{0}", ""),
        ("history.jsonl", "not json\n", ""),
    ];
    for (name, text, said) in cases {
        let place = Place::new();
        fs::write(place.home.path(name), text).unwrap();
        let model = place.script(&json!([["Fine."]]));
        let done = place.run(&["-p", "-m", &model, "hi"]);
        assert_eq!((done.status, &*done.stdout), (Some(0), "Fine.\n"), "{name}: {done:?}");
        assert!(done.stderr.contains(said), "{name}: {done:?}");
        assert_eq!(fs::read_to_string(place.home.path(name)).unwrap(), text, "{name} stays as it was");
    }
}

#[test]
fn a_file_that_cannot_be_read_and_a_broken_trust_are_told() {
    let place = Place::new();
    let model = place.script(&json!([["Fine."]]));
    fs::create_dir(place.home.path("settings.json")).unwrap();
    let done = place.run(&["-p", "-m", &model, "hi"]);
    assert_eq!((done.status, &*done.stdout), (Some(0), "Fine.\n"), "{done:?}");
    assert!(done.stderr.contains("settings.json"), "{done:?}");
    fs::remove_dir(place.home.path("settings.json")).unwrap();
    fs::write(place.home.path("trust.json"), "{\"directories\": ").unwrap();
    let done = place.run(&["-p", "-m", &model, "hi"]);
    assert_eq!((done.status, &*done.stdout), (Some(1), ""), "{done:?}");
    assert!(done.stderr.contains("trust.json:1:") && done.stderr.contains("e trust"), "{done:?}");
    assert_eq!(place.run(&["trust"]).status, Some(0));
    assert_eq!(place.run(&["-p", "-m", &model, "hi"]).stdout, "Fine.\n");
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_cannot_be_written_is_told_and_the_session_is_kept() {
    let place = Place::new();
    let model = place.script(&json!([["Words for nobody."]]));
    for words in [&["-p", "-m", &model, "hi"][..], &["-p", "--json", "-m", &model, "hi"]] {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let done = Done::of(&place.e(words).stdout(full).output().unwrap());
        assert_eq!(done.status, Some(1), "{done:?}");
        assert!(done.stderr.contains("cannot write to stdout"), "{done:?}");
    }
    assert_eq!(place.logs().len(), 2);
}

#[test]
fn what_hinders_the_start_is_json_on_stdout_and_a_line_on_stderr() {
    let place = Place::new();
    std::fs::write(place.work.join("no.png"), "no image").unwrap();
    let model = place.script(&json!([["Fine."]]));
    let cases = [
        (vec!["-m", "nobody/nothing", "hi"], "nobody/nothing", 2),
        (vec!["-m", &model, "-i", "no.png", "hi"], "no.png", 1),
        (vec!["-m", "openai/gpt-5", "hi"], "OPENAI_API_KEY", 1),
    ];
    for (words, said, status) in cases {
        let done = place.run(&[vec!["-p", "--json"], words].concat());
        assert_eq!(done.status, Some(status), "{done:?}");
        assert!(done.result()["error"].as_str().unwrap().contains(said), "{done:?}");
        assert!(done.stderr.starts_with("error: ") && done.stderr.contains(said), "{done:?}");
        assert_eq!(done.stderr.lines().count(), 1, "{done:?}");
    }
}

#[test]
fn an_effort_that_the_model_does_not_have_is_told() {
    let place = Place::new();
    let model = place.script(&json!([["Fine."]]));
    let done = place.run(&["-p", "--effort", "ultra", "-m", &model, "hi"]);
    assert_eq!((done.status, &*done.stdout), (Some(0), "Fine.\n"), "{done:?}");
    assert!(done.stderr.contains("\"ultra\""), "{done:?}");
}

#[test]
fn a_model_that_takes_no_images_is_sent_their_names_and_the_person_is_told() {
    for dialect in BOTH {
        let place = Place::new();
        let server = Server::start(vec![dialect.reply("Answer.", &[])]);
        known(&place, dialect, &server, 64_000);
        fs::write(place.work.join("dot.png"), DOT).unwrap();
        let done = place.run(&["-p", "-i", "dot.png", "look"]);
        assert_eq!((done.status, &*done.stdout), (Some(0), "Answer.\n"), "{done:?}");
        assert!(done.stderr.starts_with("warning: mock/m takes no images"), "{done:?}");
        let body = strict(&server).pop().unwrap().to_string();
        assert!(body.contains("[dot.png is left out: this model takes no images]"), "{body}");

        fs::write(place.work.join("text.png"), "no image").unwrap();
        let done = place.run(&["-p", "-i", "text.png", "look"]);
        assert_eq!((done.status, &*done.stdout), (Some(1), ""), "{done:?}");
        assert!(done.stderr.contains("text.png is not a PNG"), "{done:?}");
    }
}

/// One pixel.
const DOT: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\rIDATx\x9cc\xf8\xcf\xc0P\x0f\0\x03\x86\x01\x80Z4}k\0\0\0\0IEND\xaeB`\x82";
