//! What a check found: an outcome per rule with the lines that show it, as text and as JSON.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::rules::{Advice, Rule};
use crate::model::text::clean::Clean;
use crate::model::text::clip;

/// How a rule fared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Pass,
    Fail(Failure),
}

/// Why a rule failed, and the lines that show it; a line is empty where there was none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Failure {
    pub why: String,
    pub sent: String,
    pub received: String,
}

/// Bytes of a line that a report keeps, and that its text shows.
const KEPT: usize = 4096;
const SHOWN: usize = 600;

/// Rules that nothing touched are not declared.
#[derive(Debug, Default)]
pub struct Report {
    /// The manifest's name, else the file's.
    pub extension: String,
    outcomes: BTreeMap<Rule, Outcome>,
    warnings: BTreeMap<Advice, String>,
}

impl Report {
    /// The rule was put to the test; it holds unless something else is heard.
    pub fn tried(&mut self, rule: Rule) {
        self.outcomes.entry(rule).or_insert(Outcome::Pass);
    }

    /// The first failure of a rule is the one that is told.
    pub fn fail(&mut self, rule: Rule, why: impl Into<String>, sent: &str, received: &str) {
        if !matches!(self.outcomes.get(&rule), Some(Outcome::Fail(_))) {
            let failure = Failure { why: why.into(), sent: kept(sent), received: kept(received) };
            self.outcomes.insert(rule, Outcome::Fail(failure));
        }
    }

    /// Forgets how a rule fared behind that.
    pub fn restore(&mut self, rule: Rule, before: Option<Outcome>) {
        match before {
            Some(outcome) => self.outcomes.insert(rule, outcome),
            None => self.outcomes.remove(&rule),
        };
    }

    pub fn warn(&mut self, advice: Advice, what: impl Into<String>) {
        self.warnings.entry(advice).or_insert_with(|| what.into());
    }

    /// How the rule fared; `None` when nothing that the extension declares or does has to do with it.
    pub fn outcome(&self, rule: Rule) -> Option<&Outcome> {
        self.outcomes.get(&rule)
    }

    /// The rules that failed.
    pub fn failed(&self) -> Vec<Rule> {
        let failed =
            |(rule, outcome): (&Rule, &Outcome)| matches!(outcome, Outcome::Fail(_)).then_some(*rule);
        self.outcomes.iter().filter_map(failed).collect()
    }

    /// What is worth a look.
    pub fn warnings(&self) -> impl Iterator<Item = (Advice, &str)> {
        self.warnings.iter().map(|(advice, what)| (*advice, what.as_str()))
    }

    fn counts(&self) -> (usize, usize, usize) {
        let failed = self.failed().len();
        (self.outcomes.len() - failed, failed, Rule::ALL.len() - self.outcomes.len())
    }

    /// One line a rule, the evidence below each failure, and a last line that counts.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let mut line = |word: &str, id: &str, text: &str| out += &format!("{word:<12}  {id:<28}  {text}\n");
        for rule in Rule::ALL {
            match self.outcome(*rule) {
                Some(Outcome::Pass) => line("pass", rule.id(), rule.text()),
                None => line("not declared", rule.id(), rule.text()),
                Some(Outcome::Fail(failure)) => {
                    line("fail", rule.id(), rule.text());
                    for (what, text) in
                        [("why", &failure.why), ("sent", &failure.sent), ("received", &failure.received)]
                    {
                        for (at, text) in text.lines().enumerate() {
                            line("", if at == 0 { what } else { "" }, &shown(text));
                        }
                    }
                }
            }
        }
        for (advice, what) in self.warnings() {
            line("warn", advice.id(), &format!("{}: {}", advice.text(), shown(what)));
        }
        let (passed, failed, skipped) = self.counts();
        let name = Clean::name(&self.extension);
        out + &format!("{name}: {passed} passed, {failed} failed, {skipped} not declared\n")
    }

    /// One object (`formats.md`), with the warnings behind the rest.
    pub fn json(&self) -> Value {
        let rules: Vec<Value> = Rule::ALL.iter().map(|rule| self.rule(*rule)).collect();
        let warning =
            |(advice, what): (Advice, &str)| json!({"id": advice.id(), "text": advice.text(), "what": what});
        let warnings: Vec<Value> = self.warnings().map(warning).collect();
        let (passed, failed, skipped) = self.counts();
        json!({
            "extension": self.extension,
            "rules": rules,
            "passed": passed,
            "failed": failed,
            "skipped": skipped,
            "warnings": warnings,
        })
    }

    fn rule(&self, rule: Rule) -> Value {
        let (id, text) = (rule.id(), rule.text());
        let (outcome, failure) = match self.outcome(rule) {
            None => ("skipped", None),
            Some(Outcome::Pass) => ("pass", None),
            Some(Outcome::Fail(failure)) => ("fail", Some(failure)),
        };
        let none = Failure::default();
        let Failure { why, sent, received } = failure.unwrap_or(&none);
        let mut object =
            json!({"id": id, "text": text, "outcome": outcome, "sent": sent, "received": received});
        if let (Some(_), Value::Object(fields)) = (failure, &mut object) {
            fields.insert("why".into(), why.as_str().into());
        }
        object
    }
}

/// The start of a line, and its length when that is not all.
fn kept(line: &str) -> String {
    cut(line, KEPT)
}

/// A stranger's line for the terminal: nothing hidden in it, and its start only.
fn shown(line: &str) -> String {
    cut(Clean::collapsed(Clean::review(line).as_str()).as_str(), SHOWN)
}

fn cut(line: &str, limit: usize) -> String {
    let head = clip::bytes(line, limit);
    if head.len() < line.len() { format!("{head} … ({} bytes)", line.len()) } else { line.to_owned() }
}
