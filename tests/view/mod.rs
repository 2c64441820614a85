//! Tests of the `view` area.

mod big;
mod cases;
mod highlight;
mod pane;
mod props;
mod scene;
mod screens;
mod themes;
