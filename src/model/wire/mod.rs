//! The `wire` room: every shape that crosses a process or a disk, as pure reading and writing.

pub mod ext;
pub mod log;
mod log_message;
mod log_parse;
