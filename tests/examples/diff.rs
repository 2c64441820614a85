//! diff.mjs: a review of a real repository, hunk by hunk, held against what git itself does.

use std::path::Path;
use std::process::{Command, Stdio};

use e::model::wire::ext::{Call, Note, Reply, Request};
use serde_json::Value;

use super::rig::{Bundle, Ext, here, text};

fn git_with(dir: &Path, index: Option<&Path>, args: &[&str], input: &[u8]) -> Vec<u8> {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.quotePath=true"]);
    command.args(args).current_dir(dir).env("GIT_CONFIG_GLOBAL", "/dev/null");
    if let Some(index) = index {
        command.env("GIT_INDEX_FILE", index);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), input).unwrap();
    let done = child.wait_with_output().unwrap();
    assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
    done.stdout
}

fn git(dir: &Path, args: &[&str]) -> String {
    String::from_utf8(git_with(dir, None, args, b"")).unwrap()
}

/// Lines `line 1` to `line <count>`, some of them changed.
fn lines(count: usize, changed: &[usize]) -> String {
    let line = |at| format!("{} {at}\n", if changed.contains(&at) { "CHANGED" } else { "line" });
    (1..=count).map(line).collect()
}

fn put(dir: &Path, name: &str, content: impl AsRef<[u8]>) {
    std::fs::write(dir.join(name), content).unwrap();
}

fn bundle(state: &Path) -> Bundle {
    let bundle = Bundle::shipped(&["diff.mjs"])
        .env("XDG_STATE_HOME", state.to_str().unwrap())
        .env("GIT_CONFIG_GLOBAL", "/dev/null");
    let dir = bundle.dir.path();
    git(dir, &["init", "-q", "-b", "main"]);
    put(dir, ".git/info/exclude", "diff.mjs\n");
    bundle
}

/// A repository with a rename, a binary, a deletion, a new file, CRLF, no newline at the end, and awkward names.
fn repository(state: &Path) -> Bundle {
    let bundle = bundle(state);
    let dir = bundle.dir.path();
    put(dir, "a.rs", lines(100, &[]));
    put(dir, "with space.txt", lines(40, &[]));
    put(dir, "crlf.txt", lines(40, &[]).replace('\n', "\r\n"));
    put(dir, "no newline.txt", "one\ntwo");
    put(dir, "gone.txt", lines(3, &[]));
    put(dir, "binary", [0, 1, 2, 3]);
    put(dir, "old.rs", lines(40, &[]));
    put(dir, "q\"uote\t.txt", lines(3, &[]));
    git(dir, &["add", "-A"]);
    git(dir, &["commit", "-qm", "all"]);
    git(dir, &["mv", "old.rs", "new.rs"]);
    put(dir, "new.rs", lines(40, &[5, 30]));
    git(dir, &["add", "new.rs"]);
    put(dir, "a.rs", lines(100, &[5, 25, 45, 65, 85]));
    put(dir, "with space.txt", lines(40, &[3, 30]));
    put(dir, "crlf.txt", lines(40, &[3, 30]).replace('\n', "\r\n"));
    put(dir, "no newline.txt", "one\nTWO");
    std::fs::remove_file(dir.join("gone.txt")).unwrap();
    put(dir, "binary", [0, 1, 2, 9]);
    put(dir, "q\"uote\t.txt", lines(4, &[]));
    put(dir, "untracked.txt", "new\nfile");
    bundle
}

/// The next pane that `want` takes; all are answered, and nothing else is asked meanwhile.
fn pane(ext: &mut Ext, want: impl Fn(&Value) -> bool) -> Value {
    loop {
        let pane = ext.done("ui.pane");
        if want(&pane) {
            return pane;
        }
    }
}

fn open(ext: &mut Ext, args: &str) -> Value {
    let call = ext.call(Call::Command { name: text("diff"), args: text(args) });
    let pane = pane(ext, |_| true);
    assert_eq!(ext.answer(call).unwrap(), serde_json::json!({}));
    pane
}

