//! The view: what a model looks like. Reads the model, knows no world; what it remembers may be forgotten at any time.

mod activity;
pub mod cache;
mod composer;
mod modal;
mod pane;
mod panel;
mod picker;
mod queue;
pub mod rows;
mod sample;
mod status;
pub mod style;
mod transcript;
mod viewer;
mod widgets;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::model::Model;
use crate::model::front::Front;
use crate::model::id::BlockId;
use crate::model::term::Size;
use crate::model::text::row::{Row, Token};
use crate::model::tui::Tui;
use crate::model::tui::geometry;
use crate::model::tui::look::Look;
use crate::model::tui::viewer::Depth;

use cache::Cache;
use rows::{Canvas, Link};

/// A frame: the live region in inline mode, else the whole alternate screen.
#[derive(Debug, Clone, PartialEq)]
pub struct Painted {
    pub cells: Buffer,
    /// Where the terminal's cursor stands, column and row in `cells`; hidden when there is none.
    pub cursor: Option<(u16, u16)>,
    pub links: Vec<Link>,
    /// So many of the first rows are the conversation's: the end of it alone does where there is no room.
    pub spare: u16,
}

impl Painted {
    fn blank(cols: u16, rows: u16) -> Painted {
        let cells = Buffer::empty(Rect::new(0, 0, cols, rows));
        Painted { cells, cursor: None, links: Vec::new(), spare: 0 }
    }
}

/// Below this nothing useful fits, and one line says so.
pub const LEAST: Size = Size { cols: 10, rows: 3 };

/// Paints the model at the size it knows.
pub fn paint(model: &Model, cache: &mut Cache) -> Painted {
    let Front::Tui(tui) = &model.front else { return Painted::blank(0, 0) };
    let size = tui.screen.size;
    let palette = cache.palette(&model.config.theme, model.boot.caps.colors);
    cache.settle(&model.config.settings);
    if size.cols < LEAST.cols || size.rows < LEAST.rows {
        return too_small(tui, size, &palette);
    }
    let look = look(model, tui.columns().max(1), Depth::Brief);
    let live = transcript::live_rows(tui, cache, look);
    let regions = tui.regions(live);
    let mut painted = Painted::blank(regions.screen.width, regions.screen.height);
    let mut canvas = Canvas { buffer: &mut painted.cells, palette: &palette, links: &mut painted.links };
    let scene = Scene { model, tui, look };
    let cursor = match &tui.reader {
        Some(reader) => viewer::paint(&mut canvas, cache, scene, reader, regions),
        None if regions.composer.is_empty() => {
            pane::paint(&mut canvas, scene, regions.pane, regions.divider);
            status::paint(&mut canvas, scene, rect(regions.status));
            None
        }
        None => {
            pane::paint(&mut canvas, scene, regions.pane, regions.divider);
            transcript::paint(&mut canvas, cache, scene, rect(regions.transcript));
            activity::paint(&mut canvas, scene, rect(regions.activity));
            widgets::paint(&mut canvas, scene, rect(regions.widgets));
            queue::paint(&mut canvas, scene, rect(regions.queue));
            let cursor = match tui.modals.open() {
                Some(modal) => modal::paint(&mut canvas, modal, regions, scene),
                // Where keys go elsewhere, a cursor here would say otherwise.
                None => composer::paint(&mut canvas, scene, regions)
                    .filter(|_| tui.capturing().is_none() && tui.keyed().is_none()),
            };
            if let Some(picker) = tui.picker.as_ref().filter(|_| tui.modals.open().is_none()) {
                picker::paint(&mut canvas, picker, rect(regions.footer));
            }
            if let Some(panel) = tui.panel() {
                panel::paint(&mut canvas, panel, rect(regions.footer));
            }
            status::paint(&mut canvas, scene, rect(regions.status));
            cursor
        }
    };
    painted.spare = if tui.reader.is_none() { regions.transcript.height } else { 0 };
    painted.cursor = cursor.filter(|at| painted.cells.area.contains(Position::from(*at)));
    painted
}

/// What every painter reads.
#[derive(Clone, Copy)]
struct Scene<'a> {
    model: &'a Model,
    tui: &'a Tui,
    look: Look<'a>,
}

fn look(model: &Model, columns: u16, depth: Depth) -> Look<'_> {
    let settings = &model.config.settings;
    let links = model.boot.caps.hyperlinks;
    Look { columns: columns.into(), depth, settings, now: model.now, links }
}

fn rect(area: geometry::Rect) -> Rect {
    Rect::new(area.x, area.y, area.width, area.height)
}

fn too_small(tui: &Tui, size: Size, palette: &style::Palette) -> Painted {
    let rows = if tui.canvas() == geometry::Canvas::Inline { size.rows.min(1) } else { size.rows };
    let mut painted = Painted::blank(size.cols, rows);
    let mut canvas = Canvas { buffer: &mut painted.cells, palette, links: &mut painted.links };
    canvas.row(Rect::new(0, 0, size.cols, rows.min(1)), &Row::of("too small", Token::Warning));
    painted
}

/// The rows of a finished block as they go to the terminal's scrollback. They become cells in pieces of [`PIECE`]
/// rows, so that a long one needs no buffer of its whole height.
pub fn history(model: &Model, cache: &mut Cache, block: BlockId, cols: u16) -> Vec<Row> {
    let Front::Tui(tui) = &model.front else { return Vec::new() };
    let Some(block) = tui.transcript.get(block) else { return Vec::new() };
    cache.settle(&model.config.settings);
    let rows = cache.rows(block, look(model, cols, Depth::Brief));
    let rows = rows.range(0..rows.len());
    cache.drop_block(block.id());
    rows
}

/// Rows of a piece of history.
pub const PIECE: usize = 64;

/// Some rows as cells, as wide as they were made for.
pub fn cells(model: &Model, cache: &mut Cache, rows: &[Row], cols: u16) -> Painted {
    let palette = cache.palette(&model.config.theme, model.boot.caps.colors);
    let mut painted = Painted::blank(cols, u16::try_from(rows.len()).unwrap_or(u16::MAX));
    let area = painted.cells.area;
    Canvas { buffer: &mut painted.cells, palette: &palette, links: &mut painted.links }.rows(area, rows);
    painted
}
