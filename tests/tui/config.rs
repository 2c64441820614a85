//! `layout.json`: each wrong value costs itself alone.

use std::sync::Arc;

use e::model::ask::UiAsk;
use e::model::config::layout::{Layout, Layouts, Room, Side, parse, parse_all};
use e::model::effect::FilesFx;
use e::model::msg::{FilesMsg, Signal};
use e::update::tui as front;
use proptest::prelude::*;

use super::stage::Stage;

#[test]
fn the_defaults_stand_for_what_is_not_written() {
    assert_eq!(parse("layout.json", "{}"), (Layout::default(), vec![]));
    let layout = Layout::default();
    assert_eq!((layout.split_min, layout.focus.to_string().as_str(), layout.banner), (110, "ctrl+t", true));
}

#[test]
fn values_are_taken_clamped_or_complained_about() {
    let text = r#"{
      // by hand
      "split_min": 20, "focus": " ", "banner": "of", "activity": "", "colour": 1,
      "panes": {"*": {"side": "left"}, "diff": {"width": 90, "side": "up"}},
      "status": {"left": [], "right": ["{branch}", 3]},
    }"#;
    let (layout, complaints) = parse("layout.json", text);
    assert_eq!((layout.split_min, layout.focus, layout.banner), (60, Layout::default().focus, true));
    assert_eq!(layout.activity, Layout::default().activity);
    assert_eq!((layout.left.len(), layout.right.len()), (0, 1));
    assert_eq!(layout.width("diff"), 70);
    assert_eq!(layout.side("diff", Some(Side::Right)), Side::Left, "the person's * beats the wish");
    let said: Vec<String> = complaints.iter().map(ToString::to_string).collect();
    assert_eq!(said.len(), 4, "{said:#?}");
    assert!(
        said[0].starts_with("layout.json:3:48: banner must be \"on\" or \"off\", not \"of\""),
        "{}",
        said[0]
    );
}