fn items(pane: &Value, section: usize) -> Vec<Value> {
    pane["sections"][section]["items"].as_array().unwrap().clone()
}

fn word<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap()
}

fn select(ext: &mut Ext, section: &str, id: &str) -> Value {
    ext.tell(Note::PaneSelect { pane: text("diff"), section: text(section), id: text(id) });
    pane(ext, |_| true)
}

/// Moves to a file by its label's end, and in it to a hunk.
fn go(ext: &mut Ext, shown: &Value, file: &str, hunk: usize) -> Value {
    let item = items(shown, 0).into_iter().find(|item| word(item, "label").ends_with(file)).unwrap();
    let shown = select(ext, "files", word(&item, "id"));
    select(ext, "hunks", word(&items(&shown, 1)[hunk], "id"))
}

fn press(ext: &mut Ext, key: &str) {
    ext.tell(Note::PaneKey { pane: text("diff"), key: key.parse().unwrap() });
}

fn asked(ext: &mut Ext, method: &str) -> Request {
    let request = ext.request();
    assert_eq!(&*request.method, method, "{request:?}");
    request
}

/// The index after git itself applied one hunk of a file's diff to it.
fn applied(dir: &Path, state: &Path, file: &str, hunk: usize) -> String {
    let copy = state.join("index");
    std::fs::copy(dir.join(".git/index"), &copy).unwrap();
    let diff = git_with(dir, None, &["diff", "--", file], b"");
    let rows: Vec<&[u8]> = diff.split_inclusive(|byte| *byte == b'\n').collect();
    let starts: Vec<usize> = (0..rows.len()).filter(|at| rows[*at].starts_with(b"@@ ")).collect();
    if ["gone.txt", "binary", "untracked.txt"].contains(&file) {
        git_with(dir, Some(&copy), &["add", "-A", "--", file], b"");
    } else {
        let end = starts.get(hunk + 1).copied().unwrap_or(rows.len());
        let patch = [&rows[..starts[0]], &rows[starts[hunk]..end]].concat().concat();
        git_with(dir, Some(&copy), &["apply", "--cached", "-"], &patch);
    }
    String::from_utf8(git_with(dir, Some(&copy), &["ls-files", "-s"], b"")).unwrap()
}

#[test]
fn diff_stages_each_hunk_as_git_apply_does() {
    if !here("node") {
        return;
    }
    let state = tempfile::tempdir().unwrap();
    let (mut ext, _) = repository(state.path()).greeted();
    let dir = ext.dir().to_owned();
    let mut shown = open(&mut ext, "");
    let total: usize = [5, 2, 2, 1, 1, 1, 1, 1].iter().sum();
    // The rename is a row of its own beside its two hunks.
    assert_eq!(word(&shown, "title"), format!("Changes · 0/{} reviewed", total + 3));
    let cases = [
        ("a.rs", 5),
        ("with space.txt", 2),
        ("crlf.txt", 2),
        ("no newline.txt", 1),
        ("gone.txt", 1),
        ("binary", 1),
        ("untracked.txt", 1),
        ("q\"uote\t.txt", 1),
    ];
    for (file, hunks) in cases {
        let label = file.replace('\t', "<U+0009>");
        for at in 0..hunks {
            go(&mut ext, &shown, &label, at);
            let before = git(&dir, &["ls-files", "-s"]);
            let wanted = applied(&dir, state.path(), file, at);
            assert_ne!(before, wanted);
            let staged = |pane: &Value| word(&items(pane, 1)[at], "detail").contains("staged");
            press(&mut ext, "s");
            pane(&mut ext, staged);
            assert_eq!(git(&dir, &["ls-files", "-s"]), wanted, "{file} {at}");
            press(&mut ext, "s");
            shown = pane(&mut ext, |pane| !staged(pane));
            assert_eq!(git(&dir, &["ls-files", "-s"]), before, "{file} {at}, unstaged");
        }
    }
    // One hunk of the renamed file goes back, the rename stays.
    let wanted = "CHANGED 30";
    go(&mut ext, &shown, "new.rs", 1);
    press(&mut ext, "s");
    pane(&mut ext, |pane| !word(&items(pane, 1)[1], "detail").contains("staged"));
    let staged = git(&dir, &["diff", "--cached", "-M"]);
    assert!(staged.contains("rename to new.rs") && staged.contains(wanted), "{staged}");
    assert!(!staged.contains("CHANGED 5\n"), "{staged}");
    ext.shutdown();
}

