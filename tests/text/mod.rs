//! Tests of the `text` area.
