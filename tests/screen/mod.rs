//! Tests of the `screen` area.
