//! What a diff says of its lines beside `+` and `-`: that they only moved, that only white space changed, and which words
//! did in blocks of any shape.

use e::model::text::clean::Clean;
use e::model::text::diff::{
    Diff, DiffRow, How, Kind, Laid, Uncoloured, clean, parse, parse_plain, row, rows, unified,
};
use e::model::text::row::{Row, Token, source};
use proptest::prelude::*;

use super::nasty::cases;

fn plain(rows: &[Row]) -> Vec<String> {
    rows.iter().map(|row| row.plain().trim_end().to_owned()).collect()
}

fn painted(text: &str) -> Vec<String> {
    plain(&rows(&parse(text), How::wrapped(60), &Uncoloured))
}

fn moved(diff: &Diff) -> Vec<(Kind, &str)> {
    diff.rows.iter().filter(|row| row.moved).map(|row| (row.kind, row.text.as_str())).collect()
}

const BLOCK: &str = "fn helper() {\n    work();\n    more();\n}\n";

#[test]
fn a_block_that_went_elsewhere_is_marked_on_both_sides() {
    let middle: String = (0..20).map(|n| format!("line {n}\n")).collect();
    let (old, new) = (format!("{BLOCK}{middle}"), format!("{middle}{BLOCK}"));
    let diff = parse(&unified("f.rs", Some(&old), Some(&new)));
    assert_eq!(moved(&diff).len(), 8);
    let shown = plain(&rows(&diff, How::wrapped(60), &Uncoloured));
    assert_eq!(shown[1], "    1»- fn helper() {");
    assert!(shown.contains(&"   21»+ fn helper() {".to_owned()), "{shown:?}");
    // Without room for numbers the mark stands behind the sign.
    assert_eq!(plain(&rows(&diff, How::wrapped(12), &Uncoloured))[1], "-»fn helper(");
    let painted = row(&diff, 1, How::wrapped(60), &Uncoloured);
    assert!(painted[0].spans.iter().skip(1).all(|span| span.token == Token::Muted && span.bg.is_none()));
    assert_eq!(painted[0].fill, None);
    assert_eq!(source(&painted), "fn helper() {");
}

#[test]
fn a_block_may_go_to_another_file_of_the_same_diff() {
    let (from, to) =
        (unified("a.rs", Some(BLOCK), Some("")), unified("b.rs", Some("x\n"), Some(&format!("x\n{BLOCK}"))));
    assert_eq!(moved(&parse(&format!("{from}{to}"))).len(), 8);
}

#[test]
fn too_little_is_not_called_moved() {
    let middle: String = (0..20).map(|n| format!("line {n}\n")).collect();
    for (block, lines) in [
        ("a = 1;\nb = 2;\n", 0),
        ("}\n}\n}\n}\n", 0),
        ("one long line of more than forty characters is enough\n", 2),
        ("alpha();\n\nbeta();\ngamma();\n", 8),
    ] {
        let diff = parse(&unified("f", Some(&format!("{block}{middle}")), Some(&format!("{middle}{block}"))));
        assert_eq!(moved(&diff).len(), lines, "{block}");
    }
}

#[test]
fn a_change_of_line_ends_or_of_the_last_newline_is_no_move() {
    let text: String =
        (0..5).map(|n| format!("a line that is long enough to be told from others {n}\r\n")).collect();
    let diff = parse(&unified("f", Some(&text), Some(&text.replace('\r', ""))));
    assert!(moved(&diff).is_empty() && diff.rows.iter().any(|row| row.carriage_return));
    let line = "the only line of a file, and a rather long one";
    let diff = parse(&unified("f", Some(line), Some(&format!("{line}\n"))));
    assert!(moved(&diff).is_empty());
}

