//! A good extension passes every rule; each mutant fails the one it breaks.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use e::effects::ext_check::{Advice, Outcome, Report, Rule};

use super::cases::{MUTANTS, ODD};
use super::{everything, ids, mutant, played, python};

/// Checks many mutants side by side: most of the time of each is waiting.
fn all(names: &[&'static str], env: &BTreeMap<String, String>) -> BTreeMap<&'static str, Report> {
    // Those that are waited for come first.
    let mut names = names.to_vec();
    names.sort_by_key(|name| name.contains("silent"));
    let (left, done) = (Mutex::new(names), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                loop {
                    let Some(name) = left.lock().unwrap().pop() else { return };
                    let report = mutant(name, env);
                    done.lock().unwrap().insert(name, report);
                }
            });
        }
    });
    done.into_inner().unwrap()
}

#[test]
fn what_declares_everything_and_does_it_right_passes_every_rule() {
    let Some(env) = python() else { return };
    let report = played(&everything(), &env);
    assert_eq!(ids(&report), Vec::<&str>::new(), "{}", report.text());
    for rule in Rule::ALL {
        assert_eq!(report.outcome(*rule), Some(&Outcome::Pass), "{} was put to the test", rule.id());
    }
    assert_eq!(report.warnings().count(), 0, "{}", report.text());
    assert_eq!(report.extension, "everything");
}

#[test]
fn every_mutant_is_caught_under_the_rule_it_breaks() {
    let Some(env) = python() else { return };
    assert!(MUTANTS.len() >= 50);
    let names: Vec<&'static str> = MUTANTS.iter().map(|(name, ..)| *name).collect();
    let reports = all(&names, &env);
    let mut wrong = Vec::new();
    for (name, rule, also) in MUTANTS {
        let report = &reports[name];
        let failed = ids(report);
        let strangers = failed.iter().filter(|id| *id != rule && !also.contains(id)).count();
        if !failed.contains(rule) || strangers > 0 {
            let failures: Vec<String> = report
                .text()
                .lines()
                .filter(|line| !line.starts_with("pass") && !line.starts_with("not"))
                .map(str::to_owned)
                .collect();
            wrong.push(format!("{name}: wanted {rule}, failed {failed:?}\n{}", failures.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), MUTANTS.len(), wrong.join("\n"));
}

#[test]
fn what_is_odd_is_a_warning_and_no_failure() {
    let Some(env) = python() else { return };
    let names: Vec<&'static str> = ODD.iter().map(|(name, _)| *name).collect();
    let reports = all(&names, &env);
    for (name, advice) in ODD {
        let report = &reports[name];
        let warned: Vec<&str> = report.warnings().map(|(advice, _)| advice.id()).collect();
        assert_eq!((ids(report), warned), (Vec::new(), vec![*advice]), "{name}:\n{}", report.text());
    }
}

#[test]
fn every_rule_has_a_fixture_that_fails_it() {
    // These two have files of their own, in `command.rs`.
    let own = ["start.entry", "start.runs"];
    let caught: BTreeSet<&str> = MUTANTS.iter().map(|(_, rule, _)| *rule).chain(own).collect();
    let rules: BTreeSet<&str> = Rule::ALL.iter().map(|rule| rule.id()).collect();
    assert_eq!(caught, rules);
    let warned: BTreeSet<&str> = ODD.iter().map(|(_, advice)| *advice).chain(["config.id"]).collect();
    let advice: BTreeSet<&str> = Advice::ALL.iter().map(|advice| advice.id()).collect();
    assert_eq!(warned, advice);
}
