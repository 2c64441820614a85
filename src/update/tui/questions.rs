//! `e`'s own questions: what each asks, and what its answer does.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::preferences::{self, At};
use super::{extension, scoped, settings, settle, status};
use crate::model::ask::{Ask, SessionAsk};
use crate::model::effect::{AuthFx, Effect, FilesFx, Secret, StoreFx};
use crate::model::provider::{Dialect, ModelRef};
use crate::model::session::head::SessionHead;
use crate::model::session::{Session, Sessions};
use crate::model::text::clean::Clean;
use crate::model::tui::draft::Draft;
use crate::model::tui::list::{Item, List, Order};
use crate::model::tui::modal::{Answer, Field, Modal, Owner, Question};
use crate::model::tui::{Awaiting, Tui};
use crate::update::{Cx, Out};

/// Whether the instructions of this directory are accepted.
pub fn ask_trust(tui: &mut Tui, cx: &Cx<'_>) {
    let items = vec![
        Item::new("Trust this directory", "remembered, with everything inside it", "record"),
        Item::new("Trust it this time", "nothing is written down", "once"),
        Item::new("No, leave", "nothing is read or written down", "leave"),
    ];
    let message = [
        Clean::name(&cx.boot.cwd),
        Clean::from(
            "e follows the instructions it finds here (AGENTS.md, prompts, skills) and runs commands here.",
        ),
    ];
    let modal = Modal::select(Owner::Trust, "Do you trust this directory?", List::new(items, Order::Given));
    tui.modals.ask_next(modal.saying(message));
}

/// The key for a provider; `typed` is one that was pasted into the composer.
pub fn ask_key(tui: &mut Tui, provider: &str, typed: Option<&str>) {
    let draft = typed.map(Draft::of).unwrap_or_default();
    let field = Field { draft, secret: true, lines: false, placeholder: Clean::from("paste the key") };
    let title = match typed {
        Some(_) => format!("This looks like an API key. Store it for {provider}?"),
        None => format!("API key for {provider}"),
    };
    let note = Clean::from("It goes to auth.json in e's home and nowhere else.");
    let owner = Owner::LoginKey { provider: Arc::from(provider) };
    tui.modals.ask(Modal::input(owner, &title, field).saying([note]));
}

/// The providers there are, with whether each can be used already.
fn providers(cx: &Cx<'_>) -> Vec<Item> {
    let mut seen = BTreeSet::new();
    let models = cx.catalog.models.iter().filter(|m| m.dialect != Dialect::Script);
    let first = models.filter(|m| seen.insert(m.reference.provider.clone()));
    first
        .map(|model| Item {
            right: if model.usable { Clean::from("signed in") } else { Clean::default() },
            ..Item::new(&model.reference.provider, "", model.reference.provider.clone())
        })
        .collect()
}

pub fn ask_login(tui: &mut Tui, provider: Option<Arc<str>>, cx: &mut Cx<'_>, out: &mut Out) {
    let all = providers(cx);
    match provider {
        Some(name) if all.iter().any(|item| item.value == name) => ask_key(tui, &name, None),
        Some(name) => {
            status::flash(tui, &format!("No provider is called {name}; /login lists them"), cx, out)
        }
        None => {
            let list = List::new(all, Order::Given);
            tui.modals.ask(Modal::select(Owner::LoginProvider, "Sign in to which provider?", list));
        }
    }
}

pub fn ask_logout(tui: &mut Tui, provider: Option<Arc<str>>, cx: &mut Cx<'_>, out: &mut Out) {
    match provider {
        Some(name) if known(&name, cx) && !stored(&name, cx) => {
            let said = format!("No key is stored for {name}; a variable's key is not e's to remove");
            status::flash(tui, &said, cx, out);
        }
        Some(name) => remove_key(tui, name, cx, out),
        None => {
            let items: Vec<Item> = providers(cx).into_iter().filter(|i| stored(&i.value, cx)).collect();
            if items.is_empty() {
                return status::flash(tui, "No key is stored", cx, out);
            }
            let list = List::new(items, Order::Given);
            tui.modals.ask(Modal::select(
                Owner::LogoutProvider,
                "Remove the stored key of which provider?",
                list,
            ));
        }
    }
}

