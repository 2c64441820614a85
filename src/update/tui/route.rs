//! Which owner gets a chord, and what it means there: total and pure, in the order of `surfaces.md`. It reads, never writes.

use super::owners::{Asked, ORDER};
use crate::model::config::chord::{Chord, Key, Mods};
use crate::model::config::keymap::{Action, Context, Keymap};
use crate::model::ext::registry::Registry;
use crate::model::tui::Tui;
use crate::model::tui::modal::{Modal, Question};
use crate::model::tui::overview::Overview;
use crate::model::tui::pane::section::Section;
use crate::model::tui::pane::{Pane, Step};
use crate::model::tui::viewer::Page;

/// What becomes of a chord.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// Ctrl+c: the ladder.
    Cancel,
    /// Esc with neither question, picker nor reader in front.
    Escape,
    /// A key for the interactive panel of an extension.
    PanelKey,
    /// The chord of an extension.
    Shortcut,
    Modal(ModalOp),
    Picker(PickerOp),
    Reader(ReaderOp),
    /// Keys go to the other of conversation and pane.
    Focus,
    Pane(PaneOp),
    /// The first chord of two.
    Prefix,
    /// A bound action; `select`: a movement with shift.
    Action {
        action: Action,
        select: bool,
    },
    /// Ctrl+d on an empty draft.
    Quit,
    Type(char),
    Swallow,
}

/// What a chord does in a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModalOp {
    Cancel,
    Answer,
    Step {
        down: bool,
    },
    Page {
        down: bool,
    },
    /// Between Yes and No.
    Toggle,
    Say(bool),
    Edit {
        action: Action,
        select: bool,
    },
    Type(char),
    Paste,
    Editor,
    Reader,
    Redraw,
    Suspend,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PickerOp {
    Close,
    Choose,
    Complete,
    Step {
        down: bool,
    },
    Page {
        down: bool,
    },
    /// Into the picker's own search.
    Edit {
        action: Action,
        select: bool,
    },
    Type(char),
}

/// What a chord does in the side pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaneOp {
    Move {
        step: Step,
        select: bool,
    },
    Sideways {
        right: bool,
    },
    /// To another section.
    Turn {
        forward: bool,
    },
    /// Starts or ends a selection.
    Mark,
    Activate,
    /// To the first section; from there the pane closes.
    Back,
    /// Its owner's.
    Key,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReaderOp {
    Close,
    Rows {
        down: bool,
    },
    Page {
        down: bool,
    },
    Home,
    End,
    Depth {
        more: bool,
    },
    Search,
    Find {
        next: bool,
    },
    /// The extension under the cursor is started anew.
    Restart,
    /// The extension under the cursor is to be ended: asks first.
    Disable,
    /// The answer.
    Say(bool),
    /// The search is typed.
    Type(char),
    Edit {
        action: Action,
        select: bool,
    },
    Submit,
    Redraw,
    Suspend,
}

/// Exactly one owner for every chord in every state.
pub fn route(tui: &Tui, keymap: &Keymap, registry: &Registry, chord: Chord) -> Route {
    let asked = Asked { tui, keymap, registry, chord };
    ORDER.iter().find_map(|rule| (rule.claims)(asked)).unwrap_or(Route::Swallow)
}

/// What the pane has to do with a chord, reserved ones aside: the one that moves the focus, and all while it has it.
pub(super) fn beside(tui: &Tui, keymap: &Keymap, chord: Chord) -> Option<Route> {
    let pane = tui.pane.as_ref()?;
    let keyed = tui.keyed().is_some();
    if chord.is_reserved() {
        // These edit the draft, which has not got the keys.
        let edits = matches!(keymap.action(chord), Some((Action::Newline | Action::Delete, _)));
        return (keyed && edits && !tui.composer.draft.is_empty()).then_some(Route::Swallow);
    }
    if chord == pane.place.focus && tui.picker.is_none() {
        return Some(Route::Focus);
    }
    keyed.then(|| Route::Pane(in_pane(pane, keymap, chord)))
}