#[test]
fn diff_asks_before_it_discards_and_keeps_a_backup() {
    if !here("node") {
        return;
    }
    let state = tempfile::tempdir().unwrap();
    let (mut ext, _) = repository(state.path()).greeted();
    let dir = ext.dir().to_owned();
    let shown = open(&mut ext, "");
    go(&mut ext, &shown, "a.rs", 1);
    press(&mut ext, "d");
    let question = asked(&mut ext, "ui.confirm");
    ext.reply(&question, Reply::Confirmed(false));
    press(&mut ext, "d");
    let question = asked(&mut ext, "ui.confirm");
    assert_eq!(std::fs::read_to_string(dir.join("a.rs")).unwrap(), lines(100, &[5, 25, 45, 65, 85]));
    ext.reply(&question, Reply::Confirmed(true));
    let told = ext.wait("word of it", |said| match said {
        e::model::wire::ext::Incoming::Request(request) if &*request.method == "ui.notify" => {
            Some((**request).clone())
        }
        _ => None,
    });
    ext.reply(&told, Reply::Done);
    assert!(word(&told.params, "message").contains("the backup is"), "{told:?}");
    assert_eq!(std::fs::read_to_string(dir.join("a.rs")).unwrap(), lines(100, &[5, 45, 65, 85]));
    let kept: Vec<_> =
        std::fs::read_dir(state.path().join("e/diff/discarded")).unwrap().map(|kept| kept.unwrap()).collect();
    assert_eq!(kept.len(), 1);
    git(&dir, &["apply", kept[0].path().to_str().unwrap()]);
    assert_eq!(std::fs::read_to_string(dir.join("a.rs")).unwrap(), lines(100, &[5, 25, 45, 65, 85]));
    ext.shutdown();
}

#[test]
fn diff_remembers_what_was_reviewed_until_it_is_edited() {
    if !here("node") {
        return;
    }
    let state = tempfile::tempdir().unwrap();
    let (mut ext, _) = repository(state.path()).greeted();
    let dir = ext.dir().to_owned();
    let shown = open(&mut ext, "");
    go(&mut ext, &shown, "a.rs", 0);
    press(&mut ext, "r");
    let shown = pane(&mut ext, |_| true);
    assert!(word(&items(&shown, 1)[0], "label").starts_with("✓ 5"), "{shown}");
    press(&mut ext, "n");
    let shown = pane(&mut ext, |_| true);
    assert_eq!(word(&shown["sections"][1], "title"), "hunk 2 of 5");
    ext.tell(Note::Shutdown);
    ext.ended();
    let mut again = ext.again();
    again.greet(true);
    let shown = open(&mut again, "");
    assert!(word(&items(&shown, 1)[0], "label").starts_with('✓'), "{shown}");
    put(&dir, "a.rs", lines(100, &[5, 6, 25, 45, 65, 85]));
    let shown = pane(&mut again, |pane| word(pane, "title").contains("0/"));
    assert!(!word(&items(&shown, 1)[0], "label").starts_with('✓'), "{shown}");
    again.shutdown();
}

