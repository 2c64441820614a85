//! Answers of the extension, held against the very parsers that the real host reads them with.

use std::sync::Arc;

use serde_json::Value;

use super::rules::{Advice, Rule};
use crate::model::text::clean::Clean;
use crate::model::text::diff::parse;
use crate::model::wire::ext::{
    COMPLETIONS, Call, DISPLAY_BYTES, HookKind, SHOW_BYTES, command, completions, hook, startup, tool,
};

/// What something that was heard says about the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// The rule was put to the test.
    Tried(Rule),
    Broken(Rule, String),
    Odd(Advice, String),
}

/// The hook that a call asks.
pub fn hook_of(call: &Call) -> Option<HookKind> {
    HookKind::ALL.into_iter().find(|kind| call.method().strip_prefix("hook.") == Some(kind.name()))
}

/// The rule that a call is answered at all.
pub fn answers(call: &Call) -> Rule {
    match call {
        Call::Initialize(_) => Rule::InitializeAnswers,
        Call::Startup { .. } => Rule::StartupAnswers,
        Call::ToolCall { .. } => Rule::ToolCallAnswers,
        Call::Command { .. } => Rule::CommandAnswers,
        Call::Complete { .. } => Rule::CompleteAnswers,
        Call::Shortcut { .. } => Rule::ShortcutAnswers,
        hooked => hook_of(hooked).map_or(Rule::WireResult, |kind| Rule::hook(kind).0),
    }
}

/// What an answer says.
pub fn answer(call: &Call, result: &Result<Value, Arc<str>>) -> Vec<Finding> {
    let tried = answers(call);
    let value = match result {
        Ok(value) => value,
        // A tool, a command and a shortcut may fail; the person or the model reads why.
        Err(_) if matches!(call, Call::ToolCall { .. } | Call::Command { .. } | Call::Shortcut { .. }) => {
            return vec![Finding::Tried(tried)];
        }
        Err(why) => return vec![Finding::Broken(tried, format!("it answers with an error: {why}"))],
    };
    let mut out = vec![Finding::Tried(tried)];
    let (rule, read) = match call {
        Call::Initialize(_) => return out,
        Call::Startup { .. } => (Rule::StartupShape, startup(value).map(|_| ())),
        Call::ToolCall { .. } => (Rule::ToolCallShape, tool(value).map(|_| displayed(value, &mut out))),
        Call::Command { .. } => (Rule::CommandShape, command(value).map(|_| shown(value, &mut out))),
        Call::Shortcut { .. } => (Rule::ShortcutShape, command(value).map(|_| shown(value, &mut out))),
        Call::Complete { .. } => (Rule::CompleteShape, completions(value).map(|_| valued(value, &mut out))),
        hooked => match hook_of(hooked) {
            None => return out,
            Some(kind) => {
                let read = hook(kind, value).map(|_| {
                    if kind == HookKind::Render && value.get("body").is_some_and(|body| !body.is_null()) {
                        form(text(value, "format"), text(value, "body"), DISPLAY_BYTES, &mut out);
                    }
                });
                (Rule::hook(kind).1, read)
            }
        },
    };
    out.push(Finding::Tried(rule));
    if let Err(why) = read {
        out.push(Finding::Broken(rule, why));
    }
    out
}

fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str()
}

/// A tool's display.
fn displayed(value: &Value, out: &mut Vec<Finding>) {
    let format = text(value, "format");
    let shown = text(value, "display").or_else(|| text(value, "content").filter(|_| format == Some("diff")));
    if shown.is_some() || format.is_some() {
        form(format, shown, DISPLAY_BYTES, out);
    }
}

/// A command's `show`.
fn shown(value: &Value, out: &mut Vec<Finding>) {
    if let Some(show) = value.get("show").filter(|show| !show.is_null()) {
        form(text(show, "format"), text(show, "body"), SHOW_BYTES, out);
    }
}

fn valued(value: &Value, out: &mut Vec<Finding>) {
    let items = value.get("items").and_then(Value::as_array).map_or(&[] as &[Value], Vec::as_slice);
    if !items.is_empty() {
        out.push(Finding::Tried(Rule::CompleteValues));
    }
    let blank = |item: &&Value| text(item, "value").is_some_and(|value| Clean::one_line(value).is_empty());
    if let Some(item) = items.iter().find(blank) {
        out.push(Finding::Broken(Rule::CompleteValues, format!("{item} has an empty value and is left out")));
    }
    if items.len() > COMPLETIONS {
        let what = format!("{} completions; the first {COMPLETIONS} are kept", items.len());
        out.push(Finding::Odd(Advice::SizeClipped, what));
    }
}

/// Text with a format.
pub fn form(format: Option<&str>, body: Option<&str>, limit: usize, out: &mut Vec<Finding>) {
    if let Some(word) = format {
        out.push(Finding::Tried(Rule::DisplayFormat));
        if !["text", "markdown", "diff"].contains(&word) {
            let why = format!("the format {word:?} is unknown and counts as text");
            out.push(Finding::Broken(Rule::DisplayFormat, why));
        }
    }
    let body = body.unwrap_or_default();
    if format == Some("diff") {
        unified(body, out);
    }
    if body.len() > limit {
        let what = format!("{} bytes are shown, of which {limit} count", body.len());
        out.push(Finding::Odd(Advice::SizeClipped, what));
    }
}

/// A body that calls itself a diff; an empty one is a diff without changes.
pub fn unified(body: &str, out: &mut Vec<Finding>) {
    out.push(Finding::Tried(Rule::DisplayDiff));
    if !body.trim().is_empty() && parse(body).is_empty() {
        let why = "it has neither a file's line nor a hunk, and is shown as text".to_owned();
        out.push(Finding::Broken(Rule::DisplayDiff, why));
    }
}
