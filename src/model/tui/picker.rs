//! The pickers that belong to the composer: `/` commands, `@` files, `$` skills, paths, and the history search.

use std::ops::Range;

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
}

impl Picker {
    pub fn new(kind: PickerKind, list: List, range: Range<usize>) -> Self {
        Picker { kind, list, range, moved: false, loading: None, field: None }
    }

    /// The key hint that replaces the status row.
    pub fn hint(&self) -> &'static str {
        match self.kind {
            PickerKind::Commands => "↑↓ move · tab complete · enter run · esc close",
            PickerKind::Files | PickerKind::Skills | PickerKind::Paths => {
                "↑↓ move · enter or tab insert · esc close"
            }
            PickerKind::History => "type to search · ↑↓ move · enter take · esc close",
        }
    }
}