#[test]
fn only_white_space_shows_as_marks_and_is_copied_as_it_is() {
    let text = "@@ -1,4 +1,4 @@\n-\tlet a = 1;\n-f(x, y);\n-end  \n-if a  {\n+    let a = 1;\n+f(x,y);\n+end\n+if a {\n";
    let diff = parse(text);
    assert!(diff.rows.iter().all(|row| row.blanks));
    assert_eq!(
        painted(text),
        [
            "    1␣- →   let a = 1;",
            "    2␣- f(x,·y);",
            "    3␣- end··",
            "    4␣- if a··{",
            "    1␣+ ····let a = 1;",
            "    2␣+ f(x,y);",
            "    3␣+ end",
            "    4␣+ if a·{",
        ]
    );
    let sources: Vec<String> =
        (0..diff.rows.len()).map(|at| source(&row(&diff, at, How::wrapped(60), &Uncoloured))).collect();
    let lines: Vec<&str> = text.lines().skip(1).map(|line| &line[1..]).collect();
    assert_eq!(sources, lines);
    // A word among the changes makes it a change like any other.
    assert!(parse("@@ -1 +1 @@\n-let a  = 1;\n+let a = 2;\n").rows.iter().all(|row| !row.blanks));
}

#[test]
fn words_are_emphasised_in_big_blocks_of_unequal_length() {
    let mut text = String::from("@@ -1,60 +1,70 @@\n");
    (0..60).for_each(|n| text.push_str(&format!("-    call{n}(first_{n}, second_{n}, old);\n")));
    for n in 0..60 {
        if n % 6 == 0 {
            text.push_str("+    // an unrelated remark\n");
        }
        text.push_str(&format!("+    call{n}(first_{n}, second_{n}, new);\n"));
    }
    let diff = parse(&text);
    let word =
        |row: &DiffRow| row.words.iter().map(|r| row.text.as_str()[r.clone()].to_owned()).collect::<Vec<_>>();
    for row in &diff.rows {
        let wanted = match (row.kind, row.text.as_str().contains("call")) {
            (Kind::Removed, _) => vec!["old"],
            (_, true) => vec!["new"],
            _ => vec![],
        };
        assert_eq!(word(row), wanted, "{}", row.text);
    }
}

#[test]
fn g29_line_ends_survive_what_an_extension_shows() {
    let text = clean("--- a/x\r\n+++ b/x\r\n@@ -1,2 +1,2 @@\r\n-one\r\n-two\r\n+one\n+two\n");
    assert!(!text.as_str().contains('\r'));
    let diff = parse(text.as_str());
    let shown = plain(&rows(&diff, How::wrapped(60), &Uncoloured));
    assert_eq!(shown, ["x", "    1 - one␍", "    2 - two␍", "    1 + one", "    2 + two"]);
    // Where the ends are alike, they are no news; what is no diff is left alone.
    let both = clean("@@ -1 +1 @@\r\n-a\r\n+b\r\n");
    assert_eq!(
        plain(&rows(&parse(both.as_str()), How::wrapped(60), &Uncoloured)),
        ["    1 - a", "    1 + b"]
    );
    assert_eq!(clean("- a\r\n- b\r\n").as_str(), "- a\n- b\n");
}

#[test]
fn hidden_characters_show_as_such_in_every_kind_of_row() {
    let text = "diff --git \"a/o\\342\\200\\256\" \"b/n\\342\\200\\256\"\nrename from \"o\\342\\200\\256\"\nrename to \"n\\342\\200\\256\"\n--- \"a/o\\342\\200\\256\"\n+++ \"b/n\\342\\200\\256\"\n@@ -1 +1 @@ fn\u{202E}a\n-x\n+y\n@@ -9 +9 @@ fn\u{202E}b\n-x\u{202E}\n+y\rz\ndiff --git a/p\u{202E} b/p\u{202E}\nBinary files a/p\u{202E} and b/p\u{202E} differ\n";
    let diff = parse(text);
    let warned = |at: usize| {
        let painted = row(&diff, at, How::wrapped(200), &Uncoloured);
        painted[0]
            .spans
            .iter()
            .filter(|span| span.token == Token::Warning)
            .map(|s| s.text.to_string())
            .collect::<Vec<_>>()
    };
    let hidden = "<U+202E>".to_owned();
    assert_eq!(warned(0), [hidden.clone(), hidden.clone()], "name and note");
    for (at, row) in diff.rows.iter().enumerate() {
        let shown = row.text.as_str().matches("<U+").count()
            + diff.files[row.file].notes.len() * usize::from(at == 0);
        assert_eq!(warned(at).len(), shown, "{}", row.text);
    }
    assert!(diff.rows.iter().any(|row| row.text.as_str() == "y<U+000D>z"));
}

