//! Moved lines: what went in one place of a diff and came as it was in another. The work grows with the diff, not with
//! its square: lines that stand in many places are not tried, and what is found is not looked at again.

use std::cmp::Reverse;
use std::ops::Range;

use super::{DiffRow, Kind};

/// So many lines are enough, if they are not only brackets.
const LINES: usize = 3;
const LETTERS: usize = 10;
/// So many characters are, on however few lines.
const CHARACTERS: usize = 40;
/// A line that came in more places than this tells nothing of where one went.
const PLACES: usize = 8;

/// Marks the lines that moved: exact copies, line end included, in a diff of one parent.
pub(super) fn mark(rows: &mut [DiffRow], returns: &[bool]) {
    if !rows.iter().any(|row| row.kind == Kind::Removed) {
        return;
    }
    let came = |(_, row): &(usize, &DiffRow)| row.kind == Kind::Added && tells(row);
    let mut places: Vec<(u64, usize)> =
        rows.iter().enumerate().filter(came).map(|(at, row)| (hash(row), at)).collect();
    places.sort_unstable();
    let mut at = 0;
    while at < rows.len() && !places.is_empty() {
        match rows.get(at).filter(|row| row.kind == Kind::Removed && tells(row)) {
            Some(row) => at = from(rows, returns, &places, at, hash(row)).max(at + 1),
            None => at += 1,
        }
    }
}

/// Marks the longest run around the removed row `at` that came elsewhere, and gives its end.
fn from(rows: &mut [DiffRow], returns: &[bool], places: &[(u64, usize)], at: usize, hash: u64) -> usize {
    let first = places.partition_point(|(other, _)| *other < hash);
    let here = places.get(first..).unwrap_or_default().iter().take_while(|(other, _)| *other == hash);
    let here: Vec<usize> = here.map(|(_, to)| *to).take(PLACES + 1).collect();
    if here.len() > PLACES {
        return at;
    }
    let open = |at: usize| rows.get(at + 1).is_some_and(|row| row.kind == Kind::NoNewline);
    let same = |from: usize, to: usize| match (rows.get(from), rows.get(to)) {
        (Some(gone), Some(came)) => {
            gone.kind == Kind::Removed
                && came.kind == Kind::Added
                && !gone.moved
                && gone.signs.len() == 1
                && came.signs.len() == 1
                && gone.text == came.text
                && returns.get(from) == returns.get(to)
                && open(from) == open(to)
        }
        _ => false,
    };
    let run = |to: usize| {
        let ahead = (0..).take_while(|by| same(at + by, to + by)).count();
        let before = (1..=at.min(to)).take_while(|by| same(at - by, to - by)).count();
        (ahead > 0).then_some((before + ahead, Reverse(to - before), at - before))
    };
    let Some((len, Reverse(to), from)) = here.into_iter().filter_map(run).max() else { return at };
    if !is_enough(&rows[from..from + len]) {
        return at;
    }
    let mut set = |range: Range<usize>| rows[range].iter_mut().for_each(|row| row.moved = true);
    set(from..from + len);
    set(to..to + len);
    from + len
}

/// Whether a line by itself can tell where it went.
fn tells(row: &DiffRow) -> bool {
    row.signs.len() == 1 && row.text.as_str().contains(char::is_alphanumeric)
}

fn is_enough(rows: &[DiffRow]) -> bool {
    let (mut lines, mut letters, mut characters) = (0, 0, 0);
    for text in rows.iter().map(|row| row.text.as_str().trim()).filter(|text| !text.is_empty()) {
        lines += 1;
        letters += text.chars().filter(|c| c.is_alphanumeric()).count();
        characters += text.chars().count();
        if characters >= CHARACTERS || (lines >= LINES && letters >= LETTERS) {
            return true;
        }
    }
    false
}

/// FNV-1a: cheap, and the same everywhere. Two lines of one hash are compared before anything is said of them.
fn hash(row: &DiffRow) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    row.text.as_str().bytes().fold(0xcbf2_9ce4_8422_2325, step)
}
