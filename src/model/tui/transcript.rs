//! The conversation as blocks, which of them are still growing, and what the terminal's scrollback already has.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;
use std::sync::Arc;

use crate::model::id::{BlockId, CallId};
use crate::model::provider::Message;
use crate::model::session::tree::NodeId;
use crate::model::time::At;
use crate::model::tool::Display;

use super::block::{Block, Body, Call};
use super::scroll::{Scroll, find};

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Transcript {
    blocks: Vec<Block>,
    /// Inline mode: the first blocks, which the terminal's scrollback has and which are never painted again.
    printed: usize,
    /// Blocks of an earlier run that scrollback is spared.
    skipped: Range<usize>,
    /// What was live when the conversation before went, and how many of them were given to scrollback.
    leaving: Vec<Block>,
    left: usize,
    /// The end of a conversation that is still being read. Painted in the place of the blocks while nobody reads back;
    /// it is no part of the conversation and never goes to scrollback.
    ending: Vec<Block>,
    /// All blocks before this one have their colours asked for.
    uncoloured: usize,
    /// The text or thinking block that streams.
    pub prose: Option<BlockId>,
    /// The tool group that takes further calls.
    pub tools: Option<BlockId>,
    /// Which block a call's row is in.
    pub calls: BTreeMap<CallId, BlockId>,
    /// Fullscreen: where the reader stands.
    pub scroll: Scroll,
    /// Messages of the person and the model that were shown in this process, so that going back does not write
    /// them into scrollback again.
    pub shown: BTreeSet<NodeId>,
    /// The newest reply, for `/copy`.
    pub reply: Option<Arc<Message>>,
    /// Text and thinking of the reply that is not committed yet; a dropped reply takes them away.
    pub uncommitted: Vec<BlockId>,
    /// Text that extensions may still rewrite: it stays out of scrollback.
    held: BTreeSet<BlockId>,
    /// Calls whose texts an extension made for the reader, oldest first, with their bytes.
    bodies: VecDeque<(BlockId, CallId, usize)>,
}

/// Texts of extensions that are kept for the reader, and their bytes in all.
const BODIES: usize = 50;
const BODIES_BYTES: usize = 4 * 1024 * 1024;

impl Transcript {
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The blocks that scrollback has not got yet.
    pub fn live(&self) -> &[Block] {
        self.blocks.get(self.next()..).unwrap_or_default()
    }

    /// Shows the end of a conversation until it is there whole; without blocks, what is there is shown again.
    pub fn near(&mut self, ending: Transcript) {
        self.ending = ending.blocks;
    }

    /// What is painted, and from where: inline the live blocks, else all of them.
    pub fn painted(&self, inline: bool) -> (&[Block], &Scroll) {
        if !self.ending.is_empty() && (inline || self.scroll.is_tail()) {
            (&self.ending, &Scroll::Tail)
        } else if inline {
            (self.live(), &Scroll::Tail)
        } else {
            (&self.blocks, &self.scroll)
        }
    }

    /// Index of the next block for scrollback.
    fn next(&self) -> usize {
        if self.skipped.contains(&self.printed) { self.skipped.end } else { self.printed }
    }

    /// How many of the first blocks scrollback has.
    pub fn printed(&self) -> usize {
        self.printed
    }

    pub fn get(&self, id: BlockId) -> Option<&Block> {
        match find(&self.blocks, id) {
            Some(index) => self.blocks.get(index),
            None => self.leaving.get(find(&self.leaving, id)?),
        }
    }

    pub fn get_mut(&mut self, id: BlockId) -> Option<&mut Block> {
        let index = find(&self.blocks, id)?;
        self.blocks.get_mut(index)
    }

    /// Appends a block; its id must be newer than all before.
    pub fn push(&mut self, block: Block) {
        self.blocks.push(block);
    }

    /// The reply that was shown is void: its blocks go, but for those that scrollback has.
    pub fn drop_uncommitted(&mut self) {
        let gone = std::mem::take(&mut self.uncommitted);
        let printed = self.printed;
        let mut index = 0;
        self.blocks.retain(|block| {
            index += 1;
            index <= printed || !gone.contains(&block.id())
        });
        self.prose = None;
    }

    /// Keeps a block out of scrollback for now.
    pub fn hold(&mut self, id: BlockId) {
        self.held.insert(id);
    }

