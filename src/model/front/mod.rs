//! Which front the process has, and that front's private state.

use crate::model::tui::Tui;

#[derive(Debug, PartialEq)]
pub enum Front {
    Tui(Box<Tui>),
    Print(Box<Print>),
}

/// `e -p`: what to print and how it ended.
#[derive(Debug, Default, PartialEq)]
pub struct Print {
    pub json: bool,
}

impl Print {
    pub fn new(json: bool) -> Self {
        Print { json }
    }
}
