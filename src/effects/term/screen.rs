//! The screen: frames of cells in, the fewest bytes out, each frame in one write. Three ways to show them: inline, where
//! finished rows go into the terminal's own scrollback and only the live rows below them are repainted; the alternate
//! screen; and plain lines for a terminal that takes nothing else.

use super::escape;
use super::guard::Modes;
use super::inline::Inline;
pub use super::row::LinkSpan;
use super::row::{Brush, Row};
use crate::model::term::{Caps, Size};
use ratatui::buffer::Buffer;
use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

/// How frames are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScreenMode {
    /// Below the terminal's own scrollback.
    Inline,
    /// On the alternate screen.
    Alternate,
    /// Finished rows as plain lines, and nothing else: no sequence is written (`TERM=dumb`, G18).
    Plain,
}

/// Rows of cells with their links.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rows {
    pub cells: Buffer,
    pub links: Vec<LinkSpan>,
    /// So many of the first rows may be left out where there is no safe room for them.
    pub spare: u16,
}

impl From<Buffer> for Rows {
    fn from(cells: Buffer) -> Rows {
        Rows { cells, links: Vec::new(), spare: 0 }
    }
}

/// What is to be on the screen now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frame {
    /// Rows finished since the last frame, oldest first: written above the live rows once and never touched again.
    /// Kept until the screen is inline again when it is not.
    pub history: Vec<Rows>,
    /// The live rows inline, the whole screen otherwise. Of more rows than the screen has, the last are shown, and on
    /// a terminal that re-wraps only so many of the spare ones that a width of half the columns keeps them on screen:
    /// what it pushes into its scrollback can never be taken back (G16).
    pub live: Rows,
    /// Where text is inserted, as column and row of `live`; nothing while no input is focused, which hides the cursor.
    pub cursor: Option<(u16, u16)>,
}

/// The terminal's screen as it is believed to be.
pub struct Screen<W> {
    out: W,
    caps: Caps,
    size: Size,
    mode: ScreenMode,
    modes: Arc<Modes>,
    mouse: bool,
    inline: Inline,
    /// The alternate screen while it is shown.
    alternate: Option<Alternate>,
    /// Finished rows that could not be written yet.
    waiting: VecDeque<Row>,
    /// Switches between the screens, written with the next frame so that nothing flashes.
    switch: String,
    cursor_shown: Option<bool>,
    /// The fewest live rows that were safe since they last all were: their number does not go up and down with what
    /// streams.
    safe: Option<usize>,
}

/// The alternate screen's rows and its cursor's column and row.
#[derive(Debug, Default)]
struct Alternate {
    rows: Vec<Row>,
    cursor: Option<(usize, usize)>,
}

impl<W: fmt::Debug> fmt::Debug for Screen<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Screen")
            .field("out", &self.out)
            .field("size", &self.size)
            .field("mode", &self.mode)
            .finish()
    }
}

impl<W: Write> Screen<W> {
    /// A screen that writes to `out`. Nothing is written before the first frame; a dumb terminal is always plain.
    pub fn new(out: W, caps: Caps, mode: ScreenMode, size: Size) -> Screen<W> {
        let mut screen = Screen {
            out,
            caps,
            size,
            mode: ScreenMode::Inline,
            modes: Arc::default(),
            mouse: false,
            inline: Inline::new(),
            alternate: None,
            waiting: VecDeque::new(),
            switch: String::new(),
            cursor_shown: None,
            safe: None,
        };
        screen.set_mode(mode);
        screen
    }

    /// What is switched on, shared with the guard that switches it off.
    pub fn modes(&self) -> Arc<Modes> {
        Arc::clone(&self.modes)
    }

    pub fn mode(&self) -> ScreenMode {
        self.mode
    }

    pub fn size(&self) -> Size {
        self.size
    }

    /// Whether the mouse is captured while the alternate screen is shown; it never is inline.
    pub fn set_mouse(&mut self, mouse: bool) {
        if self.mouse != mouse && self.alternate.is_some() {
            self.switch.push_str(if mouse { escape::MOUSE_ON } else { escape::MOUSE_OFF });
        }
        self.mouse = mouse;
    }

    /// What was learnt about the terminal since the start.
    pub fn set_caps(&mut self, caps: Caps) {
        self.caps = caps;
    }

