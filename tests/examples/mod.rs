//! The example extensions of the guide, each run for real: started as `e` starts it, spoken to with the lines `e` writes,
//! and heard with the parser that `e` hears with. And the guide itself: every sample in it is read.

mod answers;
mod diff;
mod gate;
mod guide;
mod hello;
mod install;
mod notify_tests;
mod ping;
mod plan;
mod project;
mod protected;
mod rig;
mod scaffold;
