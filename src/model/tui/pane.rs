//! The side pane of an extension: its sections, which of them has the keys, and what a refresh leaves as it was
//! (`extensions-notes.md` 17). Where its parts stand is [`frame`]'s to say.

pub mod frame;
pub mod section;
pub mod snapshot;
pub mod tints;

use std::sync::Arc;

use crate::model::config::chord::Chord;
use crate::model::config::layout::{Layout, PANE_WIDTH, Side};
use crate::model::id::ExtId;
use crate::model::text::clean::Clean;
use crate::model::wire::ext;

use super::geometry::{DIVIDER, Rect, Split};
use frame::Frame;
use section::{Content, Section};

/// What the person's layout says about a pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub side: Side,
    /// Percent of the screen.
    pub width: u16,
    /// Columns from which it stands beside the conversation.
    pub split_min: u16,
    /// The chord that moves between conversation and pane.
    pub focus: Chord,
}

impl Default for Place {
    fn default() -> Self {
        let Layout { split_min, focus, .. } = Layout::default();
        Place { side: Side::Right, width: PANE_WIDTH, split_min, focus }
    }
}

impl Place {
    /// How such a pane divides a screen of so many columns. `shown`: where there is room for one of the two alone, it is
    /// the pane's turn.
    pub fn split(self, columns: u16, shown: bool) -> Split {
        if columns >= self.split_min {
            let pane = u32::from(columns) * u32::from(self.width) / 100;
            let pane = u16::try_from(pane).unwrap_or(u16::MAX).min(columns.saturating_sub(DIVIDER));
            Split::Beside { side: self.side, pane }
        } else if shown {
            Split::Pane
        } else {
            Split::None
        }
    }
}

/// Where a movement leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Up,
    Down,
    PageUp,
    PageDown,
    Home,
    End,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Pane {
    pub owner: ExtId,
    /// What its owner calls it.
    pub id: Arc<str>,
    pub title: Clean,
    /// Empty where the extension gave none.
    hint: Clean,
    /// The side that the extension proposed.
    wish: Option<Side>,
    pub place: Place,
    /// Keys go here, as far as nothing stands in front.
    pub focused: bool,
    /// Index of the section that has the keys.
    at: usize,
    /// Never empty.
    pub sections: Vec<Section>,
    /// The section that a drag of the mouse began in.
    pub dragged: Option<usize>,
}

impl Pane {
    /// A new one, on its first section.
    pub fn open(owner: ExtId, name: &Arc<str>, asked: ext::Pane, focused: bool) -> Pane {
        let id = asked.id.clone().unwrap_or_else(|| name.clone());
        let mut pane = Pane {
            owner,
            id,
            title: Clean::default(),
            hint: Clean::default(),
            wish: None,
            place: Place::default(),
            focused,
            at: 0,
            sections: Vec::new(),
            dragged: None,
        };
        pane.refresh(asked);
        pane
    }

    /// Whether what is asked for is a refresh of this one.
    pub fn is(&self, owner: ExtId, name: &Arc<str>, asked: &ext::Pane) -> bool {
        self.owner == owner && self.id == *asked.id.as_ref().unwrap_or(name)
    }

    /// Takes new content in: sections that keep their id keep everyone's place.
    pub fn refresh(&mut self, asked: ext::Pane) {
        self.title = if asked.title.is_empty() { Clean::collapsed(&self.id) } else { asked.title };
        self.hint = asked.hint;
        self.wish = asked.side.or(self.wish);
        let focus = self.sections.get(self.at).map(|section| section.id.clone());
        let mut before = std::mem::take(&mut self.sections);
        for new in asked.sections {
            let old = before.iter().position(|section| section.id == new.id).map(|at| before.swap_remove(at));
            self.sections.push(match old {
                Some(mut section) => {
                    section.refresh(new);
                    section
                }
                None => Section::new(new),
            });
        }
        self.at = self.sections.iter().position(|section| Some(&section.id) == focus.as_ref()).unwrap_or(0);
        self.dragged = None;
    }

    /// Takes in what the layout says.
    pub fn settle(&mut self, layout: &Layout) {
        self.place = Place {
            side: layout.side(&self.id, self.wish),
            width: layout.width(&self.id),
            split_min: layout.split_min,
            focus: layout.focus,
        };
    }

    /// Lays the sections out for where the pane stands; `columns` are those it would have where it does not show.
    pub fn lay(&mut self, area: Rect, columns: u16, tab: usize) {
        for section in &mut self.sections {
            section.lay(usize::from(columns).max(1), tab.max(1));
        }
        let heights: Vec<u16> = self.frame(area).parts.iter().map(|part| part.rows.height).collect();
        for (section, height) in self.sections.iter_mut().zip(heights) {
            section.show(height.into());
        }
    }

    /// Where its parts stand in an area.
    pub fn frame(&self, area: Rect) -> Frame {
        frame::frame(self, area)
    }

    /// Index of the section that has the keys.
    pub fn at(&self) -> usize {
        self.at
    }

    pub fn section(&self) -> Option<&Section> {
        self.sections.get(self.at)
    }

    pub fn section_mut(&mut self) -> Option<&mut Section> {
        self.sections.get_mut(self.at)
    }

    /// Gives the keys to a section.
    pub fn go(&mut self, at: usize) {
        if at < self.sections.len() {
            self.at = at;
        }
    }

    /// The next section, or the one before, coming out at the other end.
    pub fn turn(&mut self, forward: bool) {
        let len = self.sections.len().max(1);
        self.at = (self.at + if forward { 1 } else { len - 1 }) % len;
    }

    /// Something did not fit into the pane's size.
    pub fn cut(&self) -> bool {
        self.sections.iter().any(|section| section.cut)
    }

    /// What the last row says of the keys.
    pub fn hint(&self) -> Clean {
        if !self.hint.is_empty() {
            return self.hint.clone();
        }
        if !self.focused {
            return Clean::collapsed(&format!("{} to get here", self.place.focus));
        }
        let many = self.sections.len() > 1;
        let enter = match self.section().map(|section| &section.content) {
            Some(Content::List(_)) => "enter open",
            _ => "shift+↑↓ select · enter attach",
        };
        let tab = if many { " · tab next" } else { "" };
        let esc = if self.at > 0 { "esc back" } else { "esc close" };
        Clean::collapsed(&format!("↑↓ move · {enter}{tab} · {esc}"))
    }
}