    /// Goes over to another way of showing frames, together with the next frame.
    pub fn set_mode(&mut self, mode: ScreenMode) {
        let mode = if self.caps.dumb { ScreenMode::Plain } else { mode };
        match (mode, self.alternate.is_some()) {
            (ScreenMode::Alternate, false) => {
                self.switch.push_str(escape::ALTERNATE_ON);
                if self.caps.kitty_keys {
                    self.switch.push_str(escape::KITTY_PUSH);
                }
                if self.mouse {
                    self.switch.push_str(escape::MOUSE_ON);
                }
                self.switch.push_str("\x1b[2J");
                self.alternate = Some(Alternate::default());
            }
            (ScreenMode::Inline | ScreenMode::Plain, true) => {
                if self.mouse {
                    self.switch.push_str(escape::MOUSE_OFF);
                }
                if self.caps.kitty_keys {
                    self.switch.push_str(escape::KITTY_POP);
                }
                self.switch.push_str(escape::ALTERNATE_OFF);
                self.alternate = None;
            }
            _ => {}
        }
        self.mode = mode;
    }

    /// The terminal has a new size. What it did with the rows on it is settled with the next frame.
    ///
    /// To be told of the size it has means that it had another for a moment.
    pub fn resize(&mut self, size: Size) {
        if size != self.size {
            self.size = size;
            self.safe = None;
            self.inline.forget_written();
        }
        self.redraw();
    }

    /// Trusts nothing that stands on the screen: the next frame is written whole.
    pub fn redraw(&mut self) {
        self.inline.distrust();
        if let Some(alternate) = &mut self.alternate {
            *alternate = Alternate::default();
            self.switch.push_str("\x1b[2J");
        }
    }

    /// Shows a frame in one write; writes nothing when it shows already.
    pub fn draw(&mut self, frame: &Frame) -> io::Result<()> {
        for rows in &frame.history {
            let height = rows.cells.area.height;
            let cols = rows.cells.area.width;
            self.waiting.extend((0..height).map(|y| Row::of(&rows.cells, y, &rows.links, cols, &self.caps)));
        }
        if self.mode == ScreenMode::Plain {
            return self.draw_plain();
        }
        if self.size.cols == 0 || self.size.rows == 0 {
            return Ok(());
        }
        let (live, cursor) = self.live_rows(frame);
        let bytes = match &mut self.alternate {
            Some(_) => self.draw_alternate(live, cursor),
            None => {
                let finished = self.waiting.drain(..).collect();
                self.inline.show(finished, live, cursor, self.size, &self.caps, &self.modes)
            }
        };
        self.write(bytes, frame.cursor.is_some())
    }

    /// The last of the live rows that fit on the screen, and the cursor among them.
    fn live_rows(&mut self, frame: &Frame) -> (Vec<Row>, Option<(usize, usize)>) {
        let Size { cols, rows } = self.size;
        let cells = &frame.live.cells;
        let mut hidden = cells.area.height.saturating_sub(rows);
        let mut live: Vec<Row> = (hidden..cells.area.height)
            .map(|y| Row::of(cells, y, &frame.live.links, cols, &self.caps))
            .collect();
        if self.caps.reflow && self.alternate.is_none() {
            let unsafe_rows = self.unsafe_rows(&live).min(frame.live.spare.saturating_sub(hidden).into());
            live.drain(..unsafe_rows);
            hidden += u16::try_from(unsafe_rows).unwrap_or(0);
        }
        let cursor = frame.cursor.map(|(x, y)| {
            let row = usize::from(y.saturating_sub(hidden)).min(live.len().saturating_sub(1));
            (usize::from(x.min(cols.saturating_sub(1))), row)
        });
        (live, cursor)
    }

    /// How many of the first live rows a terminal half as wide could push into its scrollback. tmux pushes as many rows
    /// as were added, those above the live part first, even while there are blank ones below it; half the screen is
    /// used all the same.
    fn unsafe_rows(&mut self, live: &[Row]) -> usize {
        let (half, height) = (usize::from(self.size.cols) / 2, usize::from(self.size.rows));
        let above = self.inline.above(self.waiting.len(), self.size, &self.caps);
        let mut taken = 0;
        let fitting = (1..=height)
            .zip(live.iter().rev())
            .take_while(|(count, row)| {
                taken += row.rows_at(half);
                taken <= height && (taken <= above + count || *count <= height / 2)
            })
            .count();
        let safe = fitting.min(self.safe.unwrap_or(fitting));
        self.safe = (safe < live.len()).then_some(safe);
        live.len() - safe.min(live.len())
    }

    fn draw_plain(&mut self) -> io::Result<()> {
        let lines: String = self.waiting.drain(..).map(|row| row.text() + "\r\n").collect();
        if lines.is_empty() {
            return Ok(());
        }
        self.out.write_all(lines.as_bytes())?;
        self.out.flush()
    }

