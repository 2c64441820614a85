//! Whatever comes out of the extension's stdout, sorted by what it is, and judged.

use std::sync::Arc;

use serde_json::Value;

use super::asks;
use super::judge::{self, Finding};
use super::play::{Open, Play, What};
use super::rules::Rule;
use crate::model::wire::ext::{Call, Incoming, Lost, Reply, Request, Salvaged, ToolUpdate, Why};

impl Play {
    /// Takes in one line.
    pub fn heard(&mut self, said: Incoming, raw: &Arc<str>) {
        for rule in [Rule::WireJson, Rule::WireShape, Rule::WireUtf8, Rule::WireLength] {
            self.report.tried(rule);
        }
        match said {
            Incoming::Notify(_) => self.report.tried(Rule::NotifyMessage),
            Incoming::ToolUpdate(update) => self.progress(&update, raw),
            Incoming::Request(request) => self.request(*request, raw),
            Incoming::Response(response) => self.response(response.id, response.result, raw),
            Incoming::Lost { why, salvaged } => self.dropped(why, salvaged, raw),
            Incoming::Ignored(why) => self.ignored(why, raw),
        }
    }

    fn progress(&mut self, update: &ToolUpdate, raw: &str) {
        self.report.tried(Rule::ToolUpdateShape);
        self.report.tried(Rule::ToolUpdateOpen);
        if !self.tool_call(update.call) {
            let why = format!("{} is no tool call that is open", update.call);
            self.report.fail(Rule::ToolUpdateOpen, why, &self.last_sent, raw);
        }
    }

    fn request(&mut self, request: Request, raw: &str) {
        self.report.tried(Rule::RequestId);
        let findings = asks::judge(&request);
        self.found(findings, "", raw);
        self.asked();
        let name = self.report.extension.clone();
        let findings = self.owed.take(request, &name);
        self.found(findings, "", raw);
    }

    fn dropped(&mut self, why: Lost, salvaged: Option<Salvaged>, raw: &str) {
        let rule = match why {
            Lost::Overlong => Rule::WireLength,
            Lost::NotUtf8 => Rule::WireUtf8,
        };
        self.report.fail(rule, why.words(), &self.last_sent, raw);
        match salvaged {
            Some(Salvaged::Request(id)) => {
                let line = Reply::Error(why.words().into()).line(&id);
                self.line(&line);
            }
            Some(Salvaged::Response(id)) => self.lost(id),
            None => {}
        }
    }

    fn ignored(&mut self, why: Why, raw: &str) {
        let (rule, what) = match why {
            Why::NotJson => (Rule::WireJson, "a line that is not JSON; prints belong on stderr".to_owned()),
            Why::NotObject => (Rule::WireJson, "JSON, but no object".to_owned()),
            Why::BlankNotice => {
                (Rule::NotifyMessage, "the message is missing, blank or no string".to_owned())
            }
            Why::BadUpdate => {
                (Rule::ToolUpdateShape, "it needs `id`, `stream` (stdout or stderr) and a `chunk`".to_owned())
            }
            Why::NoShape => shapeless(raw),
        };
        self.report.fail(rule, what, &self.last_sent, raw);
    }

    /// The answer to a request of `e`'s.
    pub fn response(&mut self, id: u64, result: Result<Value, Arc<str>>, raw: &str) {
        self.report.tried(Rule::WireIds);
        self.report.tried(Rule::WireResult);
        let Some(open) = self.open.remove(&id) else {
            if self.answered.contains(&id) {
                let why = format!("a second answer to request {id}");
                self.report.fail(Rule::WireOnce, why, &self.last_sent, raw);
            } else if !self.late.contains(&id) {
                let why = format!("an answer to {id}, which e did not ask");
                self.report.fail(Rule::WireIds, why, &self.last_sent, raw);
            }
            return;
        };
        self.answered.insert(id);
        self.report.tried(Rule::WireOnce);
        let What::Known(call) = open.what else { return };
        if let Call::Initialize(_) = call {
            self.stage = Rule::LifeStays;
        }
        let members: Value = serde_json::from_str(raw).unwrap_or_default();
        if result.is_ok() && members.as_object().is_some_and(|members| !members.contains_key("result")) {
            let why = "it has neither a `result` nor an `error`, and counts as null";
            self.report.fail(Rule::WireResult, why, &open.line, raw);
        }
        let findings = judge::answer(&call, &result);
        self.found(findings, &open.line, raw);
        self.results.insert(id, result);
    }

    /// A response that was lost with its line: whoever waits is told at once.
    pub fn lost(&mut self, id: u64) {
        if self.open.remove(&id).is_some() {
            self.answered.insert(id);
        }
    }

    /// Whether this is a tool call that is open, or was given up.
    pub fn tool_call(&self, id: u64) -> bool {
        let tool = |open: &Open| matches!(open.what, What::Known(Call::ToolCall { .. }));
        self.open.get(&id).is_some_and(tool) || self.late.contains(&id)
    }

    /// The extension asks something: what is open now is what made it ask.
    pub fn asked(&mut self) {
        for open in self.open.values() {
            match &open.what {
                What::Known(Call::Initialize(_) | Call::Startup { .. }) | What::Foreign => {}
                What::Known(call) if self.askers.contains(call) => {}
                What::Known(call) => self.askers.push(call.clone()),
            }
        }
    }

    pub fn found(&mut self, findings: Vec<Finding>, sent: &str, received: &str) {
        for finding in findings {
            match finding {
                Finding::Tried(rule) => self.report.tried(rule),
                Finding::Broken(rule, why) => self.report.fail(rule, why, sent, received),
                Finding::Odd(advice, what) => self.report.warn(advice, what),
            }
        }
    }
}

/// What an object that is no message was meant to be.
fn shapeless(raw: &str) -> (Rule, String) {
    let value: Value = serde_json::from_str(raw).unwrap_or_default();
    match (value.get("method").and_then(Value::as_str), value.get("id")) {
        (Some(method), _) if method.starts_with("ui.") || method.starts_with("session.") => {
            (Rule::RequestId, format!("{method} without an `id` is ignored"))
        }
        (None, Some(id)) => (Rule::WireIds, format!("the id {id} is not the number of a request of e's")),
        _ => {
            (Rule::WireShape, "an object that is neither an answer, a request nor a notification".to_owned())
        }
    }
}
