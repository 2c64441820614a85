//! The rows of a block that grows, however long it becomes: those that are settled are made once.

use super::super::block::{Block, Body};
use super::super::viewer::Depth;
use super::{Look, prefixed};
use crate::model::text::clean::Clean;
use crate::model::text::markdown::{Growing, Options, Rows};
use crate::model::text::row::{Join, Row, Span, Token};
use crate::model::text::wrap;

/// Bytes below which a text is simply rendered whole.
const LEAST: usize = 4 * 1024;

/// How much of a growing block's rows is settled, at one width and depth.
#[derive(Debug)]
pub struct Growth {
    how: How,
    begun: bool,
}

#[derive(Debug)]
enum How {
    Markdown(Box<Growing>),
    /// Plain text: where the rest begins, and how it follows the row before.
    Plain(usize, Join),
}

impl Growth {
    /// For a block that is long, and still growing in a way that can be followed.
    pub fn of(block: &Block) -> Option<Growth> {
        let how = match block.body() {
            Body::Text(prose) if prose.links.is_none() && prose.words.len() > LEAST => {
                How::Markdown(Box::default())
            }
            Body::Thinking(prose) if prose.words.len() > LEAST => How::Plain(0, Join::Line),
            _ => return None,
        };
        (!block.is_done()).then_some(Growth { how, begun: false })
    }

    /// The rows that have become settled since, and those behind them; none when the block has to be rendered whole,
    /// and what was given before is void. The look must be the same each time.
    pub fn advance(&mut self, block: &Block, look: Look<'_>) -> Option<Rows> {
        if block.is_done() {
            return None;
        }
        let mut rows = match (&mut self.how, block.body()) {
            (How::Markdown(growing), Body::Text(prose)) => {
                let options = Options { streaming: true, ..look.markdown(Token::Plain) };
                growing.advance(prose.text().as_str(), options, &prose.codes)?
            }
            (How::Plain(from, join), Body::Thinking(prose)) => {
                if !look.settings.show_thinking && look.depth == Depth::Brief {
                    return None;
                }
                let text = prose.text();
                let rest = Clean::vanish(text.as_str().get(*from..)?);
                let how = look.narrower(2).wrap();
                let line = Row { join: *join, ..Row::of(rest, Token::ThinkingText) };
                let (settled, open) = wrap::settled(&line, how);
                *from = text.len() - open.spans.iter().map(|span| span.text.len()).sum::<usize>();
                *join = open.join;
                let railed = |rows: Vec<Row>| {
                    let rail = Span::decor("│ ", Token::ThinkingText);
                    rows.into_iter().flat_map(|row| prefixed(vec![row], &rail)).collect()
                };
                Rows { settled: railed(settled), rest: railed(wrap::resumed(&open, how)) }
            }
            _ => return None,
        };
        if !self.begun {
            self.begun = true;
            rows.settled.insert(0, Row::empty());
        }
        Some(rows)
    }
}
