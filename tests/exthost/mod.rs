//! Extensions as real processes under the real program: what they do to it, and what it leaves of them.

mod help;
mod hostile;
mod launch;
mod rig;
mod screen;
mod surfaces;
mod veil;
