//! The composer's pickers: when one opens, what it lists, and what choosing does.

use std::ops::Range;
use std::sync::Arc;

use super::edit::{self, Hand};
use super::extension::completing;
use super::route::PickerOp;
use super::{compose, status};
use crate::model::effect::{Effect, FilesFx};
use crate::model::ext::registry::Command;
use crate::model::id::Ticket;
use crate::model::session::Sessions;
use crate::model::session::commands::COMMANDS;
use crate::model::text::clean::Clean;
use crate::model::tui::draft::{Fragment, Group};
use crate::model::tui::geometry::PICKER_ROWS;
use crate::model::tui::list::{Item, List, Order};
use crate::model::tui::modal::Field;
use crate::model::tui::picker::{Picker, PickerKind};
use crate::model::tui::wrapped::Frame;
use crate::model::tui::{Awaiting, Tui};
use crate::update::{Cx, Out};

/// The word at the cursor that a picker is for.
struct Word {
    kind: PickerKind,
    range: Range<usize>,
    query: String,
}

/// Which picker the draft calls for.
fn word(tui: &Tui, skills: bool) -> Option<Word> {
    let draft = &tui.composer.draft;
    let before = draft.text().get(..draft.cursor())?;
    if before.starts_with('!') {
        return None;
    }
    let start = before
        .rfind(char::is_whitespace)
        .map_or(0, |at| at + before.get(at..).and_then(|s| s.chars().next()).map_or(1, char::len_utf8));
    let word = before.get(start..)?;
    let range = start..draft.cursor();
    let mut chars = word.chars();
    let sign = chars.next()?;
    let query = chars.as_str().to_owned();
    match sign {
        '/' if start == 0 && !query.contains('/') => Some(Word { kind: PickerKind::Commands, range, query }),
        '@' => Some(Word { kind: PickerKind::Files, range, query }),
        '$' if skills => Some(Word { kind: PickerKind::Skills, range, query }),
        _ => None,
    }
}

/// A `$` that begins a word was just typed.
fn asks_skills(tui: &Tui) -> bool {
    let draft = &tui.composer.draft;
    let before = draft.text().get(..draft.cursor()).and_then(|text| text.strip_suffix('$'));
    before.is_some_and(|b| !b.starts_with('!') && b.chars().next_back().is_none_or(char::is_whitespace))
}

/// Opens, narrows or closes the picker after a change of the draft.
pub fn refresh(tui: &mut Tui, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    if tui.picker.as_ref().is_some_and(|p| p.field.is_some()) {
        return;
    }
    let skills = sessions.front().is_some_and(|s| !s.desk.skills.is_empty());
    let Some(word) = word(tui, skills) else {
        if sessions.front().is_some_and(|s| s.desk.loaded && s.desk.skills.is_empty()) && asks_skills(tui) {
            status::flash(tui, "There are no skills here · `e docs prompts` says how to make one", cx, out);
        }
        tui.composer.dismissed = None;
        if completing::refresh(tui, sessions, cx, out) {
            return;
        }
        let paths = tui.picker.as_ref().is_some_and(|p| p.kind == PickerKind::Paths);
        return if paths { narrow_path(tui, out) } else { close(tui, out) };
    };
    if tui.composer.dismissed == Some(word.range.start) {
        return close(tui, out);
    }
    tui.composer.dismissed = None;
    let same = tui.picker.as_ref().is_some_and(|p| p.kind == word.kind && p.range.start == word.range.start);
    if !same {
        close(tui, out);
        tui.picker = Some(open(tui, &word, sessions, cx, out));
    }
    let Some(picker) = &mut tui.picker else { return };
    picker.range = word.range;
    if picker.list.query() != word.query || !same {
        picker.list.filter(&word.query);
        picker.moved = false;
    }
    // Nothing to choose from: the line is what it is.
    let idle = picker.list.is_empty() && picker.loading.is_none();
    if idle && picker.kind != PickerKind::Files {
        tui.picker = None;
    }
}

fn open(tui: &mut Tui, word: &Word, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) -> Picker {
    let (items, order) = match word.kind {
        PickerKind::Commands => (commands(sessions, cx), Order::Given),
        PickerKind::Skills => (skills(sessions), Order::Given),
        PickerKind::Files | PickerKind::Paths => (Vec::new(), Order::Paths),
        PickerKind::History | PickerKind::Completions => (Vec::new(), Order::Given),
    };
    let mut picker = Picker::new(word.kind, List::new(items, order), word.range.clone());
    if matches!(word.kind, PickerKind::Files | PickerKind::Paths) {
        picker.loading = Some(walk(tui, cx, out));
    }
    picker
}

fn walk(tui: &mut Tui, cx: &mut Cx<'_>, out: &mut Out) -> Ticket {
    let ticket = tui.pending.tickets.issue(cx.ids, Awaiting::Walk);
    out.effect(Effect::Files(FilesFx::Walk { ticket, cwd: cx.boot.cwd.clone() }));
    ticket
}

