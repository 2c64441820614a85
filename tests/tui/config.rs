//! `layout.json`: each wrong value costs itself alone.

use e::model::config::layout::{Layout, Side, parse};

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
