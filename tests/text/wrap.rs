//! Wrapping.

use e::model::text::clean::Clean;
use e::model::text::row::{Row, Span, Token, source};
use e::model::text::width::clusters;
use e::model::text::wrap::{self, Break, Wrap};
use proptest::prelude::*;

use super::nasty::{cases, text};

fn line() -> impl Strategy<Value = Row> {
    prop::collection::vec((text(), 0..Token::ALL.len()), 0..4).prop_map(|spans| {
        let spans = spans.into_iter().map(|(raw, token)| Span::new(Clean::vanish(&raw), Token::ALL[token]));
        Row { spans: spans.collect(), ..Row::empty() }
    })
}

fn how() -> impl Strategy<Value = Wrap> {
    (0usize..30, 1usize..9, 0usize..12, any::<bool>()).prop_map(|(width, tab, hanging, words)| Wrap {
        width,
        tab,
        hanging,
        at: if words { Break::Words } else { Break::Anywhere },
    })
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn c4_no_wrapped_row_is_wider_than_the_width(line in line(), how in how()) {
        for row in wrap::row(&line, how) {
            // A single cluster wider than the row has nowhere else to go.
            let widest = row.spans.iter().flat_map(|s| clusters(s.text.as_str())).map(|c| c.width).max().unwrap_or(0);
            prop_assert!(row.width() <= how.width.max(widest) || widest > 2, "{row:?}");
            prop_assert!(!row.plain().contains(['\n', '\t']));
        }
    }

    #[test]
    fn c5_rows_joined_give_the_text_back(line in line(), how in how()) {
        let text = line.plain();
        let joined = source(&wrap::row(&line, how));
        match how.at {
            Break::Anywhere => prop_assert_eq!(joined, text),
            // White space at a break counts as one space, that at the end of a line may go.
            Break::Words => {
                let words = |text: &str| text.split(char::is_whitespace).filter(|w| !w.is_empty()).map(str::to_owned).collect::<Vec<_>>();
                prop_assert_eq!(words(&joined), words(&text));
                prop_assert_eq!(joined.matches('\n').count(), text.matches('\n').count());
            }
        }
    }

    #[test]
    fn p11_count_equals_the_number_of_wrapped_rows(lines in prop::collection::vec(line(), 0..4), how in how()) {
        prop_assert_eq!(wrap::count_rows(&lines, how), wrap::rows(&lines, how).len());
        for line in &lines {
            let text = Clean::vanish(&line.plain());
            prop_assert_eq!(wrap::count_text(&text, how), wrap::text(&text, Token::Text, how).len());
        }
    }
}

fn check(text: &str, how: Wrap, expected: &[&str]) {
    let rows = wrap::text(&Clean::vanish(text), Token::Text, how);
    let plain: Vec<String> = rows.iter().map(Row::plain).collect();
    assert_eq!(plain, expected);
}

#[test]
fn words_wrap_and_long_ones_break() {
    check("the quick brown fox", Wrap::words(10), &["the quick", "brown fox"]);
    check("a verylongwordindeed b", Wrap::words(8), &["a", "verylong", "wordinde", "ed b"]);
    check("one\n\ntwo", Wrap::words(10), &["one", "", "two"]);
    check("", Wrap::words(10), &[""]);
    check("ends   ", Wrap::words(6), &["ends  "]);
    check("  code here", Wrap::words(8), &["  code", "here"]);
}

#[test]
fn wide_letters_break_between_each_other() {
    check("漢字漢字漢字", Wrap::words(5), &["漢字", "漢字", "漢字"]);
    check("漢字、漢字。", Wrap::words(4), &["漢", "字、", "漢", "字。"]);
    check("漢字abc def", Wrap::words(7), &["漢字abc", "def"]);
    check("漢漢", Wrap::words(1), &["漢", "漢"]);
}

#[test]
fn g05_tabs_go_to_fixed_stops_and_come_back_when_copied() {
    let text = "\tif a:\n\t\treturn\t# x\ntop";
    check(text, Wrap::anywhere(40), &["    if a:", "        return  # x", "top"]);
    let rows = wrap::text(&Clean::vanish(text), Token::Text, Wrap::anywhere(40));
    assert_eq!(source(&rows), text);
}

#[test]
fn hanging_indents() {
    check("one two three four", Wrap::words(9).hanging(2), &["one two", "  three", "  four"]);
    check("abcdefgh", Wrap::anywhere(4).hanging(1), &["abcd", " efg", " h"]);
}
