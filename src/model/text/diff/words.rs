//! Word-level emphasis: which removed line became which added one, and what in them differs.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::{DiffRow, Kind};

/// Lines whose words have less than this in common are not taken for the same line.
const ALIKE: f32 = 0.5;
/// In blocks with more pairs than this not every pair is tried: equally long ones are paired by place, others near it.
const PAIRS: usize = 900;
/// So many lines ahead a partner is looked for then, and what each line of distance takes from a pair's likeness.
const NEAR: usize = 24;
const FAR: f32 = 0.01;
/// Lines that came or went in one block beyond which no words are marked: such a block is another text.
const LINES: usize = 1_000;
/// Words of a pair beyond which only its common ends are found.
const WORDS: usize = 250_000;

/// Marks the differing words of each block of changes, and lines of which only the ending changed.
pub(super) fn compare(rows: &mut [DiffRow], returns: &[bool]) {
    for range in blocks(rows) {
        let wanted = 0..range.len();
        block(&mut rows[range.clone()], &returns[range], wanted);
    }
}

/// Does so for the blocks in which line ends differ; the words of the others are [`marked`] when they are looked at.
pub(super) fn compare_ends(rows: &mut [DiffRow], returns: &[bool]) {
    for range in blocks(rows) {
        let ends = &returns[range.clone()];
        if ends.contains(&true) && ends.contains(&false) {
            let wanted = 0..range.len();
            block(&mut rows[range], ends, wanted);
        }
    }
}

/// The rows of a range, and those of the blocks it reaches into, with their words marked; and where they begin.
pub(super) fn marked(rows: &[DiffRow], range: Range<usize>) -> (usize, Vec<DiffRow>) {
    let range = range.start.min(rows.len())..range.end.min(rows.len());
    let mut before = rows[..range.start].iter().rev().take_while(|row| is_change(row)).count();
    let mut after = rows[range.end..].iter().take_while(|row| is_change(row)).count();
    // A block too long to have marks is not taken along.
    let (long_before, long_after) = (before > 2 * LINES, after > 2 * LINES);
    before = if long_before { 0 } else { before };
    after = if long_after { 0 } else { after };
    let from = range.start - before;
    let mut out = rows[from..range.end + after].to_vec();
    // The rows before and behind were taken along for the pairing alone.
    let wanted = before..out.len() - after;
    for range in blocks(&out) {
        if (long_before && range.start == 0) || (long_after && range.end == out.len()) {
            continue;
        }
        let wanted = wanted.start.saturating_sub(range.start)..wanted.end.saturating_sub(range.start);
        let part = &mut out[range];
        if part.iter().all(|row| row.words.is_empty() && !row.carriage_return && !row.blanks) {
            let ends = vec![false; part.len()];
            block(part, &ends, wanted);
        }
    }
    (from, out)
}

/// The blocks of changes.
fn blocks(rows: &[DiffRow]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < rows.len() {
        let end = at + rows[at..].iter().take_while(|row| is_change(row)).count();
        if end > at {
            found.push(at..end);
        }
        at = end.max(at + 1);
    }
    found
}

fn is_change(row: &DiffRow) -> bool {
    matches!(row.kind, Kind::Added | Kind::Removed | Kind::NoNewline)
}

/// Marks a block; the words only of pairs that have a row in `wanted`.
fn block(rows: &mut [DiffRow], returns: &[bool], wanted: Range<usize>) {
    // What moved is the same elsewhere: nothing here became of it.
    let is = |row: &DiffRow, kind| row.kind == kind && !row.moved;
    let of = |kind| (0..rows.len()).filter(|at| is(&rows[*at], kind)).collect::<Vec<_>>();
    let (removed, added) = (of(Kind::Removed), of(Kind::Added));
    if removed.len().max(added.len()) > LINES {
        // Of as many lines as before still those are known whose ends alone have changed.
        let pairs = removed.iter().zip(&added).filter(|_| removed.len() == added.len());
        for (before, after) in pairs {
            if rows[*before].text == rows[*after].text {
                rows[*before].carriage_return = returns[*before] && !returns[*after];
                rows[*after].carriage_return = returns[*after] && !returns[*before];
            }
        }
        return;
    }
    let lines = |of: &[usize]| of.iter().map(|at| Line::new(rows[*at].text.as_str())).collect::<Vec<_>>();
    let (old, new) = (lines(&removed), lines(&added));
    let mut found = Vec::new();
    for (i, j) in pairs(&old, &new) {
        if wanted.contains(&removed[i]) || wanted.contains(&added[j]) {
            found.push((removed[i], added[j], differing(&old[i], &new[j])));
        }
    }
    for (before, after, (old_words, new_words)) in found {
        let same = rows[before].text == rows[after].text;
        let blanks = !same && solid(&rows[before]).eq(solid(&rows[after]));
        for (at, words) in [(before, old_words), (after, new_words)] {
            rows[at].words = words;
            rows[at].blanks = blanks;
            rows[at].carriage_return = same && returns[at] && returns[before] != returns[after];
        }
    }
}

/// The characters of a row but for white space.
fn solid(row: &DiffRow) -> impl Iterator<Item = char> {
    row.text.as_str().chars().filter(|c| !c.is_whitespace())
}

/// A line cut into words.
struct Line<'a> {
    text: &'a str,
    words: Vec<&'a str>,
    /// The words that count for likeness, sorted.
    bag: Vec<&'a str>,
    weight: usize,
}

impl<'a> Line<'a> {
    fn new(text: &'a str) -> Self {
        let words = words(text);
        let mut bag: Vec<&str> = words.iter().copied().filter(|word| !word.trim().is_empty()).collect();
        bag.sort_unstable();
        let weight = bag.iter().map(|word| word.len()).sum();
        Self { text, words, bag, weight }
    }

