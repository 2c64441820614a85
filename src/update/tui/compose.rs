//! The composer: typing, pastes, history, stash, the editor, and submitting.

use std::sync::Arc;

use super::edit::{self, Hand};
use super::{pick, questions, reading, status};
use crate::model::ask::{Ask, Line, SessionAsk};
use crate::model::config::keymap::Action;
use crate::model::config::words;
use crate::model::effect::{Effect, FilesFx, TermFx};
use crate::model::provider::key::looks_like_key;
use crate::model::session::Sessions;
use crate::model::text::clean::Clean;
use crate::model::tool::Image;
use crate::model::tui::draft::{Attachment, Draft, Fragment, Group};
use crate::model::tui::{Awaiting, Tui};
use crate::update::{Cx, Out};

/// Line ends of a paste are line feeds, whatever they were (G08).
pub fn normal(text: &str) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text.to_owned() }
}

/// Typed text goes in at the cursor.
pub fn typed(tui: &mut Tui, text: &str, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    tui.composer.goal = None;
    tui.composer.kills.joining = false;
    tui.composer.kills.yanked = None;
    edit::insert(&mut tui.composer.draft, text);
    pick::refresh(tui, sessions, cx, out);
}

/// A paste: an API key alone goes to sign-in, a long text becomes a marker.
pub fn paste(tui: &mut Tui, text: &str, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    let text = normal(text);
    if tui.composer.draft.is_empty()
        && let Some(provider) = looks_like_key(&text)
    {
        questions::ask_key(tui, provider, Some(text.trim()));
        return;
    }
    if let Some(path) = image_path(&text) {
        let ticket = tui.pending.tickets.issue(cx.ids, Awaiting::Image(text.as_str().into()));
        return out.effect(Effect::Files(FilesFx::ReadImage { ticket, path: path.into() }));
    }
    let fragment = pasted(tui, &text, cx);
    tui.composer.draft.insert(fragment, Group::Alone);
    tui.composer.goal = None;
    pick::refresh(tui, sessions, cx, out);
}

/// The image file whose path this is and nothing else, as file managers and terminals write a dropped file.
fn image_path(text: &str) -> Option<String> {
    let line = text.trim();
    let plain =
        line.trim_matches(['\'', '"']).strip_prefix("file://").unwrap_or(line.trim_matches(['\'', '"']));
    let whole = plain.starts_with('/') && !plain.contains('\n') && pick::is_image(plain);
    whole.then(|| plain.replace("\\ ", " ").replace("%20", " "))
}

/// The text, or the marker that stands for it.
fn pasted(tui: &mut Tui, text: &str, cx: &Cx<'_>) -> Fragment {
    let limit = cx.config.settings.paste_placeholder;
    let chars = text.chars().count();
    if limit == 0 || chars <= limit {
        return Fragment::whole(text);
    }
    tui.composer.markers += 1;
    let lines = text.lines().count();
    let values = [
        ("id", tui.composer.markers.to_string()),
        ("chars", chars.to_string()),
        ("lines", lines.to_string()),
        ("plural", if lines == 1 { "" } else { "s" }.to_owned()),
    ];
    let values = values.each_ref().map(|(name, value)| (*name, value.as_str()));
    let label = Clean::collapsed(&words::fill(&cx.config.settings.paste_label, &values));
    let label = if label.is_empty() { Clean::from("[Pasted text]") } else { label };
    Fragment::mark(label.as_str(), Attachment::Paste(Arc::from(text)))
}

/// An image joins the draft as a marker.
pub fn attach(tui: &mut Tui, image: Image) {
    tui.composer.markers += 1;
    let name = Clean::collapsed(&image.name);
    let label = format!("[Image #{} {name}, {}×{}]", tui.composer.markers, image.width, image.height);
    let label = Clean::collapsed(&label);
    tui.composer.draft.insert(Fragment::mark(label.as_str(), Attachment::Image(image)), Group::Alone);
}

/// An editing action of the composer. Up and down at an edge walk the history.
pub fn edit(
    tui: &mut Tui,
    action: Action,
    select: bool,
    sessions: &Sessions,
    cx: &mut Cx<'_>,
    out: &mut Out,
) {
    let frame = tui.frame();
    let composer = &mut tui.composer;
    let kills =
        matches!(action, Action::KillWord | Action::KillWordLeft | Action::KillToEnd | Action::KillToStart);
    composer.kills.joining &= kills;
    if !matches!(action, Action::Yank | Action::YankPop) {
        composer.kills.yanked = None;
    }
    let version = composer.draft.version();
    let mut hand = Hand {
        draft: &mut composer.draft,
        kills: Some(&mut composer.kills),
        goal: &mut composer.goal,
        frame,
    };
    let done = edit::act(&mut hand, action, select);
    match action {
        Action::Up if !done && !select => up(tui, sessions, out),
        Action::Down if !done && !select => down(tui),
        _ => {}
    }
    if tui.composer.draft.version() != version || tui.picker.is_some() {
        pick::refresh(tui, sessions, cx, out);
    }
}

/// Above the first row: the newest queued steer comes back for editing, else an earlier prompt is recalled.
fn up(tui: &mut Tui, sessions: &Sessions, out: &mut Out) {
    if tui.composer.draft.is_empty()
        && tui.composer.recall.at.is_none()
        && let Some(steer) = tui.status.queue.pop()
    {
        let index = tui.status.queue.len();
        out.ask(Ask::Session(sessions.front, SessionAsk::Unqueue { index }));
        tui.composer.draft.set(Fragment::whole(&normal(&steer.text)));
        steer.images.into_iter().for_each(|image| attach(tui, image));
        return;
    }
    let recall = &tui.composer.recall;
    let fresh = recall.at.is_none_or(|_| recall.version != tui.composer.draft.version());
    let next =
        if fresh { recall.entries.len().checked_sub(1) } else { recall.at.and_then(|at| at.checked_sub(1)) };
    let Some(next) = next else { return };
    if fresh {
        tui.composer.recall.aside = Some(Box::new(tui.composer.draft.clone()));
    }
    show(tui, next);
}

