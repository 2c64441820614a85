//! What extensions put on the status row and the activity row, by slot. A slot belongs to the process that filled it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::id::ExtId;
use crate::model::text::clean::Clean;

/// Columns of a status or activity slot.
pub const SLOT_COLUMNS: usize = 40;

/// Slot name (`name` or `name/key`) to text; shown in byte order. Two processes of one name have a slot each.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Slots {
    status: BTreeMap<(Arc<str>, ExtId), Clean>,
    activity: BTreeMap<(Arc<str>, ExtId), Clean>,
}

/// Which row a slot is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Status,
    Activity,
}

impl Slots {
    fn map(&self, place: Place) -> &BTreeMap<(Arc<str>, ExtId), Clean> {
        match place {
            Place::Status => &self.status,
            Place::Activity => &self.activity,
        }
    }

    /// Fills a slot; blank text clears it.
    pub fn set(&mut self, place: Place, ext: ExtId, slot: Arc<str>, text: &str) {
        let text = Clean::collapsed(text).ellipsis(SLOT_COLUMNS);
        let map = match place {
            Place::Status => &mut self.status,
            Place::Activity => &mut self.activity,
        };
        if text.is_empty() {
            map.remove(&(slot, ext));
        } else {
            map.insert((slot, ext), text);
        }
    }

    /// The process is gone, and its slots with it.
    pub fn clear(&mut self, ext: ExtId) {
        self.status.retain(|(_, owner), _| *owner != ext);
        self.activity.retain(|(_, owner), _| *owner != ext);
    }

    /// Nothing is on that row.
    pub fn is_empty(&self, place: Place) -> bool {
        self.map(place).is_empty()
    }

    /// All slots of a row, or those of one name, joined by ` · `.
    pub fn joined(&self, place: Place, name: Option<&str>) -> String {
        let wanted = |slot: &str| match name {
            Some(name) => slot == name || slot.strip_prefix(name).is_some_and(|rest| rest.starts_with('/')),
            None => true,
        };
        let all = self.map(place).iter();
        let parts: Vec<&str> =
            all.filter(|((slot, _), _)| wanted(slot)).map(|(_, text)| text.as_str()).collect();
        parts.join(" · ")
    }
}
