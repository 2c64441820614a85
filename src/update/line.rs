//! A submitted line: first the `input` hook, then slash commands, `!`, prompt templates and skills. Lines are read one at
//! a time in the order of submission, so that slow verdicts never overtake each other.

use std::sync::Arc;

use super::{Cx, Out, commands};
use crate::model::ask::{Ask, ExtAsk, Line, SessionAsk};
use crate::model::config::complaint::nearest;
use crate::model::effect::{Effect, FilesFx};
use crate::model::ext::{HookValue, InputVerdict, typed};
use crate::model::fact::{Fact, SessionFact};
use crate::model::id::{SessionId, Ticket};
use crate::model::msg::FilesMsg;
use crate::model::session::commands as table;
use crate::model::session::library::{Skill, Template};
use crate::model::session::notice::Tone;
use crate::model::session::turn::Work;
use crate::model::session::{Head, Owed, Session, Sessions, Submitted, template};
use crate::model::tool::Image;

/// Takes a line into its session's list.
pub fn submit(sessions: &mut Sessions, line: Line, out: &mut Out) {
    let Some(s) = sessions.all.get_mut(&line.session) else { return out.oops("a line for no session") };
    s.lines.waiting.push_back(Submitted { text: line.text.trim().into(), images: line.images });
}

/// Begins to read the first waiting line of a session that is ready; whether there was one. Nothing is read while
/// extensions are being started.
pub fn advance(sessions: &mut Sessions, extensions: bool, cx: &mut Cx<'_>, out: &mut Out) -> bool {
    let probing = sessions.owed.any(|o| *o == Owed::Probe);
    let trusted = sessions.rules.trusted;
    for s in sessions.all.values_mut() {
        if !extensions || s.lines.head != Head::Fresh || !trusted || !ready(s, probing, cx) {
            continue;
        }
        let Some(line) = s.lines.waiting.front() else { continue };
        let ticket = cx.ids.ticket();
        let value =
            HookValue::Input { text: line.text.clone(), verdict: InputVerdict::Pass, notices: Vec::new() };
        s.lines.head = Head::Hook(ticket);
        out.ask(Ask::Hook { ticket, session: s.id, value });
        return true;
    }
    false
}

/// Models, instructions and the conversation itself are there.
fn ready(s: &Session, probing: bool, cx: &Cx<'_>) -> bool {
    let settled = s.choice.wanted.is_none() && (s.choice.model.is_some() || !probing);
    cx.catalog.loaded && settled && s.desk.loaded && !matches!(s.work, Work::Opening(_))
}

/// The `input` chain has spoken; gives the value back when it was another's.
pub fn hook_done(
    sessions: &mut Sessions,
    ticket: Ticket,
    value: HookValue,
    cx: &mut Cx<'_>,
    out: &mut Out,
) -> Option<HookValue> {
    let found = sessions.all.values_mut().find(|s| s.lines.head == Head::Hook(ticket));
    let Some(s) = found else { return Some(value) };
    let (verdict, notices) = match value {
        HookValue::Input { verdict, notices, .. } => (verdict, notices),
        _ => (InputVerdict::Pass, Vec::new()),
    };
    let said: Vec<&str> = notices.iter().map(|n| &**n).filter(|n| !n.trim().is_empty()).collect();
    if !said.is_empty() {
        out.notice(Tone::Info, said.join("\n"));
    }
    match verdict {
        InputVerdict::Consume => {
            let _consumed = next(s);
            out.fact(Fact::Session(s.id, SessionFact::NoTurn { status: 0 }));
            return None;
        }
        InputVerdict::Replace(text) => {
            if let Some(line) = s.lines.waiting.front_mut() {
                line.text = text.trim().into();
            }
        }
        InputVerdict::Pass => {}
    }
    let id = s.id;
    read(sessions, id, cx, out);
    None
}

/// Takes the head off the list.
fn next(s: &mut Session) -> Option<Submitted> {
    s.lines.head = Head::Fresh;
    s.lines.waiting.pop_front()
}

