//! Waves and same-file order.

use e::model::id::CallId;
use e::model::tool::FileKey;
use e::model::tool::order::{Slot, Stage, Touches, startable};
use proptest::prelude::*;

fn file(n: u64) -> Touches {
    Touches::File(FileKey::Inode { dev: 1, ino: n })
}

fn slot(call: u64, touches: Touches, stage: Stage) -> Slot {
    Slot { call: CallId(call), touches, stage }
}

#[test]
fn a_call_waits_for_earlier_ones_on_its_file_even_while_they_are_held() {
    let batch = [
        slot(1, file(7), Stage::Held),
        slot(2, file(7), Stage::Ready),
        slot(3, file(8), Stage::Ready),
        slot(4, Touches::Nothing, Stage::Ready),
    ];
    assert_eq!(startable(&batch, 8), [CallId(3), CallId(4)]);
    assert_eq!(startable(&batch, 1), [CallId(3)]);
}

#[test]
fn a_file_not_yet_known_may_be_any() {
    let batch = [slot(1, Touches::Unknown, Stage::Held), slot(2, file(7), Stage::Ready)];
    assert!(startable(&batch, 8).is_empty());
}

fn touches() -> impl Strategy<Value = Touches> {
    prop_oneof![Just(Touches::Nothing), (0..3u64).prop_map(file)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Whatever the world does, at most `limit` calls run, two on one file never overlap, each file's calls run in
    /// order, and all get their turn.
    #[test]
    fn t8_waves_are_limited_and_calls_on_one_file_keep_order(
        kinds in prop::collection::vec(touches(), 1..12),
        limit in 1..5usize,
        choices in prop::collection::vec(any::<prop::sample::Index>(), 100),
    ) {
        let mut batch: Vec<Slot> =
            kinds.into_iter().enumerate().map(|(n, t)| slot(n as u64, t, Stage::Held)).collect();
        let mut began = Vec::new();
        for choice in choices {
            // Either a held call is let through, or a running one ends.
            let movable: Vec<usize> = (0..batch.len())
                .filter(|n| matches!(batch[*n].stage, Stage::Held | Stage::Running))
                .collect();
            if movable.is_empty() {
                break;
            }
            let n = movable[choice.index(movable.len())];
            batch[n].stage = if batch[n].stage == Stage::Held { Stage::Ready } else { Stage::Over };
            for call in startable(&batch, limit) {
                let place = usize::try_from(call.0).unwrap();
                prop_assert_eq!(batch[place].stage, Stage::Ready);
                batch[place].stage = Stage::Running;
                began.push(place);
            }
            let running: Vec<&Slot> = batch.iter().filter(|s| s.stage == Stage::Running).collect();
            prop_assert!(running.len() <= limit);
            for (n, a) in running.iter().enumerate() {
                for b in running.iter().skip(n + 1) {
                    prop_assert!(a.touches == Touches::Nothing || a.touches != b.touches);
                }
            }
        }
        prop_assert!(batch.iter().all(|s| s.stage == Stage::Over) || began.len() <= batch.len());
        for ino in 0..3 {
            let of_file: Vec<usize> = began.iter().copied().filter(|n| batch[*n].touches == file(ino)).collect();
            prop_assert!(of_file.is_sorted());
        }
    }
}
