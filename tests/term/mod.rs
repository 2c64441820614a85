//! Tests of the `term` area: chords, the terminal's capabilities, its bytes in and its bytes out.

mod caps;
mod chord;
mod emulator;
mod guard;
mod input;
mod intake;
pub mod pty;
mod reader;
mod screen;
pub mod tmux;
pub mod written;
