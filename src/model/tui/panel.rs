//! The footer panel of an extension: one over all of them (`extensions-notes.md` 16).

use std::sync::Arc;

use crate::model::id::ExtId;
use crate::model::text::clean::Clean;
use crate::model::text::row::{Row, Span, Token};
use crate::model::wire::ext;

#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    pub owner: ExtId,
    /// What the extension calls itself.
    pub name: Clean,
    pub title: Clean,
    /// With a last one that counts lines past the limit.
    pub rows: Vec<Row>,
    /// It gets the keyboard.
    pub interactive: bool,
}

/// Rows of a panel beside its lines: title, a blank one, and the divider below. The one above is the composer's rule.
pub const FRAME_ROWS: u16 = 3;

impl Panel {
    pub fn new(owner: ExtId, name: &Arc<str>, asked: ext::Panel) -> Self {
        let ext::Panel { title, lines, interactive } = asked;
        let mut rows = lines.rows;
        if lines.more > 0 {
            rows.push(missing(lines.more));
        }
        let name = Clean::collapsed(name);
        let title = if title.is_empty() { name.clone() } else { title };
        Panel { owner, name, title, rows, interactive }
    }

    /// Rows it would like below the composer's rule.
    pub fn height(&self) -> u16 {
        u16::try_from(self.rows.len()).unwrap_or(u16::MAX).saturating_add(FRAME_ROWS)
    }

    /// The lines that are shown where there is room for so many; a last one counts the missing ones.
    pub fn shown(&self, room: usize) -> Vec<Row> {
        if self.rows.len() <= room {
            return self.rows.clone();
        }
        let count = room.saturating_sub(1);
        let mut rows: Vec<Row> = self.rows.iter().take(count).cloned().collect();
        rows.push(missing(self.rows.len() - count));
        rows.truncate(room);
        rows
    }

    /// The key hint that replaces the status row.
    pub fn hint(&self) -> Clean {
        match self.interactive {
            true => Clean::collapsed(&format!("keys go to {} · esc close", self.name)),
            false => Clean::from("esc close the panel"),
        }
    }
}

fn missing(count: usize) -> Row {
    let plural = if count == 1 { "" } else { "s" };
    Row::from(Span::decor(Clean::one_line(&format!("… {count} more line{plural}")), Token::Dim))
}
