//! The composer: the draft and what surrounds it (kill ring, history recall, stash, paste numbers).

use std::sync::Arc;

use crate::model::config::chord::Chord;

use super::draft::{Draft, Fragment};
use super::picker::Completing;

/// What was killed, newest last, and which entry a yank put in last.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Kills {
    pub ring: Vec<Fragment>,
    /// The range the last yank filled, and the ring index it came from; for `yank_pop`.
    pub yanked: Option<(usize, usize, usize)>,
    /// The last key killed too: the next kill joins.
    pub joining: bool,
}

/// Killed texts that are kept.
const KILLS: usize = 30;

impl Kills {
    /// Keeps what was cut; cut right after another cut it joins that one, in the order of the text.
    pub fn add(&mut self, cut: Fragment, backwards: bool) {
        if cut.is_empty() {
            return;
        }
        match self.ring.last_mut() {
            Some(last) if self.joining && backwards => {
                let behind = std::mem::replace(last, cut);
                last.push(behind);
            }
            Some(last) if self.joining => last.push(cut),
            _ => self.ring.push(cut),
        }
        if self.ring.len() > KILLS {
            self.ring.remove(0);
        }
        self.joining = true;
        self.yanked = None;
    }
}

/// History recall: where it stands, and the draft that comes back below the newest entry.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Recall {
    /// Oldest first.
    pub entries: Vec<Arc<str>>,
    /// Index of the entry shown.
    pub at: Option<usize>,
    /// The draft's version when it was shown; an edit makes it a draft of its own.
    pub version: u64,
    pub aside: Option<Box<Draft>>,
}

/// What a line that begins like this does, for its look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LineMode {
    #[default]
    Prompt,
    /// `!`
    Shell,
    /// `!!`: the output stays from the model.
    HiddenShell,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Composer {
    pub draft: Draft,
    /// The column that up and down keep to.
    pub goal: Option<usize>,
    pub kills: Kills,
    pub recall: Recall,
    pub stash: Vec<Fragment>,
    /// Number of the last paste or image marker.
    pub markers: u32,
    /// The first chord of a two-chord binding (ctrl+x).
    pub prefix: Option<Chord>,
    /// Version of the draft that the disk has.
    pub kept: u64,
    /// Where the word begins whose picker was closed by hand: it stays closed for this word.
    pub dismissed: Option<usize>,
    /// What completions were asked for last.
    pub completing: Option<Completing>,
}

impl Composer {
    pub fn mode(&self) -> LineMode {
        let text = self.draft.text().trim_start();
        if text.starts_with("!!") {
            LineMode::HiddenShell
        } else if text.starts_with('!') {
            LineMode::Shell
        } else {
            LineMode::Prompt
        }
    }
}
