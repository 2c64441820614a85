//! The conversation as blocks, which of them are still growing, and what the terminal's scrollback already has.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::id::{BlockId, CallId};
use crate::model::provider::Message;
use crate::model::time::At;

use super::block::{Block, Body, Call};
use super::scroll::{Scroll, find};

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Transcript {
    blocks: Vec<Block>,
    /// Inline mode: the first blocks, which the terminal's scrollback has and which are never painted again.
    printed: usize,
    /// The text or thinking block that streams.
    pub prose: Option<BlockId>,
    /// The tool group that takes further calls.
    pub tools: Option<BlockId>,
    /// Which block a call's row is in.
    pub calls: BTreeMap<CallId, BlockId>,
    /// Fullscreen: where the reader stands.
    pub scroll: Scroll,
    /// The newest reply, for `/copy`.
    pub reply: Option<Arc<Message>>,
    /// Blocks made since the last commit; a dropped reply takes them away.
    pub since_commit: usize,
}

impl Transcript {
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The blocks that are still painted in inline mode.
    pub fn live(&self) -> &[Block] {
        self.blocks.get(self.printed..).unwrap_or_default()
    }

    /// How many of the first blocks scrollback has.
    pub fn printed(&self) -> usize {
        self.printed
    }

    pub fn get(&self, id: BlockId) -> Option<&Block> {
        self.blocks.get(find(&self.blocks, id)?)
    }

    pub fn get_mut(&mut self, id: BlockId) -> Option<&mut Block> {
        let index = find(&self.blocks, id)?;
        self.blocks.get_mut(index)
    }

    /// Appends a block; its id must be newer than all before.
    pub fn push(&mut self, block: Block) {
        self.blocks.push(block);
        self.since_commit += 1;
    }

    /// Takes away the last blocks that scrollback does not have.
    pub fn truncate(&mut self, len: usize) {
        self.blocks.truncate(len.max(self.printed));
    }

    /// The next block leaves for scrollback.
    pub fn print_next(&mut self) -> Option<BlockId> {
        let block = self.blocks.get(self.printed)?;
        self.printed += 1;
        Some(block.id())
    }

    /// The next block is passed over: scrollback never gets it.
    pub fn skip_to(&mut self, index: usize) {
        self.printed = self.printed.max(index.min(self.blocks.len()));
    }

    /// Another conversation: everything goes. What scrollback has stays there.
    pub fn clear(&mut self) {
        *self = Transcript::default();
    }

    /// A call's row, wherever it is; the block's version moves.
    pub fn call_mut(&mut self, id: CallId) -> Option<&mut Call> {
        let block = *self.calls.get(&id)?;
        match self.get_mut(block)?.edit() {
            Body::Tools(tools) => tools.calls.iter_mut().find(|c| c.id == id),
            Body::Shell { call, .. } => Some(call),
            Body::Banner { .. }
            | Body::User { .. }
            | Body::Text(_)
            | Body::Thinking(_)
            | Body::Notice { .. }
            | Body::Error { .. }
            | Body::Summary { .. }
            | Body::Show { .. } => None,
        }
    }

    /// Nothing streams into the open text or thinking block any more.
    pub fn close_prose(&mut self, now: At) {
        let Some(id) = self.prose.take() else { return };
        let Some(block) = self.get_mut(id) else { return };
        if let Body::Text(prose) | Body::Thinking(prose) = block.edit() {
            prose.close();
        }
        block.finish(now);
    }

    /// No further call joins the open group; it is done once its calls are.
    pub fn close_tools(&mut self, now: At) {
        let Some(id) = self.tools.take() else { return };
        let Some(block) = self.get_mut(id) else { return };
        let running = matches!(block.body(), Body::Tools(tools) if tools.running());
        if !running {
            block.finish(now);
        }
    }
}
