//! Command output made plain.

use e::model::tool::output::{Plainer, plain};
use proptest::prelude::*;

#[test]
fn escape_sequences_go_and_progress_collapses() {
    for (given, want) in [
        ("a\x1b[31mred\x1b[0m b\n", "ared b\n"),
        ("\x1b]0;owned\x07x\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\\n", "xlink\n"),
        ("10%\r50%\r100%\ndone\n", "100%\ndone\n"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("50%\r", "50%"),
        ("tab\tand \u{8}bell\x07\n", "tab\tand bell\n"),
        ("\u{9b}31mred\u{9d}title\u{9c}!\n", "red!\n"),
        // An unterminated sequence takes no more than its line.
        ("\x1b]0;never ends\nnext\n", "\nnext\n"),
        ("\x1b(Bx\x1b=y", "xy"),
        ("nul\0s", "nuls"),
    ] {
        assert_eq!(plain(given), want, "{given:?}");
    }
}

#[test]
fn what_was_shown_is_not_taken_back() {
    let mut live = Plainer::default();
    let mut out = String::new();
    live.push("10%", &mut out);
    live.flush(&mut out);
    live.push("\r20%\r30%", &mut out);
    live.flush(&mut out);
    live.push("\n", &mut out);
    assert_eq!(out, "10%\n30%\n");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Pieces give what the whole gives, and neither escape nor other controls survive.
    #[test]
    fn c2_pieces_of_output_are_made_plain_as_the_whole(
        text in "([ab\u{e9}\n\r\t\x07\x1b\u{9b}\u{9c}\\[\\]0;m\\\\P(]|\x1b\\[|\x1b\\]){0,60}",
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let chars: Vec<char> = text.chars().collect();
        let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(chars.len() + 1)).collect();
        at.extend([0, chars.len()]);
        at.sort_unstable();
        let (mut plainer, mut out) = (Plainer::default(), String::new());
        for pair in at.windows(2) {
            plainer.push(&chars[pair[0]..pair[1]].iter().collect::<String>(), &mut out);
        }
        plainer.flush(&mut out);
        prop_assert_eq!(&out, &plain(&text));
        prop_assert!(out.chars().all(|c| !c.is_control() || c == '\n' || c == '\t'));
    }
}
