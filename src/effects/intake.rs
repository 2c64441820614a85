//! Messages on their way to the core: everything that is ready is taken at once, and neighbouring pieces of one stream
//! are joined, so that a fast reply costs the core few updates (invariant R6: joining changes no final state).

use crate::model::msg::Msg;
use crate::model::provider::StreamMsg;

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