/// Built-ins, then templates, then what extensions declare.
fn commands(sessions: &Sessions, cx: &Cx<'_>) -> Vec<Item> {
    let builtin = COMMANDS.iter().map(|command| Item {
        right: Clean::from("built-in"),
        ..Item::new(&format!("/{}", with(command.name, command.hint)), command.description, command.name)
    });
    let templates = sessions.front().map(|s| s.desk.templates.as_slice()).unwrap_or_default();
    let names: Vec<&str> = templates.iter().map(|template| &*template.name).collect();
    let extensions = cx.registry.commands.iter().map(|command| {
        let shown = command_name(command, &names);
        Item {
            right: Clean::from("extension"),
            ..Item::new(
                &format!("/{}", with(shown, command.arguments.as_str())),
                command.description.as_str(),
                shown.clone(),
            )
        }
    });
    let templates = templates.iter().map(|template| Item {
        right: Clean::from("prompt"),
        ..Item::new(
            &format!("/{}", with(&template.name, template.argument_hint.as_deref().unwrap_or_default())),
            &template.description,
            template.name.clone(),
        )
    });
    builtin.chain(templates).chain(extensions).collect()
}

/// What reaches an extension's command: a template of its name comes before it.
pub fn command_name<'c>(command: &'c Command, templates: &[&str]) -> &'c Arc<str> {
    if templates.contains(&&*command.name) { &command.qualified } else { command.shown() }
}

fn with(name: &str, arguments: &str) -> String {
    if arguments.trim().is_empty() { name.to_owned() } else { format!("{name} {arguments}") }
}

fn skills(sessions: &Sessions) -> Vec<Item> {
    let skills = sessions.front().map(|s| s.desk.skills.as_slice()).unwrap_or_default();
    let item = |skill: &crate::model::session::library::Skill| Item {
        right: Clean::from("skill"),
        ..Item::new(&skill.name, &skill.description, format!("the {} skill ({})", skill.name, skill.path))
    };
    skills.iter().map(item).collect()
}

/// Closes the picker; a walk for it stops.
pub fn close(tui: &mut Tui, out: &mut Out) {
    let Some(picker) = tui.picker.take() else { return };
    if let Some(ticket) = picker.loading {
        let _walk = tui.pending.tickets.take(ticket);
        out.effect(Effect::Files(FilesFx::StopWalk(ticket)));
    }
}

/// Closes a picker whose search has a field of its own: the draft was replaced.
pub fn close_search(tui: &mut Tui, out: &mut Out) {
    if tui.picker.as_ref().is_some_and(|picker| picker.field.is_some()) {
        close(tui, out);
    }
}

/// Files arrive.
pub fn found(tui: &mut Tui, ticket: Ticket, paths: &[std::sync::Arc<str>], done: bool) {
    let Some(picker) = tui.picker.as_mut().filter(|p| p.loading == Some(ticket)) else { return };
    picker.list.extend(paths.iter().map(|path| Item {
        label: Clean::name(path),
        value: path.clone(),
        ..Item::default()
    }));
    if done {
        picker.loading = None;
        let _walk = tui.pending.tickets.take(ticket);
    }
}

/// Ctrl+r: searches earlier prompts, the newest first.
pub fn history(tui: &mut Tui, cx: &mut Cx<'_>, out: &mut Out) {
    let mut seen = std::collections::BTreeSet::new();
    let entries = tui.composer.recall.entries.iter().rev().filter(|text| seen.insert((*text).clone()));
    let items: Vec<Item> = entries.map(|text| Item::new(text, "", text.clone())).collect();
    if items.is_empty() {
        return status::flash(tui, "No earlier prompts yet", cx, out);
    }
    close(tui, out);
    let mut picker = Picker::new(PickerKind::History, List::new(items, Order::Given), 0..0);
    picker.field = Some(Field { placeholder: Clean::from("search earlier prompts"), ..Field::default() });
    tui.picker = Some(picker);
}

/// Tab without a picker: completes the path at the cursor.
pub fn complete(tui: &mut Tui, cx: &mut Cx<'_>, out: &mut Out) {
    let Some(range) = path_word(tui) else { return };
    let word = Word { kind: PickerKind::Paths, query: String::new(), range };
    let picker = open(tui, &word, &Sessions::default(), cx, out);
    tui.picker = Some(picker);
    narrow_path(tui, out);
}

fn path_word(tui: &Tui) -> Option<Range<usize>> {
    let draft = &tui.composer.draft;
    let before = draft.text().get(..draft.cursor())?;
    let start = before
        .rfind(|c: char| c.is_whitespace() || "\"'=(".contains(c))
        .map_or(0, |at| at + before.get(at..).and_then(|s| s.chars().next()).map_or(1, char::len_utf8));
    let start = if start == 0 { before.len() - before.trim_start_matches('!').len() } else { start };
    (start < draft.cursor()).then(|| start..draft.cursor())
}

