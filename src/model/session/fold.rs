//! Compaction as pure arithmetic over the branch: when it is due, where it may cut, what the summariser reads, and
//! whether its answer is taken (`agent.md`, Compaction).

use std::sync::Arc;

use super::tree::{Node, NodeId};
use crate::model::provider::{Assistant, Message, Part, ToolResult, User, UserKind, UserPart};

/// Room left for the reply: an eighth of the window, 2,048 to 16,384 tokens.
pub fn reserve(window: u64) -> u64 {
    (window / 8).clamp(2_048, 16_384)
}

/// A context above this is shortened.
pub fn threshold(window: u64) -> u64 {
    window.saturating_sub(reserve(window))
}

/// The newest part that stays word for word: a quarter of the window, 1,024 to 20,000 tokens.
pub fn tail(window: u64) -> u64 {
    (window / 4).clamp(1_024, 20_000)
}

/// Tokens that a text is taken for.
pub fn tokens(text: &str) -> u64 {
    (text.len() as u64).div_ceil(4)
}

const IMAGE: u64 = 1_600;
/// What a message costs beside its words.
const FRAME: u64 = 4;

/// Tokens that a message is taken for.
pub fn estimate(message: &Message) -> u64 {
    let words: u64 = match message {
        Message::User(user) => user.content.iter().map(user_part).sum(),
        Message::Assistant(reply) => reply.parts.iter().map(reply_part).sum(),
        Message::Tool(result) => tokens(&result.content) + IMAGE * result.images.len() as u64,
    };
    words + FRAME
}

fn user_part(part: &UserPart) -> u64 {
    match part {
        UserPart::Text(text) => tokens(text),
        UserPart::Image(_) => IMAGE,
    }
}

fn reply_part(part: &Part) -> u64 {
    match part {
        Part::Text(text) => tokens(text),
        Part::Reasoning { text, .. } => tokens(text),
        Part::ToolCall { name, arguments, .. } => tokens(name) + tokens(arguments),
    }
}

/// What a compaction will do.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Goes into the summary.
    pub folded: Vec<Arc<Message>>,
    /// Stays behind the summary: instructions and the person's latest words, where the cut would lose them, then the
    /// newest part. Those that were nodes keep their ids.
    pub kept: Vec<(NodeId, Arc<Message>)>,
    /// Estimated tokens of the whole branch.
    pub before: u64,
}

/// Plans a compaction of a branch; the error says why there is nothing to do.
pub fn plan(branch: &[&Node], window: u64) -> Result<Plan, &'static str> {
    let cut = cut(branch, tail(window));
    let (old, new) = (branch.get(..cut).unwrap_or_default(), branch.get(cut..).unwrap_or_default());
    let newest_stays = new.iter().any(|n| is_prompt(&n.message));
    let newest = if newest_stays { None } else { old.iter().rposition(|n| is_prompt(&n.message)) };
    let protected = |place: usize, node: &Node| Some(place) == newest || is_instructions(&node.message);
    let mut kept = Vec::new();
    let mut folded = Vec::new();
    for (place, node) in old.iter().enumerate() {
        if protected(place, node) {
            kept.push((node.id.clone(), node.message.clone()));
        } else {
            folded.push(node.message.clone());
        }
    }
    kept.extend(new.iter().map(|n| (n.id.clone(), n.message.clone())));
    if folded.is_empty() {
        return Err("there is nothing older that could be summarised");
    }
    let before = branch.iter().map(|n| estimate(&n.message)).sum();
    Ok(Plan { folded, kept, before })
}

/// Where the newest part begins: never at a result, whose call would be lost.
fn cut(branch: &[&Node], room: u64) -> usize {
    let mut size = 0;
    let mut best = branch.len();
    for (place, node) in branch.iter().enumerate().rev() {
        size += estimate(&node.message);
        if size > room {
            break;
        }
        if !matches!(&*node.message, Message::Tool(_)) {
            best = place;
        }
    }
    best
}

fn is_prompt(message: &Message) -> bool {
    matches!(message, Message::User(User { kind: UserKind::Prompt, .. }))
}

fn is_instructions(message: &Message) -> bool {
    matches!(message, Message::User(User { kind: UserKind::Instructions, .. }))
}

impl Plan {
    /// Tokens of the history with this summary.
    pub fn after(&self, summary: &str) -> u64 {
        let kept: u64 = self.kept.iter().map(|(_, m)| estimate(m)).sum();
        kept + estimate(&summary_message(summary))
    }

    /// Whether what must stay leaves room for a summary at all.
    pub fn can_fit(&self, overhead: u64, window: u64) -> bool {
        self.after("") + overhead + 64 < threshold(window)
    }

