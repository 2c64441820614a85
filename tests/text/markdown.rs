//! Markdown.

use std::ops::Range;

use e::model::text::clean::Clean;
use e::model::text::markdown::{
    Carry, CodeColours, Growing, Options, Progress, Uncoloured, code_blocks, render, render_part, safe_prefix,
};
use e::model::text::row::{Row, Token};
use e::model::text::width::clusters;
use proptest::prelude::*;

use super::nasty::{self, cases};

const BITS: &[&str] = &[
    "a",
    "word ",
    "\n",
    "\n",
    "\n\n",
    "\n\n",
    " ",
    "    ",
    "- ",
    "* ",
    "1. ",
    "2. ",
    "> ",
    "# ",
    "## ",
    "```",
    "```rust\n",
    "~~~\n",
    "`",
    "**",
    "*",
    "_",
    "~~",
    "|",
    "| a | b |\n",
    "|---|:-:|\n",
    "[x]",
    "[x]: /url\n",
    "[x][y]",
    "[y]: http://y\n",
    "[t](http://u)",
    "![i](p.png)",
    "<div>\n",
    "</div>",
    "<b>",
    "<!--",
    "-->",
    "---\n",
    "===\n",
    "- [ ] ",
    "- [x] ",
    "[^1]",
    "[^1]: note\n",
    "\\",
    "&#27;",
    "&#x202E;",
    "&amp;",
    "http://x.y/z",
    "漢字",
    "  \n",
    "\t",
    "<http://a.b>",
];

fn markdown() -> impl Strategy<Value = String> {
    let bit = prop_oneof![9 => prop::sample::select(BITS).prop_map(str::to_owned), 1 => nasty::text()];
    prop::collection::vec(bit, 0..40).prop_map(|bits| Clean::vanish(&bits.concat()).to_string())
}

/// What a paragraph or a code block of some length is made of.
fn growing() -> impl Strategy<Value = String> {
    const WORDS: &[&str] = &[
        "word ",
        "two words ",
        "a, ",
        "end. ",
        "**",
        "*",
        "_",
        "__",
        "~~",
        "~",
        "`",
        "``",
        "[",
        "](u)",
        "] ",
        "](",
        ")",
        "<",
        "> ",
        "<b> ",
        "\\*",
        "\\",
        "&amp;",
        "snake_case ",
        "5*3 ",
        " * ",
        " ** ",
        "https://x.y/z ",
        "http://x.y/漢字漢字",
        "漢字",
        "漢字漢字漢字漢字 ",
        "e\u{301}",
        "\n",
        "\n1. x",
        "\n12 ",
        "\n- x",
        "\n===",
        "\n---",
        "\n| a |",
        "\n|-|",
        "\n# x",
        "  \n",
        "\\\n",
        "\n> q",
        "\n\n",
        "\t",
        "  ",
        "!",
        "\"t\" ",
        "\n```\n",
        "\n    x",
        "1",
        "2. ",
        "x|y ",
        "🇩🇪",
        "👩\u{200d}👧 ",
        "\n[a]: b",
        "[a] ",
        "[^1] ",
    ];
    let word = prop_oneof![3 => prop::sample::select(&WORDS[..4]), 2 => prop::sample::select(WORDS)];
    let text = prop::collection::vec(word, 1..60).prop_map(|words| words.concat());
    let line = prop_oneof![
        6 => "[a-z漢\\t {}=-]{0,30}\n", 1 => Just("\n".to_owned()), 1 => Just("``\n".to_owned()), 1 => Just("--\n".to_owned()),
        1 => "[a-z漢=]{600,4200}", 1 => Just("12".to_owned()),
    ];
    let code = prop::collection::vec(line, 0..12).prop_map(|lines| format!("```rust\n{}", lines.concat()));
    (prop_oneof![4 => text, 1 => code], prop_oneof![Just(""), Just("x "), Just("\n\n")])
        .prop_map(|(text, start)| Clean::vanish(&format!("{start}{text}")).to_string())
}

