//! Facts become blocks: text and thinking grow, calls join groups, everything else is a block of its own.

use std::sync::Arc;

use crate::model::event;
use crate::model::ext::Entry;
use crate::model::fact::{Fact, TextFact, ToolFact, TurnFact};
use crate::model::id::{BlockId, CallId};
use crate::model::provider::{Fault, Message, User, UserKind, UserPart};
use crate::model::session::Sessions;
use crate::model::session::notice::{Notice, Tone};
use crate::model::text::clean::Clean;
use crate::model::text::markdown::safe_prefix;
use crate::model::tool::{CallView, Outcome};
use crate::model::tui::block::{Block, Body, Call, CallState, Prose, Tools, Words};
use crate::model::tui::transcript::Transcript;
use crate::model::wire::ext::Show;
use crate::update::Cx;

/// Takes a fact into the transcript.
pub fn observe(transcript: &mut Transcript, fact: &Fact, sessions: &Sessions, cx: &mut Cx<'_>) {
    match fact {
        Fact::Turn(_, fact) => turn(transcript, fact, cx),
        Fact::Text(_, fact) => text(transcript, fact, cx),
        Fact::Tool(_, fact) => tool(transcript, fact, sessions, cx),
        Fact::Notice(notice) => self::notice(transcript, notice, cx),
        Fact::Session(..) | Fact::Ext(_) => {}
    }
}

fn turn(transcript: &mut Transcript, fact: &TurnFact, cx: &mut Cx<'_>) {
    match fact {
        TurnFact::Began { node, message }
        | TurnFact::Steered { node, message }
        | TurnFact::Joined { node, message } => {
            transcript.shown.insert(node.clone());
            if let Message::User(user) = &**message
                && let Some(body) = said(user).filter(|_| user.kind != UserKind::Shell)
            {
                close(transcript, cx);
                push(transcript, body, cx);
            }
        }
        TurnFact::Compacted { summary } => {
            close(transcript, cx);
            push(transcript, Body::Summary { text: Words::Raw(summary.clone()) }, cx);
        }
        TurnFact::CompactFailed { reason } => warn(transcript, format!("Not compacted: {reason}"), cx),
        TurnFact::Warning(text) => warn(transcript, text.to_string(), cx),
        TurnFact::Failed { fault, attempt, limit, partial_bytes } => {
            close(transcript, cx);
            push(transcript, failure(fault, *attempt, *limit, *partial_bytes), cx);
        }
        TurnFact::Ended { aborted } => {
            close(transcript, cx);
            transcript.release_uncommitted();
            if *aborted {
                let text = Words::Clean(Clean::from("Interrupted"));
                push(transcript, Body::Notice { tone: Tone::Warning, text }, cx);
            }
        }
        TurnFact::Started { .. }
        | TurnFact::Asking { .. }
        | TurnFact::Waiting { .. }
        | TurnFact::Waited { .. }
        | TurnFact::Retry { .. }
        | TurnFact::Recovered
        | TurnFact::Queue { .. }
        | TurnFact::Compacting
        | TurnFact::Usage { .. } => {}
    }
}

/// A user-role message as a block; none for what the transcript does not show. (A `!command` that runs here has its
/// block already.)
pub fn said(user: &User) -> Option<Body> {
    if user.internal {
        return None;
    }
    match user.kind {
        UserKind::Prompt => {
            let attachments = user.content.iter().filter_map(|part| match part {
                UserPart::Image(image) => Some(Clean::collapsed(&image.name)),
                UserPart::Text(_) => None,
            });
            Some(Body::User { text: words(user), attachments: attachments.collect() })
        }
        UserKind::Summary => Some(Body::Summary { text: words(user) }),
        UserKind::Instructions => {
            let text = user.text();
            let line = text.lines().next().unwrap_or_default();
            Some(Body::Notice { tone: Tone::Info, text: Words::Clean(Clean::collapsed(line)) })
        }
        UserKind::Shell => Some(Body::Notice { tone: Tone::Info, text: words(user) }),
    }
}

/// The text, shared with the message where it is one piece.
fn words(user: &User) -> Words {
    let mut texts = user.content.iter().filter_map(|part| match part {
        UserPart::Text(text) => Some(text),
        UserPart::Image(_) => None,
    });
    match (texts.next(), texts.next()) {
        (Some(only), None) => Words::Raw(only.clone()),
        (None, _) => Words::default(),
        (Some(_), Some(_)) => Words::Raw(Arc::from(user.text())),
    }
}

