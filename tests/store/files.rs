//! What the core reads beside the conversation: instructions, skills, prompts, the workspace's files, history, drafts.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;

use e::effects::files::{Files, branch, front_matter, history, walk, work};
use e::effects::home::Home;
use e::effects::post::Post;
use e::model::effect::FilesFx;
use e::model::id::Ticket;
use e::model::msg::{FilesMsg, Msg};
use e::model::session::library::{Skill, Template};

use super::home::scratch;

const T: Ticket = Ticket(1);

fn put(path: impl AsRef<Path>, text: &str) {
    fs::create_dir_all(path.as_ref().parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

type Instructions = (Vec<(Arc<str>, Arc<str>)>, Option<Arc<str>>, Vec<Arc<str>>);

fn instructions(home: &Home, cwd: &Path, trusted: bool) -> Instructions {
    let cwd = cwd.to_string_lossy().into();
    match work(home, FilesFx::LoadInstructions { ticket: T, cwd, trusted }) {
        Some((T, FilesMsg::Instructions { files, system_prompt, complaints })) => {
            (files, system_prompt, complaints)
        }
        other => panic!("instructions, not {other:?}"),
    }
}

#[test]
fn instructions_are_the_homes_and_a_trusted_workspaces() {
    let (dir, home) = scratch();
    put(home.path("AGENTS.md"), "\u{feff}be brief");
    put(home.path("system_prompt"), "You are e.");
    put(dir.path().join("w/AGENTS.md"), "run make");
    let texts = |i: &Instructions| i.0.iter().map(|(_, t)| t.to_string()).collect::<Vec<_>>();
    let trusted = instructions(&home, &dir.path().join("w"), true);
    assert_eq!(texts(&trusted), ["be brief", "run make"]);
    assert_eq!((trusted.1.as_deref(), trusted.2.len()), (Some("You are e."), 0));
    assert_eq!(&*trusted.0[1].0, dir.path().join("w/AGENTS.md").to_string_lossy());
    assert_eq!(texts(&instructions(&home, &dir.path().join("w"), false)), ["be brief"]);
    assert_eq!(texts(&instructions(&home, home.root(), true)), ["be brief"], "one file is told once");
}

#[test]
fn a_large_or_odd_instruction_file_is_cut_or_named() {
    let (dir, home) = scratch();
    put(dir.path().join("w/AGENTS.md"), &"é".repeat(20_000));
    let (files, _, complaints) = instructions(&home, &dir.path().join("w"), true);
    assert_eq!(files[0].1.len(), 32 * 1024);
    assert!(complaints[0].contains("only its first 32 KiB"), "{complaints:?}");
    fs::create_dir_all(dir.path().join("v/AGENTS.md")).unwrap();
    let (files, _, complaints) = instructions(&home, &dir.path().join("v"), true);
    assert!(files.is_empty() && complaints[0].contains("cannot be read"), "{complaints:?}");
    put(dir.path().join("u/AGENTS.md"), "  \n");
    assert!(instructions(&home, &dir.path().join("u"), true).0.is_empty());
}

fn library(home: &Home, cwd: &Path, trusted: bool) -> (Vec<Template>, Vec<Skill>, Vec<Arc<str>>) {
    let cwd = cwd.to_string_lossy().into();
    match work(home, FilesFx::LoadTemplates { ticket: T, cwd, trusted }) {
        Some((T, FilesMsg::Templates { prompts, skills, complaints })) => (prompts, skills, complaints),
        other => panic!("templates, not {other:?}"),
    }
}

#[test]
fn prompts_and_skills_of_a_trusted_repository_win_over_the_homes() {
    let (dir, home) = scratch();
    let w = dir.path().join("w");
    put(
        home.path("prompts/review.md"),
        "---\ndescription: the home's\nargument-hint: <file>\n---\nReview $1\n",
    );
    put(home.path("prompts/fix.md"), "Fix it: $@");
    put(home.path("prompts/notes.txt"), "no prompt");
    put(home.path("prompts/two words.md"), "x");
    put(w.join(".e/prompts/review.md"), "---\ndescription: the repo's\n---\nLook at $1");
    put(
        home.path("skills/pdf/SKILL.md"),
        "---\nname: pdf\ndescription: >\n  Reads PDF files,\n  page by page.\n---\nbody",
    );
    put(
        home.path("skills/mine/SKILL.md"),
        "---\ndescription: by hand\ndisable-model-invocation: true\n---\n",
    );
    put(home.path("skills/mute/SKILL.md"), "no front matter");
    put(home.path("skills/readme.md"), "not a skill");
    put(w.join(".e/skills/pdf/SKILL.md"), "---\nname: pdf\ndescription: 'the repo''s: own'\n---\n");
    let (prompts, skills, complaints) = library(&home, &w, true);
    let shown: Vec<_> = prompts.iter().map(|p| (&*p.name, &*p.description, &*p.body)).collect();
    assert_eq!(shown, [("fix", "", "Fix it: $@"), ("review", "the repo's", "Look at $1")]);
    let shown: Vec<_> = skills.iter().map(|s| (&*s.name, &*s.description, s.for_model)).collect();
    assert_eq!(shown, [("mine", "by hand", false), ("mute", "", false), ("pdf", "the repo's: own", true)]);
    assert_eq!(complaints.len(), 2, "{complaints:?}");
    let (prompts, skills, _) = library(&home, &w, false);
    assert_eq!(
        (&*prompts[1].description, prompts[1].argument_hint.as_deref()),
        ("the home's", Some("<file>"))
    );
    assert_eq!(&*skills[2].description, "Reads PDF files, page by page.");
}

#[test]
fn front_matter_is_read_as_people_write_it() {
    let (keys, body) = front_matter::split(
        "---\r\na: \"x: y\"\r\nb: one\r\n  two\r\nc: |\r\n  l1\r\n  l2\r\n# no\r\n---\r\nbody\n",
    );
    let get = |k: &str| keys.get(k).map(String::as_str);
    assert_eq!(
        (get("a"), get("b"), get("c"), body),
        (Some("x: y"), Some("one two"), Some("l1\nl2"), "body\n")
    );
    assert_eq!(front_matter::split("---\nnever: closed\n"), (BTreeMap::new(), "---\nnever: closed\n"));
    assert_eq!(front_matter::split("--- no"), (BTreeMap::new(), "--- no"));
}

fn walked(cwd: &Path, most: usize) -> (Vec<String>, bool) {
    let (mut all, mut end) = (Vec::new(), None);
    walk::run(cwd, &AtomicBool::new(false), most, |paths, done, truncated| {
        assert!(end.is_none(), "nothing comes after the end");
        all.extend(paths.iter().map(ToString::to_string));
        end = done.then_some(truncated);
    });
    all.sort();
    (all, end.expect("an end"))
}

#[test]
fn g76_the_walk_respects_ignore_rules_and_survives_loops_and_locked_folders() {
    let (dir, _home) = scratch();
    let w = dir.path();
    for path in ["a.rs", "src/b.rs", "target/c.o", ".hidden/d", ".env", "locked/e"] {
        put(w.join(path), "x");
    }
    put(w.join(".gitignore"), "target/\n");
    symlink(w, w.join("src/loop")).unwrap();
    fs::set_permissions(w.join("locked"), fs::Permissions::from_mode(0o000)).unwrap();
    let (found, truncated) = walked(w, 100);
    fs::set_permissions(w.join("locked"), fs::Permissions::from_mode(0o755)).unwrap();
    let found: Vec<_> = found.into_iter().filter(|p| p != "locked/e").collect();
    assert_eq!((found, truncated), (vec!["a.rs".into(), "src/b.rs".into(), "src/loop".into()], false));
    let (found, truncated) = walked(w, 1);
    assert_eq!((found.len(), truncated), (1, true));
    assert_eq!(walked(&w.join("no such"), 10), (vec![], false));
}

#[test]
fn g76_a_stopped_walk_sends_nothing_more() {
    let (dir, _home) = scratch();
    for n in 0..5000 {
        fs::write(dir.path().join(format!("f{n}")), "").unwrap();
    }
    let stop = AtomicBool::new(false);
    let mut batches = 0;
    walk::run(dir.path(), &stop, 100_000, |_, done, _| {
        assert!(!done);
        batches += 1;
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(batches, 1);
}

#[test]
fn history_keeps_the_newest_and_survives_a_torn_line() {
    let (_dir, home) = scratch();
    assert_eq!(history::load(&home), Vec::<Arc<str>>::new());
    history::append(&home, "/w", "one\ntwo").unwrap();
    let path = home.path("history.jsonl");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let torn = fs::read_to_string(&path).unwrap() + "{\"text\": \"tor";
    fs::write(&path, torn).unwrap();
    history::append(&home, "/w", "three").unwrap();
    assert_eq!(history::load(&home), ["one\ntwo".into(), Arc::<str>::from("three")]);
    for n in 0..1300 {
        history::append(&home, "/w", &format!("p{n}")).unwrap();
    }
    let kept = history::load(&home);
    assert_eq!((kept.len(), &*kept[0], &*kept[999]), (1000, "p300", "p1299"));
    assert!(fs::read_to_string(&path).unwrap().lines().count() <= 1200);
}

#[test]
fn a_draft_is_kept_for_its_directory_and_forgotten() {
    let (_dir, home) = scratch();
    history::keep_draft(&home, "/w", Some("half a thought")).unwrap();
    assert_eq!(history::load_draft(&home, "/w").as_deref(), Some("half a thought"));
    assert_eq!(history::load_draft(&home, "/other"), None);
    history::keep_draft(&home, "/w", None).unwrap();
    history::keep_draft(&home, "/w", None).unwrap();
    assert_eq!(history::load_draft(&home, "/w"), None);
}

#[test]
fn the_branch_is_read_from_gits_files() {
    let (dir, _home) = scratch();
    let repo = dir.path().join("repo");
    fs::create_dir_all(repo.join("src")).unwrap();
    assert_eq!(branch::of(&repo), None);
    let git = |args: &[&str]| {
        let status = Command::new("git").args(args).current_dir(&repo).output().expect("git runs").status;
        assert!(status.success(), "git {args:?}");
    };
    git(&["init", "-q", "-b", "feat/x"]);
    assert_eq!(branch::of(&repo.join("src")).as_deref(), Some("feat/x"));
    git(&["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "--allow-empty", "-m", "one"]);
    git(&["worktree", "add", "-q", "-b", "other", "../tree"]);
    assert_eq!(branch::of(&dir.path().join("tree")).as_deref(), Some("other"));
    git(&["checkout", "-q", "--detach"]);
    assert_eq!(branch::of(&repo).map(|b| b.len()), Some(8));
}

#[test]
fn writes_are_done_in_order_and_before_the_end() {
    let (_dir, home) = scratch();
    let (sender, receiver) = channel();
    let post = Post::new(move |msg| sender.send(msg).unwrap());
    let mut files = Files::new(home.clone(), Arc::default(), post);
    for n in 0..20u32 {
        let entries = vec![("tab_width".into(), n.into())];
        assert_eq!(files.apply(FilesFx::WriteSettings { ticket: T, entries }), None);
    }
    let entries = vec![("theme".into(), "dark".into()), ("tab_width".into(), serde_json::Value::Null)];
    files.apply(FilesFx::WriteSettings { ticket: T, entries });
    files.apply(FilesFx::LoadHistory { ticket: Ticket(2) });
    let other = FilesFx::LoadCatalog { ticket: T };
    assert_eq!(files.apply(other.clone()), Some(other), "not this interpreter's");
    files.finish();
    let value: serde_json::Value =
        serde_json::from_str(&home.read("settings.json").unwrap().unwrap()).unwrap();
    assert_eq!(value, serde_json::json!({"format_version": 1, "theme": "dark"}));
    let answers: Vec<Msg> = receiver.try_iter().collect();
    assert_eq!(answers, [Msg::Files(Ticket(2), FilesMsg::History(vec![]))], "a write is silent");
}

#[test]
fn trust_and_settings_that_cannot_be_written_say_so() {
    let (_dir, home) = scratch();
    fs::create_dir_all(home.user()).unwrap();
    fs::write(home.root(), "a file in the home's place").unwrap();
    let entries = vec![("theme".into(), "dark".into())];
    let answer = work(&home, FilesFx::WriteSettings { ticket: T, entries });
    let Some((T, FilesMsg::Failed { error })) = answer else { panic!("an error, not {answer:?}") };
    assert!(error.contains("cannot write ~/.e/settings.json"), "{error}");
}

#[test]
fn an_image_is_read_by_what_it_is_and_the_branch_is_told() {
    let (dir, home) = scratch();
    // The smallest PNG there is.
    let png = [
        0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0x0D, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 3, 0,
        0, 0, 2, 8, 6, 0, 0, 0, 0, 0, 0, 0,
    ];
    let image = dir.path().join("user/shot.png");
    fs::create_dir_all(image.parent().unwrap()).unwrap();
    fs::write(&image, png).unwrap();
    fs::write(dir.path().join("user/fake.png"), "text").unwrap();
    let (sender, receiver) = channel();
    let mut files = Files::new(home, Arc::default(), Post::new(move |msg| sender.send(msg).unwrap()));
    let mut ask = |path: &str| {
        files.apply(FilesFx::ReadImage { ticket: T, path: path.into() });
        receiver.recv_timeout(std::time::Duration::from_secs(20)).unwrap()
    };
    let Msg::Files(T, FilesMsg::Image(read)) = ask(&image.to_string_lossy()) else { panic!("an image") };
    assert_eq!((&*read.mime, read.width, read.height), ("image/png", 3, 2));
    assert!(matches!(ask("~/shot.png"), Msg::Files(T, FilesMsg::Image(_))));
    assert!(matches!(ask("~/fake.png"), Msg::Files(T, FilesMsg::Failed { .. })));
}