fn show(tui: &mut Tui, index: usize) {
    let composer = &mut tui.composer;
    let Some(entry) = composer.recall.entries.get(index) else { return };
    composer.draft.replace_by(Draft::of(entry));
    composer.recall.at = Some(index);
    composer.recall.version = composer.draft.version();
}

/// Below the last row: a newer prompt, and past the newest the draft as it was.
fn down(tui: &mut Tui) {
    let recall = &mut tui.composer.recall;
    let Some(at) = recall.at else { return };
    if recall.version != tui.composer.draft.version() {
        return;
    }
    if at + 1 < recall.entries.len() {
        return show(tui, at + 1);
    }
    recall.at = None;
    if let Some(aside) = recall.aside.take() {
        tui.composer.draft.replace_by(*aside);
    }
}

/// Puts the draft aside; on an empty one takes the newest back.
pub fn stash(tui: &mut Tui, cx: &mut Cx<'_>, out: &mut Out) {
    let composer = &mut tui.composer;
    if !composer.draft.is_empty() {
        composer.stash.push(composer.draft.body().clone());
        composer.draft.set(Fragment::default());
        status::flash(tui, "Draft put aside · the same key on an empty draft brings it back", cx, out);
    } else if let Some(kept) = composer.stash.pop() {
        composer.draft.set(kept);
    } else {
        status::flash(tui, "Nothing is put aside", cx, out);
    }
}

/// Empties the draft; undo and the stash bring it back (G26).
pub fn clear(tui: &mut Tui) {
    let composer = &mut tui.composer;
    composer.stash.push(composer.draft.body().clone());
    composer.draft.set(Fragment::default());
    composer.recall.at = None;
}

/// Sends the draft; what is only white space stays.
pub fn submit(tui: &mut Tui, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    let body = tui.composer.draft.body();
    let text = body.expanded();
    let text = text.trim();
    let images = body.images();
    if text.is_empty() && images.is_empty() {
        return;
    }
    if let Some(provider) = looks_like_key(text) {
        let key = text.to_owned();
        let _sent = tui.composer.draft.take();
        questions::ask_key(tui, provider, Some(&key));
        return;
    }
    let text: Arc<str> = Arc::from(text);
    let _sent = tui.composer.draft.take();
    tui.picker = None;
    let recall = &mut tui.composer.recall;
    recall.at = None;
    recall.aside = None;
    remember(tui, &text, cx, out);
    tui.composer.dismissed = None;
    reading::follow(tui);
    out.ask(Ask::Line(Line { session: sessions.front, text, images }));
}

/// A submitted line could not be sent: it comes back, ahead of what was typed since.
pub fn returned(tui: &mut Tui, text: &str, images: &[Image]) {
    let typed = tui.composer.draft.take();
    tui.composer.draft.set(Fragment::whole(&normal(text)));
    images.iter().for_each(|image| attach(tui, image.clone()));
    if !typed.is_empty() {
        tui.composer.draft.insert(Fragment::text("\n"), Group::Alone);
        tui.composer.draft.insert(typed, Group::Alone);
    }
}

/// Lends the terminal to the person's editor, with the draft written out.
pub fn editor(tui: &mut Tui, cx: &mut Cx<'_>, out: &mut Out) {
    let text = tui.composer.draft.body().expanded().into();
    let ticket = tui.pending.tickets.issue(cx.ids, Awaiting::Editor);
    out.effect(Effect::Term(TermFx::Editor { ticket, text, command: editor_command(cx) }));
}

/// The setting, else what the environment names.
pub fn editor_command(cx: &Cx<'_>) -> Arc<str> {
    cx.config.settings.editor.clone().unwrap_or_else(|| cx.boot.editor.clone())
}

/// The draft comes back from the editor; an unchanged one keeps its markers.
pub fn edited(tui: &mut Tui, text: &str) {
    let text = normal(text);
    let text = text.strip_suffix('\n').unwrap_or(&text);
    if text != tui.composer.draft.body().expanded() {
        tui.composer.draft.set(Fragment::whole(text));
    }
}

/// The draft that a crash or quit left behind is offered: it becomes the newest prompt that Up recalls, so that it is
/// never lost and never in the way of what is typed now.
pub fn offer(tui: &mut Tui, text: &str, cx: &mut Cx<'_>, out: &mut Out) {
    let text: Arc<str> = normal(text).trim().into();
    if text.is_empty() {
        return;
    }
    remember(tui, &text, cx, out);
    let up = cx.config.keymap.chords(Action::Up).into_iter().next().unwrap_or_default();
    status::flash(tui, &format!("Your unsent draft is kept · {up} brings it back"), cx, out);
}

/// What was sent, or nearly, is the newest that Up recalls.
fn remember(tui: &mut Tui, text: &Arc<str>, cx: &Cx<'_>, out: &mut Out) {
    let recall = &mut tui.composer.recall;
    if !text.is_empty() && recall.entries.last() != Some(text) {
        recall.entries.push(text.clone());
        out.effect(Effect::Files(FilesFx::AppendHistory { cwd: cx.boot.cwd.clone(), text: text.clone() }));
    }
}
