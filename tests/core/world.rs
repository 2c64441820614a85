//! Long random runs: every invariant of the turn machine is checked after every update (`sim::check`).

use proptest::prelude::*;

use super::sim::{Dice, World};
use e::model::ask::SessionAsk;
use e::model::session::turn::Work;

/// The settings of long simulated runs; `E_SIM_CASES` raises the number of seeds.
fn runs(cases: u32) -> ProptestConfig {
    let cases = std::env::var("E_SIM_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(cases);
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 200, ..ProptestConfig::default() }
}

fn play(seed: u64, actions: usize, slow_hooks: bool, window: u64) -> World {
    let mut world = World::new(seed);
    world.hooks_are_slow = slow_hooks;
    world.window = window;
    world.no_overflow = window > 100_000 && seed.is_multiple_of(2);
    world.type_line("first words");
    world.settle_files();
    for _ in 0..actions {
        world.act();
    }
    world.come_to_rest();
    world
}

proptest! {
    #![proptest_config(runs(96))]

    /// T1, T3 to T10, T13, N1, N2, N6, R4, R5 hold at every step; T2: it comes to rest.
    #[test]
    fn t2_every_turn_ends_under_any_world(seed: u64, actions in 50usize..200, slow: bool) {
        let world = play(seed, actions, slow, 200_000);
        prop_assert_eq!(&world.session().work, &Work::Idle);
        prop_assert_eq!(world.counters.began, world.counters.ended);
        prop_assert!(world.open.hooks.is_empty());
        world.check_disk();
    }

    /// The same in a small window, where the conversation folds again and again.
    #[test]
    fn t2_every_turn_ends_in_a_small_window(seed: u64, actions in 50usize..200, slow: bool) {
        let world = play(seed, actions, slow, 24_000);
        prop_assert_eq!(&world.session().work, &Work::Idle);
        world.check_disk();
    }

    /// T15: what was typed stands in the conversation once, or still in the queue, or went back to the person.
    #[test]
    fn t15_visible_steers_appear_exactly_once(seed: u64, steers in 1usize..8) {
        let mut world = World::ready(seed);
        world.no_overflow = true;
        world.hooks_are_slow = world.dice.one_in(2);
        world.type_line("begin");
        let mut typed = vec!["begin".to_owned()];
        for n in 0..steers {
            for _ in 0..world.dice.below(12) {
                world.speak();
                if world.dice.one_in(3) { world.act_quietly(); }
            }
            let words = format!("steer {n}");
            world.type_line(&words);
            typed.push(words);
        }
        world.come_to_rest();
        for words in &typed {
            let queued = world.queued(words);
            prop_assert_eq!(super::sim::times_said(&world, words) + queued, 1, "{}", words);
        }
    }

    /// T4: interrupted at any moment, nothing goes on, and what still arrives changes nothing.
    #[test]
    fn t4_nothing_outlives_an_interrupt(seed: u64, actions in 1usize..60) {
        let mut world = World::ready(seed);
        world.hooks_are_slow = true;
        world.type_line("go");
        for _ in 0..actions { world.act(); }
        world.interrupt();
        let streams = world.dead.streams.clone();
        let before = format!("{:?}", world.sessions());
        for id in streams {
            world.give(e::update::Input::Msg(e::model::msg::Msg::Stream(id, e::model::provider::StreamMsg::Text("late".into()))));
        }
        prop_assert_eq!(before, format!("{:?}", world.sessions()));
    }

    /// R2: the same seed gives the same run, to the last effect.
    #[test]
    fn r2_update_is_deterministic(seed: u64) {
        let (a, b) = (play(seed, 60, true, 200_000), play(seed, 60, true, 200_000));
        prop_assert_eq!(format!("{:?}", a.model()), format!("{:?}", b.model()));
        prop_assert_eq!(a.effects, b.effects);
        prop_assert_eq!(a.facts, b.facts);
    }

    /// R1: no message, however odd, makes the core panic.
    #[test]
    fn r1_no_message_panics(seed: u64) {
        let mut world = World::new(seed);
        world.hooks_are_slow = true;
        world.loose = true;
        for _ in 0..120 {
            world.odd();
            world.act();
        }
    }

    /// N3, N5: going back and branching removes nothing; a fork is the branch and then its own.
    #[test]
    fn n3_branching_removes_nothing(seed: u64) {
        let mut world = play(seed & !1, 80, false, 200_000);
        let before: Vec<_> = world.session().tree.nodes().iter().map(|n| n.id.clone()).collect();
        let mut dice = Dice(seed);
        let target = dice.pick(&before).clone();
        world.tell(SessionAsk::Rewind { node: target });
        world.type_line("another way");
        world.come_to_rest();
        for id in &before {
            prop_assert!(world.session().tree.contains(id));
        }
        world.check_disk();
        let branch: Vec<_> = world.session().tree.branch().iter().map(|n| n.message.clone()).collect();
        let old = world.session().log.path().cloned();
        let lines = old.as_ref().map(|p| world.disk[&**p].len());
        world.tell(SessionAsk::Fork);
        world.settle_files();
        let forked: Vec<_> = world.session().tree.nodes().iter().map(|n| n.message.clone()).collect();
        prop_assert_eq!(branch, forked);
        world.type_line("only in the copy");
        world.come_to_rest();
        prop_assert_eq!(lines, old.as_ref().map(|p| world.disk[&**p].len()));
        world.check_disk();
    }

    /// A full disk at any moment: one warning, and the conversation goes on in memory.
    #[test]
    fn r4_a_full_disk_stops_nothing(seed: u64, at in 0usize..40) {
        let mut world = World::ready(seed);
        world.type_line("go");
        for _ in 0..at { world.act(); }
        world.disk_full = true;
        for _ in 0..60 { world.act(); }
        world.come_to_rest();
        world.type_line("still there?");
        world.come_to_rest();
        prop_assert_eq!(&world.session().work, &Work::Idle);
        let warnings = world.notices().iter().filter(|n| n.contains("can't be saved")).count();
        prop_assert!(warnings <= 1, "{:?}", world.notices());
    }
}

