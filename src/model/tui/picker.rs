//! The pickers that belong to the composer: `/` commands, `@` files, `$` skills, paths, and the history search.

use std::ops::Range;
use std::sync::Arc;

use crate::model::id::Ticket;

use super::list::List;
use super::modal::Field;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PickerKind {
    /// `/` at the start of the line.
    Commands,
    /// `@`.
    Files,
    /// `$`.
    Skills,
    /// Ctrl+r.
    History,
    /// Tab on a path.
    Paths,
    /// What an extension would complete its command's last word with.
    Completions,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Picker {
    pub kind: PickerKind,
    pub list: List,
    /// The word of the draft that choosing replaces, its sign included.
    pub range: Range<usize>,
    /// The person moved in it: Enter chooses, not submits.
    pub moved: bool,
    /// Items are still arriving.
    pub loading: Option<Ticket>,
    /// The search is typed here, not into the draft.
    pub field: Option<Field>,
    /// Rows it keeps while it waits for its items.
    pub hold: usize,
}

/// The draft that an extension was asked to complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completing {
    /// Until it has answered.
    pub ticket: Option<Ticket>,
    pub line: Arc<str>,
}

impl Picker {
    pub fn new(kind: PickerKind, list: List, range: Range<usize>) -> Self {
        Picker { kind, list, range, moved: false, loading: None, field: None, hold: 0 }
    }

    /// The key hint that replaces the status row.
    pub fn hint(&self) -> &'static str {
        match self.kind {
            PickerKind::Commands => "↑↓ move · tab complete · enter run · esc close",
            PickerKind::Files | PickerKind::Skills | PickerKind::Paths => {
                "↑↓ move · enter or tab insert · esc close"
            }
            PickerKind::Completions => "tab insert · ↑↓ move, then enter inserts · esc close",
            PickerKind::History => "type to search · ↑↓ move · enter take · esc close",
        }
    }
}
