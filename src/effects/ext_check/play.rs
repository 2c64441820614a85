//! The host's part: requests go out, whatever comes back is judged, the extension's own requests are answered. A step ends
//! when everything it asked is answered, so that a healthy extension is never waited for.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::child::{Child, Event, Recipe};
use super::judge;
use super::owed::{Owed, Policy};
use super::report::Report;
use super::rules::{Advice, Rule};
use crate::model::time::Span;
use crate::model::wire::ext::{
    COMMAND_TIME, COMPLETION_TIME, Call, HOOK_TIME, INITIALIZE_TIME, Init, Note, Scope, TOOL_TIME,
};

/// How long nothing must be heard before the extension's requests are answered: those that it sends at once are open at once.
const QUIET: Duration = Duration::from_millis(2);
/// How often a silent process is looked at.
const LOOK: Duration = Duration::from_millis(10);
/// Between the end of a process and the end of its pipes.
pub const PIPES: Duration = Duration::from_millis(300);
/// Restarts of an extension that keeps dying.
const RESTARTS: usize = 25;

/// A request of `e`'s that waits for its answer.
pub(super) struct Open {
    pub(super) what: What,
    pub(super) line: String,
    due: Instant,
    /// Who is to blame when no answer comes, and when the extension dies first.
    silent: Rule,
    dies: Rule,
}

/// What was asked.
pub(super) enum What {
    Known(Call),
    /// A method that nobody knows; silence is fine.
    Foreign,
}

/// One extension being played against, through any number of processes.
pub struct Play {
    pub report: Report,
    recipe: Recipe,
    config: Arc<Value>,
    /// How long any answer is waited for.
    patience: Duration,
    pub child: Option<Child>,
    /// Whether somebody answers `ui.*` in the present process.
    pub ui: bool,
    /// What the present step is about; blamed for a death that no request explains.
    pub(super) stage: Rule,
    last: u64,
    pub(super) open: BTreeMap<u64, Open>,
    pub(super) answered: BTreeSet<u64>,
    /// Given up; late answers are dropped.
    pub(super) late: BTreeSet<u64>,
    /// Results of calls, by id, as long as somebody may look at them.
    pub results: BTreeMap<u64, Result<Value, Arc<str>>>,
    pub owed: Owed,
    /// Calls during which the extension asked something: they are played again with other answers.
    pub askers: Vec<Call>,
    /// A call that shows whether the extension is still at work.
    pub probe: Option<Call>,
    /// The probe was answered once, so that it is not what kills the extension.
    holds: bool,
    /// What the last handshake took.
    pub handshake: Duration,
    pub last_sent: String,
    /// Every line of this step.
    said: Vec<String>,
    restarts: usize,
    /// The number of a signal that ends the check; 0 until one comes.
    stop: Arc<AtomicUsize>,
}

impl Play {
    pub fn new(
        report: Report,
        recipe: Recipe,
        config: Value,
        patience: Duration,
        stop: Arc<AtomicUsize>,
    ) -> Play {
        Play {
            report,
            recipe,
            config: Arc::new(config),
            patience,
            child: None,
            ui: true,
            stage: Rule::LifeStays,
            last: 0,
            open: BTreeMap::new(),
            answered: BTreeSet::new(),
            late: BTreeSet::new(),
            results: BTreeMap::new(),
            owed: Owed::default(),
            askers: Vec::new(),
            probe: None,
            holds: false,
            handshake: Duration::ZERO,
            last_sent: String::new(),
            said: Vec::new(),
            restarts: 0,
            stop,
        }
    }

    /// What was found, once everything was played.
    pub fn into_report(self) -> Report {
        self.report
    }

