//! The key table: which chord does what, built in and as `keybindings.json` changes it, each wrong entry costing itself alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::chord::{Chord, Key};
use super::complaint::{Complaint, nearest};
use super::jsonc::{self, Json, Member, Node, Reader};
use table::{COMPOSER, CONTEXTS, PREFIXED};

mod table;

macro_rules! actions {
    ($($variant:ident $name:literal $what:literal;)*) => {
        /// What a key can do; the names are those of `surfaces.md`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Action {
            $(#[doc = $what] $variant,)*
        }

        impl Action {
            pub const ALL: &'static [Action] = &[$(Action::$variant,)*];

            pub const fn name(self) -> &'static str {
                match self { $(Action::$variant => $name,)* }
            }

            /// In words, for `/keys`.
            pub const fn meaning(self) -> &'static str {
                match self { $(Action::$variant => $what,)* }
            }

            /// Names are case-sensitive.
            pub fn parse(name: &str) -> Option<Action> {
                match name { $($name => Some(Action::$variant),)* _ => None }
            }
        }
    };
}

actions! {
    Enter "enter" "send the message, or steer the running turn";
    Newline "newline" "break the line";
    Home "home" "to the start of the line";
    End "end" "to the end of the line, or of the conversation";
    Left "left" "one character left";
    Right "right" "one character right";
    WordLeft "word_left" "one word left";
    WordRight "word_right" "one word right";
    Up "up" "one row up, then back in history";
    Down "down" "one row down, then forward in history";
    HistorySearch "history_search" "search earlier prompts";
    Backspace "backspace" "delete what is left of the cursor";
    Delete "delete" "delete what is right of the cursor";
    KillWordLeft "kill_word_left" "cut the word left of the cursor";
    KillWord "kill_word" "cut the word right of the cursor";
    KillToEnd "kill_to_end" "cut to the end of the line";
    KillToStart "kill_to_start" "cut to the start of the line";
    Yank "yank" "insert what was cut last";
    YankPop "yank_pop" "instead of that, insert what was cut before";
    Undo "undo" "undo";
    Redo "redo" "redo";
    SelectAll "select_all" "select the whole draft";
    Copy "copy" "copy the selection";
    Stash "stash" "put the draft aside, or take it back";
    ExternalEditor "external_editor" "edit the draft in your editor";
    Paste "paste" "paste text or an image";
    CycleEffort "cycle_effort" "next reasoning effort";
    CycleModel "cycle_model" "next model";
    CycleModelBack "cycle_model_back" "previous model";
    Reader "reader" "open the reader: everything, in full";
    Redraw "redraw" "paint the screen anew";
    PageUp "page_up" "read back";
    PageDown "page_down" "read forward";
    Complete "complete" "complete a command or path";
    Help "help" "show help";
    Keys "keys" "show all keys";
    Theme "theme" "choose a theme";
    Suspend "suspend" "suspend e until fg";
}

/// Where a binding holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Context {
    /// The composer and everything global: the flat entries of the file.
    Composer,
    Picker,
    Reader,
    Panel,
    Pane,
}

impl Context {
    pub const OBJECTS: [Context; 4] = [Context::Pane, Context::Picker, Context::Reader, Context::Panel];

    pub const fn name(self) -> &'static str {
        match self {
            Context::Composer => "composer",
            Context::Picker => "picker",
            Context::Reader => "reader",
            Context::Panel => "panel",
            Context::Pane => "pane",
        }
    }

    /// The actions that may be bound there.
    pub fn actions(self) -> Vec<&'static str> {
        match self {
            Context::Composer => Action::ALL.iter().map(|a| a.name()).collect(),
            Context::Picker => vec!["up", "down", "page_up", "page_down", "choose", "complete", "close"],
            Context::Reader => vec![
                "up",
                "down",
                "page_up",
                "page_down",
                "home",
                "end",
                "less",
                "more",
                "search",
                "next",
                "previous",
                "close",
            ],
            Context::Panel => vec!["close"],
            Context::Pane => {
                vec![
                    "up",
                    "down",
                    "page_up",
                    "page_down",
                    "home",
                    "end",
                    "left",
                    "right",
                    "next",
                    "previous",
                    "mark",
                    "activate",
                    "close",
                ]
            }
        }
    }
}

/// What a chord, or a chord behind a prefix, does.
#[derive(Debug, Clone)]
pub struct Keymap {
    composer: BTreeMap<Chord, Action>,
    /// Composer chords that were unbound by name: not even as a movement with shift do they mean anything.
    freed: BTreeSet<Chord>,
    /// Second chords behind ctrl+x.
    prefixed: BTreeMap<Chord, Action>,
    /// Of the other contexts: action names.
    contexts: BTreeMap<(Context, Chord), &'static str>,
    /// The lines of `keybindings.json` that bound them; `true`: behind the prefix.
    lines: BTreeMap<(Context, bool, Chord), u32>,
}

