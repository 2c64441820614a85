//! Tests of the home's files and of session logs.

mod child;
mod extras;
mod files;
mod heads;
mod home;
mod log;
mod logs;
mod read;
mod settings;
mod trust;
mod watch;