    /// How much of both lines' words are the same, from 0 to 1.
    fn likeness(&self, other: &Line<'_>) -> f32 {
        if self.weight + other.weight == 0 {
            return 1.0;
        }
        let (mut i, mut j, mut common) = (0, 0, 0);
        while let (Some(a), Some(b)) = (self.bag.get(i), other.bag.get(j)) {
            match a.cmp(b) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => {
                    common += a.len();
                    i += 1;
                    j += 1;
                }
            }
        }
        2.0 * common as f32 / (self.weight + other.weight) as f32
    }
}

/// Runs of letters and digits, runs of white space, and single other characters.
fn words(text: &str) -> Vec<&str> {
    let class = |c: char| match c {
        _ if c.is_alphanumeric() || c == '_' => 1,
        _ if c.is_whitespace() => 2,
        // Marks and joiners stay with what they stand on.
        _ if unicode_width::UnicodeWidthChar::width(c) == Some(0) => 3,
        _ => 0,
    };
    let mut words = Vec::new();
    let (mut start, mut last) = (0, 0);
    for (at, c) in text.char_indices() {
        let this = class(c);
        if at > start && this != 3 && (this == 0 || this != last) {
            words.push(&text[start..at]);
            start = at;
        }
        last = if this == 3 { last } else { this };
    }
    if start < text.len() {
        words.push(&text[start..]);
    }
    words
}

/// Which old line became which new one: the pairing in order that has the most in common.
fn pairs(old: &[Line<'_>], new: &[Line<'_>]) -> Vec<(usize, usize)> {
    let (rows, columns) = (old.len(), new.len());
    if rows * columns > PAIRS {
        let alike = |at: &usize| old[*at].likeness(&new[*at]) >= ALIKE;
        return if rows == columns {
            (0..rows).filter(alike).map(|at| (at, at)).collect()
        } else {
            near(old, new)
        };
    }
    let score: Vec<Vec<f32>> = old.iter().map(|a| new.iter().map(|b| a.likeness(b)).collect()).collect();
    let mut best = vec![vec![0.0f32; columns + 1]; rows + 1];
    for i in (0..rows).rev() {
        for j in (0..columns).rev() {
            let paired = if score[i][j] >= ALIKE { score[i][j] + best[i + 1][j + 1] } else { 0.0 };
            best[i][j] = best[i + 1][j].max(best[i][j + 1]).max(paired);
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut found = Vec::new();
    while i < rows && j < columns {
        if score[i][j] >= ALIKE && best[i][j] <= score[i][j] + best[i + 1][j + 1] {
            found.push((i, j));
            i += 1;
            j += 1;
        } else if best[i][j] <= best[i + 1][j] {
            i += 1;
        } else {
            j += 1;
        }
    }
    found
}

/// A pairing in order where each line of the shorter side takes the likest of the next few lines of the longer one.
fn near(old: &[Line<'_>], new: &[Line<'_>]) -> Vec<(usize, usize)> {
    let swapped = old.len() > new.len();
    let (short, long) = if swapped { (new, old) } else { (old, new) };
    let mut found = Vec::new();
    let mut from = 0;
    for (at, line) in short.iter().enumerate() {
        let mut best = None;
        for (by, other) in long.iter().skip(from).take(NEAR).enumerate() {
            let likeness = line.likeness(other);
            let score = likeness - FAR * by as f32;
            if likeness >= ALIKE && best.is_none_or(|(known, _)| score > known) {
                best = Some((score, from + by));
            }
        }
        match best {
            Some((_, other)) => {
                found.push(if swapped { (other, at) } else { (at, other) });
                from = other + 1;
            }
            // Without a partner it stands for the line across from it, so that the sides go on abreast.
            None => from += usize::from(long.len() - from > short.len() - at),
        }
    }
    found
}

/// The byte ranges that differ between two lines.
fn differing(old: &Line<'_>, new: &Line<'_>) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let ops = if old.words.len() * new.words.len() > WORDS {
        ends(&old.words, &new.words)
    } else {
        capture_diff_slices(Algorithm::Myers, &old.words, &new.words)
    };
    let changed = ops.iter().filter(|op| !matches!(op, DiffOp::Equal { .. }));
    let (before, after): (Vec<_>, Vec<_>) = changed.map(|op| (op.old_range(), op.new_range())).unzip();
    (bytes(old, &before), bytes(new, &after))
}

/// The difference of two long lines: all between their common start and their common end.
fn ends(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let room = old.len().min(new.len()) - start;
    let end = old.iter().rev().zip(new.iter().rev()).take(room).take_while(|(a, b)| a == b).count();
    let (old_len, new_len) = (old.len() - start - end, new.len() - start - end);
    vec![DiffOp::Replace { old_index: start, old_len, new_index: start, new_len }]
}

/// Ranges of words as ranges of bytes; those with only white space between them are joined.
fn bytes(line: &Line<'_>, changed: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut offsets = Vec::with_capacity(line.words.len() + 1);
    let mut at = 0;
    for word in &line.words {
        offsets.push(at);
        at += word.len();
    }
    offsets.push(at);
    let mut out: Vec<Range<usize>> = Vec::new();
    for range in changed.iter().filter(|range| !range.is_empty()) {
        let range = offsets[range.start]..offsets[range.end];
        match out.last_mut() {
            Some(last) if line.text[last.end..range.start].trim().is_empty() => last.end = range.end,
            _ => out.push(range),
        }
    }
    out
}
