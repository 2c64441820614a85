//! Tests of the core: the turn machine in a simulated world, and its pure parts by example.

mod boot;
mod compaction;
mod export;
mod host;
mod line;
mod pure;
mod sessions;
mod sim;
mod tools;
mod turns;
mod world;
