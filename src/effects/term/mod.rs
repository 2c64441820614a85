//! The terminal, both ways: its bytes read into messages, frames written back as the few sequences listed in
//! `escape`, and the guard that leaves it as it was. Decides nothing about what is shown.

pub mod escape;
pub mod guard;
mod inline;
pub mod input;
mod keys;
mod paste;
pub mod reader;
mod row;
pub mod screen;
