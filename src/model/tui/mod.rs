//! The terminal front's state: surfaces, focus, scroll.

use crate::model::term::Size;

#[derive(Debug, Default, PartialEq)]
pub struct Tui {
    pub size: Size,
}
