//! Widths.

use e::model::text::clean::Clean;
use e::model::text::width::{cluster_width, clusters, end_column, is_disputed, width};
use proptest::prelude::*;
use ratatui::buffer::{Buffer, CellWidth};
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::nasty::{cases, text};

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn widths_are_those_the_painter_counts(raw in text()) {
        let clean = Clean::one_line(&raw).as_str().replace('\t', " ");
        for cluster in clusters(&clean) {
            prop_assert_eq!(cluster.width, usize::from(cluster.text.cell_width()), "{:?}", cluster.text);
        }
        let mut buffer = Buffer::empty(Rect::new(0, 0, 400, 1));
        let (column, _) = buffer.set_string_end(&clean);
        prop_assert_eq!(width(&clean), usize::from(column));
    }

    #[test]
    fn clusters_join_to_the_text(raw in text()) {
        use unicode_segmentation::UnicodeSegmentation;
        let mine: Vec<&str> = clusters(&raw).map(|cluster| cluster.text).collect();
        let theirs: Vec<&str> = raw.graphemes(true).collect();
        prop_assert_eq!(mine, theirs);
    }
}

trait End {
    fn set_string_end(&mut self, text: &str) -> (u16, u16);
}

impl End for Buffer {
    fn set_string_end(&mut self, text: &str) -> (u16, u16) {
        self.set_stringn(0, 0, text, usize::MAX, Style::new())
    }
}

#[test]
fn g01_wide_letters_count_twice() {
    assert_eq!(width("가나다 xyz"), 10);
}

#[test]
fn g03_joined_emoji_are_one_cluster_and_known_to_be_disputed() {
    let line = "A\u{1F469}\u{200D}\u{1F680}B\u{1F3F3}\u{FE0F}\u{200D}\u{1F308}C";
    let found: Vec<(usize, bool)> = clusters(line).map(|c| (c.width, is_disputed(c.text))).collect();
    assert_eq!(found, [(1, false), (2, true), (1, false), (2, true), (1, false)]);
    assert!(!is_disputed("漢") && !is_disputed("e\u{301}"));
}

#[test]
fn g05_tabs_advance_to_fixed_stops() {
    assert_eq!(end_column("\tif a:", 0, 4), 9);
    assert_eq!(end_column("ab\tc", 0, 8), 9);
    assert_eq!(end_column("\t", 4, 4), 8);
}

#[test]
fn g06_clusters_hold_their_marks() {
    assert_eq!(clusters("\u{0E1B}\u{0E39}\u{0E49}").count(), 1);
    assert_eq!(clusters("🇳🇱👍🏽").count(), 2);
    assert_eq!(cluster_width("👍🏽"), 2);
}
