//! The edit planner.

use e::model::tool::edit::{Plan, Request, plan};
use proptest::prelude::*;

fn edit(file: &[u8], old: &str, new: &str, all: bool) -> Result<Plan, String> {
    plan(file, Request { old, new, all })
}

fn done(file: &[u8], old: &str, new: &str) -> Vec<u8> {
    edit(file, old, new, false).unwrap().bytes
}

fn refused(file: &[u8], old: &str, new: &str) -> String {
    edit(file, old, new, false).unwrap_err()
}

#[test]
fn g44_crlf_files_stay_crlf() {
    let file = b"l1\r\nl2\r\nl3\r\nl4\r\nl5\r\nl6\r\n";
    let want = b"l1\r\nL2\r\nL2b\r\nL3\r\nl4\r\nl5\r\nl6\r\n";
    assert_eq!(done(file, "l2\nl3", "L2\nL2b\nL3"), want);
    assert_eq!(done(file, "l2\r\nl3", "L2\r\nL2b\r\nL3"), want);
    assert_eq!(done(file, "l5\nl6\n", "x\n"), b"l1\r\nl2\r\nl3\r\nl4\r\nx\r\n");
    assert_eq!(done(file, "l1", "a\nb"), b"a\r\nb\r\nl2\r\nl3\r\nl4\r\nl5\r\nl6\r\n");
}

#[test]
fn g44_in_mixed_files_untouched_lines_keep_their_own_ends() {
    let file = b"a\r\nb\nc\r\nd\r\n";
    // b keeps LF, the new lines take CRLF, which prevails.
    assert_eq!(done(file, "b\nc\n", "b\nnew\nc2\n"), b"a\r\nb\nnew\r\nc2\r\nd\r\n");
    assert_eq!(done(file, "a\nb\nc", "a\nb\nC"), b"a\r\nb\nC\r\nd\r\n");
    let mostly_lf = b"a\r\nb\nc\nd";
    assert_eq!(done(mostly_lf, "a\nb", "a\nx\nb"), b"a\r\nx\nb\nc\nd");
    assert_eq!(done(mostly_lf, "d", "d\ne"), b"a\r\nb\nc\nd\ne");
}

#[test]
fn g44_only_line_ends_is_no_edit() {
    assert!(refused(b"a\r\nb\r\n", "a\r\nb", "a\nb").contains("differ only in line ends"));
    assert!(refused(b"a", "a", "a").contains("are the same"));
    assert!(refused(b"a", "", "b").contains("`old_string` is empty"));
}

#[test]
fn g45_every_byte_outside_the_edit_stays() {
    let marked = "\u{FEFF}// é á\nx = 1\n".as_bytes();
    assert_eq!(done(marked, "x = 1", "x = 2"), "\u{FEFF}// é á\nx = 2\n".as_bytes());
    assert_eq!(done(b"caf\xe9\nx = 1\n", "x = 1", "x = 2"), b"caf\xe9\nx = 2\n");
    let wide = |text: &str, le: bool| -> Vec<u8> {
        let unit = |u: u16| if le { u.to_le_bytes() } else { u.to_be_bytes() };
        "\u{FEFF}".encode_utf16().chain(text.encode_utf16()).flat_map(unit).collect()
    };
    for le in [true, false] {
        let file = wide("one wörd 😀\r\ntwo\r\n", le);
        assert_eq!(done(&file, "wörd", "ẃörds"), wide("one ẃörds 😀\r\ntwo\r\n", le));
    }
}

#[test]
fn g45_what_an_encoding_can_not_keep_is_refused() {
    assert!(refused(b"caf\xe9\nx = 1\n", "x = 1", "x = \u{e9}").contains("not UTF-8"));
    assert!(refused(b"caf\xe9\nx = 1\n", "caf\u{e8}", "x").contains("not UTF-8"));
    assert!(refused(b"a\0b", "a", "b").contains("not a text file"));
    assert!(refused(b"\xFF\xFEa\0\x00\xD8", "a", "b").contains("not valid UTF-16"));
}

#[test]
fn g46_nothing_is_expanded() {
    let new = "p$&q $1 $$ \\1 \\0 %s {} $' $`";
    assert_eq!(done(b"a SLOT b\n", "SLOT", new), format!("a {new} b\n").as_bytes());
    let both = edit(b"SLOT SLOT\n", "SLOT", new, true).unwrap();
    assert_eq!(both.bytes, format!("{new} {new}\n").as_bytes());
}

#[test]
fn g47_a_text_that_occurs_twice_is_refused_with_its_places() {
    let file = b"fn a() {\n  return 0\n}\nfn b() {\n  return 0\n}\nfn c() {\n  return 0\n}\n";
    let why = refused(file, "return 0", "return 1");
    assert!(why.contains("occurs 3 times, at lines 2, 5, 8"), "{why}");
    let one = String::from_utf8(done(file, "fn b() {\n  return 0\n}", "fn b() {\n  return 1\n}")).unwrap();
    assert_eq!(one.matches("return 1").count(), 1);
    let all = edit(file, "return 0", "return 1", true).unwrap();
    assert_eq!(all.lines, [2, 5, 8]);
    assert_eq!(String::from_utf8(all.bytes).unwrap().matches("return 1").count(), 3);
    // Two readings of one place are not unique either.
    assert!(refused(b"aaa\n", "aa", "b").contains("occurs 2 times"));
}

