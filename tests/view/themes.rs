//! Theme files: what they say, what they complain about, and whether the built-in ones can be read.

use std::sync::Arc;

use e::effects::themes::{BUILTIN, builtin};
use e::model::config::theme::{Base, Colour, Theme, choose, names};
use e::model::term::ColorDepth;
use e::model::text::row::{Attrs, Token};
use e::view::style::Palette;
use proptest::prelude::*;
use ratatui::style::{Color, Modifier};

fn themes() -> Vec<Theme> {
    BUILTIN
        .iter()
        .map(|(name, text)| {
            let (theme, complaints) = Theme::parse(&format!("{name}.json"), name, text.as_bytes());
            assert_eq!(complaints, [], "{name}");
            theme.unwrap()
        })
        .collect()
}

fn complaints(text: &str) -> Vec<String> {
    Theme::parse("t.json", "t", text.as_bytes()).1.iter().map(ToString::to_string).collect()
}

#[test]
fn built_in_themes_define_every_token_and_nothing_else() {
    for (name, text) in BUILTIN {
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        let mut defined: Vec<&str> =
            value["colors"].as_object().unwrap().keys().map(String::as_str).collect();
        let mut known: Vec<&str> = Token::ALL.iter().map(|token| token.name()).collect();
        defined.sort_unstable();
        known.sort_unstable();
        assert_eq!(defined, known, "{name}");
    }
}

/// Grounds a terminal of that base may have, and its own letters.
fn terminal(base: Base) -> ([Colour; 2], Colour) {
    match base {
        Base::Dark => ([Colour::Rgb(0, 0, 0), Colour::Rgb(0x1e, 0x1e, 0x2e)], Colour::Rgb(0xd4, 0xd8, 0xe0)),
        Base::Light => {
            ([Colour::Rgb(255, 255, 255), Colour::Rgb(0xf5, 0xf1, 0xe6)], Colour::Rgb(0x24, 0x29, 0x2f))
        }
    }
}

const SYNTAX: [Token; 9] = [
    Token::SyntaxComment,
    Token::SyntaxKeyword,
    Token::SyntaxFunction,
    Token::SyntaxVariable,
    Token::SyntaxString,
    Token::SyntaxNumber,
    Token::SyntaxType,
    Token::SyntaxOperator,
    Token::SyntaxPunctuation,
];

