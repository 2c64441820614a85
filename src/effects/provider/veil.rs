//! Masks loaded keys in what a model writes, before any of it reaches the core: text, reasoning, and calls. A key may be cut
//! anywhere between pieces, so the end of a piece that could be the beginning of a key waits for the next.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::super::secrets::{MaskStream, Secrets};
use crate::model::provider::{Fault, StreamMsg};

/// Stands for what no key can go across: the edge of a JSON string. It is no byte of UTF-8.
const EDGE: u8 = 0xff;
/// Stands for a masked character of arguments. Stars would be a pattern that a shell expands to every file there is.
const PLAIN: char = 'x';

/// The masking of one reply.
#[derive(Debug)]
pub struct Veil {
    secrets: Secrets,
    text: MaskStream,
    reasoning: MaskStream,
    calls: BTreeMap<usize, Arguments>,
}

impl Veil {
    pub fn new(secrets: &Secrets) -> Self {
        Veil {
            secrets: secrets.clone(),
            text: secrets.stream(),
            reasoning: secrets.stream(),
            calls: BTreeMap::new(),
        }
    }

    /// Takes the next piece of the reply and sends what may be known. Pieces keep their order.
    pub fn pass(&mut self, message: StreamMsg, send: &impl Fn(StreamMsg)) {
        self.let_go(&message, send);
        match message {
            StreamMsg::Text(text) => say(self.text.push(text.as_bytes()), StreamMsg::Text, send),
            StreamMsg::Reasoning(text) => {
                say(self.reasoning.push(text.as_bytes()), StreamMsg::Reasoning, send);
            }
            StreamMsg::ReasoningEnd { signature, sealed } => {
                let altered = self.reasoning.take_hit() | sealed.as_ref().is_some_and(|s| self.in_json(s));
                // A seal over other words than these would be refused, and a sealed item repeats the words.
                let (signature, sealed) = if altered { (None, None) } else { (signature, sealed) };
                send(StreamMsg::ReasoningEnd { signature, sealed });
            }
            StreamMsg::CallStart { index, id, name } => {
                self.calls.insert(index, Arguments::new(&self.secrets));
                send(StreamMsg::CallStart { index, id: self.mask(&id), name: self.mask(&name) });
            }
            StreamMsg::CallArgs { index, delta } => {
                let call = self.calls.entry(index).or_insert_with(|| Arguments::new(&self.secrets));
                let delta = call.push(&delta);
                if !delta.is_empty() {
                    send(StreamMsg::CallArgs { index, delta });
                }
            }
            StreamMsg::CallEnd { index, signature } => {
                let altered = self.end_call(index, send);
                send(StreamMsg::CallEnd { index, signature: signature.filter(|_| !altered) });
            }
            StreamMsg::Notice(notice) => send(StreamMsg::Notice(self.mask(&notice))),
            StreamMsg::Failed(fault) => send(StreamMsg::Failed(self.fault(fault))),
            StreamMsg::Opened | StreamMsg::Usage(_) | StreamMsg::Done(_) => send(message),
        }
    }

    /// What is held back of another kind goes before this piece.
    fn let_go(&mut self, next: &StreamMsg, send: &impl Fn(StreamMsg)) {
        if matches!(next, StreamMsg::Opened | StreamMsg::Usage(_) | StreamMsg::Notice(_)) {
            return;
        }
        if !matches!(next, StreamMsg::Reasoning(_)) {
            say(self.reasoning.flush(), StreamMsg::Reasoning, send);
        }
        if !matches!(next, StreamMsg::Text(_)) {
            say(self.text.flush(), StreamMsg::Text, send);
        }
        if matches!(next, StreamMsg::Done(_) | StreamMsg::Failed(_)) {
            while let Some(index) = self.calls.keys().next().copied() {
                self.end_call(index, send);
            }
        }
    }

    /// Sends the rest of a call's arguments; true when there was a key in them.
    fn end_call(&mut self, index: usize, send: &impl Fn(StreamMsg)) -> bool {
        let Some(mut call) = self.calls.remove(&index) else { return false };
        let delta = call.finish();
        if !delta.is_empty() {
            send(StreamMsg::CallArgs { index, delta });
        }
        call.altered
    }

    fn mask(&self, text: &Arc<str>) -> Arc<str> {
        Arc::from(self.secrets.mask(text))
    }

    /// Does a JSON text hold a key, as it stands or in what its strings mean?
    fn in_json(&self, json: &str) -> bool {
        let mut reader = Arguments::new(&self.secrets);
        reader.push(json);
        reader.finish();
        reader.altered || self.secrets.mask(json) != json
    }

    /// A provider may quote the key it was sent.
    fn fault(&self, fault: Fault) -> Fault {
        Fault {
            summary: self.mask(&fault.summary),
            detail: self.mask(&fault.detail),
            request_id: fault.request_id.as_ref().map(|id| self.mask(id)),
            ..fault
        }
    }
}