#[test]
fn g48_look_alikes_are_named_with_their_place() {
    let file = "u\u{308}ber = 1\nk\u{A0}= 2\ns = \u{2018}z\u{2019}\n".as_bytes();
    let why = refused(file, "\u{fc}ber = 1", "x");
    assert!(why.contains("It looks like line 1:"), "{why}");
    assert!(
        why.contains(
            "line 1, column 1: the file has U+0075 `u` U+0308 (combining diaeresis), `old_string` has U+00FC"
        ),
        "{why}"
    );
    let why = refused(file, "k = 2", "x");
    assert!(
        why.contains(
            "line 2, column 2: the file has U+00A0 (no-break space), `old_string` has U+0020 (space)"
        ),
        "{why}"
    );
    let why = refused(file, "s = 'z'", "x");
    assert!(
        why.contains(
            "line 3, column 5: the file has U+2018 (left single quotation mark), `old_string` has U+0027"
        ),
        "{why}"
    );
    assert!(why.contains("line 3, column 7: the file has U+2019"), "{why}");
}

#[test]
fn g48_white_space_is_named_too() {
    let why = refused(b"if x:\n\treturn 1\n", "if x:\n    return 1\n", "y");
    assert!(why.contains("line 2, column 1: the file has U+0009 (tab), `old_string` has 4 spaces"), "{why}");
    let why = refused(b"a\nlast line", "last line\n", "y");
    assert!(why.contains("the file has nothing, `old_string` has U+000A (line end)"), "{why}");
}

#[test]
fn a_miss_shows_the_nearest_lines() {
    let file =
        "fn first() {}\n\nfn total(items: &[u32]) -> u32 {\n    items.iter().sum()\n}\n\nfn last() {}\n";
    let why = refused(file.as_bytes(), "fn total(items: &[u64]) -> u64 {\n    items.iter().sum()\n}", "x");
    assert!(why.contains("The nearest is lines 3-5:\n3\tfn total(items: &[u32])"), "{why}");
    assert!(why.contains("line 3, column 20: the file has `32`, `old_string` has `64`"), "{why}");
    let why = refused(file.as_bytes(), "struct Quaternion;", "x");
    assert!(why.contains("No line of the file is like it"), "{why}");
    let why = refused(file.as_bytes(), "3\tfn total(items: &[u32]) -> u32 {\n4\t    items.iter().sum()", "x");
    assert!(why.contains("line numbers that read shows"), "{why}");
}

fn text() -> impl Strategy<Value = String> {
    "(a|b|ab|é|\r\n|\n| |x\u{301}|😀){0,30}"
}

/// Joins ends to LF for comparing texts but for their line ends.
fn bare(text: &str) -> String {
    text.replace("\r\n", "\n")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// An edit happens exactly when the text is there once, puts the new text there, and keeps the rest byte for byte.
    #[test]
    fn c8_a_match_must_be_unique_and_the_rest_is_kept(before in text(), old in text(), new in text(), after in text()) {
        // A line end cut in two would be another text than its parts.
        prop_assume!(!(before.ends_with('\r') || old.ends_with('\r') || new.ends_with('\r')));
        let file = format!("{before}{old}{after}");
        let (flat, wanted) = (bare(&file), bare(&old));
        let mut count = 0;
        if !wanted.is_empty() {
            count = (0..flat.len()).filter(|n| flat.get(*n..).is_some_and(|rest| rest.starts_with(&wanted))).count();
        }
        match edit(file.as_bytes(), &old, &new, false) {
            Ok(plan) => {
                prop_assert_eq!(count, 1);
                let result = String::from_utf8(plan.bytes).unwrap();
                prop_assert!(result.starts_with(&before) && result.ends_with(&after));
                prop_assert_eq!(bare(&result[before.len()..result.len() - after.len()]), bare(&new));
                prop_assert_eq!(plan.after, result);
            }
            Err(_) => prop_assert!(count != 1 || wanted == bare(&new)),
        }
    }

    /// Replacing all replaces what searching left to right finds, and nothing else.
    #[test]
    fn c8_replacing_all_is_plain_replacing(file in "[ab\n]{0,20}", old in "[ab]{1,3}", new in "[abc\n]{0,3}") {
        match edit(file.as_bytes(), &old, &new, true) {
            Ok(plan) => prop_assert_eq!(String::from_utf8(plan.bytes).unwrap(), file.replace(&old, &new)),
            Err(_) => prop_assert!(!file.contains(&old) || old == new),
        }
    }

    /// Files of one kind of line end stay of that kind.
    #[test]
    fn c8_line_ends_stay(lines in prop::collection::vec("[a-c]{0,2}", 2..8), crlf in any::<bool>(), new in "[x\n]{1,5}") {
        let end = if crlf { "\r\n" } else { "\n" };
        let file = format!("{}{end}!{end}", lines.join(end));
        let result = String::from_utf8(done(file.as_bytes(), "!", &new)).unwrap();
        let expected = file.replace('!', &new.replace('\n', end));
        prop_assert_eq!(result, expected);
    }

    /// Any bytes: a refusal or an exact edit, never a panic, and unlike bytes outside are kept.
    #[test]
    fn c8_any_bytes_are_edited_exactly_or_refused(front in prop::collection::vec(any::<u8>(), 0..40), back in prop::collection::vec(any::<u8>(), 0..40)) {
        let file = [front.as_slice(), b"<here>", &back].concat();
        if let Ok(plan) = edit(&file, "<here>", "[there!]", false) {
            prop_assert_eq!(plan.bytes, [front.as_slice(), b"[there!]", &back].concat());
        }
    }
}
