//! The terminal front's state in parts: surfaces, focus, scroll. View paints it, update changes it.
//!
//! What stands where is [`geometry::regions`] of [`Tui::needs`]. The rows of a block come from `look::rows`, in theme
//! words: update pages by the very rows that view paints.

pub mod block;
pub mod code;
pub mod composer;
pub mod draft;
pub mod fragment;
pub mod geometry;
pub mod heights;
pub mod lines;
pub mod list;
pub mod look;
pub mod modal;
pub mod overview;
pub mod pane;
pub mod panel;
pub mod picker;
pub mod prose;
pub mod scroll;
pub mod select;
pub mod shade;
pub mod slots;
pub mod status;
pub mod tail;
pub mod transcript;
pub mod viewer;
pub mod widgets;
pub mod wrapped;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::config::settings::Settings;
use crate::model::ext::Debt;
use crate::model::id::{BlockId, CallId, Tickets, TimerId};
use crate::model::term::Size;
use crate::model::time::At;

use geometry::{Canvas, Needs, PICKER_ROWS, Rect, Regions, Split};
use look::Look;
use wrapped::Frame;

/// What is shown on which screen.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Screen {
    pub size: Size,
    /// `tui_mode`: the alternate screen throughout.
    pub fullscreen: bool,
    /// Inline: the alternate screen was entered for reading back.
    pub reading: bool,
    /// The terminal was told to be on the alternate screen.
    pub alternate: bool,
    /// The columns that the conversation's place was found for.
    pub columns: u16,
    /// The terminal was told to report the mouse.
    pub mouse: bool,
    /// Blanks between tab stops.
    pub tab: usize,
    /// The terminal shows hyperlinks.
    pub links: bool,
}

/// A question to the world whose answer is awaited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Awaiting {
    History,
    Draft,
    Branch,
    /// An image or text for the composer, from the clipboard.
    Clipboard,
    /// An image by path; this is written instead when it is none.
    Image(Arc<str>),
    /// The draft comes back from the editor.
    Editor,
    /// A question's field does; whose question it is.
    ModalEditor(Option<Debt>),
    /// Files for a picker.
    Walk,
    /// The saved sessions.
    Sessions,
    /// Colours for a block's code block, or for a part of the diff of one of its calls.
    Colours {
        block: BlockId,
        code: usize,
    },
    /// Colours for a hunk of a diff in the pane.
    PaneColours {
        section: Arc<str>,
        serial: u64,
        index: usize,
    },
    Settings,
    /// A page of the session is being written.
    Export,
    /// The files a person writes by hand.
    Reload,
    /// The same, because one was saved.
    Live,
    /// What the saved sessions of this period used.
    Usage(Arc<str>),
    Trust,
    Auth,
    /// Completions of an extension's command.
    Completions,
    /// What crossed the pipes of the extensions, for `/extensions`.
    Traffic,
    /// What extensions would have blocks of the transcript show.
    Render(Vec<BlockId>),
    /// What extensions would have the reader show of a call.
    RenderCall {
        block: BlockId,
        call: CallId,
    },
}

/// Why a timer was set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Due {
    /// A second of a running turn has passed.
    Tick,
    /// The flash goes.
    Flash,
    /// The exit is no longer armed.
    Disarm,
    /// The draft is written to disk.
    KeepDraft,
    /// A finished block waited long enough for its colours.
    Colours,
}

/// Answers and timers that are awaited.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pending {
    pub tickets: Tickets<Awaiting>,
    /// One timer each.
    pub timers: BTreeMap<Due, TimerId>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tui {
    pub screen: Screen,
    pub composer: composer::Composer,
    pub transcript: transcript::Transcript,
    pub heights: heights::Heights,
    pub modals: modal::Modals,
    pub picker: Option<picker::Picker>,
    pub reader: Option<viewer::Reader>,
    /// What the mouse selected of the conversation.
    pub selection: Option<select::Selection>,
    pub status: status::Status,
    pub slots: slots::Slots,
    pub widgets: widgets::Widgets,
    pub panel: Option<panel::Panel>,
    pub pane: Option<pane::Pane>,
    pub pending: Pending,
    /// The accessible look: there is no screen, and what is to be known is written as lines.
    pub lines: Option<Box<lines::Lines>>,
}