fn known(provider: &str, cx: &Cx<'_>) -> bool {
    cx.catalog.models.iter().any(|m| *m.reference.provider == *provider)
}

/// Whether `auth.json` has a key of the provider.
fn stored(provider: &str, cx: &Cx<'_>) -> bool {
    cx.catalog.models.iter().any(|m| m.stored && *m.reference.provider == *provider)
}

fn remove_key(tui: &mut Tui, provider: Arc<str>, cx: &mut Cx<'_>, out: &mut Out) {
    let ticket = tui.pending.tickets.issue(cx.ids, Awaiting::Auth);
    out.effect(Effect::Auth(AuthFx::Remove { ticket, provider }));
}

/// The saved sessions are asked for; the picker opens when they are there.
pub fn ask_resume(tui: &mut Tui, cx: &mut Cx<'_>, out: &mut Out) {
    let ticket = tui.pending.tickets.issue(cx.ids, Awaiting::Sessions);
    out.effect(Effect::Store(StoreFx::List { ticket, cwd: Some(cx.boot.cwd.clone()) }));
}

pub fn resume_list(tui: &mut Tui, heads: &[SessionHead], cx: &mut Cx<'_>, out: &mut Out) {
    let open = tui.status.front.path.clone();
    let items: Vec<Item> = heads
        .iter()
        .filter(|head| Some(&head.path) != open.as_ref())
        .map(|head| {
            let turns = head.turns.map(|n| format!(" · {n} turn{}", if n == 1 { "" } else { "s" }));
            let model = head.model.as_ref().map(|m| format!(" · {}", m.id)).unwrap_or_default();
            let right = format!("{}{}{model}", age(cx.now.wall, head.modified), turns.unwrap_or_default());
            let title = head.name.as_deref().unwrap_or(&head.title);
            let title = if title.trim().is_empty() { "(no words yet)" } else { title };
            Item { right: Clean::collapsed(&right), ..Item::new(title, "", head.path.clone()) }
        })
        .collect();
    if items.is_empty() {
        return status::flash(tui, "No earlier sessions in this directory", cx, out);
    }
    let list = List::new(items, Order::Given);
    let place = crate::model::text::template::home_path(&cx.boot.cwd, &cx.boot.user_home);
    let title = format!("Go on with which session in {place}?");
    tui.modals.ask(Modal::select(Owner::Resume, &title, list));
}

/// `5m`, `3h`, `2d`, `6w`.
fn age(now: u64, then: u64) -> String {
    let minutes = now.saturating_sub(then) / 60_000;
    match (minutes, minutes / 60, minutes / 1440) {
        (0, _, _) => "just now".to_owned(),
        (m, 0, _) => format!("{m}m ago"),
        (_, h, 0) => format!("{h}h ago"),
        (_, _, d @ 0..14) => format!("{d}d ago"),
        (_, _, d) => format!("{}w ago", d / 7),
    }
}

