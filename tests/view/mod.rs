//! Tests of the `view` area.

mod highlight;
mod scene;
mod screens;
mod themes;