fn say(bytes: Vec<u8>, make: impl Fn(String) -> StreamMsg, send: &impl Fn(StreamMsg)) {
    if !bytes.is_empty() {
        // A key begins and ends at a character, so what comes out is UTF-8 as what went in.
        send(make(
            String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()),
        ));
    }
}

/// One call's arguments, read as JSON while they come, so that a key is found however its characters are escaped, and what
/// stands for it keeps the JSON whole.
#[derive(Debug)]
struct Arguments {
    masks: MaskStream,
    /// The text of the units that are not decided.
    raw: String,
    units: VecDeque<Unit>,
    /// An escape that is not complete.
    escape: String,
    in_string: bool,
    altered: bool,
}

/// What stands for one character, or for an edge.
#[derive(Debug)]
struct Unit {
    /// Bytes of the text as it was written.
    written: usize,
    /// The bytes it means.
    means: [u8; 4],
    length: usize,
    in_string: bool,
}

impl Arguments {
    fn new(secrets: &Secrets) -> Self {
        Arguments {
            masks: secrets.stream(),
            raw: String::new(),
            units: VecDeque::new(),
            escape: String::new(),
            in_string: false,
            altered: false,
        }
    }

    fn push(&mut self, delta: &str) -> String {
        let mut meant = Vec::with_capacity(delta.len());
        for c in delta.chars() {
            self.character(c, &mut meant);
        }
        let decided = self.masks.push(&meant);
        self.write(&decided)
    }

    fn finish(&mut self) -> String {
        let mut meant = Vec::new();
        self.as_it_stands(&mut meant);
        let mut decided = self.masks.push(&meant);
        decided.extend(self.masks.finish());
        self.write(&decided)
    }

    fn character(&mut self, c: char, meant: &mut Vec<u8>) {
        if !self.escape.is_empty() {
            self.escape.push(c);
            match unescape(&self.escape) {
                Escape::Open => {}
                Escape::Means(means) => {
                    let written = std::mem::take(&mut self.escape);
                    self.unit(&written, means, meant);
                }
                Escape::Broken => {
                    self.escape.pop();
                    self.as_it_stands(meant);
                    self.character(c, meant);
                }
            }
        } else if self.in_string && c == '\\' {
            self.escape.push(c);
        } else {
            let edge = c == '"';
            self.unit(c.encode_utf8(&mut [0; 4]), (!edge).then_some(c), meant);
            self.in_string ^= edge;
        }
    }

    /// What is no escape after all means itself.
    fn as_it_stands(&mut self, meant: &mut Vec<u8>) {
        for c in std::mem::take(&mut self.escape).chars() {
            self.unit(c.encode_utf8(&mut [0; 4]), Some(c), meant);
        }
    }

    /// Takes in a character as written; one that means nothing a key can have is an edge.
    fn unit(&mut self, written: &str, means: Option<char>, meant: &mut Vec<u8>) {
        let mut unit =
            Unit { written: written.len(), means: [EDGE; 4], length: 1, in_string: self.in_string };
        if let Some(means) = means {
            unit.length = means.encode_utf8(&mut unit.means).len();
        }
        meant.extend(unit.means.iter().take(unit.length));
        self.units.push_back(unit);
        self.raw.push_str(written);
    }

    /// The text of decided characters: as written, but for those that were masked.
    fn write(&mut self, decided: &[u8]) -> String {
        let (mut out, mut read, mut at) = (String::new(), 0, 0);
        while at < decided.len()
            && let Some(unit) = self.units.pop_front()
        {
            let now = decided.get(at..at + unit.length).unwrap_or_default();
            let written = self.raw.get(read..read + unit.written).unwrap_or_default();
            at += unit.length;
            read += unit.written;
            if unit.means.get(..unit.length) == Some(now) {
                out.push_str(written);
                continue;
            }
            self.altered = true;
            // Outside strings only a number can be a key and JSON; it stays a number.
            let digit =
                !unit.in_string && written.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
            out.extend(std::iter::repeat_n(if digit { '1' } else { PLAIN }, unit.length));
        }
        self.raw.drain(..read);
        out
    }
}

enum Escape {
    /// It may go on.
    Open,
    /// A character, or half of a pair, which no key has.
    Means(Option<char>),
    Broken,
}

fn unescape(escape: &str) -> Escape {
    let mut rest = escape.chars().skip(1);
    Escape::Means(Some(match rest.next() {
        None => return Escape::Open,
        Some('u') => {
            let digits = escape.get(2..).unwrap_or_default();
            if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
                return Escape::Broken;
            }
            if digits.len() < 4 {
                return Escape::Open;
            }
            return Escape::Means(u32::from_str_radix(digits, 16).ok().and_then(char::from_u32));
        }
        Some('n') => '\n',
        Some('t') => '\t',
        Some('r') => '\r',
        Some('b') => '\u{8}',
        Some('f') => '\u{c}',
        Some(c @ ('"' | '\\' | '/')) => c,
        Some(_) => return Escape::Broken,
    }))
}
