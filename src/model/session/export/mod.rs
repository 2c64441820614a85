//! A session's branch as one self-contained page of HTML (`/export`). Everything that came from a model, a tool or a file is
//! cleaned and escaped; nothing in the page loads anything or runs anything.

mod markup;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use crate::model::provider::{Assistant, Message, Part, ToolResult, User, UserKind, UserPart};
use crate::model::text::clean::Clean;
use crate::model::tool::{Format, Image, Outcome};
use markup::{escape, markdown};

/// What a page is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    pub title: Arc<str>,
    /// The branch, root to head, with what is internal; the page leaves that out.
    pub messages: Vec<Arc<Message>>,
    /// Of the answering model, for the line below the title; empty when none is known.
    pub model: Arc<str>,
    /// The day it was written out, `2026-12-01`.
    pub date: Arc<str>,
}

const STYLE: &str = "\
:root{color-scheme:light dark;--bg:#fff;--fg:#1f2328;--dim:#656d76;--line:#d0d7de;--soft:#f6f8fa;--link:#0969da;--add:#1a7f37;\
--addbg:#dafbe1;--del:#cf222e;--delbg:#ffebe9;--hunk:#8250df;--you:#ddf4ff}\
@media(prefers-color-scheme:dark){:root{--bg:#0d1117;--fg:#e6edf3;--dim:#8d96a0;--line:#30363d;--soft:#161b22;--link:#4493f8;\
--add:#3fb950;--addbg:#12261e;--del:#f85149;--delbg:#25171c;--hunk:#ab7df8;--you:#121d2f}}\
body{background:var(--bg);color:var(--fg);font:16px/1.55 system-ui,sans-serif;margin:0 auto;max-width:54rem;padding:2rem 1rem;\
overflow-wrap:anywhere}a{color:var(--link)}header p,.role,summary{color:var(--dim)}.role{font-size:.85rem;margin:1.5rem 0 .25rem}\
.you{background:var(--you);border-radius:.5rem;padding:.25rem 1rem}.words{white-space:pre-wrap;margin:.5rem 0}\
pre,code{font:.85rem/1.45 ui-monospace,monospace}code{background:var(--soft);border-radius:.25rem;padding:.1em .3em}\
pre{background:var(--soft);border:1px solid var(--line);border-radius:.4rem;overflow-x:auto;padding:.6rem .8rem;white-space:pre-wrap}\
pre code{background:none;padding:0}details{border-left:3px solid var(--line);margin:.6rem 0;padding-left:.8rem}\
summary{cursor:pointer}.failed>summary{color:var(--del)}blockquote{border-left:3px solid var(--line);color:var(--dim);margin:0;\
padding-left:1rem}table{border-collapse:collapse}td,th{border:1px solid var(--line);padding:.3rem .6rem}img{max-width:100%}\
.add{background:var(--addbg);color:var(--add)}.del{background:var(--delbg);color:var(--del)}.hunk{color:var(--hunk)}";

/// The whole page.
pub fn html(page: &Page) -> String {
    let title = escape(Clean::collapsed(&page.title).as_str());
    let mut out = String::from("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    out += "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n";
    // Nothing is loaded or run, whatever a later reader finds to put between our escapes.
    out += "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n";
    let _ = write!(out, "<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n");
    let about: Vec<String> = [&page.date, &page.model]
        .into_iter()
        .map(|part| escape(Clean::collapsed(part).as_str()))
        .filter(|part| !part.is_empty())
        .collect();
    let _ = write!(out, "<header><h1>{title}</h1><p>{}</p></header>\n<main>\n", about.join(" · "));
    let mut results: BTreeMap<&str, Vec<&ToolResult>> = BTreeMap::new();
    for message in page.messages.iter().rev() {
        if let Message::Tool(result) = &**message {
            results.entry(&result.call).or_default().push(result);
        }
    }
    for message in &page.messages {
        match &**message {
            Message::User(message) => user(&mut out, message),
            Message::Assistant(reply) => assistant(&mut out, reply, &mut results),
            // Stands with its call.
            Message::Tool(_) => {}
        }
    }
    out += "</main>\n</body>\n</html>\n";
    out
}

fn user(out: &mut String, message: &User) {
    if message.internal || message.kind == UserKind::Instructions {
        return;
    }
    match message.kind {
        UserKind::Summary => {
            *out += "<details><summary>Summary of the earlier conversation</summary>\n";
            markdown(out, &message.text());
            return *out += "</details>\n";
        }
        UserKind::Shell => {
            *out += "<p class=\"role\">Command</p>\n";
            return pre(out, &message.text());
        }
        UserKind::Prompt | UserKind::Instructions => {}
    }
    *out += "<p class=\"role\">You</p>\n<div class=\"you\">\n";
    for part in &message.content {
        match part {
            UserPart::Text(text) => {
                let _ = writeln!(out, "<div class=\"words\">{}</div>", escape(Clean::vanish(text).as_str()));
            }
            UserPart::Image(found) => image(out, found),
        }
    }
    *out += "</div>\n";
}

fn assistant<'a>(
    out: &mut String,
    reply: &'a Assistant,
    results: &mut BTreeMap<&'a str, Vec<&'a ToolResult>>,
) {
    *out += "<p class=\"role\">Assistant</p>\n";
    for part in &reply.parts {
        match part {
            Part::Text(text) => markdown(out, text),
            Part::Reasoning { text, .. } if text.trim().is_empty() => {}
            Part::Reasoning { text, .. } => {
                *out += "<details><summary>Thinking</summary>\n";
                markdown(out, text);
                *out += "</details>\n";
            }
            Part::ToolCall { id, name, arguments, .. } => {
                let result = results.get_mut(&**id).and_then(Vec::pop);
                call(out, name, arguments, result);
            }
        }
    }
}

