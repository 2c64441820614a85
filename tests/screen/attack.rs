//! Attacks: hostile names everywhere, keys that tools try to show, violent ends, and windows of no size.

use rustix::process::Signal;
use serde_json::json;

use super::rig::{QUIET, Rig, over, quit, ready, submit, times};
use crate::term::pty::Pty;
use crate::term::written::foreign;

/// A title, a clipboard, a clear, a C1 byte, an override, a zero-width space, an isolate.
const HOSTILE: &str =
    "\u{1b}]0;owned\u{7}\u{1b}]52;c;b3duZWQ=\u{7}\u{1b}[2J\u{9b}31m\u{202e}evil\u{200b}\u{2066}x";

/// Nothing was written that is not the program's own, and no mark that changes what a person sees.
fn assert_harmless(pty: &Pty) {
    let raw = pty.raw();
    assert_eq!(foreign(&raw), None);
    let text = String::from_utf8_lossy(&raw);
    for hostile in ["\u{1b}]52", "\u{202e}", "\u{200b}", "\u{2066}"] {
        assert!(!text.contains(hostile), "{hostile:?} was written");
    }
    let titles = text.split("\u{1b}]").skip(1).filter_map(|rest| rest.split(['\u{7}', '\u{1b}']).next());
    assert!(titles.into_iter().all(|title| !title.starts_with("0;owned")));
}

/// The folder, a file's name, the branch, the settings, a command's words, a path, an error: all of it hostile.
#[test]
fn g12_g13_hostile_names_are_shown_with_visible_marks_and_act_on_nothing() {
    let rig = Rig::new(&json!([
        [
            {"tool": format!("na{HOSTILE}me"), "args": {HOSTILE: HOSTILE}},
            {"tool": "write", "args": {"path": format!("n{HOSTILE}"), "content": HOSTILE}},
            {"tool": "bash", "args": {"command": "mv notes \u{202e}txt.wen\u{202c} ./out"}},
        ],
        [{"error": {"status": 400, "message": format!("no {HOSTILE}")}}],
    ]));
    let work = rig.work().join("w\u{1b}]0;owned\u{7}\u{202e}k");
    std::fs::create_dir_all(work.join(".git")).unwrap();
    std::fs::write(work.join(".git/HEAD"), format!("ref: refs/heads/b{HOSTILE}\n")).unwrap();
    std::fs::write(work.join("a\u{1b}[41m\u{1b}]0;owned\u{7}b.txt"), "x").unwrap();
    std::fs::write(work.join("c\nd.txt"), "x").unwrap();
    rig.settings(&json!({"theme": HOSTILE, "tui_mode": HOSTILE, format!("colour{HOSTILE}"): 1}));
    let mut spawn = rig.spawn();
    spawn.cwd = work;
    let mut pty = ready(spawn.start());
    submit(&pty, "attack");
    pty.wait_for("400");
    over(&pty);
    // G13: where a person reviews, the marks stand in words.
    let all = pty.history().join("\n");
    assert!(all.contains("mv notes <U+202E>txt.wen<U+202C> ./out"), "{all}");
    assert!(all.contains("<U+202E>evil<U+200B><U+2066>x"), "{all}");
    // G12: one row for each file, and the pickers of sessions and of settings too.
    pty.send("@");
    pty.wait_for("c<U+000A>d.txt");
    pty.send("\x1b");
    pty.wait_gone("c<U+000A>d.txt");
    pty.send("\x03");
    pty.wait_gone("› @");
    pty.send("/name n\u{200b}\u{202e}m");
    pty.wait_for("› /name n");
    pty.send("\r");
    pty.wait_for("Session name");
    submit(&pty, "/settings");
    pty.settle(QUIET);
    pty.send("\x1b");
    pty.settle(QUIET);
    read_all(&pty);
    assert_eq!(quit(&mut pty), Some(0));
    assert_harmless(&pty);
}

/// Into the reader at its full depth, and back.
fn read_all(pty: &Pty) {
    pty.send("\x0f");
    pty.wait_until("the reader", |screen| screen.alternate_screen());
    pty.send("\x1b[C");
    pty.settle(QUIET);
    pty.send("\x1b");
    pty.wait_until("the main screen", |screen| !screen.alternate_screen());
}

