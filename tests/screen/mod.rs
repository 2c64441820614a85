//! The whole program on a real pseudo-terminal, played by scripts: what a person sees, and every byte that was written.

mod accessible;
mod attack;
mod colours;
mod copying;
mod modes;
mod panicking;
mod resizing;
mod resume;
pub mod rig;
mod secrets;
mod session;
mod small;
mod switching;
