//! Tests of the terminal front: geometry, routing, editing, pickers, questions, transcript, reading back.

mod blocks;
mod cases;
mod composer;
mod config;
mod draft;
pub mod extensions;
mod extras;
mod geometry;
mod list;
mod modal;
mod preferences;
mod printing;
mod routing;
mod scroll;
mod select;
mod small;
mod stage;
