//! The side pane: title, sections and hint between dividers, each row made when it is painted.

use ratatui::layout::Rect;

use super::composer::rule;
use super::rows::Canvas;
use super::status::fitting;
use super::{Scene, rect};
use crate::model::term::ColorDepth;
use crate::model::text::clean::Clean;
use crate::model::text::row::{Attrs, Row, Span, Token};
use crate::model::tui::geometry;
use crate::model::tui::pane::Pane;
use crate::model::tui::pane::section::{Content, Section};
use crate::model::wire::ext::Item;

const CLOSE: &str = "×";

/// Paints the pane and what stands between it and the conversation.
pub fn paint(canvas: &mut Canvas<'_>, scene: Scene<'_>, area: geometry::Rect, divider: geometry::Rect) {
    let Some(pane) = &scene.tui.pane else { return };
    let between = Rect { x: divider.x + divider.width / 2, width: divider.width.min(1), ..rect(divider) };
    let line = Row::from(Span::decor("│", Token::Border));
    for y in between.y..between.bottom() {
        canvas.row(Rect { y, height: 1, ..between }, &line);
    }
    if area.is_empty() {
        return;
    }
    let keyed = scene.tui.keyed().is_some();
    let frame = pane.frame(area);
    for area in [frame.above, frame.below] {
        rule(canvas, rect(area), Token::Border, &Clean::default());
    }
    for area in &frame.dividers {
        rule(canvas, rect(*area), Token::BorderMuted, &Clean::default());
    }
    title(canvas, pane, keyed, &frame);
    for (at, (section, part)) in pane.sections.iter().zip(&frame.parts).enumerate() {
        let keyed = keyed && at == pane.at();
        let look = if keyed { Attrs::BOLD } else { Attrs::NONE };
        let name =
            Span::new(section.title.clone(), if keyed { Token::Accent } else { Token::Muted }).attrs(look);
        canvas.row(rect(part.title), &Row::from(name).ellipsis(part.title.width.into()));
        body(canvas, section, rect(part.rows), keyed);
    }
    let cut = "cut: a pane holds 256 KiB";
    canvas.row(
        rect(frame.clip),
        &Row::from(Span::decor(cut, Token::Warning)).ellipsis(frame.clip.width.into()),
    );
    let width = usize::from(frame.hint.width);
    canvas.row(rect(frame.hint), &fitting(pane.hint().as_str(), width).ellipsis(width));
}

fn title(canvas: &mut Canvas<'_>, pane: &Pane, keyed: bool, frame: &crate::model::tui::pane::frame::Frame) {
    let (token, look) = if keyed { (Token::UserMessageText, Attrs::BOLD) } else { (Token::Dim, Attrs::NONE) };
    let room = usize::from(frame.title.width.saturating_sub(frame.close.width * 2));
    let row = Row::from(Span::new(pane.title.clone(), token).attrs(look));
    canvas.row(rect(frame.title), &row.ellipsis(room));
    canvas.row(
        rect(frame.close),
        &Row::from(Span::decor(CLOSE, if keyed { Token::Muted } else { Token::Dim })),
    );
}

/// The rows of a section in view.
fn body(canvas: &mut Canvas<'_>, section: &Section, area: Rect, keyed: bool) {
    if area.is_empty() {
        return;
    }
    let width = usize::from(area.width);
    if section.total() == 0 {
        return canvas.row(area, &Row::from(Span::decor("nothing here", Token::Dim)).ellipsis(width));
    }
    let selection = section.selection().unwrap_or(0..0);
    let rows = section.top()..(section.top() + usize::from(area.height)).min(section.total());
    for (y, at) in (area.y..area.bottom()).zip(rows) {
        let chosen = at == section.cursor() && at < section.len();
        let mut row = match &section.content {
            Content::List(items) if at < items.len() => {
                items.get(at).map(|item| entry(item, chosen, width)).unwrap_or_default()
            }
            _ => section.row(at).cut(width),
        };
        if chosen {
            row.spans.iter_mut().for_each(|span| span.attrs.bold = true);
            // Where grounds are soft one more shows that keys move this.
            if keyed && row.fill.is_none() && canvas.palette.depth() >= ColorDepth::Ansi256 {
                row.fill = Some(Token::SelectedBg);
            }
        }
        if selection.contains(&at) {
            row.push(Span::blanks(width.saturating_sub(row.width())));
            row.fill = None;
            // Colours exchanged one by one would make a patchwork of it.
            for span in &mut row.spans {
                (span.token, span.bg, span.attrs.reversed) = (Token::Plain, None, true);
            }
        }
        canvas.row(Rect { y, height: 1, ..area }, &row);
    }
}

/// `label           detail`
fn entry(item: &Item, chosen: bool, width: usize) -> Row {
    let token = match (item.token, chosen) {
        (Token::Plain, true) => Token::UserMessageText,
        (Token::Plain, false) => Token::Dim,
        (token, _) => token,
    };
    let label = Row::from(Span::new(item.label.clone(), token));
    let detail = Row::from(Span::new(item.detail.clone(), Token::Dim)).ellipsis(width / 2);
    if detail.is_empty() || width < 12 {
        return label.ellipsis(width);
    }
    let mut row = label.ellipsis(width.saturating_sub(detail.width() + 2));
    row.push(Span::blanks(width.saturating_sub(row.width() + detail.width())));
    detail.spans.into_iter().for_each(|span| row.push(span));
    row
}