    /// The bytes that turn the alternate screen's rows into the new ones.
    fn draw_alternate(&mut self, live: Vec<Row>, cursor: Option<(usize, usize)>) -> String {
        let cols = usize::from(self.size.cols);
        let old = self.alternate.take().unwrap_or_default();
        let none = Row::default();
        let mut brush = Brush::new(None, &self.caps);
        for index in 0..live.len().max(old.rows.len()) {
            let (was, row) = (old.rows.get(index).unwrap_or(&none), live.get(index).unwrap_or(&none));
            if was != row && index < usize::from(self.size.rows) {
                brush.go_to_cell(0, index);
                brush.change(was, row, cols);
                brush.plain();
            }
        }
        let place = cursor.unwrap_or((0, 0));
        if !brush.bytes.is_empty() || old.cursor != Some(place) {
            brush.go_to_cell(place.0, place.1);
        }
        self.alternate = Some(Alternate { rows: live, cursor: Some(place) });
        brush.bytes
    }

    /// Writes a frame's bytes with the switches before them and the cursor's visibility behind them.
    fn write(&mut self, frame: String, cursor: bool) -> io::Result<()> {
        let mut bytes = std::mem::take(&mut self.switch);
        bytes.push_str(&frame);
        if self.cursor_shown != Some(cursor) {
            bytes.push_str(if cursor { escape::CURSOR_SHOW } else { escape::CURSOR_HIDE });
            self.cursor_shown = Some(cursor);
        }
        if bytes.is_empty() {
            return Ok(());
        }
        if self.caps.synchronized {
            bytes.insert_str(0, escape::SYNC_ON);
            bytes.push_str(escape::SYNC_OFF);
        }
        self.modes.set_screen(self.alternate.is_some(), self.mouse);
        self.send(&bytes)
    }

    fn send(&mut self, bytes: &str) -> io::Result<()> {
        self.out.write_all(bytes.as_bytes())?;
        self.out.flush()
    }

    /// Gives the main screen back with the cursor where the live part began and nothing below it: before suspending,
    /// and before another program is lent the terminal. The next frame starts anew wherever the cursor then is.
    pub fn park(&mut self) -> io::Result<()> {
        let mode = self.mode;
        if mode == ScreenMode::Plain {
            return Ok(());
        }
        self.set_mode(ScreenMode::Inline);
        let mut bytes = std::mem::take(&mut self.switch);
        bytes.push_str(&self.inline.erased(self.size, &self.caps));
        bytes.push_str(escape::CURSOR_SHOW);
        self.start_anew();
        self.send(&bytes)?;
        // The way back to the alternate screen waits for the next frame.
        self.set_mode(mode);
        Ok(())
    }

    /// Ends the screen for good without a trace of it, as far as it did not scroll.
    pub fn vanish(&mut self) -> io::Result<()> {
        if self.mode == ScreenMode::Plain {
            return Ok(());
        }
        self.set_mode(ScreenMode::Inline);
        let mut bytes = std::mem::take(&mut self.switch);
        bytes.push_str(&self.inline.vanished(self.size, &self.caps));
        bytes.push_str(escape::CURSOR_SHOW);
        self.start_anew();
        self.send(&bytes)
    }

    /// Forgets the live part: the next one begins where the cursor is.
    fn start_anew(&mut self) {
        self.inline = Inline::new();
        self.cursor_shown = None;
        self.modes.set_below(0);
        self.modes.set_screen(false, false);
    }

    /// Ends the screen for good: back on the main one, the cursor on the row below the last one written. Rows that
    /// waited for the main screen go there, and when it shows nothing, what the alternate one showed last.
    pub fn finish(&mut self) -> io::Result<()> {
        if self.mode == ScreenMode::Plain {
            return Ok(());
        }
        if let Some(last) = self.alternate.as_ref().filter(|_| self.inline.is_empty()) {
            self.waiting.extend(last.rows.iter().skip_while(|row| row.len() == 0).cloned());
        }
        self.set_mode(ScreenMode::Inline);
        let mut bytes = std::mem::take(&mut self.switch);
        let rows: Vec<Row> = self.waiting.drain(..).collect();
        if !rows.is_empty() {
            bytes.push_str(&self.inline.show(rows, Vec::new(), None, self.size, &self.caps, &self.modes));
        }
        bytes.push_str(&self.inline.left());
        bytes.push_str(escape::CURSOR_SHOW);
        self.start_anew();
        self.send(&bytes)
    }

    /// Sets the terminal's title, where there is one.
    pub fn title(&mut self, text: &str) -> io::Result<()> {
        if !self.caps.osc {
            return Ok(());
        }
        self.send(&escape::title(text))
    }

    /// Rings the bell, unless the terminal is a plain one.
    pub fn bell(&mut self) -> io::Result<()> {
        if self.caps.dumb { Ok(()) } else { self.send("\x07") }
    }

    /// Asks the terminal to copy text to its clipboard; false when it cannot be asked or the text is too long.
    pub fn copy(&mut self, text: &str) -> io::Result<bool> {
        match escape::copy(text, self.caps.multiplexer).filter(|_| self.caps.osc) {
            Some(sequence) => self.send(&sequence).map(|()| true),
            None => Ok(false),
        }
    }
}
