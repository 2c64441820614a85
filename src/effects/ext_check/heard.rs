//! Whatever comes out of the extension's stdout, sorted by what it is, and judged.

use std::sync::Arc;

use serde_json::Value;

use super::asks;
use super::play::Play;
use super::rules::Rule;
use crate::model::wire::ext::{Incoming, Lost, Reply, Request, Salvaged, ToolUpdate, Why};

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
