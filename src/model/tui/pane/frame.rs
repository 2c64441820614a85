//! Where the parts of a pane stand: divider, title, a blank row, the sections, divider, hint; in little room the frame
//! gives way to the section that has the keys.

use super::Pane;
use super::section::Content;
use crate::model::tui::geometry::Rect;

/// A list shows at most so many rows.
pub const LIST_ROWS: usize = 8;
/// Rows of the frame: two dividers, title, a blank one, hint.
const FRAME_ROWS: u16 = 5;

/// A part that has no room is empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frame {
    pub above: Rect,
    pub title: Rect,
    /// The `×` at the right end of the title.
    pub close: Rect,
    /// One for each section.
    pub parts: Vec<Part>,
    /// Between two sections.
    pub dividers: Vec<Rect>,
    /// Says that something was cut.
    pub clip: Rect,
    pub below: Rect,
    pub hint: Rect,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Part {
    pub title: Rect,
    pub rows: Rect,
}

/// Gives out rows of an area from the top.
struct Rows(Rect);

impl Rows {
    fn take(&mut self, height: u16) -> Rect {
        let height = height.min(self.0.height);
        let taken = Rect { height, ..self.0 };
        self.0.y += height;
        self.0.height -= height;
        taken
    }
}

pub(super) fn frame(pane: &Pane, area: Rect) -> Frame {
    if area.is_empty() {
        return Frame { parts: vec![Part::default(); pane.sections.len()], ..Frame::default() };
    }
    let height = area.height;
    // What gives way first: the blank row, the dividers, the hint, the title.
    let [title, hint, below, above, blank] =
        [2, 3, 4, 5, FRAME_ROWS + 1].map(|from| u16::from(height >= from));
    let mut left = Rows(area);
    let above = left.take(above);
    let title = left.take(title);
    let _blank = left.take(blank);
    let body = left.take(left.0.height - below - hint);
    let (below, hint) = (left.take(below), left.take(hint));
    let close = if title.width > 2 {
        Rect { x: title.right().saturating_sub(1), width: title.width.min(1), ..title }
    } else {
        Rect { height: 0, ..title }
    };
    let mut body = Rows(body);
    let clip = if pane.cut() && body.0.height > 1 {
        Rect { y: body.0.bottom() - 1, height: 1, ..body.0 }
    } else {
        Rect::default()
    };
    body.0.height -= clip.height;
    let (parts, dividers) = sections(pane, body.0);
    Frame { above, title, close, parts, dividers, clip, below, hint }
}

/// Rows of each section, without title and divider: lists as many as they have, at most eight, the others the rest in
/// equal shares, none below one.
fn heights(pane: &Pane, body: u16) -> Vec<u16> {
    let sections = &pane.sections;
    let titles = sections.iter().filter(|section| !section.title.is_empty()).count();
    let fixed = titles + sections.len().saturating_sub(1);
    let mut left = usize::from(body).saturating_sub(fixed + sections.len());
    let mut heights = vec![1; sections.len()];
    for (height, section) in heights.iter_mut().zip(sections) {
        if let Content::List(_) = section.content {
            let more = section.total().clamp(1, LIST_ROWS) - 1;
            let more = more.min(left);
            *height += more;
            left -= more;
        }
    }
    let others = sections.iter().filter(|section| !matches!(section.content, Content::List(_))).count();
    let (share, mut over) = (left.checked_div(others).unwrap_or(0), left.checked_rem(others).unwrap_or(0));
    for (height, section) in heights.iter_mut().zip(sections) {
        if !matches!(section.content, Content::List(_)) {
            *height += share + over.min(1);
            over = over.saturating_sub(1);
        }
    }
    heights.into_iter().map(|height| u16::try_from(height).unwrap_or(u16::MAX)).collect()
}

/// The sections from the top of the body; where they do not fit, so much of them that the one with the keys shows.
fn sections(pane: &Pane, body: Rect) -> (Vec<Part>, Vec<Rect>) {
    // Rows as if there were room for all.
    let mut y: u16 = 0;
    let mut spans = Vec::new();
    for (at, (section, height)) in pane.sections.iter().zip(heights(pane, body.height)).enumerate() {
        let mut next = |height: u16| {
            let from = y;
            y = y.saturating_add(height);
            (from, height)
        };
        let divider = next(u16::from(at > 0));
        let title = next(u16::from(!section.title.is_empty()));
        spans.push((divider, title, next(height)));
    }
    let skipped = spans.get(pane.at()).map_or(0, |(_, _, (from, height))| {
        from.saturating_add(*height).saturating_sub(body.height).min(*from)
    });
    let place = |(from, height): (u16, u16)| {
        let top = from.max(skipped);
        let bottom = from.saturating_add(height).min(skipped.saturating_add(body.height));
        Rect {
            y: body.y + top.saturating_sub(skipped).min(body.height),
            height: bottom.saturating_sub(top),
            ..body
        }
    };
    let parts = spans.iter().map(|(_, title, rows)| Part { title: place(*title), rows: place(*rows) });
    let dividers = spans.iter().map(|(divider, ..)| place(*divider)).filter(|rect| !rect.is_empty());
    (parts.collect(), dividers.collect())
}