/// What a chord does in the pane with the keys.
fn in_pane(pane: &Pane, keymap: &Keymap, chord: Chord) -> PaneOp {
    if plain(chord, Key::Esc) {
        return PaneOp::Back;
    }
    let list = pane.section().is_some_and(Section::is_list);
    let bound = keymap.context(Context::Pane, chord);
    let unshifted = Mods { ctrl: chord.ctrl(), alt: chord.alt(), shift: false };
    let (name, select) = match (bound, Chord::new(unshifted, chord.key())) {
        (Some(name), _) => (Some(name), false),
        // In a list there is nothing to select: a letter is its owner's then, another key the plain movement.
        (None, Some(plain)) if chord.shift() && !(list && chord.is_text()) => {
            (keymap.context(Context::Pane, plain).filter(|name| step(name).is_some()), !list)
        }
        (None, _) => (None, false),
    };
    match name {
        Some("left" | "right") if !list => PaneOp::Sideways { right: name == Some("right") },
        Some("next") => PaneOp::Turn { forward: true },
        Some("previous") => PaneOp::Turn { forward: false },
        Some("mark") if !list => PaneOp::Mark,
        Some("activate") => PaneOp::Activate,
        Some("close") => PaneOp::Back,
        name => name.and_then(step).map_or(PaneOp::Key, |step| PaneOp::Move { step, select }),
    }
}

fn step(name: &str) -> Option<Step> {
    Some(match name {
        "up" => Step::Up,
        "down" => Step::Down,
        "page_up" => Step::PageUp,
        "page_down" => Step::PageDown,
        "home" => Step::Home,
        "end" => Step::End,
        _ => return None,
    })
}

/// A chord that an extension declared, and that `e` does not keep for itself even where the key file frees it.
pub(super) fn shortcut(registry: &Registry, chord: Chord) -> bool {
    !chord.is_reserved() && registry.shortcuts.contains_key(&chord)
}

pub(super) fn plain(chord: Chord, key: Key) -> bool {
    chord.key() == key && !chord.ctrl() && !chord.alt() && !chord.shift()
}

/// Actions that edit a field.
fn edits(action: Action) -> bool {
    matches!(
        action,
        Action::Home
            | Action::End
            | Action::Left
            | Action::Right
            | Action::WordLeft
            | Action::WordRight
            | Action::Backspace
            | Action::Delete
            | Action::KillWordLeft
            | Action::KillWord
            | Action::KillToEnd
            | Action::KillToStart
            | Action::Yank
            | Action::YankPop
            | Action::Undo
            | Action::Redo
            | Action::SelectAll
    )
}

pub(super) fn question(modal: &Modal, keymap: &Keymap, chord: Chord) -> Option<ModalOp> {
    if plain(chord, Key::Esc) {
        return Some(ModalOp::Cancel);
    }
    let lines = matches!(modal.question, Question::Editor(_));
    let bound = keymap.action(chord);
    if lines && let Some((Action::Newline, _)) = bound {
        return Some(ModalOp::Edit { action: Action::Newline, select: false });
    }
    if plain(chord, Key::Enter) {
        return Some(ModalOp::Answer);
    }
    match bound.map(|(action, _)| action) {
        Some(Action::Redraw) => return Some(ModalOp::Redraw),
        Some(Action::Suspend) => return Some(ModalOp::Suspend),
        Some(Action::Reader) => return Some(ModalOp::Reader),
        Some(Action::Paste) if modal.field().is_some() => return Some(ModalOp::Paste),
        Some(Action::ExternalEditor) if lines => return Some(ModalOp::Editor),
        _ => {}
    }
    match &modal.question {
        Question::Confirm { .. } => confirm(chord),
        Question::Select { .. } => match chord.key() {
            Key::Up | Key::Down => Some(ModalOp::Step { down: chord.key() == Key::Down }),
            Key::PageUp | Key::PageDown => Some(ModalOp::Page { down: chord.key() == Key::PageDown }),
            Key::Tab => Some(ModalOp::Step { down: !chord.shift() }),
            _ => field(bound, chord),
        },
        Question::Editor(_) => match bound {
            Some((action @ (Action::Up | Action::Down), select)) => Some(ModalOp::Edit { action, select }),
            _ => field(bound, chord),
        },
        Question::Input(_) => field(bound, chord),
    }
}

fn field(bound: Option<(Action, bool)>, chord: Chord) -> Option<ModalOp> {
    match bound {
        Some((action, select)) if edits(action) => Some(ModalOp::Edit { action, select }),
        _ => chord.text().map(ModalOp::Type),
    }
}

fn confirm(chord: Chord) -> Option<ModalOp> {
    match chord.key() {
        Key::Left | Key::Right | Key::Up | Key::Down | Key::Tab => Some(ModalOp::Toggle),
        Key::Char('y') if chord.is_text() => Some(ModalOp::Say(true)),
        Key::Char('n') if chord.is_text() => Some(ModalOp::Say(false)),
        _ => None,
    }
}