/// The person's prompts of the whole tree, indented by branch.
pub fn ask_tree(tui: &mut Tui, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    let Some(session) = sessions.front() else { return };
    let branch: BTreeSet<&str> = session.tree.branch().into_iter().map(|node| &*node.id).collect();
    let mut depths = std::collections::BTreeMap::new();
    let mut children: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    let mut items: Vec<Item> = Vec::new();
    for node in session.tree.nodes() {
        let parent = node.parent.as_deref().unwrap_or_default();
        let older = children.entry(parent).or_default();
        let depth: u16 = depths.get(parent).copied().unwrap_or(0) + u16::from(*older > 0);
        *older += 1;
        depths.insert(&*node.id, depth);
        let Some(prompt) = session.prompt_of(&node.id).filter(|_| is_prompt(&node.message)) else { continue };
        let here = branch.contains(&*node.id);
        let right =
            if here { Clean::collapsed(&age(cx.now.wall, node.at)) } else { Clean::from("other branch") };
        let line = prompt.lines().next().unwrap_or_default();
        items.push(Item { right, indent: depth.min(8), ..Item::new(line, "", node.id.clone()) });
    }
    if let Some(last) = items.iter_mut().rev().find(|item| branch.contains(&*item.value)) {
        last.current = true;
    }
    if items.is_empty() {
        return status::flash(tui, "Nothing to rewind to yet", cx, out);
    }
    let list = List::new(items, Order::Given);
    tui.modals.ask(Modal::select(Owner::Tree, "Rewind to which prompt? It comes back for editing", list));
}

fn is_prompt(message: &crate::model::provider::Message) -> bool {
    use crate::model::provider::{Message, UserKind};
    matches!(message, Message::User(user) if user.kind == UserKind::Prompt && !user.internal)
}

fn model_items(tui: &Tui, cx: &Cx<'_>) -> Vec<Item> {
    let current = tui.status.front.model.as_ref();
    let usable = cx.catalog.models.iter().filter(|m| m.usable);
    usable
        .map(|model| {
            let window = crate::model::text::template::count(model.context_window);
            Item {
                right: Clean::collapsed(&format!("{window} window")),
                current: Some(&model.reference) == current,
                ..Item::new(&model.reference.to_string(), "", model.reference.to_string())
            }
        })
        .collect()
}

pub fn ask_model(tui: &mut Tui, query: &str, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    let query = query.trim();
    let exact = cx
        .catalog
        .models
        .iter()
        .find(|m| m.usable && (m.reference.to_string() == query || *m.reference.id == *query));
    if let Some(model) = exact {
        let reference = model.reference.clone();
        return choose_model(reference, sessions, out);
    }
    let items = model_items(tui, cx);
    if items.is_empty() && cx.catalog.loaded {
        status::flash(tui, "No model can be used yet: /login stores a key", cx, out);
        return;
    }
    let ticket = tui.pending.tickets.issue(cx.ids, Awaiting::Settings);
    out.effect(Effect::Files(FilesFx::ProbeLocal { ticket }));
    let mut list = List::new(items, Order::Given);
    list.filter(query);
    let mut modal = Modal::select(Owner::Model, "Which model?", list);
    if let Some(field) = modal.field_mut() {
        field.draft = Draft::of(query);
    }
    tui.modals.ask(modal);
}

fn choose_model(model: ModelRef, sessions: &Sessions, out: &mut Out) {
    out.ask(Ask::Session(sessions.front, SessionAsk::Model(model)));
}

/// A new catalogue: an open model picker lists it, keeping what was typed.
pub fn catalog(tui: &mut Tui, cx: &Cx<'_>) {
    let items = model_items(tui, cx);
    let Some(modal) = tui.modals.open_mut().filter(|m| m.owner == Owner::Model) else { return };
    if let Question::Select { list, filter } = &mut modal.question {
        *list = List::new(items, Order::Given);
        list.filter(filter.draft.text());
    }
}

pub fn ask_effort(tui: &mut Tui, cx: &mut Cx<'_>, out: &mut Out) {
    let efforts = efforts(tui, cx);
    let current = tui.status.front.effort.clone();
    if efforts.is_empty() {
        return status::flash(tui, "This model has no effort levels", cx, out);
    }
    let item = |effort: Arc<str>| Item {
        current: Some(&effort) == current.as_ref(),
        ..Item::new(&effort.clone(), "", effort)
    };
    let list = List::new(efforts.into_iter().map(item).collect(), Order::Given);
    tui.modals.ask(Modal::select(Owner::Effort, "How much reasoning effort?", list));
}

