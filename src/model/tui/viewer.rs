//! The ctrl+o reader: the whole conversation on the alternate screen, in two depths, with its own place and search.

use crate::model::id::BlockId;
use crate::model::text::clean::Clean;

use super::draft::Draft;
use super::overview::Overview;
use super::scroll::Scroll;

/// How much of each block is written out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Depth {
    /// As the transcript shows it.
    #[default]
    Brief,
    /// Whole tool output, displays and thinking.
    Whole,
}

/// What the reader shows.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Page {
    /// The conversation.
    #[default]
    Conversation,
    /// A page of `e`'s own (help, keys, usage), Markdown.
    Text { title: Clean, body: Clean },
    /// The extensions and how they do.
    Extensions(Overview),
}

/// A search: typed after `/`, then walked with n and N.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Search {
    pub draft: Draft,
    /// Still being typed.
    pub typing: bool,
    /// Nothing matched last time.
    pub missed: bool,
    /// The match gone to last, until the view is moved.
    pub hit: Option<Hit>,
}

/// Where a match stands: a row of a block, or of a text page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    pub block: Option<BlockId>,
    pub row: usize,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reader {
    pub page: Page,
    pub depth: Depth,
    pub scroll: Scroll,
    /// Row of a text page's top.
    pub top: usize,
    pub search: Option<Search>,
}

impl Reader {
    pub fn text(title: &str, body: &str) -> Self {
        let page = Page::Text { title: Clean::collapsed(title), body: Clean::vanish(body) };
        Reader { page, ..Reader::default() }
    }

    /// The key hint of the status row.
    pub fn hint(&self) -> &'static str {
        match (&self.search, &self.page) {
            (_, Page::Extensions(page)) => page.hint(),
            (Some(search), _) if search.typing => "enter find · esc cancel",
            (Some(_), _) => "n next · N previous · esc end search",
            (None, Page::Conversation) => "↑↓ pgup pgdn scroll · ←→ less/more detail · / search · esc close",
            (None, Page::Text { .. }) => "↑↓ pgup pgdn scroll · / search · esc close",
        }
    }
}