fn call(out: &mut String, name: &str, arguments: &str, result: Option<&ToolResult>) {
    let good = result.is_some_and(|r| r.outcome == Outcome::Completed);
    *out += if good { "<details>" } else { "<details class=\"failed\">" };
    let target = target(arguments);
    let _ = write!(out, "<summary><code>{}</code>", escape(Clean::collapsed(name).as_str()));
    let said = match result {
        None => Some("no result".to_owned()),
        Some(r) if r.outcome == Outcome::Completed => r.summary.as_deref().map(str::to_owned),
        Some(r) => Some(r.outcome.name().to_owned()),
    };
    for text in target.into_iter().chain(said) {
        let _ = write!(out, " · {}", escape(Clean::collapsed(&text).as_str()));
    }
    *out += "</summary>\n";
    pre(out, &pretty(arguments));
    if let Some(result) = result {
        match &result.display {
            Some(display) if display.format == Format::Diff => diff(out, &display.text),
            Some(display) if display.format == Format::Markdown => markdown(out, &display.text),
            Some(display) => pre(out, &display.text),
            None => pre(out, &result.content),
        }
        for found in &result.images {
            image(out, found);
        }
    }
    *out += "</details>\n";
}

/// What a call is about, where its arguments say so in a usual way.
fn target(arguments: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(arguments).ok()?;
    let text = ["path", "command", "pattern", "id"].iter().find_map(|key| value.get(key)?.as_str())?;
    Some(text.lines().next().unwrap_or_default().chars().take(120).collect())
}

fn pretty(arguments: &str) -> String {
    let value = serde_json::from_str::<serde_json::Value>(arguments);
    value.ok().and_then(|v| serde_json::to_string_pretty(&v).ok()).unwrap_or_else(|| arguments.to_owned())
}

fn pre(out: &mut String, text: &str) {
    let text = Clean::vanish(text);
    if !text.as_str().trim().is_empty() {
        let _ = writeln!(out, "<pre>{}</pre>", escape(text.as_str()));
    }
}

/// A unified diff, a class a line.
fn diff(out: &mut String, text: &str) {
    *out += "<pre>";
    for line in Clean::vanish(text).as_str().lines() {
        let class = match line.as_bytes().first() {
            Some(b'+') => "add",
            Some(b'-') => "del",
            Some(b'@') => "hunk",
            _ => "same",
        };
        let _ = writeln!(out, "<span class=\"{class}\">{}</span>", escape(line));
    }
    *out += "</pre>\n";
}

/// An image that is what it says it is, as data; anything else is named only.
fn image(out: &mut String, image: &Image) {
    let known = matches!(&*image.mime, "image/png" | "image/jpeg" | "image/gif" | "image/webp");
    let plain = image.data.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='));
    let name = escape(Clean::collapsed(&image.name).as_str());
    let _ = if known && plain && !image.data.is_empty() {
        writeln!(out, "<p><img alt=\"{name}\" src=\"data:{};base64,{}\"></p>", image.mime, image.data)
    } else {
        writeln!(out, "<p>[{name}]</p>")
    };
}

/// The file name a session's page gets when none is asked for: letters, digits and dashes of its title.
pub fn file_name(title: &str) -> String {
    let mut name = String::new();
    for c in title.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            name.push(c);
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
        if name.chars().count() >= 60 || name.len() >= 180 {
            break;
        }
    }
    let name = name.trim_end_matches('-');
    format!("{}.html", if name.is_empty() { "session" } else { name })
}
