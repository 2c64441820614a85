//! What a terminal says and what it can do, as data.

use super::config::chord::Chord;

/// A screen's size in cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Size {
    pub cols: u16,
    pub rows: u16,
}

#[derive(Debug, Clone, PartialEq)]
pub enum TermMsg {
    Key(Chord),
    Text(String),
    Paste(String),
    Resize(Size),
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Caps {}