    /// The person wants an end of it.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) != 0
    }

    /// Where it plays.
    pub fn cwd(&self) -> Arc<str> {
        self.recipe.cwd.to_string_lossy().into()
    }

    /// Starts a process and greets it. The answer to `initialize` as it came.
    pub fn start(&mut self, ui: bool, rule: Rule) -> Result<Value, ()> {
        self.child = None;
        (self.open, self.answered, self.late) = Default::default();
        self.results.clear();
        self.owed = Owed::default();
        (self.ui, self.last, self.stage) = (ui, 0, rule);
        self.report.tried(Rule::StartRuns);
        match Child::spawn(&self.recipe) {
            Ok(child) => self.child = Some(child),
            Err(why) => {
                self.report.fail(Rule::StartRuns, why, "", "");
                return Err(());
            }
        }
        let begun = Instant::now();
        let (version, config) = (env!("CARGO_PKG_VERSION").into(), self.config.clone());
        let init = Init { ui, version, cwd: self.cwd(), config };
        let id = self.call(Call::Initialize(init), rule);
        self.settle();
        self.handshake = begun.elapsed();
        let result = self.results.remove(&id);
        match result {
            Some(Ok(value)) => {
                self.report.tried(rule);
                self.owed.greeted = true;
                Ok(value)
            }
            Some(Err(why)) => {
                self.report.fail(rule, format!("it answers with an error: {why}"), &self.last_sent, "");
                Err(())
            }
            None => Err(()),
        }
    }

    /// Begins a step. When the process is gone a new one is started; false when that is hopeless.
    pub fn begin(&mut self, rule: Rule) -> bool {
        if self.stopped() {
            return false;
        }
        if self.child.is_none() {
            self.restarts += 1;
            if self.restarts > RESTARTS || self.start(self.ui, rule).is_err() {
                self.restarts = RESTARTS;
                return false;
            }
        }
        self.stage = rule;
        self.owed.begin();
        self.results.clear();
        self.said.clear();
        true
    }

    /// Sends a request; `rule` is broken when no answer comes.
    pub fn call(&mut self, call: Call, rule: Rule) -> u64 {
        let deadline = match &call {
            Call::Initialize(_) => INITIALIZE_TIME,
            Call::ToolCall { .. } => TOOL_TIME,
            Call::Command { .. } | Call::Shortcut { .. } => COMMAND_TIME,
            Call::Complete { .. } => COMPLETION_TIME,
            _ => HOOK_TIME,
        };
        let line = call.line(self.last + 1, &Scope::ONLY);
        self.open(What::Known(call), line, deadline, (rule, rule))
    }

    /// Sends a request that nobody knows; no answer is waited for.
    pub fn foreign(&mut self, method: &str, params: &Value) {
        let line = serde_json::json!({"id": self.last + 1, "method": method, "params": params}).to_string();
        self.open(What::Foreign, line, TOOL_TIME, (self.stage, self.stage));
    }

    fn open(&mut self, what: What, line: String, deadline: Span, (silent, dies): (Rule, Rule)) -> u64 {
        self.last += 1;
        self.line(&line);
        let due = Instant::now() + Duration::from_millis(deadline.0).min(self.patience);
        self.open.insert(self.last, Open { what, line, due, silent, dies });
        self.last
    }

    pub fn note(&mut self, note: &Note) {
        let line = note.line(&Scope::ONLY);
        self.line(&line);
    }

    /// Sends a line as it is.
    pub fn line(&mut self, line: &str) {
        self.last_sent = line.to_owned();
        self.said.push(line.to_owned());
        if let Some(child) = &self.child {
            child.send(line);
        }
    }

    /// Ends a step that sent notifications: whoever answers a call behind them has outlived them.
    pub fn outlives(&mut self) {
        let stage = self.stage;
        self.report.tried(stage);
        let before = self.report.outcome(stage).cloned();
        let Some(call) = self.probe.clone() else { return self.idle(self.grace()) };
        let (sent, lines) = (self.last_sent.clone(), self.said.clone());
        let silent = judge::answers(&call);
        let line = call.line(self.last + 1, &Scope::ONLY);
        let id = self.open(What::Known(call.clone()), line, HOOK_TIME, (silent, stage));
        self.last_sent = sent;
        self.settle();
        if self.child.is_some() && !self.results.contains_key(&id) {
            self.probe = None;
        }
        if self.child.is_some() || self.holds {
            self.holds |= self.probe.is_some();
            return;
        }
        // Perhaps it was the call that it died of: one more process is asked nothing else.
        let blamed = self.report.outcome(stage).cloned();
        self.report.restore(stage, before);
        self.all(silent, vec![call]);
        self.holds = self.child.is_some();
        if self.holds {
            self.report.restore(stage, blamed);
            return;
        }
        self.probe = None;
        if self.begin(stage) {
            lines.iter().for_each(|line| self.line(line));
            self.idle(self.grace());
        }
    }

    /// How long a process that is about to die is given to do so.
    pub fn grace(&self) -> Duration {
        self.handshake.clamp(Duration::from_millis(50), Duration::from_millis(200))
    }

    /// Waits until every request that must be answered is, has run out of time, or the extension is gone.
    pub fn settle(&mut self) {
        while self.child.is_some() {
            let waits = self.open.values().any(|open| matches!(open.what, What::Known(_)));
            if !waits && !self.owed.waits() {
                break;
            }
            self.turn();
        }
    }

    /// Listens for a while.
    pub fn idle(&mut self, time: Duration) {
        let end = Instant::now() + time;
        while self.child.is_some() && Instant::now() < end {
            self.turn();
        }
    }

    /// Takes one event, or does what silence allows.
    fn turn(&mut self) {
        let wait = if self.owed.waits() { QUIET } else { LOOK };
        if self.stopped() {
            self.child = None;
        }
        let Some(child) = &mut self.child else { return };
        match child.next(wait) {
            Some(Event::Line(said, raw)) => self.heard(said, &raw),
            Some(Event::OutEnd) => self.died(),
            Some(Event::Err(line)) => self.report.warn(Advice::StderrUsed, line),
            Some(Event::ErrEnd) => {}
            None if child.ended().is_some() || child.deaf() => self.drained(),
            None => self.answer_owed(),
        }
        if self.owed.long() {
            self.answer_owed();
        }
        self.overdue();
    }

    fn answer_owed(&mut self) {
        if !self.owed.waits() {
            return;
        }
        let cwd = self.cwd();
        let lines = self.owed.answers(self.ui, &cwd);
        for line in lines {
            self.line(&line);
        }
    }

    /// Gives up what has run out of time. Whoever hangs is waited for less and less.
    fn overdue(&mut self) {
        let now = Instant::now();
        let over = |open: &Open| open.due <= now && matches!(open.what, What::Known(_));
        let ids: Vec<u64> = self.open.iter().filter(|(_, open)| over(open)).map(|(id, _)| *id).collect();
        for id in &ids {
            let Some(open) = self.open.remove(id) else { continue };
            self.late.insert(*id);
            self.forget(&open);
            let why = format!("no answer within {} ms", self.patience.as_millis());
            self.report.fail(open.silent, why, &open.line, "");
        }
        if !ids.is_empty() {
            self.patience = (self.patience / 2).max(Duration::from_millis(300)).min(self.patience);
        }
    }

    /// The process is gone: what it had written before still counts.
    fn drained(&mut self) {
        let end = Instant::now() + PIPES;
        while let Some(child) = self.child.as_mut().filter(|child| !child.out_ended && Instant::now() < end) {
            if let Some(Event::Line(said, raw)) = child.next(QUIET) {
                self.heard(said, &raw);
            }
        }
        self.died();
    }

    /// The process is gone, or says no more: whoever is to blame for it fails.
    fn died(&mut self) {
        let Some(mut child) = self.child.take() else { return };
        let why = child.last_words();
        let known = |open: &&Open| matches!(open.what, What::Known(_));
        let oldest = self.open.values().find(known);
        let (rule, sent) = match oldest {
            // A probe's line says nothing; what it followed does.
            Some(open) if open.dies == open.silent => (open.dies, &open.line),
            Some(open) => (open.dies, &self.last_sent),
            None => (self.stage, &self.last_sent),
        };
        self.report.fail(rule, why, sent, "");
        if let Some((_, first)) = std::mem::take(&mut self.open).into_iter().find(|(_, open)| known(&open)) {
            self.forget(&first);
        }
    }

    /// Who does not answer at all is not played again with other answers.
    fn forget(&mut self, open: &Open) {
        if let What::Known(call) = &open.what {
            self.askers.retain(|asker| asker != call);
        }
    }

    /// Plays calls at once, and waits for all.
    pub fn all(&mut self, rule: Rule, calls: Vec<Call>) {
        if calls.is_empty() || !self.begin(rule) {
            return;
        }
        self.report.tried(rule);
        for call in calls {
            self.call(call, rule);
        }
        self.settle();
    }

    /// The same with other answers to what the extension asks.
    pub fn again(&mut self, rule: Rule, policy: Policy, calls: Vec<Call>) {
        self.owed.policy = policy;
        self.all(rule, calls);
        self.owed.policy = Policy::Answer;
    }
}
