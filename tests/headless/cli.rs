//! The command line, as far as it is decided without a process: grammar, refusals, guides.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command as Process;

use e::effects::cli::args::Command;
use e::effects::cli::parse::{Parsed, completions, parse};
use e::effects::cli::providers::Known;
use e::effects::cli::stdin::join;
use e::effects::home::{Home, trust};
use e::effects::{check, docs, doctor, tour};
use e::model::boot::{Launch, Mode, Resume, Trusted};

fn read(line: &[&str]) -> Parsed {
    parse(&line.iter().map(OsString::from).collect::<Vec<_>>())
}

fn launch(line: &[&str]) -> Launch {
    match read(line) {
        Parsed::Session(launch) => *launch,
        other => panic!("{line:?} is a session, not {other:?}"),
    }
}

fn refused(line: &[&str]) -> String {
    match read(line) {
        Parsed::Refuse(why) | Parsed::Unknown(why) => {
            assert!(!why.contains('\n'), "one line: {why}");
            why
        }
        other => panic!("{line:?} is refused, not {other:?}"),
    }
}

#[test]
fn options_are_read_in_every_spelling() {
    let long = launch(&[
        "--print",
        "--json",
        "--model",
        "a/b",
        "--effort",
        "low",
        "--image",
        "x.png",
        "--image",
        "y.png",
        "--no-tools",
        "--no-save",
        "--no-extensions",
        "hi",
    ]);
    let short = launch(&[
        "-p", "-j", "-m", "a/b", "--ef", "low", "-i", "x.png", "-i", "y.png", "--nt", "--ns", "--ne", "hi",
    ]);
    assert_eq!(long, short);
    assert_eq!(long.mode, Mode::Print { json: true });
    assert_eq!(
        (long.model.as_deref(), long.effort.as_deref(), long.images.len()),
        (Some("a/b"), Some("low"), 2)
    );
    assert!(long.no_tools && long.no_save && long.no_extensions);
    assert_eq!(launch(&[]), Launch::default());
    assert_eq!(launch(&["-c"]).resume, Resume::Latest);
    assert_eq!(launch(&["-r"]).resume, Resume::Pick);
    assert_eq!(launch(&["-p", "-c", "more"]).resume, Resume::Latest);
}

#[test]
fn words_are_a_prompt_unless_they_look_like_a_command() {
    let prompt = |line: &[&str]| launch(line).prompt.map(|p| p.to_string()).unwrap_or_default();
    assert_eq!(prompt(&["fix the test"]), "fix the test");
    assert_eq!(prompt(&["fix", "the", "docs"]), "fix the docs");
    assert_eq!(prompt(&["--", "docs"]), "docs");
    assert_eq!(prompt(&["--", "docss"]), "docss");
    assert_eq!(prompt(&["--", "-p", "is", "an", "option"]), "-p is an option");
    assert_eq!(prompt(&["-p", "docss"]), "docss");
    assert_eq!(prompt(&["hello"]), "hello");
    let why = refused(&["docss"]);
    assert!(why.contains("did you mean `e docs`?") && why.contains("`e -- docss`"), "{why}");
    assert!(refused(&["trsut"]).contains("`e trust`"));
}

#[test]
fn bad_usage_is_one_line_with_a_hint() {
    assert!(refused(&["docs", "a", "b"]).contains("`e -- docs a b`"));
    assert!(
        refused(&["completions", "tcsh"]).contains("one of bash"),
        "{}",
        refused(&["completions", "tcsh"])
    );
    assert!(refused(&["--modle", "x"]).contains("--model"));
    assert!(refused(&["-m"]).contains("see `e --help`"));
    assert!(refused(&["remove"]).contains("<SOURCE>"), "{}", refused(&["remove"]));
    assert!(refused(&["layout"]).contains("e layout --help"), "{}", refused(&["layout"]));
    assert!(refused(&["-p", "-r"]).contains("`e -p -c`"));
    assert!(refused(&["-c", "-r"]).contains("one of them"));
    assert!(refused(&["--json", "hi"]).contains("-p"));
    assert!(refused(&["-P", "npm:x", "hi"]).contains("packages"));
}

