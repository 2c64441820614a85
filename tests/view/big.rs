//! Texts far beyond the usual: pastes and diffs of many thousands of lines, their colours, and lines that never end.

use std::sync::Arc;

use e::model::config::settings::Settings;
use e::model::text::diff::{How, Laid, RowColours as _, Uncoloured, head, parse, parse_plain, rows, unified};
use e::model::text::row::{Row, Token};
use e::model::tool::{Display, Format, Outcome};
use e::model::tui::block::{Block, Body, Prose, Tail};
use e::model::tui::look::{self, Look};
use e::model::tui::scroll::Scroll;
use e::model::tui::shade::Shades;
use e::model::tui::viewer::Depth;
use e::view::cache::Cache;
use e::view::paint;
use proptest::prelude::*;

use super::scene::*;
use crate::text::nasty;

fn shown(body: Body, columns: usize, depth: Depth) -> Vec<Row> {
    let settings = Settings::default();
    let block = Block::done(e::model::id::BlockId(1), body, NOW);
    look::rows(&block, Look { columns, depth, settings: &settings, now: NOW, links: true })
}

fn lines(rows: &[Row]) -> Vec<String> {
    rows.iter().map(|row| row.plain().trim_end().to_owned()).collect()
}

#[test]
fn a_long_paste_shows_its_ends_and_how_much_is_between() {
    let paste: String = (1..=50_000).map(|n| format!("line {n}\n")).collect();
    let said = format!("What is wrong here?\n{paste}\nThe log is from today.");
    let brief = lines(&shown(user(&said), 60, Depth::Brief));
    assert_eq!(brief.len(), 22, "{brief:?}");
    assert_eq!(brief[..3], ["", "▌ What is wrong here?", "▌ line 1"]);
    assert_eq!(
        brief[17..],
        [
            "▌ … 49983 more lines · ctrl+o to view",
            "▌ line 49999",
            "▌ line 50000",
            "▌",
            "▌ The log is from today."
        ]
    );
    let whole = lines(&shown(user(&said), 60, Depth::Whole));
    assert_eq!((whole.len(), whole[25_000].as_str()), (50_004, "▌ line 24999"));
    // One line without end, and one that only just fits.
    let brief = lines(&shown(user(&"word ".repeat(400_000)), 60, Depth::Brief));
    assert_eq!((brief.len(), brief[17].as_str()), (22, "▌ … 1.9 MiB more · ctrl+o to view"));
    let short: String = (1..=24).map(|n| format!("line {n}\n")).collect();
    assert_eq!(shown(user(&short), 60, Depth::Brief).len(), 25);
}

#[test]
fn a_long_diff_shows_its_beginning_and_how_much_follows() {
    let old: String = (0..50_000).map(|n| format!("old {n}\n")).collect();
    let new: String = (0..50_000).map(|n| format!("new {n}\n")).collect();
    let mut model = model(80, 24);
    let mut call = call(&mut model, "write", "big.txt", ended(Outcome::Completed));
    call.display = Some(Display {
        text: Arc::from(unified("big.txt", Some(&old), Some(&new))),
        format: Format::Diff,
        cut: false,
    });
    let brief = lines(&shown(tools(vec![call.clone()]), 80, Depth::Brief));
    assert_eq!(brief.len(), 43, "{brief:?}");
    assert_eq!(brief[2], "      1 - old 0");
    assert_eq!(brief[42], "  … 99960 more lines · ctrl+o to view");
    assert_eq!(shown(tools(vec![call]), 80, Depth::Whole).len(), 100_002);
}

#[test]
fn a_line_without_end_shows_its_newest_part() {
    let mut tail = Tail::default();
    for n in 0..200_000 {
        tail.push(&format!("{n}."));
    }
    let last = tail.last(3);
    assert_eq!(last.len(), 1);
    assert!(last[0].len() <= 8 * 1024 && last[0].as_str().ends_with("199998.199999."));
    let mut model = model(80, 24);
    let mut call = call(&mut model, "bash", "seq", running());
    call.tail = tail;
    let rows = lines(&shown(tools(vec![call]), 40, Depth::Brief));
    assert_eq!(rows.len(), 3);
    assert!(rows[2].ends_with("199999.") && rows[2].starts_with("│ "), "{rows:?}");
}

#[test]
fn a_long_diff_in_parts_is_what_it_is_at_once() {
    // Small hunks, long ones, changed line ends, and a block too long for marks.
    let line =
        |n: usize| format!("    let value_{n} = compute({n}, \"text\"); // {}\n", "word ".repeat(n % 9));
    let old: Vec<String> = (0..9_000).map(line).collect();
    let mut new = old.clone();
    for n in (0..3_000).step_by(40) {
        new[n] = new[n].replace("compute", "find").replace("text", "漢字");
        new[n + 1] = new[n + 1].replace('\n', "\r\n");
    }
    new.drain(3_000..3_100);
    new.splice(5_000..7_500, (0..2_600).map(|n| format!("other {n}\n")));
    let text = unified("a.rs", Some(&old.concat()), Some(&new.concat()));
    assert!(text.len() > 150_000, "{}", text.len());
    let diff = parse(&text);
    for width in [30, 90] {
        let how = How::wrapped(width);
        let all = rows(&diff, how, &Uncoloured);
        let laid = Laid::new(parse_plain(&text), how, |_| false);
        assert_eq!(laid.height(), all.len());
        assert_eq!(laid.rows(0..all.len(), &Uncoloured), all);
        for at in (0..all.len()).step_by(37) {
            let end = (at + 45).min(all.len());
            assert_eq!(laid.rows(at..end, &Uncoloured), all[at..end], "rows from {at} at {width}");
        }
    }
}

