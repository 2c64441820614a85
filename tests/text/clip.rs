//! Clipping.

use e::model::text::clean::Clean;
use e::model::text::clip;
use e::model::text::width::{clusters, width};
use proptest::prelude::*;

use super::nasty::{cases, text};

fn boundaries(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(clusters(text).map(|c| c.end())).collect()
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn c3_clip_never_splits_a_cluster_and_never_exceeds_the_columns(raw in text(), limit in 0usize..30) {
        let clean = Clean::one_line(&raw);
        let all = clean.as_str();
        let ends = boundaries(all);
        let cut = clip::columns(all, limit);
        prop_assert!(width(cut) <= limit && all.starts_with(cut) && ends.contains(&cut.len()));
        let dotted = clip::ellipsis(all, limit);
        prop_assert!(width(&dotted) <= limit);
        match dotted.strip_suffix('…') {
            Some(start) if dotted != all => prop_assert!(all.starts_with(start) && ends.contains(&start.len())),
            _ => prop_assert!(dotted == all || limit == 0),
        }
        let tail = clip::ellipsis_start(&all.replace('\t', " "), limit).into_owned();
        prop_assert!(width(&tail) <= limit, "{tail:?}");
    }

    #[test]
    fn c3_character_and_byte_limits_keep_clusters_whole(raw in text(), limit in 0usize..30) {
        let clean = Clean::vanish(&raw);
        let all = clean.as_str();
        let ends = boundaries(all);
        let cut = clip::chars(all, limit);
        prop_assert!(cut.chars().count() <= limit);
        if cut != all && limit > 0 {
            let start = cut.strip_suffix('…').unwrap();
            prop_assert!(all.starts_with(start) && ends.contains(&start.len()));
        }
        let bytes = clip::bytes(all, limit);
        prop_assert!(bytes.len() <= limit && ends.contains(&bytes.len()));
        let lines = clip::lines_within(all, limit);
        prop_assert!(lines == all || (lines.len() <= limit && (lines.is_empty() || lines.ends_with('\n'))));
    }
}

#[test]
fn the_ellipsis_counts_towards_the_limit() {
    assert_eq!(clip::ellipsis("abcdef", 4), "abc…");
    assert_eq!(clip::ellipsis("漢字漢字", 6), "漢字…");
    assert_eq!(clip::ellipsis_start("src/model/text", 8), "…el/text");
    assert_eq!(clip::chars("abcdef", 4), "abc…");
    assert_eq!(clip::chars("abcd", 4), "abcd");
}
