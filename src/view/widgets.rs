//! What extensions keep above the composer.

use ratatui::layout::Rect;

use super::Scene;
use super::rows::Canvas;

pub fn paint(canvas: &mut Canvas<'_>, scene: Scene<'_>, area: Rect) {
    canvas.rows(area, &scene.tui.widgets.dealt(area.height.into(), area.width.into()));
}
