//! Tests of the `view` area.

mod highlight;
mod themes;