#[test]
fn a_panes_side_comes_from_its_entry_the_star_the_wish_or_right() {
    let side = |text: &str, wish| parse("layout.json", text).0.side("diff", wish);
    assert_eq!(side("{}", None), Side::Right);
    assert_eq!(side("{}", Some(Side::Left)), Side::Left);
    assert_eq!(side(r#"{"panes": {"*": {"side": "right"}}}"#, Some(Side::Left)), Side::Right);
    assert_eq!(side(r#"{"panes": {"diff": {"side": "left"}, "*": {"side": "right"}}}"#, None), Side::Left);
}

fn with_themes(stage: &mut Stage) {
    let builtin = e::effects::themes::BUILTIN
        .iter()
        .map(|(name, text)| (Arc::from(format!("themes/{name}.json")), Arc::from(*text)));
    stage.config.files = builtin.collect();
}

#[test]
fn the_theme_under_the_cursor_holds_while_the_picker_is_open_and_esc_goes_back() {
    let mut stage = Stage::new(100, 30);
    with_themes(&mut stage);
    stage.ui(UiAsk::Theme);
    stage.keys("down down");
    assert_eq!(&*stage.config.theme.name, "light", "auto, dark, light");
    assert_eq!(&*stage.config.settings.theme, "auto");
    stage.keys("esc");
    assert_eq!(&*stage.config.theme.name, "dark");
    stage.ui(UiAsk::Theme);
    stage.typed("orange-l").keys("enter");
    assert_eq!(
        (&*stage.config.theme.name, &*stage.config.settings.theme),
        ("blue-orange-light", "blue-orange-light")
    );
    assert!(stage.files_fx().any(|fx| matches!(fx, FilesFx::WriteSettings { .. })));
}

#[test]
fn auto_follows_the_terminals_ground_also_after_another_theme_was_looked_at() {
    use e::model::term::{Scheme, TermMsg};
    let mut stage = Stage::new(100, 30);
    with_themes(&mut stage);
    stage.term(TermMsg::ColorScheme(Scheme::Light));
    assert_eq!(&*stage.config.theme.name, "light");
    stage.ui(UiAsk::Theme).keys("down").keys("esc");
    assert_eq!(&*stage.config.theme.name, "light");
    stage.term(TermMsg::ColorScheme(Scheme::Dark));
    assert_eq!(&*stage.config.theme.name, "dark");
}

/// A file of the home was saved; the files as they are then.
fn saved(stage: &mut Stage, files: &[(&str, &str)]) -> bool {
    stage.effects.clear();
    stage.run(|tui, sessions, cx, out| front::signal(tui, Signal::Saved, sessions, cx, out));
    let ticket = stage.files_fx().find_map(|fx| match fx {
        FilesFx::ReadConfig { ticket } => Some(*ticket),
        _ => None,
    });
    let Some(ticket) = ticket else { return false };
    let mut all: Vec<(Arc<str>, Arc<str>)> =
        files.iter().map(|(name, text)| (Arc::from(*name), Arc::from(*text))).collect();
    all.extend(stage.config.files.iter().filter(|(name, _)| name.starts_with("themes/")).cloned());
    stage.files(ticket, FilesMsg::Config { files: all, complaints: Vec::new() });
    true
}

#[test]
fn what_is_saved_holds_at_once_also_during_a_turn_and_what_is_wrong_leaves_the_last_good_state() {
    let mut stage = Stage::new(100, 30);
    with_themes(&mut stage);
    stage.busy(true);
    assert!(saved(&mut stage, &[("settings.json", "{\"theme\": \"light\", \"tab_width\": 8}")]));
    assert_eq!((&*stage.config.theme.name, stage.tui.screen.tab), ("light", 8));
    let flash = stage.tui.status.flash.as_ref().map(|flash| flash.text.as_str().to_owned());
    assert_eq!(flash.as_deref(), Some("Saved and in force: settings.json"));
    let wrong = [
        ("settings.json", "{\"theme\": \"light\", \"tab_width\": 80}"),
        ("keybindings.json", "{\"f5\": \"help\"}"),
    ];
    assert!(saved(&mut stage, &wrong));
    assert_eq!(stage.config.settings.tab_width, 8, "the last good value");
    assert!(stage.config.keymap.action("f5".parse().unwrap()).is_some());
    let said = stage.config.faults.clone();
    assert_eq!(said.len(), 1);
    assert!(said[0].to_string().starts_with("settings.json:1:33: tab_width must be"), "{}", said[0]);
    assert!(saved(&mut stage, &[wrong[0], ("keybindings.json", "{}")]));
    assert_eq!(stage.config.faults, said);
    assert!(saved(&mut stage, &[("settings.json", "{\"live_reload\": \"off\"}")]));
    assert!(!saved(&mut stage, &[("settings.json", "{}")]), "it waits for /reload");
}

#[test]
fn the_first_profile_that_holds_overrides_deeply_and_follows_the_screen() {
    use e::model::term::{Size, TermMsg};
    let text = r#"{"split_min": 100, "panes": {"*": {"side": "left", "width": 40}, "diff": {"width": 60}},
      "profiles": [{"when": {"max_width": 90}, "panes": {"*": {"width": 50}}},
                   {"when": {"max_width": 200, "min_height": 40}, "split_min": 80, "status": {"left": []}}]}"#;
    let mut stage = Stage::new(120, 30);
    with_themes(&mut stage);
    assert!(saved(&mut stage, &[("layout.json", text)]));
    assert!(stage.config.faults.is_empty(), "{:?}", stage.config.faults);
    let seen = |stage: &Stage| {
        let layout = &stage.config.layout;
        (layout.split_min, layout.width("x"), layout.width("diff"), layout.side("x", None), layout.left.len())
    };
    assert_eq!(seen(&stage), (100, 40, 60, Side::Left, 2), "none holds");
    stage.term(TermMsg::Resize(Size::new(80, 50)));
    assert_eq!(seen(&stage), (100, 50, 60, Side::Left, 2), "the first of the two that hold");
    stage.term(TermMsg::Resize(Size::new(120, 50)));
    assert_eq!(seen(&stage), (80, 40, 60, Side::Left, 0));
    stage.term(TermMsg::Resize(Size::new(201, 50)));
    assert_eq!(seen(&stage), (100, 40, 60, Side::Left, 2));
}

#[test]
fn a_profile_that_cannot_be_read_never_holds_and_is_named() {
    let text = r#"{"profiles": [{"split_min": 70}, {"when": {"max_widht": 90}}, {"when": {"ssh": "yes"}}, {"when": {}, "split": 1, "banner": 3}]}"#;
    let (layouts, said) = parse_all("layout.json", text, &Layouts::default());
    assert_eq!(layouts.profiles.len(), 1, "the one that asks for nothing always holds");
    let said: Vec<String> = said.iter().map(ToString::to_string).collect();
    assert_eq!(said.len(), 5, "{said:#?}");
    assert!(said[0].contains("a profile needs \"when\""), "{}", said[0]);
    assert!(said[1].contains("unknown key \"max_widht\"; did you mean \"max_width\"?"), "{}", said[1]);
}

proptest! {
    #![proptest_config(crate::text::nasty::cases())]

    /// Where no profile holds the file is as it is without them, and one that holds changes nothing but what it names.
    #[test]
    fn l11_a_profile_changes_what_it_names_and_only_while_it_holds(
        cols in 1u16..300, rows in 1u16..100, most in 1u16..300, least in 1u16..100,
        split in 60u16..200, width in 30u16..=70, other in 30u16..=70, ssh: bool, asks: Option<bool>,
    ) {
        let asked = asks.map(|ssh| format!(", \"ssh\": {ssh}")).unwrap_or_default();
        let plain = format!("{{\"split_min\": {split}, \"panes\": {{\"*\": {{\"side\": \"left\", \"width\": {width}}}}}");
        let text = format!(
            "{plain}, \"profiles\": [{{\"when\": {{\"max_width\": {most}, \"min_height\": {least}{asked}}}, \
             \"panes\": {{\"*\": {{\"width\": {other}}}}}}}]}}"
        );
        let (layouts, said) = parse_all("layout.json", &text, &Layouts::default());
        prop_assert!(said.is_empty(), "{said:?}");
        let (without, _) = parse("layout.json", &format!("{plain}}}"));
        let room = Room { cols, rows, pane: None, ssh };
        let mut expected = without;
        if cols <= most && rows >= least && asks.is_none_or(|asks| asks == ssh) {
            expected.panes.get_mut("*").unwrap().width = Some(other);
        }
        prop_assert_eq!(layouts.layout(&room), &expected);
    }
}
