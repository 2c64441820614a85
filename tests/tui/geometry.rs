//! Regions: disjoint, inside, whole, and fair down to one cell.

use e::model::config::layout::Side;
use e::model::term::Size;
use e::model::tui::geometry::{Canvas, Needs, Rect, Regions, Split, composer_cap, regions, text_area};
use proptest::prelude::*;

fn parts(r: &Regions) -> [Rect; 11] {
    let Regions {
        transcript,
        activity,
        widgets,
        queue,
        above,
        composer,
        below,
        footer,
        status,
        pane,
        divider,
        ..
    } = *r;
    [transcript, activity, widgets, queue, above, composer, below, footer, status, pane, divider]
}

/// As a pane of any width gives it on a screen of any size.
fn split() -> impl Strategy<Value = Split> {
    let beside = |(left, pane)| Split::Beside { side: if left { Side::Left } else { Side::Right }, pane };
    prop_oneof![Just(Split::None), Just(Split::Pane), (any::<bool>(), 0u16..120).prop_map(beside)]
}

prop_compose! {
    fn needs()(
        canvas in prop_oneof![Just(Canvas::Inline), Just(Canvas::Full), Just(Canvas::Reader)],
        transcript in 0u16..200, activity: bool, widgets in 0u16..12, queue in 0u16..9,
        composer in 0u16..60, modal: bool, footer in 0u16..9, split in split(),
    ) -> Needs {
        // A pane is on the alternate screen.
        let canvas = if split != Split::None && canvas == Canvas::Inline { Canvas::Full } else { canvas };
        Needs { canvas, transcript, activity, widgets, queue, composer, modal, footer, split }
    }
}

prop_compose! {
    fn size()(cols in 1u16..250, rows in 1u16..120) -> Size { Size::new(cols, rows) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn l1_regions_never_overlap_and_lie_inside(size in size(), needs in needs()) {
        let r = regions(size, &needs);
        let parts = parts(&r);
        for (at, a) in parts.iter().enumerate() {
            prop_assert!(a.right() <= size.cols && a.bottom() <= size.rows);
            for b in parts.iter().skip(at + 1) {
                let apart = a.is_empty()
                    || b.is_empty()
                    || a.bottom() <= b.y
                    || b.bottom() <= a.y
                    || a.right() <= b.x
                    || b.right() <= a.x;
                prop_assert!(apart, "{a:?} and {b:?} overlap");
            }
        }
    }

    #[test]
    fn l2_their_union_is_the_screen(size in size(), needs in needs()) {
        let r = regions(size, &needs);
        let cells = |p: &Rect| u32::from(p.width) * u32::from(p.height);
        prop_assert_eq!(parts(&r).iter().map(cells).sum::<u32>(), cells(&r.screen));
        prop_assert_eq!(r.screen.width, size.cols);
        if needs.canvas != Canvas::Inline {
            prop_assert_eq!(r.screen.height, size.rows);
        }
    }

    #[test]
    fn l6_the_composer_has_a_third_at_most_and_a_row_at_least(size in size(), needs in needs()) {
        let r = regions(size, &needs);
        if needs.canvas != Canvas::Reader && needs.split != Split::Pane {
            prop_assert!(r.composer.height >= 1);
            if !needs.modal {
                prop_assert!(r.composer.height <= composer_cap(size.rows));
                prop_assert!(r.composer.height <= (size.rows / 3).max(3));
                let room = size.rows >= 12;
                prop_assert!(!room || r.composer.height >= needs.composer.clamp(1, 3));
            }
        }
    }

    #[test]
    fn l7_widgets_status_and_picker_keep_their_limits(size in size(), needs in needs()) {
        let r = regions(size, &needs);
        prop_assert!(r.widgets.height <= 8 && r.status.height <= 1 && r.activity.height <= 2);
        prop_assert!(r.footer.height <= needs.footer);
    }

    #[test]
    fn l8_shrinking_and_growing_back_gives_the_same(size in size(), other in size(), needs in needs()) {
        let before = regions(size, &needs);
        let _between = regions(other, &needs);
        prop_assert_eq!(before, regions(size, &needs));
    }

    #[test]
    fn l9_a_wider_screen_never_narrows_the_conversation(size in size(), needs in needs()) {
        let wider = Size::new(size.cols + 1, size.rows);
        prop_assert!(regions(wider, &needs).transcript.width >= regions(size, &needs).transcript.width);
    }

    #[test]
    fn l10_the_cursor_lies_in_the_composer(size in size(), typed in "[a-z漢 \n]{0,80}") {
        use e::model::tui::{Tui, draft::Draft, wrapped};
        let mut tui = Tui::default();
        tui.screen.size = size;
        tui.composer.draft.replace_by(Draft::of(&typed));
        tui.composer.draft.go(typed.len(), false);
        let area = tui.regions(0).composer;
        let frame = tui.frame();
        let lines = wrapped::lines(&tui.composer.draft, frame);
        let (row, column) = wrapped::place(&tui.composer.draft, &lines, tui.composer.draft.cursor(), frame);
        let first = wrapped::first_row(lines.len(), area.height.into(), row);
        prop_assert!(row >= first && row - first < usize::from(area.height), "row {row} of {first}+{}", area.height);
        let x = text_area(area).x as usize + column;
        prop_assert!(x < usize::from(area.right()), "column {x}");
    }
}

#[test]
fn one_cell_is_the_composers() {
    let r = regions(Size::new(1, 1), &Needs { composer: 3, transcript: 9, ..Needs::default() });
    assert_eq!(r.composer, Rect::new(0, 0, 1, 1));
}
