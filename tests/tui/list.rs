//! Lists narrowed by typing, and the slots of rows.

use std::sync::Arc;

use e::model::id::ExtId;
use e::model::tui::list::{Item, List, Order};
use e::model::tui::slots::{Place, Slots};
use proptest::prelude::*;

fn items(labels: &[String]) -> Vec<Item> {
    labels.iter().enumerate().map(|(n, label)| Item::new(label, "", n.to_string())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn s4_a_filter_gives_a_subsequence_with_every_exact_match(
        labels in prop::collection::vec("[a-d]{1,5}", 1..20), query in "[a-d]{0,4}"
    ) {
        let mut list = List::new(items(&labels), Order::Given);
        list.filter(&query);
        let shown: Vec<usize> = list.matching().map(|i| i.value.parse().unwrap()).collect();
        prop_assert!(shown.windows(2).all(|w| w[0] < w[1]), "order kept");
        for (n, label) in labels.iter().enumerate() {
            if *label == query {
                prop_assert!(shown.contains(&n));
            }
        }
        if labels.contains(&query) {
            prop_assert_eq!(list.chosen().unwrap().label.as_str(), query.as_str());
        }
    }

    #[test]
    fn the_cursor_is_on_an_item_while_there_is_one(
        labels in prop::collection::vec("[a-d]{1,5}", 0..20),
        steps in prop::collection::vec((any::<bool>(), 0usize..3, "[a-d]{0,2}"), 0..20), paths: bool
    ) {
        let mut list = List::new(items(&labels), if paths { Order::Paths } else { Order::Given });
        for (down, kind, query) in steps {
            match kind {
                0 => list.step(down),
                1 => list.page(down, 6),
                _ => list.filter(&query),
            }
            prop_assert_eq!(list.chosen().is_none(), list.is_empty());
            prop_assert!(list.window(6).count() == list.len().min(6));
            if !list.is_empty() {
                prop_assert!(list.window(6).any(|(at, _)| at == list.cursor()));
            }
        }
    }

    #[test]
    fn s2_slots_are_at_most_forty_clean_columns(text in ".{0,120}", wide in "漢{0,60}") {
        let mut slots = Slots::default();
        slots.set(Place::Status, ExtId(1), Arc::from("a"), &text);
        slots.set(Place::Activity, ExtId(1), Arc::from("a"), &wide);
        for place in [Place::Status, Place::Activity] {
            let shown = slots.joined(place, None);
            prop_assert!(e::model::text::width::width(&shown) <= 40);
            prop_assert!(!shown.chars().any(char::is_control));
        }
    }
}

#[test]
fn wrapping_around_the_ends_and_blank_slots() {
    let labels = ["a".to_owned(), "b".to_owned()];
    let mut list = List::new(items(&labels), Order::Given);
    list.step(false);
    assert_eq!(list.cursor(), 1);
    list.step(true);
    assert_eq!(list.cursor(), 0);
    let mut slots = Slots::default();
    slots.set(Place::Status, ExtId(1), Arc::from("git/branch"), "main");
    slots.set(Place::Status, ExtId(1), Arc::from("git"), "clean");
    slots.set(Place::Status, ExtId(1), Arc::from("gita"), "other");
    assert_eq!(slots.joined(Place::Status, Some("git")), "clean · main");
    slots.set(Place::Status, ExtId(1), Arc::from("git"), "  \n ");
    assert_eq!(slots.joined(Place::Status, None), "main · other");
}

#[test]
fn a_description_matches_by_its_words_and_not_by_loose_letters() {
    let fork = Item::new("/fork", "Go on in a copy; the session stays as it is", "fork");
    let copy = Item::new("/copy", "Copy the last reply", "copy");
    let mut list = List::new(vec![fork, copy], Order::Given);
    list.filter("foo");
    assert!(list.is_empty(), "a mistyped command runs no other one");
    list.filter("last reply");
    assert_eq!(list.chosen().unwrap().value.as_ref(), "copy");
    list.filter("frk");
    assert_eq!(list.chosen().unwrap().value.as_ref(), "fork");
}
