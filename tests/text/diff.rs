//! Diffs: parsing, making, emphasis.

use e::model::text::diff::{Diff, DiffRow, Kind, parse, stats_words, unified, unified_within};
use proptest::prelude::*;

use super::nasty::{self, cases};

/// A row as `number sign text`, as the notes draw it.
fn shown(row: &DiffRow) -> String {
    let number = row.number().map(|n| n.to_string()).unwrap_or_default();
    let cr = if row.carriage_return { "␍" } else { "" };
    match row.kind {
        Kind::File => format!("FILE {}", row.text),
        Kind::Blank => String::new(),
        Kind::Gap => format!("⋯ {}", row.text),
        Kind::NoNewline | Kind::Plain => format!("# {}", row.text),
        _ => format!("{number} {} {}{cr}", row.signs, row.text),
    }
}

fn all(diff: &Diff) -> Vec<String> {
    diff.rows.iter().map(shown).collect()
}

fn notes(diff: &Diff, file: usize) -> Vec<&str> {
    diff.files[file].notes.iter().map(|note| note.as_str()).collect()
}

fn emphasised(diff: &Diff) -> Vec<(&str, Vec<&str>)> {
    let changed = diff.rows.iter().filter(|row| matches!(row.kind, Kind::Added | Kind::Removed));
    changed
        .map(|row| {
            (row.text.as_str(), row.words.iter().map(|range| &row.text.as_str()[range.clone()]).collect())
        })
        .collect()
}

/// Applies a unified diff of one file, by the book.
fn apply(old: &str, patch: &str) -> String {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let mut out: Vec<String> = Vec::new();
    let mut at = 0;
    let mut left = (0usize, 0usize);
    let mut last_sign = "";
    for line in patch.split_inclusive('\n').skip(2) {
        if line.starts_with('\\') {
            // The mark is about the line above; a removed one is already gone.
            if last_sign != "-" {
                assert_eq!(out.last_mut().unwrap().pop(), Some('\n'));
            }
        } else if left == (0, 0) {
            let ranges: Vec<&str> = line.split(' ').collect();
            let range = |text: &str| {
                let (start, count) = text[1..].split_once(',').unwrap_or((&text[1..], "1"));
                (start.parse::<usize>().unwrap(), count.parse::<usize>().unwrap())
            };
            let (start, count) = range(ranges[1]);
            left = (count, range(ranges[2]).1);
            let start = if count == 0 { start } else { start - 1 };
            out.extend(old[at..start].iter().map(|line| (*line).to_owned()));
            at = start;
        } else {
            let (sign, text) = line.split_at(1);
            last_sign = sign;
            if sign != "+" {
                assert_eq!(old[at].trim_end_matches('\n'), text.trim_end_matches('\n'));
                at += 1;
                left.0 -= 1;
            }
            if sign != "-" {
                out.push(text.to_owned());
                left.1 -= 1;
            }
        }
    }
    out.extend(old[at..].iter().map(|line| (*line).to_owned()));
    out.concat()
}

fn lines() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        4 => prop::sample::select(vec!["a\n", "b\n", "same\n", "\n", "fn x() {\n", "-- note\n", "++ x\n", "crlf\r\n", "a\r", "@@ -1 +1 @@\n", "\\ no\n", "\tx\n"]).prop_map(str::to_owned),
        1 => nasty::text(),
    ];
    prop::collection::vec(line, 0..25).prop_map(|lines| lines.concat())
}

