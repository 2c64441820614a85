//! A list to choose from, narrowed by typing: what pickers and select questions share.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::text::clean::Clean;
use crate::model::text::fuzzy::{Items, rank};

/// One line of a list.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Item {
    pub label: Clean,
    /// Dim, behind the label.
    pub description: Clean,
    /// Right-aligned: a category, an age.
    pub right: Clean,
    /// What choosing it means; the owner of the list reads it.
    pub value: Arc<str>,
    /// The present one, marked.
    pub current: bool,
    /// Depth, for trees.
    pub indent: u16,
}

impl Item {
    pub fn new(label: &str, description: &str, value: impl Into<Arc<str>>) -> Self {
        Item {
            label: Clean::collapsed(label),
            description: Clean::collapsed(description),
            value: value.into(),
            ..Item::default()
        }
    }
}

/// How the items that match are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// As they are; the best match gets the cursor.
    #[default]
    Given,
    /// Best first; the labels are paths.
    Paths,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct List {
    items: Vec<Item>,
    /// Indices of the items that match.
    shown: Vec<usize>,
    /// Index into `shown`.
    cursor: usize,
    query: String,
    pub order: Order,
}

impl List {
    pub fn new(items: Vec<Item>, order: Order) -> Self {
        let cursor = items.iter().position(|i| i.current).unwrap_or(0);
        let shown = (0..items.len()).collect();
        List { items, shown, cursor, query: String::new(), order }
    }

    /// More items arrive (a walk goes on); the filter is applied to them too.
    pub fn extend(&mut self, items: impl IntoIterator<Item = Item>) {
        self.items.extend(items);
        let query = std::mem::take(&mut self.query);
        self.filter(&query);
    }

    /// Narrows to what matches, with white space between words that must all match: labels loosely, descriptions by
    /// what stands in them, for loose letters are found in nearly every sentence.
    pub fn filter(&mut self, query: &str) {
        self.query = query.to_owned();
        let kind = if self.order == Order::Paths { Items::Paths } else { Items::Words };
        let by_label = rank(query, kind, self.items.iter().map(|i| i.label.as_str()));
        let by_text: Vec<usize> = match self.order {
            Order::Paths => Vec::new(),
            Order::Given => {
                let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
                let texts =
                    self.items.iter().map(|i| format!("{} {}", i.label, i.description).to_lowercase());
                let all = |text: &String| words.iter().all(|word| text.contains(word.as_str()));
                texts.enumerate().filter(|(_, text)| all(text)).map(|(index, _)| index).collect()
            }
        };
        let best = by_label.first().map(|hit| hit.index).or(by_text.first().copied());
        let mut shown: Vec<usize> = by_label.iter().map(|hit| hit.index).collect();
        let labelled: BTreeSet<usize> = shown.iter().copied().collect();
        shown.extend(by_text.into_iter().filter(|index| !labelled.contains(index)));
        self.cursor = 0;
        if self.order == Order::Given {
            shown.sort_unstable();
            let current = self.items.iter().position(|i| i.current).filter(|_| query.is_empty());
            let wanted = if query.is_empty() { current } else { best };
            self.cursor = wanted.and_then(|index| shown.iter().position(|i| *i == index)).unwrap_or(0);
        }
        self.shown = shown;
    }

    pub fn query(&self) -> &str {
        &self.query
    }

    pub fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }

    /// Items that match.
    pub fn len(&self) -> usize {
        self.shown.len()
    }

    /// Items in all.
    pub fn total(&self) -> usize {
        self.items.len()
    }

    pub fn cursor(&self) -> usize {
        self.cursor
    }

    pub fn chosen(&self) -> Option<&Item> {
        self.items.get(*self.shown.get(self.cursor)?)
    }

    pub fn matching(&self) -> impl Iterator<Item = &Item> {
        self.shown.iter().filter_map(|index| self.items.get(*index))
    }

    /// Moves the cursor; past an end it comes out at the other.
    pub fn step(&mut self, down: bool) {
        let len = self.shown.len();
        if len > 0 {
            self.cursor = if down { (self.cursor + 1) % len } else { (self.cursor + len - 1) % len };
        }
    }

    /// Moves by a page; stops at the ends.
    pub fn page(&mut self, down: bool, by: usize) {
        let last = self.shown.len().saturating_sub(1);
        self.cursor = if down { (self.cursor + by).min(last) } else { self.cursor.saturating_sub(by) };
    }

    /// Puts the cursor on a matching item.
    pub fn select(&mut self, index: usize) {
        self.cursor = index.min(self.shown.len().saturating_sub(1));
    }

    /// The matching items in a window of `height` rows: `(index, item)`.
    pub fn window(&self, height: usize) -> impl Iterator<Item = (usize, &Item)> {
        let first = self.cursor.saturating_sub(height / 2).min(self.shown.len().saturating_sub(height));
        self.matching().enumerate().skip(first).take(height)
    }
}
