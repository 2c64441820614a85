//! Which lines of two texts are the same: the shortest difference while that is cheap, a coarser one when it is not.
//! What it costs is counted in steps, never in time, so that the same texts always give the same difference.

use std::collections::BTreeMap;
use std::ops::Range;

use similar::DiffOp;
use similar::algorithms::{Capture, Compact, Replace};

/// Steps of a whole comparison, some tens of milliseconds at most.
pub(super) const STEPS: usize = 12_000_000;
/// Differences beyond which their edges are not moved to nicer places.
const NICE: usize = 4_000;

/// The operations that turn `old` into `new`; at most about `steps` steps are spent on finding few.
pub(super) fn lines(old: &[&str], new: &[&str], steps: usize) -> Vec<DiffOp> {
    let (a, b) = numbered(old, new);
    let mut search = Search { a: &a, b: &b, steps, changes: Vec::new() };
    search.between(0..a.len(), 0..b.len());
    let changes = search.changes;
    if changes.len() > NICE {
        let mut hook = Replace::new(Capture::new());
        replay(&changes, (a.len(), b.len()), &mut hook);
        return hook.into_inner().into_ops();
    }
    let mut hook = Compact::new(Replace::new(Capture::new()), a.as_slice(), b.as_slice());
    replay(&changes, (a.len(), b.len()), &mut hook);
    hook.into_inner().into_inner().into_ops()
}

/// Lines as numbers, equal ones with the same, so that comparing two costs one step however long they are.
fn numbered(old: &[&str], new: &[&str]) -> (Vec<u32>, Vec<u32>) {
    let mut known: BTreeMap<&str, u32> = BTreeMap::new();
    let old: Vec<u32> = old.iter().map(|line| number(&mut known, line)).collect();
    let new = new.iter().map(|line| number(&mut known, line)).collect();
    (old, new)
}

fn number<'t>(known: &mut BTreeMap<&'t str, u32>, line: &'t str) -> u32 {
    let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
    *known.entry(line).or_insert(next)
}

/// A stretch of the old lines that gave way to a stretch of the new ones; one of them may be empty.
type Change = (Range<usize>, Range<usize>);

/// Tells a hook what `changes` are, and what is the same between them. (A capture never fails.)
fn replay<D: similar::algorithms::DiffHook>(changes: &[Change], (old, new): (usize, usize), hook: &mut D) {
    let (mut i, mut j) = (0, 0);
    for (gone, come) in changes.iter().chain([&(old..old, new..new)]) {
        if gone.start > i {
            let _ = hook.equal(i, j, gone.start - i);
        }
        if !gone.is_empty() {
            let _ = hook.delete(gone.start, gone.len(), come.start);
        }
        if !come.is_empty() {
            let _ = hook.insert(gone.end, come.start, come.len());
        }
        (i, j) = (gone.end, come.end);
    }
    let _ = hook.finish();
}

struct Search<'a> {
    a: &'a [u32],
    b: &'a [u32],
    steps: usize,
    /// In rising order.
    changes: Vec<Change>,
}

