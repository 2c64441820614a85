//! Questions: one shows at a time, the rest wait in arrival order, each is answered exactly once.
//! A question has fields of its own, so that the composer's draft is untouched while it shows.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use crate::model::ext::Debt;
use crate::model::text::clean::Clean;
use crate::model::text::row::{Row, Token};
use crate::model::text::wrap::{self, Wrap};

use super::draft::Draft;
use super::list::List;

/// A text field of a question.
#[derive(Clone, PartialEq, Default)]
pub struct Field {
    pub draft: Draft,
    pub placeholder: Clean,
    /// Masked; its text reaches no kill ring, undo, stash or record.
    pub secret: bool,
    /// Line breaks are allowed.
    pub lines: bool,
}

impl fmt::Debug for Field {
    /// A secret is never printed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.secret {
            true => f.write_str("Field(secret)"),
            false => write!(f, "Field({:?})", self.draft.text()),
        }
    }
}

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Question {
    /// Typing narrows the list.
    Select {
        list: List,
        filter: Field,
    },
    Confirm {
        message: Clean,
        yes: bool,
    },
    Input(Field),
    Editor(Field),
}

/// Who gets the answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Owner {
    /// Whether this directory's instructions are accepted.
    Trust,
    /// Which provider to sign in to.
    LoginProvider,
    /// The key for a provider.
    LoginKey {
        provider: Arc<str>,
    },
    /// A key was pasted into the composer: store it? It waits in the field of the `LoginKey` question that follows.
    PastedKey {
        provider: Arc<str>,
    },
    LogoutProvider,
    Resume,
    /// The session is open elsewhere: fork it?
    ForkBusy {
        path: Arc<str>,
    },
    Model,
    Effort,
    Tree,
    Theme,
    /// Every key of `settings.json`.
    Settings,
    /// The value of one; behind it, the list with what was typed there.
    Setting {
        key: Arc<str>,
        query: Arc<str>,
    },
    /// A model goes into or out of what ctrl+p goes through.
    ScopedModel,
    /// Leave while something runs?
    Quit,
    /// A request of an extension's.
    Ext(Debt),
}

/// One question.
#[derive(Debug, Clone, PartialEq)]
pub struct Modal {
    pub owner: Owner,
    pub title: Clean,
    /// Lines below the title.
    pub message: Vec<Clean>,
    pub question: Question,
    /// What a select says while its items are on their way, or when nothing matches.
    pub empty: Clean,
    /// The extension that asks; empty for `e`'s own.
    pub asker: Clean,
}

/// How a question ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    Chosen(Arc<str>),
    Confirmed(bool),
    Text(Arc<str>),
    Cancelled,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Modals {
    open: Option<Box<Modal>>,
    waiting: VecDeque<Modal>,
}

impl Modal {
    pub fn select(owner: Owner, title: &str, list: List) -> Self {
        let filter = Field { placeholder: Clean::from("type to filter"), ..Field::default() };
        let empty = Clean::from("nothing matches");
        let title = Clean::collapsed(title);
        let question = Question::Select { list, filter };
        Modal { owner, title, message: Vec::new(), question, empty, asker: Clean::default() }
    }

    pub fn confirm(owner: Owner, title: &str, message: &str) -> Self {
        Self::asking(owner, title, Question::Confirm { message: Clean::collapsed(message), yes: true })
    }

    pub fn input(owner: Owner, title: &str, field: Field) -> Self {
        Self::asking(owner, title, Question::Input(field))
    }

    pub fn editor(owner: Owner, title: &str, field: Field) -> Self {
        Self::asking(owner, title, Question::Editor(field))
    }

    fn asking(owner: Owner, title: &str, question: Question) -> Self {
        let title = Clean::collapsed(title);
        let (empty, asker) = (Clean::default(), Clean::default());
        Modal { owner, title, message: Vec::new(), question, empty, asker }
    }

    #[must_use]
    pub fn saying(mut self, lines: impl IntoIterator<Item = Clean>) -> Self {
        self.message.extend(lines);
        self
    }

    /// The field that is typed into.
    pub fn field(&self) -> Option<&Field> {
        match &self.question {
            Question::Select { filter, .. } => Some(filter),
            Question::Input(field) | Question::Editor(field) => Some(field),
            Question::Confirm { .. } => None,
        }
    }

