//! The effects: everything that touches the world. Knows the model's types, never the update or the view.

pub mod auth;
pub mod catalog;
pub mod check;
pub mod cli;
pub mod dialect;
pub mod docs;
pub mod doctor;
pub mod files;
pub mod highlight;
pub mod home;
pub mod http;
pub mod out;
pub mod post;
pub mod provider;
pub mod scopes;
pub mod script;
pub mod secrets;
pub mod store;
pub mod term;
pub mod themes;
pub mod tool;
pub mod tour;
