//! Extensions that misbehave as a process: the check always ends, and says what happened.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use e::effects::ext_check::{Failure, Outcome, Report, Rule};

use super::command::{PING, Place};
use super::{ids, played_within};

/// What `ping` does on a command.
const PONG: &str = r#"      printf '{"id":%s,"result":{"notice":"pong"}}\n' "$id" ;;"#;

/// Plays against `ping` with another answer to a command.
fn ping(does: &str) -> Report {
    let place = Place::new();
    assert!(PING.contains(PONG));
    let path = place.put("ping.sh", &PING.replace(PONG, &format!("{does} ;;")), "755");
    let env: BTreeMap<String, String> = std::env::vars().collect();
    played_within(Duration::from_secs(1), Path::new(&path), &env)
}

fn failure(report: &Report, rule: Rule) -> &Failure {
    match report.outcome(rule) {
        Some(Outcome::Fail(failure)) => failure,
        other => panic!("{} is {other:?}:\n{}", rule.id(), report.text()),
    }
}

#[test]
fn a_flood_of_notices_before_the_answer_is_none_of_a_rule() {
    let report = ping(
        r#"yes '{"method":"notify","params":{"message":"n"}}' | head -n 5000
           printf '{"id":%s,"result":{}}\n' "$id""#,
    );
    assert_eq!(ids(&report), Vec::<&str>::new(), "{}", report.text());
}

#[test]
fn who_asks_for_ever_is_given_up() {
    let report = ping(r#"yes '{"id":1,"method":"ui.status","params":{"text":"n"}}'"#);
    assert!(failure(&report, Rule::CommandAnswers).why.starts_with("no answer within"), "{}", report.text());
    failure(&report, Rule::RequestIds);
}

#[test]
fn half_a_line_at_the_end_is_a_line() {
    let report = ping(r#"printf '{"id":%s,"resu' "$id"; exit 4"#);
    assert_eq!(ids(&report), ["command.answers", "wire.json"], "{}", report.text());
    assert_eq!(failure(&report, Rule::CommandAnswers).why, "it exited with status 4");
    assert!(failure(&report, Rule::WireJson).received.ends_with(r#""resu"#));
}

#[test]
fn last_words_on_stderr_are_told_with_a_death() {
    let report = ping("echo 'out of pongs' >&2; kill -9 $$");
    let why = &failure(&report, Rule::CommandAnswers).why;
    assert_eq!(why, "it was ended by signal 9; the last line on its stderr: out of pongs");
}

#[test]
fn an_answer_that_comes_too_late_is_only_too_late() {
    let report = ping(r#"sleep 1.4; printf '{"id":%s,"result":{}}\n' "$id""#);
    // A shell that sleeps does not hear the shutdown either.
    assert_eq!(ids(&report), ["command.answers", "shutdown.exits"], "{}", report.text());
}

#[test]
fn a_death_is_seen_though_a_child_holds_the_pipes() {
    let report = ping("sleep 60 & exit 5");
    assert_eq!(ids(&report), ["command.answers"], "{}", report.text());
    assert_eq!(failure(&report, Rule::CommandAnswers).why, "it exited with status 5");
}

#[test]
fn who_closes_stdin_or_stdout_counts_as_dead() {
    let report = ping(r#"printf '{"id":%s,"result":{}}\n' "$id"; exec <&-; sleep 60"#);
    let text = report.text();
    assert!(text.contains("it closed its stdin"), "{text}");
    let report = ping("exec >&-; sleep 60");
    assert_eq!(failure(&report, Rule::CommandAnswers).why, "it closed its stdout", "{}", report.text());
}