    pub fn field_mut(&mut self) -> Option<&mut Field> {
        match &mut self.question {
            Question::Select { filter, .. } => Some(filter),
            Question::Input(field) | Question::Editor(field) => Some(field),
            Question::Confirm { .. } => None,
        }
    }

    /// Whose request it answers.
    pub fn debt(&self) -> Option<Debt> {
        match self.owner {
            Owner::Ext(debt) => Some(debt),
            _ => None,
        }
    }

    /// A secret is being entered.
    pub fn is_secret(&self) -> bool {
        self.field().is_some_and(|f| f.secret)
    }

    /// The key hint that replaces the status row.
    pub fn hint(&self) -> &'static str {
        match &self.question {
            Question::Select { .. } if self.owner == Owner::Settings => "↑↓ move · enter change · esc close",
            Question::Select { .. } => "↑↓ move · enter choose · esc cancel",
            Question::Confirm { .. } => "↑↓ or y/n · enter answer · esc no",
            Question::Input(_) => "enter answer · esc cancel",
            Question::Editor(_) => "enter answer · shift+enter new line · ctrl+g editor · esc cancel",
        }
    }

    /// Rows it would like: title, message, and the question itself.
    pub fn rows(&self, columns: u16) -> u16 {
        let message: usize =
            self.message.iter().map(|line| wrap::count_text(line, Wrap::words(columns.into()))).sum();
        let body = match &self.question {
            Question::Select { list, .. } => {
                let sample = if self.owner == Owner::Theme { SAMPLE_ROWS } else { 0 };
                1 + list.total().clamp(1, LIST_ROWS) + sample
            }
            Question::Confirm { message, .. } => 1 + beside_yes(message, columns.into()).len(),
            Question::Input(_) => 1,
            Question::Editor(field) => field.draft.text().lines().count().clamp(3, 12),
        };
        u16::try_from(1 + message + body).unwrap_or(u16::MAX)
    }
}

/// Columns in front of what stands beside Yes.
pub const BESIDE: usize = 7;

/// What stands beside Yes, in as many rows as it takes: nothing is hidden of what a person decides on.
pub fn beside_yes(message: &Clean, columns: usize) -> Vec<Row> {
    let rows =
        wrap::row(&Row::reviewed(message, Token::Plain), Wrap::words(columns.saturating_sub(BESIDE).max(1)));
    if rows.is_empty() { vec![Row::empty()] } else { rows }
}

/// Rows below the list of themes that show what the one under the cursor paints.
pub const SAMPLE_ROWS: usize = 5;

/// Rows of a select question's list, at most.
pub const LIST_ROWS: usize = 10;

impl Modals {
    /// The question that shows.
    pub fn open(&self) -> Option<&Modal> {
        self.open.as_deref()
    }

    pub fn open_mut(&mut self) -> Option<&mut Modal> {
        self.open.as_deref_mut()
    }

    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Queues a question; [`settle`](Modals::settle) opens it when its turn comes.
    pub fn ask(&mut self, modal: Modal) {
        self.waiting.push_back(modal);
    }

    /// Queues a question ahead of all that wait: it goes on the one just answered.
    pub fn ask_next(&mut self, modal: Modal) {
        self.waiting.push_front(modal);
    }

    /// Opens the next question when none shows and the place is free. To be called after every change.
    pub fn settle(&mut self, free: bool) {
        if self.open.is_none() && free {
            self.open = self.waiting.pop_front().map(Box::new);
        }
    }

    /// The open question is answered: gives it up.
    pub fn close(&mut self) -> Option<Modal> {
        self.open.take().map(|m| *m)
    }

    /// Takes every question that satisfies `which`, the open one first: its asker is gone.
    pub fn withdraw(&mut self, mut which: impl FnMut(&Owner) -> bool) -> Vec<Modal> {
        let mut gone = Vec::new();
        if let Some(open) = self.open.take_if(|m| which(&m.owner)) {
            gone.push(*open);
        }
        let (out, keep): (Vec<Modal>, Vec<Modal>) = self.waiting.drain(..).partition(|m| which(&m.owner));
        self.waiting.extend(keep);
        gone.extend(out);
        gone
    }
}