impl Tui {
    /// Which screen is drawn.
    pub fn canvas(&self) -> Canvas {
        if self.reader.is_some() {
            Canvas::Reader
        } else if self.screen.fullscreen || self.screen.reading || self.pane.is_some() {
            Canvas::Full
        } else {
            Canvas::Inline
        }
    }

    /// How blocks are looked at, at a depth.
    pub fn look<'a>(&self, depth: viewer::Depth, settings: &'a Settings, now: At) -> Look<'a> {
        let columns = usize::from(self.columns()).max(1);
        Look { columns, depth, settings, links: self.screen.links, now }
    }

    /// The pane, while it gets the keys that nothing in front of it takes.
    pub fn keyed(&self) -> Option<&pane::Pane> {
        let behind = self.reader.is_some()
            || self.modals.open().is_some()
            || self.picker.is_some()
            || self.capturing().is_some();
        self.pane.as_ref().filter(|pane| pane.focused && !behind)
    }

    /// What the pane does to the screen. Where there is room for one of the two alone it is the one with the keys.
    pub fn split(&self) -> Split {
        let columns = self.screen.size.cols;
        self.pane.as_ref().map_or(Split::None, |pane| pane.place.split(columns, self.keyed().is_some()))
    }

    /// Columns of the conversation, when it shows.
    pub fn columns(&self) -> u16 {
        self.split().conversation(self.screen.size.cols)
    }

    /// Where the pane stands, and the columns it would have if it showed.
    pub fn pane_area(&self) -> (Rect, u16) {
        let area = self.regions(0).pane;
        match self.split() {
            Split::Beside { pane, .. } => (area, pane),
            Split::None | Split::Pane => (area, self.screen.size.cols),
        }
    }

    /// How the composer's text is laid out.
    pub fn frame(&self) -> Frame {
        let columns = geometry::text_columns(self.columns()).max(1).into();
        Frame { columns, tab: self.screen.tab.max(1), secret: false }
    }

    /// The panel, where it shows: a question, a picker and the reader hide it.
    pub fn panel(&self) -> Option<&panel::Panel> {
        let hidden = self.modals.open().is_some() || self.picker.is_some() || self.reader.is_some();
        self.panel.as_ref().filter(|_| !hidden)
    }

    /// The panel, while it gets the keyboard.
    pub fn capturing(&self) -> Option<&panel::Panel> {
        self.panel().filter(|panel| panel.interactive)
    }

    /// What each part would like. `live` is the number of rows of [`Transcript::live`](transcript::Transcript::live),
    /// which only the painter of blocks knows; it counts in inline mode alone.
    pub fn needs(&self, live: u16) -> Needs {
        let modal = self.modals.open();
        let composer = match modal {
            Some(modal) => modal.rows(self.columns()),
            None => {
                let rows = wrapped::lines(&self.composer.draft, self.frame()).len();
                u16::try_from(rows).unwrap_or(u16::MAX)
            }
        };
        let panel = self.panel();
        let footer = match &self.picker {
            Some(picker) if modal.is_none() => {
                u16::try_from(picker.list.len().max(picker.hold).max(1)).unwrap_or(u16::MAX).min(PICKER_ROWS)
            }
            _ => panel.map_or(0, |panel| panel.height().min(geometry::modal_cap(self.screen.size.rows))),
        };
        Needs {
            canvas: self.canvas(),
            transcript: live,
            activity: self.status.running.is_some() || !self.slots.is_empty(slots::Place::Activity),
            widgets: self.widgets.height(),
            queue: u16::try_from(self.status.queue.len()).unwrap_or(u16::MAX),
            composer,
            modal: modal.is_some(),
            footer,
            split: self.split(),
        }
    }

    /// Where everything stands.
    pub fn regions(&self, live: u16) -> Regions {
        geometry::regions(self.screen.size, &self.needs(live))
    }
}
