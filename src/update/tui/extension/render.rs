//! The render hook: what extensions would have finished replies and tool results show. Screen only; the model and the log
//! keep the original (`extensions-notes.md` 9).

use std::sync::Arc;

use crate::model::ask::Ask;
use crate::model::ext::{Entry, HookValue};
use crate::model::fact::{Fact, TextFact, ToolFact};
use crate::model::id::{BlockId, CallId, SessionId, Ticket};
use crate::model::session::Sessions;
use crate::model::tool::{Display, Format, Owner};
use crate::model::tui::block::{Body, Prose, Words};
use crate::model::tui::scroll::Scroll;
use crate::model::tui::{Awaiting, Tui};
use crate::update::{Cx, Out};

/// What a fact finishes.
pub enum Finished {
    Nothing,
    /// A reply: its blocks, of whatever kind. One that was cut short is left as it is.
    Reply {
        session: SessionId,
        blocks: Vec<BlockId>,
        partial: bool,
    },
    Call {
        session: SessionId,
        block: BlockId,
        call: CallId,
        name: Arc<str>,
        content: Arc<str>,
        display: bool,
    },
}

/// To be called before the transcript takes the fact in, which forgets where things are.
pub fn before(tui: &Tui, fact: &Fact, cx: &Cx<'_>) -> Finished {
    let transcript = &tui.transcript;
    match fact {
        Fact::Text(session, TextFact::Committed { partial, .. }) => {
            if cx.registry.renderers(&Entry::Assistant).is_empty() {
                return Finished::Nothing;
            }
            Finished::Reply { session: *session, blocks: transcript.uncommitted.clone(), partial: *partial }
        }
        Fact::Tool(session, ToolFact::End { id, content, display, .. }) => {
            let Some(block) = transcript.calls.get(id).copied() else { return Finished::Nothing };
            let name = transcript.get(block).and_then(|block| match block.body() {
                Body::Tools(group) => group.calls.iter().find(|c| c.id == *id).map(|c| c.name.clone()),
                _ => None,
            });
            let Some(name) = name else { return Finished::Nothing };
            let content = display.as_ref().map_or(content, |display| &display.text).clone();
            let display = display.is_some();
            Finished::Call { session: *session, block, call: *id, name, content, display }
        }
        _ => Finished::Nothing,
    }
}

/// Asks about what was finished; to be called when the transcript has taken the fact in.
pub fn after(tui: &mut Tui, finished: Finished, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    match finished {
        Finished::Nothing => {}
        Finished::Reply { blocks, partial: true, .. } => {
            blocks.into_iter().for_each(|id| tui.transcript.release(id))
        }
        Finished::Reply { session, blocks, partial: false } => {
            for segment in segments(tui, &blocks) {
                ask_reply(tui, session, segment, cx, out);
            }
        }
        Finished::Call { session, block, call, name, content, display } => {
            if display && of_extension(sessions, session, &name) {
                tui.transcript.keep_body(block, call, content.len());
            }
            let entry = Entry::Tool(name);
            if !content.trim().is_empty() && !cx.registry.renderers(&entry).is_empty() {
                let ticket = tui.pending.tickets.issue(cx.ids, Awaiting::RenderCall { block, call });
                let value = HookValue::Render { entry, content, body: None };
                out.ask(Ask::Hook { ticket, session, value });
            }
        }
    }
}

fn of_extension(sessions: &Sessions, session: SessionId, name: &str) -> bool {
    let tools = sessions.get(session).map(|s| s.tools.set.all.as_slice()).unwrap_or_default();
    tools.iter().any(|tool| &*tool.name == name && matches!(tool.owner, Owner::Ext(_)))
}

/// The text blocks of a reply, those that go on one another together.
fn segments(tui: &Tui, blocks: &[BlockId]) -> Vec<Vec<BlockId>> {
    let mut all: Vec<Vec<BlockId>> = Vec::new();
    for id in blocks {
        let Some(Body::Text(prose)) = tui.transcript.get(*id).map(|block| block.body()) else { continue };
        match all.last_mut() {
            Some(segment) if prose.continues => segment.push(*id),
            _ => all.push(vec![*id]),
        }
    }
    all
}

fn ask_reply(tui: &mut Tui, session: SessionId, segment: Vec<BlockId>, cx: &mut Cx<'_>, out: &mut Out) {
    let mut content = String::new();
    for id in &segment {
        if let Some(Body::Text(prose)) = tui.transcript.get(*id).map(|block| block.body()) {
            content.push_str(prose.text().as_str());
        }
    }
    if content.trim().is_empty() {
        return segment.into_iter().for_each(|id| tui.transcript.release(id));
    }
    let ticket = tui.pending.tickets.issue(cx.ids, Awaiting::Render(segment));
    let value = HookValue::Render { entry: Entry::Assistant, content: content.into(), body: None };
    out.ask(Ask::Hook { ticket, session, value });
}

/// The render chain has spoken about an entry; one that is not there any more is left alone.
pub fn rendered(tui: &mut Tui, ticket: Ticket, value: HookValue, cx: &mut Cx<'_>, out: &mut Out) {
    let Some(awaiting) = tui.pending.tickets.take(ticket) else { return };
    let answer = match value {
        HookValue::Render { body, .. } => body.filter(|answer| !answer.body.trim().is_empty()),
        _ => None,
    };
    match awaiting {
        Awaiting::Render(blocks) => {
            blocks.iter().for_each(|id| tui.transcript.release(*id));
            if let Some(answer) = answer {
                let body = match answer.format {
                    Format::Text | Format::Markdown => Body::Text(Prose::whole(answer.body)),
                    Format::Diff => {
                        let (body, format) = (Words::Raw(answer.body), Format::Diff);
                        Body::Show {
                            title: Default::default(),
                            body,
                            format,
                            cut: false,
                            shades: Default::default(),
                        }
                    }
                };
                replace(tui, &blocks, body);
            }
        }
        Awaiting::RenderCall { block, call } => {
            if let Some(answer) = answer {
                let size = answer.body.len();
                let display = Display { text: answer.body, format: answer.format, cut: false };
                if tui.transcript.render_call(block, call, display) {
                    tui.transcript.keep_body(block, call, size);
                }
            }
        }
        _ => {}
    }
    super::super::settle::settle(tui, cx, out);
}

/// The blocks become one; whoever reads in one that goes stands at its beginning then.
fn replace(tui: &mut Tui, blocks: &[BlockId], body: Body) {
    if !tui.transcript.replace(blocks, body) {
        return;
    }
    let Some((first, gone)) = blocks.split_first() else { return };
    let places = [Some(&mut tui.transcript.scroll), tui.reader.as_mut().map(|reader| &mut reader.scroll)];
    for scroll in places.into_iter().flatten() {
        if matches!(scroll, Scroll::At(anchor) if gone.contains(&anchor.block)) {
            *scroll = Scroll::at(*first, 0);
        }
    }
}
