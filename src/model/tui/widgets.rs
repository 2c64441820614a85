//! Rows that extensions keep above the composer: one slot for each extension and key, all dealt out of a few rows
//! (`extensions-notes.md` 14).

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::id::ExtId;
use crate::model::text::clean::Clean;
use crate::model::text::row::{Row, Span, Token};
use crate::model::wire::ext::Lines;

use super::geometry::WIDGET_ROWS;

/// By key, then by the extension's name: the order they are shown in.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Widgets {
    slots: BTreeMap<(Arc<str>, Arc<str>, ExtId), Lines>,
}

/// A slot while rows are dealt.
struct Hand<'a> {
    ext: ExtId,
    lines: &'a Lines,
    got: usize,
}

impl Hand<'_> {
    fn wants(&self) -> usize {
        self.lines.rows.len() + self.lines.more
    }
}

impl Widgets {
    /// Fills a slot; without a line it goes. The key is the extension's name where it gave none.
    pub fn set(&mut self, ext: ExtId, name: &Arc<str>, key: Option<Arc<str>>, lines: Lines) {
        let slot = (key.unwrap_or_else(|| name.clone()), name.clone(), ext);
        if lines.is_empty() {
            self.slots.remove(&slot);
        } else {
            self.slots.insert(slot, lines);
        }
    }

    /// The process is gone, and its slots with it.
    pub fn clear(&mut self, ext: ExtId) {
        self.slots.retain(|(_, _, owner), _| *owner != ext);
    }

    /// Rows that all would like together, at most what there is for them.
    pub fn height(&self) -> u16 {
        let wanted: usize = self.slots.values().map(|lines| lines.rows.len() + lines.more).sum();
        u16::try_from(wanted).unwrap_or(u16::MAX).min(WIDGET_ROWS)
    }

    /// The rows that are shown where there is room for so many, in slot order. They are dealt one at a time: each
    /// extension gets one per round, and inside an extension each slot its first before any gets a second.
    pub fn dealt(&self, room: usize, columns: usize) -> Vec<Row> {
        let mut hands: Vec<Hand<'_>> =
            self.slots.iter().map(|((_, _, ext), lines)| Hand { ext: *ext, lines, got: 0 }).collect();
        let mut order: Vec<ExtId> = Vec::new();
        for hand in &hands {
            if !order.contains(&hand.ext) {
                order.push(hand.ext);
            }
        }
        let mut left = room;
        while left > 0 {
            let before = left;
            for ext in &order {
                let open = hands.iter_mut().filter(|hand| hand.ext == *ext && hand.got < hand.wants());
                // The first of those that have least.
                if let Some(hand) = open.min_by_key(|hand| hand.got)
                    && left > 0
                {
                    hand.got += 1;
                    left -= 1;
                }
            }
            if left == before {
                break;
            }
        }
        hands.iter().flat_map(|hand| shown(hand.lines, hand.got, columns)).collect()
    }
}

/// A slot's rows in the room it got: the last counts what is missing; an only one ends in `…`.
fn shown(lines: &Lines, got: usize, columns: usize) -> Vec<Row> {
    let total = lines.rows.len() + lines.more;
    let whole = |count: usize| lines.rows.iter().take(count).map(|row| row.cut(columns));
    match got {
        0 => Vec::new(),
        _ if got >= total => whole(got).collect(),
        1 => {
            let first = lines.rows.first().map(|row| row.cut(columns.saturating_sub(1))).unwrap_or_default();
            vec![first.with(Span::decor("…", Token::Dim))]
        }
        _ => {
            let count = (got - 1).min(lines.rows.len());
            let more = Clean::one_line(&format!("… {} more", total - count));
            whole(count).chain([Row::from(Span::decor(more, Token::Dim)).cut(columns)]).collect()
        }
    }
}