#[test]
fn commands_are_commands_and_help_is_help() {
    assert!(matches!(read(&["tour"]), Parsed::Command(Command::Tour)));
    assert!(matches!(
        read(&["doctor", "--no-network"]),
        Parsed::Command(Command::Doctor { no_network: true })
    ));
    assert!(matches!(read(&["ext", "check", "x.mjs", "--json"]), Parsed::Command(Command::Ext { .. })));
    for line in [&["--help"][..], &["help"], &["help", "docs"], &["docs", "--help"]] {
        assert!(matches!(read(line), Parsed::Say(text) if text.contains("Usage")), "{line:?}");
    }
    for shell in [clap_complete::Shell::Bash, clap_complete::Shell::Zsh, clap_complete::Shell::Fish] {
        assert!(completions(shell).contains("tour"));
    }
}

#[test]
fn argument_and_pipe_make_one_prompt_argument_first() {
    assert_eq!(join(Some("review"), "diff\n").as_deref(), Ok("review\n\ndiff"));
    assert_eq!(join(None, "only\n").as_deref(), Ok("only"));
    assert_eq!(join(Some(" only "), " \n").as_deref(), Ok("only"));
    assert!(join(None, "").unwrap_err().contains("needs a prompt"));
}

#[test]
fn every_guide_listed_is_there() {
    let topics = docs::topics();
    // What is indented further goes on with the line above.
    let names: Vec<&str> = topics
        .lines()
        .filter(|l| l.starts_with("  ") && !l.starts_with("   "))
        .filter_map(|l| l.split_whitespace().next())
        .collect();
    assert!(names.len() > 10);
    for name in names.iter().filter(|n| !n.contains('<')) {
        assert!(docs::topic(name).unwrap().len() > 200, "{name}");
    }
    assert!(docs::topic("theme-dark").unwrap().trim_start().starts_with('{'));
    assert!(docs::topic("setings").unwrap_err().contains("`e docs settings`"));
    assert!(docs::topic("themes").unwrap().contains("`accent`"));
}

