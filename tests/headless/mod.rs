//! Tests of `e -p`: the pure front, and the program itself without a terminal.

mod cli;
mod print;
