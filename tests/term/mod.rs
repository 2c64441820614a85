//! Tests of the `term` area: chords, the terminal's capabilities, its bytes in and its bytes out.

mod caps;
mod chord;
mod input;
pub mod pty;
pub mod written;
