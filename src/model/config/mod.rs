//! The `config` room: what files in the home say, read with complaints that name the place.

pub mod chord;
pub mod complaint;
pub mod jsonc;
pub mod keymap;
pub mod layout;
pub mod settings;
pub mod theme;
pub mod trust;
pub mod words;

use std::sync::Arc;

use settings::Settings;

/// What the person set, each file with its defaults filled in.
#[derive(Debug, Default, PartialEq)]
pub struct Config {
    pub settings: Settings,
    /// The colours in force.
    pub theme: theme::Theme,
    pub keymap: keymap::Keymap,
    pub layout: layout::Layout,
    /// What a person writes by hand and the themes there are, as last read: `(name, text)`.
    pub files: Vec<(Arc<str>, Arc<str>)>,
}