#[test]
fn diff_puts_all_notes_into_one_draft() {
    if !here("node") {
        return;
    }
    let state = tempfile::tempdir().unwrap();
    let (mut ext, _) = repository(state.path()).greeted();
    let mut shown = open(&mut ext, "");
    for (file, hunk, words) in [("with space.txt", 1, "Why?"), ("a.rs", 0, "Use a constant.\nOr two.")] {
        go(&mut ext, &shown, file, hunk);
        press(&mut ext, "c");
        let question = asked(&mut ext, "ui.editor");
        ext.reply(&question, Reply::Text(words.into()));
        shown = pane(&mut ext, |_| true);
        assert!(word(&items(&shown, 1)[hunk], "detail").contains("note"), "{shown}");
    }
    press(&mut ext, "shift+c");
    let question = asked(&mut ext, "ui.confirm");
    assert!(word(&question.params, "message").contains("undo"), "{question:?}");
    ext.reply(&question, Reply::Confirmed(true));
    let draft = ext.done("ui.compose");
    let wanted = "a.rs:5\n> -line 5\n> +CHANGED 5\nUse a constant.\nOr two.\n\n\
        with space.txt:30\n> -line 30\n> +CHANGED 30\nWhy?\n";
    assert!(word(&draft, "text").ends_with(wanted), "{draft}");
    ext.shutdown();
}

#[test]
fn diff_follows_the_work_tree() {
    if !here("node") {
        return;
    }
    let state = tempfile::tempdir().unwrap();
    let (mut ext, _) = repository(state.path()).greeted();
    let dir = ext.dir().to_owned();
    let shown = open(&mut ext, "");
    let shown = go(&mut ext, &shown, "a.rs", 3);
    put(&dir, "a.rs", lines(100, &[5, 65, 85]));
    let after = pane(&mut ext, |pane| items(pane, 1).len() == 3);
    assert_eq!(items(&after, 1)[1]["id"], items(&shown, 1)[3]["id"], "the cursor's hunk keeps its id");
    std::fs::create_dir_all(dir.join("new/deep")).unwrap();
    put(&dir, "new/deep/file.rs", "fn f() {}\n");
    pane(&mut ext, |pane| items(pane, 0).iter().any(|item| word(item, "id") == "new/deep/file.rs"));
    ext.tell(Note::PaneClosed { pane: text("diff") });
    put(&dir, "a.rs", lines(100, &[1]));
    assert_eq!(ext.settled(), [], "a closed pane is left alone");
    ext.shutdown();
}

#[test]
fn diff_shows_the_diff_itself_where_no_pane_can_be() {
    if !here("node") {
        return;
    }
    let state = tempfile::tempdir().unwrap();
    let mut ext = repository(state.path()).start();
    ext.greet(false);
    let show = ext.command("diff", "").show.unwrap();
    assert!(show.body.as_str().contains("+CHANGED 45\n"), "{show:?}");
    let notice = ext.command("diff", "no-such-branch").notice.unwrap();
    assert!(notice.as_str().contains("no-such-branch"), "{notice:?}");
    ext.shutdown();
}

#[test]
fn diff_begins_in_an_empty_repository_and_says_where_there_is_none() {
    if !here("node") {
        return;
    }
    let state = tempfile::tempdir().unwrap();
    let begun = bundle(state.path());
    put(begun.dir.path(), "first.txt", "one\n");
    let (mut ext, _) = begun.greeted();
    let dir = ext.dir().to_owned();
    open(&mut ext, "");
    press(&mut ext, "s");
    pane(&mut ext, |pane| word(&items(pane, 0)[0], "detail").contains("staged"));
    assert_eq!(git(&dir, &["ls-files"]), "first.txt\n");
    press(&mut ext, "s");
    pane(&mut ext, |pane| !word(&items(pane, 0)[0], "detail").contains("staged"));
    assert_eq!(git(&dir, &["ls-files"]), "");
    std::fs::remove_dir_all(dir.join(".git")).unwrap();
    let call = ext.call(Call::Command { name: text("diff"), args: text("") });
    let answer = ext.answer(call).unwrap();
    assert!(word(&answer, "notice").contains("needs a git repository"), "{answer}");
    ext.shutdown();
}
