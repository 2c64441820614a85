//! Commands, shortcuts and completions of extensions (`extensions-notes.md` 10).

use std::sync::Arc;

use super::calls::{self, End};
use crate::model::ask::Ask;
use crate::model::config::chord::Chord;
use crate::model::ext::Exts;
use crate::model::ext::live::Asked;
use crate::model::ext::words::EXITED;
use crate::model::fact::{ExtFact, Fact, SessionFact};
use crate::model::id::{SessionId, Ticket};
use crate::model::session::notice::Tone;
use crate::model::text::clean::Clean;
use crate::model::wire::ext::{self as wire, COMMAND_TIME, COMPLETION_TIME};
use crate::update::{Cx, Out};

pub fn command(
    exts: &mut Exts,
    session: SessionId,
    shown: Arc<str>,
    args: Arc<str>,
    cx: &mut Cx<'_>,
    out: &mut Out,
) {
    let Some(found) = cx.registry.command(&shown).cloned() else {
        return out.oops("a command of no extension");
    };
    let asked = Asked::Command { shown: format!("/{shown}").into(), session, era: exts.era };
    let call = wire::Call::Command { name: found.name, args };
    if calls::open(exts, found.ext, &call, asked, COMMAND_TIME, cx, out).is_none() {
        ended(exts, &format!("/{shown}"), session, exts.era, End::Gone, out);
    }
}

pub fn shortcut(exts: &mut Exts, session: SessionId, chord: Chord, cx: &mut Cx<'_>, out: &mut Out) {
    let Some(found) = cx.registry.shortcuts.get(&chord).cloned() else { return };
    let shown: Arc<str> = chord.to_string().into();
    let asked = Asked::Command { shown: shown.clone(), session, era: exts.era };
    let call = wire::Call::Shortcut { key: chord };
    if calls::open(exts, found.ext, &call, asked, COMMAND_TIME, cx, out).is_none() {
        ended(exts, &shown, session, exts.era, End::Gone, out);
    }
}

/// A command or a shortcut has ended: notice, show, prompt, session name, in this order.
pub fn ended(exts: &Exts, shown: &str, session: SessionId, era: u64, end: End, out: &mut Out) {
    let no_turn = |status: u8, out: &mut Out| {
        out.fact(Fact::Session(session, SessionFact::NoTurn { status }));
    };
    let fail = |why: &str, out: &mut Out| {
        out.notice(Tone::Error, format!("{shown}: {}", Clean::collapsed(why)));
        no_turn(1, out);
    };
    let answer = match end {
        End::Answer(Ok(value)) => match wire::command(&value) {
            Ok(answer) => answer,
            Err(why) => return fail(&format!("the command answered badly: {why}"), out),
        },
        End::Answer(Err(why)) => return fail(&why, out),
        End::Late => return fail(&format!("no answer within {} seconds", COMMAND_TIME.as_secs()), out),
        End::Gone => return fail(EXITED, out),
    };
    if let Some(notice) = answer.notice {
        out.notice(Tone::Info, notice.as_str());
    }
    if let Some(show) = answer.show {
        out.fact(Fact::Ext(ExtFact::Shown(show)));
    }
    let same = era == exts.era;
    let turn = same && answer.prompt.is_some();
    if let Some(text) = answer.prompt {
        match same {
            true => out.ask(Ask::ExtPrompt { session, text }),
            false => out.notice(
                Tone::Warning,
                format!("{shown}: its prompt was dropped: the conversation is another one now"),
            ),
        }
    }
    if let Some(name) = answer.session_name.filter(|_| same) {
        out.ask(Ask::ExtName { session, name: name.as_str().into() });
    }
    // `-p` waits for what the command comes to.
    if !turn {
        no_turn(0, out);
    }
}

pub fn complete(
    exts: &mut Exts,
    ticket: Ticket,
    command: &str,
    prefix: Arc<str>,
    cx: &mut Cx<'_>,
    out: &mut Out,
) {
    let found = cx.registry.command(command).filter(|c| c.completions).cloned();
    let opened = found.and_then(|found| {
        let call = wire::Call::Complete { name: found.name, prefix };
        calls::open(exts, found.ext, &call, Asked::Complete(ticket), COMPLETION_TIME, cx, out)
    });
    if opened.is_none() {
        completed(ticket, End::Gone, out);
    }
}

/// A slow, broken or empty answer shows nothing.
pub fn completed(ticket: Ticket, end: End, out: &mut Out) {
    let items = match end {
        End::Answer(Ok(value)) => wire::completions(&value).unwrap_or_default(),
        End::Answer(Err(_)) | End::Late | End::Gone => Vec::new(),
    };
    out.ask(Ask::Completed { ticket, items });
}
