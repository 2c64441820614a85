//! Where everything stands: one pure function from the screen's size and what is open to rectangles.
//! Update uses it for paging and the mouse, view for painting: they cannot disagree.

use crate::model::config::layout::Side;
use crate::model::term::Size;

/// Cells from the top left of the screen (inline mode: of the live region).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Rect {
    pub x: u16,
    pub y: u16,
    pub width: u16,
    pub height: u16,
}

impl Rect {
    pub fn new(x: u16, y: u16, width: u16, height: u16) -> Self {
        Rect { x, y, width, height }
    }

    pub fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0
    }

    pub fn bottom(self) -> u16 {
        self.y.saturating_add(self.height)
    }

    pub fn right(self) -> u16 {
        self.x.saturating_add(self.width)
    }

    pub fn contains(self, col: u16, row: u16) -> bool {
        (self.x..self.right()).contains(&col) && (self.y..self.bottom()).contains(&row)
    }
}

/// Which screen is being drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Canvas {
    /// The live region at the end of the terminal's own scrollback: as high as needed, at most the screen.
    #[default]
    Inline,
    /// The whole alternate screen.
    Full,
    /// The whole alternate screen, with the reader in it: body and status row only.
    Reader,
}

/// What a side pane does to the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Split {
    /// There is none, or the conversation has the screen to itself.
    #[default]
    None,
    /// It stands beside the conversation and has so many columns.
    Beside { side: Side, pane: u16 },
    /// It has the screen to itself, but for the status row.
    Pane,
}

/// Columns between conversation and pane.
pub const DIVIDER: u16 = 3;

impl Split {
    /// Columns that the conversation has on a screen of so many.
    pub fn conversation(self, columns: u16) -> u16 {
        match self {
            Split::Beside { pane, .. } => columns.saturating_sub(pane).saturating_sub(DIVIDER),
            Split::None | Split::Pane => columns,
        }
    }
}

/// The rows that each part would like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs {
    pub canvas: Canvas,
    /// Rows of the live part of the transcript. Counts in inline mode only; elsewhere the transcript takes the rest.
    pub transcript: u16,
    /// The activity row is shown.
    pub activity: bool,
    pub widgets: u16,
    /// Queued steers, one row each.
    pub queue: u16,
    /// Wrapped rows of the composer, or of the modal that took it over.
    pub composer: u16,
    /// The composer's place is a modal's, which may be higher than a third.
    pub modal: bool,
    /// Rows of the picker (at most [`PICKER_ROWS`]), or of the panel below the composer's rule.
    pub footer: u16,
    pub split: Split,
}

/// A picker shows at most this many rows.
pub const PICKER_ROWS: u16 = 6;
/// All extensions' widgets together.
pub const WIDGET_ROWS: u16 = 8;
/// Queued steers shown; the last row counts the rest.
pub const QUEUE_ROWS: u16 = 4;
/// From this height on the composer has a rule above and below it.
pub const RULES_FROM: u16 = 8;
/// From this height on a blank row stands below the transcript: above the activity row, or above the composer.
pub const AIR_FROM: u16 = 12;
/// Columns in front of the composer's text, for the prompt sign.
pub const GUTTER: u16 = 2;

/// Never overlapping, never leaving the screen, together the whole of it. A part that is not shown is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Regions {
    /// The whole: its height is the live region's in inline mode.
    pub screen: Rect,
    /// The transcript, or the reader's body.
    pub transcript: Rect,
    /// The activity row, below a blank one where there is room; that one alone while nothing goes on.
    pub activity: Rect,
    pub widgets: Rect,
    pub queue: Rect,
    /// The rule above the composer.
    pub above: Rect,
    /// The composer, or the modal that took it over; its text area is [`text_area`].
    pub composer: Rect,
    /// The rule below the composer.
    pub below: Rect,
    /// Picker or panel.
    pub footer: Rect,
    pub status: Rect,
    /// The side pane, and what stands between it and the conversation.
    pub pane: Rect,
    pub divider: Rect,
}

/// The composer is at most a third of the screen, but three rows where there is room.
pub fn composer_cap(rows: u16) -> u16 {
    (rows / 3).max(3).min(rows)
}

/// A modal is at most two thirds of the screen, but ten rows where there is room.
pub fn modal_cap(rows: u16) -> u16 {
    (rows.saturating_mul(2) / 3).max(10).min(rows)
}

