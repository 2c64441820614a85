//! What extensions put on the status row, the activity row and above the composer, by slot.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::text::clean::Clean;

/// Columns of a status or activity slot.
pub const SLOT_COLUMNS: usize = 40;

/// Slot name (`name` or `name/key`) to text; shown in byte order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Slots {
    status: BTreeMap<Arc<str>, Clean>,
    activity: BTreeMap<Arc<str>, Clean>,
}

/// Which row a slot is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Status,
    Activity,
}

impl Slots {
    fn map(&self, place: Place) -> &BTreeMap<Arc<str>, Clean> {
        match place {
            Place::Status => &self.status,
            Place::Activity => &self.activity,
        }
    }

    /// Fills a slot; blank text clears it.
    pub fn set(&mut self, place: Place, slot: Arc<str>, text: &str) {
        let text = Clean::collapsed(text).ellipsis(SLOT_COLUMNS);
        let map = match place {
            Place::Status => &mut self.status,
            Place::Activity => &mut self.activity,
        };
        if text.is_empty() {
            map.remove(&slot);
        } else {
            map.insert(slot, text);
        }
    }

    /// All slots of a row, or those of one name, joined by ` · `.
    pub fn joined(&self, place: Place, name: Option<&str>) -> String {
        let wanted = |slot: &str| match name {
            Some(name) => slot == name || slot.strip_prefix(name).is_some_and(|rest| rest.starts_with('/')),
            None => true,
        };
        let parts: Vec<&str> =
            self.map(place).iter().filter(|(slot, _)| wanted(slot)).map(|(_, text)| text.as_str()).collect();
        parts.join(" · ")
    }
}