/// Ends of the pieces of a text, over and over as long as these.
fn ends(md: &str, pieces: &[usize]) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut at = 0;
    for piece in pieces.iter().cycle() {
        // Long lines come in bigger pieces, so that they take no more steps.
        at += piece * if md.len() > 1_500 { 20 } else { 1 };
        while at < md.len() && !md.is_char_boundary(at) {
            at += 1;
        }
        ends.push(at.min(md.len()));
        if at >= md.len() {
            return ends;
        }
    }
    ends
}

fn whole(md: &str, width: usize) -> Vec<Row> {
    render(md, Options::new(width), &Uncoloured)
}

fn plain(rows: &[Row]) -> Vec<String> {
    rows.iter().map(|row| row.plain().trim_end().to_owned()).collect()
}

fn check(md: &str, width: usize, expected: &[&str]) {
    assert_eq!(plain(&whole(md, width)), expected);
}

fn streaming(md: &str) -> Vec<String> {
    plain(&render(md, Options { streaming: true, ..Options::new(40) }, &Uncoloured))
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn c6_safe_prefix_and_rest_equal_the_whole(md in markdown(), width in 4usize..60, growing in any::<bool>()) {
        let options = Options { streaming: growing, ..Options::new(width) };
        let at = safe_prefix(&md);
        let mut carry = Carry::default();
        let mut rows = render_part(&md[..at], Options { streaming: false, ..options }, &Uncoloured, &mut carry);
        rows.extend(render_part(&md[at..], options, &Uncoloured, &mut carry));
        prop_assert_eq!(rows, render(&md, options, &Uncoloured), "split at {}", at);
    }

    #[test]
    fn c6_what_is_safe_never_changes_while_the_text_grows(md in markdown(), width in 4usize..60) {
        let options = Options::new(width);
        let mut progress = Progress::default();
        let mut before: Vec<Row> = Vec::new();
        let ends: Vec<usize> = md.char_indices().map(|(at, _)| at).chain([md.len()]).collect();
        for end in ends {
            progress.advance(&md[..end], options, &Uncoloured);
            prop_assert!(progress.rows().starts_with(&before));
            before = progress.rows().to_vec();
        }
        let mut all = progress.rows().to_vec();
        all.extend(progress.rest(&md, options, &Uncoloured));
        prop_assert_eq!(all, render(&md, options, &Uncoloured));
    }

    #[test]
    fn c6_a_text_rendered_as_it_grows_is_the_text_rendered_whole(
        md in prop_oneof![growing(), markdown()], pieces in prop::collection::vec(1usize..40, 1..12), step in 1usize..30, width in 4usize..60,
    ) {
        let options = Options { streaming: true, ..Options::new(width) };
        let (mut growing, mut settled) = (Some(Growing::in_steps(step)), Vec::new());
        for end in ends(&md, &pieces) {
            let md = &md[..end];
            let whole = render(md, options, &Uncoloured);
            let Some(rows) = growing.as_mut().and_then(|growing| growing.advance(md, options, &Uncoloured)) else {
                // Nothing that can be done in parts: it begins anew.
                growing = Some(Growing::in_steps(step));
                settled.clear();
                continue;
            };
            settled.extend(rows.settled);
            let all: Vec<Row> = settled.iter().chain(&rows.rest).cloned().collect();
            prop_assert_eq!(all, whole, "{:?}", md);
        }
    }

    #[test]
    fn c4_markdown_rows_fit_and_are_clean(md in markdown(), width in 2usize..60, streaming in any::<bool>()) {
        for row in render(&md, Options { streaming, ..Options::new(width) }, &Uncoloured) {
            let widest = row.spans.iter().flat_map(|s| clusters(s.text.as_str())).map(|c| c.width).max().unwrap_or(0);
            prop_assert!(row.width() <= width || widest > 2, "{} > {width}: {:?}", row.width(), row.plain());
            prop_assert!(!row.plain().chars().any(|c| c.is_control() || ('\u{202A}'..='\u{202E}').contains(&c)), "{:?}", row.plain());
            for link in row.spans.iter().filter_map(|span| span.link.as_deref()) {
                prop_assert!(link.bytes().all(|b| b.is_ascii_graphic()), "{link:?}");
            }
        }
    }

    #[test]
    fn code_blocks_are_those_rendered(md in markdown()) {
        struct Asked(std::cell::RefCell<Vec<(usize, usize)>>);
        impl CodeColours for Asked {
            fn line(&self, block: usize, _: &str, line: usize) -> Option<&[(Range<usize>, Token)]> {
                self.0.borrow_mut().push((block, line));
                None
            }
        }
        let asked = Asked(Vec::new().into());
        render(&md, Options::new(40), &asked);
        let mut expected = Vec::new();
        for block in code_blocks(&md) {
            expected.extend((0..block.text.as_str().lines().count()).map(|line| (block.ordinal, line)));
        }
        prop_assert_eq!(asked.0.into_inner(), expected);
    }
}

