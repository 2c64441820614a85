//! Tests of the `providers` area.
