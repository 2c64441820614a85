//! What is owed to an extension: 32 at most, each answered once, all ended when they must.

use std::collections::BTreeMap;

use e::model::ext::budget::{Budget, Owed};
use e::model::wire::ext::{Reply, UNANSWERED, WireId};
use proptest::collection::vec;
use proptest::prelude::*;

use super::strategies;

#[test]
fn m4_the_33rd_is_refused_and_32_are_not() {
    let mut budget = Budget::default();
    let owed: Vec<Owed> =
        (0..UNANSWERED).map(|n| budget.open(WireId("\"same\"".into()), n).unwrap()).collect();
    let refused = budget.open(WireId("{\"a\": 1}".into()), 99).unwrap_err();
    assert_eq!(refused, r#"{"id":{"a": 1},"error":"too many requests: 32 are unanswered already"}"#);
    assert_eq!(budget.answer(owed[3], &Reply::Done).unwrap(), r#"{"id":"same","result":{}}"#);
    assert_eq!(budget.answer(owed[3], &Reply::Done), None);
    assert!(budget.open(WireId("1".into()), 100).is_ok());
    assert!(budget.open(WireId("2".into()), 101).is_err());
}

#[derive(Debug, Clone)]
enum Act {
    Open,
    Answer(usize),
    EndAll,
    Die,
}

proptest! {
    #![proptest_config(strategies::cases())]

    #[test]
    fn m3_every_request_gets_exactly_one_answer(
        acts in vec(prop_oneof![
            20 => Just(Act::Open), 10 => (0usize..60).prop_map(Act::Answer), 1 => Just(Act::EndAll), 1 => Just(Act::Die),
        ], 0..120),
    ) {
        let mut budget = Budget::default();
        let mut answers: BTreeMap<usize, usize> = BTreeMap::new();
        let mut handles = Vec::new();
        let mut forgotten = 0;
        for (number, act) in acts.into_iter().enumerate() {
            match act {
                Act::Open => match budget.open(WireId(number.to_string().into()), number) {
                    Ok(owed) => {
                        answers.insert(number, 0);
                        handles.push((owed, number));
                        prop_assert!(budget.len() <= UNANSWERED);
                        prop_assert_eq!(budget.about(owed), Some(&number));
                    }
                    Err(line) => {
                        prop_assert_eq!(budget.len(), UNANSWERED);
                        let start = format!("{{\"id\":{number},\"error\":");
                        prop_assert!(line.starts_with(&start));
                    }
                },
                Act::Answer(at) => {
                    if let Some((owed, number)) = handles.get(at) {
                        let line = budget.answer(*owed, &Reply::Cancelled);
                        if let Some(line) = line {
                            *answers.get_mut(number).unwrap() += 1;
                            let start = format!("{{\"id\":{number},");
                            prop_assert!(line.starts_with(&start));
                        }
                    }
                }
                Act::EndAll => {
                    let ended = budget.end_all("reload");
                    prop_assert!(ended.windows(2).all(|pair| pair[0].0 < pair[1].0));
                    for (_, number, line) in ended {
                        *answers.get_mut(&number).unwrap() += 1;
                        let whole = format!("{{\"id\":{number},\"error\":\"reload\"}}");
                        prop_assert_eq!(line, whole);
                    }
                    prop_assert!(budget.is_empty());
                }
                Act::Die => {
                    forgotten += budget.forget_all().len();
                    prop_assert!(!budget.any(|_| true));
                }
            }
        }
        for (_, number, _) in budget.end_all("quit") {
            *answers.get_mut(&number).unwrap() += 1;
        }
        prop_assert!(answers.values().all(|count| *count <= 1));
        prop_assert_eq!(answers.values().filter(|count| **count == 0).count(), forgotten);
    }
}
