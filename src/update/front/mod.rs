//! The headless fronts: observers of facts, like the terminal.

pub mod print;