/// Colours of pieces of the lines that were asked for.
fn answer(text: &str, every: usize) -> Vec<Vec<(std::ops::Range<usize>, Token)>> {
    let line = |line: &str| {
        let ends: Vec<usize> = line.char_indices().map(|(at, _)| at).chain([line.len()]).collect();
        let pairs = ends.windows(2).step_by(every + 1);
        pairs.map(|pair| (pair[0]..pair[1], Token::SyntaxKeyword)).collect()
    };
    text.split('\n').map(line).collect()
}

proptest! {
    #![proptest_config(nasty::cases())]

    #[test]
    fn the_colours_of_a_diff_never_change_its_text(
        old in "([a-z(){}\"/* ]{0,12}\n){0,12}", new in "([a-z(){}\"/* \u{6f22}\u{202e}]{0,12}\n){0,12}", every in 0usize..4, width in 5usize..50,
    ) {
        let text = unified("a.rs", Some(&old), Some(&new));
        let (diff, mut shades) = (parse(&text), Shades::default());
        let plain = rows(&diff, How::wrapped(width), &Uncoloured);
        for question in shades.ask(&text) {
            prop_assert_eq!(&*question.language, "a.rs");
            shades.coloured(&text, question.index, answer(&question.text, every));
        }
        prop_assert!(!shades.awaiting() && !shades.is_new());
        let coloured = rows(&diff, How::wrapped(width), &shades);
        prop_assert_eq!(plain.len(), coloured.len());
        for (before, after) in plain.iter().zip(&coloured) {
            prop_assert_eq!(before.plain(), after.plain());
            prop_assert_eq!(before.source(), after.source());
            prop_assert_eq!((before.fill, before.join, before.width()), (after.fill, after.join, after.width()));
            // Every ground stays where it was.
            let grounds = |row: &Row| row.spans.iter().flat_map(|s| s.text.as_str().chars().map(|c| (c, s.bg))).collect::<Vec<_>>();
            prop_assert_eq!(grounds(before), grounds(after));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..nasty::cases() })]

    #[test]
    fn v2_a_long_text_that_grows_looks_as_it_does_whole(
        bits in prop::collection::vec(prop::sample::select(vec!["some words, ", "**bold** and `code` ", "**", "\n", "漢字漢字", "a [link](https://a.example/b) ", "\n\nnew "]), 1..40),
        start in prop::sample::select(vec!["", "```rust\n", "```\n", "- "]), kind in 0u8..3, width in 20u16..120,
    ) {
        let mut model = model(width, 24);
        tui(&mut model).screen.fullscreen = true;
        model.config.settings.show_thinking = true;
        let mut cache = Cache::default();
        let id = push_open(&mut model, if kind == 0 { Body::Thinking(Prose::open()) } else { Body::Text(Prose::open()) });
        let long = "plain words that fill some rows of any width there is. ".repeat(100);
        for (at, bit) in std::iter::once(start).chain(std::iter::once(long.as_str())).chain(bits.iter().copied()).enumerate() {
            if let Body::Text(prose) | Body::Thinking(prose) = tui(&mut model).transcript.get_mut(id).unwrap().edit() {
                prose.push(bit);
                // Colours come for some of the lines.
                if kind == 2 && at % 3 == 0 && let Some(code) = prose.codes.all.first_mut().filter(|code| !code.language.is_empty()) {
                    code.asked = code.count;
                    let lines = vec![vec![(0..4, Token::SyntaxString)]; code.count - code.lines.len()];
                    let from = code.lines.len();
                    prose.codes.coloured(0, from, lines);
                }
            }
            prop_assert_eq!(paint(&model, &mut cache), frame(&model));
            // And above the end.
            tui(&mut model).transcript.scroll = Scroll::at(id, at % 60);
            prop_assert_eq!(paint(&model, &mut cache), frame(&model));
            tui(&mut model).transcript.scroll = Scroll::Tail;
        }
    }
}

#[test]
fn each_side_of_a_hunk_has_its_own_colours() {
    let text = "--- a/x.rs\n+++ b/x.rs\n@@ -1,2 +1,2 @@\n keep\n-was \"\n+is\n@@ -9 +9 @@\n-a\n+b\n";
    let mut shades = Shades::default();
    let asked = shades.ask(text);
    let texts: Vec<&str> = asked.iter().map(|question| question.text.as_str()).collect();
    assert_eq!(texts, ["keep\nwas \"", "keep\nis", "a", "b"]);
    let whole = |line: &str, token| vec![(0..line.len(), token)];
    shades.coloured(
        text,
        asked[0].index,
        vec![whole("keep", Token::SyntaxType), whole("was \"", Token::SyntaxString)],
    );
    shades.coloured(
        text,
        asked[1].index,
        vec![whole("keep", Token::SyntaxKeyword), whole("is", Token::SyntaxNumber)],
    );
    assert!(shades.awaiting());
    shades.coloured(text, asked[2].index, Vec::new());
    shades.coloured(text, asked[3].index, Vec::new());
    assert!(!shades.awaiting());
    let diff = parse(head(text, 100, 1000));
    let token = |text: &str| {
        let at = diff.rows.iter().position(|row| row.text.as_str() == text).unwrap();
        shades.row(at).map(|colours| colours[0].1)
    };
    assert_eq!(token("keep"), Some(Token::SyntaxKeyword));
    assert_eq!(token("was \""), Some(Token::SyntaxString));
    assert_eq!(token("is"), Some(Token::SyntaxNumber));
    assert_eq!(token("b"), None);
}