/// A text and an edited copy of it.
fn pair() -> impl Strategy<Value = (String, String)> {
    (
        lines(),
        prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), lines()), 0..4),
    )
        .prop_map(|(old, edits)| {
            let mut new: Vec<char> = old.chars().collect();
            for (from, to, text) in edits {
                let (a, b) = (from.index(new.len() + 1), to.index(new.len() + 1));
                new.splice(a.min(b)..a.max(b), text.chars());
            }
            (old, new.into_iter().collect())
        })
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn c7_diff_of_a_and_b_applied_to_a_gives_b((a, b) in pair()) {
        let patch = unified("some/file name.rs", Some(&a), Some(&b));
        let applied = if patch.is_empty() { a.clone() } else { apply(&a, &patch) };
        prop_assert_eq!(&applied, &b, "{}", patch);
    }

    #[test]
    fn c7_a_diff_that_may_cost_little_is_true_all_the_same((a, b) in pair(), steps in 0usize..60) {
        let patch = unified_within("f", Some(&a), Some(&b), steps);
        let applied = if patch.is_empty() { a.clone() } else { apply(&a, &patch) };
        prop_assert_eq!(&applied, &b, "{}", patch);
    }

    #[test]
    fn c7_the_diff_is_as_short_as_any((a, b) in pair()) {
        let count = |patch: &str| patch.lines().skip(2).filter(|line| line.starts_with(['+', '-'])).count();
        let lines = |text: &str| text.split_inclusive('\n').map(str::to_owned).collect::<Vec<_>>();
        let (old, new) = (lines(&a), lines(&b));
        let common = similar::capture_diff_slices(similar::Algorithm::Lcs, &old, &new)
            .iter()
            .map(|op| match op { similar::DiffOp::Equal { len, .. } => *len, _ => 0 })
            .sum::<usize>();
        prop_assert_eq!(count(&unified("f", Some(&a), Some(&b))), old.len() + new.len() - 2 * common);
    }

    #[test]
    fn c7_the_parser_reads_what_was_made((a, b) in pair()) {
        // Escape sequences are stripped from a diff before it is read, and may swallow signs that they never closed.
        let unescaped = |text: &str| text.replace(|c: char| c == '\u{1b}' || ('\u{80}'..'\u{a0}').contains(&c), "");
        let (a, b) = (unescaped(&a), unescaped(&b));
        let diff = parse(&unified("f", Some(&a), Some(&b)));
        let (old, new): (Vec<&str>, Vec<&str>) = (a.split_inclusive('\n').collect(), b.split_inclusive('\n').collect());
        let clean = |line: &str| e::model::text::clean::Clean::review(line.trim_end_matches('\n').strip_suffix('\r').unwrap_or(line.trim_end_matches('\n')));
        for row in &diff.rows {
            if let Some(number) = row.old {
                prop_assert_eq!(&row.text, &clean(old[number - 1]));
            }
            if let Some(number) = row.new {
                prop_assert_eq!(&row.text, &clean(new[number - 1]));
            }
            for range in &row.words {
                prop_assert!(row.text.as_str().get(range.clone()).is_some_and(|word| !word.is_empty()));
            }
        }
        let (added, removed) = diff.stats();
        prop_assert_eq!(old.len() + added, new.len() + removed);
    }

    #[test]
    fn the_parser_takes_anything(text in nasty::text(), cut in any::<prop::sample::Index>(), (a, b) in pair()) {
        let whole = format!("{}{text}", unified("f", Some(&a), Some(&b)));
        let chars: Vec<char> = whole.chars().collect();
        let cut: String = chars[..cut.index(chars.len() + 1)].iter().collect();
        for row in parse(&cut).rows {
            prop_assert!(!row.text.as_str().contains(|c: char| c.is_control() && c != '\t'));
        }
    }
}

#[test]
fn a_git_diff_of_several_files() {
    let diff = parse(concat!(
        "diff --git a/src/a.rs b/src/a.rs\nindex 123..456 100644\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,3 +1,3 @@ fn first() {\n one\n-two\n+TWO\n three\n",
        "@@ -20,2 +20,3 @@ fn second() {\n x\n+y\n z\n",
        "diff --git a/old b/new\nsimilarity index 90%\nrename from old\nrename to new\n",
        "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n",
        "diff --git a/p.png b/p.png\nindex 1..2 100644\nBinary files a/p.png and b/p.png differ\n",
        "diff --git a/gone b/gone\ndeleted file mode 100644\nindex 1..0\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-bye\n",
        "diff --git a/here b/here\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/here\n@@ -0,0 +1 @@\n+hi\n",
    ));
    assert_eq!(
        all(&diff),
        [
            "FILE src/a.rs",
            "1   one",
            "2 - two",
            "2 + TWO",
            "3   three",
            "⋯ fn second() {",
            "20   x",
            "21 + y",
            "22   z",
            "",
            "FILE new",
            "",
            "FILE run.sh",
            "",
            "FILE p.png",
            "# Binary files a/p.png and b/p.png differ",
            "",
            "FILE gone",
            "1 - bye",
            "",
            "FILE here",
            "1 + hi",
        ]
    );
    assert_eq!(
        [notes(&diff, 1), notes(&diff, 2), notes(&diff, 3), notes(&diff, 4), notes(&diff, 5)],
        [vec!["renamed from old"], vec!["mode 644 → 755"], vec!["binary"], vec!["deleted"], vec!["new"]]
    );
    assert_eq!(
        (diff.function(&diff.rows[2]), diff.function(&diff.rows[7])),
        ("fn first() {", "fn second() {")
    );
    assert_eq!((diff.stats(), stats_words(diff.stats())), ((3, 2), "+3 -2".to_owned()));
    assert_eq!(diff.files[1].old_path.as_deref(), Some(&b"old"[..]));
}