impl Search<'_> {
    /// Finds the changes between two stretches.
    fn between(&mut self, mut a: Range<usize>, mut b: Range<usize>) {
        let same = |(x, y): &(&u32, &u32)| x == y;
        let start = self.a[a.clone()].iter().zip(&self.b[b.clone()]).take_while(same).count();
        (a.start, b.start) = (a.start + start, b.start + start);
        let end = self.a[a.clone()].iter().rev().zip(self.b[b.clone()].iter().rev()).take_while(same).count();
        (a.end, b.end) = (a.end - end, b.end - end);
        if a.is_empty() && b.is_empty() {
            return;
        }
        if a.is_empty() || b.is_empty() {
            return self.change(a, b);
        }
        let spent = self.steps / 2;
        if let Some((x, y)) = self.middle(&a, &b, spent) {
            self.between(a.start..x, b.start..y);
            self.between(x..a.end, y..b.end);
            return;
        }
        self.steps = self.steps.saturating_sub(spent);
        let anchors = self.anchors(&a, &b);
        if anchors.is_empty() {
            return self.change(a, b);
        }
        let (mut i, mut j) = (a.start, b.start);
        for (x, y) in anchors {
            self.between(i..x, j..y);
            (i, j) = (x + 1, y + 1);
        }
        self.between(i..a.end, j..b.end);
    }

    /// Notes a change, joined to the one before where they touch.
    fn change(&mut self, a: Range<usize>, b: Range<usize>) {
        match self.changes.last_mut() {
            Some((gone, come)) if gone.end == a.start && come.end == b.start => {
                (gone.end, come.end) = (a.end, b.end);
            }
            _ => self.changes.push((a, b)),
        }
    }

    /// A place on a shortest path from corner to corner, found from both ends at once (Myers); none when it would
    /// take more than `most` steps. Neither stretch is empty, and they differ at both ends.
    fn middle(&mut self, a: &Range<usize>, b: &Range<usize>, most: usize) -> Option<(usize, usize)> {
        let (n, m) = (a.len() as isize, b.len() as isize);
        let (delta, odd) = (n - m, (n - m) % 2 != 0);
        let last = (n + m + 1) / 2;
        // The furthest places by diagonal, kept only as wide as the search has become.
        let mut ahead = Furthest::default();
        let mut back = Furthest::default();
        let mut left = most;
        for d in 0..=last {
            for k in (-d..=d).step_by(2) {
                let mut x = ahead.step(k, d);
                let from = x;
                while x < n && x - k < m && x - k >= 0 && self.same(a, b, x, x - k) {
                    x += 1;
                }
                left = left.checked_sub(1 + (x - from) as usize)?;
                ahead.set(k, x);
                if odd && (delta - k).abs() < d && x + back.get(delta - k) >= n && x <= n && x - k <= m {
                    return self.split(a, b, from, from - k, most - left);
                }
            }
            for k in (-d..=d).step_by(2) {
                let mut x = back.step(k, d);
                let from = x;
                while x < n && x - k < m && x - k >= 0 && self.same(a, b, n - 1 - x, m - 1 - (x - k)) {
                    x += 1;
                }
                left = left.checked_sub(1 + (x - from) as usize)?;
                back.set(k, x);
                if !odd && (delta - k).abs() <= d && x + ahead.get(delta - k) >= n && x <= n && x - k <= m {
                    return self.split(a, b, n - x, m - (x - k), most - left);
                }
            }
        }
        None
    }

    fn same(&self, a: &Range<usize>, b: &Range<usize>, x: isize, y: isize) -> bool {
        self.a.get(a.start + x as usize) == self.b.get(b.start + y as usize)
    }

    /// The place as offsets, and the steps it took; a corner would split nothing.
    fn split(
        &mut self,
        a: &Range<usize>,
        b: &Range<usize>,
        x: isize,
        y: isize,
        took: usize,
    ) -> Option<(usize, usize)> {
        self.steps = self.steps.saturating_sub(took);
        let inside = (0..=a.len() as isize).contains(&x) && (0..=b.len() as isize).contains(&y);
        let corner = (x == 0 && y == 0) || (x as usize == a.len() && y as usize == b.len());
        (inside && !corner).then(|| (a.start + x as usize, b.start + y as usize))
    }

    /// Lines that are there once on each side, as many as stand in the same order on both.
    fn anchors(&mut self, a: &Range<usize>, b: &Range<usize>) -> Vec<(usize, usize)> {
        self.steps = self.steps.saturating_sub(a.len() + b.len());
        if self.steps == 0 {
            return Vec::new();
        }
        // For each line: how often and where, before and after.
        let mut seen: BTreeMap<u32, [(usize, usize); 2]> = BTreeMap::new();
        for (side, lines, range) in [(0, self.a, a), (1, self.b, b)] {
            for at in range.clone() {
                let places = seen.entry(lines[at]).or_default();
                places[side] = (places[side].0 + 1, at);
            }
        }
        let mut pairs: Vec<(usize, usize)> =
            seen.values().filter(|[a, b]| a.0 == 1 && b.0 == 1).map(|[a, b]| (a.1, b.1)).collect();
        pairs.sort_unstable();
        rising(&pairs)
    }
}

/// The longest run of pairs that rises on the second side as it does on the first.
fn rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length, the pair that ends such a run lowest; and what stands before each pair.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < pair.1);
        before.push(length.checked_sub(1).map(|length| ends[length]));
        if length == ends.len() {
            ends.push(at);
        } else {
            ends[length] = at;
        }
    }
    let mut out = Vec::with_capacity(ends.len());
    let mut at = ends.last().copied();
    while let Some(here) = at {
        out.push(pairs[here]);
        at = before[here];
    }
    out.reverse();
    out
}

/// How far along the old lines each diagonal was followed.
#[derive(Default)]
struct Furthest {
    /// Diagonals 0, 1, 2, … and -1, -2, ….
    right: Vec<isize>,
    left: Vec<isize>,
}

impl Furthest {
    fn get(&self, k: isize) -> isize {
        let found = if k >= 0 { self.right.get(k as usize) } else { self.left.get((-k - 1) as usize) };
        found.copied().unwrap_or(-1)
    }

    fn set(&mut self, k: isize, x: isize) {
        let (side, at) =
            if k >= 0 { (&mut self.right, k as usize) } else { (&mut self.left, (-k - 1) as usize) };
        if side.len() <= at {
            side.resize(at + 1, -1);
        }
        side[at] = x;
    }

    /// Where the search on a diagonal goes on with `d` differences.
    fn step(&self, k: isize, d: isize) -> isize {
        if d == 0 {
            0
        } else if k == -d || (k != d && self.get(k - 1) < self.get(k + 1)) {
            self.get(k + 1)
        } else {
            self.get(k - 1) + 1
        }
    }
}
