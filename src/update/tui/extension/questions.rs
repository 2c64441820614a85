//! The four questions of extensions, in the one queue with `e`'s own (`extensions-notes.md` 13).

use crate::model::ask::{Ask, ExtAsk};
use crate::model::ext::Debt;
use crate::model::id::ExtId;
use crate::model::text::clean::Clean;
use crate::model::tui::Tui;
use crate::model::tui::draft::Draft;
use crate::model::tui::list::{Item, List, Order};
use crate::model::tui::modal::{Answer, Field, Modal, Owner, Question};
use crate::model::wire::ext::{Choice, Reply, UiAsk};
use crate::update::{Cx, Out};

/// Queues a question; it opens when its turn comes.
pub fn ask(tui: &mut Tui, debt: Debt, name: &str, ask: UiAsk) {
    let owner = Owner::Ext(debt);
    let mut modal = match ask {
        UiAsk::Select { title, choices } => {
            let items = choices.into_iter().map(item).collect();
            Modal { title, ..Modal::select(owner, "", List::new(items, Order::Given)) }
        }
        UiAsk::Confirm { title, message } => Modal {
            title,
            question: Question::Confirm { message, yes: true },
            ..Modal::confirm(owner, "", "")
        },
        UiAsk::Input { title, placeholder, prefill, secret } => {
            let field = Field { draft: Draft::of(prefill.as_str()), placeholder, secret, lines: false };
            Modal { title, ..Modal::input(owner, "", field) }
        }
        UiAsk::Editor { title, text, placeholder } => {
            let field = Field { draft: Draft::of(text.as_str()), placeholder, secret: false, lines: true };
            Modal { title, ..Modal::editor(owner, "", field) }
        }
        _ => return,
    };
    modal.asker = Clean::collapsed(name);
    tui.modals.ask(modal);
}

fn item(choice: Choice) -> Item {
    let Choice { value, label, description } = choice;
    Item { label, description, value, ..Item::default() }
}

/// A question was answered; its asker gets the answer.
pub fn answered(debt: Debt, modal: &Modal, answer: Answer, out: &mut Out) {
    let reply = match answer {
        Answer::Chosen(value) => match &modal.question {
            Question::Select { list, .. } => {
                let label = list.chosen().map(|item| item.label.as_str().into()).unwrap_or_default();
                Reply::Chosen { value, label }
            }
            _ => Reply::Cancelled,
        },
        Answer::Confirmed(yes) => Reply::Confirmed(yes),
        Answer::Text(text) => Reply::Text(text),
        Answer::Cancelled => Reply::Cancelled,
    };
    out.ask(Ask::Ext(ExtAsk::Reply { debt, reply }));
}

/// These requests are answered with an error already: their questions go.
pub fn withdraw(tui: &mut Tui, debts: &[Debt], cx: &mut Cx<'_>, out: &mut Out) {
    tui.modals.withdraw(|owner| matches!(owner, Owner::Ext(debt) if debts.contains(debt)));
    super::super::settle::settle(tui, cx, out);
}

/// Nobody waits for the answers of a process that is gone.
pub fn gone(tui: &mut Tui, ext: ExtId) {
    tui.modals.withdraw(|owner| matches!(owner, Owner::Ext(debt) if debt.ext == ext));
}