#[test]
fn prose_gives_no_rows() {
    assert!(parse("diff is a word\nBinary files a and b differ\n--- nothing\nindex").is_empty());
    assert!(parse("").is_empty());
    assert_eq!(all(&parse("garbage\n@@ -1 +1 @@\n-a\n+b\ngarbage")), ["1 - a", "1 + b"]);
}

#[test]
fn a_body_cut_off_shows_as_far_as_it_goes() {
    let diff = parse(
        "--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n a\n-b\ndiff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -1,4 +1,4 @@\n q\n+",
    );
    assert_eq!(all(&diff), ["FILE x", "1   a", "2 - b", "", "FILE y", "1   q", "2 + "]);
}

#[test]
fn combined_diffs_show_both_signs() {
    let diff = parse(
        "diff --cc f.c\nindex 1,2..3\n--- a/f.c\n+++ b/f.c\n@@@ -1,3 -1,3 +1,4 @@@ int main\n  a\n- b\n -c\n++d\n +e\n  f\n",
    );
    assert_eq!(all(&diff), ["FILE f.c", "1    a", "2 -  b", "2  - c", "2 ++ d", "3  + e", "4    f"]);
}

#[test]
fn colour_codes_and_carriage_returns_do_not_matter() {
    let diff = parse(
        "\x1b[1mdiff --git a/x b/x\x1b[m\r\n\x1b[1m--- a/x\x1b[m\r\n\x1b[1m+++ b/x\x1b[m\r\n\x1b[36m@@ -1 +1 @@\x1b[m\r\n\x1b[31m-a\x1b[m\r\n\x1b[32m+\x1b[m\x1b[32mb\x1b[m\r\n",
    );
    assert_eq!(all(&diff), ["FILE x", "1 - a", "1 + b"]);
}

#[test]
fn g13_hidden_characters_show_in_a_diff_line() {
    let diff = parse("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+a\u{2066}b\u{200B}\n");
    assert_eq!(all(&diff)[2], "1 + a<U+2066>b<U+200B>");
}

#[test]
fn g29_crlf_lines_are_readable_and_a_change_of_ends_shows() {
    let diff = parse("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n one\r\n-two\r\n+TWO\r\n three\r\n");
    assert_eq!(all(&diff), ["FILE x", "1   one", "2 - two", "2 + TWO", "3   three"]);
    let diff = parse("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-one\r\n-two\r\n+one\n+two\n");
    assert_eq!(all(&diff), ["FILE x", "1 - one␍", "2 - two␍", "1 + one", "2 + two"]);
}

#[test]
fn g30_quoted_names_are_decoded() {
    let diff = parse(
        "diff --git \"a/donn\\303\\251es \\303\\251t\\303\\251/\\303\\244 b.txt\" \"b/donn\\303\\251es \\303\\251t\\303\\251/\\303\\244 b.txt\"\n--- \"a/donn\\303\\251es \\303\\251t\\303\\251/\\303\\244 b.txt\"\n+++ \"b/donn\\303\\251es \\303\\251t\\303\\251/\\303\\244 b.txt\"\n@@ -1 +1 @@\n-a\n+b\n",
    );
    assert_eq!(diff.rows[0].text.as_str(), "données été/ä b.txt");
    assert_eq!(diff.files[0].path, "données été/ä b.txt".as_bytes());
    let diff = parse(
        "diff --git a/with blank b/with blank\n--- a/with blank\t\n+++ b/with blank\t\n@@ -1 +1 @@\n-a\n+b\n",
    );
    assert_eq!(diff.rows[0].text.as_str(), "with blank");
    let diff = parse("--- \"a/c\\nd\\377.txt\"\n+++ \"b/c\\nd\\377.txt\"\n@@ -1 +1 @@\n-a\n+b\n");
    assert_eq!(
        (diff.rows[0].text.as_str(), diff.files[0].path.as_slice()),
        ("c<U+000A>d\u{FFFD}.txt", &b"c\nd\xff.txt"[..])
    );
}

#[test]
fn g32_lines_that_look_like_headers_are_counted_not_guessed() {
    let diff = parse(
        "--- a/q.sql\n+++ b/q.sql\n@@ -1,3 +1,3 @@\n select\n--- old note\n+++ x\n from\n--- a/r\n+++ b/r\n@@ -1 +1 @@\n-1\n+2\n",
    );
    assert_eq!(
        all(&diff),
        [
            "FILE q.sql",
            "1   select",
            "2 - -- old note",
            "2 + ++ x",
            "3   from",
            "",
            "FILE r",
            "1 - 1",
            "1 + 2"
        ]
    );
    assert_eq!(diff.stats(), (2, 2));
}