/// Two sessions in one process; the log of what each was told, ids left out.
fn two(seed: u64, interleave: bool) -> Vec<Vec<String>> {
    use e::model::fact::Fact;
    let mut world = World::ready(seed);
    let second = world.add_session();
    let first = world.sessions().front;
    let mut dice = Dice(seed);
    let scripts = [(first, "first"), (second, "second")];
    let mut steps: Vec<usize> = (0..24).map(|n| n % 2).collect();
    if interleave {
        for at in (1..steps.len()).rev() {
            steps.swap(at, dice.below(at + 1));
        }
    } else {
        steps.sort();
    }
    for (id, words) in scripts {
        world.say_in(id, words);
    }
    for step in steps {
        world.speak_in(scripts[step].0);
    }
    let of = |id| {
        let told = |f: &&Fact| matches!(f, Fact::Turn(s, _) | Fact::Text(s, _) | Fact::Tool(s, _) | Fact::Session(s, _) if *s == id);
        world.facts.iter().filter(told).map(shape).collect()
    };
    vec![of(first), of(second)]
}

/// A fact without its ids.
fn shape(fact: &e::model::fact::Fact) -> String {
    use e::model::fact::{Fact, TextFact, TurnFact};
    match fact {
        Fact::Text(_, TextFact::Committed { message, partial, .. }) => {
            format!("committed {message:?} {partial}")
        }
        Fact::Text(_, text) => format!("{text:?}"),
        Fact::Turn(_, TurnFact::Began { message, .. }) => format!("began {message:?}"),
        Fact::Turn(_, turn) => format!("{turn:?}"),
        other => format!("{other:?}").chars().take(20).collect(),
    }
}

proptest! {
    #![proptest_config(runs(48))]

    /// T12: sessions are independent: any interleaving tells each the same.
    #[test]
    fn t12_sessions_do_not_touch_each_other(seed: u64) {
        prop_assert_eq!(two(seed, true), two(seed, false));
    }
}
