//! The `config` room: what files in the home say, read with complaints that name the place.

pub mod chord;
pub mod complaint;
pub mod jsonc;
pub mod keymap;
pub mod layout;
pub mod pairs;
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
    /// What the terminal's own ground is, as far as it told.
    pub ground: theme::Base,
    /// A theme that is only looked at: its picker is open, with the cursor on it.
    pub trying: Option<Arc<str>>,
    pub keymap: keymap::Keymap,
    /// The layout in force: the file's, with the profile that holds.
    pub layout: layout::Layout,
    /// The whole of `layout.json`, and the index of the profile in force.
    pub layouts: layout::Layouts,
    pub profile: Option<usize>,
    /// What a person writes by hand and the themes there are, as last read: `(name, text)`.
    pub files: Vec<(Arc<str>, Arc<str>)>,
    /// What was wrong in them when they were last read: it is said once.
    pub faults: Vec<complaint::Complaint>,
}
