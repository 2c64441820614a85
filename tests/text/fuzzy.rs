//! Ranking.

use e::model::text::fuzzy::{Items, Query, rank};
use proptest::prelude::*;

use super::nasty::{cases, text};

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn s4_filter_result_is_a_subsequence_and_contains_an_exact_match(
        mut items in prop::collection::vec(text(), 1..12), pick in any::<prop::sample::Index>(), other in text(),
    ) {
        items.push("src/main.rs".into());
        for query in [pick.get(&items).clone(), other] {
            let hits = rank(&query, Items::Paths, items.iter().map(String::as_str));
            prop_assert!(hits.iter().all(|hit| hit.index < items.len()));
            prop_assert!(hits.is_sorted_by(|a, b| a.score > b.score || (a.score == b.score && a.index < b.index)));
            for (index, item) in items.iter().enumerate().filter(|(_, item)| **item == query) {
                prop_assert!(hits.iter().any(|hit| hit.index == index), "{item:?}");
            }
            let mut asked = Query::new(&query, Items::Paths);
            for hit in hits {
                for range in asked.matched(&items[hit.index]) {
                    prop_assert!(items[hit.index].get(range).is_some());
                }
            }
        }
    }
}

fn ranked<'a>(query: &str, items: &[&'a str]) -> Vec<&'a str> {
    rank(query, Items::Words, items.iter().copied()).into_iter().map(|hit| items[hit.index]).collect()
}

#[test]
fn the_best_come_first_and_equals_keep_their_order() {
    assert_eq!(ranked("model", &["models", "model", "scoped-models"])[0], "model");
    assert_eq!(ranked("", &["b", "a"]), ["b", "a"]);
    assert_eq!(ranked("xyz", &["abc"]), [""; 0]);
    assert_eq!(ranked("Read", &["read", "README", "Read"]), ["Read"]);
    assert_eq!(ranked("cafe", &["café", "cake"]), ["café"]);
}

#[test]
fn matched_ranges_are_byte_ranges_of_clusters() {
    let mut query = Query::new("ab", Items::Words);
    assert_eq!(query.matched("xa-by"), [1..2, 3..4]);
    assert_eq!(query.matched("漢a\u{301}-b"), [3..6, 7..8]);
    assert!(query.matched("zzz").is_empty());
}
