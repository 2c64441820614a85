//! Tests of `e -p`: the pure front, and the program itself without a terminal.

mod cli;
mod ends;
mod fold;
mod forgiving;
mod kill;
pub mod place;
mod print;
mod provider;
mod retry;
mod secrets;
mod speak;
mod stdin;
mod task;
mod terminal;
mod turns;