/// What an open picker claims. The rest goes on to the composer, or into the picker's own search.
pub(super) fn picker(tui: &Tui, keymap: &Keymap, registry: &Registry, chord: Chord) -> Option<Route> {
    let picker = tui.picker.as_ref()?;
    let op = match keymap.context(Context::Picker, chord) {
        Some("up") => Some(PickerOp::Step { down: false }),
        Some("down") => Some(PickerOp::Step { down: true }),
        Some("page_up") => Some(PickerOp::Page { down: false }),
        Some("page_down") => Some(PickerOp::Page { down: true }),
        Some("choose") => Some(PickerOp::Choose),
        Some("complete") => Some(PickerOp::Complete),
        Some("close") => Some(PickerOp::Close),
        _ => None,
    };
    if let Some(op) = op {
        return Some(Route::Picker(op));
    }
    // The way out is never lost, whatever the key file says.
    if plain(chord, Key::Esc) {
        return Some(Route::Picker(PickerOp::Close));
    }
    picker.field.as_ref()?;
    let op = match keymap.action(chord) {
        Some((action, select)) if edits(action) => Some(PickerOp::Edit { action, select }),
        Some((Action::HistorySearch, _)) => Some(PickerOp::Step { down: true }),
        Some((action @ (Action::Redraw | Action::Suspend), select)) => {
            return Some(Route::Action { action, select });
        }
        Some(_) => None,
        None if shortcut(registry, chord) => return Some(Route::Shortcut),
        None => chord.text().map(PickerOp::Type),
    };
    Some(op.map_or(Route::Swallow, Route::Picker))
}

pub(super) fn reader(tui: &Tui, keymap: &Keymap, chord: Chord) -> Option<ReaderOp> {
    let search = tui.reader.as_ref().and_then(|r| r.search.as_ref());
    let bound = keymap.action(chord);
    match bound {
        Some((Action::Redraw, _)) => return Some(ReaderOp::Redraw),
        Some((Action::Suspend, _)) => return Some(ReaderOp::Suspend),
        _ => {}
    }
    if let Some(Page::Extensions(page)) = tui.reader.as_ref().map(|reader| &reader.page) {
        return overview(page, keymap, chord);
    }
    if plain(chord, Key::Esc) {
        return Some(ReaderOp::Close);
    }
    if search.is_some_and(|s| s.typing) {
        return match bound {
            _ if plain(chord, Key::Enter) => Some(ReaderOp::Submit),
            Some((action, select)) if edits(action) => Some(ReaderOp::Edit { action, select }),
            _ => chord.text().map(ReaderOp::Type),
        };
    }
    Some(match keymap.context(Context::Reader, chord)? {
        "up" => ReaderOp::Rows { down: false },
        "down" => ReaderOp::Rows { down: true },
        "page_up" => ReaderOp::Page { down: false },
        "page_down" => ReaderOp::Page { down: true },
        "home" => ReaderOp::Home,
        "end" => ReaderOp::End,
        "less" => ReaderOp::Depth { more: false },
        "more" => ReaderOp::Depth { more: true },
        "search" => ReaderOp::Search,
        "next" => ReaderOp::Find { next: true },
        "previous" => ReaderOp::Find { next: false },
        "close" => ReaderOp::Close,
        _ => return None,
    })
}

/// What a chord does on the page of the extensions.
fn overview(page: &Overview, keymap: &Keymap, chord: Chord) -> Option<ReaderOp> {
    if page.asking {
        return match chord.text() {
            Some('y' | 'Y') => Some(ReaderOp::Say(true)),
            Some('n' | 'N') => Some(ReaderOp::Say(false)),
            _ => plain(chord, Key::Esc).then_some(ReaderOp::Say(false)),
        };
    }
    match (chord.text(), keymap.context(Context::Reader, chord)) {
        _ if plain(chord, Key::Esc) => Some(ReaderOp::Close),
        (Some('r'), _) => Some(ReaderOp::Restart),
        (Some('d'), _) => Some(ReaderOp::Disable),
        (_, Some("up")) => Some(ReaderOp::Rows { down: false }),
        (_, Some("down")) => Some(ReaderOp::Rows { down: true }),
        (_, Some("page_up")) => Some(ReaderOp::Page { down: false }),
        (_, Some("page_down")) => Some(ReaderOp::Page { down: true }),
        (_, Some("home")) => Some(ReaderOp::Home),
        (_, Some("end")) => Some(ReaderOp::End),
        (_, Some("close")) => Some(ReaderOp::Close),
        _ => None,
    }
}