    pub fn release(&mut self, id: BlockId) {
        self.held.remove(&id);
    }

    /// A reply that came to no end is asked about by nobody.
    pub fn release_uncommitted(&mut self) {
        for id in &self.uncommitted {
            self.held.remove(id);
        }
    }

    pub fn is_held(&self, id: BlockId) -> bool {
        self.held.contains(&id)
    }

    /// Puts one body in place of some neighbouring blocks, none of which scrollback has. False when one of them is gone.
    pub fn replace(&mut self, ids: &[BlockId], body: Body) -> bool {
        let places: Option<Vec<usize>> = ids.iter().map(|id| find(&self.blocks, *id)).collect();
        let Some((first, rest)) = places.as_deref().and_then(<[usize]>::split_first) else { return false };
        if *first < self.printed {
            return false;
        }
        if let Some(block) = self.blocks.get_mut(*first) {
            *block.edit() = body;
        }
        let gone: Vec<BlockId> =
            rest.iter().filter_map(|index| self.blocks.get(*index)).map(Block::id).collect();
        self.blocks.retain(|block| !gone.contains(&block.id()));
        self.uncoloured = self.uncoloured.min(*first);
        true
    }

    /// What an extension would have the reader show of a call; false when the call is gone.
    pub fn render_call(&mut self, block: BlockId, call: CallId, display: Display) -> bool {
        let Some(call) = self.call_in(block, call) else { return false };
        (call.rendered, call.rendered_shades) = (Some(display), Default::default());
        self.uncoloured = self.uncoloured.min(find(&self.blocks, block).unwrap_or(usize::MAX));
        true
    }

    fn call_in(&mut self, block: BlockId, call: CallId) -> Option<&mut Call> {
        match self.get_mut(block)?.edit() {
            Body::Tools(group) => group.calls.iter_mut().find(|c| c.id == call),
            _ => None,
        }
    }

    /// A call has a text of an extension's; the oldest go when there are too many, and the reader shows what was stored.
    pub fn keep_body(&mut self, block: BlockId, call: CallId, bytes: usize) {
        self.bodies.retain(|(_, kept, _)| *kept != call);
        self.bodies.push_back((block, call, bytes));
        let mut total: usize = self.bodies.iter().map(|(.., bytes)| bytes).sum();
        while self.bodies.len() > BODIES || total > BODIES_BYTES {
            let Some((block, call, bytes)) = self.bodies.pop_front() else { break };
            total -= bytes;
            if let Some(call) = self.call_in(block, call) {
                call.rendered = None;
                call.display = None;
            }
        }
    }

    /// The next block leaves for scrollback.
    pub fn print_next(&mut self) -> Option<BlockId> {
        let next = self.next();
        let block = self.blocks.get(next)?;
        self.printed = next + 1;
        Some(block.id())
    }

    /// Scrollback never gets these.
    pub fn skip(&mut self, range: Range<usize>) {
        self.skipped = range;
    }

    /// Another conversation: everything goes. What scrollback has stays there, and what was still live follows it:
    /// those blocks are given a last time by [`leaving`](Transcript::leaving).
    pub fn clear(&mut self, now: At) {
        self.close_prose(now);
        let next = self.next().min(self.blocks.len());
        // What could not be given yet, because the alternate screen is shown, goes first.
        let mut leaving = self.leaving.split_off(self.left.min(self.leaving.len()));
        leaving.extend(self.blocks.split_off(next));
        leaving.iter_mut().for_each(|block| block.finish(now));
        let shown = std::mem::take(&mut self.shown);
        *self = Transcript { leaving, shown, ..Transcript::default() };
    }

    /// Blocks of the conversation before that scrollback has not got; each id is given once. The blocks stay to be
    /// painted until the next [`clear`](Transcript::clear).
    pub fn leaving(&mut self) -> Vec<BlockId> {
        let ids = self.leaving.get(self.left..).unwrap_or_default().iter().map(Block::id).collect();
        self.left = self.leaving.len();
        ids
    }

    /// Where the search for code without colours goes on.
    pub fn uncoloured(&self) -> usize {
        self.uncoloured
    }

    pub fn coloured_up_to(&mut self, index: usize) {
        self.uncoloured = self.uncoloured.max(index.min(self.blocks.len()));
    }

    pub fn at_mut(&mut self, index: usize) -> Option<&mut Block> {
        self.blocks.get_mut(index)
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
