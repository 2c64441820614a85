//! Tests of the `store` area.