fn lines() -> impl Strategy<Value = Vec<String>> {
    let line = prop::sample::select(vec![
        "alpha();",
        "beta(1, 2);",
        "",
        "}",
        "  gamma",
        "delta = epsilon + zeta;",
        "x",
        "\ty",
        "y  ",
    ]);
    prop::collection::vec(line.prop_map(str::to_owned), 0..14)
}

fn text_of(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn c7_what_is_marked_moved_stands_on_the_other_side_too(a in lines(), b in lines(), cut in any::<prop::sample::Index>()) {
        let mut turned = a.clone();
        turned.rotate_left(cut.index(a.len() + 1).min(a.len()));
        for (old, new) in [(&a, &b), (&a, &turned)] {
            let diff = parse(&unified("f", Some(&text_of(old)), Some(&text_of(new))));
            for row in diff.rows.iter().filter(|row| row.moved) {
                let other = if row.kind == Kind::Added { Kind::Removed } else { Kind::Added };
                prop_assert!(diff.rows.iter().any(|r| r.moved && r.kind == other && r.text == row.text), "{}", row.text);
                prop_assert!(row.words.is_empty() && !row.blanks);
            }
        }
    }

    #[test]
    fn c7_lines_marked_for_white_space_differ_in_nothing_else(a in lines(), b in lines()) {
        let diff = parse(&unified("f", Some(&text_of(&a)), Some(&text_of(&b))));
        for (at, line) in diff.rows.iter().enumerate().filter(|(_, row)| row.blanks) {
            let words: String = line.words.iter().map(|r| &line.text.as_str()[r.clone()]).collect();
            prop_assert!(words.trim().is_empty());
            for width in [8, 30] {
                prop_assert_eq!(&source(&row(&diff, at, How::wrapped(width), &Uncoloured)), line.text.as_str());
            }
        }
    }

    #[test]
    fn c7_a_row_looks_the_same_however_it_is_come_by(a in lines(), b in lines(), width in 8usize..40, from in 0usize..40, len in 0usize..20) {
        let text = unified("f", Some(&text_of(&a)), Some(&text_of(&b)));
        let whole = rows(&parse(&text), How::wrapped(width), &Uncoloured);
        let laid = Laid::new(parse_plain(&text), How::wrapped(width), |_| false);
        prop_assert_eq!(laid.height(), whole.len());
        let range = from.min(whole.len())..(from + len).min(whole.len());
        prop_assert_eq!(laid.rows(range.clone(), &Uncoloured), whole[range].to_vec());
    }

    #[test]
    fn c7_a_search_finds_the_row_that_has_the_words(a in lines(), b in lines(), words in prop::sample::select(vec!["alpha", "GAMMA", "2", "zeta;", "nothing"]), from in 0usize..30) {
        let text = unified("f", Some(&text_of(&a)), Some(&text_of(&b)));
        let laid = Laid::new(parse_plain(&text), How::wrapped(60), |_| false);
        let words = words.to_lowercase();
        let has = |row: &DiffRow| row.text.as_str().to_lowercase().contains(&words);
        let hits: Vec<usize> = parse(&text).rows.iter().enumerate().filter(|(_, row)| has(row)).map(|(at, _)| at).collect();
        prop_assert_eq!(laid.find(from..usize::MAX, &words, true), hits.iter().copied().find(|at| *at >= from));
        prop_assert_eq!(laid.find(0..from, &words, false), hits.iter().copied().rfind(|at| *at < from));
    }
}

#[test]
fn a_line_of_another_look_is_clean() {
    let text = Clean::review("@@ -1 +1 @@\n-a\n+b\n");
    assert_eq!(clean("@@ -1 +1 @@\n-a\n+b\n"), text);
}
