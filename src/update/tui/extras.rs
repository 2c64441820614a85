//! `/export` and `/usage`: what they ask of files and store, and what comes of the answers.

use std::sync::Arc;

use super::{pages, status};
use crate::model::effect::{Effect, FilesFx};
use crate::model::provider::Message;
use crate::model::session::export::Page;
use crate::model::session::saved::SavedUsage;
use crate::model::session::{Session, Sessions};
use crate::model::text::template;
use crate::model::tui::viewer;
use crate::model::tui::{Awaiting, Tui};
use crate::model::wire::log;
use crate::update::{Cx, Out};

/// The branch as one page, written beside the work.
pub fn export(tui: &mut Tui, path: Option<Arc<str>>, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    let Some(session) = sessions.front().filter(|s| !s.tree.branch().is_empty()) else {
        return status::flash(tui, "There is nothing to export yet", cx, out);
    };
    let page = Page {
        title: title(session),
        messages: session.tree.branch().into_iter().map(|node| node.message.clone()).collect(),
        model: session.choice.model.as_ref().map(|m| m.to_string().into()).unwrap_or_default(),
        date: cx.boot.date.clone(),
    };
    let ticket = tui.pending.tickets.issue(cx.ids, Awaiting::Export);
    let cwd = session.cwd.clone();
    out.effect(Effect::Files(FilesFx::Export { ticket, cwd, path, page: Arc::new(page) }));
}

/// The session's name, else the first words of its first prompt.
fn title(session: &Session) -> Arc<str> {
    let first = || {
        session.tree.branch().into_iter().find_map(|node| match &*node.message {
            Message::User(user) if !user.internal => Some(log::title(&user.text())),
            _ => None,
        })
    };
    let title = session.log.name.clone().or_else(|| first().map(Arc::from));
    title.filter(|title| !title.trim().is_empty()).unwrap_or_else(|| Arc::from("Session"))
}

/// The periods of `/usage`: the word, what it is called, and its length in milliseconds.
const PERIODS: [(&str, &str, Option<u64>); 4] = [
    ("24h", "last 24 hours", Some(86_400_000)),
    ("7d", "last 7 days", Some(7 * 86_400_000)),
    ("30d", "last 30 days", Some(30 * 86_400_000)),
    ("all", "all there are", None),
];

/// This session's numbers at once; those of the saved ones when they are counted.
pub fn usage(tui: &mut Tui, period: &str, sessions: &Sessions, cx: &mut Cx<'_>, out: &mut Out) {
    let word = if period.is_empty() { "24h" } else { period };
    let Some((_, name, length)) = PERIODS.iter().find(|(known, ..)| known.eq_ignore_ascii_case(word)) else {
        let text = format!("There is no period {word:?}: /usage takes 24h, 7d, 30d or all");
        return status::flash(tui, &text, cx, out);
    };
    stop(tui, out);
    let since = length.map(|length| cx.now.wall.saturating_sub(length));
    let ticket = tui.pending.tickets.issue(cx.ids, Awaiting::Usage(Arc::from(*name)));
    out.effect(Effect::Files(FilesFx::CountUsage { ticket, since }));
    let text = format!("\n## Saved sessions, {name}\n\nBeing counted…\n");
    tui.reader = Some(pages::usage(tui, sessions, &text));
}

/// The count is there: it takes its place on the page, which stays where it was scrolled to.
pub fn counted(tui: &mut Tui, period: &str, saved: &SavedUsage, sessions: &Sessions, cx: &Cx<'_>) {
    let page = pages::usage(tui, sessions, &section(period, saved, cx)).page;
    if let Some(reader) = tui.reader.as_mut().filter(|reader| pages::is_usage(reader)) {
        reader.page = page;
    }
}

fn section(period: &str, saved: &SavedUsage, cx: &Cx<'_>) -> String {
    let count = template::count;
    let mut text = format!("\n## Saved sessions, {period}\n\n");
    if saved.models.is_empty() {
        text += "No saved session has a response in this time.\n";
    } else {
        text += "| model | responses | input | output | from cache | to cache | cost |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n";
    }
    let (mut total, mut unpriced) = (0.0, false);
    for row in &saved.models {
        let u = row.usage;
        let priced = cx.catalog.find(&row.model).and_then(|model| model.pricing);
        let cost = priced.map(|pricing| pricing.cost(u));
        total += cost.unwrap_or(0.0);
        unpriced |= cost.is_none();
        let shown = cost.map_or("not known".to_owned(), |cost| format!("${cost:.2}"));
        // A bar would end the cell.
        let model = row.model.to_string().replace('|', "\\|");
        text += &format!(
            "| {model} | {} | {} | {} | {} | {} | {shown} |\n",
            row.responses,
            count(u.input),
            count(u.output),
            count(u.cache_read),
            count(u.cache_write_5m + u.cache_write_1h),
        );
    }
    if !saved.models.is_empty() {
        let more = if unpriced { ", and what has no known price" } else { "" };
        text += &format!("\nIn all: ${total:.2}{more}, in {} sessions.\n", saved.sessions);
    }
    if saved.unread > 0 {
        text += &format!("\n{} logs could not be read and are not counted.\n", saved.unread);
    }
    text
}

/// A count whose page was closed is not waited for.
pub fn settle(tui: &mut Tui, out: &mut Out) {
    if !tui.reader.as_ref().is_some_and(|reader: &viewer::Reader| pages::is_usage(reader)) {
        stop(tui, out);
    }
}

fn stop(tui: &mut Tui, out: &mut Out) {
    for (ticket, _) in tui.pending.tickets.drain_if(|awaiting| matches!(awaiting, Awaiting::Usage(_))) {
        out.effect(Effect::Files(FilesFx::StopUsage(ticket)));
    }
}
