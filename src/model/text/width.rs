//! The one width function of the program: display columns of text and of its clusters, as the painter counts them.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Columns between tab stops when no setting says otherwise.
pub const TAB: usize = 4;

/// A grapheme cluster, the smallest thing that is never split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cluster<'a> {
    /// Byte offset in the text.
    pub start: usize,
    /// The cluster.
    pub text: &'a str,
    /// Columns it takes; 0 for a newline and for a tab, whose width depends on where it stands.
    pub width: usize,
}

impl Cluster<'_> {
    /// Byte offset behind the cluster.
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// The clusters of a text in order.
#[derive(Clone, Debug)]
pub struct Clusters<'a> {
    text: &'a str,
    at: usize,
}

/// The clusters of a text in order.
pub fn clusters(text: &str) -> Clusters<'_> {
    Clusters { text, at: 0 }
}

impl<'a> Iterator for Clusters<'a> {
    type Item = Cluster<'a>;

    fn next(&mut self) -> Option<Cluster<'a>> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let first = *bytes.get(start)?;
        // Between two ASCII characters there is always a boundary, but for CR LF.
        let alone = first.is_ascii() && first != b'\r' && bytes.get(start + 1).is_none_or(u8::is_ascii);
        let text = if alone {
            self.text.get(start..=start)?
        } else {
            self.text.get(start..)?.graphemes(true).next()?
        };
        self.at += text.len();
        Some(Cluster { start, text, width: cluster_width(text) })
    }
}

/// Columns of one cluster; control characters, tabs and newlines take none.
pub fn cluster_width(cluster: &str) -> usize {
    match cluster.as_bytes() {
        [byte] => usize::from((b' '..=b'~').contains(byte)),
        _ if cluster.contains(char::is_control) => 0,
        // The painter adds one for each half-width katakana sound mark, and cells must be where it puts them.
        _ => cluster.width() + cluster.matches(['\u{FF9E}', '\u{FF9F}']).count(),
    }
}

/// Columns of a text, its tabs going to the next stop of `TAB` from column 0.
pub fn width(text: &str) -> usize {
    end_column(text, 0, TAB)
}

/// The column behind a text that starts at `column`, with tab stops every `tab` columns.
pub fn end_column(text: &str, column: usize, tab: usize) -> usize {
    if text.bytes().all(|b| (b' '..=b'~').contains(&b)) {
        return column + text.len();
    }
    clusters(text).fold(column, |column, cluster| match cluster.text {
        "\t" => tab_stop(column, tab),
        _ => column + cluster.width,
    })
}

/// The tab stop behind `column`.
pub fn tab_stop(column: usize, tab: usize) -> usize {
    let tab = tab.max(1);
    (column / tab + 1) * tab
}

/// Whether terminals are known to disagree about the width of a cluster (joined emoji, presentation selectors, and
/// other clusters of several visible characters), so that the column behind it must be set, not assumed.
pub fn is_disputed(cluster: &str) -> bool {
    !cluster.is_ascii() && cluster.chars().nth(1).is_some() && cluster_width(cluster) != 1
        || cluster.contains('\u{FE0F}')
}