#[test]
fn blocks_are_set_apart() {
    check(
        "# Title\npara *one*\nstill\n\n---\n> quote\n> more",
        12,
        &["Title", "", "para one", "still", "", "────────────", "", "│ quote more"],
    );
}

#[test]
fn lists_nest_and_wrap_under_their_text() {
    check(
        "- one two three\n  - inner\n- [x] done\n- [ ] open\n\n7. seven\n8. eight",
        11,
        &["• one two", "  three", "  ◦ inner", "[x] done", "[ ] open", "", "7. seven", "8. eight"],
    );
    check("- a\n\n  b\n\n- c", 20, &["• a", "", "  b", "", "• c"]);
    check("- a\n  ```\n  code\n  ```\n- b", 20, &["• a", "    code", "• b"]);
}

#[test]
fn marks_become_looks() {
    let rows = whole("**b** *i* ~~s~~ `c` [l](http://x) <http://y> http://z.", 80);
    let row = &rows[0];
    assert_eq!(row.plain(), "b i s c l (http://x) http://y http://z.");
    let find = |text: &str| row.spans.iter().find(|span| span.text.as_str() == text).unwrap();
    assert!(find("b").attrs.bold && find("i").attrs.italic && find("s").attrs.strikethrough);
    assert_eq!(find("c").token, Token::MdCode);
    assert_eq!((find("l").token, find("l").link.as_deref()), (Token::MdLink, Some("http://x")));
    assert_eq!(find(" (http://x)").token, Token::MdLinkUrl);
    assert_eq!(find("http://y").link.as_deref(), Some("http://y"));
    assert_eq!(find("http://z").link.as_deref(), Some("http://z"));
}

#[test]
fn links_that_are_not_web_addresses_have_no_target() {
    let rows = whole("[a](javascript:alert) [b](src/x.rs) ![alt](pic.png)", 80);
    assert_eq!(rows[0].plain(), "a (javascript:alert) b (src/x.rs) alt (pic.png)");
    assert!(rows[0].spans.iter().all(|span| span.link.is_none()));
}

#[test]
fn references_resolve_backwards_only() {
    check("[x]\n\n[x]: http://u\n\n[x]", 40, &["[x]", "", "x (http://u)"]);
    check(
        "[X a]\n\n[x  A]: http://u\n\n[t][x a]\n\n[x a]: http://v\n\n[x a]",
        40,
        &["[X a]", "", "t (http://u)", "", "x a (http://u)"],
    );
}

#[test]
fn html_footnotes_and_entities_are_text() {
    check(
        "<div>\n<b>x</b>\n</div>\n\na <i>b</i> &lt; [^1]\n\n[^1]: the note",
        40,
        &["<div>", "<b>x</b>", "</div>", "", "a <i>b</i> < [^1]", "", "[^1]: the note"],
    );
}