    /// Why a summary is not taken; `None` when it is smaller and gets under the threshold (N7).
    pub fn refusal(&self, summary: &str, overhead: u64, window: u64) -> Option<&'static str> {
        if summary.trim().is_empty() {
            return Some("the model gave no summary");
        }
        let after = self.after(summary);
        if after >= self.before {
            return Some("the summary is no shorter than the conversation");
        }
        (after + overhead > threshold(window)).then_some("the summary still leaves too little room")
    }
}

/// The message that stands for what was folded.
pub fn summary_message(summary: &str) -> Message {
    let text =
        format!("The conversation before this point was summarised to save room:\n\n{}", summary.trim());
    Message::User(User {
        content: vec![UserPart::Text(text.into())],
        internal: false,
        kind: UserKind::Summary,
    })
}

/// How much of each kind the summariser reads, in bytes.
#[derive(Debug, Clone, Copy)]
struct Room {
    results: usize,
    replies: usize,
    words: usize,
}

/// The folded part as a text of at most `room` bytes. Results are shortened first, then replies, the person's words and
/// earlier summaries last and visibly; `None` when even so they do not fit.
pub fn digest(folded: &[Arc<Message>], room: usize) -> Option<String> {
    const ALL: usize = usize::MAX;
    let users = folded.iter().filter(|m| matches!(&***m, Message::User(_))).count().max(1);
    let steps = [
        (8_000, ALL, ALL),
        (2_000, ALL, ALL),
        (400, ALL, ALL),
        (100, 2_000, ALL),
        (100, 300, ALL),
        (0, 100, ALL),
        (0, 0, room / users / 2),
    ];
    steps.into_iter().find_map(|(results, replies, words)| {
        let text = render(folded, Room { results, replies, words });
        (text.len() <= room).then_some(text)
    })
}

fn render(folded: &[Arc<Message>], room: Room) -> String {
    let mut out = String::new();
    for message in folded {
        match &**message {
            Message::User(user) => {
                entry(&mut out, user_heading(user.kind), &shorten(&user.text(), room.words))
            }
            Message::Assistant(reply) => assistant(&mut out, reply, room),
            Message::Tool(result) => {
                entry(&mut out, &result_heading(result), &shorten(&result.content, room.results))
            }
        }
    }
    out
}

fn user_heading(kind: UserKind) -> &'static str {
    match kind {
        UserKind::Prompt => "user",
        UserKind::Summary => "earlier summary",
        UserKind::Instructions => "instructions",
        UserKind::Shell => "command the user ran",
    }
}

fn result_heading(result: &ToolResult) -> String {
    format!("result of {}, {}", result.name, result.outcome.name())
}

fn assistant(out: &mut String, reply: &Assistant, room: Room) {
    entry(out, "assistant", &shorten(&reply.text(), room.replies));
    for (_, name, arguments) in reply.calls() {
        entry(out, &format!("assistant calls {name}"), &shorten(arguments, room.results.max(100)));
    }
}

fn entry(out: &mut String, heading: &str, text: &str) {
    if !text.trim().is_empty() {
        out.push_str(&format!("[{heading}]\n{}\n\n", text.trim_end()));
    }
}

/// The beginning and the end of a text that is too long, and how much is missing between them.
fn shorten(text: &str, room: usize) -> String {
    if text.len() <= room {
        return text.to_owned();
    }
    let (head, tail) = (floor(text, room / 2), ceil(text, text.len() - room / 2));
    let missing = text.get(head..tail).unwrap_or_default().chars().count();
    let (first, last) = (text.get(..head).unwrap_or_default(), text.get(tail..).unwrap_or_default());
    format!("{first}[… {missing} characters left out …]{last}")
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn ceil(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

/// The largest things in a branch, for the message that shortening cannot help: what each is, and its tokens.
pub fn largest(branch: &[&Node], count: usize) -> Vec<(String, u64)> {
    let mut all: Vec<(String, u64)> =
        branch.iter().map(|n| (describe(&n.message), estimate(&n.message))).collect();
    all.sort_by_key(|(_, size)| std::cmp::Reverse(*size));
    all.truncate(count);
    all
}

fn describe(message: &Message) -> String {
    let words =
        |text: &str| text.split_whitespace().take(6).collect::<Vec<_>>().join(" ").chars().take(40).collect();
    match message {
        Message::User(user) => {
            let start: String = words(&user.text());
            format!("the message \"{start}…\"")
        }
        Message::Assistant(_) => "a reply".into(),
        Message::Tool(result) => format!("a result of {}", result.name),
    }
}