/// Every file below a folder.
fn files(folder: &std::path::Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

/// A key that a tool or a typed command prints is masked on the screen, in the log and everywhere else.
#[test]
fn a_key_is_never_shown_or_kept_whatever_prints_it() {
    let (stored, variable) = ("sk-stored-0123456789abcdef", "sk-variable-zyxwvut98765");
    let rig = Rig::new(&json!([
        [
            {"tool": "bash", "args": {"command": "cat $E_HOME/auth.json; env; exit 1"}},
            {"tool": "bash", "args": {"command": "for c in $(grep -o . $E_HOME/auth.json); do printf %s $c; done; exit 1"}},
            {"tool": "read", "args": {"path": "../home/auth.json"}},
            {"tool": "grep", "args": {"pattern": "sk-", "path": "../home"}},
        ],
        ["finished"],
    ]));
    let auth = json!({"format_version": 1, "providers": {"openai": {"key": stored}}});
    std::fs::write(rig.path("home/auth.json"), auth.to_string()).unwrap();
    let mut pty = ready(rig.spawn().env("ANTHROPIC_API_KEY", variable).start());
    submit(&pty, "show");
    pty.wait_for("finished");
    over(&pty);
    submit(&pty, "!cat $E_HOME/auth.json; env; echo over-$((40+2))");
    pty.wait_for("over-42");
    read_all(&pty);
    assert_eq!(quit(&mut pty), Some(0));
    let rows = pty.history().join("");
    let raw = String::from_utf8_lossy(&pty.raw()).into_owned();
    let mut kept = Vec::new();
    files(&rig.path("home"), &mut kept);
    assert!(kept.iter().any(|path| path.extension().is_some_and(|e| e == "jsonl")));
    for key in [stored, variable] {
        assert!(!rows.contains(key) && !raw.contains(key), "{key} was shown");
        for path in kept.iter().filter(|path| !path.ends_with("auth.json")) {
            let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
            assert!(!text.contains(key), "{key} is in {}", path.display());
        }
    }
}

/// Whether a process with this word among its arguments lives.
fn lives(word: &str) -> bool {
    std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        line.split(|b| *b == 0).any(|argument| argument == word.as_bytes())
    })
}

/// The modes that are still on at the end, of those the program switches.
fn left_on(raw: &[u8]) -> Vec<&'static str> {
    let text = String::from_utf8_lossy(raw);
    let last = |form: String| text.rfind(&form);
    let modes = ["1000", "1002", "1003", "1004", "1006", "1049", "2004", "2026", "2031"];
    modes
        .into_iter()
        .filter(|mode| last(format!("\u{1b}[?{mode}h")) > last(format!("\u{1b}[?{mode}l")))
        .collect()
}

/// G19, G42: whatever ends it while a command runs, modes are off, the children are gone, the status says why.
#[test]
fn g19_g42_every_signal_ends_the_children_and_gives_the_terminal_back() {
    let cases = [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::QUIT, 143)];
    for (at, (signal, status)) in cases.into_iter().enumerate() {
        for reader in [false, true] {
            let word = format!("9{at}{}.{}", u8::from(reader), std::process::id());
            let rig = Rig::new(&json!([
                [{"tool": "bash", "args": {"command": format!("sleep {word} & sleep {word} | cat")}}],
            ]));
            let mut pty = rig.start();
            submit(&pty, "go");
            let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
            while !lives(&word) && std::time::Instant::now() < deadline {
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            if reader {
                pty.send("\x0f");
                pty.wait_until("the reader", |screen| screen.alternate_screen());
            }
            pty.signal(signal);
            assert_eq!(pty.wait_exit().code(), Some(status), "{signal:?}");
            assert!(!lives(&word), "{signal:?}: a child was left");
            let raw = pty.raw();
            assert!(left_on(&raw).is_empty(), "{signal:?}: {:?}", left_on(&raw));
            assert!(!pty.screen().hide_cursor() && !pty.screen().alternate_screen());
            let modes = pty.termios().local_modes;
            assert!(
                modes.contains(rustix::termios::LocalModes::ICANON | rustix::termios::LocalModes::ECHO),
                "{signal:?}"
            );
            assert_eq!(foreign(&raw), None);
        }
    }
}

/// G07: copied lines that end with a line end send nothing; Enter afterwards sends them all.
#[test]
fn g07_whole_lines_pasted_without_marks_wait_for_enter() {
    let (_rig, mut pty) = Rig::new(&json!([["got it"]])).started();
    pty.send("uno\rdos\rtres\r");
    pty.wait_for("  tres");
    pty.settle(QUIET);
    assert!(!pty.text().contains("got it"), "{}", pty.text());
    pty.send("\r");
    pty.wait_for("got it");
    over(&pty);
    assert_eq!(times(&pty, "got it"), 1);
    assert_eq!(quit(&mut pty), Some(0));
}

/// Two presses quit only in a row: what was typed in between is a new beginning.
#[test]
fn ctrl_c_then_typing_then_ctrl_c_clears_and_stays() {
    let (_rig, mut pty) = Rig::new(&json!([])).started();
    pty.send("\x03");
    pty.wait_for("ctrl+c again to quit");
    pty.send("words");
    pty.wait_gone("ctrl+c again to quit");
    pty.send("\x03");
    pty.wait_gone("words");
    pty.wait_for("›");
    assert_eq!(quit(&mut pty), Some(0));
}

/// G17: a window of no size, and back, with each surface open.
#[test]
fn g17_no_size_at_all_is_survived_by_every_surface() {
    let surfaces: [&[&str]; 6] =
        [&["half a draft 漢字"], &["@"], &["\x0f"], &["\x12"], &["/model", "\r"], &["/settings", "\r"]];
    for keys in surfaces {
        let (_rig, pty) = Rig::new(&json!([])).started();
        for key in keys {
            pty.send(key);
            pty.settle(QUIET);
        }
        for (cols, rows) in [(0, 0), (1, 1), (300, 1), (0, 9), (1, 300), (9, 0), (80, 24)] {
            pty.resize(cols, rows);
            std::thread::sleep(std::time::Duration::from_millis(25));
            pty.send("\x1b[A");
        }
        pty.settle(QUIET);
        pty.send("\x1b");
        pty.wait_until("the main screen", |screen| !screen.alternate_screen());
        pty.wait_for("›");
        assert_eq!(foreign(&pty.raw()), None);
    }
}