#[test]
fn g11_entities_bring_no_escapes() {
    check("a&#27;[31mb&#x9b;c&#x202E;d\n\n```\n\u{1b}[2Jx\n```", 40, &["a[31mbcd", "", "  x"]);
}

#[test]
fn code_is_coloured_from_outside() {
    struct Colours(Vec<(Range<usize>, Token)>);
    impl CodeColours for Colours {
        fn line(&self, block: usize, language: &str, line: usize) -> Option<&[(Range<usize>, Token)]> {
            (block == 1 && language == "rust" && line == 1).then_some(&self.0)
        }
    }
    let md = "    indented\n\n```rust,ignore\nfn a() {}\nfn b() {}\n```\nend";
    let rows = render(
        md,
        Options::new(40),
        &Colours(vec![(0..2, Token::SyntaxKeyword), (3..4, Token::SyntaxFunction)]),
    );
    assert_eq!(plain(&rows), ["  indented", "", "  fn a() {}", "  fn b() {}", "", "end"]);
    let tokens: Vec<(&str, Token)> =
        rows[3].spans.iter().map(|span| (span.text.as_str(), span.token)).collect();
    assert_eq!(
        tokens[1..],
        [
            ("fn", Token::SyntaxKeyword),
            (" ", Token::MdCodeBlock),
            ("b", Token::SyntaxFunction),
            ("() {}", Token::MdCodeBlock)
        ]
    );
    assert_eq!(e::model::text::row::source(&rows[2..4]), "fn a() {}\nfn b() {}");
    let blocks = code_blocks(md);
    assert_eq!(
        (blocks[1].language.as_str(), blocks[1].text.as_str(), blocks[1].closed),
        ("rust", "fn a() {}\nfn b() {}\n", true)
    );
    assert!(!code_blocks("```sh\nls\n")[0].closed && code_blocks("> ~~~\n> x\n> ~~~")[0].closed);
}

#[test]
fn g35_a_fence_being_formed_is_never_shown_and_no_row_moves() {
    let mut md = String::from("A paragraph.\n\n```rust\n");
    (0..30).for_each(|n| md.push_str(&format!("let x{n} = {n};\n")));
    md.push_str("```\n\nThe end.");
    let mut before: Vec<String> = Vec::new();
    for (end, _) in md.char_indices().chain([(md.len(), ' ')]) {
        let now = streaming(&md[..end]);
        assert!(!now.iter().any(|row| row.contains('`')), "{now:?}");
        assert!(now.len() >= before.len(), "{before:?} -> {now:?}");
        let finished = before.len().saturating_sub(1);
        assert_eq!(now[..finished], before[..finished]);
        before = now;
    }
}

#[test]
fn unfinished_marks_look_finished_while_streaming() {
    assert_eq!(streaming("a **bol"), ["a bol"]);
    assert_eq!(streaming("a **bold*"), ["a bold"]);
    assert_eq!(streaming("a `co"), ["a co"]);
    assert_eq!(streaming("a **"), ["a"]);
    assert_eq!(streaming("- x **bol"), ["• x bol"]);
    assert_eq!(streaming("see [it](http://exa"), ["see it (http://exa)"]);
    assert_eq!(streaming("para\n-"), ["para"]);
    assert_eq!(streaming("1. one\n2"), ["1. one"]);
    assert_eq!(streaming("1. one\n2. t"), ["1. one", "2. t"]);
    assert_eq!(streaming("- one\n*"), ["• one"]);
    assert_eq!(streaming("2 ** 3"), ["2 ** 3"]);
    assert_eq!(streaming("```\na `b **c"), ["  a `b **c"]);
}

#[test]
fn a_table_looks_like_one_from_its_first_row_on() {
    for md in [
        "| a | b |",
        "| a | b |\n",
        "| a | b |\n|",
        "| a | b |\n|--",
        "| a | b |\n|---|---|",
        "| a | b |\n|---|---|\n",
    ] {
        assert_eq!(streaming(md), ["a │ b", "──┼──"], "{md:?}");
    }
    assert_eq!(streaming("| a | b |\n|---|---|\n| 1"), ["a │ b", "──┼──", "1 │"]);
}

