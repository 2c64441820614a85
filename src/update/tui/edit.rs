//! What an editing key does to a draft: shared by the composer, questions and searches. Knows no surface.

use crate::model::config::keymap::Action;
use crate::model::tui::composer::Kills;
use crate::model::tui::draft::{Attachment, Draft, Fragment, Group, Mark, Unit};
use crate::model::tui::wrapped::{self, Frame};

/// A draft being edited, with what its surface lends it.
pub struct Hand<'a> {
    pub draft: &'a mut Draft,
    /// None for a secret: nothing of it is kept anywhere.
    pub kills: Option<&'a mut Kills>,
    pub goal: &'a mut Option<usize>,
    pub frame: Frame,
}

/// Does an editing action; false when it is none, or there is nowhere to go (up in the first row).
pub fn act(hand: &mut Hand<'_>, action: Action, select: bool) -> bool {
    if let Some(down) = match action {
        Action::Up => Some(false),
        Action::Down => Some(true),
        _ => None,
    } {
        return vertical(hand, down, select);
    }
    *hand.goal = None;
    if let Some(to) = target(hand.draft, action) {
        let collapse = if select { None } else { hand.draft.selection() };
        let to = match (collapse, action) {
            (Some(range), Action::Left) => range.start,
            (Some(range), Action::Right) => range.end,
            _ => to,
        };
        hand.draft.go(to, select);
        return true;
    }
    change(hand, action)
}

/// Where a movement leads.
fn target(draft: &Draft, action: Action) -> Option<usize> {
    let at = draft.cursor();
    Some(match action {
        Action::Left => draft.unit_before(at).map_or(0, |u| u.start),
        Action::Right => draft.unit_after(at).map_or(at, |u| u.end),
        Action::WordLeft => word_left(draft, at),
        Action::WordRight => word_right(draft, at),
        Action::Home => line_start(draft, at),
        Action::End => line_end(draft, at),
        _ => return None,
    })
}

fn change(hand: &mut Hand<'_>, action: Action) -> bool {
    let at = hand.draft.cursor();
    let selection = hand.draft.selection();
    match action {
        Action::Newline => hand.draft.insert(Fragment::text("\n"), Group::Alone),
        Action::Backspace => backspace(hand.draft),
        Action::Delete => {
            let range = selection.or_else(|| hand.draft.unit_after(at).map(|u| u.start..u.end));
            if let Some(range) = range {
                hand.draft.replace(range, Fragment::default(), Group::Erasing);
            }
        }
        Action::KillWordLeft => kill(hand, word_left(hand.draft, at)..at, true),
        Action::KillWord => kill(hand, at..word_right(hand.draft, at), false),
        Action::KillToStart => {
            let start = line_start(hand.draft, at);
            // At the start of a line the line break goes, as at the end for kill_to_end.
            kill(hand, if start == at { start.saturating_sub(1)..at } else { start..at }, true);
        }
        Action::KillToEnd => {
            let end = line_end(hand.draft, at);
            kill(hand, if end == at { at..at + 1 } else { at..end }, false);
        }
        Action::Yank => yank(hand),
        Action::YankPop => yank_pop(hand),
        Action::Undo => return hand.draft.undo(),
        Action::Redo => return hand.draft.redo(),
        Action::SelectAll => hand.draft.select_all(),
        _ => return false,
    }
    true
}

/// Types text; a character of white space ends a step of undo.
pub fn insert(draft: &mut Draft, text: &str) {
    let group = match text {
        " " | "\t" => Group::Spacing,
        text if text.chars().nth(1).is_none() => Group::Typing,
        _ => Group::Alone,
    };
    draft.insert(Fragment::text(text), group);
}

/// Takes the last mark of a syllable alone, emoji and markers whole (G06).
fn backspace(draft: &mut Draft) {
    if let Some(range) = draft.selection() {
        draft.replace(range, Fragment::default(), Group::Erasing);
        return;
    }
    let Some(unit) = draft.unit_before(draft.cursor()) else { return };
    let mark = unit.mark.and_then(|index| draft.marks().get(index));
    if matches!(mark, Some(Mark { what: Attachment::Snapshot(_), .. })) {
        // The first one selects it.
        let start = unit.start;
        return draft.go(start, true);
    }
    let range = match unit.text.char_indices().next_back() {
        Some((last, _)) if unit.mark.is_none() && last > 0 && by_parts(unit.text) => {
            unit.start + last..unit.end
        }
        _ => {
            let range = unit.start..unit.end;
            draft.replace(range, Fragment::default(), Group::Erasing);
            return;
        }
    };
    draft.delete_char(range);
}

