//! Tests of the `view` area.

mod big;
mod cases;
mod highlight;
mod props;
mod scene;
mod screens;
mod themes;
