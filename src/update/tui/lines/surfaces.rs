//! What extensions put on a screen: passed on where there is one, said where it can be, refused otherwise.

use super::{flush, say};
use crate::model::ask::{Ask, ExtAsk};
use crate::model::ext::Debt;
use crate::model::session::Sessions;
use crate::model::tui::Tui;
use crate::model::tui::lines::Lines;
use crate::model::wire::ext::{Reply, Show, UiAsk};
use crate::update::tui::extension;
use crate::update::{Cx, Out};

/// An extension wants something of the screen.
pub fn asked(
    tui: &mut Tui,
    debt: Debt,
    name: &str,
    ask: UiAsk,
    sessions: &Sessions,
    cx: &mut Cx<'_>,
    out: &mut Out,
) {
    let ask = match &mut tui.lines {
        Some(lines) => spoken(lines, debt, ask, out),
        None => Some(ask),
    };
    if let Some(ask) = ask {
        extension::asked(tui, debt, name, ask, sessions, cx, out);
    }
}

/// What a command or a shortcut of an extension answered.
pub fn show(tui: &mut Tui, show: &Show, cx: &mut Cx<'_>, out: &mut Out) {
    match &mut tui.lines {
        Some(lines) => told(lines, show, out),
        None => extension::show(tui, show, cx, out),
    }
}

/// A block that an extension shows.
fn told(lines: &mut Lines, show: &Show, out: &mut Out) {
    flush(lines, out);
    let cut = if show.cut { "\nThe rest was too long to show." } else { "" };
    let title = if show.title.is_empty() { String::new() } else { format!("{}\n", show.title) };
    say(lines, &format!("{title}{}{cut}", show.body), out);
}

/// An extension wants something of the screen. There is none here, but lines and questions; gives back what is for the
/// questions' queue.
fn spoken(lines: &mut Lines, debt: Debt, ask: UiAsk, out: &mut Out) -> Option<UiAsk> {
    let reply = match ask {
        UiAsk::Select { .. }
        | UiAsk::Confirm { .. }
        | UiAsk::Input { .. }
        | UiAsk::Editor { .. }
        | UiAsk::Notify { .. } => return Some(ask),
        UiAsk::Show(shown) => {
            told(lines, &shown, out);
            Reply::Done
        }
        UiAsk::Status(_)
        | UiAsk::Activity(_)
        | UiAsk::Compose { .. }
        | UiAsk::Panel(_)
        | UiAsk::Widget { .. }
        | UiAsk::Pane(_) => Reply::no_ui(),
    };
    out.ask(Ask::Ext(ExtAsk::Reply { debt, reply }));
    None
}
