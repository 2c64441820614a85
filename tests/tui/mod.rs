//! Tests of the `tui` area.
