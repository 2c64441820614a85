//! Painted diffs.

use std::ops::Range;

use e::model::text::diff::{How, RowColours, Uncoloured, count, parse, row, rows};
use e::model::text::row::{Row, Token, source};
use e::model::text::width::clusters;
use proptest::prelude::*;

use super::nasty::{cases, text};

const DIFF: &str = "--- a/src/x.rs\n+++ b/src/x.rs\n@@ -9,3 +9,3 @@ fn a()\n \tkeep\n-let a = 1;\n+let a = 22;\n@@ -99 +99 @@ fn b()\n-x\n\\ No newline at end of file\n+\u{202E}y\n";

fn plain(rows: &[Row]) -> Vec<String> {
    rows.iter().map(|row| row.plain().trim_end().to_owned()).collect()
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn p11_count_equals_the_painted_rows_and_they_fit(lines in prop::collection::vec((prop::sample::select(vec![" ", "+", "-"]), text()), 0..8), width in 5usize..60) {
        let body: String = lines.iter().map(|(sign, text)| format!("{sign}{}\n", text.replace('\n', ""))).collect();
        let diff = parse(&format!("--- a/f\n+++ b/f\n@@ -1,99 +1,99 @@ fn long_name()\n{body}"));
        for how in [How::wrapped(width), How::unwrapped()] {
            for index in 0..diff.rows.len() {
                let painted = row(&diff, index, how, &Uncoloured);
                prop_assert_eq!(count(&diff, index, how), painted.len());
                for row in painted.iter().filter(|_| how.width.is_some()) {
                    let widest = clusters(&row.plain()).map(|cluster| cluster.width).max().unwrap_or(0);
                    prop_assert!(row.width() <= width || widest > 2, "{:?}", row.plain());
                }
            }
        }
    }
}

#[test]
fn rows_have_a_gutter_of_number_and_sign() {
    let diff = parse(DIFF);
    assert_eq!(
        plain(&rows(&diff, How::wrapped(40), &Uncoloured)),
        [
            "src/x.rs",
            "    9       keep",
            "   10 - let a = 1;",
            "   10 + let a = 22;",
            "      ⋯ fn b()",
            "   99 - x",
            "        no newline at end",
            "   99 + <U+202E>y",
        ]
    );
}

#[test]
fn long_lines_wrap_beside_the_gutter_and_copy_without_it() {
    let diff = parse("@@ -1 +1 @@\n-a\n+\tlet total = 1234567890;\n");
    let painted = row(&diff, 1, How::wrapped(22), &Uncoloured);
    assert_eq!(plain(&painted), ["    1 +     let total", "        = 1234567890;"]);
    assert_eq!(source(&painted), "\tlet total = 1234567890;");
    assert_eq!(plain(&row(&diff, 1, How::wrapped(12), &Uncoloured))[0], "+     let to");
}

#[test]
fn colours_emphasis_and_marks_lie_over_each_other() {
    struct Colours(Vec<(Range<usize>, Token)>);
    impl RowColours for Colours {
        fn row(&self, _: usize) -> Option<&[(Range<usize>, Token)]> {
            Some(&self.0)
        }
    }
    let diff = parse(DIFF);
    let painted = row(
        &diff,
        3,
        How::unwrapped(),
        &Colours(vec![(0..3, Token::SyntaxKeyword), (8..10, Token::SyntaxNumber)]),
    );
    let spans: Vec<(&str, Token, Option<Token>)> =
        painted[0].spans.iter().map(|s| (s.text.as_str(), s.token, s.bg)).collect();
    let ground = Some(Token::ToolDiffAddedBg);
    assert_eq!(
        spans,
        [
            ("   10 + ", Token::ToolDiffAddedMarker, None),
            ("let", Token::SyntaxKeyword, ground),
            (" a = ", Token::ToolDiffAdded, ground),
            ("22", Token::SyntaxNumber, Some(Token::ToolDiffAddedWordBg)),
            (";", Token::ToolDiffAdded, ground),
        ]
    );
    assert_eq!(painted[0].fill, ground);
    let last = rows(&diff, How::unwrapped(), &Uncoloured).pop().unwrap();
    assert!(last.spans.iter().any(|span| span.token == Token::Warning && span.text.as_str() == "<U+202E>"));
}

#[test]
fn the_number_column_grows_past_99999() {
    let diff = parse("@@ -1234567 +1234567 @@\n-a\n+b\n");
    assert_eq!(plain(&rows(&diff, How::unwrapped(), &Uncoloured)), ["1234567 - a", "1234567 + b"]);
}

#[test]
fn a_file_row_tells_what_else_happened() {
    let diff = parse(
        "diff --git a/o b/n\nold mode 100644\nnew mode 100755\nsimilarity index 100%\nrename from o\nrename to n\n",
    );
    assert_eq!(plain(&rows(&diff, How::wrapped(60), &Uncoloured)), ["n  renamed from o · mode 644 → 755"]);
}
