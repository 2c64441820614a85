//! Tests of the `headless` area.
