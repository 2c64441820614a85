//! Text being edited: clusters, units that count as one (paste and image markers), cursor, selection, undo.
//! Knows nothing of keys, screens or where the text goes.

use std::ops::Range;

use crate::model::text::width::clusters;

pub use super::fragment::{Attachment, Fragment, Mark};

/// One undoable change: at `at`, `old` became `new`.
#[derive(Debug, Clone, PartialEq)]
struct Change {
    at: usize,
    old: Fragment,
    new: Fragment,
    cursor: usize,
    group: Group,
}

/// Which changes join into one step of undo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Characters of a word.
    Typing,
    /// White space: ends a word's step.
    Spacing,
    Erasing,
    /// Always a step of its own.
    Alone,
}

/// Steps of undo that are kept.
const UNDO_STEPS: usize = 1000;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Draft {
    body: Fragment,
    /// A byte offset, always between two units.
    cursor: usize,
    /// The other end of the selection.
    anchor: Option<usize>,
    undo: Vec<Change>,
    redo: Vec<Change>,
    /// The last change was of this kind and nothing but it happened since.
    open: Option<Group>,
    /// Moves with every change of the text, so that timers and caches can tell.
    version: u64,
}

/// A cluster or a marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unit<'a> {
    pub start: usize,
    pub end: usize,
    pub text: &'a str,
    /// Index into the marks.
    pub mark: Option<usize>,
}

impl Draft {
    pub fn of(text: &str) -> Self {
        let mut draft = Draft::default();
        draft.insert(Fragment::whole(text), Group::Alone);
        draft.undo.clear();
        draft
    }

    pub fn text(&self) -> &str {
        &self.body.text
    }

    pub fn marks(&self) -> &[Mark] {
        &self.body.marks
    }

    pub fn body(&self) -> &Fragment {
        &self.body
    }

    pub fn cursor(&self) -> usize {
        self.cursor
    }

    pub fn version(&self) -> u64 {
        self.version
    }

    pub fn is_empty(&self) -> bool {
        self.body.is_empty()
    }

    /// The selected range, when there is one that is not empty.
    pub fn selection(&self) -> Option<Range<usize>> {
        let anchor = self.anchor?;
        (anchor != self.cursor).then(|| anchor.min(self.cursor)..anchor.max(self.cursor))
    }

    pub fn selected(&self) -> Option<Fragment> {
        self.selection().map(|range| self.body.slice(&range))
    }

    pub fn slice(&self, range: Range<usize>) -> Fragment {
        self.body.slice(&self.snap(range))
    }