/// What the first line is: a command, a shell line, a template, or words.
fn read(sessions: &mut Sessions, id: SessionId, cx: &mut Cx<'_>, out: &mut Out) {
    let (headless, trusted) = (sessions.rules.headless, sessions.rules.trusted);
    let Some(s) = sessions.all.get_mut(&id) else { return };
    let Some(text) = s.lines.waiting.front().map(|line| line.text.clone()) else { return };
    if let Some((name, arguments)) = table::split(&text) {
        let Some(command) = table::find(name) else {
            // Templates are read on each use.
            let cwd = s.cwd.clone();
            let ticket = sessions.owed.issue(cx.ids, Owed::LineTemplates(id));
            s.lines.head = Head::Templates(ticket);
            return out.effect(Effect::Files(FilesFx::LoadTemplates { ticket, cwd, trusted }));
        };
        let _line = next(s);
        if headless {
            out.notice(
                Tone::Error,
                format!(
                    "/{name} is a command of the terminal. Without one, a prompt is text or a /template."
                ),
            );
            return out.fact(Fact::Session(id, SessionFact::NoTurn { status: 2 }));
        }
        return out.ask(commands::read(id, command, arguments));
    }
    let Some(line) = next(s) else { return };
    // A name that no built-in and no template has; what is no command is a path, or words.
    if let Some(call) = called(s, &line.text, cx) {
        return out.ask(call);
    }
    match line.text.strip_prefix('!').filter(|_| !headless) {
        Some(command) => {
            let (command, hidden) = match command.strip_prefix('!') {
                Some(command) => (command, true),
                None => (command, false),
            };
            out.ask(Ask::Session(id, SessionAsk::Shell { command: command.trim().into(), hidden }));
        }
        None => send(s, &line.text, line.images, out),
    }
}

/// The extension's command that a line calls: everything behind the first space is its arguments.
fn called(s: &Session, line: &str, cx: &Cx<'_>) -> Option<Ask> {
    let known = |(name, _): &(&str, &str)| cx.registry.command(name).is_some();
    let (name, args) = typed::invocation(line).filter(known).or_else(|| table::split(line).filter(known))?;
    Some(Ask::Ext(ExtAsk::Command { session: s.id, shown: name.into(), args: args.into() }))
}

/// Words for the model; skills named in them come with the place of their instructions.
fn send(s: &Session, text: &str, images: Vec<Image>, out: &mut Out) {
    let mut text = text.to_owned();
    for skill in s.desk.skills.iter().filter(|skill| mentions(&text, skill)).collect::<Vec<_>>() {
        text.push_str(&format!("\n\n[${} is a skill: read {} first and follow it.]", skill.name, skill.path));
    }
    out.ask(Ask::Session(s.id, SessionAsk::Prompt { text: text.into(), images }));
}

fn mentions(text: &str, skill: &Skill) -> bool {
    let word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    text.match_indices('$').any(|(at, _)| {
        let after = text.get(at + 1..).and_then(|rest| rest.strip_prefix(&*skill.name));
        after.is_some_and(|rest| !rest.starts_with(word))
    })
}

/// The templates a line waited for are here; whether it was so.
pub fn templates(
    sessions: &mut Sessions,
    ticket: Ticket,
    msg: &FilesMsg,
    cx: &Cx<'_>,
    out: &mut Out,
) -> bool {
    let Some(Owed::LineTemplates(id)) = sessions.owed.get(ticket).cloned() else { return false };
    let _answered = sessions.owed.take(ticket);
    let headless = sessions.rules.headless;
    let Some(s) = sessions.all.get_mut(&id).filter(|s| s.lines.head == Head::Templates(ticket)) else {
        return true;
    };
    if let FilesMsg::Templates { prompts, skills, .. } = msg {
        s.desk.templates.clone_from(prompts);
        s.desk.skills.clone_from(skills);
    }
    let Some(line) = next(s) else { return true };
    let Some((name, arguments)) = table::split(&line.text) else { return true };
    let found = s.desk.templates.iter().find(|t| &*t.name == name);
    if found.is_none()
        && let Some(call) = called(s, &line.text, cx)
    {
        out.ask(call);
        return true;
    }
    match found {
        Some(found) => send(s, &template::fill(&found.body, arguments), line.images, out),
        None if headless => send(s, &line.text, line.images, out),
        None => {
            out.notice(Tone::Error, unknown(name, &s.desk.templates, cx));
            out.fact(Fact::Session(
                id,
                SessionFact::Returned { text: line.text.clone(), images: line.images },
            ));
        }
    }
    true
}

fn unknown(name: &str, templates: &[Template], cx: &Cx<'_>) -> String {
    let builtin = table::COMMANDS.iter().flat_map(|c| std::iter::once(&c.name).chain(c.aliases)).copied();
    let known: Vec<&str> = builtin
        .chain(templates.iter().map(|t| &*t.name))
        .chain(cx.registry.commands.iter().map(|c| &**c.shown()))
        .collect();
    let near = nearest(name, known).map(|n| format!(" Did you mean /{n}?"));
    let near: Arc<str> = near.unwrap_or_else(|| " / lists them all.".to_owned()).into();
    format!("There is no command /{name}.{near}")
}
