//! Messages on their way to the core: everything that is ready is taken at once, and neighbouring pieces of one stream
//! are joined, so that a fast reply costs the core few updates (invariant R6: joining changes no final state).

use crate::model::msg::Msg;
use crate::model::provider::StreamMsg;
use crate::model::term::TermMsg;

/// Most messages of one batch.
pub const BATCH: usize = 256;
/// A joined piece grows no longer than this, so that one update stays short.
const JOINED_BYTES: usize = 16 * 1024;

/// Adds `msg` to the batch, joined to the last one where both are text of one stream.
pub fn push(batch: &mut Vec<Msg>, msg: Msg) {
    if let (Some(Msg::Stream(last, old)), Msg::Stream(id, new)) = (batch.last_mut(), &msg)
        && last == id
        && join(old, new)
    {
        return;
    }
    batch.push(msg);
}

fn join(old: &mut StreamMsg, new: &StreamMsg) -> bool {
    match (old, new) {
        (StreamMsg::Text(a), StreamMsg::Text(b)) | (StreamMsg::Reasoning(a), StreamMsg::Reasoning(b))
            if a.len() + b.len() <= JOINED_BYTES =>
        {
            a.push_str(b);
            true
        }
        (StreamMsg::CallArgs { index: i, delta: a }, StreamMsg::CallArgs { index: j, delta: b })
            if i == j && a.len() + b.len() <= JOINED_BYTES =>
        {
            a.push_str(b);
            true
        }
        _ => false,
    }
}

/// So many characters in one read are no typing but a paste without marks.
const TYPED: usize = 64;

/// Messages of one read, with what can only be a paste joined into one edit: thousands of keys would be as many updates.
pub fn typed(msgs: Vec<TermMsg>) -> Vec<TermMsg> {
    if msgs.len() <= TYPED {
        return msgs;
    }
    let mut out = Vec::new();
    let mut run = Vec::new();
    for msg in msgs {
        if text(&msg) {
            run.push(msg);
        } else {
            flush(&mut run, &mut out);
            out.push(msg);
        }
    }
    flush(&mut run, &mut out);
    out
}

fn text(msg: &TermMsg) -> bool {
    match msg {
        TermMsg::Key(chord) => chord.text().is_some(),
        TermMsg::Text(_) => true,
        _ => false,
    }
}

/// Short runs stay keys, because a pane or a panel is sent their names.
fn flush(run: &mut Vec<TermMsg>, out: &mut Vec<TermMsg>) {
    if run.len() <= TYPED {
        return out.append(run);
    }
    let mut joined = String::new();
    for msg in run.drain(..) {
        match msg {
            TermMsg::Key(chord) => joined.extend(chord.text()),
            TermMsg::Text(text) => joined.push_str(&text),
            _ => {}
        }
    }
    out.push(TermMsg::Text(joined));
}
