//! What is wrong in a file that a person wrote: where, and in words that say what would be right.

use std::fmt;
use std::sync::Arc;

/// One wrong place. It costs the one value it is about, never the file (`home.md`, Rules for every store).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// The file as a person knows it (`models.json`, or a path).
    pub file: Arc<str>,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    pub message: Arc<str>,
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)
    }
}

/// The known word that `word` was most likely meant to be; `None` when nothing is near.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed: Vec<char> = word.trim().to_lowercase().chars().take(64).collect();
    let mut best: Option<(usize, &'a str)> = None;
    for candidate in known {
        let other: Vec<char> = candidate.to_lowercase().chars().take(64).collect();
        let limit = (typed.len().max(other.len()) / 3).max(1);
        let distance = distance(&typed, &other);
        // A word that shares nothing with another is not near it, however short both are.
        let shared = distance < typed.len().min(other.len());
        if shared && distance <= limit && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, word)| word)
}

/// Edits (insert, delete, replace, swap of neighbours) that make `a` of `b`.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let replace = last[j] + usize::from(x != y);
            let mut least = replace.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(0)
}
