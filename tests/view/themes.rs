//! Theme files: what they say, what they complain about, and whether the built-in ones can be read.

use std::collections::BTreeSet;
use std::sync::Arc;

use e::effects::themes::{BUILTIN, builtin};
use e::model::Model;
use e::model::config::pairs;
use e::model::config::theme::{Base, Colour, Theme, choose, names};
use e::model::term::ColorDepth;
use e::model::text::row::{Attrs, Token};
use e::view::style::Palette;
use proptest::prelude::*;
use ratatui::style::{Color, Modifier};

use super::scene::{frame, tui};

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

#[test]
fn every_pair_that_is_painted_can_be_read() {
    for theme in themes() {
        assert_eq!(pairs::judge(&theme), [], "{}", theme.name);
    }
}

/// The colour that the probing theme gives a token: its own and nobody else's.
fn probe(token: Token) -> Color {
    Color::Rgb(token as u8, 7, 77)
}

/// Every pair of colours in a frame, by their tokens. Blanks have no letters.
fn painted(model: &mut Model, seen: &mut BTreeSet<(Token, Option<Token>)>) {
    let colors: Vec<String> =
        Token::ALL.iter().map(|t| format!("\"{}\": \"#{:02x}074d\"", t.name(), *t as u8)).collect();
    let text = format!("{{\"vars\": {{}}, \"colors\": {{{}}}}}", colors.join(", "));
    model.config.theme = Theme::parse("probe.json", "probe", text.as_bytes()).0.unwrap();
    let token = |colour: Color| Token::ALL.iter().copied().find(|token| probe(*token) == colour);
    for cell in &frame(model).cells.content {
        if cell.symbol().trim().is_empty() {
            continue;
        }
        let letters = token(cell.fg).unwrap_or(Token::Plain);
        seen.insert((letters, token(cell.bg)));
    }
}

#[test]
fn the_table_of_pairs_has_every_pair_that_frames_show() {
    let mut seen = BTreeSet::new();
    for mut model in super::screens::every_scene(100, 40) {
        painted(&mut model, &mut seen);
        tui(&mut model).screen.fullscreen = true;
        painted(&mut model, &mut seen);
    }
    assert!(seen.len() > 40, "the scenes show too little: {seen:?}");
    let known: BTreeSet<_> = pairs::all().map(|pair| (pair.letters, pair.ground)).collect();
    let new: Vec<_> = seen.difference(&known).collect();
    assert!(new.is_empty(), "painted, and in no table: {new:?}");
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
    assert_eq!(names(&files).len(), BUILTIN.len());
    assert_eq!(chosen("x", Base::Light, &[]).0, "plain");
}

#[test]
fn few_colours_keep_their_meaning() {
    for theme in themes() {
        // Red and green mean nothing to whom these two are for.
        if theme.name.starts_with("blue-orange") {
            let channels = |token: Token| Colour::Indexed(theme.colour(token).unwrap().to_256()).rgb();
            let (r, _, b) = channels(Token::ToolDiffAddedWordBg);
            assert!(b > r, "{}", theme.name);
            let (r, _, b) = channels(Token::ToolDiffRemovedWordBg);
            assert!(r > b, "{}", theme.name);
            let named = |token| theme.colour(token).map(|colour: Colour| colour.to_16() % 8);
            assert_eq!(named(Token::ToolDiffAddedMarkerFallback), Some(4), "{}", theme.name);
            assert!(matches!(named(Token::ToolDiffRemovedMarkerFallback), Some(1 | 3)), "{}", theme.name);
            continue;
        }
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

#[test]
fn the_colour_that_is_proposed_passes_wherever_its_letters_stand() {
    let text = "{\"base\": \"dark\", \"vars\": {}, \"colors\": {\"accent\": \"#223355\", \"userMessageBg\": \"#272c36\"}}";
    let theme = Theme::parse("t.json", "t", text.as_bytes()).0.unwrap();
    let faults = pairs::judge(&theme);
    assert!(faults.iter().all(|fault| fault.pair.letters == Token::Accent), "{faults:?}");
    let passing = faults[0].passing.unwrap();
    let better = text.replace("#223355", &passing.to_string());
    let theme = Theme::parse("t.json", "t", better.as_bytes()).0.unwrap();
    assert_eq!(pairs::judge(&theme), [], "{passing}");
}