/// The chord that begins a two-chord binding.
pub const PREFIX: Chord = Chord::ctrl_letter('x');

impl Default for Keymap {
    fn default() -> Self {
        let read = |text: &str| text.parse::<Chord>().ok();
        let table = |rows: &[(&str, Action)]| -> BTreeMap<Chord, Action> {
            rows.iter().filter_map(|(chord, action)| Some((read(chord)?, *action))).collect()
        };
        let contexts =
            CONTEXTS.iter().filter_map(|(context, chord, action)| Some(((*context, read(chord)?), *action)));
        Keymap {
            composer: table(COMPOSER),
            freed: BTreeSet::new(),
            prefixed: table(PREFIXED),
            contexts: contexts.collect(),
            lines: BTreeMap::new(),
        }
    }
}

impl PartialEq for Keymap {
    /// The same keys do the same; from where that is known does not matter.
    fn eq(&self, other: &Self) -> bool {
        (&self.composer, &self.freed, &self.prefixed, &self.contexts)
            == (&other.composer, &other.freed, &other.prefixed, &other.contexts)
    }
}

/// A movement that also selects when shift is held.
fn moves(action: Action) -> bool {
    matches!(
        action,
        Action::Home
            | Action::End
            | Action::Left
            | Action::Right
            | Action::WordLeft
            | Action::WordRight
            | Action::Up
            | Action::Down
    )
}

impl Keymap {
    /// What a chord does in the composer or everywhere; `true` when it also selects.
    pub fn action(&self, chord: Chord) -> Option<(Action, bool)> {
        if let Some(action) = self.composer.get(&chord) {
            return Some((*action, false));
        }
        let named = !matches!(chord.key(), Key::Char(_));
        let plain = self.composer.get(&chord.without_shift()).filter(|action| moves(**action));
        let selects = chord.shift() && named && !self.freed.contains(&chord);
        plain.filter(|_| selects).map(|action| (*action, true))
    }

    /// Whether a chord begins a two-chord binding.
    pub fn is_prefix(&self, chord: Chord) -> bool {
        !self.prefixed.is_empty() && chord == PREFIX && !self.composer.contains_key(&chord)
    }

    /// What the second chord of a two-chord binding does.
    pub fn prefixed(&self, chord: Chord) -> Option<Action> {
        self.prefixed.get(&chord).copied()
    }

    /// What a chord does in another context, by the action's name.
    pub fn context(&self, context: Context, chord: Chord) -> Option<&'static str> {
        self.contexts.get(&(context, chord)).copied()
    }

    /// All composer and global bindings.
    pub fn composer(&self) -> impl Iterator<Item = (Chord, Action)> {
        self.composer.iter().map(|(chord, action)| (*chord, *action))
    }

    /// The bindings behind the prefix.
    pub fn behind_prefix(&self) -> impl Iterator<Item = (Chord, Action)> {
        self.prefixed.iter().map(|(chord, action)| (*chord, *action))
    }

    /// The line of `keybindings.json` that bound a chord; none for what is built in.
    pub fn line(&self, context: Context, behind_prefix: bool, chord: Chord) -> Option<u32> {
        self.lines.get(&(context, behind_prefix, chord)).copied()
    }

    /// The chords of an action as a person reads them, two-chord ones included.
    pub fn chords(&self, action: Action) -> Vec<String> {
        let single = self.composer.iter().filter(|(_, a)| **a == action).map(|(chord, _)| chord.to_string());
        let double = self.prefixed.iter().filter(|(_, a)| **a == action);
        single.chain(double.map(|(chord, _)| format!("{PREFIX} {chord}"))).collect()
    }

    /// The bindings of a context other than the composer's.
    pub fn in_context(&self, context: Context) -> impl Iterator<Item = (Chord, &'static str)> {
        self.contexts
            .iter()
            .filter(move |((c, _), _)| *c == context)
            .map(|((_, chord), action)| (*chord, *action))
    }
}

/// Reads `keybindings.json` over the built-in table. A file that is no JSON changes nothing.
pub fn parse(file: &str, text: &str) -> (Keymap, Vec<Complaint>) {
    parse_over(file, text, &Keymap::default())
}

