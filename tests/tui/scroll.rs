//! Reading back: anchors under growth, resize and movement; the reader's depths and search.

use e::model::fact::{Fact, ToolFact};
use e::model::id::CallId;
use e::model::term::{Mouse, MouseKind, Size, TermMsg};
use e::model::tool::{Display, Format, Outcome};
use e::model::tui::block::Body;
use e::model::tui::look;
use e::model::tui::scroll::{Scroll, Slice, window};
use e::model::tui::viewer::Depth;
use proptest::prelude::*;

use super::stage::{ME, Stage, batch, began, ended, reasoning, text};

/// The plain rows that a viewport shows.
fn shown(stage: &Stage, scroll: &Scroll, height: usize) -> Vec<String> {
    let blocks = stage.tui.transcript.blocks();
    let rows = |index: usize| look::rows(&blocks[index], stage.look());
    let slices = window(blocks, scroll, height, |index, _| rows(index).len());
    let of = |s: Slice| rows(s.index)[s.rows].iter().map(|row| row.plain()).collect::<Vec<_>>();
    slices.into_iter().flat_map(of).collect()
}

fn conversation(stage: &mut Stage, turns: &[String]) {
    for (n, turn) in turns.iter().enumerate() {
        stage.fact(&began(&format!("question {n}")));
        stage.fact(&text(turn));
        stage.fact(&ended(false));
    }
}

fn paragraphs() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("([a-z]{1,9} ){1,30}(\n\n- [a-z]{1,9}){0,3}", 2..9)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn v3_what_is_added_below_never_moves_the_reader(
        turns in paragraphs(), more in paragraphs(), pages in 1usize..4, cols in 10u16..80
    ) {
        let mut stage = Stage::fullscreen(cols, 12);
        conversation(&mut stage, &turns);
        for _ in 0..pages {
            stage.keys("pageup");
        }
        let scroll = stage.tui.transcript.scroll.clone();
        if scroll.is_tail() {
            return Ok(());
        }
        let height = stage.tui.regions(0).transcript.height.into();
        let before = shown(&stage, &scroll, height);
        conversation(&mut stage, &more);
        prop_assert_eq!(&stage.tui.transcript.scroll, &scroll);
        let after = shown(&stage, &scroll, height);
        prop_assert_eq!(&after[..before.len()], &before[..]);
    }

    #[test]
    fn v4_the_tail_shows_the_last_row(turns in paragraphs(), height in 1usize..20) {
        let mut stage = Stage::fullscreen(40, 12);
        conversation(&mut stage, &turns);
        let all = stage.rows();
        let rows = shown(&stage, &Scroll::Tail, height);
        prop_assert_eq!(rows.len(), height.min(all.len()));
        prop_assert_eq!(rows.last(), all.last());
    }

    #[test]
    fn v5_resize_and_back_returns_to_the_same_anchor(
        turns in paragraphs(), pages in 1usize..4, widths in prop::collection::vec(8u16..120, 1..5)
    ) {
        let mut stage = Stage::fullscreen(60, 12);
        conversation(&mut stage, &turns);
        for _ in 0..pages {
            stage.keys("pageup");
        }
        let height = stage.tui.regions(0).transcript.height.into();
        let before = shown(&stage, &stage.tui.transcript.scroll, height);
        for width in widths {
            stage.term(TermMsg::Resize(Size::new(width, 12)));
        }
        stage.term(TermMsg::Resize(Size::new(60, 12)));
        prop_assert_eq!(shown(&stage, &stage.tui.transcript.scroll, height), before);
    }

    #[test]
    fn up_then_down_comes_back(turns in paragraphs(), by in 1usize..30) {
        let mut stage = Stage::fullscreen(40, 10);
        conversation(&mut stage, &turns);
        let blocks = stage.tui.transcript.blocks();
        let measure = |index: usize, _: &_| look::rows(&blocks[index], stage.look()).len();
        let mut scroll = Scroll::Tail;
        let height = 5;
        scroll.up(blocks, 2, height, measure);
        let start = scroll.clone();
        let total: usize = (0..blocks.len()).map(|i| measure(i, &blocks[i])).sum();
        prop_assume!(total > height + 2 + by);
        scroll.up(blocks, by, height, measure);
        scroll.down(blocks, by, height, measure);
        prop_assert_eq!(scroll, start);
    }
}

#[test]
fn g15_reading_back_during_a_reply() {
    let mut stage = Stage::fullscreen(60, 16);
    conversation(&mut stage, &[(0..60).map(|n| format!("row {n}\n\n")).collect()]);
    stage.fact(&began("more")).keys("pageup pageup");
    let height = stage.tui.regions(0).transcript.height.into();
    let top = shown(&stage, &stage.tui.transcript.scroll, height);
    for n in 0..100 {
        stage.fact(&text(&format!("new {n}\n\n")));
    }
    assert_eq!(shown(&stage, &stage.tui.transcript.scroll, height), top);
    assert!(!stage.tui.transcript.scroll.is_tail(), "the status row says so");
    stage.typed("draft").keys("end");
    assert!(!stage.tui.transcript.scroll.is_tail(), "with a draft, end is the draft's");
    stage.keys("ctrl+u end");
    assert!(stage.tui.transcript.scroll.is_tail());
}

