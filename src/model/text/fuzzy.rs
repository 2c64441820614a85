//! Ranking items by how well they match what was typed, for every picker.

use std::ops::Range;

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::width::clusters;

/// What the items are, which decides what counts as the start of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Items {
    /// Commands, names, labels.
    Words,
    /// Paths: a match right behind a `/` counts more.
    Paths,
}

/// An item that matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Place in the items given.
    pub index: usize,
    /// The higher the better; an item equal to the query has `u32::MAX`.
    pub score: u32,
}

/// A query ready to be asked of many items. White space separates words that must all match; capitals in the
/// query make it mind the case; accents are ignored unless the query has them.
pub struct Query {
    raw: String,
    pattern: Pattern,
    matcher: Matcher,
    buffer: Vec<char>,
}

impl std::fmt::Debug for Query {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Query").field("raw", &self.raw).finish_non_exhaustive()
    }
}

impl Query {
    /// Reads what was typed.
    pub fn new(query: &str, items: Items) -> Self {
        let mut config = Config::DEFAULT;
        config.prefer_prefix = items == Items::Words;
        if items == Items::Paths {
            config.set_match_paths();
        }
        // The matcher compares first characters of clusters, so a mark in the query would match nothing.
        let typed: String = clusters(query).filter_map(|cluster| cluster.text.chars().next()).collect();
        let pattern = Pattern::new(&typed, CaseMatching::Smart, Normalization::Smart, AtomKind::Fuzzy);
        Self { raw: query.to_owned(), pattern, matcher: Matcher::new(config), buffer: Vec::new() }
    }

    /// How well an item matches; `None` when it does not.
    pub fn score(&mut self, item: &str) -> Option<u32> {
        if item == self.raw {
            return Some(u32::MAX);
        }
        let item = firsts(item, &mut self.buffer);
        self.pattern.score(item, &mut self.matcher)
    }

    /// The byte ranges of an item that matched, in order, to be shown in another look.
    pub fn matched(&mut self, item: &str) -> Vec<Range<usize>> {
        let mut places = Vec::new();
        let utf32 = firsts(item, &mut self.buffer);
        if self.pattern.indices(utf32, &mut self.matcher, &mut places).is_none() {
            return Vec::new();
        }
        places.sort_unstable();
        places.dedup();
        let mut places = places.into_iter().peekable();
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for (at, cluster) in clusters(item).enumerate() {
            if places.next_if(|place| *place as usize == at).is_none() {
                continue;
            }
            match ranges.last_mut() {
                Some(last) if last.end == cluster.start => last.end = cluster.end(),
                _ => ranges.push(cluster.start..cluster.end()),
            }
        }
        ranges
    }
}

/// The items that match, best first; equals stay in their order. An empty query matches all.
pub fn rank<'a>(query: &str, kind: Items, items: impl IntoIterator<Item = &'a str>) -> Vec<Hit> {
    let mut query = Query::new(query, kind);
    let scored = items.into_iter().enumerate();
    let mut hits: Vec<Hit> =
        scored.filter_map(|(index, item)| query.score(item).map(|score| Hit { index, score })).collect();
    hits.sort_by_key(|hit| std::cmp::Reverse(hit.score));
    hits
}

fn firsts<'a>(text: &'a str, buffer: &'a mut Vec<char>) -> Utf32Str<'a> {
    if text.is_ascii() && !text.contains('\r') {
        return Utf32Str::Ascii(text.as_bytes());
    }
    buffer.clear();
    buffer.extend(clusters(text).filter_map(|cluster| cluster.text.chars().next()));
    Utf32Str::Unicode(buffer)
}
