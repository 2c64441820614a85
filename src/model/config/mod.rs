//! The `config` room: what files in the home say, read with complaints that name the place.

pub mod complaint;
pub mod jsonc;