#[test]
fn tables_are_aligned() {
    check(
        "| id | 名前 | n |\n|----|:--:|--:|\n| 1 | 漢字漢字 | 10 |\n| 22 | x | 5 |",
        40,
        &["id │   名前   │  n", "───┼──────────┼───", "1  │ 漢字漢字 │ 10", "22 │    x     │  5"],
    );
}

#[test]
fn g36_wide_tables_wrap_in_their_cells_and_links_stay_whole() {
    let address = format!("https://example.com/{}", "p".repeat(100));
    let prose = "word ".repeat(30);
    let md = format!(
        "| id | 名前 | prose | link |\n|---|---|---|---|\n| 1 | 漢字 | {prose} | [text]({address}) |\n\nText after the table that is wrapped like any other text is."
    );
    let rows = render(&md, Options { urls: false, ..Options::new(60) }, &Uncoloured);
    let table = plain(&rows).iter().position(String::is_empty).unwrap();
    let bars = |row: &Row| {
        let mut column = 0;
        let mut found = Vec::new();
        for cluster in clusters(&row.plain()) {
            if matches!(cluster.text, "│" | "┼") {
                found.push(column);
            }
            column += cluster.width;
        }
        found
    };
    assert!(rows[..table].iter().all(|row| bars(row) == bars(&rows[0]) && row.width() <= 60));
    let links: Vec<&str> =
        rows.iter().flat_map(|row| &row.spans).filter_map(|span| span.link.as_deref()).collect();
    assert_eq!(links, [address.as_str()]);
    assert!(plain(&rows)[table + 1].starts_with("Text after the table that is wrapped like any other text"));

    let head = (0..14).map(|n| format!("| head{n} ")).collect::<String>();
    let body = (0..14).map(|n| format!("| value {n} ")).collect::<String>();
    let rows = plain(&whole(&format!("{head}|\n{}|\n{body}|\n{body}|", "|---".repeat(14)), 60));
    assert_eq!(
        (rows[0].as_str(), rows[13].as_str(), rows[14].as_str(), rows.len()),
        ("head0: value 0", "head13: value 13", "", 29)
    );
}

#[test]
fn hostile_nesting_costs_no_stack() {
    assert!(!whole(&format!("{}x", ">".repeat(20_000)), 40).is_empty());
    assert!(!whole(&"- ".repeat(5_000), 40).is_empty());
    assert!(!whole(&format!("{}x", "[".repeat(20_000)), 40).is_empty());
    assert!(!whole(&format!("{}x", "*a ".repeat(10_000)), 40).is_empty());
}

/// A reply of one endless word: looking for its open marks takes one walk, not one for each letter.
#[test]
fn a_flood_of_one_letter_is_walked_once_while_it_streams() {
    let flood = "x".repeat(300_000);
    let rows = streaming(&format!("**{flood}"));
    assert_eq!(rows.concat().matches('x').count(), flood.len());
    assert!(!rows.concat().contains('*'));
}

#[test]
fn a_tables_row_without_end_shows_its_ends_while_it_grows() {
    let start = "| a | b | c |\n|---|---|---|\n| one | ";
    let md = format!("{start}{}and `more", "word ".repeat(10_000));
    let rows = streaming(&md);
    assert!(rows.len() < 500 && rows[0].starts_with("a "), "{}", rows.len());
    assert!(rows.iter().any(|row| row.contains("and more")), "{:?}", rows.last());
    // As whole it is whole.
    assert!(render(&md, Options::new(40), &Uncoloured).len() > 1_000);
    // Cells that began in the middle are still counted.
    let md = format!("{start}{} | last", "word ".repeat(10_000));
    let last = streaming(&md);
    assert!(
        last.iter().any(|row| row.split('│').nth(2).is_some_and(|cell| cell.contains("last"))),
        "{last:?}"
    );
}