#[test]
fn g65_check_names_every_wrong_place() {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(dir.path().join(".e"), dir.path());
    assert_eq!(
        check::report(&home, &BTreeMap::new()),
        ("nothing is wrong (there are no files yet)\n".into(), false)
    );
    home.folder("themes").unwrap();
    std::fs::write(home.path("settings.json"), "{\n  \"colour\": 1,\n  \"tab_width\": 99,\n}").unwrap();
    std::fs::write(home.path("themes/mine.json"), "{\"colors\": {\"accent\": \"nowhere\"}}").unwrap();
    std::fs::write(home.path("models.json"), "{\"providers\": ").unwrap();
    home.folder("layout.json").unwrap();
    let (text, wrong) = check::report(&home, &BTreeMap::new());
    assert!(wrong);
    for part in [
        "~/.e/settings.json:2:3: unknown key \"colour\"",
        "~/.e/settings.json:3:16: tab_width",
        "~/.e/themes/mine.json:1:",
        "~/.e/models.json:1:",
        "cannot read ~/.e/layout.json",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
}

#[test]
fn check_names_a_theme_that_nobody_has() {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(dir.path().join(".e"), dir.path());
    home.folder("themes").unwrap();
    std::fs::write(home.path("themes/mine.json"), "{\"vars\": {}, \"colors\": {}}").unwrap();
    for (name, said) in [
        ("drak", Some("there is no theme \"drak\"; did you mean \"dark\"?")),
        ("zebra-of-doom", Some("there is no theme \"zebra-of-doom\"; it can be \"auto\", \"mine\"")),
        ("auto", None),
        ("mine", None),
        ("high-contrast-light", None),
    ] {
        std::fs::write(home.path("settings.json"), format!("{{\n  \"theme\": \"{name}\"\n}}")).unwrap();
        let (text, wrong) = check::report(&home, &BTreeMap::new());
        assert_eq!(wrong, said.is_some(), "{text}");
        if let Some(said) = said {
            assert!(text.contains(&format!("~/.e/settings.json:2:12: {said}")), "{text}");
        }
    }
}

#[test]
fn the_doctor_tells_no_secret_and_no_path() {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(dir.path().join(".e"), dir.path());
    home.folder("").unwrap();
    std::fs::write(home.path("auth.json"), "{\"providers\": {\"anthropic\": {\"key\": \"sk-very-secret\"}}}")
        .unwrap();
    let env = [("TERM", "xterm"), ("ANTHROPIC_API_KEY", "sk-env-secret"), ("TMUX", "/tmp/tmux")];
    let env: BTreeMap<String, String> = env.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    let text = doctor::report(&home, &env, std::path::Path::new("/"), false);
    assert!(
        text.contains("TERM=xterm") && text.contains("in tmux") && text.contains("nothing is wrong"),
        "{text}"
    );
    for secret in ["secret", &dir.path().to_string_lossy(), "/tmp/tmux"] {
        assert!(!text.contains(secret), "{secret} in\n{text}");
    }
}

#[test]
fn providers_and_keys_are_listed_without_a_key_in_sight() {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(dir.path().join(".e"), dir.path());
    home.folder("").unwrap();
    std::fs::write(home.path("auth.json"), "{\"providers\": {\"anthropic\": {\"key\": \"sk-very-secret\"}}}")
        .unwrap();
    std::fs::write(
        home.path("models.json"),
        "{\"providers\": {\"local\": {\"base_url\": \"http://localhost:1/v1\", \"models\": [\"small\"]}}}",
    )
    .unwrap();
    let env = BTreeMap::from([("OPENAI_API_KEY".to_owned(), "sk-env-secret".to_owned())]);
    let known = Known::load(&home, &env);
    let (keys, list) = (known.keys(), known.list());
    let line = |name: &str| keys.lines().find(|l| l.starts_with(name)).unwrap().to_owned();
    assert!(line("anthropic").ends_with("key in auth.json"));
    assert!(line("openai").ends_with("key in OPENAI_API_KEY"));
    assert!(line("groq").contains("/login groq, or set GROQ_API_KEY"));
    assert!(line("local").ends_with("needs no key"), "{keys}");
    assert!(list.contains("http://localhost:1/v1") && list.contains("models: small"), "{list}");
    assert!(!keys.contains("secret") && !list.contains("secret"));
}

#[test]
fn the_tour_makes_a_trusted_project_whose_test_fails_and_can_be_mended() {
    let made = tour::make(&std::env::vars().collect()).unwrap();
    let run = || Process::new("sh").arg("tests/run.sh").current_dir(&made.project).output().unwrap();
    assert!(!run().status.success());
    assert_eq!(trust::verdict(&Home::at(&made.home, ""), &made.project, None), Trusted::Yes);
    assert!(made.project.join(".git/HEAD").is_file());
    let script: serde_json::Value = serde_json::from_str(tour::SCRIPT).unwrap();
    let edit = script
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|r| r.as_array().unwrap())
        .find(|s| s["tool"] == "edit")
        .unwrap();
    let (old, new) =
        (edit["args"]["old_string"].as_str().unwrap(), edit["args"]["new_string"].as_str().unwrap());
    let file = made.project.join(edit["args"]["path"].as_str().unwrap());
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text.matches(old).count(), 1, "the edit is unique");
    std::fs::write(&file, text.replace(old, new)).unwrap();
    let output = run();
    assert!(
        output.status.success() && String::from_utf8_lossy(&output.stdout).contains("7 passed, 0 failed")
    );
    std::fs::remove_dir_all(made.project.parent().unwrap()).unwrap();
}