#[test]
fn every_pair_that_is_painted_can_be_read() {
    use Token::*;
    let lines = [
        Border,
        BorderMuted,
        BorderAccent,
        ToolDetailRail,
        MdHr,
        MdCodeBlockBorder,
        MdQuoteBorder,
        ScrollbarThumb,
    ];
    let texts = [
        Accent,
        Success,
        Error,
        Warning,
        Muted,
        Dim,
        Text,
        ThinkingText,
        AttachmentText,
        CustomMessageLabel,
        ToolTitle,
        ToolOutput,
        ToolDiffContext,
        ToolDiffAddedMarker,
        ToolDiffRemovedMarker,
        ToolDiffAddedMarkerFallback,
        ToolDiffRemovedMarkerFallback,
        MdHeading,
        MdLink,
        MdLinkUrl,
        MdCode,
        MdCodeBlock,
        MdQuote,
        MdListBullet,
        ThinkingMinimal,
        ThinkingLow,
        ThinkingMedium,
        ThinkingHigh,
        ThinkingXhigh,
        ThinkingMax,
        BashMode,
    ];
    let grounds = [
        (UserMessageBg, &[UserMessageText, Accent, Dim, Muted, AttachmentText][..], 4.5),
        (SelectedBg, &[SelectedText, Accent], 4.5),
        (SelectedBg, &[Dim, Muted], 3.0),
        (SearchMatchBg, &[SearchMatchText], 4.5),
        (CustomMessageBg, &[CustomMessageText, CustomMessageLabel], 4.5),
        (ToolErrorBg, &[Error, Text], 4.5),
        (ToolDiffAddedBg, &[ToolDiffAdded, ToolDiffAddedMarker, ToolDiffAddedMarkerFallback], 4.5),
        (ToolDiffAddedBg, &SYNTAX, 4.5),
        (ToolDiffAddedBg, &[Dim], 3.0),
        (ToolDiffAddedWordBg, &SYNTAX, 3.0),
        (ToolDiffAddedWordBg, &[ToolDiffAdded], 4.5),
        (ToolDiffRemovedBg, &[ToolDiffRemoved, ToolDiffRemovedMarker, ToolDiffRemovedMarkerFallback], 4.5),
        (ToolDiffRemovedBg, &SYNTAX, 4.5),
        (ToolDiffRemovedBg, &[Dim], 3.0),
        (ToolDiffRemovedWordBg, &SYNTAX, 3.0),
        (ToolDiffRemovedWordBg, &[ToolDiffRemoved], 4.5),
    ];
    let mut wrong = Vec::new();
    for theme in themes() {
        let (own, letters) = terminal(theme.base);
        let colour = |token: Token| theme.colour(token).unwrap_or(letters);
        let mut check = |token: Token, ground: Colour, on: &str, least: f64| {
            let contrast = colour(token).contrast(ground);
            if contrast < least {
                wrong.push(format!("{}: {} on {on}: {contrast:.2}, not {least}", theme.name, token.name()));
            }
        };
        for ground in own {
            texts.iter().chain(&SYNTAX).for_each(|token| check(*token, ground, "the terminal's own", 4.5));
            lines.iter().for_each(|token| check(*token, ground, "the terminal's own", 3.0));
        }
        for (ground, tokens, least) in &grounds {
            let under = theme.colour(*ground).unwrap();
            tokens.iter().for_each(|token| check(*token, under, ground.name(), *least));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_theme_file_is_read_with_its_variables_indices_and_blanks() {
    let text = r##"{
        "name": "mine", // a comment
        "base": "light",
        "vars": {"blue": "#0000FF", "seven": 7},
        "colors": {"accent": "blue", "dim": "seven", "error": 196, "muted": "#0a0B0c", "text": "",}
    }"##;
    let (theme, complaints) = Theme::parse("t.json", "t", text.as_bytes());
    let theme = theme.unwrap();
    assert_eq!(complaints, []);
    assert_eq!((&*theme.name, theme.base), ("mine", Base::Light));
    assert_eq!(theme.colour(Token::Accent), Some(Colour::Rgb(0, 0, 255)));
    assert_eq!(theme.colour(Token::Dim), Some(Colour::Indexed(7)));
    assert_eq!(theme.colour(Token::Error), Some(Colour::Indexed(196)));
    assert_eq!(theme.colour(Token::Muted), Some(Colour::Rgb(10, 11, 12)));
    assert_eq!(theme.colour(Token::Text), None);
    assert_eq!(theme.colour(Token::Border), None);
    assert_eq!(theme.colour(Token::Plain), None);
}

#[test]
fn faults_cost_one_token_and_are_named_with_their_place() {
    let text = "{\"vars\": {\"x\": \"#00\", \"blue\": 4},\n \"colors\": {\n  \"acent\": \"blue\",\n  \"dim\": 300,\n  \
                \"error\": \"bleu\",\n  \"muted\": \"#12345g\",\n  \"text\": \"x\",\n  \"warning\": \"blue\"}}";
    let (theme, _) = Theme::parse("t.json", "t", text.as_bytes());
    let theme = theme.unwrap();
    assert_eq!(theme.colour(Token::Warning), Some(Colour::Indexed(4)));
    assert_eq!(theme.colour(Token::Text), None);
    assert_eq!(
        complaints(text),
        [
            "t.json:1:16: the variable \"x\" must be 0 to 255 or \"#RRGGBB\", not \"#00\"",
            "t.json:3:3: unknown token \"acent\"; did you mean \"accent\"?",
            "t.json:4:10: dim must be a variable's name, 0 to 255, \"#RRGGBB\" or \"\", not 300",
            "t.json:5:12: error names \"bleu\", which is not in \"vars\"; did you mean \"blue\"?",
            "t.json:6:12: muted must be a variable's name, 0 to 255, \"#RRGGBB\" or \"\", not \"#12345g\"",
        ]
    );
}

#[test]
fn a_file_without_vars_or_colors_is_no_theme() {
    for (text, said) in [
        ("{\"colors\": {}}", "t.json:1:1: a theme needs \"vars\", an object; it may be empty: \"vars\": {}"),
        (
            "{\"vars\": {}}",
            "t.json:1:1: a theme needs \"colors\", an object; it may be empty: \"colors\": {}",
        ),
        ("[]", "t.json:1:1: a theme must be an object, not a list"),
    ] {
        assert!(Theme::parse("t.json", "t", text.as_bytes()).0.is_none());
        assert_eq!(complaints(text), [said]);
    }
    let (theme, _) = Theme::parse("t.json", "stem", b"{\"vars\":{},\"colors\":{}}");
    assert_eq!(&*theme.unwrap().name, "stem");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn colours_of_a_palette_derive_to_themselves(index in 16u8..=255) {
        let (r, g, b) = Colour::Indexed(index).rgb();
        let derived = Colour::Rgb(r, g, b).to_256();
        prop_assert_eq!(Colour::Indexed(derived).rgb(), (r, g, b));
        prop_assert!(derived >= 16);
    }

    #[test]
    fn derived_colours_keep_light_light_and_dark_dark(r: u8, g: u8, b: u8) {
        let colour = Colour::Rgb(r, g, b);
        let derived = Colour::Indexed(colour.to_256());
        prop_assert!(colour.contrast(derived) < 2.6, "{colour:?} became {:?}", derived.rgb());
        prop_assert!(colour.to_16() < 16);
    }

    #[test]
    fn any_bytes_give_a_theme_or_a_complaint(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let (theme, complaints) = Theme::parse("t.json", "t", &bytes);
        prop_assert!(theme.is_some() || !complaints.is_empty());
    }
}

/// V7 at its root: what a depth may send, for every token of every theme.
#[test]
fn g18_a_palette_holds_only_colours_its_terminal_has() {
    for theme in themes() {
        for depth in [ColorDepth::None, ColorDepth::Ansi16, ColorDepth::Ansi256, ColorDepth::True] {
            let palette = Palette::new(&theme, depth);
            for token in Token::ALL {
                let style = palette.style(*token, Some(*token), Attrs::NONE);
                for colour in [style.fg, style.bg].into_iter().flatten() {
                    let fits = match (depth, colour) {
                        (_, Color::Reset) => true,
                        (ColorDepth::None, _) => false,
                        (ColorDepth::Ansi16, colour) => !matches!(colour, Color::Rgb(..) | Color::Indexed(_)),
                        (ColorDepth::Ansi256, colour) => matches!(colour, Color::Indexed(16..)),
                        (ColorDepth::True, colour) => matches!(colour, Color::Rgb(..) | Color::Indexed(_)),
                    };
                    assert!(fits, "{} {depth:?} {}: {colour:?}", theme.name, token.name());
                }
            }
        }
    }
}

#[test]
fn without_colour_selection_errors_and_changed_words_still_stand_out() {
    let (theme, _) = Theme::parse("dark.json", "dark", builtin("dark").unwrap().as_bytes());
    let theme = theme.unwrap();
    for depth in [ColorDepth::None, ColorDepth::Ansi16] {
        let palette = Palette::new(&theme, depth);
        let style = |token, bg| palette.style(token, bg, Attrs::NONE).add_modifier;
        assert!(style(Token::SelectedText, Some(Token::SelectedBg)).contains(Modifier::REVERSED));
        let word = style(Token::ToolDiffAdded, Some(Token::ToolDiffAddedWordBg));
        assert!(word.contains(Modifier::BOLD | Modifier::UNDERLINED));
        assert!(
            style(Token::UserMessageText, Some(Token::UserMessageBg)).difference(Modifier::BOLD).is_empty()
        );
    }
    let palette = Palette::new(&theme, ColorDepth::None);
    assert!(palette.style(Token::Error, None, Attrs::NONE).add_modifier.contains(Modifier::BOLD));
}

#[test]
fn without_true_colour_the_fallback_markers_are_used() {
    let text = r##"{"vars": {}, "colors": {"toolDiffAddedMarker": "#00ff00", "toolDiffAddedMarkerFallback": 99,
        "toolDiffRemovedMarker": "#ff0000", "toolDiffRemovedMarkerFallback": 100}}"##;
    let theme = Theme::parse("t.json", "t", text.as_bytes()).0.unwrap();
    let colour = |depth, token| Palette::new(&theme, depth).style(token, None, Attrs::NONE).fg;
    assert_eq!(colour(ColorDepth::True, Token::ToolDiffAddedMarker), Some(Color::Rgb(0, 255, 0)));
    assert_eq!(colour(ColorDepth::Ansi256, Token::ToolDiffAddedMarker), Some(Color::Indexed(99)));
    assert_eq!(colour(ColorDepth::Ansi256, Token::ToolDiffRemovedMarker), Some(Color::Indexed(100)));
}