#[test]
fn g27_the_wheel_scrolls_and_mouse_off_never_takes_it() {
    let mut stage = Stage::fullscreen(60, 16);
    conversation(&mut stage, &[(0..60).map(|n| format!("row {n}\n\n")).collect()]);
    let wheel = |kind| TermMsg::Mouse(Mouse { kind, col: 3, row: 2, mods: Default::default() });
    stage.term(wheel(MouseKind::WheelUp));
    assert!(!stage.tui.transcript.scroll.is_tail());
    stage.term(wheel(MouseKind::WheelDown));
    assert!(stage.tui.transcript.scroll.is_tail());
    assert!(stage.tui.screen.mouse);
    let mut stage = Stage::with(60, 16, |config| config.settings.mouse = false);
    stage.keys("ctrl+o esc pageup");
    let mouse = stage
        .effects
        .iter()
        .any(|e| matches!(e, e::model::effect::Effect::Term(e::model::effect::TermFx::Mouse(true))));
    assert!(!mouse && !stage.tui.screen.mouse);
}

#[test]
fn inline_reading_back_takes_the_alternate_screen_and_gives_it_back() {
    let mut stage = Stage::new(60, 12);
    conversation(&mut stage, &[(0..60).map(|n| format!("row {n}\n\n")).collect()]);
    let printed = stage.printed().len();
    assert_eq!(printed, stage.tui.transcript.blocks().len());
    stage.keys("pageup");
    assert!(stage.tui.screen.alternate);
    stage.fact(&began("while reading"));
    assert_eq!(stage.printed().len(), printed, "nothing is printed over what is read");
    stage.typed("still editable").keys("pagedown pagedown pagedown");
    assert!(!stage.tui.screen.alternate);
    assert_eq!(stage.printed().len(), printed + 1, "what came meanwhile follows, once");
    assert_eq!(stage.draft(), "still editable");
    stage.keys("pageup esc");
    assert!(!stage.tui.screen.alternate);
}

#[test]
fn the_reader_has_two_depths_and_finds_words() {
    let mut stage = Stage::new(60, 12);
    stage.fact(&began("look"));
    stage.fact(&reasoning("secret plan about zebras"));
    stage.fact(&text(&(0..40).map(|n| format!("row {n}\n\n")).collect::<String>()));
    stage.fact(&ended(false)).keys("ctrl+o");
    assert_eq!(stage.tui.reader.as_ref().unwrap().depth, Depth::Whole);
    stage.keys("left");
    assert_eq!(stage.tui.reader.as_ref().unwrap().depth, Depth::Brief);
    stage.keys("right").typed("/zebra").keys("enter");
    let reader = stage.tui.reader.as_ref().unwrap();
    let look = stage.tui.look(Depth::Whole, &stage.config.settings, stage.now);
    let hit = reader.search.as_ref().unwrap().hit.expect("found");
    let rows = look::rows(stage.tui.transcript.get(hit.block.unwrap()).unwrap(), look);
    assert!(rows[hit.row].plain().contains("zebras") && !reader.scroll.is_tail());
    stage.typed("/row 39").keys("enter");
    assert!(
        stage.tui.reader.as_ref().unwrap().scroll.is_tail(),
        "a match near the end keeps the screen full"
    );
    stage.typed("/row").keys("enter");
    let hits: Vec<usize> = (0..3)
        .map(|_| {
            stage.typed("n");
            stage.tui.reader.as_ref().unwrap().search.as_ref().unwrap().hit.unwrap().row
        })
        .collect();
    assert!(hits.windows(2).all(|pair| pair[0] != pair[1]), "n goes on, though the view cannot: {hits:?}");
    stage.typed("/unheard").keys("enter");
    assert!(stage.tui.reader.as_ref().unwrap().search.as_ref().unwrap().missed);
    stage.keys("esc");
    assert!(stage.tui.reader.is_some(), "esc ends the search first");
    stage.keys("esc");
    assert!(stage.tui.reader.is_none() && !stage.tui.screen.alternate);
}

#[test]
fn a_long_diff_is_searched_row_by_row_in_both_directions() {
    let mut stage = Stage::new(60, 20);
    let lines: String = (0..4_000).map(|n| format!("+line number {n} of those that came\n")).collect();
    let text = format!("--- a/x\n+++ b/x\n@@ -0,0 +1,4000 @@\n{lines}");
    let display = Some(Display { text: text.into(), format: Format::Diff, cut: false });
    let (id, outcome) = (CallId(1), Outcome::Completed);
    let end = ToolFact::End {
        id,
        outcome,
        summary: None,
        content: "done".into(),
        whole: None,
        display,
        kept: None,
    };
    stage.fact(&began("q")).fact(&batch(&[1])).fact(&Fact::Tool(ME, end)).fact(&ended(false));
    stage.keys("ctrl+o home");
    let look = stage.tui.look(Depth::Whole, &stage.config.settings, stage.now);
    let block = stage.tui.transcript.blocks().iter().find(|b| matches!(b.body(), Body::Tools(_))).unwrap();
    let rows: Vec<String> =
        look::rows(block, look).iter().map(|row| row.plain().trim_end().to_owned()).collect();
    let hit = |stage: &Stage| {
        let search = stage.tui.reader.as_ref().unwrap().search.as_ref().unwrap();
        assert!(!search.missed);
        rows[search.hit.unwrap().row].clone()
    };
    stage.typed("/NUMBER 123").keys("enter");
    assert_eq!(hit(&stage), "    124 + line number 123 of those that came");
    for (key, number) in [("n", 1230), ("n", 1231), ("N", 1230), ("N", 123), ("N", 1239), ("n", 123)] {
        stage.typed(key);
        assert_eq!(hit(&stage), format!("  {:>5} + line number {number} of those that came", number + 1));
    }
    stage.typed("/nowhere").keys("enter");
    assert!(stage.tui.reader.as_ref().unwrap().search.as_ref().unwrap().missed);
}
