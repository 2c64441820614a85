//! The model: every type the other houses speak, and pure functions over them. Imports no other house.

pub mod config;
pub mod effect;
pub mod ext;
pub mod fact;
pub mod front;
pub mod id;
pub mod msg;
pub mod provider;
pub mod session;
pub mod text;
pub mod time;
pub mod tool;
pub mod tui;
pub mod wire;
