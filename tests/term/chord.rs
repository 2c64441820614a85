//! Chords: the grammar, the canonical form, the reserved list and what types text.

use e::model::config::chord::{Chord, ChordError, Key, Mods, RESERVED};
use proptest::prelude::*;

fn chord(text: &str) -> Chord {
    text.parse().unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

#[test]
fn one_canonical_name_for_each_chord() {
    let table = [
        ("ctrl+k", "ctrl+k"),
        ("Control+C", "ctrl+c"),
        ("CTRL-W", "ctrl+w"),
        ("ctrl-w", "ctrl+w"),
        ("shift+alt+ctrl+x", "ctrl+alt+shift+x"),
        ("option+b", "alt+b"),
        ("META-b", "alt+b"),
        ("ctrl+-", "ctrl+-"),
        ("ctrl--", "ctrl+-"),
        ("ctrl++", "ctrl++"),
        ("ctrl-+", "ctrl++"),
        ("+", "+"),
        ("-", "-"),
        ("escape", "esc"),
        ("Escape", "esc"),
        ("back-tab", "shift+tab"),
        ("BackTab", "shift+tab"),
        ("alt+PageUp", "alt+pageup"),
        ("F12", "f12"),
        ("shift+f1", "shift+f1"),
        ("space", "space"),
        (" ctrl+a ", "ctrl+a"),
        ("A", "shift+a"),
        ("shift+a", "shift+a"),
        ("Alt+A", "alt+a"),
        ("Ä", "shift+ä"),
        ("shift+!", "!"),
        ("ctrl+shift+_", "ctrl+_"),
        ("alt+_", "alt+_"),
        ("k+ctrl", "ctrl+k"),
        ("alt+k-ctrl", "ctrl+alt+k"),
        ("insert", "insert"),
        ("漢", "漢"),
    ];
    for (written, canonical) in table {
        assert_eq!(chord(written).to_string(), canonical, "{written:?}");
        assert_eq!(chord(canonical), chord(written), "{written:?}");
    }
}

#[test]
fn chords_match_exactly() {
    assert_ne!(chord("ctrl+alt+g"), chord("ctrl+g"));
    assert_ne!(chord("ctrl+alt+k"), chord("ctrl+k"));
    assert_ne!(chord("ctrl+shift+p"), chord("ctrl+p"));
}

#[test]
fn what_is_no_chord_says_why() {
    for empty in ["", "  "] {
        assert_eq!(empty.parse::<Chord>(), Err(ChordError::Empty));
    }
    for keyless in ["ctrl", "ctrl+", "ctrl+alt", "shift-", "Control+Option"] {
        assert_eq!(keyless.parse::<Chord>(), Err(ChordError::NoKey), "{keyless:?}");
    }
    for unknown in ["ctrl+foo", "f0", "f13", "f01", "super+a", "cmd+k", "ab", "ctrl+\u{7}", "e\u{301}"] {
        assert!(matches!(unknown.parse::<Chord>(), Err(ChordError::UnknownKey(_))), "{unknown:?}");
    }
}

#[test]
fn fifteen_chords_are_reserved_in_any_spelling() {
    let names: Vec<String> = RESERVED.iter().map(ToString::to_string).collect();
    assert_eq!(
        names.join(" "),
        "ctrl+c ctrl+d ctrl+g ctrl+i ctrl+j ctrl+l ctrl+m ctrl+o ctrl+p ctrl+shift+p ctrl+s ctrl+v ctrl+shift+v ctrl+x ctrl+z"
    );
    for written in ["Control+C", "ctrl-j", "SHIFT+CTRL+P", "ctrl+shift+v"] {
        assert!(chord(written).is_reserved(), "{written}");
        assert!(matches!(Chord::for_extension(written), Err(ChordError::Reserved(_))), "{written}");
    }
    for free in ["ctrl+k", "ctrl+alt+c", "ctrl+shift+c", "alt+c"] {
        assert!(!chord(free).is_reserved(), "{free}");
        assert_eq!(Chord::for_extension(free), Ok(chord(free)));
    }
}

#[test]
fn g22_alt_gr_characters_are_text_and_letters_are_chords() {
    for c in "@{}[]\\|~€".chars() {
        let chord = Chord::new(Mods { ctrl: true, alt: true, shift: false }, Key::Char(c)).unwrap();
        assert_eq!(chord.text(), Some(c));
    }
    for written in
        ["ctrl+alt+g", "ctrl+alt+7", "ctrl+a", "alt+x", "alt+@", "ctrl+space", "enter", "tab", "f1"]
    {
        assert_eq!(chord(written).text(), None, "{written}");
    }
    assert_eq!(chord("shift+a").text(), Some('A'));
    assert_eq!(chord("shift+ä").text(), Some('Ä'));
    assert_eq!(chord("x").text(), Some('x'));
    assert_eq!(chord("space").text(), Some(' '));
    assert_eq!(chord("漢").text(), Some('漢'));
}

#[test]
fn without_shift_is_the_bare_movement() {
    assert_eq!(chord("ctrl+shift+left").without_shift(), chord("ctrl+left"));
}

fn keys() -> impl Strategy<Value = Key> {
    let named = prop::sample::select(vec![
        Key::Enter,
        Key::Backspace,
        Key::Delete,
        Key::Insert,
        Key::Left,
        Key::Right,
        Key::Up,
        Key::Down,
        Key::Home,
        Key::End,
        Key::PageUp,
        Key::PageDown,
        Key::Tab,
        Key::Space,
        Key::Esc,
    ]);
    prop_oneof![
        named,
        (1u8..=12).prop_map(Key::F),
        prop::char::range(' ', '~').prop_map(Key::Char),
        any::<char>().prop_map(Key::Char),
    ]
}

fn mods() -> impl Strategy<Value = Mods> {
    any::<(bool, bool, bool)>().prop_map(|(ctrl, alt, shift)| Mods { ctrl, alt, shift })
}

/// The chord's name with its modifiers in any order, in any case, under their aliases, with either separator.
fn spelled(chord: Chord, order: u8, dashes: bool, upper: bool) -> String {
    let mut words = Vec::new();
    let pick = |one: &'static str, other: &'static str| if dashes { other } else { one };
    for (held, word) in [
        (chord.ctrl(), pick("ctrl", "control")),
        (chord.alt(), pick("alt", "option")),
        (chord.shift(), "shift"),
    ] {
        if held {
            words.push(if upper { word.to_uppercase() } else { word.to_owned() });
        }
    }
    let turns = if words.is_empty() { 0 } else { usize::from(order) % words.len() };
    words.rotate_left(turns);
    let name = chord.without_shift().to_string();
    let key = name.trim_start_matches("ctrl+").trim_start_matches("alt+");
    let key = if key.is_empty() { "+" } else { key };
    words.push(key.to_owned());
    words.join(if dashes { "-" } else { "+" })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn k9_parse_of_print_is_identity(mods in mods(), key in keys()) {
        if let Some(chord) = Chord::new(mods, key) {
            prop_assert_eq!(chord.to_string().parse::<Chord>(), Ok(chord));
        }
    }

    #[test]
    fn k9_case_and_order_do_not_matter(
        mods in mods(), key in keys(), order in any::<u8>(), dashes in any::<bool>(), upper in any::<bool>(),
    ) {
        if let Some(chord) = Chord::new(mods, key) {
            let spelled = spelled(chord, order, dashes, upper);
            prop_assert_eq!(spelled.parse::<Chord>(), Ok(chord), "{}", spelled);
        }
    }

    #[test]
    fn k9_any_text_is_a_chord_or_a_reason(text in ".{0,12}") {
        if let Ok(chord) = text.parse::<Chord>() {
            prop_assert_eq!(chord.to_string().parse::<Chord>(), Ok(chord));
        }
    }

    #[test]
    fn k7_bare_and_shift_only_chords_are_refused_in_manifests(shift in any::<bool>(), key in keys()) {
        if let Some(chord) = Chord::new(Mods { shift, ..Mods::NONE }, key) {
            prop_assert_eq!(Chord::for_extension(&chord.to_string()), Err(ChordError::Bare(chord)));
        }
    }
}