#[test]
fn g33_a_missing_newline_is_a_mark_and_moves_no_numbers() {
    let diff = parse(
        "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n",
    );
    assert_eq!(
        all(&diff),
        ["FILE x", "1   a", "2 - b", "# no newline at end", "2 + c", "# no newline at end"]
    );
    let diff = parse(&unified("x", Some("a\nb"), Some("a\nb\n")));
    assert_eq!(all(&diff), ["FILE x", "1   a", "2 - b", "# no newline at end", "2 + b"]);
}

#[test]
fn made_diffs_name_the_function_and_quote_names() {
    let old = format!("fn head() {{\n{}}}\n", "    x;\n".repeat(10));
    let new = old.replacen("    x;\n}", "    y;\n}", 1);
    let patch = unified("a\"b\n.rs", Some(&old), Some(&new));
    assert!(
        patch
            .starts_with("--- \"a/a\\\"b\\012.rs\"\n+++ \"b/a\\\"b\\012.rs\"\n@@ -8,5 +8,5 @@ fn head() {\n"),
        "{patch}"
    );
    assert_eq!(parse(&patch).files[0].path, b"a\"b\n.rs");
    assert_eq!(unified("x", None, Some("a\n")), "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n");
    assert_eq!(notes(&parse(&unified("x", Some("a\n"), None)), 0), ["deleted"]);
    assert_eq!(unified("x", Some("a"), Some("a")), "");
}

#[test]
fn changed_words_are_emphasised() {
    let diff = parse("@@ -1 +1 @@\n-let width = old.len();\n+let width = new.len();\n");
    assert_eq!(
        emphasised(&diff),
        [("let width = old.len();", vec!["old"]), ("let width = new.len();", vec!["new"])]
    );
    let diff = parse("@@ -1 +1 @@\n-completely different\n+nothing in common here\n");
    assert!(emphasised(&diff).iter().all(|(_, words)| words.is_empty()));
}

#[test]
fn words_are_emphasised_in_blocks_of_unequal_length() {
    let diff = parse(
        "@@ -1,2 +1,4 @@\n-call(alpha, beta);\n-finish(result);\n+// a comment that was not there before\n+call(alpha, gamma);\n+log(done);\n+finish(outcome);\n",
    );
    assert_eq!(
        emphasised(&diff),
        [
            ("call(alpha, beta);", vec!["beta"]),
            ("finish(result);", vec!["result"]),
            ("// a comment that was not there before", vec![]),
            ("call(alpha, gamma);", vec!["gamma"]),
            ("log(done);", vec![]),
            ("finish(outcome);", vec!["outcome"]),
        ]
    );
}

#[test]
fn a_file_rewritten_from_end_to_end_has_a_diff() {
    let text = |word: &str| (0..50_000).map(|n| format!("{word} {}\n", n * 7 % 5_003)).collect::<String>();
    let (a, b) = (text("before"), text("after"));
    let patch = unified("f", Some(&a), Some(&b));
    assert_eq!(apply(&a, &patch), b);
    assert!(patch.starts_with("--- a/f\n+++ b/f\n@@ -1,50000 +1,50000 @@\n"));
    // What can be found cheaply in a big file is still found.
    let mut lines: Vec<&str> = a.split_inclusive('\n').collect();
    (lines[3], lines[40_000]) = ("one\n", "two\n");
    lines.remove(20_000);
    let changed = lines.concat();
    let patch = unified("f", Some(&a), Some(&changed));
    assert_eq!(apply(&a, &patch), changed);
    assert_eq!(patch.lines().skip(2).filter(|line| line.starts_with(['+', '-'])).count(), 5);
}

#[test]
fn the_head_of_a_diff_is_whole_lines() {
    use e::model::text::diff::head;
    assert_eq!(head("a\nb\nc\n", 2, 100), "a\nb\n");
    assert_eq!(head("a\nbbbb\nc\n", 9, 4), "a\n");
    assert_eq!(head("aaaa\nb", 9, 3), "aaa");
    assert_eq!(head("", 9, 3), "");
}

#[test]
fn a_file_whose_line_ends_changed_says_so_however_long_it_is() {
    for lines in [3, 3_000] {
        let old: String = (0..lines).map(|n| format!("line {n}\r\n")).collect();
        let diff = parse(&unified("f", Some(&old), Some(&old.replace('\r', ""))));
        assert_eq!(diff.rows.iter().filter(|row| row.carriage_return).count(), lines);
    }
}
