//! Lines that call commands.

use e::model::ext::typed::{completed, completing, invocation};

#[test]
fn arguments_are_everything_behind_the_first_space_of_the_trimmed_line() {
    for (line, expected) in [
        ("/ping", Some(("ping", ""))),
        ("  /ping  a  b ", Some(("ping", " a  b"))),
        ("/my-ext:ping x", Some(("my-ext:ping", "x"))),
        ("/", None),
        ("/ x", None),
        ("ping", None),
    ] {
        assert_eq!(invocation(line), expected, "{line:?}");
    }
}

#[test]
fn the_prefix_is_the_last_word_and_empty_right_after_a_space() {
    for (line, expected, chosen) in [
        ("/name ", Some(("name", "")), "/name v "),
        ("/name pre", Some(("name", "pre")), "/name v "),
        ("/name one tw", Some(("name", "tw")), "/name one v "),
        ("/name one ", Some(("name", "")), "/name one v "),
        ("/name", None, ""),
        ("/ x", None, ""),
        ("/name a\nb", None, ""),
        (" /name a", None, ""),
    ] {
        assert_eq!(completing(line), expected, "{line:?}");
        if expected.is_some() {
            assert_eq!(completed(line, "v"), chosen);
        }
    }
}
