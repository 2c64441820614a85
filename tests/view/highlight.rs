//! The highlighter: words for real code, text that grows, limits, and hostile input.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use e::effects::highlight::{Colourist, Highlighter, Job, Line, MAX_LINE, MAX_LINES};
use e::model::id::Ticket;
use e::model::msg::FilesMsg;
use e::model::text::row::Token;
use proptest::prelude::*;

fn job(language: &str, text: &str, from_line: usize) -> Job {
    Job { ticket: Ticket(1), language: Arc::from(language), text: Arc::from(text), from_line }
}

/// The words of a text as `piece:token` marks.
fn words(language: &str, text: &str) -> Vec<String> {
    let lines = Colourist::default().colours(&job(language, text, 0));
    let mut out = Vec::new();
    for (line, colours) in text.lines().zip(lines) {
        out.extend(colours.into_iter().map(|(range, token)| format!("{}:{}", &line[range], token.name())));
    }
    out
}

#[test]
fn code_of_common_languages_gets_the_words_of_the_theme() {
    let rust = words("rust", "fn main() { // hi\n    let x: u32 = 42;\n    println!(\"{x}\");\n}\n");
    for part in [
        "fn:syntaxKeyword",
        "main:syntaxFunction",
        "// hi:syntaxComment",
        "u32:syntaxType",
        "42:syntaxNumber",
    ] {
        assert!(rust.iter().any(|word| word == part), "{part} is not in {rust:?}");
    }
    assert!(rust.iter().any(|word| word.starts_with('"') && word.ends_with(":syntaxString")), "{rust:?}");
    let python = words("py", "def f(a):\n    return \"s\" + str(1)  # c\n");
    for part in [
        "def:syntaxKeyword",
        "f:syntaxFunction",
        "return:syntaxKeyword",
        "\"s\":syntaxString",
        "1:syntaxNumber",
    ] {
        assert!(python.iter().any(|word| word == part), "{part} is not in {python:?}");
    }
    let json = words("json", "{\"key\": \"value\", \"n\": 1}\n");
    assert!(json.iter().any(|word| word == "\"key\":syntaxFunction"), "{json:?}");
    assert!(json.iter().any(|word| word == "\"value\":syntaxString"), "{json:?}");
    let diff = words("diff", "+new\n-old\n");
    assert_eq!(diff, ["+new:toolDiffAddedMarker", "-old:toolDiffRemovedMarker"]);
}

#[test]
fn languages_are_found_by_name_alias_extension_and_path() {
    let known = [
        "Rust",
        "rs",
        "src/main.rs",
        "/a/b.c/x.py",
        "typescript",
        "tsx",
        "toml",
        "Cargo.toml",
        "yaml",
        "yml",
        "bash",
        "sh",
        "console",
        "zsh",
        "go",
        "golang",
        "c++",
        "cpp",
        "hpp",
        "c",
        "java",
        "kotlin",
        "swift",
        "ruby",
        "php",
        "sql",
        "html",
        "css",
        "dockerfile",
        "Dockerfile",
        "makefile",
        "lua",
        "nix",
        "elixir",
        "haskell",
        "zig",
        "diff",
        "patch",
        "markdown",
        "md",
        "javascript",
        "js",
        "jsx",
        "mjs",
        "jsonc",
        "xml",
        "csharp",
        "rust,no_run",
    ];
    let text =
        "# a \"b\" 1 \"x\": // 2\nFROM x if then <a> /* 3 */ \n+x\nlocal function f() return \"s\" end\n";
    for name in known {
        let lines = Colourist::default().colours(&job(name, text, 0));
        assert!(lines.iter().any(|line| !line.is_empty()), "{name} has no colours");
    }
    for name in ["", "text", "no-such-language", "x.unknown", "../", "."] {
        assert!(Colourist::default().colours(&job(name, text, 0)).iter().all(Vec::is_empty), "{name}");
    }
}

const GROWING: &str = "/* a comment\nthat goes on */ fn a() {}\nlet s = \"one\ntwo\";\nstruct T<'a> { x: &'a str }\n// é漢字\nend();\n";

#[test]
fn a_text_that_grows_has_the_colours_of_the_whole() {
    let whole = Colourist::default().colours(&job("rust", GROWING, 0));
    let mut colourist = Colourist::default();
    let mut kept: Vec<Line> = Vec::new();
    for (end, _) in GROWING.char_indices().skip(1) {
        // As the front does: the last line may still grow, so it is asked for again.
        let from = kept.len().saturating_sub(1);
        kept.truncate(from);
        kept.extend(colourist.colours(&job("rust", &GROWING[..end], from)));
    }
    kept.truncate(whole.len() - 1);
    kept.extend(colourist.colours(&job("rust", GROWING, whole.len() - 1)));
    assert_eq!(kept, whole);
}

#[test]
fn an_end_state_is_not_used_for_another_text() {
    let mut colourist = Colourist::default();
    let _ = colourist.colours(&job("rust", "/* open\n", 0));
    let fresh = colourist.colours(&job("rust", "let a;\nlet b = 1;\n", 1));
    assert_eq!(fresh, Colourist::default().colours(&job("rust", "let a;\nlet b = 1;\n", 1)));
    assert!(!fresh[0].iter().any(|(_, token)| *token == Token::SyntaxComment));
}

