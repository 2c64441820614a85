//! Tests of the home's files and of session logs.

mod log;
mod settings;
