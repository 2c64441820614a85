//! Tests of `e -p`: the pure front, and the program itself without a terminal.

mod cli;
mod ends;
mod place;
mod print;
mod provider;
mod stdin;
mod turns;