fn narrow_path(tui: &mut Tui, out: &mut Out) {
    match path_word(tui) {
        Some(range) => {
            let query = tui.composer.draft.text().get(range.clone()).unwrap_or_default().to_owned();
            let Some(picker) = &mut tui.picker else { return };
            if picker.range.start != range.start {
                return close(tui, out);
            }
            picker.range = range;
            picker.list.filter(query.strip_prefix("./").unwrap_or(&query));
        }
        None => close(tui, out),
    }
}

/// Does what a key means in the picker; `false` when Enter is the composer's after all.
pub fn apply(tui: &mut Tui, op: PickerOp, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) -> bool {
    let Some(picker) = &mut tui.picker else { return true };
    let start = picker.range.start;
    match op {
        PickerOp::Close => {
            if picker.field.is_none() {
                tui.composer.dismissed = Some(start);
            }
            close(tui, out);
        }
        // Its first item was put there by an extension: Enter takes it only from who went to it.
        PickerOp::Choose if picker.kind == PickerKind::Completions && !picker.moved => {
            close(tui, out);
            return false;
        }
        PickerOp::Step { down } => {
            picker.list.step(down);
            picker.moved = true;
        }
        PickerOp::Page { down } => {
            picker.list.page(down, usize::from(PICKER_ROWS));
            picker.moved = true;
        }
        PickerOp::Choose => return choose(tui, true, sessions, cx, out),
        PickerOp::Complete => drop(choose(tui, false, sessions, cx, out)),
        PickerOp::Type(c) => search(picker, |draft| edit::insert(draft, c.encode_utf8(&mut [0; 4]))),
        PickerOp::Edit { action, select } => search(picker, |draft| {
            let frame = Frame { columns: usize::MAX / 2, tab: 1, secret: false };
            edit::act(&mut Hand { draft, kills: None, goal: &mut None, frame }, action, select);
        }),
    }
    true
}

/// Text committed or pasted into the picker's own search.
pub fn search_text(picker: &mut Picker, text: &str) {
    search(picker, |draft| edit::insert(draft, &text.replace('\n', " ")));
}

fn search(picker: &mut Picker, edit: impl FnOnce(&mut crate::model::tui::draft::Draft)) {
    let Some(field) = &mut picker.field else { return };
    edit(&mut field.draft);
    let query = field.draft.text().to_owned();
    picker.list.filter(&query);
}

/// Takes the chosen item; `run`: Enter, which also runs a command that needs no argument. `false` when Enter submits.
fn choose(tui: &mut Tui, run: bool, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) -> bool {
    let Some(picker) = &tui.picker else { return true };
    let Some(value) = picker.list.chosen().map(|item| item.value.clone()) else {
        close(tui, out);
        return !run;
    };
    let (kind, range) = (picker.kind, picker.range.clone());
    close(tui, out);
    match kind {
        PickerKind::History => tui.composer.draft.set(Fragment::whole(&compose::normal(&value))),
        PickerKind::Commands => {
            let wants = wants_arguments(&value, sessions, cx);
            let text = if run && !wants { format!("/{value}") } else { format!("/{value} ") };
            tui.composer.draft.replace(range, Fragment::text(text), Group::Alone);
            if run && !wants {
                compose::submit(tui, sessions, cx, out);
            } else {
                refresh(tui, sessions, cx, out);
            }
        }
        PickerKind::Completions => completing::choose(tui, range, &value, sessions, cx, out),
        PickerKind::Skills => insert(tui, range, &format!("{value} ")),
        PickerKind::Paths => insert(tui, range, &format!("{} ", quoted(&value))),
        PickerKind::Files if is_image(&value) => {
            tui.composer.draft.replace(range, Fragment::default(), Group::Alone);
            let instead = format!("@{} ", quoted(&value));
            let ticket = tui.pending.tickets.issue(cx.ids, Awaiting::Image(instead.into()));
            out.effect(Effect::Files(FilesFx::ReadImage { ticket, path: value }));
        }
        PickerKind::Files => insert(tui, range, &format!("@{} ", quoted(&value))),
    }
    true
}

fn insert(tui: &mut Tui, range: Range<usize>, text: &str) {
    tui.composer.draft.replace(range, Fragment::text(text), Group::Alone);
}

/// A path with white space is quoted.
fn quoted(path: &str) -> String {
    if path.contains(char::is_whitespace) { format!("\"{path}\"") } else { path.to_owned() }
}

/// Whether a path names an image by its ending.
pub fn is_image(path: &str) -> bool {
    let name = path.to_ascii_lowercase();
    [".png", ".jpg", ".jpeg", ".gif", ".webp"].iter().any(|end| name.ends_with(end))
}

fn wants_arguments(name: &str, sessions: &Sessions, cx: &Cx<'_>) -> bool {
    if let Some(command) = COMMANDS.iter().find(|c| c.name == name) {
        return command.hint.starts_with('<');
    }
    let templates = sessions.front().map(|s| s.desk.templates.as_slice()).unwrap_or_default();
    if let Some(found) = templates.iter().find(|t| *t.name == *name) {
        return found.argument_hint.as_deref().is_some_and(|hint| !hint.trim().is_empty());
    }
    cx.registry.command(name).is_some_and(|command| !command.arguments.as_str().trim().is_empty())
}
