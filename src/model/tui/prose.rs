//! Text in blocks: what is clean already or is cleaned when looked at, and what grows while it streams.

use std::borrow::Cow;
use std::sync::Arc;

use crate::model::text::clean::{Clean, Cleaner, Mode};
use crate::model::time::Span;

use super::code::Codes;

/// Text for a block: already clean, or a stranger's that is cleaned when it is first looked at, so that a long
/// conversation opens without a walk over all of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Words {
    Clean(Clean),
    Raw(Arc<str>),
}

impl Words {
    pub fn clean(&self) -> Cow<'_, Clean> {
        match self {
            Words::Clean(clean) => Cow::Borrowed(clean),
            Words::Raw(raw) => Cow::Owned(Clean::vanish(raw)),
        }
    }

    /// The text for a place of review: what is removed but escape sequences shows (`extensions-notes.md`, 20).
    pub fn reviewed(&self) -> Cow<'_, Clean> {
        match self {
            Words::Clean(clean) => Cow::Borrowed(clean),
            Words::Raw(raw) => Cow::Owned(Clean::review(raw)),
        }
    }

    /// The text as it came, for parsers that clean what they find.
    pub fn raw(&self) -> &str {
        match self {
            Words::Clean(clean) => clean.as_str(),
            Words::Raw(raw) => raw,
        }
    }

    pub fn is_blank(&self) -> bool {
        match self {
            Words::Clean(clean) => clean.as_str().trim().is_empty(),
            Words::Raw(raw) => raw.trim().is_empty(),
        }
    }

    /// Bytes, as a measure of how much there is.
    pub fn len(&self) -> usize {
        match self {
            Words::Clean(clean) => clean.len(),
            Words::Raw(raw) => raw.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Default for Words {
    fn default() -> Self {
        Words::Clean(Clean::default())
    }
}

/// A reply's text or thinking: append-only while it streams.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Prose {
    pub words: Words,
    /// It goes on the paragraph block before it: no bullet or label of its own.
    pub continues: bool,
    /// The link definitions of the blocks before it, which it may refer to.
    pub links: Option<Arc<str>>,
    /// Its fenced code blocks and their colours so far.
    pub codes: Codes,
    /// How long it took, once it is done.
    pub took: Option<Span>,
    /// Its length when it was last searched in vain for a part that can't change any more.
    pub searched: usize,
    cleaner: Option<Box<Cleaner>>,
}

impl Prose {
    /// An open one, for streaming.
    pub fn open() -> Self {
        let cleaner = Some(Box::new(Cleaner::new(Mode::Vanish)));
        Prose { cleaner, ..Prose::default() }
    }

    pub fn whole(text: Arc<str>) -> Self {
        Prose { words: Words::Raw(text), ..Prose::default() }
    }

    pub fn text(&self) -> Cow<'_, Clean> {
        self.words.clean()
    }

    /// Appends a piece as it came.
    pub fn push(&mut self, raw: &str) {
        let Some(cleaner) = &mut self.cleaner else { return };
        let more = cleaner.push(raw);
        self.append(&more);
    }

    /// What the sanitiser held back joins; nothing is appended any more.
    pub fn close(&mut self) {
        if let Some(mut cleaner) = self.cleaner.take() {
            let rest = cleaner.finish();
            self.append(&rest);
        }
        if let Words::Clean(text) = &self.words {
            self.codes.finish(text.as_str());
        }
    }

    /// Cuts it at an offset: this part is done, and the rest that is given back goes on growing.
    pub fn split(&mut self, at: usize) -> Prose {
        let text = self.words.clean().into_owned();
        let (head, tail) = text.as_str().split_at_checked(at).unwrap_or((text.as_str(), ""));
        let mut rest = Prose { continues: true, cleaner: self.cleaner.take(), ..Prose::default() };
        let defined: Vec<&str> =
            head.lines().filter(|l| l.trim_start().starts_with('[') && l.contains("]:")).collect();
        rest.links = match (&self.links, defined.is_empty()) {
            (links, true) => links.clone(),
            (links, false) => {
                let before = links.as_deref().unwrap_or_default();
                Some(Arc::from(format!("{before}{}\n\n", defined.join("\n"))))
            }
        };
        let old = std::mem::take(&mut self.codes);
        // A fence that is open now stands in the rest alone.
        rest.append(&Clean::vanish(tail));
        if let (Some(code), Some(kept)) = (rest.codes.all.first_mut(), old.all.last())
            && kept.source == code.source
        {
            code.keep(kept);
        }
        self.words = Words::Clean(Clean::vanish(head));
        self.codes.finish(head);
        for (code, kept) in self.codes.all.iter_mut().zip(&old.all) {
            if kept.source == code.source {
                code.keep(kept);
            }
        }
        rest
    }

    fn append(&mut self, more: &Clean) {
        if let Words::Clean(text) = &mut self.words {
            text.push(more);
            self.codes.scan(text.as_str());
        }
    }
}
