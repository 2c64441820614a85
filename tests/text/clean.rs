//! The sanitiser.

use e::model::text::clean::{Clean, Cleaner, Mode, escapes};
use proptest::prelude::*;

use super::nasty::{cases, pieces, text};

fn vanish(raw: &str) -> String {
    Clean::vanish(raw).to_string()
}

fn review(raw: &str) -> String {
    Clean::review(raw).to_string()
}

fn harmless(clean: &str) -> bool {
    clean.chars().all(|c| {
        (!c.is_control() || c == '\n' || c == '\t')
            && !matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{206F}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{61C}' | '\u{FEFF}')
    })
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn c1_clean_has_no_control_characters(raw in text()) {
        for clean in [Clean::vanish(&raw), Clean::review(&raw), Clean::one_line(&raw), Clean::collapsed(&raw), Clean::name(&raw)] {
            prop_assert!(harmless(clean.as_str()), "{raw:?} -> {clean:?}");
        }
        prop_assert!(!Clean::one_line(&raw).as_str().contains('\n'));
        prop_assert!(!Clean::name(&raw).as_str().contains(['\n', '\t']));
        let collapsed = Clean::collapsed(&raw);
        prop_assert_eq!(collapsed.as_str().split_whitespace().collect::<Vec<_>>().join(" "), collapsed.as_str());
    }

    #[test]
    fn c2_cleaning_is_idempotent(raw in text()) {
        let makers: [fn(&str) -> Clean; 5] = [Clean::vanish, Clean::review, Clean::one_line, Clean::collapsed, Clean::name];
        for make in makers {
            let once = make(&raw);
            prop_assert_eq!(&make(once.as_str()), &once);
        }
    }

    #[test]
    fn c2_cleaning_pieces_then_joining_equals_cleaning_the_whole((raw, pieces) in pieces()) {
        for mode in [Mode::Vanish, Mode::Review] {
            let mut cleaner = Cleaner::new(mode);
            let mut joined = Clean::default();
            for piece in &pieces {
                joined.push(&cleaner.push(piece));
                prop_assert!(harmless(joined.as_str()));
            }
            joined.push(&cleaner.finish());
            let whole = if mode == Mode::Vanish { Clean::vanish(&raw) } else { Clean::review(&raw) };
            prop_assert_eq!(joined, whole);
        }
    }
}

#[test]
fn escape_sequences_go_whole() {
    assert_eq!(vanish("a\x1b[31;1mb\x1b[0mc"), "abc");
    assert_eq!(vanish("a\u{9b}2Kb"), "ab");
    assert_eq!(vanish("a\x1b]0;title\x07b\x1b]8;;http://x\x1b\\c\u{9d}t\u{9c}d"), "abcd");
    assert_eq!(vanish("a\x1bPq#0;2\x1b\\b\x1b_x\x07y\x1b\\c\u{98}s\u{9c}d"), "abcd");
    assert_eq!(vanish("a\x1b(Bb\x1b#8c\x1b7d\x1bMe"), "abcde");
}

#[test]
fn an_unterminated_sequence_swallows_at_most_its_line() {
    assert_eq!(vanish("a\x1b]0;title\nb"), "a\nb");
    assert_eq!(vanish("a\x1b[12;\nb\x1b"), "a\nb");
    assert_eq!(vanish("a\x1bP…\nb\x1b("), "a\nb");
}

#[test]
fn line_ends_and_returns() {
    assert_eq!(vanish("a\r\nb\rc"), "a\nbc");
    assert_eq!(review("a\r\nb\rc\r"), "a\nb<U+000D>c<U+000D>");
}

#[test]
fn g11_control_sequences_in_tool_output_leave_only_a_mark() {
    let raw = "\x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x07\x1b[2J\x1b[?1049l\x1b[3;1Hhi\x08\x08\u{9b}K";
    assert_eq!(vanish(raw), "hi");
    assert_eq!(review(raw), "hi<U+0008><U+0008>");
}

#[test]
fn g12_names_show_their_escapes_on_one_row() {
    assert_eq!(Clean::name("a\x1b[41m\x1b]0;t\x07b.txt").as_str(), "ab.txt");
    assert_eq!(Clean::name("c\nd.txt").as_str(), "c<U+000A>d.txt");
}

#[test]
fn g13_direction_overrides_show_where_people_review() {
    assert_eq!(review("mv notes \u{202E}txt.wen\u{202C} ./out"), "mv notes <U+202E>txt.wen<U+202C> ./out");
    assert_eq!(vanish("mv \u{202E}txt"), "mv txt");
    for plain in ["שלום עולם", "مرحبا بالعالم", "می\u{200C}خواهم"] {
        assert_eq!(review(plain), plain);
        assert_eq!(vanish(plain), plain);
    }
}

#[test]
fn g12_the_line_separators_of_unicode_never_reach_a_row() {
    assert_eq!(vanish("a\u{2028}b\u{2029}c"), "a\nb\nc");
    assert_eq!(review("a\u{2028}b\u{2029}c"), "a<U+2028>b<U+2029>c");
    assert_eq!(Clean::one_line("a\u{2028}b").as_str(), "a b");
    assert_eq!(Clean::name("a\u{2028}b").as_str(), "a<U+2028>b");
}

#[test]
fn the_visible_escapes_are_found() {
    let clean = Clean::review("a\u{2066}b <U+0041> <U+12> \u{200B}\u{1}<U+");
    let found: Vec<&str> = escapes(clean.as_str()).map(|range| &clean.as_str()[range]).collect();
    assert_eq!(found, ["<U+2066>", "<U+200B>", "<U+0001>"]);
}

#[test]
fn joiners_and_marks_stay_on_a_visible_base_only() {
    for kept in [
        "👩\u{200D}🚀",
        "🏳\u{FE0F}\u{200D}🌈",
        "e\u{301}",
        "क्\u{200D}ष",
        "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
    ] {
        assert_eq!(vanish(kept), kept);
    }
    assert_eq!(vanish("a \u{200D}b\n\u{301}c\t\u{FE0F}d"), "a b\nc\td");
    assert_eq!(vanish("x\u{E0061}\u{E0062}🏴\u{E0061}y"), "x🏴y");
    assert_eq!(review("x\u{E0061}🏴\u{E0061}y"), "x<U+E0061>🏴<U+E0061>y");
}

#[test]
fn one_line_places() {
    assert_eq!(Clean::one_line("a\nb  c\td").as_str(), "a b  c\td");
    assert_eq!(Clean::collapsed("  a\n\tb  \u{3000}c ").as_str(), "a b c");
}