/// Reads it again. A file that is no JSON leaves everything as it was `last`, a wrong value its chord.
pub fn parse_over(file: &str, text: &str, last: &Keymap) -> (Keymap, Vec<Complaint>) {
    let mut keymap = Keymap::default();
    let root = match jsonc::parse(file, text.as_bytes()) {
        Ok(root) => root,
        Err(complaint) => return (last.clone(), vec![complaint]),
    };
    let mut reader = Reader::new(file);
    for member in reader.object("the file", &root).unwrap_or_default() {
        let context = Context::OBJECTS.into_iter().find(|c| c.name() == member.key);
        match (context, &member.value.json) {
            (Some(context), _) => {
                for member in reader.object(context.name(), &member.value).unwrap_or_default() {
                    entry(&mut keymap, &mut reader, context, member, last);
                }
            }
            (None, Json::Object(_)) => {
                let names = Context::OBJECTS.map(Context::name);
                let hint = match nearest(&member.key, names) {
                    Some(near) => format!("did you mean {near:?}?"),
                    None => format!("it can be {}", jsonc::one_of(&names)),
                };
                reader.complain(member.at, format!("no context is called {:?}; {hint}", member.key));
            }
            (None, _) if member.key == "$schema" => {}
            (None, _) => entry(&mut keymap, &mut reader, Context::Composer, member, last),
        }
    }
    (keymap, reader.finish())
}

fn entry(keymap: &mut Keymap, reader: &mut Reader, context: Context, member: &Member, last: &Keymap) {
    let words: Vec<&str> = member.key.split_whitespace().collect();
    let (chord, behind_prefix) = match words.as_slice() {
        [first, second] if context == Context::Composer && first.parse() == Ok(PREFIX) => (*second, true),
        _ => (member.key.as_str(), false),
    };
    let chord: Chord = match chord.parse() {
        Ok(chord) => chord,
        Err(error) => return reader.complain(member.at, format!("{:?}: {error}", member.key)),
    };
    if chord.to_string() == "ctrl+c" {
        return reader.complain(member.at, "ctrl+c always interrupts and cannot be bound");
    }
    keymap.lines.insert((context, behind_prefix, chord), member.at.line);
    // What is no action leaves the chord as it was.
    let name = reader.string(&member.key, &member.value).unwrap_or_default();
    let none = name.eq_ignore_ascii_case("none");
    if context != Context::Composer {
        match context.actions().into_iter().find(|action| *action == name) {
            Some(action) => drop(keymap.contexts.insert((context, chord), action)),
            None if none => drop(keymap.contexts.remove(&(context, chord))),
            None => {
                unknown(reader, &member.value, name, &context.actions());
                keymap.lines.remove(&(context, behind_prefix, chord));
                let key = (context, chord);
                put(&mut keymap.contexts, key, last.contexts.get(&key).copied());
            }
        }
        return;
    }
    if !behind_prefix {
        let freed = match Action::parse(name) {
            Some(_) => false,
            None => none || last.freed.contains(&chord),
        };
        match freed {
            true => keymap.freed.insert(chord),
            false => keymap.freed.remove(&chord),
        };
    }
    let (table, before) = match behind_prefix {
        true => (&mut keymap.prefixed, &last.prefixed),
        false => (&mut keymap.composer, &last.composer),
    };
    match Action::parse(name) {
        Some(action) => drop(table.insert(chord, action)),
        None if none => drop(table.remove(&chord)),
        None => {
            unknown(reader, &member.value, name, &context.actions());
            put(table, chord, before.get(&chord).copied());
            keymap.lines.remove(&(context, behind_prefix, chord));
        }
    }
}

fn put<K: Ord, V>(table: &mut BTreeMap<K, V>, key: K, value: Option<V>) {
    match value {
        Some(value) => drop(table.insert(key, value)),
        None => drop(table.remove(&key)),
    }
}

fn unknown(reader: &mut Reader, node: &Node, name: &str, known: &[&str]) {
    if !matches!(node.json, Json::String(_)) {
        return;
    }
    let hint = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean {near:?}?"),
        None => "`e docs keybindings` lists the actions, \"none\" unbinds".to_owned(),
    };
    reader.complain(node.at, format!("no action is called {name:?}; {hint}"));
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// `e docs keybindings` and `/keys`: every action with its keys in force, as Markdown.
pub fn docs(keymap: &Keymap) -> String {
    let mut out = String::from("| keys | action | what it does |\n| --- | --- | --- |\n");
    for action in Action::ALL {
        let keys = keymap.chords(*action);
        let keys = if keys.is_empty() { "(unbound)".to_owned() } else { keys.join(", ") };
        out += &format!("| {} | `{action}` | {} |\n", keys.replace('|', "\\|"), action.meaning());
    }
    out += "\nCtrl+c cancels what is in front, interrupts, or clears the draft; twice quits. Esc closes and interrupts.\n\
            Shift with a movement selects. Ctrl+d on an empty draft quits.\n";
    for context in Context::OBJECTS {
        out += &format!("\n**In the {}:** ", context.name());
        let keys: Vec<String> = keymap.in_context(context).map(|(c, a)| format!("{c} `{a}`")).collect();
        out += &keys.join(", ");
        out.push('\n');
    }
    out += "\nChange them in `keybindings.json` in the home: `{\"ctrl+k\": \"none\", \"alt+k\": \"kill_to_end\", \"reader\": {\"x\": \"close\"}}`.\n";
    out
}
