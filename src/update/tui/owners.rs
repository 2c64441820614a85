//! Who gets a key: one table, which the router walks and `/keys` prints (`surfaces.md`, Keys).

use super::route::{Route, beside, picker, plain, question, reader, shortcut};
use crate::model::config::chord::{Chord, Key};
use crate::model::config::keymap::Keymap;
use crate::model::ext::registry::Registry;
use crate::model::tui::Tui;

/// A chord, and all that decides about it.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    pub tui: &'a Tui,
    pub keymap: &'a Keymap,
    pub registry: &'a Registry,
    pub chord: Chord,
}

/// One owner. The first of [`ORDER`] that claims a chord has it.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    pub who: &'static str,
    /// What it takes.
    pub what: &'static str,
    pub claims: fn(Asked<'_>) -> Option<Route>,
}

const fn rule(who: &'static str, what: &'static str, claims: fn(Asked<'_>) -> Option<Route>) -> Rule {
    Rule { who, what, claims }
}

/// All owners, the first first.
pub const ORDER: &[Rule] = &[
    rule("ctrl+c", "always e's: it cancels, interrupts, clears; twice quits", cancel),
    rule("the reader, when it is open", "every key", read),
    rule("the question in front", "every key", ask),
    rule("an open picker", "the keys of its context, and what is typed into it", pick),
    rule("an interactive panel", "every key, reserved ones too; esc closes it", panel),
    rule("the second key of two", "after ctrl+x", second),
    rule(
        "the pane",
        "the focus key of layout.json, and while it has the focus every key that is not reserved",
        pane,
    ),
    rule("keybindings.json over the built-in keys", "what is listed above", bound),
    rule("an extension's shortcut", "the one declared first; never a reserved key", declared),
    rule("the draft", "text", typed),
];

const CANCEL: Chord = Chord::ctrl_letter('c');
const DELETE: Chord = Chord::ctrl_letter('d');

fn cancel(asked: Asked<'_>) -> Option<Route> {
    (asked.chord == CANCEL).then_some(Route::Cancel)
}

fn read(asked: Asked<'_>) -> Option<Route> {
    asked.tui.reader.as_ref()?;
    Some(reader(asked.tui, asked.keymap, asked.chord).map_or(Route::Swallow, Route::Reader))
}

fn ask(asked: Asked<'_>) -> Option<Route> {
    let modal = asked.tui.modals.open()?;
    Some(question(modal, asked.keymap, asked.chord).map_or(Route::Swallow, Route::Modal))
}

fn pick(asked: Asked<'_>) -> Option<Route> {
    picker(asked.tui, asked.keymap, asked.registry, asked.chord)
}

fn panel(asked: Asked<'_>) -> Option<Route> {
    asked.tui.capturing()?;
    Some(if plain(asked.chord, Key::Esc) { Route::Escape } else { Route::PanelKey })
}

fn second(asked: Asked<'_>) -> Option<Route> {
    asked.tui.composer.prefix?;
    let action = asked.keymap.prefixed(asked.chord);
    Some(action.map_or(Route::Swallow, |action| Route::Action { action, select: false }))
}

fn pane(asked: Asked<'_>) -> Option<Route> {
    beside(asked.tui, asked.keymap, asked.chord)
}

fn bound(asked: Asked<'_>) -> Option<Route> {
    let Asked { tui, keymap, chord, .. } = asked;
    if plain(chord, Key::Esc) {
        return Some(Route::Escape);
    }
    if keymap.is_prefix(chord) {
        return Some(Route::Prefix);
    }
    if chord == DELETE && tui.composer.draft.is_empty() {
        return Some(Route::Quit);
    }
    keymap.action(chord).map(|(action, select)| Route::Action { action, select })
}

fn declared(asked: Asked<'_>) -> Option<Route> {
    shortcut(asked.registry, asked.chord).then_some(Route::Shortcut)
}

fn typed(asked: Asked<'_>) -> Option<Route> {
    asked.chord.text().map(Route::Type)
}