/// Whether a cluster is letters and marks, not a picture made of several characters.
fn by_parts(cluster: &str) -> bool {
    let picture = |c: char| {
        matches!(c, '\u{200D}' | '\u{20E3}' | '\u{FE00}'..='\u{FE0F}' | '\u{E0000}'..='\u{E0FFF}' | '\r' | '\n')
            || ('\u{1F000}'..='\u{1FAFF}').contains(&c)
    };
    !cluster.chars().any(picture)
}

fn kill(hand: &mut Hand<'_>, range: std::ops::Range<usize>, backwards: bool) {
    let range = hand.draft.selection().unwrap_or(range);
    let cut = hand.draft.replace(range, Fragment::default(), Group::Alone);
    if let Some(kills) = &mut hand.kills {
        kills.add(cut, backwards);
    }
}

fn yank(hand: &mut Hand<'_>) {
    let Some(kills) = &mut hand.kills else { return };
    let Some(last) = kills.ring.last().cloned() else { return };
    let start = hand.draft.selection().map_or(hand.draft.cursor(), |r| r.start);
    hand.draft.insert(last, Group::Alone);
    kills.yanked = Some((start, hand.draft.cursor(), kills.ring.len() - 1));
}

fn yank_pop(hand: &mut Hand<'_>) {
    let Some(kills) = &mut hand.kills else { return };
    let Some((start, end, index)) = kills.yanked else { return };
    let before = index.checked_sub(1).unwrap_or(kills.ring.len().saturating_sub(1));
    let Some(text) = kills.ring.get(before).cloned() else { return };
    hand.draft.replace(start..end, text, Group::Alone);
    kills.yanked = Some((start, hand.draft.cursor(), before));
}

/// One row up or down, keeping to the column.
fn vertical(hand: &mut Hand<'_>, down: bool, select: bool) -> bool {
    let lines = wrapped::lines(hand.draft, hand.frame);
    let (row, column) = wrapped::place(hand.draft, &lines, hand.draft.cursor(), hand.frame);
    let goal = hand.goal.unwrap_or(column);
    let to = if down { row + 1 } else { row.wrapping_sub(1) };
    if to >= lines.len() {
        return false;
    }
    hand.draft.go(wrapped::at(hand.draft, &lines, to, goal, hand.frame), select);
    *hand.goal = Some(goal);
    true
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum Class {
    Space,
    Word,
    Sign,
    Mark,
}

fn class(unit: &Unit<'_>) -> Class {
    match unit.text.chars().next() {
        _ if unit.mark.is_some() => Class::Mark,
        Some(c) if c.is_whitespace() => Class::Space,
        Some(c) if c.is_alphanumeric() || c == '_' => Class::Word,
        _ => Class::Sign,
    }
}

/// Past white space and signs to the start of a word; a marker is a word.
fn word_left(draft: &Draft, from: usize) -> usize {
    let mut at = from;
    let mut inside = None;
    while let Some(unit) = draft.unit_before(at) {
        let class = class(&unit);
        match inside {
            None if class == Class::Mark => return unit.start,
            None if class == Class::Word => inside = Some(class),
            None => {}
            Some(word) if class != word => break,
            Some(_) => {}
        }
        at = unit.start;
    }
    at
}

fn word_right(draft: &Draft, from: usize) -> usize {
    let mut at = from;
    let mut inside = false;
    for unit in draft.units_from(from) {
        match class(&unit) {
            Class::Mark if !inside => return unit.end,
            Class::Word => inside = true,
            _ if inside => break,
            Class::Space | Class::Sign | Class::Mark => {}
        }
        at = unit.end;
    }
    at
}

/// Labels of markers hold no newline, so the text alone tells.
fn line_start(draft: &Draft, at: usize) -> usize {
    draft.text().get(..at).and_then(|t| t.rfind('\n')).map_or(0, |n| n + 1)
}

fn line_end(draft: &Draft, at: usize) -> usize {
    draft.text().get(at..).and_then(|t| t.find('\n')).map_or(draft.text().len(), |n| at + n)
}
