//! Tests of the `view` area.
