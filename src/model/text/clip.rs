//! Cutting text to columns, characters and bytes, never inside a cluster.

use std::borrow::Cow;

use super::clean::Clean;
use super::width::{TAB, clusters, tab_stop, width};

/// What stands for text that was cut off. It takes one column and counts towards every limit.
pub const ELLIPSIS: &str = "…";

/// The longest start of `text` that takes at most `columns`.
pub fn columns(text: &str, columns: usize) -> &str {
    if text.len() <= columns && text.is_ascii() && !text.contains('\t') {
        return text;
    }
    let mut column = 0;
    let mut end = 0;
    for cluster in clusters(text) {
        column = if cluster.text == "\t" { tab_stop(column, TAB) } else { column + cluster.width };
        if column > columns {
            break;
        }
        end = cluster.end();
    }
    &text[..end]
}

/// `text` if it fits into `columns`, else its start and an ellipsis, together at most `columns` wide.
pub fn ellipsis(text: &str, limit: usize) -> Cow<'_, str> {
    if width(text) <= limit {
        return Cow::Borrowed(text);
    }
    match limit {
        0 => Cow::Borrowed(""),
        _ => Cow::Owned(format!("{}{ELLIPSIS}", columns(text, limit - 1))),
    }
}

/// `text` if it fits into `columns`, else an ellipsis and its end: for paths, whose end tells most.
pub fn ellipsis_start(text: &str, limit: usize) -> Cow<'_, str> {
    let all = width(text);
    if all <= limit {
        return Cow::Borrowed(text);
    }
    if limit == 0 {
        return Cow::Borrowed("");
    }
    let mut start = 0;
    for cluster in clusters(text) {
        if width(&text[start..]) < limit {
            break;
        }
        start = cluster.end();
    }
    Cow::Owned(format!("{ELLIPSIS}{}", &text[start..]))
}

/// `text` if it has at most `limit` characters (Unicode scalar values), else its start at a cluster boundary and an
/// ellipsis, together at most `limit` characters.
pub fn chars(text: &str, limit: usize) -> Cow<'_, str> {
    if text.len() <= limit || text.chars().nth(limit).is_none() {
        return Cow::Borrowed(text);
    }
    let Some(room) = limit.checked_sub(1) else { return Cow::Borrowed("") };
    let mut count = 0;
    let mut end = 0;
    for cluster in clusters(text) {
        count += cluster.text.chars().count();
        if count > room {
            break;
        }
        end = cluster.end();
    }
    Cow::Owned(format!("{}{ELLIPSIS}", &text[..end]))
}

/// The longest start of `text` that is whole lines and at most `limit` bytes; empty when the first line alone is longer.
pub fn lines_within(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let end = text.as_bytes()[..limit].iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
    &text[..end]
}

/// The longest start of `text` that is whole clusters and at most `limit` bytes.
pub fn bytes(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let end = clusters(text).map(|c| c.end()).take_while(|end| *end <= limit).last().unwrap_or(0);
    &text[..end]
}

impl Clean {
    /// See [`columns`].
    #[must_use]
    pub fn columns(&self, limit: usize) -> Clean {
        Clean::trusted(columns(self.as_str(), limit))
    }

    /// See [`ellipsis`].
    #[must_use]
    pub fn ellipsis(&self, limit: usize) -> Clean {
        Clean::trusted(ellipsis(self.as_str(), limit))
    }

    /// See [`ellipsis_start`].
    #[must_use]
    pub fn ellipsis_start(&self, limit: usize) -> Clean {
        Clean::trusted(ellipsis_start(self.as_str(), limit))
    }

    /// See [`chars`].
    #[must_use]
    pub fn chars(&self, limit: usize) -> Clean {
        Clean::trusted(chars(self.as_str(), limit))
    }

    /// See [`lines_within`].
    #[must_use]
    pub fn lines_within(&self, limit: usize) -> Clean {
        Clean::trusted(lines_within(self.as_str(), limit))
    }
}
