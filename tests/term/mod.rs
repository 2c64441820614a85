//! Tests of the `term` area.
