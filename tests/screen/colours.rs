//! What reaches terminals of few colours or none, and what hostile text can make the program write: nothing.

use serde_json::json;

use super::rig::{Rig, over, quit, ready, submit};
use crate::term::pty::Spawn;
use crate::term::written::foreign;

const REPLY: &str = "# Title\n\nSome `code` and **bold** [link](https://example.org/x).\n\n```rust\nfn a() -> u32 { 1 } // c\n```\n\nThe end.";

/// The SGR parameters of everything written in a session with a diff.
fn colours(spawn: impl Fn(Spawn) -> Spawn, theme: &str) -> Vec<String> {
    let rig = Rig::new(&json!([
        [{"tool": "write", "args": {"path": "b.txt", "content": "hello\n"}}],
        [{"tool": "edit", "args": {"path": "b.txt", "old_string": "hello", "new_string": "hello you"}}],
        [REPLY],
    ]));
    rig.settings(&json!({"theme": theme}));
    let mut pty = ready(spawn(rig.spawn()).start());
    submit(&pty, "go");
    pty.wait_for("The end.");
    over(&pty);
    assert_eq!(quit(&mut pty), Some(0));
    assert_eq!(foreign(&pty.raw()), None);
    let raw = String::from_utf8_lossy(&pty.raw()).into_owned();
    let sequences = raw.split("\x1b[").skip(1);
    sequences
        .filter_map(|rest| {
            let (digits, behind) = rest.split_at(rest.find(|c: char| !matches!(c, '0'..='9' | ';' | ':'))?);
            behind.starts_with('m').then(|| digits.to_owned())
        })
        .collect()
}

/// The colour kinds among SGR parameters: `16`, `256` and `true`.
fn kinds(sequences: &[String]) -> std::collections::BTreeSet<&'static str> {
    let mut kinds = std::collections::BTreeSet::new();
    for sequence in sequences {
        let mut words = sequence.split([';', ':']).map(|word| word.parse::<u32>().unwrap_or(0));
        while let Some(word) = words.next() {
            match word {
                38 | 48 if words.next() == Some(2) => {
                    kinds.insert("true");
                    let _rgb = words.by_ref().take(3).count();
                }
                38 | 48 => {
                    kinds.insert("256");
                    let _index = words.next();
                }
                30..=37 | 40..=47 | 90..=97 | 100..=107 => {
                    kinds.insert("16");
                }
                _ => {}
            }
        }
    }
    kinds
}

#[test]
fn g18_each_terminal_gets_only_the_colours_it_has() {
    type Change = fn(Spawn) -> Spawn;
    let cases: [(&str, Change, &[&str]); 5] = [
        ("true colour", |spawn| spawn, &["true"]),
        ("no COLORTERM", |spawn| spawn.env("COLORTERM", ""), &["256"]),
        ("Apple", |spawn| spawn.env("TERM_PROGRAM", "Apple_Terminal"), &["256"]),
        ("xterm", |spawn| spawn.env("COLORTERM", "").env("TERM", "xterm"), &["16"]),
        ("NO_COLOR", |spawn| spawn.env("NO_COLOR", "1"), &[]),
    ];
    for theme in ["dark", "light"] {
        for (name, change, allowed) in cases {
            let sequences = colours(change, theme);
            let kinds = kinds(&sequences);
            assert!(kinds.iter().eq(allowed), "{name}, {theme}: {kinds:?}");
            if name == "NO_COLOR" {
                assert!(
                    sequences.iter().any(|s| s.split(';').any(|word| word == "1")),
                    "bold still tells things apart"
                );
            }
        }
    }
}

/// No escape byte of a stranger reaches the terminal (G11).
#[test]
fn g11_hostile_text_writes_nothing_but_what_is_listed() {
    let attack = "\u{1b}]0;owned\u{7}\u{1b}]52;c;b3duZWQ=\u{7}\u{1b}[2J\u{1b}[?1049l\u{1b}[3;1Hhi\u{8}\u{8}\u{9b}K\u{1b}P1$r\u{1b}\\";
    let rig = Rig::new(&json!([
        [
            {"reasoning": attack},
            format!("{attack} prose\n\n```\n{attack} code\n```\n\n[{attack}](https://example.org/{attack})\n\n| {attack} |\n|---|\n| {attack} |\n"),
            {"tool": "bash", "args": {"command": format!("printf '\\033]0;owned\\007\\033]52;c;b3duZWQ=\\007\\033[2J\\033[?1049l\\033[3;1Hhi\\010\\010\\233K'; cat evil; exit 1 # {attack}")}},
            {"tool": "read", "args": {"path": format!("x{attack}")}},
        ],
        ["finished"],
    ]));
    std::fs::write(rig.work().join("evil"), attack).unwrap();
    let mut pty = rig.start();
    submit(&pty, "attack");
    pty.wait_for("finished");
    over(&pty);
    pty.send("\x0f");
    pty.wait_until("the reader", |screen| screen.alternate_screen());
    pty.send("\x1b[C");
    pty.settle(super::rig::QUIET);
    pty.send("\x1b");
    pty.wait_until("the main screen", |screen| !screen.alternate_screen());
    assert_eq!(quit(&mut pty), Some(0));
    let raw = pty.raw();
    assert_eq!(foreign(&raw), None);
    let text = String::from_utf8_lossy(&raw).into_owned();
    assert!(!text.contains("\u{1b}]0;owned") && !text.contains("\u{1b}]52"));
    // C1 bytes stand in no character of what was written.
    assert!(!text.chars().any(|c| ('\u{80}'..='\u{9f}').contains(&c)));
}

#[test]
fn light_and_dark_are_chosen_by_the_terminals_ground() {
    let shown = |ground: Option<(u8, u8, u8)>| {
        let rig = Rig::new(&json!([]));
        let answers = crate::term::pty::Answers { background: ground, ..Default::default() };
        let mut pty = ready(rig.spawn().answers(answers).start());
        assert_eq!(quit(&mut pty), Some(0));
        String::from_utf8_lossy(&pty.raw()).into_owned()
    };
    let accent = |name: &str| {
        let text = e::effects::themes::builtin(name).unwrap();
        let theme = e::model::config::theme::Theme::parse(name, name, text.as_bytes()).0.unwrap();
        let (r, g, b) = theme.colour(e::model::text::row::Token::Accent).unwrap().rgb();
        format!("38;2;{r};{g};{b}")
    };
    assert!(shown(None).contains(&accent("dark")));
    assert!(shown(Some((255, 255, 255))).contains(&accent("light")));
}
