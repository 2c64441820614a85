//! A conversation from its messages: one walk that shares the messages' text and neither cleans, parses nor wraps it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::transcript::{LOST, push, said};
use crate::model::fact::OpenReason;
use crate::model::provider::{Assistant, Message, Part, ToolResult};
use crate::model::session::Sessions;
use crate::model::session::notice::Tone;
use crate::model::session::tree::NodeId;
use crate::model::text::clean::Clean;
use crate::model::tool::Label;
use crate::model::tui::Screen;
use crate::model::tui::block::{Block, Body, Call, CallState, Prose, Tools, Words};
use crate::model::tui::transcript::Transcript;
use crate::update::Cx;

/// Appends a branch, root to head.
pub fn branch(
    transcript: &mut Transcript,
    messages: &[(NodeId, Arc<Message>)],
    sessions: &Sessions,
    cx: &mut Cx<'_>,
) {
    let mut results: BTreeMap<&str, &ToolResult> = BTreeMap::new();
    // Ids of calls are unique within their message only: walked from the end, each call finds its own answer.
    let mut groups: Vec<Vec<Option<&ToolResult>>> = Vec::new();
    for (_, message) in messages.iter().rev() {
        match &**message {
            Message::Tool(result) => drop(results.insert(&result.call, result)),
            Message::Assistant(reply) => {
                let found = reply.calls().map(|(id, _, _)| results.remove(&**id));
                groups.push(found.collect());
            }
            Message::User(_) => {}
        }
    }
    let mut labels = Labels { sessions, known: BTreeMap::new() };
    for (_, message) in messages {
        match &**message {
            Message::User(user) => {
                if let Some(body) = said(user) {
                    push(transcript, body, cx);
                }
            }
            Message::Assistant(reply) => {
                let found = groups.pop().unwrap_or_default();
                assistant(transcript, reply, found, &mut labels, cx);
                if reply.parts.iter().any(|p| matches!(p, Part::Text(t) if !t.trim().is_empty())) {
                    transcript.reply = Some(message.clone());
                }
            }
            Message::Tool(_) => {}
        }
    }
}

fn assistant(
    transcript: &mut Transcript,
    reply: &Assistant,
    found: Vec<Option<&ToolResult>>,
    labels: &mut Labels<'_>,
    cx: &mut Cx<'_>,
) {
    let mut calls = Vec::new();
    let mut found = found.into_iter();
    for part in &reply.parts {
        match part {
            Part::Text(text) if !text.trim().is_empty() => {
                push(transcript, Body::Text(Prose::whole(text.clone())), cx);
            }
            Part::Reasoning { text, .. } if !text.trim().is_empty() => {
                push(transcript, Body::Thinking(Prose::whole(text.clone())), cx);
            }
            Part::ToolCall { name, arguments, .. } => {
                let mut call = Call::new(cx.ids.call(), name.clone(), labels.of(name), None);
                call.arguments = Some(arguments.clone());
                settle(&mut call, found.next().flatten());
                calls.push(call);
            }
            Part::Text(_) | Part::Reasoning { .. } => {}
        }
    }
    if calls.is_empty() {
        return;
    }
    // Batches with nothing between them are one group, as they were while they ran.
    let last = transcript.blocks().last().filter(|b| matches!(b.body(), Body::Tools(_))).map(Block::id);
    match last.and_then(|id| transcript.get_mut(id)) {
        Some(block) => {
            if let Body::Tools(group) = block.edit() {
                group.calls.extend(calls);
            }
        }
        None => drop(push(transcript, Body::Tools(Tools { calls }), cx)),
    }
}

fn settle(call: &mut Call, result: Option<&ToolResult>) {
    let outcome = result.map_or(LOST, |r| r.outcome);
    call.state = CallState::Ended { outcome, took: None };
    if let Some(result) = result {
        call.summary = result.summary.as_deref().map(Clean::collapsed);
        call.content = Words::Raw(result.content.clone());
        call.display = result.display.clone();
    }
}

/// Labels by tool name, looked up once each.
struct Labels<'a> {
    sessions: &'a Sessions,
    known: BTreeMap<Arc<str>, Label>,
}

impl Labels<'_> {
    fn of(&mut self, name: &Arc<str>) -> Label {
        let sessions = self.sessions;
        let find = || {
            let spec = sessions.front().and_then(|s| s.tools.set.find(name));
            spec.map_or_else(|| Label::generic(name), |spec| spec.label.clone())
        };
        self.known.entry(name.clone()).or_insert_with(find).clone()
    }
}

/// Inline mode: only the last screenfuls go to scrollback; what is before is in the reader. The first block, which
/// says so, is put in front by the caller.
pub fn skip_early(transcript: &mut Transcript, screen: &Screen) {
    let columns = usize::from(screen.size.cols).max(20);
    let room = usize::from(screen.size.rows).max(10) * 2;
    let (mut rows, mut first) = (0, 0);
    for (index, block) in transcript.blocks().iter().enumerate().rev() {
        rows += 2 + block.bulk() / columns;
        if rows > room {
            first = index;
            break;
        }
    }
    if first <= 1 {
        return;
    }
    transcript.skip(1..first);
    let Some(head) = transcript.blocks().first().map(Block::id) else { return };
    if let Some(block) = transcript.get_mut(head)
        && let Body::Notice { text, .. } = block.edit()
    {
        let more = format!("{} · the beginning is in the reader (ctrl+o)", text.clean());
        *text = Words::Clean(Clean::collapsed(&more));
    }
}

fn count(messages: usize) -> String {
    if messages == 1 { "1 message".into() } else { format!("{messages} messages") }
}

/// The line in front of a conversation that was opened again.
pub fn opened(reason: Option<OpenReason>, messages: usize) -> Body {
    let text = match reason {
        None => format!("Went back: {messages} messages are before this point"),
        Some(OpenReason::Fork) => {
            format!("Forked with {}; the session it came from stays as it is", count(messages))
        }
        Some(OpenReason::Startup | OpenReason::New | OpenReason::Resume | OpenReason::Reload) => {
            format!("Resumed with {}", count(messages))
        }
    };
    Body::Notice { tone: Tone::Info, text: Words::Clean(Clean::collapsed(&text)) }
}

/// Remembers which messages are shown now; whether all of them had been before, so that scrollback needs none.
pub fn shown(transcript: &mut Transcript, messages: &[(NodeId, Arc<Message>)]) -> bool {
    let mut all = true;
    for (node, message) in messages {
        all &= matches!(&**message, Message::Tool(_)) || !transcript.shown.insert(node.clone());
    }
    all
}