    /// The units of the text in order.
    pub fn units(&self) -> impl Iterator<Item = Unit<'_>> {
        units(&self.body, 0)
    }

    /// The units from a place between units on.
    pub fn units_from(&self, at: usize) -> impl Iterator<Item = Unit<'_>> {
        units(&self.body, at)
    }

    /// The unit that ends at or spans the place just before `at`.
    pub fn unit_before(&self, at: usize) -> Option<Unit<'_>> {
        if let Some((index, mark)) =
            self.body.marks.iter().enumerate().find(|(_, m)| m.start < at && at <= m.end)
        {
            let text = self.body.text.get(mark.start..mark.end)?;
            return Some(Unit { start: mark.start, end: mark.end, text, mark: Some(index) });
        }
        // From the line's start or the marker before: no unit spans either.
        let line = self.body.text.get(..at)?.trim_end_matches('\n').rfind('\n').map_or(0, |n| n + 1);
        let from = self.body.marks.iter().rev().map(|m| m.end).find(|end| *end < at).unwrap_or(0).max(line);
        units(&self.body, from).take_while(|u| u.start < at).last()
    }

    pub fn unit_after(&self, at: usize) -> Option<Unit<'_>> {
        units(&self.body, at).next()
    }

    /// The nearest place between units at or after `at`.
    fn boundary(&self, at: usize) -> usize {
        let at = at.min(self.body.text.len());
        if let Some(mark) = self.body.marks.iter().find(|m| m.start < at && at < m.end) {
            return mark.end;
        }
        let mut at = at;
        while !self.body.text.is_char_boundary(at) {
            at += 1;
        }
        match self.unit_before(at) {
            Some(unit) if unit.end > at => unit.end,
            _ => at,
        }
    }

    /// The range grown so that it cuts no unit.
    fn snap(&self, range: Range<usize>) -> Range<usize> {
        let end = self.boundary(range.end.max(range.start));
        let mut start = range.start.min(self.body.text.len());
        while !self.body.text.is_char_boundary(start) {
            start -= 1;
        }
        if let Some(mark) = self.body.marks.iter().find(|m| m.start < start && start < m.end) {
            start = mark.start;
        } else if let Some(unit) = self.unit_before(start)
            && unit.end > start
        {
            start = unit.start;
        }
        start..end
    }

    /// Puts the cursor at the nearest place between units; `select` keeps or starts a selection.
    pub fn go(&mut self, to: usize, select: bool) {
        if !select {
            self.anchor = None;
        } else if self.anchor.is_none() {
            self.anchor = Some(self.cursor);
        }
        self.cursor = self.boundary(to);
        self.open = None;
    }

    pub fn select_all(&mut self) {
        self.anchor = Some(0);
        self.cursor = self.body.text.len();
        self.open = None;
    }

    /// Replaces the selection, or inserts at the cursor, which then stands behind what was inserted.
    pub fn insert(&mut self, new: Fragment, group: Group) {
        let range = self.selection().unwrap_or(self.cursor..self.cursor);
        self.replace(range, new, group);
    }

    /// Replaces a range, grown so that it cuts no unit, and gives back what stood there.
    pub fn replace(&mut self, range: Range<usize>, new: Fragment, group: Group) -> Fragment {
        let range = self.snap(range);
        if range.is_empty() && new.is_empty() {
            self.anchor = None;
            return Fragment::default();
        }
        let cursor = self.cursor;
        let behind = range.start + new.text.len();
        let old = self.splice(range.clone(), new.clone());
        self.remember(Change { at: range.start, old: old.clone(), new, cursor, group });
        self.cursor = self.boundary(behind);
        self.anchor = None;
        old
    }

    /// Deletes one character before `at`, which may leave the rest of a cluster: its marks stay behind one by one.
    pub fn delete_char(&mut self, range: Range<usize>) {
        if !self.body.text.is_char_boundary(range.start) || !self.body.text.is_char_boundary(range.end) {
            return;
        }
        let cursor = self.cursor;
        let old = self.splice(range.clone(), Fragment::default());
        self.remember(Change {
            at: range.start,
            old,
            new: Fragment::default(),
            cursor,
            group: Group::Erasing,
        });
        self.cursor = self.boundary(range.start);
        self.anchor = None;
    }

    /// Replaces everything as one step.
    pub fn set(&mut self, body: Fragment) {
        let all = 0..self.body.text.len();
        self.replace(all, body, Group::Alone);
    }

    /// Empties the draft and forgets how it came to be: it was sent.
    pub fn take(&mut self) -> Fragment {
        let version = self.version + 1;
        let body = std::mem::take(self).body;
        self.version = version;
        body
    }

    /// Takes another draft's place, counting its versions on.
    pub fn replace_by(&mut self, other: Draft) {
        let version = self.version + 1;
        *self = Draft { version, ..other };
    }

    pub fn undo(&mut self) -> bool {
        let Some(change) = self.undo.pop() else { return false };
        self.splice(change.at..change.at + change.new.text.len(), change.old.clone());
        self.cursor = self.boundary(change.cursor);
        self.anchor = None;
        self.open = None;
        self.redo.push(change);
        true
    }

    pub fn redo(&mut self) -> bool {
        let Some(change) = self.redo.pop() else { return false };
        self.splice(change.at..change.at + change.old.text.len(), change.new.clone());
        self.cursor = self.boundary(change.at + change.new.text.len());
        self.anchor = None;
        self.open = None;
        self.undo.push(change);
        true
    }

    fn splice(&mut self, range: Range<usize>, new: Fragment) -> Fragment {
        let old = self.body.slice(&range);
        let tail = self.body.slice(&(range.end..self.body.text.len()));
        self.body.text.truncate(range.start);
        self.body.marks.retain(|m| m.end <= range.start);
        self.body.push(new);
        self.body.push(tail);
        self.version += 1;
        old
    }

    fn remember(&mut self, change: Change) {
        self.redo.clear();
        let joins = self.open == Some(change.group)
            || (self.open, change.group) == (Some(Group::Typing), Group::Spacing);
        self.open = (change.group != Group::Alone).then_some(change.group);
        if let Some(last) = self.undo.last_mut()
            && joins
            && last.join(&change)
        {
            return;
        }
        if self.undo.len() == UNDO_STEPS {
            self.undo.remove(0);
        }
        self.undo.push(change);
    }
}

impl Change {
    /// Takes the next change into this step, when it goes on where this one ended.
    fn join(&mut self, next: &Change) -> bool {
        let inserts = next.old.is_empty() && next.at == self.at + self.new.text.len();
        let erases = next.new.is_empty() && self.new.is_empty();
        if inserts {
            self.new.push(next.new.clone());
        } else if erases && next.at + next.old.text.len() == self.at {
            let later = std::mem::replace(&mut self.old, next.old.clone());
            self.old.push(later);
            self.at = next.at;
        } else if erases && next.at == self.at {
            self.old.push(next.old.clone());
        } else {
            return false;
        }
        self.group = next.group;
        true
    }
}

/// Plain text is cut into clusters between the markers, so that nothing joins with a marker's edge.
fn units(body: &Fragment, from: usize) -> impl Iterator<Item = Unit<'_>> {
    let first = body.marks.partition_point(|m| m.start < from);
    let mut at = from;
    let mut stretches = Vec::new();
    for (index, mark) in body.marks.iter().enumerate().skip(first) {
        stretches.push((at..mark.start, Some((index, mark))));
        at = mark.end;
    }
    stretches.push((at..body.text.len(), None));
    stretches.into_iter().flat_map(move |(plain, mark)| {
        let text = body.text.get(plain.clone()).unwrap_or_default();
        let pieces = clusters(text).map(move |c| Unit {
            start: plain.start + c.start,
            end: plain.start + c.end(),
            text: c.text,
            mark: None,
        });
        let mark = mark.map(|(index, m)| Unit {
            start: m.start,
            end: m.end,
            text: body.text.get(m.start..m.end).unwrap_or_default(),
            mark: Some(index),
        });
        pieces.chain(mark)
    })
}
