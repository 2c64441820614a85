//! The conversation: only what the viewport shows is walked and painted.

use ratatui::layout::Rect;

use super::Scene;
use super::cache::Cache;
use super::rows::Canvas;
use crate::model::tui::Tui;
use crate::model::tui::block::Block;
use crate::model::tui::geometry;
use crate::model::tui::look::Look;
use crate::model::tui::scroll::{Scroll, window};
use crate::model::tui::select::Selection;

/// Rows of the live part, as far as a screen could show them. Only inline mode asks.
pub fn live_rows(tui: &Tui, cache: &mut Cache, look: Look<'_>) -> u16 {
    if tui.canvas() != geometry::Canvas::Inline {
        return 0;
    }
    let most = usize::from(tui.screen.size.rows);
    let mut rows = 0;
    for block in tui.transcript.painted(true).0.iter().rev() {
        rows += cache.rows(block, look).len();
        if rows >= most {
            break;
        }
    }
    u16::try_from(rows.min(most)).unwrap_or(u16::MAX)
}

/// Paints the conversation: the live part's end in inline mode, else from where the reader stands.
pub fn paint(canvas: &mut Canvas<'_>, cache: &mut Cache, scene: Scene<'_>, area: Rect) {
    let transcript = &scene.tui.transcript;
    let inline = scene.tui.canvas() == geometry::Canvas::Inline;
    let (blocks, scroll) = transcript.painted(inline);
    let selection = scene.tui.selection.as_ref().filter(|_| !inline);
    blocks_in(canvas, cache, scene.look, area, (blocks, scroll), selection);
}

/// Paints blocks from a scroll position on. Fewer rows than the area has stand at its top.
pub fn blocks_in(
    canvas: &mut Canvas<'_>,
    cache: &mut Cache,
    look: Look<'_>,
    area: Rect,
    (blocks, scroll): (&[Block], &Scroll),
    selection: Option<&Selection>,
) {
    let slices = window(blocks, scroll, area.height.into(), |_, block| cache.rows(block, look).len());
    let mut y = area.y;
    for slice in slices {
        let Some(block) = blocks.get(slice.index) else { continue };
        let rows = cache.rows(block, look);
        let first = slice.rows.start;
        let shown = rows.range(slice.rows);
        let rest = Rect { y, height: area.bottom().saturating_sub(y), ..area };
        canvas.rows(rest, &shown);
        if let Some(selection) = selection {
            for (at, row) in shown.iter().enumerate() {
                let Some(columns) = selection.columns(block.id(), first + at) else { continue };
                canvas.reverse(rest, at, columns.start..columns.end.min(row.width()));
            }
        }
        y = y.saturating_add(shown.len() as u16);
    }
}
