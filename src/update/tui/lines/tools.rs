//! Tool calls as lines: that one begins, how it ended, the diff with signs, the end of a command's output.

use super::{flush, say};
use crate::model::fact::ToolFact;
use crate::model::session::Sessions;
use crate::model::text::clean::Clean;
use crate::model::text::diff::{self, Diff, Kind};
use crate::model::tool::{CallView, Outcome, spec};
use crate::model::tui::block::{Call, CallState, Words};
use crate::model::tui::lines::{Called, Lines};
use crate::update::{Cx, Out};

/// Lines and bytes of a diff that are said.
const DIFF_LINES: usize = 400;
const DIFF_BYTES: usize = 64 * 1024;

pub fn observe(lines: &mut Lines, fact: &ToolFact, sessions: &Sessions, cx: &Cx<'_>, out: &mut Out) {
    match fact {
        ToolFact::Batch { calls } => {
            flush(lines, out);
            let called = calls.iter().map(|view| (view.id, self::called(view, sessions)));
            lines.calls.extend(called);
        }
        ToolFact::Start { id } => {
            let Some(called) = lines.calls.get_mut(id) else { return };
            called.call.state = CallState::Running { since: cx.now };
            if called.output.is_none() {
                let text = format!("{}.", named(&called.call));
                say(lines, &text, out);
            }
        }
        ToolFact::Output { id, chunk, .. } => {
            let output = lines.calls.get_mut(id).and_then(|called| called.output.as_mut());
            let whole = output.map(|output| output.push(chunk)).unwrap_or_default();
            if !whole.is_empty() {
                say(lines, &whole.join("\n"), out);
            }
        }
        ToolFact::End { id, outcome, summary, content, display, .. } => {
            let Some(Called { mut call, output }) = lines.calls.remove(id) else { return };
            call.state = CallState::Ended { outcome: *outcome, took: None };
            call.summary = summary.as_deref().map(Clean::collapsed);
            call.content = Words::Raw(content.clone());
            call.display.clone_from(display);
            let own = output.is_some();
            if let Some(rest) = output.and_then(|mut output| output.finish()) {
                say(lines, &rest, out);
            }
            let text = ended(&call, *outcome, own, cx.config.settings.tool_preview_rows);
            say(lines, &text, out);
        }
    }
}

fn called(view: &CallView, sessions: &Sessions) -> Called {
    let shell = sessions.front().and_then(|s| s.shell.as_ref()).filter(|shell| shell.call == view.id);
    let target = shell.map(|shell| &*shell.command).or(view.target.as_deref());
    let call = Call::new(view.id, view.name.clone(), view.label.clone(), target);
    Called { call, output: shell.map(|_| Default::default()) }
}

/// `Reading src/main.rs`, `Read src/main.rs`, `Failed src/main.rs`.
fn named(call: &Call) -> String {
    let verb = spec::verb(&call.label, call.outcome());
    match call.object() {
        Some(target) => format!("{verb} {}", target.into_owned().on_one_line()),
        // `Failed` alone would not say what.
        None if call.outcome().is_some_and(|o| o != Outcome::Completed) => format!("{verb} {}", call.name),
        None => verb.to_owned(),
    }
}

/// How a call ended, and what a person wants to hear of its result. `own`: the person's command, whose output was said.
fn ended(call: &Call, outcome: Outcome, own: bool, rows: usize) -> String {
    let given = call.summary.as_ref().map(Clean::as_str);
    let content = call.content.clean();
    let mut text = named(call);
    let suffix = spec::suffix(outcome, given, content.as_str()).map(Clean::collapsed);
    match &suffix {
        Some(suffix) if !own => text += &format!(": {suffix}"),
        _ => text.push('.'),
    }
    if let Some(diff) = call.diff() {
        return text + &signed(diff);
    }
    let failed = matches!(outcome, Outcome::Failed | Outcome::TimedOut | Outcome::Blocked);
    let spoken = suffix.as_ref().is_some_and(|suffix| suffix.as_str() == content.as_str().trim());
    if !own && !spoken && (failed || &*call.label.category == "command") {
        text += &last(content.as_str(), rows);
    }
    text
}

/// The last lines of an output, each on a line of its own behind the first.
fn last(content: &str, rows: usize) -> String {
    let lines: Vec<&str> = content.trim_end().lines().collect();
    let before = lines.len().saturating_sub(rows);
    let mut text = match before {
        0 => String::new(),
        1 => "\nOutput, without 1 line before:".to_owned(),
        n => format!("\nOutput, without {n} lines before:"),
    };
    for line in lines.iter().skip(before).filter(|_| rows > 0) {
        text += &format!("\n{line}");
    }
    if rows == 0 { String::new() } else { text }
}

/// A diff by files and places, its lines with their signs.
fn signed(text: &str) -> String {
    let head = diff::head(text, DIFF_LINES, DIFF_BYTES);
    let parsed = diff::parse(head);
    let mut out = String::new();
    if parsed.rows.is_empty() {
        out += &format!("\n{}", Clean::review(head));
    }
    // Where a place begins, its line number is said.
    let mut fresh = true;
    for (at, row) in parsed.rows.iter().enumerate() {
        match row.kind {
            Kind::File | Kind::Gap => {
                if row.kind == Kind::File {
                    out += &format!("\nFile {}:", file(&parsed, at));
                }
                fresh = true;
            }
            Kind::Blank => {}
            Kind::Context | Kind::Added | Kind::Removed => {
                if std::mem::take(&mut fresh)
                    && let Some(number) = row.number()
                {
                    out += &format!("\nAt line {number}:");
                }
                let end = if row.carriage_return { " (only its line end changed)" } else { "" };
                out += &format!("\n{} {}{end}", row.signs, row.text);
            }
            Kind::NoNewline => out += "\n(no newline at the end of the file)",
            Kind::Plain => out += &format!("\n{}", row.text),
        }
    }
    match text.get(head.len()..).map_or(0, |rest| rest.lines().count()) {
        0 => {}
        1 => out += "\n1 more line is not shown.",
        more => out += &format!("\n{more} more lines are not shown."),
    }
    out
}

fn file(diff: &Diff, row: usize) -> String {
    let file = diff.rows.get(row).and_then(|row| diff.files.get(row.file));
    let notes = file.map(|file| file.notes.iter().map(|note| format!(", {note}")).collect::<String>());
    format!("{}{}", file.map(|file| file.name.as_str()).unwrap_or_default(), notes.unwrap_or_default())
}