/// The levels of the session's model, weakest first.
pub fn efforts(tui: &Tui, cx: &Cx<'_>) -> Vec<Arc<str>> {
    let model = tui.status.front.model.as_ref().and_then(|m| cx.catalog.find(m));
    model.map(|m| m.efforts.clone()).unwrap_or_default()
}

/// A question was answered: exactly one thing happens.
pub fn answer(
    tui: &mut Tui,
    modal: Modal,
    answer: Answer,
    sessions: &Sessions,
    cx: &mut Cx<'_>,
    out: &mut Out,
) {
    if let Some(debt) = modal.debt() {
        return extension::questions::answered(debt, &modal, answer, out);
    }
    let session = |ask| Ask::Session(sessions.front, ask);
    let filter = modal.field().filter(|_| modal.owner == Owner::Settings);
    let typed = filter.map(|field| field.draft.text().to_owned()).unwrap_or_default();
    match (modal.owner, answer) {
        (Owner::Trust, Answer::Chosen(value)) if &*value != "leave" => {
            out.ask(Ask::Trust { record: &*value == "record" });
        }
        // Without an answer nothing here may be followed.
        (Owner::Trust, _) => out.ask(Ask::Exit(1)),
        (Owner::LoginProvider, Answer::Chosen(provider)) => {
            ask_key(tui, &provider, None);
        }
        (Owner::LoginKey { provider }, Answer::Text(key)) if !key.trim().is_empty() => {
            let ticket = tui.pending.tickets.issue(cx.ids, Awaiting::Auth);
            let key = Secret(Arc::from(key.trim()));
            out.effect(Effect::Auth(AuthFx::Store { ticket, provider, key }));
        }
        (Owner::LogoutProvider, Answer::Chosen(provider)) => remove_key(tui, provider, cx, out),
        (Owner::Resume, Answer::Chosen(path)) => out.ask(session(SessionAsk::Resume { path })),
        (Owner::Model, Answer::Chosen(name)) => {
            if let Some(model) = ModelRef::parse(&name) {
                choose_model(model, sessions, out);
            }
        }
        (Owner::Effort, Answer::Chosen(effort)) => out.ask(session(SessionAsk::Effort(effort))),
        (Owner::Tree, Answer::Chosen(node)) => out.ask(session(SessionAsk::Rewind { node })),
        (Owner::Theme, Answer::Chosen(name)) => settings::theme(tui, &name, cx, out),
        (Owner::ScopedModel, Answer::Chosen(name)) => scoped::toggled(tui, &name, cx, out),
        (Owner::Quit, Answer::Confirmed(true)) => leave(tui, cx, out),
        (Owner::Settings, Answer::Chosen(key)) => {
            preferences::edit(tui, At { key: &key, query: &typed }, cx, out);
        }
        (Owner::Setting { key, query }, Answer::Chosen(value) | Answer::Text(value)) => {
            preferences::set(tui, At { key: &key, query: &query }, &value, cx, out);
        }
        (Owner::Setting { key, query }, Answer::Cancelled) => {
            preferences::ask(tui, At { key: &key, query: &query }, cx);
        }
        (_, Answer::Chosen(_) | Answer::Confirmed(_) | Answer::Text(_) | Answer::Cancelled) => {}
    }
}

/// Leaves at once when nothing runs, else after a question.
pub fn ask_quit(tui: &mut Tui, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    if sessions.front().is_none_or(Session::idle) {
        return leave(tui, cx, out);
    }
    let message = "What runs now is interrupted; the session is kept.";
    tui.modals.ask(Modal::confirm(Owner::Quit, "Leave while e is working?", message));
}

/// Ends the process; the unsent draft is kept.
pub fn leave(tui: &mut Tui, cx: &mut Cx<'_>, out: &mut Out) {
    settle::keep_draft(tui, cx, out);
    out.ask(Ask::Exit(0));
}