fn failure(fault: &Fault, attempt: u32, limit: u32, partial: usize) -> Body {
    let mut detail = format!("stage: {}\ncause: {}", fault.stage.name(), fault.cause.name());
    if let Some(status) = fault.http_status {
        detail += &format!("\nHTTP status: {status}");
    }
    if let Some(id) = &fault.request_id {
        detail += &format!("\nrequest id: {id}");
    }
    detail += &format!("\nattempt: {attempt} of {limit}\nreceived before it failed: {partial} bytes");
    if !fault.detail.trim().is_empty() {
        detail += &format!("\n\n{}", fault.detail);
    }
    Body::Error {
        headline: Clean::collapsed(&event::headline(fault)),
        detail: Words::Clean(Clean::vanish(&detail)),
    }
}

fn text(transcript: &mut Transcript, fact: &TextFact, cx: &mut Cx<'_>) {
    match fact {
        TextFact::Text(piece) => stream(transcript, piece, true, cx),
        TextFact::Reasoning(piece) => stream(transcript, piece, false, cx),
        TextFact::Calling { .. } => transcript.close_prose(cx.now),
        TextFact::Committed { node, message, .. } => {
            transcript.shown.insert(node.clone());
            transcript.close_prose(cx.now);
            transcript.uncommitted.clear();
            if let Message::Assistant(reply) = &**message
                && !reply.text().trim().is_empty()
            {
                transcript.reply = Some(message.clone());
            }
        }
        TextFact::Dropped => transcript.drop_uncommitted(),
    }
}

/// Appends to the open block of that kind, or opens one.
fn stream(transcript: &mut Transcript, piece: &str, answer: bool, cx: &mut Cx<'_>) {
    let open = transcript.prose.and_then(|id| transcript.get(id)).map(Block::body);
    let fits = match open {
        Some(Body::Text(_)) => answer,
        Some(Body::Thinking(_)) => !answer,
        _ => false,
    };
    if !fits {
        // White space alone opens nothing.
        if piece.trim().is_empty() {
            return;
        }
        close(transcript, cx);
        let prose = Prose::open();
        open_prose(transcript, if answer { Body::Text(prose) } else { Body::Thinking(prose) }, cx);
    }
    let Some(block) = transcript.prose.and_then(|id| transcript.get_mut(id)) else { return };
    let (Body::Text(prose) | Body::Thinking(prose)) = block.edit() else { return };
    let fences = prose.codes.all.len();
    prose.push(piece);
    let code = prose.codes.inside() && prose.codes.all.len() == fences;
    if answer && !code && may_split(prose, piece) {
        split(transcript, cx);
    }
}

/// Texts up to this long are searched at every newline; longer ones each time that they have grown by an eighth.
const SEARCHED: usize = 16 * 1024;

/// Whether a text to which a piece was appended is to be searched for a part that can't change any more.
fn may_split(prose: &Prose, piece: &str) -> bool {
    let text = prose.text();
    // A letter behind a blank line begins a block.
    let mut from = text.len().saturating_sub(piece.len() + 2);
    while !text.as_str().is_char_boundary(from) {
        from -= 1;
    }
    let news = text.as_str().get(from..).unwrap_or_default();
    let begun = news.split("\n\n").skip(1).any(|block| block.starts_with(char::is_alphabetic));
    let due = text.len() < SEARCHED || text.len() >= prose.searched + prose.searched / 8;
    begun || (piece.contains('\n') && due)
}

fn open_prose(transcript: &mut Transcript, body: Body, cx: &mut Cx<'_>) {
    let id = cx.ids.block();
    // What extensions may rewrite leaves for scrollback only when they have.
    if matches!(body, Body::Text(_)) && !cx.registry.renderers(&Entry::Assistant).is_empty() {
        transcript.hold(id);
    }
    transcript.push(Block::open(id, body));
    transcript.prose = Some(id);
    transcript.uncommitted.push(id);
}

/// What of the open text can never change becomes a block of its own, so that it can leave for scrollback while the
/// rest still grows, and a frame works on the last part only.
fn split(transcript: &mut Transcript, cx: &mut Cx<'_>) {
    let Some(block) = transcript.prose.and_then(|id| transcript.get_mut(id)) else { return };
    let Body::Text(prose) = block.body() else { return };
    let at = safe_prefix(prose.text().as_str());
    let Body::Text(prose) = block.edit() else { return };
    prose.searched = prose.words.len();
    if at == 0 {
        return;
    }
    let rest = prose.split(at);
    block.finish(cx.now);
    open_prose(transcript, Body::Text(rest), cx);
}

/// Nothing grows any more: what comes next stands below.
fn close(transcript: &mut Transcript, cx: &Cx<'_>) {
    transcript.close_prose(cx.now);
    transcript.close_tools(cx.now);
}

