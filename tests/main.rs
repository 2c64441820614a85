//! The one test binary; every area is a module with a folder of its own.
#![allow(clippy::unwrap_used)]

mod core;
mod examples;
mod extcheck;
mod exthost;
mod extwire;
mod headless;
mod house;
mod providers;
mod screen;
mod store;
mod term;
mod text;
mod tools;
mod tui;
mod view;