#[test]
fn the_setting_chooses_among_the_files_and_the_closer_one_wins() {
    let mut files: Vec<(Arc<str>, Arc<str>)> = BUILTIN
        .iter()
        .map(|(name, text)| (Arc::from(format!("themes/{name}.json")), Arc::from(*text)))
        .collect();
    let chosen = |setting: &str, ground: Base, files: &[(Arc<str>, Arc<str>)]| {
        let (theme, complaints) = choose(setting, ground, files);
        (theme.name.to_string(), complaints.iter().map(|c| c.message.to_string()).collect::<Vec<_>>())
    };
    assert_eq!(chosen("auto", Base::Dark, &files), ("dark".into(), vec![]));
    assert_eq!(chosen("auto", Base::Light, &files), ("light".into(), vec![]));
    assert_eq!(chosen("high-contrast-dark", Base::Light, &files), ("high-contrast-dark".into(), vec![]));
    let (name, said) = chosen("lihgt", Base::Dark, &files);
    assert_eq!((name.as_str(), &*said[0]), ("dark", "there is no theme \"lihgt\"; did you mean \"light\"?"));
    files.insert(
        0,
        (Arc::from("themes/dark.json"), Arc::from("{\"name\": \"mine\", \"vars\": {}, \"colors\": {}}")),
    );
    assert_eq!(chosen("dark", Base::Dark, &files).0, "mine");
    files[0].1 = Arc::from("{");
    let (name, said) = chosen("dark", Base::Dark, &files);
    assert_eq!(
        (name.as_str(), said.len()),
        ("dark", 1),
        "a broken file gives way to the built-in one, and says so"
    );
    assert_eq!(names(&files).len(), 4);
    assert_eq!(chosen("x", Base::Light, &[]).0, "plain");
}

#[test]
fn few_colours_keep_their_meaning() {
    for theme in themes() {
        let named = |token| theme.colour(token).map(|colour: Colour| colour.to_16() % 8);
        assert_eq!(named(Token::Error), Some(1), "{}", theme.name);
        assert_eq!(named(Token::ToolDiffRemovedMarkerFallback), Some(1), "{}", theme.name);
        assert_eq!(named(Token::Success), Some(2), "{}", theme.name);
        assert_eq!(named(Token::ToolDiffAddedMarkerFallback), Some(2), "{}", theme.name);
        assert_eq!(named(Token::Warning), Some(3), "{}", theme.name);
        let channels = |token: Token| Colour::Indexed(theme.colour(token).unwrap().to_256()).rgb();
        let (r, g, b) = channels(Token::ToolDiffAddedWordBg);
        assert!(g > r && g > b, "{}: {r} {g} {b}", theme.name);
        let (r, g, b) = channels(Token::ToolDiffRemovedWordBg);
        assert!(r > g && r > b, "{}: {r} {g} {b}", theme.name);
    }
}