fn tool(transcript: &mut Transcript, fact: &ToolFact, sessions: &Sessions, cx: &mut Cx<'_>) {
    match fact {
        ToolFact::Batch { calls } => batch(transcript, calls, sessions, cx),
        ToolFact::Start { id } => {
            if let Some(call) = transcript.call_mut(*id) {
                call.state = CallState::Running { since: cx.now };
            }
        }
        ToolFact::Output { id, chunk, .. } => {
            if let Some(call) = transcript.call_mut(*id) {
                call.tail.push(chunk);
            }
        }
        ToolFact::End { id, outcome, summary, content, display, .. } => {
            if let Some(call) = transcript.call_mut(*id) {
                let took = match call.state {
                    CallState::Running { since } => Some(cx.now.since(since)),
                    CallState::Waiting | CallState::Ended { .. } => None,
                };
                call.state = CallState::Ended { outcome: *outcome, took };
                call.summary = summary.as_deref().map(Clean::collapsed);
                call.content = Words::Raw(content.clone());
                call.display = display.clone();
                call.tail = Default::default();
            }
            settle_group(transcript, *id, cx);
        }
    }
}

fn batch(transcript: &mut Transcript, calls: &[CallView], sessions: &Sessions, cx: &mut Cx<'_>) {
    transcript.close_prose(cx.now);
    let rows = calls
        .iter()
        .map(|view| Call::new(view.id, view.name.clone(), view.label.clone(), view.target.as_deref()));
    let shell = sessions.front().and_then(|s| s.shell.as_ref());
    if let [only] = calls
        && let Some(shell) = shell.filter(|s| s.call == only.id)
    {
        let mut call = Box::new(Call::new(only.id, only.name.clone(), only.label.clone(), None));
        call.target = Some(Clean::vanish(&shell.command));
        let id = push_open(transcript, Body::Shell { call, hidden: shell.hidden }, cx);
        transcript.calls.insert(only.id, id);
        return;
    }
    let open = transcript.tools.and_then(|id| transcript.get_mut(id));
    let id = match open {
        Some(block) => {
            let id = block.id();
            if let Body::Tools(group) = block.edit() {
                group.calls.extend(rows);
            }
            id
        }
        None => push_open(transcript, Body::Tools(Tools { calls: rows.collect() }), cx),
    };
    transcript.tools = Some(id);
    transcript.calls.extend(calls.iter().map(|view| (view.id, id)));
}

/// A call has ended: its block may be done.
fn settle_group(transcript: &mut Transcript, call: CallId, cx: &Cx<'_>) {
    let Some(id) = transcript.calls.remove(&call) else { return };
    let closed = transcript.tools != Some(id);
    let Some(block) = transcript.get_mut(id) else { return };
    let done = match block.body() {
        Body::Tools(group) => closed && !group.running(),
        Body::Shell { .. } => true,
        _ => false,
    };
    if done {
        block.finish(cx.now);
    }
}

fn notice(transcript: &mut Transcript, notice: &Notice, cx: &mut Cx<'_>) {
    if notice.transient || notice.text.trim().is_empty() {
        return;
    }
    transcript.close_prose(cx.now);
    transcript.close_tools(cx.now);
    let text = Words::Clean(Clean::vanish(notice.text.trim_end()));
    push(transcript, Body::Notice { tone: notice.tone, text }, cx);
}

/// A block that an extension shows.
pub fn show(transcript: &mut Transcript, show: &Show, cx: &mut Cx<'_>) {
    close(transcript, cx);
    let Show { title, body, format, cut } = show.clone();
    let (body, shades) = (Words::Clean(body), Default::default());
    push(transcript, Body::Show { title, body, format, cut, shades }, cx);
}

fn warn(transcript: &mut Transcript, text: String, cx: &mut Cx<'_>) {
    close(transcript, cx);
    let text = Words::Clean(Clean::vanish(&text));
    push(transcript, Body::Notice { tone: Tone::Warning, text }, cx);
}

/// Appends a block that is done.
pub fn push(transcript: &mut Transcript, body: Body, cx: &mut Cx<'_>) -> BlockId {
    let id = cx.ids.block();
    transcript.push(Block::done(id, body, cx.now));
    id
}

fn push_open(transcript: &mut Transcript, body: Body, cx: &mut Cx<'_>) -> BlockId {
    let id = cx.ids.block();
    transcript.push(Block::open(id, body));
    id
}

/// The outcome of a call whose result the log does not hold.
pub const LOST: Outcome = Outcome::Cancelled;