#[test]
fn long_lines_and_long_texts_stay_plain_past_the_limits() {
    let text = format!("let a = \"{}\";\nlet b = 1;\n", "x".repeat(MAX_LINE));
    let lines = Colourist::default().colours(&job("rust", &text, 0));
    assert!(lines[0].is_empty() && !lines[1].is_empty());
    let text = "let b = 1;\n".repeat(MAX_LINES + 50);
    let lines = Colourist::default().colours(&job("rust", &text, 0));
    assert_eq!(lines.len(), MAX_LINES + 50);
    assert!(!lines[MAX_LINES - 1].is_empty() && lines[MAX_LINES..].iter().all(Vec::is_empty));
    assert_eq!(Colourist::default().colours(&job("rust", &text, MAX_LINES + 10)).len(), 40);
}

#[test]
fn the_worker_answers_every_job_with_its_ticket() {
    let (sender, answers) = channel();
    let mut highlighter = Highlighter::new(move |ticket, msg| sender.send((ticket, msg)).unwrap());
    for (at, language) in ["rust", "text", "python"].into_iter().enumerate() {
        highlighter.request(Job { ticket: Ticket(at as u64), ..job(language, "if 1:\nx\n", 1) });
    }
    for at in 0..3 {
        let (ticket, msg) = answers.recv_timeout(Duration::from_secs(20)).unwrap();
        let FilesMsg::Coloured { from_line, lines } = msg else { panic!("{msg:?}") };
        assert_eq!((ticket, from_line, lines.len()), (Ticket(at), 1, 1));
    }
    drop(highlighter);
    assert!(answers.recv_timeout(Duration::from_secs(20)).is_err(), "the worker ended with its owner");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn ranges_are_ordered_and_cut_no_character(text in "[\\PC\n\"'/*{}()\t\\\\#]{0,200}", language in "rust|js|py|md|html|sh|yaml|toml|c|go|sql|json|lua|rb|diff") {
        let lines = Colourist::default().colours(&job(&language, &text, 0));
        prop_assert_eq!(lines.len(), text.lines().count());
        for (line, colours) in text.lines().zip(lines) {
            let mut at = 0;
            for (range, _) in colours {
                prop_assert!(range.start >= at && range.start < range.end);
                prop_assert!(line.get(range.clone()).is_some(), "{range:?} of {line:?}");
                at = range.end;
            }
        }
    }
}

/// A language's text and pieces that must have their words.
fn check(language: &str, text: &str, wanted: &[&str]) {
    let words = words(language, text);
    for part in wanted {
        assert!(words.iter().any(|word| word == part), "{language}: {part} is not in {words:?}");
    }
}

#[test]
fn the_common_languages_keep_their_habits() {
    check(
        "rust",
        "/* a /* b */ c */ let r = r#\"a \" b\"#; 'x' &'a str; vec![1..2, 0x1F_u8, 1.5]; if a != b {} MAX Some\n",
        &[
            "/* a /* b */ c */:syntaxComment",
            "r#\"a \" b\"#:syntaxString",
            "'x':syntaxString",
            "'a:syntaxType",
            "vec:syntaxFunction",
            "1:syntaxNumber",
            "0x1F_u8:syntaxNumber",
            "1.5:syntaxNumber",
            "!=:syntaxOperator",
            "MAX:syntaxNumber",
            "Some:syntaxType",
        ],
    );
    check(
        "py",
        "@app.route\ndef f():\n    \"\"\"a\n    'b' if\n    \"\"\"\n    return f\"{x}\" # d\n",
        &["@app:syntaxFunction", "    'b' if:syntaxString", "f\"{x}\":syntaxString", "# d:syntaxComment"],
    );
    check(
        "ts",
        "const a = `x\n${y} if`; // c\nfunction go(): string { return null }\n",
        &[
            "${y} if`:syntaxString",
            "// c:syntaxComment",
            "go:syntaxFunction",
            "string:syntaxType",
            "null:syntaxNumber",
        ],
    );
    check(
        "sh",
        "git log --oneline | grep -v \"a b\" && FOO=1 make # x\necho $HOME#y\n",
        &[
            "git:syntaxFunction",
            "grep:syntaxFunction",
            "\"a b\":syntaxString",
            "# x:syntaxComment",
            "$HOME:syntaxVariable",
        ],
    );
    check(
        "yaml",
        "name: build # c\n  - run: \"x: y\"\nurl: a#b\n",
        &["name:syntaxFunction", "# c:syntaxComment", "\"x: y\":syntaxString"],
    );
    check(
        "Cargo.toml",
        "[dependencies]\nserde = { version = \"1\" }\n",
        &["[dependencies]:syntaxFunction", "serde:syntaxFunction", "\"1\":syntaxString"],
    );
    check(
        "sql",
        "SELECT id FROM t WHERE a = 'x' -- c\n",
        &["SELECT:syntaxKeyword", "'x':syntaxString", "-- c:syntaxComment"],
    );
    check(
        "c",
        "#include <a.h>\nint main(void) { return 'a'; } /* x\ny */\n",
        &["int:syntaxType", "main:syntaxFunction", "y */:syntaxComment"],
    );
}

#[test]
fn other_languages_are_still_coloured() {
    check("html", "<a href=\"x\">t</a>\n", &["\"x\":syntaxString"]);
    check("css", "a { color: red; } /* c */\n", &["/* c */:syntaxComment"]);
    check("haskell", "-- c\nmain = putStrLn \"x\"\n", &["-- c:syntaxComment", "\"x\":syntaxString"]);
}
