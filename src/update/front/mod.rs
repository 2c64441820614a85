//! The headless fronts.

pub mod print;