#[test]
fn a_theme_check_names_tokens_and_pairs_with_their_places_and_what_would_pass() {
    use e::effects::theme_check::report;
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(dir.path().join(".e"), dir.path());
    home.folder("themes").unwrap();
    let (text, wrong) = report(&home, None).unwrap();
    assert!(!wrong, "the built-in ones pass: {text}");
    let theme = "{\"vars\": {},\n \"colors\": {\n  \"acent\": 5,\n  \"error\": \"#333333\"}}";
    std::fs::write(home.path("themes/mine.json"), theme).unwrap();
    let (text, wrong) = report(&home, Some("mine")).unwrap();
    assert!(wrong);
    for part in [
        "~/.e/themes/mine.json:3:3: unknown token \"acent\"; did you mean \"accent\"?",
        "~/.e/themes/mine.json:4:3: error (#333333) on the terminal's own ground (#1e1e2e) has a contrast of ",
        "the nearest that passes is #",
        "not in the file, so the terminal's own colour: accent, border,",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    assert_eq!(
        report(&home, Some("drak")).unwrap_err(),
        "there is no theme \"drak\"; did you mean \"dark\"?"
    );
}

#[test]
fn the_layout_is_explained_with_the_file_and_line_that_decided() {
    use e::effects::layout_explain::report;
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(dir.path().join(".e"), dir.path());
    home.folder("").unwrap();
    let env = BTreeMap::new();
    assert!(report(&home, &env, Some("120x30")).unwrap().contains("focus"));
    let text = "{\"split_min\": 110,\n \"panes\": {\"*\": {\"width\": 30}},\n \"profiles\": [{\"when\": {\"max_width\": 120},\n  \"panes\": {\"*\": {\"side\": \"left\"}}}]}";
    std::fs::write(home.path("layout.json"), text).unwrap();
    let said = report(&home, &env, Some("120x30")).unwrap();
    for part in [
        "with the profile at ~/.e/layout.json:3:15",
        "| a pane: 30% of th",
        "~/.e/layout.json:1:2",
        "~/.e/layout.json:2:18",
        "~/.e/layout.json:4:19",
        "transcript: rows 1 to ",
    ] {
        assert!(said.contains(part), "{part} in\n{said}");
    }
    assert!(report(&home, &env, Some("wide")).unwrap_err().contains("100x30"));
    for size in ["1x1", "3x2", "60x20", "300x100"] {
        assert!(report(&home, &env, Some(size)).unwrap().contains("row"), "{size}");
    }
}

/// `E_SCHEMAS=write` writes them anew.
#[test]
fn the_schemas_in_docs_are_what_the_readers_lists_make() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schemas");
    for (name, text) in e::effects::schemas::all() {
        let file = folder.join(format!("{name}.schema.json"));
        if std::env::var("E_SCHEMAS").is_ok_and(|v| v == "write") {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&file, &text).unwrap();
        }
        assert_eq!(
            std::fs::read_to_string(&file).unwrap_or_default(),
            text,
            "E_SCHEMAS=write writes {name} anew"
        );
        assert_eq!(docs::topic(&format!("schema-{name}")).unwrap(), text);
    }
}

#[test]
fn every_file_may_name_its_schema() {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(dir.path().join(".e"), dir.path());
    home.folder("themes").unwrap();
    for name in ["settings.json", "layout.json", "keybindings.json", "models.json"] {
        std::fs::write(home.path(name), "{\"$schema\": \"x\"}").unwrap();
    }
    std::fs::write(home.path("themes/mine.json"), "{\"$schema\": \"x\", \"vars\": {}, \"colors\": {}}")
        .unwrap();
    let (text, wrong) = check::report(&home, &BTreeMap::new());
    assert!(!wrong, "{text}");
}
