//! Sessions: a conversation tree, the turn that runs on it, and what waits beside it.

pub mod head;
pub mod library;
pub mod notice;
pub mod tree;

/// The sessions of this process; a terminal or `-p` has one.
#[derive(Debug, Default, PartialEq)]
pub struct Sessions {}
