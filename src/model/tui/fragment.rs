//! Text with markers in it, as it is typed, cut, stashed and sent: a marker's label stands for what is behind it.

use std::ops::Range;
use std::sync::Arc;

use crate::model::tool::Image;

/// What a marker stands for.
#[derive(Debug, Clone, PartialEq)]
pub enum Attachment {
    /// A long paste, whole.
    Paste(Arc<str>),
    /// Sent beside the text; its label stays in the text.
    Image(Image),
    /// Rows of a pane: the text it expands to.
    Snapshot(Arc<str>),
}

/// A stretch of the draft's text that is one unit to the cursor: its label.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    pub start: usize,
    pub end: usize,
    pub what: Attachment,
}

/// Text with the markers in it, as it is cut, killed, stashed and undone. Marks are in order and do not overlap.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Fragment {
    pub text: String,
    pub marks: Vec<Mark>,
}

/// Bytes of a text that is edited in place.
const EDITED: usize = 64 * 1024;

impl Fragment {
    pub fn text(text: impl Into<String>) -> Self {
        Fragment { text: text.into(), marks: Vec::new() }
    }

    /// A text that comes as a whole: as it is, or, where it is so long that editing it would be slow, as one marker.
    pub fn whole(text: &str) -> Self {
        if text.len() <= EDITED {
            return Fragment::text(text);
        }
        let label = format!("[Long text, {} chars]", text.chars().count());
        Fragment::mark(&label, Attachment::Paste(Arc::from(text)))
    }

    /// One marker; its label is one line.
    pub fn mark(label: &str, what: Attachment) -> Self {
        let text = label.replace(['\n', '\r'], " ");
        let marks = vec![Mark { start: 0, end: text.len(), what }];
        Fragment { text, marks }
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Appends text and markers.
    pub fn push(&mut self, more: Fragment) {
        let at = self.text.len();
        self.text.push_str(&more.text);
        self.marks.extend(more.marks.into_iter().map(|m| Mark { start: m.start + at, end: m.end + at, ..m }));
    }

    /// A stretch of it, with the markers that are whole inside.
    pub fn slice(&self, range: &Range<usize>) -> Fragment {
        let marks = self.marks.iter().filter(|m| m.start >= range.start && m.end <= range.end);
        Fragment {
            text: self.text.get(range.clone()).unwrap_or_default().to_owned(),
            marks: marks
                .map(|m| Mark {
                    start: m.start - range.start,
                    end: m.end - range.start,
                    what: m.what.clone(),
                })
                .collect(),
        }
    }

    /// The text in visual order with every paste and snapshot written out; image labels stay.
    pub fn expanded(&self) -> String {
        let mut out = String::with_capacity(self.text.len());
        let mut at = 0;
        for mark in &self.marks {
            let (Some(before), Some(label)) =
                (self.text.get(at..mark.start), self.text.get(mark.start..mark.end))
            else {
                continue;
            };
            out.push_str(before);
            match &mark.what {
                Attachment::Paste(text) => out.push_str(text),
                // On lines of its own.
                Attachment::Snapshot(text) => {
                    if !out.is_empty() && !out.ends_with('\n') {
                        out.push('\n');
                    }
                    out.push_str(text);
                    if self
                        .text
                        .get(mark.end..)
                        .is_some_and(|rest| !rest.is_empty() && !rest.starts_with('\n'))
                    {
                        out.push('\n');
                    }
                }
                Attachment::Image(_) => out.push_str(label),
            }
            at = mark.end;
        }
        out.push_str(self.text.get(at..).unwrap_or_default());
        out
    }

    pub fn images(&self) -> Vec<Image> {
        let images = self.marks.iter().filter_map(|m| match &m.what {
            Attachment::Image(image) => Some(image.clone()),
            Attachment::Paste(_) | Attachment::Snapshot(_) => None,
        });
        images.collect()
    }
}
