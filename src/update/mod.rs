//! The pure core: `update(state, msg) -> (state, effects)`.

mod out;

pub use out::{Cx, Out};
