//! Which front the process has, and that front's private state.

pub mod print;

use crate::model::tui::Tui;
pub use print::Print;

#[derive(Debug, PartialEq)]
pub enum Front {
    Tui(Box<Tui>),
    Print(Box<Print>),
}