/// The composer's text: what is left of it behind the gutter.
pub fn text_area(composer: Rect) -> Rect {
    let gutter = if composer.width > 2 * GUTTER { GUTTER } else { 0 };
    Rect { x: composer.x + gutter, width: composer.width - gutter, ..composer }
}

/// Columns that the composer's text has in a conversation of so many.
pub fn text_columns(columns: u16) -> u16 {
    text_area(Rect::new(0, 0, columns, 1)).width
}

/// Rows still to give away.
struct Rows(u16);

impl Rows {
    /// At most `want`, leaving `keep` for others.
    fn take(&mut self, want: u16, keep: u16) -> u16 {
        let got = want.min(self.0.saturating_sub(keep));
        self.0 -= got;
        got
    }
}

/// Deals the rows out: first one for the composer, then status, transcript, footer, and so on; what is scarce goes to
/// what a person needs most.
pub fn regions(size: Size, needs: &Needs) -> Regions {
    let Size { cols, rows } = size;
    if needs.canvas == Canvas::Reader {
        let status = u16::from(rows > 1);
        return stack(0, cols, [rows - status, 0, 0, 0, 0, 0, 0, 0, status]);
    }
    if needs.split == Split::Pane {
        let status = u16::from(rows > 1);
        let (screen, pane) = (Rect::new(0, 0, cols, rows), Rect::new(0, 0, cols, rows - status));
        let status = Rect::new(0, pane.height, cols, status);
        let none = Rect { height: 0, ..status };
        let [transcript, activity, widgets, queue, above, composer, below, footer] = [none; 8];
        let divider = none;
        return Regions {
            screen,
            transcript,
            activity,
            widgets,
            queue,
            above,
            composer,
            below,
            footer,
            status,
            pane,
            divider,
        };
    }
    let mut left = Rows(rows);
    let cap = if needs.modal { modal_cap(rows) } else { composer_cap(rows) };
    let want = needs.composer.clamp(1, cap.max(1));
    let mut composer = left.take(1, 0);
    let status = left.take(1, 0);
    let wants_transcript = needs.canvas == Canvas::Full || needs.transcript > 0;
    let keep = u16::from(wants_transcript && rows >= 4);
    let mut activity = left.take(u16::from(needs.activity), keep);
    composer += left.take(want.saturating_sub(1).min(2), keep);
    let footer = left.take(needs.footer, keep);
    composer += left.take(want.saturating_sub(composer), keep);
    let queue = left.take(needs.queue.min(QUEUE_ROWS), keep);
    let widgets = left.take(needs.widgets.min(WIDGET_ROWS), keep);
    let rules = if rows >= RULES_FROM { left.take(2, keep) } else { 0 };
    if rows >= AIR_FROM {
        activity += left.take(1, keep);
    }
    let transcript = match needs.canvas {
        Canvas::Inline => left.take(needs.transcript, 0),
        Canvas::Full | Canvas::Reader => left.take(u16::MAX, 0),
    };
    let (above, below) = (rules.min(1), rules.saturating_sub(1));
    let heights = [transcript, activity, widgets, queue, above, composer, below, footer, status];
    let wide = needs.split.conversation(cols);
    let Split::Beside { side, pane } = needs.split else { return stack(0, wide, heights) };
    // On a screen that is no wider than the divider nothing but that is left.
    let pane = pane.min(cols);
    let gap = cols - pane - wide;
    let (x, pane_x, gap_x) = match side {
        Side::Left => (pane + gap, 0, pane),
        Side::Right => (0, wide + gap, wide),
    };
    let stacked = stack(x, wide, heights);
    let whole = |x, width| Rect::new(x, 0, width, stacked.screen.height);
    Regions { screen: whole(0, cols), pane: whole(pane_x, pane), divider: whole(gap_x, gap), ..stacked }
}

fn stack(x: u16, cols: u16, heights: [u16; 9]) -> Regions {
    let mut y = 0;
    let mut next = |height: u16| {
        let rect = Rect::new(x, y, cols, height);
        y += height;
        rect
    };
    let [transcript, activity, widgets, queue, above, composer, below, footer, status] =
        heights.map(&mut next);
    let screen = Rect::new(x, 0, cols, y);
    let none = Rect::new(x, 0, 0, 0);
    let (pane, divider) = (none, none);
    Regions {
        screen,
        transcript,
        activity,
        widgets,
        queue,
        above,
        composer,
        below,
        footer,
        status,
        pane,
        divider,
    }
}
