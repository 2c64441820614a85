//! Two terminals to try the screen on: `vt100`, which cuts rows at a new width as xterm does, and a small one of our own
//! that re-wraps them and pulls rows back from its scrollback, as most others do.

use super::pty::all_rows;
use std::num::NonZeroU16;

/// What the screen tests need of a terminal.
pub trait Terminal {
    fn process(&mut self, bytes: &[u8]);
    fn resize(&mut self, cols: u16, rows: u16);
    /// Scrollback and screen, oldest row first, without trailing blanks.
    fn rows(&self) -> Vec<String>;
    /// The cursor as its index among all rows, and its column.
    fn cursor(&self) -> (usize, usize);
}

impl Terminal for vt100::Parser {
    fn process(&mut self, bytes: &[u8]) {
        vt100::Parser::process(self, bytes);
    }

    fn resize(&mut self, cols: u16, rows: u16) {
        self.set_size(NonZeroU16::new(rows).unwrap(), NonZeroU16::new(cols).unwrap());
    }

    fn rows(&self) -> Vec<String> {
        all_rows(self.screen())
    }

    fn cursor(&self) -> (usize, usize) {
        let (row, col) = self.screen().cursor_position();
        (self.screen().scrollback_len() + usize::from(row), usize::from(col))
    }
}

pub fn cutting(cols: u16, rows: u16) -> vt100::Parser {
    vt100::Parser::new(NonZeroU16::new(rows).unwrap(), NonZeroU16::new(cols).unwrap(), 100_000)
}

#[derive(Clone, Debug, Default)]
struct Line {
    cells: Vec<char>,
    /// Goes on in the next line.
    wrapped: bool,
}

/// A terminal that re-wraps. Knows only what the inline screen writes, and narrow characters.
#[derive(Debug)]
pub struct Wrapping {
    cols: usize,
    rows: usize,
    lines: Vec<Line>,
    /// The cursor's line among all.
    row: usize,
    col: usize,
    /// The last column was written; the next character wraps.
    full: bool,
    wraps: bool,
}

impl Wrapping {
    pub fn new(cols: u16, rows: u16) -> Wrapping {
        let (cols, rows) = (usize::from(cols), usize::from(rows));
        let lines = vec![Line::default()];
        Wrapping { cols, rows, lines, row: 0, col: 0, full: false, wraps: true }
    }

    /// The first line on the screen: the last so many are shown, the cursor's always.
    fn top(&self) -> usize {
        self.lines.len().saturating_sub(self.rows)
    }

    fn feed_line(&mut self) {
        self.row += 1;
        if self.row == self.lines.len() {
            self.lines.push(Line::default());
        }
        self.full = false;
    }

    fn put(&mut self, c: char) {
        if self.full && self.wraps {
            self.lines[self.row].wrapped = true;
            self.feed_line();
            self.col = 0;
        }
        let line = &mut self.lines[self.row].cells;
        if line.len() <= self.col {
            line.resize(self.col + 1, ' ');
        }
        line[self.col] = c;
        self.full = self.col + 1 == self.cols;
        self.col = (self.col + 1).min(self.cols - 1);
    }

    fn sequence(&mut self, body: &str, end: char) {
        let number = body.parse::<usize>().unwrap_or(1);
        if end != 'm' && end != 'h' && end != 'l' {
            self.full = false;
        }
        match end {
            'A' => self.row = self.row.saturating_sub(number).max(self.top()),
            'B' => self.row = (self.row + number).min(self.lines.len() - 1),
            'G' => self.col = (number - 1).min(self.cols - 1),
            'K' if body == "2" => self.lines[self.row] = Line::default(),
            // As tmux does: what was erased still counts when rows are wrapped.
            'K' => self.lines[self.row].cells.iter_mut().skip(self.col).for_each(|cell| *cell = ' '),
            'J' => {
                self.lines[self.row].cells.truncate(self.col);
                self.lines[self.row].wrapped = false;
                // Blank lines below are as good as none, but those already on the screen stay.
                for line in &mut self.lines[self.row + 1..] {
                    *line = Line::default();
                }
            }
            'h' | 'l' if body == "?7" => self.wraps = end == 'h',
            'h' | 'l' | 'm' => {}
            _ => panic!("the emulator does not know CSI {body} {end}"),
        }
    }
}

impl Terminal for Wrapping {
    fn process(&mut self, bytes: &[u8]) {
        let text = std::str::from_utf8(bytes).unwrap();
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            match c {
                '\r' => (self.col, self.full) = (0, false),
                '\n' => self.feed_line(),
                '\x1b' => {
                    assert_eq!(chars.next(), Some('['));
                    let mut body = String::new();
                    let end = loop {
                        match chars.next().unwrap() {
                            c if c.is_ascii_alphabetic() => break c,
                            c => body.push(c),
                        }
                    };
                    self.sequence(&body, end);
                }
                c => self.put(c),
            }
        }
    }

    fn resize(&mut self, cols: u16, rows: u16) {
        while self.lines.len() > self.row + 1 && self.lines.last().unwrap().cells.is_empty() {
            self.lines.pop();
        }
        (self.cols, self.rows) = (usize::from(cols), usize::from(rows));
        let mut lines: Vec<Line> = Vec::new();
        let mut cursor = (0, 0);
        let mut logical: Vec<char> = Vec::new();
        let mut inside = None;
        for (index, line) in self.lines.iter().enumerate() {
            if index == self.row {
                inside = Some(logical.len() + self.col);
            }
            logical.extend(&line.cells);
            if line.wrapped {
                continue;
            }
            if let Some(at) = inside.take() {
                cursor = (lines.len() + at / self.cols, at % self.cols);
            }
            let pieces = logical.chunks(self.cols).count().max(1);
            for piece in 0..pieces {
                let cells = logical.iter().skip(piece * self.cols).take(self.cols).copied().collect();
                lines.push(Line { cells, wrapped: piece + 1 < pieces });
            }
            logical.clear();
        }
        (self.row, self.col) = cursor;
        while lines.len() <= self.row {
            lines.push(Line::default());
        }
        self.lines = lines;
        self.full = false;
    }

    fn rows(&self) -> Vec<String> {
        let mut rows: Vec<String> = self
            .lines
            .iter()
            .map(|line| line.cells.iter().collect::<String>().trim_end().to_owned())
            .collect();
        while rows.last().is_some_and(String::is_empty) {
            rows.pop();
        }
        rows
    }

    fn cursor(&self) -> (usize, usize) {
        (self.row, self.col)
    }
}

#[test]
fn the_wrapping_emulator_wraps_and_joins() {
    let mut terminal = Wrapping::new(10, 4);
    terminal.process(b"0123456789\r\nab\r\n");
    terminal.resize(4, 4);
    assert_eq!(terminal.rows(), ["0123", "4567", "89", "ab"]);
    assert_eq!(terminal.cursor(), (4, 0));
    terminal.resize(10, 4);
    assert_eq!(terminal.rows(), ["0123456789", "ab"]);
    terminal.process(b"\x1b[1A\x1b[2GX");
    assert_eq!(terminal.rows(), ["0123456789", "aX"]);
}
