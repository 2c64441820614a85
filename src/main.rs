//! Ties the houses together: the pure update, the view, and the effects that run both.

use std::process::ExitCode;

use e::effects::cli;
use e::effects::start;
use e::effects::term::screen::{LinkSpan, Rows};
use e::effects::terminal::Painter;
use e::model::Model;
use e::model::id::BlockId;
use e::view::cache::Cache;
use e::view::{PIECE, Painted, cells, history, paint};

fn main() -> ExitCode {
    match cli::decide(std::env::args_os(), start::environment()) {
        cli::Decision::Done(status) => ExitCode::from(status),
        cli::Decision::Run(start) => ExitCode::from(start::run(*start, e::update::update, View::default)),
    }
}

/// The view with its cache, as the shell wants it.
#[derive(Debug, Default)]
struct View {
    cache: Cache,
}

impl Painter for View {
    fn frame(&mut self, model: &Model) -> (Rows, Option<(u16, u16)>) {
        let painted = paint(model, &mut self.cache);
        let cursor = painted.cursor;
        (rows(painted), cursor)
    }

    fn block(&mut self, model: &Model, block: BlockId, cols: u16, piece: &mut dyn FnMut(&mut Self, Rows)) {
        let all = history(model, &mut self.cache, block, cols);
        for part in all.chunks(PIECE) {
            let cells = rows(cells(model, &mut self.cache, part, cols));
            piece(self, cells);
        }
    }
}

fn rows(painted: Painted) -> Rows {
    let links = painted
        .links
        .into_iter()
        .map(|l| LinkSpan { row: l.row, cols: l.from..l.to, url: l.target.to_string() })
        .collect();
    Rows { cells: painted.cells, links, spare: painted.spare }
}
